// SPDX-License-Identifier: GPL-2.0

//! The event catalogue: the events, their counters and their signals.
//!
//! Read from `events.csv` in the platform's folder of `tests/data` (columns: README.rst there), the
//! only source of events in the model. All rows of one event together
//! define it, as traffic.rst, "Waveforms", says:
//!
//! * `max_inc` is the largest of the event's rows (rows known only from the
//!   public event lists leave it empty), at least 1 and at most 255;
//! * signal b exists if a row has umask bit b, unless the bit is a qualifier;
//! * rows that need the UBox filter, which no manual describes, have no signal;
//! * an `ext_sel` of `?` (sources disagree) makes the event exist in both places.

use std::collections::HashMap;
use std::sync::LazyLock;

use uncore_catalogue::{rows_of, weights_of, Row, Weights};

use crate::traffic::{EventSelect, UMASK_ZERO};

/// The largest `max_inc` that traffic.rst lets a signal have.
const LARGEST_INCREMENT: u32 = 255;

/// The box types of the catalogue, spelled as in its first column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum BoxType {
    /// UBox.
    Ubox,
    /// C-Box.
    Cbox,
    /// S-Box.
    Sbox,
    /// Home agent.
    Ha,
    /// Memory controller channel.
    Imc,
    /// IIO coherency agent.
    Irp,
    /// Power control unit.
    Pcu,
    /// QPI link layer port.
    Qpi,
    /// Ring to PCI Express.
    R2pcie,
    /// Ring to QPI.
    R3qpi,
    /// Arbiter between the ring and memory.
    Arb,
    /// Home agent with match registers.
    Bbox,
    /// Memory controller with several event selects.
    Mbox,
    /// Router.
    Rbox,
    /// Power control unit without bands.
    Wbox,
}

impl BoxType {
    const NAMES: [(&str, Self); 15] = [
        ("UBOX", Self::Ubox),
        ("CBO", Self::Cbox),
        ("SBO", Self::Sbox),
        ("HA", Self::Ha),
        ("iMC", Self::Imc),
        ("IRP", Self::Irp),
        ("PCU", Self::Pcu),
        ("QPI", Self::Qpi),
        ("R2PCIe", Self::R2pcie),
        ("R3QPI", Self::R3qpi),
        ("ARB", Self::Arb),
        ("BBOX", Self::Bbox),
        ("MBOX", Self::Mbox),
        ("RBOX", Self::Rbox),
        ("WBOX", Self::Wbox),
    ];

    /// The type that the first column spells so.
    pub(crate) fn of(column: &str) -> Option<Self> {
        let mut all = Self::NAMES.into_iter();
        all.find(|(name, _)| *name == column).map(|(_, kind)| kind)
    }

    /// Its name in the first column.
    pub(crate) fn name(self) -> &'static str {
        let mut all = Self::NAMES.into_iter();
        all.find(|(_, kind)| *kind == self)
            .map_or("", |(name, _)| name)
    }
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
    /// No row is of a manual.
    pub(crate) is_of_lists: bool,
    /// No row has a largest increment.
    pub(crate) is_unknown: bool,
    /// The umasks as printed.
    pub(crate) umasks: Vec<u8>,
}

impl Event {
    /// Tells if the umask is that of a row, or a combination of umask bits of rows.
    pub(crate) fn lists(&self, umask: u8) -> bool {
        let all = self.umasks.iter().fold(0, |all, bits| all | bits);
        self.umasks.contains(&umask) || (umask != 0 && umask & !all == 0)
    }

    /// Adds a row to its event.
    fn join(&mut self, row: &Row, qualifiers: u8) {
        self.is_of_lists = row.is_of_lists() && (self.umasks.is_empty() || self.is_of_lists);
        self.is_unknown = row.max_inc.is_none() && (self.umasks.is_empty() || self.is_unknown);
        self.is_clock |= row.is_clock();
        self.counters |= row.counters;
        let peak = row.max_inc.unwrap_or(1).clamp(1, LARGEST_INCREMENT);
        self.peak = self.peak.max(peak);
        self.umasks.push(row.umask);
        if row.event == "ADDR_OPC_MATCH" {
            // The rings, of which not every list has rows.
            self.signals |= 0x1c;
        }
        if !row.filter.starts_with("UBoxFilter") {
            self.signals |= match row.umask {
                0 => 1 << UMASK_ZERO,
                bits => u16::from(bits & !qualifiers),
            };
        }
    }

