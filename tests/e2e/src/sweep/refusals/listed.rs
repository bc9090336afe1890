// SPDX-License-Identifier: GPL-2.0

//! Requests that no uncore PMU supports, made to each of them; and requests with an error
//! of their own.

use super::{good, rows, Refusal};
use crate::catalogue::{BoxKind, Needs};
use crate::platform::Processor;

pub(super) fn refusals() -> Vec<Refusal> {
    let own = Processor::current().description().refused;
    let special = own.iter().copied().flatten();
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
pub(crate) type Refused = (&'static str, &'static str, &'static [&'static str]);

/// Those of Xeon E5 whose C-Boxes have two filters.
pub(crate) const TWO_FILTERS: &[Refused] = &[
    (
        "cbox_0",
        "config=0xa136 config1=0x1820000000000000",
        &["umask", "0xa1"],
    ),
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
        &["filter_opc", "0x180"],
    ),
];

/// Those of all Xeon E5.
pub(crate) const XEON: &[Refused] = &[
    // The fixed counters count one thing, and the C-Box has none.
    ("imc_0", "config=0x1ff", &["fixed"]),
    ("imc_0", "config=0x10000ff", &["fixed"]),
    ("ubox", "config=0x10400ff", &["fixed"]),
    ("cbox_0", "config=0xff", &["0xff"]),
    // LLC_LOOKUP needs bit 0; the TOR takes the listed combinations only.
    ("cbox_0", "config=0x234", &["umask", "0x02"]),
    ("cbox_0", "config=0x235", &["umask", "0x02"]),
    // Missing filters, and filters that nothing can match.
    ("pcu", "config=0xb", &["filter_band0"]),
    ("pcu", "config=0xc config1=0xff", &["filter_band0"]),
    ("pcu", "config=0xe", &["filter_band3"]),
    ("cbox_0", "config=0x4134", &["filter_nid"]),
    ("cbox_0", "config=0x4037", &["filter_nid"]),
    ("cbox_0", "config=0x135", &["filter_opc"]),
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
