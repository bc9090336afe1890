// SPDX-License-Identifier: GPL-2.0

//! The bands of the PCU: frequencies, and reasons of demotions.

use crate::expect::{rule, Rule, REASONS};
use crate::prelude::*;

pub(super) fn settings() -> Vec<Probe> {
    [frequencies(), demotions()].concat()
}

/// Frequencies are 12 to 34: below all blocks count, above none.
fn frequencies() -> Vec<Probe> {
    let band = |band: u8| {
        let values = [1, 12, 13, 20 + band, 33, 34, 35, 0xff];
        values.map(|value| Probe::pcu(&format!("freq_band{band}_cycles")).band(band, value))
    };
    (0..4).flat_map(band).collect()
}

/// Every reason on several cores, if such events have one, each core with several reasons; 0x04 is no
/// reason of anything.
fn demotions() -> Vec<Probe> {
    let reasons: Vec<u8> = REASONS.into_iter().chain([0x04]).collect();
    let of_core = |core: usize| {
        let chosen = [core, core + 3, core + 7].map(|index| reasons[index % reasons.len()]);
        chosen.map(|reason| Probe::pcu(&format!("demotions_core{core}")).band(0, reason))
    };
    let is_one = |row: &&Row| rule(row.kind, &Setting::row(row)) == Some(Rule::Demotions);
    let cores = Catalogue::get().of(BoxKind::Pcu).filter(is_one).count();
    (0..cores).flat_map(of_core).collect()
}
