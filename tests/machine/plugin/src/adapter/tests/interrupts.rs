// SPDX-License-Identifier: GPL-2.0

//! Interrupts of the uncore, of the core's own monitors and of no known source, on their way to
//! processors.

use super::{Bench, Register, CPUID, WRMSR};

/// A bench in x2APIC mode with NMIs allowed on all vCPUs.
fn with_nmi(options: &[&str]) -> Bench {
    let mut bench = Bench::new(options);
    for cpu in 0..bench.cpus.len() {
        bench.wrmsr(cpu, 0x1b, 0xfee0_0d00);
        bench.wrmsr(cpu, 0x834, 0x400);
    }
    bench
}

#[test]
fn an_overflow_interrupts_the_selected_core_once() {
    let mut bench = with_nmi(&[]);
    bench.overflow(0, 0b10);
    assert_eq!(bench.cpus[0].writes, [(0xfee0_1000, 0x400)]);
    assert_eq!(bench.rdmsr(1, 0x834), 0x1_0400, "masked on delivery");
    bench.overflow(0, 0b10);
    assert_eq!(bench.cpus[0].writes.len(), 1, "held back by the mask");
    bench.wrmsr(1, 0x834, 0xfd);
    bench.overflow(0, 0b10);
    assert_eq!(bench.cpus[0].writes[1..], [(0xfee0_1000, 0xfd)]);
}

#[test]
fn packages_interrupt_their_own_cores() {
    let mut bench = with_nmi(&[]);
    bench.overflow(3, 0b01);
    assert_eq!(bench.cpus[3].writes, [(0xfee0_2000, 0x400)]);
}

#[test]
fn both_threads_of_a_core_are_interrupted() {
    let mut bench = with_nmi(&["smt=2"]);
    bench.overflow(0, 0b10);
    assert_eq!(
        bench.cpus[0].writes,
        [(0xfee0_2000, 0x400), (0xfee0_3000, 0x400)]
    );
}

#[test]
fn a_sleeping_core_is_reached_if_it_is_woken() {
    const WK_ON_PMI: u64 = 1 << 30;
    let mut bench = with_nmi(&[]);
    bench.adapter.halted(1, true);
    bench.overflow(0, 0b10);
    assert_eq!(bench.cpus[0].writes, [], "asleep");
    assert_eq!(bench.rdmsr(1, 0x834), 0x400, "its APIC has seen nothing");
    bench.overflow(0, 0b11);
    assert_eq!(
        bench.cpus[0].writes,
        [(0xfee0_0000, 0x400)],
        "the one awake"
    );
    bench.overflow(0, WK_ON_PMI | 0b10);
    assert_eq!(bench.cpus[0].writes[1..], [(0xfee0_1000, 0x400)], "woken");
    bench.wrmsr(1, 0x834, 0x400);
    bench.command(0, "reading U-44:b");
    bench.overflow(0, 0b10);
    assert_eq!(bench.cpus[0].writes.len(), 3, "never quite asleep");
}

#[test]
fn a_core_sleeps_when_all_its_threads_do() {
    let mut bench = with_nmi(&["smt=2"]);
    bench.adapter.halted(2, true);
    bench.overflow(0, 0b10);
    assert_eq!(bench.cpus[0].writes.len(), 2, "thread 1 is awake");
    bench.adapter.halted(3, true);
    bench.wrmsr(2, 0x834, 0x400);
    bench.overflow(0, 0b10);
    assert_eq!(bench.cpus[0].writes.len(), 2);
    bench.adapter.halted(2, false);
    bench.overflow(0, 0b10);
    assert_eq!(bench.cpus[0].writes[2..], [(0xfee0_2000, 0x400)]);
}

#[test]
fn one_thread_of_a_core_may_get_it() {
    let mut bench = with_nmi(&["smt=2", "reading=U-43:b"]);
    bench.overflow(0, 0b10);
    assert_eq!(bench.cpus[0].writes, [(0xfee0_2000, 0x400)]);
}

