// SPDX-License-Identifier: GPL-2.0

//! Days of counting on every counter of every box. The counts follow from the definition of the
//! traffic: none may be lost, however often the counters wrap.

use super::{
    boxes::{events, load_all, Watched, MACHINE},
    *,
};
use crate::computer::number_of;
use uncore_e2e::prelude::{BoxKind, Config, Shape};

/// Minutes that pass in `make test`, and in a day.
const MINUTES: u64 = 6 * 60;
const DAY: u64 = 24 * 60;

/// Cycles of uclk in a minute, in which the fastest counter does not wrap twice.
const MINUTE: u64 = 60 * 2_400_000_000;

fn soak(overflow: &str) {
    let minutes = number_of("UNCORE_DAYS").map_or(MINUTES, |days| days * DAY);
    on_computer(MACHINE, |host| {
        let _driver = free_running(|| load_all(overflow)).expect("the driver loads");
        let shape = Shape::of(&Config::default());
        let mut all = Vec::new();
        for kind in BoxKind::all() {
            // Both sets of the IRP are in one box.
            let boxes = if kind == BoxKind::Irp {
                1
            } else {
                shape.most(kind)
            };
            for instance in 0..boxes {
                let probes = events(kind, instance);
                let opened = probes
                    .iter()
                    .flat_map(|probe| [0, 2].map(|cpu| Watched::open(probe, cpu)));
                all.extend(opened.map(|opened| opened.expect("a free counter")));
            }
        }
        (0..minutes).for_each(|_| host.traffic(MINUTE));
        let mut wraps = 0;
        for one in &all {
            let expected = one.after(minutes, MINUTE);
            assert_eq!(one.event.read(), expected, "{:?}", one.probe);
            wraps += expected >> one.probe.kind.width();
        }
        assert!(wraps > 20, "{wraps}");
        assert_eq!(statistic("taken") > 0, overflow == "pmi");
    });
}

#[test]
fn polls_lose_nothing_in_days() {
    soak("poll");
}

#[test]
fn interrupts_lose_nothing_in_days() {
    soak("pmi");
}
