// SPDX-License-Identifier: GPL-2.0

//! The event catalogue: which events exist, on which counters, with which signals.
//!
//! Read from `tests/data/ivbep-events.csv` (columns: spec section 14 and
//! tests/data/README.rst), the only source of events in the model. What the rows
//! of one event mean together is traffic.rst, "Waveforms":
//!
//! * `max_inc` is the largest of the event's rows (rows known only from the
//!   public event lists leave it empty), at least 1 and at most 255;
//! * signal b exists if a row has umask bit b, unless the bit is a qualifier;
//! * rows that need the UBox filter, which no manual describes, have no signal;
//! * an `ext_sel` of `?` (sources disagree) makes the event exist in both places.

use std::collections::HashMap;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::traffic::{EventSelect, UMASK_ZERO};

/// The file, as text.
const EVENTS: &str = include_str!("../../../data/ivbep-events.csv");

/// The largest `max_inc` that traffic.rst lets a signal have.
const LARGEST_INCREMENT: u32 = 255;

/// The box types of the catalogue, spelled as in its first column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
pub(crate) enum BoxType {
    /// UBox.
    #[serde(rename = "UBOX")]
    Ubox,
    /// C-Box.
    #[serde(rename = "CBO")]
    Cbox,
    /// Home agent.
    #[serde(rename = "HA")]
    Ha,
    /// Memory controller channel.
    #[serde(rename = "iMC")]
    Imc,
    /// IIO coherency agent.
    #[serde(rename = "IRP")]
    Irp,
    /// Power control unit.
    #[serde(rename = "PCU")]
    Pcu,
    /// QPI link layer port.
    #[serde(rename = "QPI")]
    Qpi,
    /// Ring to PCI Express.
    #[serde(rename = "R2PCIe")]
    R2pcie,
    /// Ring to QPI.
    #[serde(rename = "R3QPI")]
    R3qpi,
}

/// One line of the file.
#[derive(Debug, Deserialize)]
struct Row {
    r#box: BoxType,
    event: String,
    code: String,
    ext_sel: String,
    umask: String,
    counters: String,
    max_inc: Option<u32>,
    filter: String,
}

/// All rows of one event select, taken together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Event {
    /// The value is 1 in every cycle.
    pub(crate) is_clock: bool,
    /// Bit k: counter k can count it.
    pub(crate) counters: u8,
    /// The largest value of a cycle.
    pub(crate) peak: u32,
    /// Bit b: signal b exists (bit 8: umask zero).
    pub(crate) signals: u16,
    /// The umasks as printed.
    pub(crate) umasks: Vec<u8>,
}

impl Event {
    /// Whether some row has umask bits that together make `umask`.
    pub(crate) fn lists(&self, umask: u8) -> bool {
        let all = self.umasks.iter().fold(0, |all, bits| all | bits);
        self.umasks.contains(&umask) || (umask != 0 && umask & !all == 0)
    }

    /// Whether `umask` is printed as it is.
    pub(crate) fn prints(&self, umask: u8) -> bool {
        self.umasks.contains(&umask)
    }
}

/// Umask bits that set a condition and carry no signal (traffic.rst, "Filters").
fn qualifiers(kind: BoxType, code: u8) -> u8 {
    match (kind, code) {
        (BoxType::Cbox, 0x34) => 0x41,
        (BoxType::Cbox, 0x35 | 0x36) => 0xe2,
        (BoxType::Cbox, 0x37) => 0x40,
        (BoxType::Ha, 0x20) => 0x03,
        (BoxType::Irp, 0x15) => 0x08,
        _ => 0,
    }
}

/// Every event of every box type.
#[derive(Debug)]
pub(crate) struct Catalogue(HashMap<(BoxType, EventSelect), Event>);

