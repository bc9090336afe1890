// SPDX-License-Identifier: GPL-2.0

//! CPUs that go offline and come back while events count.
//!
//! CPU 0 cannot be taken offline. So package 1 (CPUs 2 and 3) loses the CPU that counts
//! for it, and at last both.

use crate::driver::{one_of_each_type, two_of_a_cbox, usual_machine, BURST};
use uncore_e2e::prelude::*;

fn pmu() -> String {
    BoxKind::Cbox.pmu(0)
}

/// Returns the number of C-Boxes of a package.
fn cboxes() -> u8 {
    Shape::of(&usual_machine()).most(BoxKind::Cbox)
}

/// Overflow modes of a box in configuration space, if no traffic flows while the driver
/// is loaded and no CPU of package 1 is online.
const ONE_OFFLINE: &str = "package 0: poll: no running event needs interrupts\n\
                           package 1: poll: no CPU of the package is online\n";

fn overflow(session: &mut Session) -> String {
    let channel = BoxKind::Imc.pmu(0);
    session.ok(&format!("cat {DEVICES}/{channel}/caps/overflow"))
}

/// An event of each type of box, and more of some.
fn probes() -> Vec<Probe> {
    let more = match Platform::current() {
        Platform::Ivbep | Platform::Bdx => more_of_xeons(),
        _ => Vec::new(),
    };
    one_of_each_type().into_iter().chain(more).collect()
}

fn more_of_xeons() -> Vec<Probe> {
    vec![
        Probe::cbox(0, "llc_lookup.any"),
        Probe::imc(5, "clockticks"),
        Probe::irp(1, "cache_total_occupancy.source"),
        Probe::ha(1, "addr_opc_match.ad").home_opcode(0x3f),
        Probe::pcu("power_state_occupancy.cores_c3")
            .thresh(4)
            .occ_edge(),
    ]
}

#[test]
fn counting_goes_on_exactly_on_another_cpu() {
    platforms!(; e5 e7);
    on(&usual_machine(), |session| {
        for probe in probes() {
            let each = probe.count(1, BURST);
            let burst = format!("burst {BURST}");
            let answers = session.perf_open(&[
                probe.open("event", 2),
                burst.clone(),
                format!("run {}", switch(2, false)),
                burst.clone(),
                "read event".to_owned(),
                format!("run {}", switch(2, true)),
                burst.clone(),
                "read event".to_owned(),
                format!("run {}", switch(3, false)),
                burst,
                "read event".to_owned(),
                format!("run {}", switch(3, true)),
            ]);
            let counted = [2 * each, 3 * each, 4 * each].map(Some);
            assert_eq!(reads(&answers, "event"), counted, "{probe:?}");
        }
    });
}

#[test]
fn the_cpumask_follows() {
    platforms!(; e5 e7);
    on(&usual_machine(), |session| {
        let pmus: Vec<_> = BoxKind::all().map(|kind| kind.pmu(0)).collect();
        for (cpu, offline_mask) in [(2, [0, 3]), (3, [0, 2])] {
            session.ok(&switch(cpu, false));
            for pmu in &pmus {
                assert_eq!(
                    session.cpumask(pmu),
                    offline_mask,
                    "{pmu} without CPU {cpu}"
                );
            }
            session.ok(&switch(cpu, true));
            for pmu in &pmus {
                let mask = session.cpumask(pmu);
                assert!(mask == [0, 2] || mask == [0, 3], "{pmu}: {mask:?}");
            }
        }
    });
}

#[test]
fn new_events_are_opened_on_the_cpu_that_is_left() {
    platforms!(; e5 e7);
    on(&usual_machine(), |session| {
        session.ok(&switch(2, false));
        let all = Wanted::all(probes());
        session.counts(BURST, Platform::packages(), &all);
        session.ok(&switch(2, true));
        session.counts(BURST, Platform::packages(), &all);
    });
}

