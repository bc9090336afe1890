// SPDX-License-Identifier: GPL-2.0

//! Clocks of the boxes: for each type of box an event that counts one in every cycle. A
//! wrap takes as many cycles as the counter has values.

use uncore_e2e::formats::field;
use uncore_e2e::prelude::*;

/// Returns true for boxes whose general counters interrupt.
fn interrupts(kind: BoxKind) -> bool {
    field(kind, "interval").is_some()
}

/// Returns the clocks of the boxes that interrupt, except for the fixed counter of the
/// UBox, whose width is uncertain.
pub(crate) fn interrupting() -> Vec<Probe> {
    let shape = Shape::of(&Config::default());
    let kinds = BoxKind::all().filter(|&kind| interrupts(kind));
    let of_last = kinds.filter_map(|kind| Some(Probe::clock(kind)?.on(shape.most(kind) - 1)));
    of_last.chain([Probe::imc(0, "clockticks")]).collect()
}

/// Returns one box of each type that interrupts.
pub(crate) fn boxes() -> Vec<Probe> {
    let others = interrupting().into_iter();
    let others = others.filter(|probe| probe.kind != BoxKind::Ubox);
    others.chain([Probe::ubox("clockticks")]).collect()
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

fn first_event(kind: BoxKind) -> Option<Probe> {
    let name = Catalogue::get().of(kind).next()?.name()?;
    Some(Probe::new(kind, 0, &name))
}

/// Returns the clocks of the boxes that do not interrupt: of the first box of a type, of
/// both sets of the IRP. A type without such an event has another one.
pub(crate) fn polled() -> Vec<Probe> {
    let kinds = BoxKind::all().filter(|&kind| !interrupts(kind));
    let clocks = kinds.filter_map(|kind| Probe::clock(kind).or_else(|| first_event(kind)));
    let of_sets = |probe: Probe| match probe.kind {
        BoxKind::Irp => vec![probe.on(0), probe.on(1)],
        _ => vec![probe],
    };
    clocks.flat_map(of_sets).collect()
}
