// SPDX-License-Identifier: GPL-2.0

//! Each rule broken once, with the exact words, and programs that break no rule.

use uncore_machine::Rule;

use crate::bench::{uncore, Bench, EN, IRP};
use crate::registers::At;

/// The violations that an action provokes, as text.
fn provoked(action: impl Fn(&mut Bench)) -> Vec<String> {
    let mut bench = Bench::usual();
    action(&mut bench);
    bench
        .machine
        .violations()
        .iter()
        .map(ToString::to_string)
        .collect()
}

fn wrmsr(msr: u32, value: u64) -> Vec<String> {
    provoked(|bench| bench.wr(0, msr, value))
}

#[test]
fn reserved_bits() {
    let zero = "package 0 cbox_1 CTL2 (MSR 0xd32): bits 0x100000 must be written 0";
    assert_eq!(wrmsr(0xd32, 1 << 20), [zero]);
    let link = "package 0 cbox_0 BOX_FILTER (MSR 0xd14): bits 0x1e0 must be written 0";
    assert_eq!(wrmsr(0xd14, 0x1e0), [link]);
    let reserved = "package 0 ubox CTL0 (MSR 0xc10): reserved bits 0x80000 written 1";
    assert_eq!(wrmsr(0xc10, 1 << 19), [reserved]);
    let global = "package 0 GLOBAL_CTL (MSR 0xc00): bits 0x8000000 must be written 0";
    assert_eq!(wrmsr(0xc00, 1 << 27), [global]);
    let invert = "package 0 imc_3 CTL1 (7f:10.1 offset 0xdc): bits 0x800000 must be written 0";
    assert_eq!(
        provoked(|bench| bench.set(uncore(16, 1), 0xdc, 1 << 23)),
        [invert]
    );
}

#[test]
fn box_control_bits_17_16() {
    let text = "package 0 cbox_0 BOX_CTL (MSR 0xd04): bits 0x30000 must be written 1";
    assert_eq!(wrmsr(0xd04, 0x3), [text]);
    let text = "package 0 irp BOX_CTL (00:05.6 offset 0xf4): bits 0x20000 must be written 1";
    assert_eq!(provoked(|bench| bench.set(IRP, 0xf4, 0x10000)), [text]);
    assert!(provoked(|bench| bench.set(uncore(19, 1), 0xf4, 0x3)).is_empty());
    assert!(wrmsr(0xd04, 0x30003).is_empty());
}

#[test]
fn high_half_of_a_32_bit_msr() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xd10, 0xffff_ffff_0000_0102);
    assert_eq!(bench.rd(0, 0xd10), 0x0102);
    let text = "package 0 cbox_0 CTL0 (MSR 0xd10): 32-bit register written with 0xffffffff00000102";
    assert_eq!(bench.machine.violations()[0].to_string(), text);
    assert_eq!(wrmsr(0xc00, 1 << 40).len(), 1);
}

#[test]
fn counter_width() {
    let text =
        "package 0 cbox_0 CTR0 (MSR 0xd16): bits 0xfffff00000000000 are above the counter's width";
    assert_eq!(wrmsr(0xd16, u64::MAX), [text]);
    let text = "package 0 imc_0 CTR0 high (7f:10.4 offset 0xa4): bits 0x1000000000000 are above the counter's width";
    assert_eq!(
        provoked(|bench| bench.set(uncore(16, 4), 0xa4, 1 << 16)),
        [text]
    );
}

#[test]
fn undocumented_registers() {
    let text = "package 0 cbox_2 (MSR 0xd55): no documented register";
    let mut bench = Bench::usual();
    assert_eq!(bench.rd(0, 0xd55), 0, "it does not fault");
    assert_eq!(bench.machine.violations()[0].to_string(), text);
    assert_eq!(wrmsr(0xd55, 1), [text]);
    let text = "package 0 imc_0 (7f:10.4 offset 0xe8): no documented register";
    assert_eq!(
        provoked(|bench| assert_eq!(bench.cfg(uncore(16, 4), 0xe8), 0)),
        [text]
    );
    assert_eq!(provoked(|bench| bench.set(uncore(16, 4), 0xe8, 1)), [text]);
    let text = "package 0 function 8086:0ee0 (7f:0c.0 offset 0x80): no documented register";
    assert_eq!(provoked(|bench| bench.set(uncore(12, 0), 0x80, 1)), [text]);
    assert!(provoked(|bench| assert_eq!(bench.cfg(uncore(12, 0), 0x80), 0)).is_empty());
    let text = "package 0 irp (00:05.6 offset 0xa8): no documented register";
    assert_eq!(
        provoked(|bench| assert_eq!(bench.cfg(IRP, 0xa8), 0)),
        [text]
    );
}

