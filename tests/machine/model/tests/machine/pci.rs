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

#[test]
fn msrs_that_are_not_the_uncores() {
    let mut bench = Bench::usual();
    for msr in [
        0x10,
        0x38f,
        0x3fb,
        0x3fe,
        0xbff,
        0xc18,
        0xc23,
        0xc3a,
        0xcff,
        0xee0,
        0x8000_0c00,
    ] {
        assert_eq!(bench.read_faults(0, msr), None, "{msr:#x}");
        assert_eq!(bench.write_faults(0, msr), None, "{msr:#x}");
    }
    assert_eq!(bench.read_faults(2, 0xc00), None, "no such package");
}

#[test]
fn msrs_of_missing_cboxes_fault() {
    let mut bench = Bench::new("cores=4:2,cboxes=3:1");
    for (package, cboxes) in [(0, 3), (1, 1)] {
        for n in 0..15_u32 {
            let faults = bench.read_faults(package, 0xd16 + 0x20 * n);
            assert_eq!(faults, Some(n >= cboxes), "package {package} cbox {n}");
            assert_eq!(bench.write_faults(package, 0xd16 + 0x20 * n), faults);
        }
    }
}

#[test]
fn a_hidden_function_answers_all_ones() {
    let mut bench = Bench::usual();
    bench.set(uncore(16, 4), 0xd8, 0x0104);
    bench.command("hide 7f:10.4");
    assert_eq!(bench.cfg(uncore(16, 4), 0), u32::MAX);
    assert_eq!(
        bench.machine.config_read(uncore(16, 4), 0xd8, 2),
        Some(0xffff)
    );
    bench.set(uncore(16, 4), 0xd8, 0);
    assert_eq!(bench.cfg(uncore(16, 5), 0), 0x0eb5_8086);
    bench.command("show 7f:10.4");
    assert_eq!(bench.cfg(uncore(16, 4), 0), 0x0eb4_8086);
    assert_eq!(bench.cfg(uncore(16, 4), 0xd8), 0x0104);
}

#[test]
fn functions_without_counters_can_be_hidden_too() {
    let mut bench = Bench::new("packages=1,part=ex");
    for (device, function, id) in [
        (8, 6, 0x0e86),
        (9, 6, 0x0e96),
        (24, 6, 0x0e46),
        (8, 0, 0x0e80),
        (24, 0, 0x0e40),
        (11, 0, 0x0e1e),
    ] {
        let at = uncore(device, function);
        bench.command(&format!("hide {at}"));
        assert_eq!([bench.cfg(at, 0), bench.cfg(at, 0xd4)], [u32::MAX; 2]);
        bench.command(&format!("show {at}"));
        assert_eq!(bench.cfg(at, 0), id << 16 | 0x8086);
    }
    assert_eq!(bench.cfg(uncore(8, 0), 0xd4), 0b101, "QPI_RATE_STATUS");
    bench.assert_clean();
}
