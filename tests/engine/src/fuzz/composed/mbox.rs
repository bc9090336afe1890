// SPDX-License-Identifier: GPL-2.0

//! M-Box: inc_sel, or set_flag_sel with flag_mode, and sub-registers that the catalogue names
//! (sections 6, 7, 13 and 15).

use super::{joined, masked, registers, Composed, Event, Taste, Words};
use crate::fuzz::rng::Rng;
use uncore_catalogue::Row;

/// inc_sel, set_flag_sel, flag_mode and wrap_mode; two sub-registers; match, mask and enable of
/// the address.
pub(super) const OWNED: Words = [SELECT | WRAP, !0, ADDRESS];

const SELECT: u64 = 0x1f << 9 | 0x7 << 19 | FLAG;
const FLAG: u64 = 1 << 7;
/// Is always set.
const WRAP: u64 = 1 << 6;
const ADDRESS: u64 = ENABLE | ((1 << 61) - 1);
const ENABLE: u64 = 1 << 63;

const LOW: u64 = 0xffff_ffff;
const HIGH: u64 = LOW << 32;

/// Of ZDP_CTL_FVC the fields that its four events share: fvid, bcmd, resp and pbox_init_err.
const FVC: u64 = 0x80_07ff;
/// The first and the last inc_sel with it.
const FVC_EVENTS: std::ops::RangeInclusive<u64> = 0x0d..=0x10;
/// The inc_sel that look at the address.
const OF_ADDRESS: [u64; 2] = [0x0a, 0x0b];

/// The sub-registers in the words.
const PLACES: [(&str, Words); 6] = [
    ("DSP", [0, LOW, 0]),
    ("MSC_THR", [0, LOW, 0]),
    ("ISS", [0, LOW, 0]),
    ("PGT", [0, LOW, 0]),
    ("MAP", [0, LOW, 0]),
    ("PLD", [0, HIGH, 0]),
];

pub(super) fn event(words: &Words) -> Option<Event> {
    let (inc, set_flag) = (words[0] >> 9 & 0x1f, words[0] >> 19 & 0x7);
    let flag = words[0] & FLAG != 0;
    let (code, other) = if flag {
        (set_flag, inc)
    } else {
        (inc, set_flag)
    };
    let is_it = |row: &&Row| (u64::from(row.code), row.ext) == (code, Some(flag));
    let mut rows = Composed::Mbox.rows();
    rows.retain(is_it);
    let counters = rows.first().filter(|_| other == 0)?.counters;
    let named = |name| {
        let mut all = rows.iter().flat_map(|row| registers(row));
        all.any(|(of_row, _)| of_row == name)
    };
    let mut parts: Vec<((&str, u64), Words)> = PLACES
        .iter()
        .filter(|(name, _)| named(*name))
        .map(|&(name, mask)| ((name, 0), mask))
        .collect();
    if !flag && FVC_EVENTS.contains(&inc) {
        let number = inc - FVC_EVENTS.start();
        parts.push((("FVC", 0), [0, FVC, 0]));
        parts.push((("evnt", number), [0, 0x7 << (11 + 3 * number), 0]));
    }
    if !flag && OF_ADDRESS.contains(&inc) {
        parts.push((("address", 0), [0, 0, ADDRESS]));
    }
    let select = [SELECT | WRAP, 0, 0];
    let uses = parts
        .iter()
        .fold(select, |uses, (_, mask)| joined(&uses, mask));
    // Of no queue state at all there is nothing to count.
    let needs = if named("DSP") { [0, LOW, 0] } else { [0; 3] };
    let shares = parts
        .iter()
        .map(|(part, mask)| (*part, masked(words, mask)));
    Some(Event {
        counters,
        uses,
        needs,
        useless: words[2] & ADDRESS != 0 && words[2] & ENABLE == 0,
        shares: shares.collect(),
    })
}

pub(super) fn words(rng: &mut Rng, taste: &Taste, row: &Row) -> Words {
    let code = u64::from(row.code);
    let select = if row.ext == Some(true) {
        FLAG | code << 19
    } else {
        code << 9
    };
    let mut words = [select | rng.number() & WRAP, 0, 0];
    for (name, value) in registers(row) {
        let shift = if name == "PLD" { 32 } else { 0 };
        words[1] |= value << shift;
    }
    if row.ext == Some(false) && OF_ADDRESS.contains(&code) && rng.chance(40) {
        words[2] = ENABLE | taste.value(rng) & ADDRESS;
    }
    words
}
