// SPDX-License-Identifier: GPL-2.0

//! The match registers of the S-Box (nhmex 1, 12): shares of the packets, and the fault.

use uncore_machine::Rule;

use super::{control, nehalem, CONTROL, EN, EN_ALL, NEHALEM, SBOXES};
use crate::bench::Bench;

const MM_CFG: [u32; 2] = [0xe48, 0xe58];
const MM_EN: u64 = 1 << 63;

/// All address bits and the node ignored.
const OPEN: u64 = (1 << 39) - 1;

/// Counts TO_R_PROG_EV in both S-Boxes with these registers.
fn counted(options: &str, value: u64, mask: u64, enable: u64) -> u64 {
    let mut bench = Bench::new(options);
    for (base, mm_cfg) in SBOXES.into_iter().zip(MM_CFG) {
        bench.wr(0, mm_cfg, 0);
        bench.wr(0, mm_cfg + 1, value);
        bench.wr(0, mm_cfg + 2, mask);
        bench.wr(0, mm_cfg, enable);
        bench.wr(0, control(base, 2), EN);
        bench.wr(0, base, 1 << 2);
    }
    bench.wr(0, CONTROL, EN_ALL);
    bench.machine.burst(100_000_000);
    bench.assert_clean();
    let counters = SBOXES.map(|base| bench.rd(0, control(base, 2) + 1));
    if value == 0 && counters[0] > 0 {
        assert_ne!(counters[0], counters[1], "each has traffic of its own");
    }
    counters[0]
}

/// Tells if a part is this share of the whole, to a thousandth of the whole.
fn is_share(part: u64, whole: u64, (numerator, denominator): (u64, u64)) -> bool {
    part.abs_diff(whole * numerator / denominator) * 1000 <= whole
}

/// Name, MATCH, MASK, share.
type Line = (&'static str, u64, u64, (u64, u64));

const LINES: [Line; 14] = [
    ("response 0", 1 << 59, OPEN, (1, 17)),
    ("response 4", 1 << 63, OPEN, (7, 17)),
    ("response 1 or 2", 6 << 59, OPEN, (5, 17)),
    ("opcode 0", 1 << 48, OPEN, (1, 67)),
    ("opcode 10", 1 << 58, OPEN, (12, 67)),
    ("class 0", 1 << 43, OPEN, (1, 16)),
    ("class 4", 1 << 47, OPEN, (6, 16)),
    (
        "class 3, response 4",
        1 << 46 | 1 << 63,
        OPEN,
        (4 * 7, 16 * 17),
    ),
    ("node 0", 0, OPEN & !1, (1, 11)),
    ("node 31", 31, OPEN & !1, (5, 11)),
    ("node 2", 2, OPEN & !1, (0, 11)),
    ("line 0x40", 1 << 5, 1, (1, 37)),
    (
        "line 0x3fffffffffc0",
        (0x0fff_ffff_ffc0 >> 6) << 5,
        1,
        (9, 37),
    ),
    (
        "bit 6 of the address",
        1 << 5,
        OPEN & !2,
        (1 + 3 + 5 + 9, 37),
    ),
];

#[test]
fn each_field_lets_its_share_through() {
    let whole = counted(NEHALEM, 0, OPEN, MM_EN);
    assert!(whole > 1_000_000);
    for (name, value, mask, share) in LINES {
        let part = counted(NEHALEM, value, mask, MM_EN);
        assert!(is_share(part, whole, share), "{name}: {part} of {whole}");
    }
}

/// By the other reading a field of 0 is a value that no packet has.
#[test]
fn whole_fields() {
    let options = format!("{NEHALEM},reading=X-1:b");
    assert_eq!(counted(&options, 0, OPEN, MM_EN), 0);
    let whole = counted(NEHALEM, 0, OPEN, MM_EN);
    let one = 1 << 63 | 1 << 58 | 1 << 47;
    let part = counted(&options, one, OPEN, MM_EN);
    assert!(is_share(part, whole, (7 * 12 * 6, 17 * 67 * 16)), "{part}");
    assert_eq!(counted(NEHALEM, one, OPEN, MM_EN), part);
    assert_eq!(counted(&options, one | 1 << 43, OPEN, MM_EN), 0);
}

#[test]
fn nothing_matches_while_it_is_off() {
    assert_eq!(counted(NEHALEM, 0, OPEN, 0), 0);
}

#[test]
fn a_write_while_it_is_on_faults() {
    let mut bench = nehalem();
    for mm_cfg in MM_CFG {
        bench.wr(0, mm_cfg, MM_EN);
        for register in [mm_cfg + 1, mm_cfg + 2] {
            assert!(bench.write_of_faults(0, register, 5));
            assert_eq!(bench.broken(), [(Rule::Guarded, 0)]);
            assert_eq!(bench.rd(0, register), 0);
        }
        bench.wr(0, mm_cfg, 0);
        bench.wr(0, mm_cfg + 1, 5);
        assert_eq!(bench.rd(0, mm_cfg + 1), 5);
    }
    bench.assert_clean();
}
