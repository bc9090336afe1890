// SPDX-License-Identifier: GPL-2.0

//! The global registers, statuses, C-Boxes of other cores; the options.

use uncore_machine::{Rule, Topology};

use super::{control, nehalem, CBOXES, CLEAR, CONTROL, NEHALEM, SBOXES, STATUS, WBOX, WESTMERE};
use crate::bench::Bench;
use crate::registers::{check_on, stored, At, Bits};

/// First address of each box and its counters.
fn boxes() -> Vec<(u32, u32)> {
    let cboxes = CBOXES[..8].iter().map(|base| (*base, 6));
    let sboxes = SBOXES.iter().map(|base| (*base, 4));
    cboxes.chain(sboxes).chain([(WBOX, 4)]).collect()
}

/// Bits 62:61 must be 0.
#[test]
fn upper_half_of_a_control() {
    let mut bench = nehalem();
    bench.wr(0, control(CBOXES[0], 0), 1 << 62);
    assert_eq!(bench.broken(), [(Rule::HighHalf, 1 << 62)]);
}

#[test]
fn statuses() {
    for (base, counters) in boxes() {
        let fixed = if base == WBOX { 1 << 31 } else { 0 };
        let all: u64 = ((1 << counters) - 1) | fixed;
        let mut bench = nehalem();
        bench.command(&format!("poke-msr 0 {} 0xffffffff", base + 1));
        assert_eq!(bench.rd(0, base + 1), all);
        bench.wr(0, base + 1, 0);
        assert_eq!(bench.broken(), [(Rule::ReadOnly, all)]);
        bench.wr(0, base + 2, 0b100);
        assert_eq!(bench.rd(0, base + 1), all & !0b100);
        bench.wr(0, base + 2, all);
        assert_eq!(bench.rd(0, base + 1), 0);
        bench.assert_clean();
    }
}

#[test]
fn global_registers() {
    const BITS: u32 = 0xb000_001f;
    let bits = Bits {
        reserved: !BITS,
        ..stored(BITS, 0)
    };
    check_on(NEHALEM, At::Msr(CONTROL), bits);
    let mut bench = nehalem();
    for bit in 0..4 {
        bench.command(&format!("poke-msr 0 {STATUS} 0xff"));
        assert_eq!(bench.rd(0, STATUS), 0xf);
        bench.wr(0, CLEAR, 1 << bit);
        assert_eq!(bench.rd(0, STATUS), 0xf & !(1 << bit));
    }
    bench.assert_clean();
}

/// C-Boxes of other cores are not there; C-Boxes 8 and 9 are on Westmere-EX only.
#[test]
fn c_boxes() {
    for (options, there) in [
        ("platform=nhmex,cores=3", 3),
        (NEHALEM, 8),
        ("platform=wsmex,cores=9", 9),
        (WESTMERE, 10),
    ] {
        let mut bench = Bench::new(options);
        for (n, base) in CBOXES.into_iter().enumerate() {
            assert_eq!(
                bench.read_faults(0, base),
                Some(n >= there),
                "{options} {n}"
            );
        }
    }
    let mut bench = nehalem();
    bench.read_faults(0, CBOXES[8]);
    assert_eq!(bench.broken(), [(Rule::Undocumented, 0)]);
    bench.read_faults(0, 0xc03);
    assert_eq!(bench.broken(), [(Rule::Undocumented, 0)]);
    assert_eq!(bench.read_faults(0, 0x391), None);
    let mut bench = Bench::new("platform=nhmex,cores=3");
    bench.write_faults(0, CBOXES[3]);
    assert_eq!(bench.broken(), [(Rule::NoSuchBox, 0)]);
}

#[test]
fn options() {
    for packages in [1, 2, 4, 8] {
        let options = format!("platform=wsmex,packages={packages},cores=10");
        let topology = Topology::parse(&options).expect("right options");
        assert_eq!(topology.packages.len(), packages);
        let mut bench = Bench::new(&options);
        bench.wr((packages - 1) as u8, CBOXES[9], 1);
        bench.assert_clean();
    }
    let refused = |option: &str| {
        let error = Topology::parse(&format!("platform=nhmex,{option}"));
        error.expect_err("a mistake").to_string()
    };
    for name in ["part", "dimms", "nodes", "home-agents"] {
        let option = format!("{name}=1");
        assert_eq!(refused(&option), format!("unknown option '{name}'"));
    }
    assert_eq!(refused("cores=9"), "cores: '9' is not a number from 1 to 8");
}
