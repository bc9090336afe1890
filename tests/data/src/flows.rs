// SPDX-License-Identifier: GPL-2.0

//! Weights of events in the flows of the traffic *server*, by `flows.csv`.

use super::platforms::TEXTS;
use super::{hex_of, parse, read, Facts, Processor};
use serde::{Deserialize, Deserializer};
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

/// Counts of a signal, in thousandths: for each line of a flow, and in each cycle of uclk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weights {
    /// For each line that the cores of the package read from its own memory.
    pub local: i64,
    /// For each line that they read from the memory of the other package.
    pub out: i64,
    /// For each line that the other package reads from the memory of this one.
    pub into: i64,
    /// In each cycle.
    pub time: i64,
}

#[derive(Deserialize)]
struct Row {
    processors: String,
    #[serde(rename = "box")]
    kind: String,
    /// Event selects; the extra bit is bit 8.
    #[serde(deserialize_with = "codes")]
    code: RangeInclusive<u16>,
    /// `None`: each signal of the event.
    #[serde(deserialize_with = "umask")]
    umask: Option<u8>,
    #[serde(deserialize_with = "thousandths")]
    local: i64,
    #[serde(deserialize_with = "thousandths")]
    out: i64,
    #[serde(rename = "in", deserialize_with = "thousandths")]
    into: i64,
    #[serde(deserialize_with = "thousandths")]
    time: i64,
}

impl Row {
    fn weights(&self) -> Weights {
        Weights {
            local: self.local,
            out: self.out,
            into: self.into,
            time: self.time,
        }
    }
}

/// Returns the weights of an umask of an event select (with the extra bit as bit 8), or of a signal
/// of it, if the event has any.
pub fn weights_of(processor: &str, kind: &str, code: u16, umask: u8) -> Option<Weights> {
    type Events = HashMap<u16, Vec<(Option<u8>, Weights)>>;
    static ALL: LazyLock<HashMap<String, HashMap<String, Events>>> = LazyLock::new(|| {
        let files = TEXTS.iter().map(|texts| parse::<Row>(texts.flows));
        let files = files.collect::<Result<Vec<_>, _>>();
        let rows = files
            .expect("the files are well formed")
            .into_iter()
            .flatten();
        let mut all: HashMap<String, HashMap<String, Events>> = HashMap::new();
        for row in rows {
            let known = Facts::all().iter().flat_map(|facts| &facts.processors);
            let having = known.filter(|known| {
                let mut named = row.processors.split(' ');
                named.any(|name| name == known.name || name == known.like)
            });
            for Processor {
                name: processor, ..
            } in having
            {
                let boxes = all.entry(processor.clone()).or_default();
                let events = boxes.entry(row.kind.clone()).or_default();
                for code in row.code.clone() {
                    let signals = events.entry(code).or_default();
                    signals.push((row.umask, row.weights()));
                }
            }
        }
        all
    });
    let rows = ALL.get(processor)?.get(kind)?.get(&code)?;
    let exact = rows.iter().find(|(own, _)| *own == Some(umask));
    let found = exact.or_else(|| rows.iter().find(|(own, _)| own.is_none()));
    found.map(|(_, weights)| *weights)
}

fn thousandths<'de, D: Deserializer<'de>>(cell: D) -> Result<i64, D::Error> {
    read(cell, |text| {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let number = format!("{whole}{part:0<3}").parse().ok();
        number.filter(|_| part.len() <= 3)
    })
}

fn codes<'de, D: Deserializer<'de>>(cell: D) -> Result<RangeInclusive<u16>, D::Error> {
    read(cell, |text| {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let number = |text: &str| u16::try_from(hex_of(text)?).ok();
        Some(number(first)?..=number(last)?)
    })
}

fn umask<'de, D: Deserializer<'de>>(cell: D) -> Result<Option<u8>, D::Error> {
    read(cell, |text| match text {
        "each" => Some(None),
        text => Some(Some(hex_of(text)?.try_into().ok()?)),
    })
}
