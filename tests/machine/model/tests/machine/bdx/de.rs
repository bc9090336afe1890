// SPDX-License-Identifier: GPL-2.0

//! Broadwell-DE: what it has of BDX, and what it has not.

use uncore_machine::{Function, Rule, Topology};

use super::shapes::{id, FUNCTIONS};
use super::{CHANNELS, EN, OV_EN};
use crate::bench::{uncore, uncore1, Bench, IRP};

/// One package of Broadwell-DE with two cores.
const DE: &str = "platform=bdx-de";

/// A function of its uncore bus.
fn of_de(device: u8, function: u8) -> Function {
    uncore1(device, function)
}

#[test]
fn functions() {
    let mut bench = Bench::new(DE);
    for (device, function, wanted) in &FUNCTIONS[..24] {
        // No QPI, no third link, one home agent.
        let there = match device {
            8 | 9 | 10 | 23 | 24 => false,
            11 | 18 => *function != 5,
            _ => true,
        };
        let at = of_de(*device, *function);
        let wanted = there.then_some(wanted << 16 | 0x8086);
        assert_eq!(id(&mut bench, at), wanted, "{at}");
        assert_eq!(id(&mut bench, uncore(*device, *function)), None);
    }
    assert_eq!(id(&mut bench, IRP), Some(0x6f39_8086));
    bench.assert_clean();
    // The links have functions, but no registers.
    for function in [1, 2] {
        assert_eq!(bench.cfg(of_de(11, function), 0xd8), 0);
        bench.assert_clean();
        bench.set(of_de(11, function), 0xd8, EN);
        assert_eq!(bench.broken(), [(Rule::Undocumented, 0)]);
    }
    let error = bench.machine.command("preload 0 r3qpi_0 0 1");
    assert!(error.is_err(), "no such box");
}

#[test]
fn boxes() {
    let mut bench = Bench::new("platform=bdx-de,cores=6,cbox-mask=0000d7");
    assert_eq!(bench.cfg(of_de(30, 3), 0x94), 0, "no S-Boxes");
    assert_eq!(bench.cfg(of_de(30, 3), 0x98), 0xd7);
    for n in 0..4 {
        assert_eq!(bench.read_faults(0, 0x720 + 0xa * n), Some(true));
    }
    assert_eq!(bench.broken(), [(Rule::NoSuchBox, 0); 4]);
    bench.wr(0, 0x703, EN.into());
    bench.wr(0, 0xe70, 0x3_0000);
    bench.wr(0, 0xe71, EN.into());
    for (device, function) in &CHANNELS[..4] {
        bench.set(of_de(*device, *function), 0xf4, 0x3_0000);
        bench.set(of_de(*device, *function), 0xf0, EN);
    }
    bench.machine.burst(1800);
    assert_eq!(bench.rd(0, 0x704), 1800);
    assert_eq!(bench.rd(0, 0xe78), 1800, "CLOCKTICKS of C-Box 7");
    let dclk = CHANNELS.map(|(device, function)| {
        let at = of_de(device, function);
        id(&mut bench, at).map(|_| bench.cfg_counter(at, 0xd0))
    });
    let first = [Some(700), Some(700), Some(0), Some(0)];
    assert_eq!(dclk[..4], first, "two channels have no memory");
    assert_eq!(dclk[4..], [None; 4]);
    bench.assert_clean();
}

#[test]
fn missing_cboxes_without_fuses() {
    let mut bench = Bench::new("platform=bdx-de,cores=6,cbox-mask=0000d7,reading=B-21:c");
    let control = 0xe30; // Of C-Box 3.
    assert_eq!(bench.read_faults(0, control), Some(true));
    assert_eq!(bench.write_faults(0, control), Some(true));
    bench.assert_clean();
}

#[test]
fn overflow() {
    let mut bench = Bench::new("platform=bdx-de,cores=4");
    bench.wr(0, 0x700, 0b1010);
    bench.wr(0, 0x703, (EN | OV_EN).into());
    bench.wr(0, 0x704, (1 << 48) - 5);
    bench.machine.burst(100);
    let interrupts = bench.machine.take_interrupts();
    let cores: Vec<u32> = interrupts.iter().map(|pmi| pmi.cores).collect();
    assert_eq!(cores, [0b1010]);
    assert_eq!(bench.rd(0, 0x701), 1);
    bench.assert_clean();
}

#[test]
fn options() {
    let refused = |options: &str| {
        let options = format!("{DE},{options}");
        let error = Topology::parse(&options).expect_err("a mistake");
        error.to_string()
    };
    for count in ["2", "4", "8", "0"] {
        assert_eq!(
            refused(&format!("packages={count}")),
            format!("packages: '{count}' is not 1 (this platform has no more)")
        );
    }
    for option in ["part=ex", "sboxes=4", "home-agents=1", "cluster-on-die=on"] {
        let (name, _) = option.split_once('=').expect("an option");
        assert_eq!(refused(option), format!("unknown option '{name}'"));
    }
    let one = Topology::parse("platform=bdx-de,packages=1").expect("one package");
    assert_eq!(one, Topology::parse(DE).expect("the default"));
    assert_eq!(one.packages.len(), 1);
}
