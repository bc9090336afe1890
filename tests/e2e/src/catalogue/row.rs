// SPDX-License-Identifier: GPL-2.0

//! One row: an event or a sub-event.

use super::kind::BoxKind;
use super::needs::Needs;
use super::oddities::Oddities;
use crate::formats::{deposit, field};
use crate::platform::Processor;

/// One event or sub-event.
#[derive(Clone, Debug)]
pub struct Row {
    /// The box type that counts it.
    pub kind: BoxKind,
    /// Event name as the manual spells it.
    pub event: String,
    /// Sub-event name, empty for an event without sub-events.
    pub subevent: String,
    /// Event select; where each counter has events of its own, the counter's number is above it.
    pub code: u8,
    /// Extended select bit, `None` where the sources disagree.
    pub ext: Option<bool>,
    /// Sub-event mask; on the PCU bits 7:6 are `occ_sel`.
    pub umask: u8,
    /// Counters that can count it, bit k for counter k.
    pub counters: u8,
    /// Largest increment in one cycle; `None` where the list has none.
    pub max_inc: Option<u32>,
    /// The largest increment that a manual prints: thresholds end there.
    pub printed_max: Option<u32>,
    /// The row is one of the public lists, not of the manual.
    pub of_lists: bool,
    /// Settings that the event needs besides.
    pub needs: Needs,
}

impl Row {
    /// Returns the event of a row of the file.
    pub(super) fn of(row: &uncore_catalogue::Row) -> Result<Self, String> {
        let kind = BoxKind::of_column(&row.kind);
        let kind = kind.ok_or_else(|| format!("unknown box `{}`", row.kind))?;
        let mut event = Self {
            kind,
            event: row.event.clone(),
            subevent: row.subevent.clone(),
            code: row.code,
            ext: row.ext,
            umask: row.umask,
            counters: row.counters,
            max_inc: row.max_inc,
            printed_max: row.max_inc.filter(|_| !row.is_of_lists()),
            of_lists: row.is_of_lists(),
            needs: Needs::parse(kind, &row.filter, &row.subevent)?,
        };
        if let Some((_, counter)) = field(event.kind, "counter") {
            let number = deposit(counter, row.counters.trailing_zeros().into());
            let (_, select) = field(event.kind, "event").expect("an event select");
            let above = number >> select.trailing_zeros();
            event.code |= u8::try_from(above).expect("8 bits");
        }
        Ok(event)
    }

    /// Returns the file under `events/` that offers this row, `None` if there must be
    /// none.
    ///
    /// The fixed counter has the name `clockticks`, so the event of that name
    /// on general counters of the same box is `clockticks_general`.
    pub fn name(&self) -> Option<String> {
        if self.needs.undocumented || self.ext.is_none() || oddities().is_nameless(self) {
            return None;
        }
        if self.kind.has_fixed() && self.event == "CLOCKTICKS" {
            return Some("clockticks_general".to_owned());
        }
        let mut name = self.event.to_lowercase();
        if !self.subevent.is_empty() {
            name.push('.');
            name.push_str(&self.subevent.to_lowercase());
        }
        Some(name)
    }

    /// Returns true if the event counts clocks: one in every cycle.
    pub fn is_clock(&self) -> bool {
        ["CLOCKTICKS", "DCLOCKTICKS", "CLOCKTICKS_P", "CYCLES"].contains(&&*self.event)
    }

    /// Returns the counters that the driver may use: where the sources disagree, those that
    /// are right by all of them (U-32 in Documentation/hardware/uncertain.rst, B-13 in
    /// bdx.rst).
    pub fn placement(&self) -> u8 {
        oddities().placement(self)
    }
}

fn oddities() -> &'static Oddities {
    &Processor::current().description().oddities
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_lines_are_named() {
        let row = |change: fn(&mut uncore_catalogue::Row)| {
            let mut row = uncore_catalogue::rows()[0].clone();
            change(&mut row);
            Row::of(&row).expect_err("malformed")
        };
        let filter = row(|row| row.filter = "F7.xyz".to_owned());
        assert_eq!(filter, "unknown filter `F7.xyz`");
        let kind = row(|row| row.kind = "core".to_owned());
        assert_eq!(kind, "unknown box `core`");
    }
}