#[test]
fn sizes_and_alignment() {
    let at = uncore(16, 4);
    for (offset, size) in [
        (0xa2, 4),
        (0xa1, 2),
        (0xa0, 8),
        (0xa0, 3),
        (0xa0, 0),
        (0x1000, 4),
    ] {
        let text = format!("package 0 imc_0 CTR0 low (7f:10.4 offset {offset:#x}): access of {size} bytes is misaligned or of a wrong size");
        let text = text.replace(
            "imc_0 CTR0 low (7f:10.4 offset 0x1000",
            "imc_0 (7f:10.4 offset 0x1000",
        );
        let read = provoked(|bench| {
            bench.machine.config_read(at, offset, size);
        });
        assert_eq!(read, std::slice::from_ref(&text));
        let mut bench = Bench::usual();
        bench.machine.config_write(at, offset, size, 0x55);
        assert_eq!(bench.machine.violations()[0].to_string(), text);
        assert_eq!(bench.cfg_counter(at, 0xa0), 0, "nothing was written");
    }
    for (size, bytes) in [(1, 1), (2, 2)] {
        let text = format!(
            "package 0 imc_0 CTR0 low (7f:10.4 offset 0xa0): written in {bytes} bytes, needs 4"
        );
        let found = provoked(|bench| {
            bench.machine.config_write(at, 0xa0, size, 0x55);
        });
        assert_eq!(found, [text]);
        let found = provoked(|bench| {
            bench.machine.config_read(at, 0xa0, size);
        });
        assert!(found.is_empty(), "reads may be narrow");
    }
}

#[test]
fn edge_without_threshold() {
    let text = "package 0 cbox_0 CTL0 (MSR 0xd10): edge detection or inversion with thresh 0";
    assert_eq!(wrmsr(0xd10, EN | 1 << 18 | 0x0102), [text]);
    assert!(wrmsr(0xd10, EN | 1 << 24 | 1 << 18 | 0x0102).is_empty());
    assert!(wrmsr(0xd10, 1 << 18 | 0x0102).is_empty(), "not enabled");
    let text = "package 0 pcu CTL0 (MSR 0xc30): edge detection or inversion with thresh 0";
    assert_eq!(wrmsr(0xc30, EN | 1 << 31 | 0x4080), [text]);
    assert_eq!(wrmsr(0xc30, EN | 1 << 30 | 0x4080), [text]);
    assert!(wrmsr(0xc30, EN | 1 << 30 | 1 << 24 | 0x4080).is_empty());
}

#[test]
fn events_outside_the_catalogue() {
    let text = "package 0 cbox_0 CTL0 (MSR 0xd10): event 0x99 is not in the catalogue";
    assert_eq!(wrmsr(0xd10, EN | 0x99), [text]);
    assert!(wrmsr(0xd10, 0x99).is_empty(), "not enabled");
    let text = "package 0 pcu CTL0 (MSR 0xc30): event 0x200001 is not in the catalogue";
    assert_eq!(
        wrmsr(0xc30, EN | 1 << 21 | 1),
        [text],
        "the extra bit belongs to the event"
    );
    let text = "package 0 imc_0 CTL0 (7f:10.4 offset 0xd8): event 0x3 is not in the catalogue";
    assert_eq!(
        provoked(|bench| bench.set(uncore(16, 4), 0xd8, EN as u32 | 3)),
        [text]
    );
}

/// Checks that each of these control registers breaks a rule with the second number; enabled by
/// `enable`, where that is written last.
pub(crate) fn each_breaks(options: &str, at: At, enable: u32, rule: Rule, controls: &[(u32, u64)]) {
    for (control, bits) in controls {
        let mut bench = Bench::new(options);
        at.write(&mut bench, *control);
        at.write(&mut bench, enable | control);
        assert_eq!(
            bench.broken(),
            [(rule, *bits)],
            "{options} {at:x?} {control:#x}"
        );
    }
}

