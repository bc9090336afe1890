// SPDX-License-Identifier: GPL-2.0

//! Reads the data about each platform in its folder, such as `ivbep`, for the model of the machine
//! and for the tests (columns: README.rst): events, metrics of the manual, and what [`Facts`] has.
//! Its users interpret the rows.

mod facts;
mod flows;
mod platforms;
mod readings;
mod setting;

pub use facts::{
    Address, At, BoxRow, Facts, Field, Mutant, Place, Places, Processor, Register, What,
};
pub use flows::{weights_of, Weights};
pub use platforms::Platform;
pub use readings::{readings, readings_with, Reading};
pub use setting::{Setting, PLAIN};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use std::fmt::Display;

/// One row of a file: an event or a sub-event.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Box type, as the manual spells it.
    #[serde(rename = "box")]
    pub kind: String,
    /// Event name.
    pub event: String,
    /// Event select.
    #[serde(deserialize_with = "hex")]
    pub code: u8,
    /// Extended select bit, `None` where the sources disagree.
    #[serde(rename = "ext_sel", deserialize_with = "extended_select")]
    pub ext: Option<bool>,
    /// Sub-event name, empty for an event without sub-events.
    pub subevent: String,
    /// Sub-event mask; on the PCU bits 7:6 are `occ_sel`.
    #[serde(deserialize_with = "hex")]
    pub umask: u8,
    /// Counters that can count the event, bit k for counter k.
    #[serde(deserialize_with = "counters")]
    pub counters: u8,
    /// Largest increment in one cycle as printed, `None` where the list has none.
    pub max_inc: Option<u32>,
    /// The other register fields that must be programmed.
    pub filter: String,
    /// Section and table of the manual, `db` or `both` for a row of the vendor's database, `json` for
    /// one that only the event lists have, or `tool` for one of a program only.
    pub source: String,
    /// The processors that have it, if they are not all of the platform.
    #[serde(default)]
    pub model: String,
}

impl Row {
    /// Tells if the event has this extended select; where the sources disagree it has both.
    pub fn has_ext(&self, ext: bool) -> bool {
        self.ext.is_none_or(|own| own == ext)
    }

    /// Tells if a processor has it.
    fn is_of(&self, processor: &str) -> bool {
        self.model.is_empty() || self.model.split(' ').any(|own| own == processor)
    }

    /// Tells if a counter can count the event.
    pub fn allows(&self, counter: usize) -> bool {
        counter < 8 && self.counters >> counter & 1 == 1
    }

    /// Tells if only public lists and programs have the row.
    pub fn is_of_lists(&self) -> bool {
        matches!(&*self.source, "json" | "tool")
    }

    /// Tells if the event counts clocks: one in every cycle.
    pub fn is_clock(&self) -> bool {
        matches!(&*self.event, "CLOCKTICKS" | "DCLOCKTICKS" | "CYCLES")
    }
}

/// One row of a file of metrics.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metric {
    /// Box type, as the manual spells it.
    #[serde(rename = "box")]
    pub kind: String,
    /// Name of the metric; an `x` at its end, or before an underscore, may stand for a number.
    #[serde(rename = "metric")]
    pub name: String,
    /// Formula over the names of events and other metrics.
    pub formula: String,
    /// Filter settings of its events.
    #[serde(rename = "filter settings")]
    pub filters: String,
    /// Section of the manual, and remarks.
    pub section: String,
}

/// All rows of IVB-EP, in the order of the file.
pub fn rows() -> &'static [Row] {
    rows_of("ivbep")
}

/// All rows of BDX, in the order of the file.
pub fn bdx_rows() -> &'static [Row] {
    rows_of("bdx")
}

/// All rows of a processor, in the order of the file. Panics if there is none of that name.
pub fn rows_of(processor: &str) -> &'static [Row] {
    &Processor::named(processor).rows
}

/// The metrics of IVB-EP, in the order of the file.
pub fn metrics() -> &'static [Metric] {
    &Facts::of("ivbep").metrics
}

/// The metrics of BDX, in the order of the file.
pub fn bdx_metrics() -> &'static [Metric] {
    &Facts::of("bdx").metrics
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, csv::Error> {
    csv::Reader::from_reader(text.as_bytes())
        .into_deserialize()
        .collect()
}

