// SPDX-License-Identifier: GPL-2.0

//! The counters of the memory controller behind the host bridge; the reference's section 7.

use uncore_machine::{Function, Rule};

use super::{usual, CONTROL};
use crate::bench::Bench;

/// Where the registers are.
const BASE: u64 = 0xfed1_0000;

/// Offset, name, and the count of 1024 cycles.
const COUNTERS: [(u64, &str, u64); 5] = [
    (0x5040, "gt_requests", 27),
    (0x5044, "ia_requests", 103),
    (0x5048, "io_requests", 12),
    (0x5050, "data_reads", 95),
    (0x5054, "data_writes", 47),
];

const BRIDGE: Function = Function {
    bus: 0,
    device: 0,
    function: 0,
};

fn read(bench: &mut Bench, offset: u64) -> u64 {
    let value = bench.machine.memory_read(BASE + offset, 4);
    value.expect("a register")
}

fn all(bench: &mut Bench) -> [u64; 5] {
    COUNTERS.map(|(offset, ..)| read(bench, offset))
}

#[test]
fn the_bridge_tells_where() {
    let mut bench = usual();
    assert_eq!(bench.cfg(BRIDGE, 0), 0x0100_8086);
    assert_eq!(bench.cfg(BRIDGE, 0x48), 0xfed1_0001);
    assert_eq!(bench.cfg(BRIDGE, 0x4c), 0);
    assert_eq!(bench.machine.config_read(BRIDGE, 2, 2), Some(0x0100));
    assert_eq!(bench.machine.config_read(BRIDGE, 0x4a, 1), Some(0xd1));
    assert_eq!(bench.machine.memory_window(), Some(BASE..BASE + 0x6000));
    bench.assert_clean();
    assert_eq!(bench.machine.config_read(BRIDGE, 0x49, 4), Some(u32::MAX));
    assert_eq!(bench.broken(), [(Rule::BadAccess, 4)]);
}

#[test]
fn the_rest_of_the_bridge_is_the_boards() {
    let mut bench = usual();
    for offset in [0x04, 0x08, 0x2c, 0x44, 0x50, 0x60] {
        assert_eq!(bench.machine.config_read(BRIDGE, offset, 4), None);
        assert_eq!(bench.machine.config_write(BRIDGE, offset, 4, 0), None);
    }
    let second = Function {
        function: 1,
        ..BRIDGE
    };
    assert_eq!(bench.machine.config_read(second, 0x48, 4), None);
}

#[test]
fn the_address_is_locked() {
    let mut bench = usual();
    bench.set(BRIDGE, 0x48, 0);
    assert_eq!(bench.broken(), [(Rule::ReadOnly, 0)]);
    assert_eq!(bench.cfg(BRIDGE, 0x48), 0xfed1_0001);
    bench.set(BRIDGE, 0, 0x29c0_8086);
    assert_eq!(bench.cfg(BRIDGE, 0), 0x0100_8086);
    bench.assert_clean();
}

#[test]
fn each_counter_has_its_share() {
    let mut bench = usual();
    bench.machine.burst(1_000_000);
    let expected = COUNTERS.map(|(.., share)| 1_000_000 * share / 1024);
    assert_eq!(all(&mut bench), expected);
    assert_eq!(expected, [26_367, 100_585, 11_718, 92_773, 45_898]);
    bench.machine.burst(1023);
    let more = COUNTERS.map(|(.., share)| 1023 * share / 1024);
    let sums = std::array::from_fn(|i| expected[i] + more[i]);
    assert_eq!(all(&mut bench), sums);
    bench.assert_clean();
}

/// No enable of the uncore, and no freeze, has an effect on them.
#[test]
fn nothing_stops_them() {
    let mut bench = usual();
    assert_eq!(bench.rd(0, CONTROL), 0);
    bench.command("burst-through 1024");
    assert_eq!(all(&mut bench), COUNTERS.map(|(.., share)| share));
}

#[test]
fn the_endless_axis_has_no_seams() {
    let mut bench = usual();
    bench.command("free-run on");
    for _ in 0..1000 {
        bench.machine.advance(7);
        all(&mut bench);
    }
    let expected = COUNTERS.map(|(.., share)| 7000 * share / 1024);
    assert_eq!(all(&mut bench), expected);
    bench.machine.burst(1024);
    let sums = std::array::from_fn(|i| expected[i] + COUNTERS[i].2);
    assert_eq!(all(&mut bench), sums);
}

