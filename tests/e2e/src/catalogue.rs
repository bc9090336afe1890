// SPDX-License-Identifier: GPL-2.0

//! The event catalogue `tests/data/ivbep-events.csv`, read for the tests.
//!
//! It is the reference the driver's names and the machine's signals are held
//! against: every row is one event or sub-event of the manual (or of Intel's
//! published event list). Only the box types that the driver drives are kept:
//! UBox, C-Box and iMC. The catalogue knows nothing of the driver's tables.
//!
//! The names a user sees follow from a row by three rules: lower case,
//! `event` or `event.subevent`, and the few exceptions in [`Row::name`].

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Event select of the fixed counters; no row of the catalogue has it.
pub const FIXED_EVENT: u8 = 0xff;

/// A box type that has rows in the catalogue and a PMU in the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BoxKind {
    /// System messages and locks; one in each package.
    Ubox,
    /// A slice of the last-level cache.
    Cbox,
    /// A memory channel.
    Imc,
}

impl BoxKind {
    /// All of them, in the manual's order.
    pub const ALL: [Self; 3] = [Self::Ubox, Self::Cbox, Self::Imc];

    /// How the catalogue's first column spells it.
    fn of_column(text: &str) -> Option<Self> {
        match text {
            "UBOX" => Some(Self::Ubox),
            "CBO" => Some(Self::Cbox),
            "iMC" => Some(Self::Imc),
            _ => None,
        }
    }

    /// The unit in a PMU's name.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::Ubox => "ubox",
            Self::Cbox => "cbox",
            Self::Imc => "imc",
        }
    }

    /// General counters of one box (hardware/ivbep.md, section 1).
    #[must_use]
    pub fn counters(self) -> u8 {
        match self {
            Self::Ubox => 2,
            Self::Cbox | Self::Imc => 4,
        }
    }

    /// Whether a box has a fixed counter beside the general ones.
    #[must_use]
    pub fn has_fixed(self) -> bool {
        self != Self::Cbox
    }

    /// Width of its general counters in bits.
    #[must_use]
    pub fn width(self) -> u32 {
        match self {
            Self::Ubox | Self::Cbox => 44,
            Self::Imc => 48,
        }
    }

    /// The name of the PMU of one instance: the UBox is alone and has no index.
    #[must_use]
    pub fn pmu(self, instance: u8) -> String {
        match self {
            Self::Ubox => "ivbep_uncore_ubox".to_owned(),
            Self::Cbox | Self::Imc => format!("ivbep_uncore_{}_{instance}", self.unit()),
        }
    }
}

impl fmt::Display for BoxKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.unit())
    }
}

/// What an event cannot count without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent needs, any of which a row may have"
)]
pub struct Needs {
    /// FILTER0.state: cache line states.
    pub state: bool,
    /// FILTER1.nid: target nodes.
    pub nid: bool,
    /// FILTER1.opc: an opcode.
    pub opc: bool,
    /// An occupancy event on counter 0 of the same box.
    pub occupancy: bool,
    /// The UBox filter register that no public manual describes.
    pub undocumented: bool,
}

impl Needs {
    fn parse(column: &str) -> Result<Self, String> {
        let mut needs = Self::default();
        for need in column.split('+').filter(|need| !need.is_empty()) {
            match need {
                "F0.state" => needs.state = true,
                "F1.nid" => needs.nid = true,
                "F1.opc" => needs.opc = true,
                "occupancy event on counter 0" => needs.occupancy = true,
                "UBoxFilter[3:0]" => needs.undocumented = true,
                other => return Err(format!("unknown filter `{other}`")),
            }
        }
        Ok(needs)
    }
}

/// One event or sub-event.
#[derive(Clone, Debug)]
pub struct Row {
    /// The box type that counts it.
    pub kind: BoxKind,
    /// Event name as the manual spells it.
    pub event: String,
    /// Sub-event name, empty for an event without sub-events.
    pub subevent: String,
    /// Event select.
    pub code: u8,
    /// Sub-event mask.
    pub umask: u8,
    /// Counters that can count it, bit k for counter k.
    pub counters: u8,
    /// Largest increment in one cycle as printed; `None` where the list has none.
    pub max_inc: Option<u32>,
    /// What it needs besides.
    pub needs: Needs,
}

