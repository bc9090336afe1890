// SPDX-License-Identifier: GPL-2.0

//! Requests that no uncore PMU supports, made to each of them; and requests with an error
//! of their own.

use super::{good, rows, Refusal};
use crate::catalogue::{BoxKind, Needs};
use crate::platform::Platform;

pub(super) fn refusals() -> Vec<Refusal> {
    let special: [&[Special]; 2] = match Platform::current() {
        Platform::Ivbep => [XEON, IVBEP],
        Platform::Bdx => [XEON, BDX],
        Platform::Snb => [SNB, &[]],
        Platform::Nhmex => [NHMEX, &[]],
    };
    let special = special.into_iter().flatten();
    let special = special.map(|(unit, request, reason)| Refusal::bad(unit, request, reason));
    let impossible = BoxKind::all().flat_map(impossible);
    impossible.chain(special).collect()
}

fn impossible(kind: BoxKind) -> Vec<Refusal> {
    let row = rows().find(|row| row.kind == kind && row.needs == Needs::default());
    let request = good(row.expect("an event without needs"));
    let unit = kind.box_name(0);
    let excluded = ["user", "kernel", "hv", "idle", "host", "guest"];
    let mut refusals: Vec<Refusal> = excluded
        .iter()
        .map(|mode| {
            let flag = format!("exclude_{mode}");
            Refusal::bad(&unit, format!("{request} {flag}"), &[&flag])
        })
        .collect();
    for task in ["pid=0 cpu=-1", "pid=0 cpu=0"] {
        let request = format!("{request} {task}");
        refusals.push(Refusal::bad(&unit, request, &["task"]));
    }
    let branches = "sample_type=0x800 branch=0x8";
    for sample in ["period=100000", "period=100 freq", branches] {
        let request = format!("{request} {sample}");
        refusals.push(Refusal::unsupported(&unit, &request, &["sampl"]));
    }
    refusals
}

/// A PMU, a request, words of the reason.
type Special = (&'static str, &'static str, &'static [&'static str]);

const XEON: &[Special] = &[
    // The fixed counters count one thing, and the C-Box has none.
    ("imc_0", "config=0x1ff", &["fixed"]),
    ("imc_0", "config=0x10000ff", &["fixed"]),
    ("ubox", "config=0x10400ff", &["fixed"]),
    ("cbox_0", "config=0xff", &["0xff"]),
    // LLC_LOOKUP needs bit 0; the TOR takes the listed combinations only.
    ("cbox_0", "config=0x234", &["umask", "0x02"]),
    ("cbox_0", "config=0x235", &["umask", "0x02"]),
    (
        "cbox_0",
        "config=0xa136 config1=0x1820000000000000",
        &["umask", "0xa1"],
    ),
    // Missing filters, and filters that nothing can match.
    ("pcu", "config=0xb", &["filter_band0"]),
    ("pcu", "config=0xc config1=0xff", &["filter_band0"]),
    ("pcu", "config=0xe", &["filter_band3"]),
    ("cbox_0", "config=0x4134", &["filter_nid"]),
    ("cbox_0", "config=0x4037", &["filter_nid"]),
    ("cbox_0", "config=0x135", &["filter_opc"]),
    (
        "cbox_0",
        "config=0x4135 config1=0x1820000000000000",
        &["filter_nid"],
    ),
    (
        "cbox_0",
        "config=0x4135 config1=0x100000000",
        &["filter_opc"],
    ),
    (
        "cbox_0",
        "config=0x135 config1=0x0820000000000000",
        &["filter_opc", "0x82"],
    ),
    // A match without a mask, or with a mask of only some of its bits.
    (
        "qpi_0",
        "config=0x200038 config1=0x1c00",
        &["mask", "0x1c00"],
    ),
    (
        "qpi_0",
        "config=0x200038 config1=0xf000000001c00 config2=0xc000000001e00",
        &["mask", "0x3000000000000"],
    ),
    // The event shows counter 0, on which nothing counts an occupancy.
    ("cbox_0", "config=0x1f", &["occupancy"]),
];

const IVBEP: &[Special] = &[
    // These events need a register that no public document describes.
    ("ubox", "config=0x141", &["filter"]),
    ("ubox", "config=0x441", &["filter"]),
    ("ubox", "config=0x341", &["filter"]),
    ("pcu", "config=0x1e", &["filter_band0"]),
    ("pcu", "config=0x46", &["filter_band0"]),
    // ORDERINGQ needs a transaction.
    ("irp", "config=0x815", &["umask", "0x08"]),
];

