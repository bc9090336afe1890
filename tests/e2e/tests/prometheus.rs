// SPDX-License-Identifier: GPL-2.0

//! A real Prometheus in the guest, which scrapes over loopback. The guest's clock jumps, so
//! that an hour of scrapes takes minutes.

mod hour;
mod server;

use server::{Server, SELF};
use uncore_e2e::prelude::*;

platforms!(; first);

/// A machine with Prometheus whose clock may jump. A distribution's kernel takes a jump for
/// a processor that hangs.
fn machine() -> Config {
    let mut config = Config {
        memory: Some(2048),
        ..Config::default().with_jumps()
    };
    config.append.push_str(" nosoftlockup");
    Layer::Prometheus.on(config)
}

/// Runs promtool on metrics, and returns its status and what it says.
fn check_metrics(session: &mut Session, metrics: &str) -> (i32, String) {
    let output = session.run(&format!("promtool check metrics <<'END'\n{metrics}END"));
    (output.status, output.stdout + &output.stderr)
}

#[test]
fn promtool_finds_faults_of_metrics() {
    on_new(&machine(), |session| {
        let sound = "# HELP a_bytes_total Bytes.\n# TYPE a_bytes_total counter\na_bytes_total 1\n";
        assert_eq!(check_metrics(session, sound), (0, String::new()));
        let (status, said) = check_metrics(session, "a_bytes_total 1\n");
        assert!(
            status != 0 && said.contains("no help text"),
            "{status}: {said}"
        );
    });
}

/// Holds the other tests: a scrape is never missed in the time that passes in jumps.
#[test]
fn prometheus_scrapes_itself_while_the_clock_jumps() {
    const SECONDS: u32 = 600;
    on_new(&machine(), |session| {
        let mut server = Server::start(session, &[SELF]);
        server.pass(SECONDS);
        let up = server.one("min_over_time(up[10m])");
        assert!((up - 1.0).abs() < f64::EPSILON, "{up}");
        let scrapes = server.one("count_over_time(up[10m])");
        let expected = f64::from(SECONDS / server::INTERVAL);
        assert!(
            (scrapes - expected).abs() <= 1.0,
            "{scrapes}, not {expected}"
        );
        let age = server.one("time() - process_start_time_seconds");
        assert!(age >= f64::from(SECONDS), "{age} s");
    });
}
