// SPDX-License-Identifier: GPL-2.0

//! Each rule broken once, with the exact words, and programs that break no rule.

use crate::bench::{uncore, Bench, IRP};

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

const EN: u64 = 1 << 22;

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
    for msr in [
        0xc02, 0xc07, 0xc0a, 0xc12, 0xc14, 0xc25, 0xc2f, 0xd00, 0xd05, 0xd1b, 0xd1f,
    ] {
        let mut bench = Bench::usual();
        assert_eq!(bench.read_faults(0, msr), Some(true), "{msr:#x}");
        assert_eq!(bench.write_faults(0, msr), Some(true), "{msr:#x}");
        assert_eq!(bench.machine.violations().len(), 2, "{msr:#x}");
    }
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
fn missing_cboxes() {
    let text = "package 0 cbox_14 (MSR 0xed4): the package has no such box";
    let found = provoked(|bench| assert_eq!(bench.read_faults(0, 0xed4), Some(true)));
    assert_eq!(found, [text]);
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

#[test]
fn umasks_outside_the_catalogue() {
    let text = "package 0 cbox_0 CTL0 (MSR 0xd10): umask 0x80 is not in the catalogue";
    assert_eq!(wrmsr(0xd10, EN | 0x8002), [text]);
    for (umask, event) in [
        (0x00, 0x02),
        (0x01, 0x00),
        (0x03, 0x11),
        (0x06, 0x13),
        (0x02, 0x34),
        (0x01, 0x34),
        (0x40, 0x34),
        (0x02, 0x35),
        (0x0a, 0x35),
        (0x05, 0x35),
        (0x09, 0x36),
    ] {
        let found = wrmsr(0xd10, EN | umask << 8 | event);
        let text =
            format!("package 0 cbox_0 CTL0 (MSR 0xd10): umask {umask:#x} is not in the catalogue");
        assert_eq!(found, [text], "event {event:#x}");
    }
    for (umask, event) in [
        (0x7f, 0x02),
        (0x02, 0x11),
        (0x15, 0x11),
        (0x41, 0x34),
        (0x43, 0x34),
        (0x1f, 0x34),
        (0x40, 0x37),
        (0x4f, 0x37),
        (0x0a, 0x36),
        (0x4a, 0x35),
    ] {
        assert_eq!(
            wrmsr(0xd10, EN | umask << 8 | event),
            [""; 0],
            "{event:#x} {umask:#x}"
        );
    }
    let text = "package 0 pcu CTL0 (MSR 0xc30): umask 0x0 is not in the catalogue";
    assert_eq!(
        wrmsr(0xc30, EN | 0x80),
        [text],
        "an occupancy needs occ_sel"
    );
}

#[test]
fn counters_the_catalogue_excludes() {
    let text = "package 0 cbox_0 CTL2 (MSR 0xd12): event 0x36 cannot be counted by this counter";
    assert_eq!(wrmsr(0xd12, EN | 0x0836), [text]);
    let text = "package 0 cbox_0 CTL0 (MSR 0xd10): event 0x1f cannot be counted by this counter";
    assert_eq!(wrmsr(0xd10, EN | 0x1f)[..1], [text]);
    let found = provoked(|bench| bench.set(uncore(19, 1), 0xdc, EN as u32 | 0x0813));
    let text =
        "package 0 r2pcie CTL1 (7f:13.1 offset 0xdc): event 0x13 cannot be counted by this counter";
    assert_eq!(found, [text]);
    // Both sets of the IRP count the same events.
    for counter in 0..4 {
        let control = EN as u32 | 0x0110;
        assert!(provoked(|bench| bench.set(IRP, 0xd8 + 4 * counter, control)).is_empty());
    }
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
fn read_only_registers() {
    let text = "package 0 CPUNODEID (7f:0b.0 offset 0x40): written, but read-only";
    assert_eq!(provoked(|bench| bench.set(uncore(11, 0), 0x40, 0)), [text]);
    let text = "package 0 QPI_RATE_STATUS (7f:08.0 offset 0xd4): written, but read-only";
    assert_eq!(provoked(|bench| bench.set(uncore(8, 0), 0xd4, 0)), [text]);
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
