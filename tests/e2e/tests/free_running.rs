// SPDX-License-Identifier: GPL-2.0

//! Traffic that flows with the guest's time: counts only grow, clocks run at
//! their rates, and signals keep their share of the clocks.

use ivbep_e2e::fixture::probe::Probe;
use ivbep_e2e::fixture::{on, Session};
use ivbep_e2e::perf::{estimate, Place, Stat};
use ivbep_e2e::Config;

const UCLK_HZ: f64 = 2.4e9;

/// Emulated time is the host's: the test only asks for the right magnitude.
const RATE_TOLERANCE: f64 = 0.5;

/// Clocks and signals are read one after the other while they run.
const RATIO_TOLERANCE: f64 = 0.05;

fn free_running() -> Config {
    Config::default().with("free-run", "on")
}

fn two_seconds(session: &mut Session, probes: &[Probe]) -> Vec<f64> {
    let name = |index: usize| format!("event{index}");
    let events: Vec<_> = (0..)
        .zip(probes)
        .map(|(i, p)| p.event().named(name(i)))
        .collect();
    let stat = Stat::of("sleep 2")
        .option("--per-socket")
        .event_list(&events);
    let table = session.stat(&stat);
    let value = |index| {
        let line = table.at(&name(index), Place::Socket(1)).expect("a line");
        line.value.expect("a value")
    };
    (0..probes.len()).map(value).collect()
}

#[test]
fn clocks_run_at_their_rates() {
    on(&free_running(), |session| {
        let clocks = [
            Probe::cbox(0, "clockticks"),
            Probe::imc(0, "clockticks"),
            Probe::imc(0, "dclockticks"),
            Probe::ubox("clockticks"),
        ];
        let [cbox, fixed, dclk, ubox] = two_seconds(session, &clocks)[..] else {
            panic!("four values");
        };
        let expected = 2.0 * UCLK_HZ;
        assert!(
            (cbox / expected - 1.0).abs() < RATE_TOLERANCE,
            "{cbox} in 2 s"
        );
        for (name, clock, ratio) in [
            ("imc clockticks", fixed, 7.0 / 18.0),
            ("imc dclockticks", dclk, 7.0 / 18.0),
            ("ubox clockticks", ubox, 1.0),
        ] {
            let seen = clock / cbox;
            assert!(
                (seen / ratio - 1.0).abs() < RATIO_TOLERANCE,
                "{name}: {seen} of uclk"
            );
        }
    });
}

#[test]
fn signals_keep_their_share() {
    on(&free_running(), |session| {
        let signals = [
            Probe::cbox(0, "clockticks"),
            Probe::cbox(0, "llc_victims.m_state"),
            Probe::cbox(0, "misc.started"),
        ];
        let seen = two_seconds(session, &signals);
        for (signal, value) in signals.iter().zip(&seen).skip(1) {
            let long = 1 << 26;
            let share = estimate(signal.count(1, long)) / estimate(long);
            let seen = value / seen[0];
            assert!(
                (seen / share - 1.0).abs() < RATIO_TOLERANCE,
                "{signal:?}: {seen}, not {share}"
            );
        }
    });
}

#[test]
fn counts_only_grow() {
    on(&free_running(), |session| {
        for probe in [
            Probe::cbox(1, "tor_occupancy.all"),
            Probe::imc(2, "cas_count.rd"),
            Probe::imc(2, "clockticks"),
            Probe::ubox("clockticks"),
        ] {
            let mut steps = vec![probe.open("event", 0)];
            for _ in 0..20 {
                steps.push("read event".to_owned());
                steps.push("run usleep 10000".to_owned());
            }
            let answers = session.perf_open(&steps);
            let value = |answer: &String| answer.split(' ').nth(1)?.parse::<u64>().ok();
            let seen: Vec<u64> = answers.iter().filter_map(value).collect();
            assert_eq!(seen.len(), 20);
            assert!(
                seen.windows(2).all(|pair| pair[0] < pair[1]),
                "{probe:?}: {seen:?}"
            );
        }
    });
}

#[test]
fn it_can_be_switched_off_and_bursts_are_exact_again() {
    on(&free_running(), |session| {
        session.machine("free-run off");
        let probe = Probe::cbox(0, "misc.started");
        session.counts(1_000_000, &[0, 1], &[probe.into()]);
        session.machine("free-run on");
    });
}
