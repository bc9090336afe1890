// SPDX-License-Identifier: GPL-2.0

//! Events of the run: on each box as many as it has counters.

use super::{Row, STEP};
use uncore_e2e::prelude::*;

/// Uncore clocks of a step, at 3 GHz.
pub(super) const STEP_UCLK: u64 = STEP * 60 * 3_000_000_000;
/// Width of the fixed counters in bits.
const FIXED_WIDTH: u32 = 48;
/// CPUs of each package.
const CPUS: u16 = 2;
/// Step that prints the kernel's memory.
pub(super) const MEMORY: &str =
    "run grep -E \"^(Slab|Percpu|VmallocUsed|KernelStack):\" /proc/meminfo";

/// An event in one package.
struct Counting {
    name: String,
    probe: Probe,
    package: u8,
}

/// All events that count at the same time.
pub(super) struct Load(Vec<Counting>);

/// Returns events for all counters of a box; for the IRP, for those of each set.
fn events(kind: BoxKind) -> &'static [&'static str] {
    match kind {
        BoxKind::Arb => &["trk_occupancy.all", "trk_requests.all", "clockticks"],
        BoxKind::Ubox => &["clockticks", "clockticks_general", "lock_cycles"],
        BoxKind::Cbox => &[
            "tor_occupancy.all",
            "llc_lookup.any",
            "clockticks",
            "clockticks",
        ],
        BoxKind::Sbox => &["clockticks"; 4],
        BoxKind::Rbox => &["port0_flits_sent"; 8],
        BoxKind::Bbox => &["tf_all", "imt_inserts_rd", "imt_ne_cycles", "imt_full"],
        BoxKind::Wbox => &["c_cycles_turbo.all", "clockticks"],
        BoxKind::Mbox => &["cycles"; 6],
        BoxKind::Ha => &[
            "clockticks",
            "clockticks",
            "requests.reads",
            "bt_occupancy.local",
        ],
        BoxKind::Imc => &[
            "clockticks",
            "dclockticks",
            "dclockticks",
            "cas_count.rd",
            "act_count.rd",
        ],
        BoxKind::Irp => &["clockticks", "cache_total_occupancy.any"],
        BoxKind::Pcu => &[
            "clockticks",
            "clockticks",
            "core0_transition_cycles",
            "vr_hot_cycles",
        ],
        BoxKind::Qpi => &[
            "clockticks",
            "clockticks",
            "rxl_occupancy",
            "txl_flits_g1.drs",
        ],
        BoxKind::R2pcie => &[
            "rxr_occupancy.drs",
            "clockticks",
            "clockticks",
            "clockticks",
        ],
        BoxKind::R3qpi => &["rxr_occupancy.drs", "clockticks", "clockticks"],
    }
}

impl Load {
    /// Creates events for every counter of the default machine.
    pub(super) fn full() -> Self {
        let shape = Shape::of(&Config::default());
        let mut all = Vec::new();
        for package in shape.packages() {
            for kind in BoxKind::all() {
                for instance in 0..shape.boxes(kind, package) {
                    for name in events(kind) {
                        all.push(Counting {
                            name: format!("event{}", all.len()),
                            probe: Probe::new(kind, instance, name),
                            package,
                        });
                    }
                }
            }
        }
        Self(all)
    }

    pub(super) fn opens(&self) -> Vec<String> {
        let open = |one: &Counting| one.probe.open(&one.name, u16::from(one.package) * CPUS);
        self.0.iter().map(open).collect()
    }

    pub(super) fn reads(&self) -> Vec<String> {
        let read = |one: &Counting| format!("read {}", one.name);
        self.0.iter().map(read).collect()
    }

    /// Returns a step that reads one event in each package.
    pub(super) fn one_of_each_package(&self) -> String {
        let mut reads: Vec<String> = Vec::new();
        for package in Shape::of(&Config::default()).packages() {
            let here = self.0.iter().find(|one| one.package == package);
            reads.extend(here.map(|one| format!("read {}", one.name)));
        }
        reads.join("; ")
    }

    /// Returns the results in the answers of `perf-open`, by type of box.
    pub(super) fn rows(&self, answers: &[String], steps: u64) -> Vec<Row> {
        let of_kind = |kind: BoxKind| {
            let all = self.0.iter().filter(move |one| one.probe.kind == kind);
            let mut row = Row {
                unit: kind.unit(),
                events: 0,
                expected: 0,
                wrong: 0,
                wraps: 0,
            };
            for one in all {
                let each = one.probe.count(one.package, STEP_UCLK);
                let expected = u128::from(each) * u128::from(steps);
                row.events += 1;
                row.expected += expected;
                row.wrong += expected.abs_diff(one.value(answers).into());
                row.wraps += expected >> one.width();
            }
            row
        };
        BoxKind::all().map(of_kind).collect()
    }
}

impl Counting {
    /// Returns the width of the event's counter in bits.
    fn width(&self) -> u32 {
        let is_fixed = self.probe.kind.has_fixed() && self.probe.name() == "clockticks";
        if is_fixed {
            FIXED_WIDTH
        } else {
            self.probe.kind.width()
        }
    }

    /// Returns the last count of the event.
    fn value(&self, answers: &[String]) -> u64 {
        let last = reads(answers, &self.name).pop().flatten();
        last.unwrap_or_else(|| panic!("{} has no value: {answers:?}", self.name))
    }
}

/// Returns the kernel's memory in KiB at each reading.
pub(super) fn memory(answers: &[String]) -> Vec<u64> {
    let kib = |answer: &String| {
        let (name, rest) = answer.split_once(':')?;
        let value: u64 = rest.trim().strip_suffix(" kB")?.parse().ok()?;
        Some((name == "Slab", value))
    };
    let mut looks: Vec<u64> = Vec::new();
    for (is_first, value) in answers.iter().filter_map(kib) {
        match looks.last_mut() {
            Some(last) if !is_first => *last += value,
            _ => looks.push(value),
        }
    }
    looks
}
