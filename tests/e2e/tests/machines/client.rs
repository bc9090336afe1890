// SPDX-License-Identifier: GPL-2.0

//! Tests of what only a client has: C-Boxes whose registers fault if they are not there, and one
//! package whose first CPU cannot go. On other platforms these tests are
//! ignored; `make test-PLATFORM-all-KERNEL` runs them.

mod memory;

use super::{boxes_are_right, machine, BURST};
use uncore_e2e::fixture::samples;
use uncore_e2e::prelude::*;

platforms!(; client);

/// The register counts the slice of the graphics, too. So the driver asks for one C-Box more
/// than there is, which faults and which it leaves out.
#[test]
#[ignore = "only on a client"]
fn a_cbox_that_faults_is_left_out() {
    let config = machine(&[("cores", "4"), ("cboxes", "3")]);
    on_new(&config, |session| {
        let asked = "package 0 cbox_3 (MSR 0x730): the package has no such box";
        assert_eq!(session.faults().violations, [asked]);
        boxes_are_right(session, &Shape::of(&config), &[0]);
    });
}

/// CPU 0, which always stays, counts for the package.
#[test]
#[ignore = "only on a client"]
fn counting_goes_on_while_other_cpus_go_and_come() {
    on(&Config::default(), |session| {
        let pmu = BoxKind::Arb.pmu(0);
        let events = events();
        let mut steps = events.open();
        for online in [true, false, true] {
            steps.push(format!("run {}", switch(1, online)));
            // An event that asks for the other CPU is moved.
            let late = Probe::cbox(0, "cache_lookup.any_m");
            let late = late.open("late", u16::from(online));
            steps.extend([late, format!("burst {BURST}"), "close late".to_owned()]);
            steps.extend(events.read());
        }
        let answers = session.perf_open(&steps);
        events.have_counted(&answers, &[1, 2, 3]);
        assert_eq!(session.cpumask(&pmu), [0]);
    });
}

/// Events that count at the same time, one in each box and the clock.
struct Events(Vec<(String, Probe)>);

fn events() -> Events {
    let all = samples().chain([Probe::arb("clockticks")]).enumerate();
    Events(all.map(|(n, probe)| (format!("event{n}"), probe)).collect())
}

impl Events {
    fn open(&self) -> Vec<String> {
        let opens = self.0.iter().map(|(name, probe)| probe.open(name, 0));
        opens.collect()
    }

    fn read(&self) -> impl Iterator<Item = String> + '_ {
        self.0.iter().map(|(name, _)| format!("read {name}"))
    }

    /// Checks that each read has found so many bursts, counted all the time.
    fn have_counted(&self, answers: &[String], bursts: &[u64]) {
        for (name, probe) in &self.0 {
            let each = probe.count(0, BURST);
            let expected: Vec<_> = bursts.iter().map(|bursts| Some(bursts * each)).collect();
            assert_eq!(reads(answers, name), expected, "{probe:?}: {answers:?}");
            let of_event = |line: &&String| line.starts_with(&format!("{name} "));
            let read = answers.iter().rfind(of_event).expect("a read");
            let times: Vec<&str> = read.split(' ').skip(2).collect();
            assert!(times.len() == 2 && times[0] == times[1], "{read}: in part");
        }
    }
}