fn hex<'de, D: Deserializer<'de>>(cell: D) -> Result<u8, D::Error> {
    read(cell, |text| hex_of(text)?.try_into().ok())
}

/// Reads a hexadecimal number.
fn hex_of(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    u64::from_str_radix(digits, 16).ok()
}

fn extended_select<'de, D: Deserializer<'de>>(cell: D) -> Result<Option<bool>, D::Error> {
    read(cell, |text| match text {
        "0" => Some(Some(false)),
        "1" => Some(Some(true)),
        "?" => Some(None),
        _ => None,
    })
}

/// Reads `0-1`, `1-3` or `0`; no box has more than eight counters.
fn counters<'de, D: Deserializer<'de>>(cell: D) -> Result<u8, D::Error> {
    read(cell, |text| {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let number = |text: &str| text.parse::<u8>().ok().filter(|number| *number < 8);
        let range = number(first)?..=number(last)?;
        Some(range.fold(0, |set, counter| set | 1 << counter))
    })
}

/// Reads a cell, and names it if that fails.
fn read<'de, D: Deserializer<'de>, T>(
    cell: D,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<T, D::Error> {
    let text = String::deserialize(cell)?;
    let wrong = |text: &dyn Display| serde::de::Error::custom(format!("`{text}`"));
    read(&text).ok_or_else(|| wrong(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "box,event,code,ext_sel,subevent,umask,counters,max_inc,filter,source\n";

    #[test]
    fn a_row_is_read_column_by_column() {
        let row = "CBO,TOR_OCCUPANCY,0x36,0,NID_OPCODE,0x41,0,20,F1.opc+F1.nid,x\n";
        let rows: Vec<Row> = parse(&format!("{HEAD}{row}")).expect("a right line");
        let row = &rows[0];
        assert_eq!((&*row.kind, &*row.subevent), ("CBO", "NID_OPCODE"));
        assert_eq!((row.code, row.ext, row.umask), (0x36, Some(false), 0x41));
        assert_eq!((row.counters, row.max_inc), (1, Some(20)));
    }

    #[test]
    fn malformed_lines_are_named() {
        for (row, said) in [
            ("CBO,E,0x11,0,,0x00,0", "7 fields"),
            ("CBO,E,0xggg,0,,0x00,0,1,,x", "`0xggg`"),
            ("CBO,E,0x1ff,0,,0x00,0,1,,x", "`0x1ff`"),
            ("CBO,E,0x11,0,,0x00,0-8,1,,x", "`0-8`"),
            ("CBO,E,0x11,0,,0x00,0,many,,x", "invalid digit"),
            ("CBO,E,0x11,2,,0x00,0,1,,x", "`2`"),
        ] {
            let error = parse::<Row>(&format!("{HEAD}{row}\n")).expect_err("malformed");
            let error = error.to_string();
            assert!(error.contains("line: 2") && error.contains(said), "{error}");
        }
    }

    #[test]
    fn every_row_of_bdx_is_read() {
        // 1338 rows in the source, without the two fixed counters.
        assert_eq!(bdx_rows().len(), 1336);
        assert!(bdx_rows().iter().all(|row| row.ext.is_some()));
        let only_listed = bdx_rows().iter().filter(|row| row.source == "json");
        assert_eq!(only_listed.count(), 181 - 2);
    }

    #[test]
    fn every_metric_is_read() {
        assert_eq!([metrics().len(), bdx_metrics().len()], [93, 94]);
        let sum = &metrics()[18];
        assert_eq!((&*sum.kind, &*sum.name), ("CBO", "IO_READ_BW"));
        assert!(sum.formula.contains("[B]") && sum.filters.starts_with("A: "));
    }

    #[test]
    fn open_extended_selects_are_both() {
        let row = rows().iter().find(|row| row.ext.is_none()).expect("a row");
        assert!(row.has_ext(false) && row.has_ext(true));
        assert!(rows().iter().any(|row| !row.has_ext(true)));
        assert!(row.allows(0) && !row.allows(8));
    }
}
