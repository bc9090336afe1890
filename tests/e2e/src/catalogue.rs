// SPDX-License-Identifier: GPL-2.0

//! The event catalogue of the processor, such as `tests/data/ivbep/events.csv`, read for the
//! tests.
//!
//! It is the reference for the driver's names and the machine's signals: every row is one
//! event or sub-event of the manual (or of Intel's published event list). The catalogue
//! is independent of the driver's tables.
//!
//! The names a user sees follow from a row by three rules: lower case,
//! `event` or `event.subevent`, and the few exceptions in [`Row::name`].

mod kind;
mod needs;
mod oddities;
mod row;
mod umasks;

use crate::platform::Processor;
use std::collections::BTreeMap;
use std::sync::OnceLock;

pub(crate) use kind::Facts;
pub use kind::{packet_functions, BoxKind};
pub use needs::{Needs, Preset};
pub(crate) use oddities::{Oddities, Pair};
pub use row::Row;
pub use umasks::may_combine;
pub(crate) use umasks::{Combine, Umasks};

/// Event select of the fixed counters; no row of the catalogue has it.
pub const FIXED_EVENT: u8 = 0xff;

/// Facts that all rows of one event select have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventFacts {
    /// Every umask bit that some row has, qualifiers included.
    pub umask_bits: u8,
    /// Some row has an umask of 0.
    pub plain: bool,
    /// Largest increment in a cycle, at least 1, at most 255.
    pub max_inc: u32,
    /// Largest increment as its rows have it; none if no row has one.
    pub stated_max: Option<u32>,
    /// Only the public lists have the event.
    pub of_lists: bool,
    /// Counts clocks.
    pub clock: bool,
    /// Counters that can count it, bit k for counter k.
    pub counters: u8,
    /// Counters that the driver uses for it, see [`Row::placement`].
    pub placement: u8,
    /// Fields of MATCH that it looks at, see [`Needs::compared`].
    pub compared: u64,
}

/// Box type, extended select, event select.
type Key = (BoxKind, bool, u8);

/// All rows.
#[derive(Debug)]
pub struct Catalogue {
    rows: Vec<Row>,
    facts: BTreeMap<Key, EventFacts>,
}

impl Catalogue {
    /// The catalogue of the processor, read once.
    pub fn get() -> &'static Self {
        static CATALOGUES: [OnceLock<Catalogue>; Processor::ALL.len()] =
            [const { OnceLock::new() }; Processor::ALL.len()];
        let processor = Processor::current();
        CATALOGUES[processor as usize].get_or_init(|| {
            let description = processor.description();
            let rows = (description.rows)(uncore_catalogue::rows_of(processor.name()));
            let rows: Result<Vec<Row>, String> = rows.iter().map(Row::of).collect();
            let rows = rows.unwrap_or_else(|error| panic!("events of {processor:?}: {error}"));
            let oddities = &description.oddities;
            let rows = [oddities.paired(&rows), oddities.packets(&rows)].concat();
            let facts = facts(&rows);
            Self { rows, facts }
        })
    }

    /// Every row, in the file's order.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The rows of one box type.
    pub fn of(&self, kind: BoxKind) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.kind == kind)
    }

    /// Returns the facts of an event select, `None` if the catalogue has no such event.
    pub fn facts(&self, kind: BoxKind, ext: bool, code: u8) -> Option<&EventFacts> {
        self.facts.get(&(kind, ext, code))
    }

    /// Returns the largest increment of the events of a box that a manual has.
    pub fn largest(&self, kind: BoxKind) -> u32 {
        let of_kind = self.facts.iter().filter(|((of, ..), _)| *of == kind);
        let known = of_kind.filter(|(_, facts)| !facts.of_lists);
        known.map(|(_, facts)| facts.max_inc).max().unwrap_or(1)
    }

    /// Returns true if a row has this name.
    pub fn has(&self, kind: BoxKind, name: &str) -> bool {
        self.of(kind).any(|row| row.name().as_deref() == Some(name))
    }

    /// Returns the row that a user names `name`. Panics if there is none: then the
    /// calling test is wrong.
    pub fn named(&self, kind: BoxKind, name: &str) -> &Row {
        self.of(kind)
            .find(|row| row.name().as_deref() == Some(name))
            .unwrap_or_else(|| panic!("the catalogue has no {kind} event `{name}`"))
    }
}

