// SPDX-License-Identifier: GPL-2.0

//! Effects of the readings under which the driver does not count every event exactly.
//!
//! A run under one reading holds that each row is true: an event of it must be refused, or
//! count otherwise. An event of no row must count exactly.

use uncore_e2e::prelude::{BoxKind, Probe};

/// Effect of a reading on some events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// The driver refuses them, or lacks their boxes, and says why with these words.
    Refused(&'static str),
    /// They count otherwise: the driver cannot tell, and keeps the meaning of the first
    /// reading.
    Meaning,
    /// No run counts them.
    NotTried,
}

/// Some events.
#[derive(Debug)]
enum Which {
    /// Those with one of these words in what is asked of perf.
    Named(&'static [&'static str]),
    /// Those of a condition, in words.
    Those(&'static str, fn(&Probe) -> bool),
}

/// A reading, and its effect on some events.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) reading: &'static str,
    which: Which,
    pub(super) effect: Effect,
}

const fn named(reading: &'static str, words: &'static [&'static str]) -> Row {
    Row {
        reading,
        which: Which::Named(words),
        effect: Effect::Meaning,
    }
}

const fn those(reading: &'static str, says: &'static str, has: fn(&Probe) -> bool) -> Row {
    Row {
        reading,
        which: Which::Those(says, has),
        effect: Effect::Meaning,
    }
}

const fn refused(row: Row, words: &'static str) -> Row {
    Row {
        effect: Effect::Refused(words),
        ..row
    }
}

const fn not_tried(row: Row) -> Row {
    Row {
        effect: Effect::NotTried,
        ..row
    }
}

/// Events of QPI with match and mask.
const PACKETS: &[&str] = &["cto_count", "/message."];

/// Words of a refusal of what needs bits that read 0.
const NO_BITS: &str = "has bits that the box lacks";

/// Words about a box in PCI functions whose counters cannot be trusted.
const NO_BOX: &str = "its registers do not keep what is written";

/// All rows.
pub(super) const ROWS: &[Row] = &[
    refused(
        those("U-5:b", "sets of nodes with node 15", has_node_15),
        NO_BITS,
    ),
    named("U-6:b", &["filter_state="]),
    those("U-14:b", "events without sub-events", is_whole),
    not_tried(named("U-15:b", &["counter0_occupancy"])),
    named("U-17:b", &["clockticks_general"]),
    named("U-23:b", PACKETS),
    named("U-23:c", PACKETS),
    named("U-24:b", &["match_rds"]),
    named("U-25:b", &["addr_opc_match"]),
    named("U-25:c", &["addr_opc_match"]),
    named("U-26:b", &["addr_opc_match"]),
    named("U-27:b", &["demotions"]),
    named("U-28:b", &["demotions", "freq_band"]),
    not_tried(named("U-31:b", &["core_c3_residency", "core_c6_residency"])),
    named("U-35:b", &["freq_min_perf_p_cycles"]),
    those("U-41:b", "events of the public lists", is_of_lists),
    named("U-42:b", &["power_cke_cycles", "txl_occupancy"]),
    refused(
        those("U-50:b", "boxes in PCI functions", is_in_function),
        NO_BOX,
    ),
    named("U-52:b", PACKETS),
    refused(those("U-65:c", "edges of the PCU", is_edge_of_pcu), NO_BITS),
    named("U-66:b", &["_ubox/"]),
    named("U-77:b", &["opcode"]),
];

fn has_node_15(probe: &Probe) -> bool {
    probe.setting.filter.nid & 0x8000 != 0
}

fn is_edge_of_pcu(probe: &Probe) -> bool {
    probe.kind == BoxKind::Pcu && probe.setting.edge
}

fn is_in_function(probe: &Probe) -> bool {
    probe.kind.function(probe.instance).is_some()
}

fn is_whole(probe: &Probe) -> bool {
    probe.setting.umask == 0
}

/// Tells if an event is in none of the manual's tables.
fn is_of_lists(probe: &Probe) -> bool {
    let name = probe.name().split('.').next().unwrap_or_default();
    // The UBox counts its clock on general counters, too.
    let event = name.strip_suffix("_general").unwrap_or(name);
    let is_other = event != name;
    let rows = uncore_catalogue::rows().iter().filter(|row| {
        let is_ubox = row.kind == "UBOX";
        row.event.eq_ignore_ascii_case(event)
            && row.code == probe.setting.event
            && row.has_ext(probe.setting.ext)
            && (!is_other || is_ubox)
    });
    let mut sources = rows.map(|row| row.source.as_str()).peekable();
    sources.peek().is_some() && sources.all(|source| source == "json")
}

impl Row {
    /// Tells if an event is one of the row.
    pub(super) fn has(&self, probe: &Probe) -> bool {
        match self.which {
            Which::Named(words) => {
                let event = probe.event().to_string();
                words.iter().any(|word| event.contains(word))
            }
            Which::Those(_, has) => has(probe),
        }
    }

    /// Returns the events in words, for the page.
    pub(super) fn events(&self) -> String {
        match self.which {
            Which::Named(words) => {
                let words = words
                    .iter()
                    .map(|word| word.trim_matches(['/', '.', '=', '_']));
                words.collect::<Vec<_>>().join(", ")
            }
            Which::Those(says, _) => says.to_owned(),
        }
    }
}

/// Returns the rows of a reading.
pub(super) fn of(reading: &str) -> impl Iterator<Item = &'static Row> + use<'_> {
    ROWS.iter().filter(move |row| row.reading == reading)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_the_public_lists_are_told_apart() {
        let has = |probe: &Probe| is_of_lists(probe);
        assert!(has(&Probe::ubox("clockticks_general")));
        assert!(has(&Probe::ubox("filter_match.u2c_disable")));
        assert!(!has(&Probe::ubox("clockticks")));
        assert!(!has(&Probe::cbox(0, "clockticks")));
        assert!(!has(&Probe::ha(0, "requests.reads")));
    }
}
