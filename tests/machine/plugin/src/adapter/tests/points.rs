// SPDX-License-Identifier: GPL-2.0

//! Points of an order: which instructions are points, and what happens there.

use super::*;
use tempfile::TempDir;

/// A function of the kernel image.
const LOCK: u64 = 0xffff_ffff_8100_0020;

/// A machine with an order, and the directory of its files.
fn ordered() -> (Bench, TempDir) {
    let directory = tempfile::tempdir().expect("a directory");
    let bench = Bench::new(&[&format!("orders={}", directory.path().display())]);
    (bench, directory)
}

fn points(directory: &TempDir) -> Vec<String> {
    let text = std::fs::read_to_string(directory.path().join("points"));
    let lines = text.expect("written");
    lines.lines().map(str::to_owned).collect()
}

/// Executes an instruction as often as it takes, and returns the turns that were sat out.
fn insist(bench: &mut Bench, cpu: usize, site: &Site) -> usize {
    let mut run = |_: &usize| bench.adapter.execute(cpu, site, &mut bench.cpus[cpu]);
    (0..100)
        .find(|turn| run(turn) == Next::Run)
        .expect("a bound")
}

/// Returns the filter of the first package, which a command of another vCPU shows.
fn peek(bench: &mut Bench) -> u64 {
    let (status, text) = bench.command(1, "peek-msr 0 0xd14");
    assert_eq!(status, 0, "{text}");
    u64::from_str_radix(text.trim_start_matches("0x"), 16).expect("a number")
}

#[test]
fn registers_calls_and_nmis_are_points() {
    let (mut bench, directory) = ordered();
    assert!(bench.adapter.has_order());
    assert_eq!(bench.command(0, "seed 5"), (0, String::new()));
    bench.set(1, &[(Register::Rcx, FILTER0)]);
    insist(&mut bench, 1, &site(WRMSR, false));
    let call = Site {
        action: Some(Action::Call { target: LOCK }),
        ..site(NOP, false)
    };
    insist(&mut bench, 0, &call);
    assert_eq!(bench.command(0, "nmi 1").0, 0);
    bench.adapter.interrupt_arrives(0);
    bench.adapter.interrupt_arrives(1);
    bench.adapter.interrupt_arrives(1);
    let expected = [
        "seed 5",
        "1 wrmsr 0xd14",
        "0 call 0xffffffff81000020",
        "1 nmi",
    ];
    assert_eq!(points(&directory), expected);
}

#[test]
fn a_vcpu_that_sits_out_executes_nothing() {
    let (mut bench, _directory) = ordered();
    bench.command(0, "seed 5");
    let mut sat_out = 0;
    for value in 1..32 {
        let values = [
            (Register::Rcx, FILTER0),
            (Register::Rax, value),
            (Register::Rdx, 0),
        ];
        bench.set(0, &values);
        while bench.step(0, WRMSR, false) == Next::Later(CODE) {
            assert_eq!(peek(&mut bench), value - 1, "written too early");
            sat_out += 1;
        }
        assert_eq!(peek(&mut bench), value);
    }
    assert!(sat_out > 0, "no turn was sat out");
}

#[test]
fn code_of_the_kernel_itself_has_no_points() {
    let (mut bench, directory) = ordered();
    bench.command(0, "seed 5");
    bench.set(0, &[(Register::Rcx, FILTER0)]);
    let image = Site {
        address: LOCK,
        ..site(WRMSR, false)
    };
    assert_eq!(insist(&mut bench, 0, &image), 0);
    assert_eq!(points(&directory), ["seed 5"]);
}

#[test]
fn the_processor_is_the_one_that_runs() {
    let (mut bench, _directory) = ordered();
    // The emulator passes the number of another one.
    let site = site(CPUID, true);
    bench.set(3, &[(Register::Rax, 0x5a5a_0000)]);
    bench.adapter.execute(0, &site, &mut bench.cpus[3]);
    assert!(bench.adapter.vcpus[0].identity().is_none());
    let identity = bench.adapter.vcpus[3].identity().expect("it has run");
    assert_eq!(identity.apic_id, 3);
}

#[test]
fn time_is_not_moved() {
    let (mut bench, _directory) = ordered();
    assert_eq!(bench.command(0, "skip 500").0, 1);
    let free = Options::parse(["orders=/tmp", "free-run=on"]).expect("known options");
    assert!(Adapter::new(&free, Report::default(), 4).is_err());
    let mut usual = Bench::new(&[]);
    let (status, text) = usual.command(0, "seed 1");
    assert_eq!((status, &*text), (1, "the machine keeps no order"));
}