/// Returns the names of public lists for events of the manual: the type, that name, the
/// manual's.
pub fn second_names() -> &'static [(BoxKind, &'static str, &'static str)] {
    Processor::current().description().oddities.second_names
}

/// Returns true if the umask of an event is a number, not a mask.
pub fn is_numbered(kind: BoxKind, code: u8) -> bool {
    let mut numbered = Processor::current().description().oddities.numbered.iter();
    numbered.any(|(of, codes)| *of == kind && codes.contains(&code))
}

/// Collects the facts of each event select. Rows whose extended select is unknown are
/// left out.
fn facts(rows: &[Row]) -> BTreeMap<Key, EventFacts> {
    let mut facts = BTreeMap::new();
    for row in rows {
        let Some(ext) = row.ext else { continue };
        let entry = facts
            .entry((row.kind, ext, row.code))
            .or_insert(EventFacts {
                umask_bits: 0,
                plain: false,
                max_inc: 1,
                stated_max: None,
                of_lists: true,
                clock: row.is_clock(),
                counters: row.counters,
                placement: row.placement(),
                compared: row.needs.compared,
            });
        entry.umask_bits |= row.umask;
        entry.plain |= row.umask == 0;
        entry.max_inc = entry.max_inc.max(row.max_inc.unwrap_or(1).min(255));
        entry.stated_max = entry.stated_max.max(row.max_inc);
        entry.of_lists &= row.of_lists;
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::Platform;
    use std::collections::BTreeSet;

    #[test]
    fn rows_of_each_type_are_those_the_specification_counts() {
        let counts = || {
            let count = |kind| Catalogue::get().of(kind).count();
            BoxKind::all().map(count).collect::<Vec<_>>()
        };
        let ivbep = Platform::Ivbep.on(counts);
        // The IRP has 4 pairs in place of one row.
        assert_eq!(ivbep, [21, 157, 199, 198, 38 + 3, 74, 201, 61, 129]);
        assert_eq!(ivbep.iter().sum::<usize>(), 1078 + 3);
        let bdx = Platform::Bdx.on(counts);
        // The IRP has 12 pairs in place of 7 rows, and 6 in place of one; 18 packets have
        // names.
        assert_eq!(bdx, [15, 185, 88, 230, 327, 56 + 10, 70, 151 + 18, 62, 152]);
        assert_eq!(bdx.iter().sum::<usize>(), 1336 + 10 + 18);
        // Neither S-Boxes nor QPI and R3QPI.
        assert_eq!(Processor::BdxDe.on(counts), [15, 185, 230, 327, 66, 70, 62]);
    }

    fn nameless() -> Vec<&'static str> {
        let rows = Catalogue::get().rows().iter();
        let nameless = rows.filter(|row| row.name().is_none());
        nameless.map(|row| &*row.event).collect()
    }

    #[test]
    fn only_few_rows_have_no_name() {
        assert_eq!(
            Platform::Ivbep.on(nameless),
            [
                "FILTER_MATCH",
                "FILTER_MATCH",
                "PKG_C_STATE_RESIDENCY_C0_CYCLES",
                "PKG_C_STATE_RESIDENCY_C2_CYCLES",
                "PKG_C_STATE_RESIDENCY_C3_CYCLES",
                "PKG_C_STATE_RESIDENCY_C6_CYCLES",
                "MESSAGE",
            ]
        );
        assert_eq!(Platform::Bdx.on(nameless), ["CONFLICT_CYCLES"]);
    }

    #[test]
    fn names_are_unique_and_lower_case() {
        let unique = |kind| {
            let names: Vec<String> = Catalogue::get().of(kind).filter_map(Row::name).collect();
            let unique: BTreeSet<&String> = names.iter().collect();
            assert_eq!(names.len(), unique.len(), "{kind}");
            assert!(names.iter().all(|name| *name == name.to_lowercase()));
        };
        for processor in Processor::ALL {
            processor.on(|| BoxKind::all().for_each(unique));
        }
    }

    #[test]
    fn counters_of_an_event_are_the_same_in_all_its_rows() {
        let check = || {
            let catalogue = Catalogue::get();
            for row in catalogue.rows() {
                let Some(ext) = row.ext else { continue };
                let facts = catalogue.facts(row.kind, ext, row.code).expect("facts");
                assert_eq!(facts.counters, row.counters, "{row:?}");
                assert_eq!(facts.placement, row.placement(), "{row:?}");
            }
        };
        for processor in Processor::ALL {
            processor.on(check);
        }
    }
}
