// SPDX-License-Identifier: GPL-2.0

//! Boxes that stop answering while they count: what they counted before stays, they
//! are named, and everybody else counts on. With the driver loaded anew, they are as
//! good as the registers are then.

use crate::lifetime::{
    new_log, samples, until_logged, without_driver, BURST, LOAD, PACKAGES, UNLOAD,
};
use ivbep_e2e::fixture::probe::Probe;
use ivbep_e2e::fixture::{counts_in_part, on, reads, Session, Wanted};

/// What the log says of a part.
const SILENT: &str = "no longer answers";

/// A part of package 1 that dies.
struct Death {
    /// The event that needs it.
    victim: Probe,
    /// Commands of the machine that break and mend it.
    breaks: &'static [(&'static str, &'static str)],
    /// What the log calls it.
    part: &'static str,
    /// By what the driver finds out, if not by reading the counter.
    look: Option<&'static str>,
    /// Bursts that the event counts: one before, and the next if the counter can be read
    /// and what it was programmed to count is still in force.
    bursts: u64,
}

fn deaths() -> [Death; 5] {
    [
        Death {
            victim: Probe::cbox(0, "llc_lookup.any"),
            breaks: &[
                ("fail-msr 1 0xd16", "heal-msr 1 0xd16"),
                ("fail-msr 1 0xd17", "heal-msr 1 0xd17"),
            ],
            part: "cbox_0 of package 1",
            look: None,
            bursts: 1,
        },
        Death {
            victim: Probe::cbox(0, "llc_lookup.any"),
            breaks: &[("fail-msr 1 0xd14", "heal-msr 1 0xd14")],
            part: "cbox_0 of package 1",
            look: Some("disable victim"),
            bursts: 1,
        },
        Death {
            victim: Probe::ubox("clockticks"),
            breaks: &[("fail-msr 1 0xc09", "heal-msr 1 0xc09")],
            part: "ubox of package 1",
            look: None,
            bursts: 1,
        },
        Death {
            victim: Probe::imc(0, "cas_count.rd"),
            breaks: &[("hide ff:10.4", "show ff:10.4")],
            part: "imc_0 of package 1",
            look: None,
            bursts: 1,
        },
        Death {
            victim: Probe::qpi(0, "message.drs.anydatac"),
            breaks: &[("hide ff:08.6", "show ff:08.6")],
            part: "the filter function of qpi_0 of package 1",
            look: Some("disable victim"),
            bursts: 2,
        },
    ]
}

fn dies(session: &mut Session, death: &Death) {
    let Death { victim, .. } = death;
    let beside = Probe::ha(0, "requests.reads");
    session.ok(LOAD);
    new_log(session);
    let burst = format!("burst {BURST}");
    let mut steps = vec![
        victim.open("victim", 2),
        beside.open("beside", 2),
        victim.open("elsewhere", 0),
        burst.clone(),
        "read victim".to_owned(),
    ];
    let breaks = death.breaks.iter();
    steps.extend(breaks.map(|(command, _)| format!("machine {command}")));
    steps.push(burst.clone());
    steps.extend(death.look.map(str::to_owned));
    steps.push("read victim".to_owned());
    steps.extend([
        until_logged(SILENT),
        burst,
        "read victim".to_owned(),
        "read beside".to_owned(),
        "read elsewhere".to_owned(),
        victim.open("late", 2),
    ]);
    let answers = session.perf_open(&steps);
    let of = |probe: &Probe, package, bursts| Some(bursts * probe.count(package, BURST));
    assert_eq!(
        reads(&answers, "victim"),
        [1, death.bursts, death.bursts].map(|bursts| of(victim, 1, bursts)),
        "{answers:?}"
    );
    let of_victim = answers.iter().rfind(|answer| answer.starts_with("victim "));
    counts_in_part(
        of_victim.expect("it was read"),
        "victim",
        death.bursts * victim.count(1, BURST),
    );
    assert_eq!(
        reads(&answers, "beside"),
        [of(&beside, 1, 3)],
        "{answers:?}"
    );
    assert_eq!(
        reads(&answers, "elsewhere"),
        [of(victim, 0, 3)],
        "{answers:?}"
    );
    assert_eq!(answers.last().map(String::as_str), Some("late ENODEV"));
    let log = new_log(session);
    let named = format!("{} {SILENT}", death.part);
    assert_eq!(log.matches(&named).count(), 1, "{named}: {log}");
    for (_, mend) in death.breaks {
        session.machine(mend);
    }
    session.ok(UNLOAD);
}

#[test]
fn what_dies_while_it_counts_is_named_and_alone() {
    on(&without_driver(), |session| {
        for death in &deaths() {
            dies(session, death);
        }
        session.ok(LOAD);
        session.counts(BURST, &PACKAGES, &Wanted::all(samples()));
        session.ok(UNLOAD);
    });
}
