// SPDX-License-Identifier: GPL-2.0

//! Access of users who are not root to the driver and its files, and secrets that no user
//! can read (Documentation/development/threats.rst).

use crate::lifetime::{samples, BURST};
use uncore_e2e::prelude::*;

const DEBUGFS: &str = "/sys/kernel/debug/uncore_rs";
const MODULE: &str = "/sys/module/uncore_rs";
/// File of the kernel's setting that limits who may count.
const LEVEL: &str = "/proc/sys/kernel/perf_event_paranoid";

/// Runs steps of `perf-open` as a user without any privilege.
fn answers(session: &mut Session, steps: &[&str]) -> Vec<String> {
    let steps = steps.iter().map(|step| format!(" '{step}'"));
    let command = format!("perf-open{}", steps.collect::<String>());
    let command = session.by_a_user(&command);
    session.ok(&command).lines().map(str::to_owned).collect()
}

/// Returns the outcome of opening each event as such a user.
fn outcomes(session: &mut Session, open: impl Fn(&Probe) -> String) -> Vec<String> {
    let steps: Vec<String> = samples().iter().map(open).collect();
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    answers(session, &steps)
}

/// The usual machine with a driver that uses interrupts.
fn by_interrupt() -> Config {
    Config {
        parameters: vec!["overflow=pmi".to_owned()],
        ..Config::default()
    }
}

fn at_level(session: &mut Session, level: i32, test: impl FnOnce(&mut Session)) {
    let before = session.ok(&format!("cat {LEVEL}"));
    session.ok(&format!("echo {level} > {LEVEL}"));
    test(session);
    session.ok(&format!("echo {} > {LEVEL}", before.trim()));
}

#[test]
fn a_user_may_count_where_all_may() {
    on(&Config::default(), |session| {
        for level in [-1, 0] {
            at_level(session, level, |session| {
                for probe in samples() {
                    let open = probe.open("event", 0);
                    let burst = format!("burst {BURST}");
                    let answers = answers(session, &[&open, &burst, "read event"]);
                    let count = reads(&answers, "event");
                    assert_eq!(count, [Some(probe.count(0, BURST))], "{probe:?}");
                }
            });
        }
    });
}

#[test]
fn else_a_user_may_not() {
    on(&Config::default(), |session| {
        for level in [1, 2, 3] {
            at_level(session, level, |session| {
                for outcome in outcomes(session, |probe| probe.open("event", 0)) {
                    assert_eq!(outcome, "event EACCES", "level {level}");
                }
                // What perf tries next, and what it shows of the answer to that.
                let retried = outcomes(session, |probe| {
                    probe.open("event", 0) + " exclude_kernel exclude_hv"
                });
                let right = ["event EINVAL", "event EACCES"][usize::from(level > 1)];
                for outcome in retried {
                    assert_eq!(outcome, right, "level {level}");
                }
                let event = Probe::imc(0, "cas_count.rd").event();
                let stat = session.by_a_user(&format!("perf stat -a -e {event} -- true 2>&1"));
                let said = session.run(&stat).stdout;
                let setting = format!("perf_event_paranoid setting is {level}");
                assert!(said.contains(&setting), "{said}");
            });
        }
    });
}

#[test]
fn a_user_reads_why_the_own_requests_were_refused_and_no_others() {
    on(&Config::default(), |session| {
        let bad = |event: &str| format!("open bad pmu=ivbep_uncore_cbox_0 config={event}");
        let read = format!("cat {MODULE}/rejections");
        at_level(session, 0, |session| {
            assert_eq!(answers(session, &[&bad("0xe1")]), ["bad EINVAL"]);
            session.perf_open(&[bad("0xe2")]);
        });
        let by_user = session.by_a_user(&read);
        for (command, own, other) in [(by_user, "0xe1", "0xe2"), (read, "0xe2", "0xe1")] {
            let text = session.ok(&command);
            let last = text.lines().last().expect("a refusal");
            let own = format!("there is no event {own} [");
            assert!(last.contains(&own) && !text.contains(other), "{text}");
        }
        let write = session.by_a_user(&format!("echo > {MODULE}/rejections"));
        session.fails(&write);
    });
}

/// Requests that reveal what others access, or freeze their counters: the field to name,
/// and the event.
const GUARDED: [(&str, &str); 4] = [
    // `addr_opc_match.addr` of an address, and of the first one.
    (
        "filter_addr",
        "pmu=ivbep_uncore_ha_0 config=0x120 config1=0x40000000",
    ),
    ("filter_addr", "pmu=ivbep_uncore_ha_0 config=0x120"),
    // `clockticks` of a home agent and of a memory channel, every 1,000,000,000.
    (
        "interval",
        "pmu=ivbep_uncore_ha_0 config=0x3b9aca0000000000",
    ),
    (
        "interval",
        "pmu=ivbep_uncore_imc_0 config=0x3b9aca00000000ff",
    ),
];

