// SPDX-License-Identifier: GPL-2.0

//! Clocks of the boxes: for each type of box an event that counts one in every cycle. A
//! wrap takes as many cycles as the counter has values.

use uncore_e2e::prelude::*;

pub(crate) struct Clock {
    /// Probe that counts the clock.
    pub(crate) probe: Probe,
    /// Bits of its counter.
    pub(crate) width: u32,
}

impl Clock {
    fn new(probe: Probe, width: u32) -> Self {
        Self { probe, width }
    }
}

/// Returns the clocks of the boxes that interrupt, except for the fixed counter of the
/// UBox, whose width is uncertain.
pub(crate) fn interrupting() -> [Clock; 8] {
    [
        Clock::new(Probe::ha(0, "clockticks"), 48),
        Clock::new(Probe::imc(0, "clockticks"), 48),
        Clock::new(Probe::imc(7, "dclockticks"), 48),
        Clock::new(Probe::pcu("clockticks"), 48),
        Clock::new(Probe::qpi(1, "clockticks"), 48),
        Clock::new(Probe::r2pcie("clockticks"), 44),
        Clock::new(Probe::r3qpi(0, "clockticks"), 44),
        Clock::new(Probe::ubox("clockticks_general"), 44),
    ]
}

/// Returns one box of each type that interrupts.
pub(crate) fn boxes() -> Vec<Probe> {
    let clocks = interrupting().into_iter().map(|clock| clock.probe);
    let others = clocks.filter(|probe| probe.kind != BoxKind::Ubox);
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

/// Returns the clocks of the boxes that do not interrupt.
pub(crate) fn polled() -> [Probe; 3] {
    [
        Probe::new(BoxKind::Cbox, 0, "clockticks"),
        Probe::new(BoxKind::Irp, 0, "clockticks"),
        Probe::new(BoxKind::Irp, 1, "clockticks"),
    ]
}