    /// Tells if a row has exactly this umask.
    pub(crate) fn prints(&self, umask: u8) -> bool {
        self.umasks.contains(&umask)
    }
}

/// Umask bits that set a condition and carry no signal (traffic.rst, "Filters").
pub(crate) fn qualifiers(kind: BoxType, code: u8) -> u8 {
    match (kind, code) {
        (BoxType::Cbox, 0x34) => 0x41,
        (BoxType::Cbox, 0x35 | 0x36) => 0xe2,
        (BoxType::Cbox, 0x37) => 0x40,
        (BoxType::Ha, 0x20) => 0x03,
        _ => 0,
    }
}

fn ivbep_qualifiers(kind: BoxType, code: u8) -> u8 {
    match (kind, code) {
        (BoxType::Irp, 0x15) => 0x08,
        _ => qualifiers(kind, code),
    }
}

pub(crate) fn bdx_qualifiers(kind: BoxType, code: u8) -> u8 {
    match (kind, code) {
        (BoxType::Irp, 0x16) => 0x40,
        (BoxType::Irp, 0x17) => 0x70,
        _ => qualifiers(kind, code),
    }
}

/// The event selects of a row, without the extra bit: a B-Box has them for each counter, an
/// R-Box for each port and each of two equal partners.
fn codes(kind: BoxType, row: &Row) -> Vec<u8> {
    let code = row.code;
    match kind {
        BoxType::Bbox => {
            let counters = (0..4).filter(|counter| row.allows(usize::from(*counter)));
            counters.map(|counter| (counter * 32) | code).collect()
        }
        BoxType::Rbox => {
            let ports = (0..4).map(|port| port * 6 + code);
            ports.flat_map(|code| [code, code + 1]).collect()
        }
        _ => vec![code],
    }
}

/// Every event of every box type.
#[derive(Debug)]
pub(crate) struct Catalogue {
    processor: &'static str,
    events: HashMap<(BoxType, EventSelect), Event>,
}

/// The catalogue of IVB-EP.
pub(crate) static IVBEP: LazyLock<Catalogue> =
    LazyLock::new(|| Catalogue::of_processor("ivbep", ivbep_qualifiers));
/// The catalogue of BDX.
pub(crate) static BDX: LazyLock<Catalogue> =
    LazyLock::new(|| Catalogue::of_processor("bdx", bdx_qualifiers));

impl Catalogue {
    /// The catalogue of a processor, by the umask bits of its events that are qualifiers.
    pub(crate) fn of_processor(name: &'static str, qualifiers: fn(BoxType, u8) -> u8) -> Self {
        let mut events: HashMap<_, Event> = HashMap::new();
        for row in rows_of(name) {
            let kind = BoxType::of(&row.kind).expect("a box type that the machine has");
            for ext in [false, true].into_iter().filter(|ext| row.has_ext(*ext)) {
                for code in codes(kind, row) {
                    let event = events.entry((kind, EventSelect { ext, code })).or_default();
                    event.join(row, qualifiers(kind, row.code));
                }
            }
        }
        Self {
            processor: name,
            events,
        }
    }

    /// The largest increment of the events of a box type that a manual has.
    pub(crate) fn largest(&self, kind: BoxType) -> u32 {
        let of_box = self.events.iter().filter(|((of, _), _)| *of == kind);
        let known = of_box.filter(|(_, event)| !event.is_of_lists);
        known.map(|(_, event)| event.peak).max().unwrap_or(1)
    }

    /// What a signal counts of the flows, if it counts any; its umask is 0 or that of one bit.
    pub(crate) fn weights(&self, kind: BoxType, select: EventSelect, umask: u8) -> Option<Weights> {
        let code = u16::from(select.ext) << 8 | u16::from(select.code);
        weights_of(self.processor, kind.name(), code, umask)
    }

    /// The event an event select stands for in a box type.
    pub(crate) fn event(&self, kind: BoxType, select: EventSelect) -> Option<&Event> {
        self.events.get(&(kind, select))
    }
}
