// SPDX-License-Identifier: GPL-2.0

//! Events and sub-events that do not exist.

use super::Refusal;
use crate::catalogue::{is_numbered, EventFacts, FIXED_EVENT};
use crate::formats::{self, field, selected};
use crate::prelude::*;

/// COUNTER0_OCCUPANCY of the C-Box is refused alone, whatever its umask.
const COUNTER0_OCCUPANCY: u8 = 0x1f;

pub(super) fn refusals(taken: &[(BoxKind, u64)]) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    for (kind, ext, code) in selects() {
        match Catalogue::get().facts(kind, ext, code) {
            Some(facts) if is_offered(kind, ext, code) => {
                refusals.extend(sub_events(kind, ext, code, facts));
            }
            _ => refusals.extend(event(kind, ext, code, taken)),
        }
    }
    refusals
}

/// Every event select of every box.
fn selects() -> impl Iterator<Item = (BoxKind, bool, u8)> {
    let of_kind = |kind: BoxKind| {
        let extended = kind.has_extended_select();
        let exts = [false, true]
            .into_iter()
            .filter(move |ext| extended || !ext);
        let all = exts.flat_map(move |ext| (0..=255).map(move |code| (kind, ext, code)));
        // Those that the fields can hold.
        all.filter(|&(kind, ext, code)| {
            let word = formats::select(kind, ext, code);
            selected(kind, &[word]) == (ext, code)
        })
    };
    BoxKind::all().flat_map(of_kind)
}

/// Returns true if any row of an event has a name.
fn is_offered(kind: BoxKind, ext: bool, code: u8) -> bool {
    let mut rows = Catalogue::get().of(kind);
    rows.any(|row| (row.ext, row.code) == (Some(ext), code) && row.name().is_some())
}

fn request(kind: BoxKind, setting: Setting) -> Probe {
    Probe::raw(kind, 0, setting)
}

fn select(ext: bool, code: u8, umask: u8) -> Setting {
    Setting {
        ext,
        ..Setting::event(code, umask)
    }
}

/// Returns the refusal of an event that no row has, or none with a name. `None` for an event that
/// counts without a row, and for one whose extended select is not known.
fn event(kind: BoxKind, ext: bool, code: u8, taken: &[(BoxKind, u64)]) -> Option<Refusal> {
    let words = request(kind, select(ext, code, 0)).words();
    let fixed = kind.has_fixed() && code == FIXED_EVENT;
    let always_runs = taken.contains(&(kind, words.0[0]));
    let mut rows = Catalogue::get().of(kind);
    let unsure = rows.any(|row| row.ext.is_none() && row.code == code);
    if fixed || always_runs || unsure {
        return None;
    }
    let joins = Processor::current().description().oddities.joins;
    let joined = joins.filter(|(of, bit)| *of == kind && code & bit != 0);
    if joined.is_some_and(|(_, bit)| is_offered(kind, ext, code & !bit)) {
        return Some(Refusal::bad(&kind.box_name(0), words, &["occ_sel"]));
    }
    // Several fields select the event of these.
    let fields = match kind {
        BoxKind::Mbox if ext => ["flag_mode", "set_flag_sel"],
        _ => ["event", "counter"],
    };
    let values: Vec<String> = if field(kind, fields[1]).is_some() {
        // Fields that are 0 are not said.
        fields
            .map(|name| (name, formats::value(kind, name, &words.0)))
            .into_iter()
            .filter(|(_, value)| *value != 0)
            .map(|(name, value)| format!("{name}={value:#04x}"))
            .collect()
    } else {
        vec![format!("{:#04x}", u16::from(ext) << 8 | u16::from(code))]
    };
    let values = values.iter().map(String::as_str);
    let reason: Vec<&str> = std::iter::once("event").chain(values).collect();
    Some(Refusal::bad(&kind.box_name(0), words, &reason))
}

/// Returns the refusals of umask bits that no row of the event has, and of an empty umask
/// if each row has a bit; of all other umasks if they are numbers.
fn sub_events(kind: BoxKind, ext: bool, code: u8, facts: &EventFacts) -> Vec<Refusal> {
    if (kind, code) == (BoxKind::Cbox, COUNTER0_OCCUPANCY) {
        return Vec::new();
    }
    // The PCU has only bits 7:6, its occ_sel.
    let (name, bits) = match kind {
        BoxKind::Pcu => ("occ_sel", 6..8),
        _ => ("umask", 0..8),
    };
    let bad = |umask, reason: &[&str]| {
        let words = request(kind, select(ext, code, umask)).words();
        Refusal::bad(&kind.box_name(0), words, reason)
    };
    if kind != BoxKind::Pcu && field(kind, "umask").is_none() {
        return Vec::new();
    }
    if is_numbered(kind, code) {
        let is_row = |umask: &u8| {
            let mut rows = Catalogue::get().of(kind);
            rows.any(|row| (row.code, row.umask) == (code, *umask))
        };
        let others = (0..=255).filter(|umask| !is_row(umask));
        return others.map(|umask| bad(umask, &[name])).collect();
    }
    let absent = bits.map(|bit| 1 << bit);
    let absent = absent.filter(|umask| facts.umask_bits & umask == 0);
    let mut refusals: Vec<Refusal> = absent.map(|umask| bad(umask, &[name])).collect();
    if !facts.plain {
        refusals.push(bad(0, &[name]));
    }
    refusals
}
