// SPDX-License-Identifier: GPL-2.0

//! Clocks of the boxes that interrupt: for each type of box an event that counts one in every cycle.

use uncore_e2e::formats::field;
use uncore_e2e::prelude::*;

/// Returns one box of each type that interrupts.
pub(crate) fn boxes() -> Vec<Probe> {
    let shape = Shape::of(&Config::default());
    let kinds = BoxKind::all().filter(|&kind| field(kind, "interval").is_some());
    let kinds = kinds.filter(|&kind| kind != BoxKind::Ubox);
    let of_last = kinds.filter_map(|kind| Some(Probe::clock(kind)?.on(shape.most(kind) - 1)));
    let fixed = [Probe::imc(0, "clockticks"), Probe::ubox("clockticks")];
    of_last.chain(fixed).collect()
}

/// Returns every box that interrupts.
pub(crate) fn all_boxes() -> Vec<Probe> {
    let shape = Shape::of(&Config::default());
    let mut all = Vec::new();
    for probe in boxes() {
        let known = |other: &Probe| other.kind == probe.kind;
        if !all.iter().any(known) {
            all.extend((0..shape.most(probe.kind)).map(|instance| probe.on(instance)));
        }
    }
    all
}
