// SPDX-License-Identifier: GPL-2.0

//! The event catalogue `tests/data/ivbep-events.csv`, read for the tests.
//!
//! It is the reference for the driver's names and the machine's signals: every row is one
//! event or sub-event of the manual (or of Intel's published event list). The catalogue
//! is independent of the driver's tables.
//!
//! The names a user sees follow from a row by three rules: lower case,
//! `event` or `event.subevent`, and the few exceptions in [`Row::name`].

mod kind;
mod needs;
mod packet;
mod row;

use std::collections::BTreeMap;
use std::sync::OnceLock;

pub use kind::{BoxKind, QPI_FILTER_FUNCTIONS};
pub use needs::Needs;
pub use packet::PacketMatch;
pub use row::Row;

/// Event select of the fixed counters; no row of the catalogue has it.
pub const FIXED_EVENT: u8 = 0xff;

/// Facts that all rows of one event select have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventFacts {
    /// Every umask bit that some row has, qualifiers included.
    pub umask_bits: u8,
    /// Some row has an umask of 0.
    pub plain: bool,
    /// Umask bits of rows that need an undocumented register.
    pub dead_bits: u8,
    /// Largest increment in a cycle, at least 1, at most 255.
    pub max_inc: u32,
    /// Counts clocks.
    pub clock: bool,
    /// Counters that can count it, bit k for counter k.
    pub counters: u8,
    /// Counters that the driver uses for it, see [`Row::placement`].
    pub placement: u8,
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
    /// The project's own catalogue, read once.
    pub fn get() -> &'static Self {
        static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
        CATALOGUE.get_or_init(|| {
            let rows = uncore_catalogue::rows().iter().map(Row::of);
            let rows: Result<Vec<Row>, String> = rows.collect();
            let rows = rows.unwrap_or_else(|error| panic!("ivbep-events.csv: {error}"));
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

    /// Returns the row that a user names `name`. Panics if there is none: then the
    /// calling test is wrong.
    pub fn named(&self, kind: BoxKind, name: &str) -> &Row {
        self.of(kind)
            .find(|row| row.name().as_deref() == Some(name))
            .unwrap_or_else(|| panic!("the catalogue has no {kind} event `{name}`"))
    }
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
                dead_bits: 0,
                max_inc: 1,
                clock: row.is_clock(),
                counters: row.counters,
                placement: row.placement(),
            });
        entry.umask_bits |= row.umask;
        entry.plain |= row.umask == 0;
        entry.dead_bits |= if row.needs.undocumented { row.umask } else { 0 };
        entry.max_inc = entry.max_inc.max(row.max_inc.unwrap_or(1).min(255));
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn rows_of_each_type_are_those_the_specification_counts() {
        let count = |kind| Catalogue::get().of(kind).count();
        let counts = BoxKind::ALL.map(count);
        assert_eq!(counts, [21, 157, 199, 198, 38, 74, 201, 61, 129]);
        assert_eq!(Catalogue::get().rows().len(), 1078);
    }

    #[test]
    fn only_seven_rows_have_no_name() {
        let rows = Catalogue::get().rows().iter();
        let nameless = rows.filter(|row| row.name().is_none());
        let nameless: Vec<&str> = nameless.map(|row| &*row.event).collect();
        assert_eq!(
            nameless,
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
    }

    #[test]
    fn names_are_unique_and_lower_case() {
        for kind in BoxKind::ALL {
            let names: Vec<String> = Catalogue::get().of(kind).filter_map(Row::name).collect();
            let unique: BTreeSet<&String> = names.iter().collect();
            assert_eq!(names.len(), unique.len(), "{kind}");
            assert!(names.iter().all(|name| *name == name.to_lowercase()));
        }
    }

    #[test]
    fn only_pcu_and_qpi_have_an_extended_select() {
        for row in Catalogue::get().rows() {
            let may = matches!(row.kind, BoxKind::Pcu | BoxKind::Qpi);
            assert!(may || row.ext == Some(false), "{row:?}");
        }
    }

    #[test]
    fn counters_of_an_event_are_the_same_in_all_its_rows() {
        let catalogue = Catalogue::get();
        for row in catalogue.rows() {
            let Some(ext) = row.ext else { continue };
            let facts = catalogue.facts(row.kind, ext, row.code).expect("facts");
            assert_eq!(facts.counters, row.counters, "{row:?}");
        }
    }

    #[test]
    fn the_largest_increment_of_an_event_holds_for_rows_without_one() {
        let facts = |kind, ext, code| Catalogue::get().facts(kind, ext, code).expect("facts");
        let ingress = facts(BoxKind::Cbox, false, 0x11);
        assert_eq!((ingress.max_inc, ingress.umask_bits), (20, 0x17));
        assert_eq!(facts(BoxKind::Imc, false, 0x43).max_inc, 1, "printed as 0");
        assert_eq!(
            facts(BoxKind::Ha, false, 0x43).max_inc,
            255,
            "printed as 512"
        );
        assert_eq!(facts(BoxKind::Qpi, true, 0x38).max_inc, 2);
        assert_ne!(
            facts(BoxKind::Qpi, true, 0x00),
            facts(BoxKind::Qpi, false, 0x00)
        );
    }
}
