// SPDX-License-Identifier: GPL-2.0

//! Loading and unloading while counters overflow, and the driver's own choice of an
//! overflow mode.

use crate::overflow::clocks::boxes;
use crate::overflow::traffic::{Traffic, INTERVAL};
use crate::overflow::{without_unknown_nmis, CPUS};
use std::time::Duration;
use uncore_e2e::prelude::*;

platforms!(; e5);

const LOAD: &str = "insmod /lib/modules/uncore_rs.ko";

fn without_driver() -> Config {
    Config::of(Driver::None)
}

/// The events are closed and the module is unloaded while overflows, and perhaps an
/// interrupt, are still to come.
#[test]
fn unloading_with_overflows_on_their_way_leaves_nothing() {
    let rounds = if repeats_all() { 200 } else { 5 };
    let config = Config {
        timeout: Some(Duration::from_secs(600)),
        ..without_driver()
    };
    without_unknown_nmis(&config.with("numc", "3"), |session| {
        let before = session.state_after_unloading();
        let clocks = [Probe::ha(0, "clockticks"), Probe::ubox("clockticks")];
        let open = |(name, probe): (&str, &Probe)| {
            let step = probe.open_every(name, CPUS[0], INTERVAL);
            format!("'{step}'")
        };
        let opens: Vec<String> = ["a", "b"].into_iter().zip(&clocks).map(open).collect();
        let burst = 1000 * INTERVAL;
        session.ok(&format!(
            "for i in $(seq {rounds}); do {LOAD} overflow=pmi frozen_limit=100 && \
             perf-open {} 'machine burst-through {burst}' >/dev/null && \
             rmmod uncore_rs && machine burst-through 0 || exit 1; done",
            opens.join(" ")
        ));
        assert_eq!(session.state(), before);
        let interrupts = session.interrupts();
        assert!(interrupts.packages[0]["raised"] >= rounds, "{interrupts:?}");
        session.ok(&format!("{LOAD} overflow=pmi frozen_limit=100"));
        Traffic::new(&boxes(), 10).flow(session);
        session.ok("rmmod uncore_rs");
        assert_eq!(session.state(), before);
    });
}