impl Row {
    fn parse(line: &str) -> Result<Option<Self>, String> {
        let columns: Vec<&str> = line.split(',').collect();
        let [kind, event, code, ext_sel, subevent, umask, counters, max_inc, filter, _source] =
            columns[..]
        else {
            return Err(format!("{} columns, not 10", columns.len()));
        };
        let Some(kind) = BoxKind::of_column(kind) else {
            return Ok(None);
        };
        if ext_sel != "0" {
            return Err("an extended select on a box without one".to_owned());
        }
        Ok(Some(Self {
            kind,
            event: event.to_owned(),
            subevent: subevent.to_owned(),
            code: hex_byte(code)?,
            umask: hex_byte(umask)?,
            counters: counter_set(counters)?,
            max_inc: number_or_empty(max_inc)?,
            needs: Needs::parse(filter)?,
        }))
    }

    /// The file under `events/` that offers this row, `None` if none may.
    ///
    /// The fixed counter has the name `clockticks`, so the event of that name
    /// on the UBox' general counters is `clockticks_general`.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        if self.needs.undocumented {
            return None;
        }
        if self.kind == BoxKind::Ubox && self.event == "CLOCKTICKS" {
            return Some("clockticks_general".to_owned());
        }
        let mut name = self.event.to_lowercase();
        if !self.subevent.is_empty() {
            name.push('.');
            name.push_str(&self.subevent.to_lowercase());
        }
        Some(name)
    }

    /// Whether it counts clocks: one in every cycle.
    #[must_use]
    pub fn is_clock(&self) -> bool {
        self.event == "CLOCKTICKS" || self.event == "DCLOCKTICKS"
    }
}

/// What all rows of one event select have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventFacts {
    /// Every umask bit that some row has, qualifiers included.
    pub umask_bits: u8,
    /// Some row has an umask of 0.
    pub plain: bool,
    /// Umask bits of rows that need the undocumented filter.
    pub dead_bits: u8,
    /// Largest increment in a cycle, at least 1, at most 255.
    pub max_inc: u32,
    /// Counts clocks.
    pub clock: bool,
    /// Counters, bit k for counter k.
    pub counters: u8,
}

/// All rows of the three box types.
#[derive(Debug)]
pub struct Catalogue {
    rows: Vec<Row>,
    facts: BTreeMap<(BoxKind, u8), EventFacts>,
}

impl Catalogue {
    /// The project's own catalogue, read once.
    ///
    /// # Panics
    ///
    /// If the file is missing or malformed: no test can go on without it.
    #[must_use]
    pub fn get() -> &'static Self {
        static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
        CATALOGUE.get_or_init(|| {
            let path = path();
            let text = std::fs::read_to_string(&path)
                .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
            Self::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        })
    }

    /// Reads the text of a catalogue.
    ///
    /// # Errors
    ///
    /// A line that is not of the catalogue's form, with its number.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut rows = Vec::new();
        for (index, line) in text.lines().enumerate().skip(1) {
            let row = Row::parse(line).map_err(|error| format!("line {}: {error}", index + 1))?;
            rows.extend(row);
        }
        let facts = facts(&rows);
        Ok(Self { rows, facts })
    }

    /// Every row, in the file's order.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The rows of one box type.
    pub fn of(&self, kind: BoxKind) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.kind == kind)
    }

    /// What the catalogue says about an event select, `None` if nothing.
    #[must_use]
    pub fn facts(&self, kind: BoxKind, code: u8) -> Option<&EventFacts> {
        self.facts.get(&(kind, code))
    }

    /// The row that a user names `name`.
    ///
    /// # Panics
    ///
    /// If there is none: the test that asks is wrong.
    #[must_use]
    pub fn named(&self, kind: BoxKind, name: &str) -> &Row {
        self.of(kind)
            .find(|row| row.name().as_deref() == Some(name))
            .unwrap_or_else(|| panic!("the catalogue has no {kind} event `{name}`"))
    }
}

fn path() -> PathBuf {
    PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../data/ivbep-events.csv"
    ))
}