#[test]
fn they_wrap() {
    let mut bench = usual();
    bench.command("preload 0 imc data_reads 0xffffffff");
    bench.machine.burst(1024);
    assert_eq!(all(&mut bench), [27, 103, 12, 94, 47]);
    bench.command("preload-all 100 imc");
    bench.machine.burst(1024);
    let near = |share: u64| (share + u64::from(u32::MAX) + 1 - 100) & 0xffff_ffff;
    assert_eq!(all(&mut bench), COUNTERS.map(|(.., share)| near(share)));
    bench.command("preload-all 1");
    assert_eq!(all(&mut bench), [0xffff_ffff; 5]);
    let refused = |bench: &mut Bench, line: &str| {
        let error = bench.machine.command(line).expect_err("a mistake");
        error.to_string()
    };
    assert_eq!(
        refused(&mut bench, "preload 0 imc data 1"),
        "the machine has no counter 'data'"
    );
    assert_eq!(
        refused(&mut bench, "preload 0 imc data_reads 0x100000000"),
        "'0x100000000' does not fit 32 bits"
    );
}

#[test]
fn only_whole_counters_are_read() {
    let mut bench = usual();
    let read = |bench: &mut Bench, offset, size| {
        let value = bench.machine.memory_read(BASE + offset, size);
        let text = bench.command("violations");
        (value, bench.broken(), text)
    };
    for (offset, name, _) in COUNTERS {
        for size in [1, 2, 8] {
            let (value, broken, text) = read(&mut bench, offset, size);
            assert_eq!(value, Some(u64::MAX));
            assert_eq!(broken, [(Rule::BadAccess, size.into())]);
            assert!(text.contains(name), "{text}");
        }
        let (_, broken, _) = read(&mut bench, offset + 2, 4);
        assert_eq!(broken, [(Rule::BadAccess, 4)]);
    }
    for offset in [0, 0x503c, 0x504c, 0x5058, 0x5ffc] {
        let (_, broken, _) = read(&mut bench, offset, 4);
        assert_eq!(broken, [(Rule::Undocumented, 0)], "{offset:#x}");
    }
    assert_eq!(bench.machine.memory_read(BASE - 4, 4), None);
    assert_eq!(bench.machine.memory_read(BASE + 0x6000, 4), None);
}

#[test]
fn nothing_is_written() {
    let mut bench = usual();
    bench.machine.burst(1024);
    let done = bench.machine.memory_write(BASE + 0x5050, 4, 7);
    assert_eq!(done, Some(()));
    let text = bench.command("violations");
    assert_eq!(
        text,
        "package 0 imc data_reads (memory 0xfed15050): written, but read-only"
    );
    assert_eq!(bench.broken(), [(Rule::ReadOnly, 7)]);
    assert_eq!(all(&mut bench), [27, 103, 12, 95, 47]);
    assert_eq!(bench.machine.memory_write(BASE + 0x6000, 4, 7), None);
}

#[test]
fn the_bridge_may_be_another_or_off() {
    let mut bench = Bench::new("platform=snb,imc=off");
    assert_eq!(bench.machine.config_read(BRIDGE, 0, 4), None);
    assert_eq!(bench.machine.memory_window(), None);
    assert_eq!(bench.machine.memory_read(BASE + 0x5050, 4), None);
    for (option, address) in [("disabled", 0xfed1_0000), ("unset", 0)] {
        let mut bench = Bench::new(&format!("platform=snb,imc={option}"));
        assert_eq!(bench.cfg(BRIDGE, 0), 0x0100_8086);
        assert_eq!(bench.cfg(BRIDGE, 0x48), address);
        assert_eq!(read(&mut bench, 0x5050), u64::MAX);
        assert_eq!(bench.broken(), [(Rule::NotInMemory, 0)], "{option}");
    }
    let mut other = Bench::new("platform=bdx");
    assert_eq!(other.machine.config_read(BRIDGE, 0x48, 4), None);
    assert_eq!(other.machine.memory_window(), None);
}

#[test]
fn a_sleep_clears_them_or_not() {
    for (options, kept) in [("", false), (",reading=S-15:b", true)] {
        let mut bench = Bench::new(&format!("platform=snb{options}"));
        bench.machine.burst(1024);
        bench.machine.lose_power();
        let expected = COUNTERS.map(|(.., share)| if kept { share } else { 0 });
        assert_eq!(all(&mut bench), expected);
    }
}
