// SPDX-License-Identifier: GPL-2.0

//! `uncore doctor` names the cause of a problem.

use super::free_running;
use serde_json::Value;
use uncore_e2e::prelude::*;

/// Returns the checks that did not pass, with their results and findings.
fn found(session: &mut Session, command: &str) -> Vec<(String, String, String)> {
    let output = session.run(command);
    let report: Value = serde_json::from_str(&output.stdout).expect("JSON");
    let checks = report["checks"].as_array().expect("checks").iter();
    let text = |check: &Value, key: &str| check[key].as_str().unwrap_or_default().to_owned();
    let checks: Vec<_> = checks
        .map(|check| {
            (
                text(check, "status"),
                text(check, "name"),
                text(check, "finding"),
            )
        })
        .filter(|(status, _, _)| status != "pass")
        .collect();
    let failed = checks.iter().any(|(status, _, _)| status == "failure");
    assert_eq!(output.status, i32::from(failed), "{checks:?}");
    checks
}

/// Returns the first failure: its check and its finding.
fn cause(session: &mut Session, command: &str) -> (String, String) {
    let checks = found(session, command);
    let mut failures = checks.iter().filter(|(status, _, _)| status == "failure");
    let (_, name, finding) = failures.next().expect("a failure").clone();
    (name, finding)
}

const DOCTOR: &str = "uncore doctor --json";

#[test]
fn the_module_is_absent() {
    on(&Config::of(Driver::None), |session| {
        let (name, finding) = cause(session, DOCTOR);
        assert_eq!(name, "module");
        assert!(finding.contains("not loaded"), "{finding}");
    });
}

#[test]
fn intel_uncore_is_loaded() {
    on(&Config::of(Driver::IntelUncore), |session| {
        session.tolerate_missing_ones();
        let (name, finding) = cause(session, DOCTOR);
        assert_eq!(name, "other driver");
        assert!(finding.contains("intel_uncore is loaded"), "{finding}");
    });
}

#[test]
fn a_plain_user_may_not_count() {
    on(&Config::default(), |session| {
        session.ok("echo 2 > /proc/sys/kernel/perf_event_paranoid");
        let doctor = session.by_a_user(DOCTOR);
        let (name, finding) = cause(session, &doctor);
        assert_eq!(name, "permissions");
        assert!(finding.contains("perf_event_paranoid is 2"), "{finding}");
        let stat = session.by_a_user("uncore stat --interval-count 1");
        let refused = session.fails(&stat);
        assert!(refused.contains("CAP_PERFMON"), "{refused}");
        // Root may count, whatever the value is.
        let checks = found(session, DOCTOR);
        let failed = checks.iter().any(|(status, _, _)| status == "failure");
        assert!(!failed, "{checks:?}");
    });
}

/// Returns what the doctor says of the snoop mode of a Broadwell-EP.
fn snoop_mode(config: &Config) -> String {
    on(&config.clone().with("platform", "bdx"), |session| {
        let output = session.ok(DOCTOR);
        let report: Value = serde_json::from_str(&output).expect("JSON");
        let mut checks = report["checks"].as_array().expect("checks").iter();
        let check = checks.find(|check| check["name"] == "snoop mode");
        check.expect("the check")["finding"].to_string()
    })
}

#[test]
fn the_snoop_mode_is_seen_in_traffic() {
    let busy = snoop_mode(&free_running());
    assert!(busy.contains("not cluster-on-die"), "{busy}");
    assert!(busy.contains("home agents look up a directory"), "{busy}");
    let idle = snoop_mode(&Config::default());
    assert!(idle.contains("nothing read memory"), "{idle}");
}

#[test]
fn memory_channels_have_no_clock() {
    let config = free_running()
        .with("platform", "bdx")
        .with("dimms", "fd:0f");
    on(&config, |session| {
        let checks = found(session, DOCTOR);
        let has = |lack: &str| {
            checks.iter().any(|(status, name, finding)| {
                status == "warning"
                    && name == "boxes"
                    && finding.starts_with(lack)
                    && finding.contains("clock stands still")
            })
        };
        assert!(has("package 0 lacks imc_1:"), "{checks:?}");
        assert!(
            has("package 1 lacks imc_4, imc_5, imc_6, imc_7:"),
            "{checks:?}"
        );
    });
}

#[test]
fn perf_has_no_events_of_nehalem_ex() {
    for platform in ["nhmex", "wsmex"] {
        on(&free_running().with("platform", platform), |session| {
            let output = session.ok(DOCTOR);
            let report: Value = serde_json::from_str(&output).expect("JSON");
            let checks = report["checks"].as_array().expect("checks");
            assert!(
                checks.iter().all(|check| check["status"] == "pass"),
                "{checks:#?}"
            );
            let finding = |name| {
                let check = checks.iter().find(|check| check["name"] == name);
                check.expect("the check")["finding"].to_string()
            };
            let only_list = "no events of this processor built in: those of the module are the \
                             only list";
            assert!(finding("perf").contains(only_list), "{output}");
            // What the commands say of a box is so on this machine.
            let map = session.ok("uncore topology");
            assert_eq!(map.matches("rbox_1 0xe20").count(), 2, "{map}");
            let listed = session.ok("uncore list rbox port3 any_drs");
            assert!(listed.contains("event=0x12,iperf_cfg=0xc4"), "{listed}");
            let explained = session.ok("uncore explain -e rbox_1/port3_new_packets_recv.any_drs/");
            assert!(explained.contains("iperf_class  0x4"), "{explained}");
            let shown = session.ok("uncore stat -- burst 1000000");
            for part in [
                "\nsocket 1   uncore clock ",
                "\n  mbox_1  ",
                "\n  link  ",
                "  llc  ",
            ] {
                assert!(shown.contains(part), "{shown}");
            }
        });
    }
}

#[test]
fn a_hypervisor_has_no_uncore() {
    let config = Config {
        may_fail: true,
        ..Config::default().with("hypervisor", "on")
    };
    on(&config, |session| {
        let (name, finding) = cause(session, DOCTOR);
        assert_eq!(name, "hypervisor", "{finding}");
    });
}
