// SPDX-License-Identifier: GPL-2.0

//! What a user who is not root can do with the driver and see of it, and what
//! nobody sees (Documentation/development/threats.rst).

use crate::lifetime::{samples, BURST};
use ivbep_e2e::fixture::probe::Probe;
use ivbep_e2e::fixture::{on, reads, Session, DEVICES};
use ivbep_e2e::Config;

const DEBUGFS: &str = "/sys/kernel/debug/ivbep_uncore";
const MODULE: &str = "/sys/module/ivbep_uncore";
/// Who may count, `perf_event_paranoid` says.
const LEVEL: &str = "/proc/sys/kernel/perf_event_paranoid";

/// A command as a user without any privilege has it.
pub(crate) fn by_a_user(session: &mut Session, command: &str) -> String {
    session.ok("grep -qs ^user: /etc/passwd || echo 'user:x:1000:1000::/:/bin/sh' >> /etc/passwd");
    format!("su user -c \"{command}\"")
}

/// Takes steps with `perf-open`, as a user.
fn answers(session: &mut Session, steps: &[&str]) -> Vec<String> {
    let steps = steps.iter().map(|step| format!(" '{step}'"));
    let command = format!("perf-open{}", steps.collect::<String>());
    let command = by_a_user(session, &command);
    session.ok(&command).lines().map(str::to_owned).collect()
}

/// How opening each of them ends, for a user.
fn outcomes(session: &mut Session, open: impl Fn(&Probe) -> String) -> Vec<String> {
    let steps = samples().map(|probe| open(&probe));
    answers(session, &steps.each_ref().map(String::as_str))
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
            });
        }
    });
}

/// Of the uncore nothing belongs to one process: what others do would be seen.
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
        // Two are the perf core's and the device core's own, for root to write.
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
            let refused = by_a_user(session, &command);
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
        session.fails(&format!("dmesg | grep ivbep_uncore | grep -E {address}"));
        // Such as these are: the kernel tells root where the module is.
        session.ok(&format!("grep -E {address} {MODULE}/sections/.text"));
    });
}
