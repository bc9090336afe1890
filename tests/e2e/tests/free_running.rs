// SPDX-License-Identifier: GPL-2.0

//! Traffic that flows with the guest's time: counts only grow, clocks run at
//! their rates, and signals keep their share of the clocks.

use uncore_e2e::perf::{estimate, Count};
use uncore_e2e::prelude::*;

const UCLK_HZ: f64 = 2.4e9;

/// Tolerance for rates: emulated time is the host's, so only the magnitude is checked.
const RATE_TOLERANCE: f64 = 0.5;

/// Tolerance for ratios: clocks and signals are read one after the other while they run.
const RATIO_TOLERANCE: f64 = 0.05;

fn free_running() -> Config {
    Config::default().with("free-run", "on")
}

/// Returns perf's line for each event after two seconds, in package 1.
fn two_seconds(session: &mut Session, probes: &[Probe]) -> Vec<Count> {
    let name = |index: usize| format!("event{index}");
    let events: Vec<_> = (0..)
        .zip(probes)
        .map(|(i, p)| p.event().named(name(i)))
        .collect();
    let stat = Stat::of("sleep 2")
        .option("--per-socket")
        .event_list(&events);
    let table = session.stat(&stat);
    let line = |index| {
        let line = table.at(&name(index), Place::Socket(1));
        line.expect("a line").clone()
    };
    (0..probes.len()).map(line).collect()
}

fn value(count: &Count) -> f64 {
    count.value.expect("a value")
}

/// Returns the share of the box's clocks that an event counts.
fn share(probe: &Probe) -> f64 {
    let long = 1 << 26;
    let clocks = probe.kind.cycles(long);
    estimate(probe.count(1, long)) / estimate(clocks)
}

/// Compares the shares of events with the first event, a clock of the same box.
fn keep_their_share(probes: &[Probe], counts: &[Count]) {
    let clock = value(&counts[0]);
    for (probe, count) in probes.iter().zip(counts).skip(1) {
        let (seen, share) = (value(count) / clock, share(probe));
        let near = (seen / share - 1.0).abs() < RATIO_TOLERANCE;
        assert!(near, "{probe:?}: {seen}, not {share}: {count:?}");
    }
}

#[test]
fn clocks_run_at_their_rates() {
    on(&free_running(), |session| {
        let clocks = [
            Probe::cbox(0, "clockticks"),
            Probe::imc(0, "clockticks"),
            Probe::imc(0, "dclockticks"),
            Probe::ubox("clockticks"),
            Probe::ha(0, "clockticks"),
            Probe::irp(1, "clockticks"),
            Probe::pcu("clockticks"),
            Probe::qpi(0, "clockticks"),
            Probe::r2pcie("clockticks"),
            Probe::r3qpi(0, "clockticks"),
        ];
        let counts = two_seconds(session, &clocks);
        let uclk = value(&counts[0]);
        let expected = 2.0 * UCLK_HZ;
        assert!(
            (uclk / expected - 1.0).abs() < RATE_TOLERANCE,
            "{uclk} in 2 s"
        );
        for (clock, count) in clocks.iter().zip(&counts) {
            let long = 1 << 26;
            let ratio = estimate(clock.kind.cycles(long)) / estimate(long);
            let seen = value(count) / uclk;
            assert!(
                (seen / ratio - 1.0).abs() < RATIO_TOLERANCE,
                "{clock:?}: {seen} of uclk"
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
        let counts = two_seconds(session, &signals);
        keep_their_share(&signals, &counts);
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
            Probe::ha(1, "bt_occupancy.remote"),
            Probe::irp(0, "cache_total_occupancy.any"),
            Probe::pcu("power_state_occupancy.cores_c0"),
            Probe::qpi(1, "rxl_occupancy"),
            Probe::r2pcie("rxr_occupancy.drs"),
            Probe::r3qpi(0, "rxr_occupancy.hom"),
        ] {
            let mut steps = vec![probe.open("event", 0)];
            for _ in 0..20 {
                steps.push("read event".to_owned());
                steps.push("run usleep 10000".to_owned());
            }
            let answers = session.perf_open(&steps);
            let seen: Vec<u64> = reads(&answers, "event").into_iter().flatten().collect();
            assert_eq!(seen.len(), 20);
            assert!(
                seen.windows(2).all(|pair| pair[0] < pair[1]),
                "{probe:?}: {seen:?}"
            );
        }
    });
}

/// A PCI counter is read in two halves, and the lower may carry into the upper between
/// them: a torn read is off by 2^32. The test sets the counter closer and closer to the
/// carry, one 2^32 further each time.
#[test]
fn a_carry_between_two_halves_does_not_show() {
    const TIMES: u64 = 200;
    const HALF: u64 = 1 << 32;
    on(&free_running(), |session| {
        let mut steps = vec![
            "machine preload 0 imc_0 fixed 0".to_owned(),
            Probe::imc(0, "clockticks").open("event", 0),
            "read event".to_owned(),
        ];
        for time in 1..=TIMES {
            let start = time * HALF - (TIMES - time) * 250;
            steps.push(format!("machine preload 0 imc_0 fixed {start:#x}"));
            steps.push("read event".to_owned());
        }
        let answers = session.perf_open(&steps);
        let seen: Vec<u64> = reads(&answers, "event").into_iter().flatten().collect();
        assert_eq!(seen.len() as u64, TIMES + 1);
        for (time, value) in (0..).zip(&seen) {
            let halves = (value - seen[0] + HALF / 2) / HALF;
            assert_eq!(halves, time, "{seen:?}");
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