fn facts(rows: &[Row]) -> BTreeMap<(BoxKind, u8), EventFacts> {
    let mut facts = BTreeMap::new();
    for row in rows {
        let entry = facts.entry((row.kind, row.code)).or_insert(EventFacts {
            umask_bits: 0,
            plain: false,
            dead_bits: 0,
            max_inc: 1,
            clock: row.is_clock(),
            counters: row.counters,
        });
        entry.umask_bits |= row.umask;
        entry.plain |= row.umask == 0;
        entry.dead_bits |= if row.needs.undocumented { row.umask } else { 0 };
        entry.max_inc = entry.max_inc.max(row.max_inc.unwrap_or(1).min(255));
    }
    facts
}

fn hex_byte(text: &str) -> Result<u8, String> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    u8::from_str_radix(digits, 16).map_err(|error| format!("`{text}`: {error}"))
}

fn number_or_empty(text: &str) -> Result<Option<u32>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let number = text.parse().map_err(|error| format!("`{text}`: {error}"))?;
    Ok(Some(number))
}

/// `0-1`, `1-3` or `0` as a set of counters.
fn counter_set(text: &str) -> Result<u8, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let bound = |text: &str| match text.parse::<u8>() {
        Ok(counter) if counter < 8 => Ok(counter),
        _ => Err(format!("`{text}` is no counter")),
    };
    let (first, last) = (bound(first)?, bound(last)?);
    Ok((first..=last).fold(0, |set, counter| set | 1 << counter))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const HEAD: &str = "box,event,code,ext_sel,subevent,umask,counters,max_inc,filter,source\n";

    fn one(line: &str) -> Result<Catalogue, String> {
        Catalogue::parse(&format!("{HEAD}{line}\n"))
    }

    #[test]
    fn rows_of_each_type_are_those_the_specification_counts() {
        let count = |kind| Catalogue::get().of(kind).count();
        assert_eq!(count(BoxKind::Ubox), 21);
        assert_eq!(count(BoxKind::Cbox), 157);
        assert_eq!(count(BoxKind::Imc), 198);
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
    fn counters_of_an_event_are_the_same_in_all_its_rows() {
        let catalogue = Catalogue::get();
        for row in catalogue.rows() {
            let facts = catalogue.facts(row.kind, row.code).expect("facts");
            assert_eq!(facts.counters, row.counters, "{row:?}");
        }
    }

    #[test]
    fn a_row_is_read_column_by_column() {
        let catalogue = one("CBO,TOR_OCCUPANCY,0x36,0,NID_OPCODE,0x41,0,20,F1.opc+F1.nid,x");
        let catalogue = catalogue.expect("a catalogue");
        let row = catalogue.named(BoxKind::Cbox, "tor_occupancy.nid_opcode");
        assert_eq!((row.code, row.umask, row.counters), (0x36, 0x41, 1));
        assert_eq!(row.max_inc, Some(20));
        let needs = Needs {
            opc: true,
            nid: true,
            ..Needs::default()
        };
        assert_eq!(row.needs, needs);
    }

    #[test]
    fn other_boxes_are_skipped() {
        let catalogue = one("QPI,CTO_COUNT,0x38,1,,0x00,0-3,2,,x").expect("a catalogue");
        assert!(catalogue.rows().is_empty());
    }

    #[test]
    fn malformed_lines_are_named() {
        for (line, said) in [
            ("CBO,E,0x11,0,,0x00,0", "line 2: 7 columns"),
            ("CBO,E,0xggg,0,,0x00,0,1,,x", "`0xggg`"),
            ("CBO,E,0x11,0,,0x00,0-9,1,,x", "`9` is no counter"),
            ("CBO,E,0x11,0,,0x00,0,many,,x", "`many`"),
            ("CBO,E,0x11,0,,0x00,0,1,F7.xyz,x", "unknown filter `F7.xyz`"),
            ("CBO,E,0x11,1,,0x00,0,1,,x", "extended select"),
        ] {
            let error = one(line).expect_err("malformed");
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn the_largest_increment_of_an_event_holds_for_rows_without_one() {
        let facts = Catalogue::get().facts(BoxKind::Cbox, 0x11).expect("facts");
        assert_eq!((facts.max_inc, facts.umask_bits), (20, 0x17));
        let zero = Catalogue::get().facts(BoxKind::Imc, 0x43).expect("facts");
        assert_eq!(zero.max_inc, 1);
    }
}