impl Catalogue {
    /// The catalogue of the machine.
    pub(crate) fn get() -> &'static Self {
        static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
        CATALOGUE.get_or_init(|| {
            // PANIC: the text is part of the program; a unit test reads it.
            Self::parse(EVENTS).expect("the built-in catalogue is well formed")
        })
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut events = HashMap::new();
        for row in csv::Reader::from_reader(text.as_bytes()).deserialize() {
            let row: Row = row.map_err(|error| error.to_string())?;
            let code = hex(&row.code)?;
            for ext in row.extended_selects()? {
                let key = (row.r#box, EventSelect { ext: *ext, code });
                let event: &mut Event = events.entry(key).or_default();
                row.join(event, qualifiers(row.r#box, code))?;
            }
        }
        Ok(Self(events))
    }

    /// The event an event select stands for in a box type.
    pub(crate) fn event(&self, kind: BoxType, select: EventSelect) -> Option<&Event> {
        self.0.get(&(kind, select))
    }
}

impl Row {
    fn extended_selects(&self) -> Result<&'static [bool], String> {
        match self.ext_sel.as_str() {
            "0" => Ok(&[false]),
            "1" => Ok(&[true]),
            "?" => Ok(&[false, true]),
            other => Err(format!("ext_sel '{other}'")),
        }
    }

    /// Adds this row to what is known of its event.
    fn join(&self, event: &mut Event, qualifiers: u8) -> Result<(), String> {
        let umask = hex(&self.umask)?;
        event.is_clock |= matches!(self.event.as_str(), "CLOCKTICKS" | "DCLOCKTICKS");
        event.counters |= counters(&self.counters)?;
        event.peak = event
            .peak
            .max(self.max_inc.unwrap_or(1).clamp(1, LARGEST_INCREMENT));
        event.umasks.push(umask);
        if !self.filter.starts_with("UBoxFilter") {
            event.signals |= match umask {
                0 => 1 << UMASK_ZERO,
                bits => u16::from(bits & !qualifiers),
            };
        }
        Ok(())
    }
}

fn hex(text: &str) -> Result<u8, String> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    u8::from_str_radix(digits, 16).map_err(|error| format!("'{text}': {error}"))
}

/// `0`, `0-3` and the like as a mask.
fn counters(text: &str) -> Result<u8, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| match text.parse() {
        Ok(counter @ 0..=3_u8) => Ok(counter),
        _ => Err(format!("counter '{text}'")),
    };
    let range = number(first)?..=number(last)?;
    Ok(range.fold(0, |mask, counter| mask | 1 << counter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: BoxType, ext: bool, code: u8) -> &'static Event {
        let select = EventSelect { ext, code };
        Catalogue::get()
            .event(kind, select)
            .expect("in the catalogue")
    }

    #[test]
    fn rows_of_an_event_join() {
        // Peak 20 from the manual's rows, umask 0x02 also from the public list.
        let occupancy = event(BoxType::Cbox, false, 0x11);
        assert_eq!((occupancy.peak, occupancy.counters), (20, 0b0001));
        assert_eq!(occupancy.signals, 0x17);
        let home = event(BoxType::Ha, false, 0x42);
        assert_eq!(home.signals, 0x103);
    }

    #[test]
    fn qualifiers_are_no_signals() {
        assert_eq!(event(BoxType::Cbox, false, 0x34).signals, 0x1e);
        assert_eq!(event(BoxType::Cbox, false, 0x35).signals, 0x1d);
        assert_eq!(event(BoxType::Cbox, false, 0x36).signals, 0x1d);
        assert_eq!(event(BoxType::Cbox, false, 0x37).signals, 0x0f);
        assert_eq!(event(BoxType::Ha, false, 0x20).signals, 0x1c);
        assert_eq!(event(BoxType::Irp, false, 0x15).signals, 0x07);
        assert_eq!(event(BoxType::Ubox, false, 0x41).signals, 0x0a);
    }

    #[test]
    fn odd_cells() {
        assert_eq!(event(BoxType::Ha, false, 0x43).peak, 255, "printed 512");
        assert_eq!(event(BoxType::Imc, false, 0x43).peak, 1, "printed 0");
        assert!(event(BoxType::R3qpi, false, 0x01).is_clock);
        assert!(event(BoxType::Imc, false, 0x00).is_clock);
        assert!(!event(BoxType::Qpi, false, 0x00).is_clock);
        for ext in [false, true] {
            assert_eq!(event(BoxType::Pcu, ext, 0x2a).signals, 0x100);
        }
    }

    #[test]
    fn numbers_of_section_14() {
        // The manual's events, and those only the public lists have.
        assert_eq!(EVENTS.lines().count(), 1079);
        let of = |kind| {
            Catalogue::get()
                .0
                .keys()
                .filter(|key| key.0 == kind)
                .count()
        };
        assert_eq!(of(BoxType::Imc), 45);
        assert_eq!(of(BoxType::Ubox), 4 + 3);
    }

    #[test]
    fn broken_files_are_refused() {
        let head = "box,event,code,ext_sel,subevent,umask,counters,max_inc,filter,source\n";
        for row in [
            "XBOX,A,0x01,0,,0x00,0-1,1,,x",
            "CBO,A,0x1ff,0,,0x00,0-1,1,,x",
            "CBO,A,0x01,2,,0x00,0-1,1,,x",
            "CBO,A,0x01,0,,0x00,0-4,1,,x",
            "CBO,A,0x01,0,,0x00,0-1,many,,x",
        ] {
            assert!(
                Catalogue::parse(&format!("{head}{row}\n")).is_err(),
                "{row}"
            );
        }
    }
}
