// SPDX-License-Identifier: GPL-2.0

//! Loading and unloading while counters overflow, and the driver's own choice of an
//! overflow mode.

use crate::overflow::clocks::boxes;
use crate::overflow::traffic::{Traffic, INTERVAL};
use crate::overflow::{few_or, without_unknown_nmis, CPUS};
use std::time::Duration;
use uncore_e2e::prelude::*;

const LOAD: &str = "insmod /lib/modules/uncore_rs.ko";

fn without_driver() -> Config {
    Config::of(Driver::None)
}

/// The events are closed and the module is unloaded while overflows, and perhaps an
/// interrupt, are still to come.
#[test]
fn unloading_with_overflows_on_their_way_leaves_nothing() {
    let rounds = few_or(200);
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

/// Loads the driver, opens events with an interval with or without traffic, and returns
/// what became of them and the overflow mode of each package meanwhile.
fn tried_with(session: &mut Session, traffic: &str, cpus: [u16; 2]) -> (Vec<String>, Vec<String>) {
    const MODES: &str = "/tmp/modes";
    // A slow computer needs longer for the self-test than the limit allows.
    session.ok(&format!("{LOAD} frozen_limit=100"));
    session.machine(&format!("free-run {traffic}"));
    let clock = Probe::ha(0, "clockticks");
    let [first, second] =
        cpus.map(|cpu| clock.open_every(&format!("event{cpu}"), cpu, u32::MAX.into()));
    let answers = session.perf_open(&[
        format!("try {first}"),
        format!("try {second}"),
        format!("run grep ^package /sys/kernel/debug/uncore_rs/overflow >{MODES}"),
    ]);
    session.machine("free-run off");
    let modes = session.ok(&format!("cat {MODES}"));
    (answers, modes.lines().map(str::to_owned).collect())
}

/// The driver can test interrupts only if there is traffic, and takes them only if its own
/// overflow interrupts a CPU.
#[test]
fn by_itself_it_takes_what_works() {
    without_unknown_nmis(&without_driver().with("numc", "3"), |session| {
        for (traffic, pmi, mode) in [
            ("on", "normal", ": pmi: "),
            ("off", "normal", ": poll: the counter of the self-test"),
            ("on", "drop", ": poll: an overflow interrupted no CPU"),
        ] {
            session.machine(&format!("pmi {pmi}"));
            let (answers, modes) = tried_with(session, traffic, CPUS);
            session.machine("pmi normal");
            assert_eq!(modes.len(), 2);
            assert!(
                modes.iter().all(|is| is.contains(mode)),
                "{answers:?} {modes:?}"
            );
            if mode.starts_with(": pmi") {
                Traffic::new(&boxes(), 10).flow(session);
            }
            session.ok("rmmod uncore_rs");
        }
    });
}

/// The bits of pmi_core_sel stand for cores with other numbers: the self-test finds the
/// core of each bit.
#[test]
fn it_finds_the_bit_of_a_core() {
    let config = without_driver()
        .with("cores", "3")
        .with("core-map", "1+2+0");
    without_unknown_nmis(&config, |session| {
        let (answers, modes) = tried_with(session, "on", [0, 3]);
        assert_eq!(modes.len(), 2);
        assert!(
            modes.iter().all(|mode| mode.contains(": pmi: ")),
            "{answers:?} {modes:?}"
        );
        Traffic::on_cpus(&boxes(), 10, [0, 3]).flow(session);
        session.ok("rmmod uncore_rs");
    });
}