/// A residency belongs to a core. When its CPU goes offline, the event continues on the
/// next core, without a jump between the two.
#[test]
fn a_residency_goes_on_with_the_next_core() {
    platforms!(; e5);
    on(&usual_machine(), |session| {
        let pmu = BoxKind::Pcu.pmu(0);
        let first = session.cpumask(&pmu)[1];
        let second = if first == 2 { 3 } else { 2 };
        let cores = [first, second].map(|cpu| session.core_of(cpu));
        for residency in Residency::ALL {
            let config = session.event_config(&pmu, residency.event());
            let burst = format!("burst {BURST}");
            let answers = session.perf_open(&[
                format!("open event pmu={pmu} config={config:#x} cpu={first}"),
                burst.clone(),
                "read event".to_owned(),
                format!("run {}", switch(first, false)),
                burst,
                "read event".to_owned(),
                format!("run {}", switch(first, true)),
            ]);
            let [before, after] = cores.map(|core| residency.count(1, core, BURST));
            let seen: Vec<&str> = answers.iter().filter_map(|a| a.split(' ').nth(1)).collect();
            let expected = [
                "ok".to_owned(),
                before.to_string(),
                (before + after).to_string(),
            ];
            assert_eq!(seen, expected, "{residency:?}");
            // Back to the first CPU.
            session.ok(&[false, true].map(|on| switch(second, on)).join(" && "));
        }
    });
}

/// A package without CPUs does not count; it counts again with the first CPU that
/// returns.
#[test]
fn a_whole_package_may_go_and_come_back() {
    platforms!(; e5 e7);
    on(&usual_machine(), |session| {
        let [name, _] = two_of_a_cbox();
        let all = Wanted::all((0..cboxes()).map(|instance| Probe::cbox(instance, name)));
        for _ in 0..2 {
            session.ok(&format!("{} && {}", switch(2, false), switch(3, false)));
            assert_eq!(session.cpumask(&pmu()), [0]);
            if Platform::interrupts() {
                assert_eq!(overflow(session), ONE_OFFLINE);
            }
            session.counts(BURST, &[0], &all);
            session.ok(&format!("{} && {}", switch(3, true), switch(2, true)));
            assert_eq!(session.cpumask(&pmu()), [0, 3]);
            session.counts(BURST, Platform::packages(), &all);
        }
    });
}

/// The event stays open without a CPU and keeps its count. It does not continue when the
/// package returns, and neither do its times, which perf stops; new events count at once.
#[test]
fn an_event_survives_its_whole_package() {
    platforms!(; e5 e7);
    on(&usual_machine(), |session| {
        let probe = Probe::cbox(1, two_of_a_cbox()[0]);
        let offline = format!("run {} && {}", switch(2, false), switch(3, false));
        let online = format!("run {} && {}", switch(2, true), switch(3, true));
        let burst = format!("burst {BURST}");
        let answers = session.perf_open(&[
            &probe.open("event", 2),
            &burst,
            &offline,
            &burst,
            "read event",
            &online,
            &burst,
            "read event",
            "close event",
        ]);
        let counted = format!("event {} ", probe.count(1, BURST));
        assert!(answers[1].starts_with(&counted), "{answers:?}");
        assert_eq!(answers[1], answers[2]);
        session.counts(BURST, Platform::packages(), &[probe.into()]);
    });
}

/// Names of events for all counters of a C-Box.
fn full_cbox() -> Vec<&'static str> {
    match Platform::current() {
        Platform::Ivbep | Platform::Bdx => vec![
            "tor_occupancy.all",
            "misc.rfo_hit_s",
            "ring_iv_used.any",
            "clockticks",
        ],
        _ => {
            let counters = usize::from(BoxKind::Cbox.counters());
            two_of_a_cbox().into_iter().cycle().take(counters).collect()
        }
    }
}

/// CPUs go offline while every counter of several boxes is in use.
#[test]
fn full_boxes_move_as_a_whole() {
    platforms!(; e5 e7);
    on(&usual_machine(), |session| {
        let names = full_cbox();
        let of = |instance| names.iter().map(move |name| Probe::cbox(instance, name));
        let probes: Vec<Probe> = (0..cboxes()).flat_map(of).collect();
        let mut steps: Vec<String> = Vec::new();
        for (index, probe) in probes.iter().enumerate() {
            steps.push(probe.open(&format!("event{index}"), 2));
        }
        steps.push(format!("burst {BURST}"));
        steps.push(format!("run {}", switch(2, false)));
        steps.push(format!("burst {BURST}"));
        steps.push(format!("run {}", switch(2, true)));
        steps.extend((0..probes.len()).map(|index| format!("read event{index}")));
        let answers = session.perf_open(&steps);
        for (index, probe) in probes.iter().enumerate() {
            let expected = format!("event{index} {} ", 2 * probe.count(1, BURST));
            let answer = &answers[probes.len() + index];
            assert!(answer.starts_with(&expected), "{answer}, not {expected}");
        }
    });
}
