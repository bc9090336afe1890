// SPDX-License-Identifier: GPL-2.0

//! Residencies of the cores, Documentation/hardware/ivbep.rst section 7.6, tables 2-118, 2-124 and
//! 2-125.

use uncore_machine::Cpu;

use crate::bench::Bench;

fn read(bench: &mut Bench, package: u8, core: u8, msr: u32) -> u64 {
    let cpu = Cpu {
        package,
        core,
        thread: 1,
    };
    let answer = bench.machine.rdmsr(cpu, msr);
    answer.expect("an MSR of the machine").expect("no fault")
}

#[test]
fn residency_knows_nothing_of_pmon() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xc00, 1 << 31);
    bench.wr(0, 0xc24, 0x3_0103);
    bench.machine.burst(1024);
    bench.wr(0, 0xc24, 0x3_0003);
    assert_eq!([bench.rd(0, 0x3fc), bench.rd(0, 0x3fd)], [1, 2]);
    bench.wr(0, 0x3fc, u64::MAX);
    bench.machine.burst(1024);
    assert_eq!(bench.rd(0, 0x3fc), 0, "64 bits, and round again");
    assert_eq!(
        read(&mut bench, 0, 1, 0x3fc),
        4,
        "another core's is its own"
    );
    assert_eq!(bench.command("peek-msr 0 0x3fd"), "0x4", "of core 0");
    bench.assert_clean();
}

#[test]
fn residency_runs_freely() {
    let mut bench = Bench::usual();
    bench.command("free-run on");
    for _ in 0..1000 {
        bench.machine.advance(1);
        read(&mut bench, 1, 3, 0x3fc);
    }
    bench.machine.advance(24);
    assert_eq!(read(&mut bench, 1, 3, 0x3fc), 15 + 3 + 1);
    bench.machine.burst(1024);
    assert_eq!(read(&mut bench, 1, 3, 0x3fd), 4 * 19);
    bench.command("free-run off");
    bench.machine.advance(5000);
    assert_eq!(read(&mut bench, 1, 3, 0x3fd), 4 * 19);
}