#[test]
fn a_masked_interrupt_may_wait() {
    let mut bench = with_nmi(&["reading=U-45:b"]);
    bench.wrmsr(1, 0x834, 0x1_0400);
    for _ in 0..2 {
        bench.overflow(0, 0b10);
    }
    assert_eq!(bench.cpus[0].writes, []);
    bench.wrmsr(1, 0x834, 0x400);
    assert_eq!(bench.cpus[1].writes, [(0xfee0_1000, 0x400)], "once");
    bench.wrmsr(1, 0x834, 0x400);
    assert_eq!(bench.cpus[1].writes.len(), 1);
}

#[test]
fn an_interrupt_may_wait_until_the_core_wakes() {
    let mut bench = with_nmi(&["reading=U-45:c"]);
    bench.adapter.halted(1, true);
    bench.overflow(0, 0b10);
    assert_eq!(bench.cpus[0].writes, []);
    bench.adapter.halted(1, false);
    bench.adapter.interrupted(1, &mut bench.cpus[1]);
    assert_eq!(bench.cpus[1].writes, [(0xfee0_1000, 0x400)]);
    bench.adapter.interrupted(1, &mut bench.cpus[1]);
    assert_eq!(bench.cpus[1].writes.len(), 1, "once");
}

#[test]
fn the_gate_may_be_missing() {
    const DEBUGCTL: u64 = 0x1d9;
    let mut bench = with_nmi(&["reading=U-46:c"]);
    bench.wrmsr(0, DEBUGCTL, 1 << 14);
    assert_eq!(bench.rdmsr(0, DEBUGCTL), 1 << 14);
    let values = [(Register::Rcx, DEBUGCTL), (Register::Rax, 1 << 13)];
    bench.set(0, &values);
    bench.step(0, WRMSR, false);
    assert_eq!(bench.get(0, Register::Rcx), 0x8ff, "raises #GP");
    bench.adapter.interrupted(0, &mut bench.cpus[0]);
    assert_eq!(bench.rdmsr(0, DEBUGCTL), 1 << 14);
    bench.overflow(0, 0b01);
    assert_eq!(bench.cpus[0].writes, [(0xfee0_0000, 0x400)]);
}

#[test]
fn unmasking_lets_in_what_has_waited_for_it() {
    let mut bench = with_nmi(&[]);
    bench.command(0, "pmi repeat unmask");
    bench.overflow(0, 0b10);
    assert_eq!(bench.cpus[0].writes.len(), 1);
    bench.wrmsr(0, 0x834, 0x400);
    bench.wrmsr(1, 0x834, 0x1_0400);
    assert_eq!(bench.cpus[1].writes, []);
    bench.wrmsr(1, 0x834, 0x400);
    assert_eq!(bench.cpus[1].writes, [(0xfee0_1000, 0x400)]);
    assert_eq!(bench.rdmsr(1, 0x834), 0x1_0400, "masked again");
}

#[test]
fn a_started_processor_has_its_interrupts_masked() {
    let mut bench = with_nmi(&[]);
    bench.set(1, &[(Register::Efer, 0xd01)]);
    bench.wrmsr(1, 0xc000_0080, 0x901);
    assert_eq!(bench.rdmsr(1, 0x834), 0x400, "long mode was active");
    bench.set(1, &[(Register::Efer, 0)]);
    bench.wrmsr(1, 0xc000_0080, 0x901);
    assert_eq!(bench.rdmsr(1, 0x834), 0x1_0000);
}

#[test]
fn the_core_monitors_interrupt_beside_the_uncore() {
    let mut bench = with_nmi(&[]);
    let refused = (1, "no counter of CPU 1 may interrupt".to_owned());
    assert_eq!(bench.command(0, "core-pmi 1"), refused);
    bench.wrmsr(1, 0x186, 0x53_003c);
    bench.wrmsr(1, 0x38f, 1);
    assert_eq!(bench.command(0, "core-pmi 1").0, 0);
    assert_eq!(bench.cpus[0].writes, [(0xfee0_1000, 0x400)]);
    assert_eq!(bench.rdmsr(1, 0x38e), 1);
    bench.overflow(0, 0b10);
    assert_eq!(bench.cpus[0].writes.len(), 1, "they share the mask");
    bench.wrmsr(1, 0x834, 0x400);
    bench.overflow(0, 0b10);
    assert_eq!(bench.cpus[0].writes.len(), 2);
}

