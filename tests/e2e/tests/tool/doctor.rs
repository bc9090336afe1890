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