const BDX: &[Special] = &[
    // POWER_CKE_CYCLES takes an edge or an inversion, not both (B-20).
    ("imc_0", "config=0x18c0183", &["edge or inv"]),
    ("imc_0", "config=0x8000ff", &["fixed"]),
    ("sbox_0", "config=0xff", &["0xff"]),
    // It adds nothing, as printed.
    ("ha_0", "config=0xb", &["event", "0x0b"]),
    // Retries of one node.
    ("cbox_0", "config=0x4028", &["filter_nid"]),
    ("cbox_0", "config=0x4029", &["filter_nid"]),
    ("cbox_0", "config=0x402a", &["filter_nid"]),
    ("cbox_0", "config=0x4032", &["filter_nid"]),
    ("cbox_0", "config=0xc033", &["filter_nid"]),
    // IRQ_REJ goes with no other queue.
    ("cbox_0", "config=0x311", &["umask", "0x03"]),
    ("cbox_0", "config=0x613", &["umask", "0x06"]),
    // SNOOP_RESP needs a result and a snoop, ORDERINGQ a transaction.
    ("irp", "config=0x817", &["umask", "0x20, 0x40 as well"]),
    ("irp", "config=0x4017", &["umask", "0x4, 0x8 as well"]),
    ("irp", "config=0x4016", &["umask", "0x40"]),
    // Groups of MISC0 and of MISC1.
    ("irp", "config=0x514", &["umask", "0x05"]),
    ("irp", "config=0x2114", &["umask", "0x21"]),
    ("irp", "config=0x8414", &["umask", "0x84"]),
    ("irp", "config=0x2115", &["umask", "0x21"]),
    ("irp", "config=0x9015", &["umask", "0x90"]),
    // One egress queue at a time.
    ("r2pcie", "config=0x323", &["umask", "0x03"]),
];

const SNB: &[Special] = &[
    ("arb", "config=0x1ff", &["fixed"]),
    ("arb", "config=0x10000ff", &["fixed"]),
    ("arb", "config=0x8400ff", &["fixed"]),
    // The clock is the ARB's.
    ("cbox_0", "config=0xff", &["clockticks", "event of arb"]),
    // A state and a request, a response and an origin.
    ("cbox_0", "config=0x1034", &["umask", "0x10"]),
    ("cbox_0", "config=0x134", &["umask", "0x01"]),
    ("cbox_0", "config=0x8034", &["umask", "0x80"]),
    ("cbox_0", "config=0xf034", &["umask", "0xf0"]),
    ("cbox_0", "config=0xf34", &["umask", "0x0f"]),
    ("cbox_0", "config=0x2022", &["umask", "0x20"]),
    ("cbox_0", "config=0x1f22", &["umask", "0x1f"]),
    // Sub-events of the ARB are no bits of a mask.
    ("arb", "config=0x2181", &["umask", "0x21"]),
    ("arb", "config=0xa081", &["umask", "0xa0"]),
    // No bit forwards an overflow, and none enables the counter by itself.
    ("arb", "config=0x100181", &["0x100000"]),
    ("cbox_0", "config=0x401134", &["0x400000"]),
];

const NHMEX: &[Special] = &[
    ("wbox", "config=0x1ff", &["fixed"]),
    ("wbox", "config=0x10000ff", &["fixed"]),
    ("wbox", "config=0x8400ff", &["fixed"]),
    // The clock is the W-Box'.
    ("cbox_0", "config=0xff", &["0xff"]),
    ("sbox_0", "config=0xff", &["0xff"]),
    // Codes with bit 8 are others than without.
    ("ubox", "config=0xdf", &["event"]),
    ("ubox", "config=0x150", &["event"]),
    // Two queues are not full at once.
    ("sbox_0", "config=0x30e", &["umask", "0x03"]),
    // No bit forwards an overflow, and none enables the counter by itself.
    ("cbox_0", "config=0x100f15", &["0x100000"]),
    ("cbox_0", "config=0x400f15", &["0x400000"]),
    // An event is of one field, and of those that the manual has.
    ("mbox_0", "config=0x80000", &["event"]),
    ("mbox_0", "config=0x280", &["event"]),
    ("mbox_0", "config=0x80200", &["event"]),
    // No state of a queue is chosen.
    ("mbox_0", "config=0x0", &["dsp"]),
    ("mbox_0", "config=0x80", &["dsp"]),
    // An address without the match.
    ("mbox_0", "config=0x1400 config2=0x1", &["filter_cfg_en"]),
    (
        "mbox_0",
        "config=0x1600 config2=0x400000000",
        &["filter_cfg_en"],
    ),
    // It would clear the entries of a queue.
    ("sbox_0", "config=0x20331", &["0x20000"]),
];
