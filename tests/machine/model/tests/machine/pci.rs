// SPDX-License-Identifier: GPL-2.0

//! Configuration space apart from the PMON registers: header, blanks, absentees.

use uncore_machine::Function;

use crate::bench::{uncore, Bench, IRP};

#[test]
fn the_header() {
    let mut bench = Bench::usual();
    for (at, id, header) in [
        (uncore(16, 4), 0x0eb4, 0x00),
        (uncore(16, 0), 0x0eb0, 0x80),
        (uncore(11, 0), 0x0e1e, 0x80),
        (IRP, 0x0e39, 0x00),
    ] {
        let read = |bench: &mut Bench, offset, size| bench.machine.config_read(at, offset, size);
        assert_eq!(read(&mut bench, 0x00, 2), Some(0x8086));
        assert_eq!(read(&mut bench, 0x02, 2), Some(id));
        assert_eq!(read(&mut bench, 0x06, 2), Some(0), "no capabilities");
        assert_eq!(bench.cfg(at, 0x08) >> 8, 0x08_8000, "class");
        assert_eq!(read(&mut bench, 0x0e, 1), Some(header));
        for offset in (0x10..0x40).step_by(4) {
            bench.set(at, offset, u32::MAX);
            assert_eq!(
                bench.cfg(at, offset),
                0,
                "no address is wanted at {offset:#x}"
            );
        }
        bench.set(at, 0x04, 0x0547);
        assert_eq!(bench.cfg(at, 0x04), 0);
    }
    bench.assert_clean();
}

#[test]
fn four_kilobytes_per_function() {
    let mut bench = Bench::usual();
    assert_eq!(bench.cfg(uncore(16, 4), 0xffc), 0);
    assert_eq!(bench.cfg(uncore(8, 6), 0x228), 0);
    bench.assert_clean();
    let beyond = bench.machine.config_read(uncore(16, 4), 0x1000, 4);
    assert_eq!(beyond, Some(u32::MAX));
}

#[test]
fn functions_the_machine_does_not_have() {
    let mut bench = Bench::usual();
    for at in [
        uncore(16, 2),
        uncore(24, 2),
        uncore(18, 5),
        uncore(12, 7),
        Function { bus: 1, ..IRP },
        Function { bus: 0x7f, ..IRP },
        Function {
            bus: 0,
            ..uncore(16, 4)
        },
    ] {
        assert_eq!(bench.machine.config_read(at, 0, 4), None, "{at}");
        assert_eq!(bench.machine.config_write(at, 0xf4, 4, 0), None, "{at}");
    }
}