/// `addr_opc_match.opc`, which names no address.
const UNGUARDED: &str = "pmu=ivbep_uncore_ha_0 config=0x220";

/// Opens an event after a step that chooses the user, and returns the outcome.
fn outcome_for(session: &mut Session, user: &str, event: &str) -> String {
    let answers = session.perf_open(&[user, &format!("open event {event}")]);
    answers.concat()
}

#[test]
fn root_and_cap_perfmon_may_name_addresses_and_have_intervals() {
    const ROOT: &str = "pause 0";
    const PERFMON: &str = "user perfmon";
    on(&by_interrupt(), |session| {
        for level in [-1, 0, 1, 2, 3] {
            at_level(session, level, |session| {
                // Debian's kernels have a level of their own, at which CAP_PERFMON is not enough.
                let for_perfmon = match level {
                    3 => outcome_for(session, PERFMON, UNGUARDED),
                    _ => "event ok".to_owned(),
                };
                for (_, event) in GUARDED {
                    let root = outcome_for(session, ROOT, event);
                    assert_eq!(root, "event ok", "level {level}: {event}");
                    let perfmon = outcome_for(session, PERFMON, event);
                    assert_eq!(perfmon, for_perfmon, "level {level}: {event}");
                }
            });
        }
    });
}

#[test]
fn other_users_may_not_at_any_level() {
    on(&by_interrupt(), |session| {
        for level in [-1, 0, 1, 2, 3] {
            at_level(session, level, |session| {
                for (field, event) in GUARDED {
                    let outcome = outcome_for(session, "user", event);
                    assert_eq!(outcome, "event EACCES", "level {level}: {event}");
                    // From level 2 on, the perf core refuses all events before.
                    if level > 1 {
                        continue;
                    }
                    let reason = format!("{field} needs root or CAP_PERFMON");
                    let rejections = session.rejections();
                    let last = rejections.last().expect("a refusal");
                    assert!(last.contains(&reason), "level {level}: {event}: {last}");
                }
                let outcome = outcome_for(session, "user", UNGUARDED);
                let right = ["event ok", "event EACCES"][usize::from(level > 0)];
                assert_eq!(outcome, right, "level {level}");
            });
        }
    });
}

/// An uncore counter belongs to no process: it would show the activity of others.
#[test]
fn a_process_of_ones_own_has_no_uncore() {
    on(&Config::default(), |session| {
        for level in [-1, 1] {
            at_level(session, level, |session| {
                let own = |probe: &Probe| {
                    let step = probe.open("event", 0);
                    step.replace("cpu=0", "cpu=-1 pid=0")
                };
                for outcome in outcomes(session, own) {
                    assert_eq!(outcome, "event EINVAL", "level {level}");
                }
            });
        }
    });
}

#[test]
fn nobody_but_root_writes_or_reads_what_is_roots() {
    on(&Config::default(), |session| {
        // These files belong to the perf core and the device core; root may write some.
        let others = "-name perf_event_mux_interval_ms -o -name uevent -o -path '*/power/*'";
        let find = |places: &str, which: &str| format!("find {places} -type f {which}");
        let ours = format!("{DEVICES}/ivbep_uncore_*/");
        let odd = format!("! '(' {others} ')' ! -perm 444");
        assert_eq!(session.ok(&find(&ours, &odd)), "");
        assert_eq!(session.ok(&find(&ours, "-perm /022")), "");
        assert_eq!(
            session.ok(&find(&format!("{MODULE}/parameters"), "! -perm 444")),
            ""
        );
        assert_eq!(session.ok(&find(DEBUGFS, "! -perm 400")), "");

        let roots = [
            format!("ls {DEBUGFS}"),
            format!("cat {DEBUGFS}/topology"),
            format!("cat {DEBUGFS}/rejections"),
            format!("cat {MODULE}/sections/.text"),
        ];
        for command in roots {
            session.ok(&command);
            let refused = session.by_a_user(&command);
            session.fails(&refused);
        }
    });
}

#[test]
fn no_file_or_message_has_an_address_of_the_kernel() {
    on(&Config::default(), |session| {
        session.ok("echo 0 > /proc/sys/kernel/kptr_restrict");
        session.fails("perf stat -a -e ivbep_uncore_cbox_0/config=0xffffffff/ -- true");
        let address = "'(^|[^0-9a-f])f{4}[0-9a-f]{12}([^0-9a-f]|$)'";
        let places = format!("{DEVICES}/ivbep_uncore_*/ {MODULE}/parameters {DEBUGFS}");
        session.fails(&format!("grep -rsE {address} {places}"));
        session.fails(&format!("dmesg | grep uncore_rs | grep -E {address}"));
        // Example of an address that root can read: the place of the module.
        session.ok(&format!("grep -E {address} {MODULE}/sections/.text"));
    });
}