#[test]
fn a_foreign_nmi_heeds_nothing() {
    let mut bench = Bench::new(&["reading=U-46:b"]);
    bench.wrmsr(2, 0x1b, 0xfee0_0d00);
    assert_eq!(bench.command(0, "nmi 2"), (0, String::new()));
    assert_eq!(bench.cpus[0].writes, [(0xfee0_2000, 0x400)]);
    assert_eq!(bench.rdmsr(2, 0x834), 0x1_0000, "masked as it was");
    let refused = (1, "the machine has no CPU '9'".to_owned());
    assert_eq!(bench.command(0, "nmi 9"), refused);
    assert_eq!(bench.command(0, "nmi 3").0, 1, "it has not been started");
}

#[test]
fn every_fate_of_an_interrupt_is_counted() {
    let mut bench = with_nmi(&["reading=U-46:b", "packages=1"]);
    let line = |bench: &mut Bench, cpu: usize| {
        let (_, text) = bench.command(0, "interrupts");
        text.lines().nth(1 + cpu).map(str::to_owned)
    };
    bench.overflow(0, 0b10);
    bench.wrmsr(1, 0x1d9, 1 << 13);
    bench.overflow(0, 0b10);
    bench.overflow(0, 0b10);
    bench.overflow(0, 0b10);
    bench.adapter.halted(1, true);
    bench.overflow(0, 0b10);
    bench.wrmsr(1, 0x186, 0x53_003c);
    bench.wrmsr(1, 0x38f, 1);
    bench.command(0, "core-pmi 1");
    bench.command(0, "nmi 1");
    bench.wrmsr(1, 0x834, 0x400);
    bench.command(0, "core-pmi 1");
    let expected = "cpu 1: delivered 1, masked 2, gated 1, asleep 1, core 1, core-masked 1, nmi 1";
    assert_eq!(line(&mut bench, 1).as_deref(), Some(expected));
    let (_, text) = bench.command(0, "interrupts");
    assert!(
        text.starts_with("package 0: raised 5, dropped 0, waiting 0\ncpu 0: "),
        "{text}"
    );
    bench.command(0, "clear-interrupts");
    let none = "cpu 1: delivered 0, masked 0, gated 0, asleep 0, core 0, core-masked 0, nmi 0";
    assert_eq!(line(&mut bench, 1).as_deref(), Some(none));
}

#[test]
fn an_external_nmi_names_its_source_at_port_0x61() {
    const IN: &[u8] = &[0xe4, 0x61]; // in $0x61,%al
    const OUT: &[u8] = &[0xe6, 0x61]; // out %al,$0x61
    let mut bench = Bench::new(&[]);
    bench.run(1, CPUID);
    assert_eq!(bench.input(IN, 0, 0x5a20), 0x5a20, "as the emulator has it");
    assert_eq!(bench.command(0, "nmi serr").0, 0);
    assert_eq!(bench.cpus[0].writes, [(0xfee0_0000, 0x400)]);
    assert_eq!(bench.input(IN, 0, 0x5a20), 0x5a80);
    bench.set(0, &[(Register::Rax, 0x84)]);
    bench.run(0, OUT);
    assert_eq!(bench.input(IN, 0, 0), 0x04);
    let answer = "the guest has turned this source off";
    assert_eq!(bench.command(0, "nmi serr"), (1, answer.to_owned()));
    assert_eq!(bench.command(0, "nmi iochk").0, 0);
    assert_eq!(bench.input(&[0xec], 0x61, 0), 0x44);
}
