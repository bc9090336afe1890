// SPDX-License-Identifier: GPL-2.0

//! Rows of a platform that are more, or less, than an event of their name.

use super::kind::BoxKind;
use super::needs::{Needs, Preset};
use super::row::Row;
use std::ops::RangeInclusive;

/// The odd rows of a platform.
pub(crate) struct Oddities {
    /// Events without a name: the type and the event.
    pub(crate) nameless: &'static [(BoxKind, &'static str)],
    /// Events whose sub-events count in pairs.
    pub(crate) pairs: &'static [Pair],
    /// Names for packets that the packet counter counts, with match and mask.
    pub(crate) packets: &'static [(&'static str, u64, u64)],
    /// Names of public lists for an event of the manual: the type, that name, the manual's.
    pub(crate) second_names: &'static [(BoxKind, &'static str, &'static str)],
    /// Events whose umask is a number, not a mask.
    pub(crate) numbered: &'static [(BoxKind, RangeInclusive<u8>)],
    /// Counters, bit k for counter k, that the driver uses of those of a row: the type and
    /// the beginning of the event's name.
    pub(crate) placed: &'static [&'static [(BoxKind, &'static str, u8)]],
    /// The bit of an event select with which an event counts while an occupancy holds.
    pub(crate) joins: Option<(BoxKind, u8)>,
}

/// An event whose umask has two parts.
pub(crate) struct Pair {
    pub(crate) kind: BoxKind,
    pub(crate) event: &'static str,
    /// The second part of the umask. Its bits count nothing alone.
    pub(crate) second: u8,
    /// Bits of the first part count alone, too.
    pub(crate) alone: bool,
}

impl Pair {
    fn is_of(&self, row: &Row) -> bool {
        (self.kind, self.event) == (row.kind, &row.event)
    }

    /// Returns what stands for a row of the event: each pair that it begins.
    fn of(&self, row: &Row, rows: &[Row]) -> Vec<Row> {
        if row.umask & self.second != 0 {
            return Vec::new();
        }
        let seconds = rows.iter().filter(|other| self.is_of(other));
        let seconds = seconds.filter(|other| other.umask & self.second != 0);
        let both = seconds.map(|second| Row {
            subevent: format!("{}_{}", row.subevent, second.subevent),
            umask: row.umask | second.umask,
            ..row.clone()
        });
        let alone = self.alone.then(|| row.clone());
        alone.into_iter().chain(both).collect()
    }
}

impl Oddities {
    /// Returns the rows with pairs in place of their parts.
    pub(super) fn paired(&self, rows: &[Row]) -> Vec<Row> {
        let of_row = |row: &Row| match self.pairs.iter().find(|pair| pair.is_of(row)) {
            Some(pair) => pair.of(row, rows),
            None => vec![row.clone()],
        };
        rows.iter().flat_map(of_row).collect()
    }

    /// Returns the rows of named packets.
    pub(super) fn packets(&self, rows: &[Row]) -> Vec<Row> {
        let counter = rows.iter().find(|row| row.event == "CTO_COUNT");
        let of_name = |&(name, config1, config2): &(&str, u64, u64)| {
            let row = counter.expect("a packet counter").clone();
            let preset = Preset {
                config1,
                config2,
                ..row.needs.preset
            };
            let needs = Needs {
                preset,
                ..row.needs
            };
            Row {
                event: "MESSAGE".to_owned(),
                subevent: name.to_owned(),
                needs,
                ..row
            }
        };
        self.packets.iter().map(of_name).collect()
    }

    pub(super) fn is_nameless(&self, row: &Row) -> bool {
        self.nameless.contains(&(row.kind, &row.event))
    }

    /// Returns the counters of a row that the driver uses.
    pub(super) fn placement(&self, row: &Row) -> u8 {
        let is_placed = |(kind, event, _): &&(BoxKind, &str, u8)| {
            *kind == row.kind && row.event.starts_with(event)
        };
        let found = self.placed.iter().copied().flatten().find(is_placed);
        row.counters & found.map_or(u8::MAX, |(.., counters)| *counters)
    }
}