#[test]
fn umasks_outside_the_catalogue() {
    let text = "package 0 cbox_0 CTL0 (MSR 0xd10): umask 0x80 is not in the catalogue";
    assert_eq!(wrmsr(0xd10, EN | 0x8002), [text]);
    let of_cbox = &[
        0x0002, 0x0100, 0x0311, 0x0613, 0x0234, 0x0134, 0x4034, 0x0235, 0x0a35, 0x0536,
    ];
    let config = |device, function| At::Config(uncore(device, function), 0xd8);
    for (options, at, controls) in [
        ("", At::Msr(0xd10), &of_cbox[..]),
        ("", At::Msr(0xc30), &[0x0080, 0x4003]),
        ("platform=bdx", At::Msr(0xe01), &[0x0313, 0x0235, 0x0134]),
        ("platform=bdx", config(20, 0), &[0x15b0, 0x18b4]),
        (
            "platform=bdx",
            At::Config(IRP, 0xd8),
            &[0x0514, 0x8414, 0x2115, 0x4016, 0x0317, 0x7017],
        ),
        ("platform=bdx", config(16, 1), &[0x0323]),
    ] {
        let with_umask: Vec<(u32, u64)> = controls
            .iter()
            .map(|control| (*control, u64::from(control >> 8)))
            .collect();
        each_breaks(options, at, EN as u32, Rule::UnknownUmask, &with_umask);
    }
}

#[test]
fn counters_the_catalogue_excludes() {
    let text = "package 0 cbox_0 CTL2 (MSR 0xd12): event 0x36 cannot be counted by this counter";
    assert_eq!(wrmsr(0xd12, EN | 0x0836), [text]);
    let found = provoked(|bench| bench.set(uncore(19, 1), 0xdc, EN as u32 | 0x0813));
    let text =
        "package 0 r2pcie CTL1 (7f:13.1 offset 0xdc): event 0x13 cannot be counted by this counter";
    assert_eq!(found, [text]);
}

#[test]
fn thresholds_and_bits_of_occupancies() {
    let invert = 1 << 23 | 0x0113;
    each_breaks(
        "platform=bdx",
        At::Msr(0xe01),
        EN as u32,
        Rule::NoThreshold,
        &[(invert, 0)],
    );
    let of_pcu = [1 << 30, 1 << 31].map(|bit: u32| (bit | 1 << 24 | 0x03, bit.into()));
    each_breaks("", At::Msr(0xc30), EN as u32, Rule::OccupancyOnly, &of_pcu);
}

#[test]
fn counter_0_occupancy_without_occupancy() {
    let text = "package 0 cbox_0 CTL1: COUNTER0_OCCUPANCY without an occupancy event on counter 0";
    let program = |bench: &mut Bench| bench.wr(0, 0xd11, EN | 0x1f);
    assert!(provoked(program).is_empty(), "no time has passed yet");
    let counted = provoked(|bench| {
        program(bench);
        bench.machine.burst(10);
        bench.machine.burst(10);
    });
    assert_eq!(counted, [text]);
    let frozen = provoked(|bench| {
        bench.wr(0, 0xd04, 0x30100);
        program(bench);
        bench.machine.burst(10);
        bench.wr(0, 0xd10, 0x0111);
        bench.wr(0, 0xd04, 0x30000);
        bench.machine.burst(10);
    });
    assert!(
        frozen.is_empty(),
        "the order of the writes does not matter while frozen"
    );
    let free_running = provoked(|bench| {
        bench.command("free-run on");
        program(bench);
        bench.machine.advance(10);
        bench.rd(0, 0xd17);
    });
    assert_eq!(free_running, [text]);
}

#[test]
fn faults_on_request_are_nobodys_mistake() {
    let found = provoked(|bench| {
        bench.command("fail-msr 0 0xd10");
        assert_eq!(bench.read_faults(0, 0xd10), Some(true));
        assert_eq!(bench.write_faults(0, 0xd10), Some(true));
        assert_eq!(bench.read_faults(1, 0xd10), Some(false));
        bench.command("poke-msr 0 0xd04 0");
        bench.command("heal-msr 0 0xd10");
        assert_eq!(bench.read_faults(0, 0xd10), Some(false));
    });
    assert!(found.is_empty());
}

#[test]
fn repetitions_are_counted() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xd04, 0);
    bench.wr(0, 0xd04, 0);
    let text = "package 0 cbox_0 BOX_CTL (MSR 0xd04): bits 0x30000 must be written 1 (2 times)";
    assert_eq!(bench.command("violations"), text);
}
