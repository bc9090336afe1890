// SPDX-License-Identifier: GPL-2.0

//! The model of HSX against Documentation/hardware/hsx.rst: functions, parts, and the readings of its
//! own points.

use uncore_catalogue::readings_with;

use crate::bench::{uncore, Bench, EN};
use crate::readings::cases::ONES;
use crate::readings::Case;
use crate::registers::{
    check_fixed, check_functions, check_global, check_missing, check_others, At,
};

/// Two packages of four cores.
const USUAL: &str = "platform=hsx,cores=4";

/// Enables freeze and overflow of a box.
const ENABLES: u32 = 3 << 16;

#[test]
fn functions() {
    check_functions(USUAL, "hsx", &["ex"]);
    check_functions("platform=hsx,part=ex", "hsx", &[]);
    check_functions("platform=hsx,home-agents=1", "hsx", &["ex", "ha1"]);
    let mut bench = Bench::new("platform=hsx,cores=18");
    for (device, function, id) in [
        (8, 0, 0x2f80),
        (9, 0, 0x2f90),
        (16, 5, 0x2f1e),
        (30, 3, 0x2fc0),
        (12, 0, 0x2fe0),
        (14, 1, 0x2ff1),
    ] {
        let at = uncore(device, function);
        assert_eq!(bench.cfg(at, 0), id << 16 | 0x8086, "{at}");
    }
}

#[test]
fn registers_beside_the_boxes() {
    check_global(USUAL, 0x700, [0x4003_ffff, 0x1800_0000, 0x07fc_0000], 0);
    check_global(USUAL, 0x702, [0x1f, 0, !0x1f], 18);
    check_fixed(USUAL, At::Config(uncore(9, 0), 0xd4), 0b101, 0x7);
    check_others(USUAL, &[0x6ff, 0x70b, 0x71b, 0x748, 0xf20], &[]);
    for (options, capid4) in [("", 1 << 6), (",part=ex", 2 << 6), (",sboxes=2", 0)] {
        let options = format!("{USUAL}{options}");
        check_fixed(&options, At::Config(uncore(30, 3), 0x94), capid4, u32::MAX);
    }
    check_missing("platform=hsx,sboxes=4:2", (0x726, 0xa), 4, 0b11);
    check_missing(
        "platform=hsx,cores=4,cbox-mask=f:20009",
        (0xe08, 0x10),
        18,
        0x2_0009,
    );
}

/// Lets a counter of a box with MSRs wrap, and returns a register.
fn wrapped(bench: &mut Bench, base: u32, counter: u32, register: u32) -> u64 {
    bench.wr(0, base, ENABLES.into());
    bench.wr(0, base + 1, 0);
    bench.wr(0, base + 1, EN);
    bench.wr(0, counter, ONES - 9);
    bench.machine.burst(100);
    bench.rd(0, register)
}

pub(crate) const CASES: &[Case] = &[
    Case {
        reading: "H-4:b",
        options: "platform=hsx,sboxes=2",
        act: |bench| vec![bench.read_faults(0, 0x720).unwrap_or_default().into()],
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "H-4:c",
        options: USUAL,
        act: |bench| vec![wrapped(bench, 0x720, 0x726, 0x725)],
        first: &[1],
        other: &[0],
    },
    Case {
        reading: "H-6:b",
        options: USUAL,
        act: |bench| vec![bench.cfg(uncore(30, 3), 0x98).into()],
        first: &[0xf],
        other: &[0],
    },
    Case {
        reading: "H-6:c",
        options: USUAL,
        act: |bench| vec![bench.cfg(uncore(30, 3), 0x98).into()],
        first: &[0xf],
        other: &[0xffff_ffff],
    },
];

/// Points of its own are in place of some of Broadwell's, and others are not in question.
#[test]
fn points_of_broadwell_hold_unless_there_are_others() {
    for (difference, reading) in [
        ("OneWrite", &["H-23:b"][..]),
        ("CountersIgnore", &["B-24:b", "B-24:c"]),
        ("HighHalfFaults", &["U-20:b"]),
        ("WideCoreSelect", &[]),
        ("SwappedChannels", &[]),
    ] {
        assert_eq!(readings_with(difference, "hsx"), reading, "{difference}");
    }
}
