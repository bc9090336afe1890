// SPDX-License-Identifier: GPL-2.0

//! CPUs that go offline and come back while events count.
//!
//! CPU 0 cannot be taken offline. So package 1 (CPUs 2 and 3) loses the CPU that counts
//! for it, and at last both.

use crate::driver::{usual_machine, BURST};
use uncore_e2e::fixture::samples;
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

#[test]
fn counting_goes_on_exactly_on_another_cpu() {
    platforms!(; e5 e7 polled);
    on(&usual_machine(), |session| {
        let probes: Vec<Probe> = samples().collect();
        let name = |index: usize| format!("event{index}");
        let opens = probes.iter().enumerate();
        let mut steps: Vec<String> = opens.map(|(n, probe)| probe.open(&name(n), 2)).collect();
        for (cpu, online) in [(2, false), (2, true), (3, false), (3, true)] {
            steps.extend([
                format!("burst {BURST}"),
                format!("run {}", switch(cpu, online)),
            ]);
            steps.extend((0..probes.len()).map(|n| format!("read {}", name(n))));
        }
        let answers = session.perf_open(&steps);
        for (n, probe) in probes.iter().enumerate() {
            let counted = [1, 2, 3, 4].map(|bursts| Some(bursts * probe.count(1, BURST)));
            assert_eq!(reads(&answers, &name(n)), counted, "{probe:?}");
        }
    });
}

/// A package without CPUs does not count; it counts again with the first CPU that
/// returns.
#[test]
fn a_whole_package_may_go_and_come_back() {
    platforms!(; e5 e7 polled);
    on(&usual_machine(), |session| {
        let [name, _] = Platform::asked().two_of_a_cbox;
        let all = Wanted::all((0..cboxes()).map(|instance| Probe::cbox(instance, name)));
        for _ in 0..2 {
            session.ok(&format!("{} && {}", switch(2, false), switch(3, false)));
            let packages = session.packages_of_pmus();
            assert!(packages.values().all(|all| *all == [0]), "{packages:?}");
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
    platforms!(; e5 e7 polled);
    on(&usual_machine(), |session| {
        let probe = Probe::cbox(1, Platform::asked().two_of_a_cbox[0]);
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
