// SPDX-License-Identifier: GPL-2.0

//! Prometheus in the guest: its start, the time that passes for it, and what it answers.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;
use uncore_e2e::prelude::*;

/// Seconds between two scrapes.
const INTERVAL: u32 = 30;

/// Seconds before a scrape in which the clock runs as usual. A scrape that a jump interrupts
/// or delays has values that do not belong to its time.
const MARGIN: f64 = 1.0;

/// Address at which Prometheus answers.
const ADDRESS: &str = "127.0.0.1:9090";

const DIRECTORY: &str = "/tmp/prometheus";

/// Labels of a series, the name among them.
pub(super) type Labels = BTreeMap<String, String>;

/// A Prometheus that runs.
pub(super) struct Server<'a> {
    /// The machine it runs on.
    pub(super) session: &'a mut Session,
}

impl<'a> Server<'a> {
    /// Starts it with a target, `HOST:PORT`, for the job "uncore", whose first scrape has been made.
    pub(super) fn start(session: &'a mut Session, target: &str) -> Self {
        let file = format!(
            "global: {{scrape_interval: {INTERVAL}s, scrape_timeout: {INTERVAL}s}}\n\
             scrape_configs:\n\
             - {{job_name: uncore, static_configs: [{{targets: ['{target}']}}]}}\n"
        );
        session.ok(&format!(
            "ip link set lo up; mkdir -p {DIRECTORY} && cd {DIRECTORY} && \
             echo \"{file}\" > config.yml && promtool check config config.yml && \
             {{ prometheus --config.file=config.yml --storage.tsdb.path=data \
             --web.listen-address={ADDRESS} > log 2>&1 & }}; \
             for i in $(seq 100); do wget -qO- http://{ADDRESS}/-/ready 2>/dev/null && exit; \
             sleep 0.5; done; cat log; exit 1"
        ));
        let mut server = Self { session };
        server.wait_for_scrape();
        server
    }

    /// Lets so many seconds pass, in jumps from one scrape to the next.
    pub(super) fn pass(&mut self, seconds: u32) {
        let end = uptime(self.session) + f64::from(seconds);
        while uptime(self.session) < end {
            let left = f64::from(INTERVAL) - self.wait_for_scrape() - MARGIN;
            self.session.machine(&format!("skip {:.0}", left * 1000.0));
        }
        self.wait_for_scrape();
    }

    /// Waits until there was a scrape a short time ago, and returns that time in seconds.
    fn wait_for_scrape(&mut self) -> f64 {
        const LOOKS: u32 = 1000;
        for _ in 0..LOOKS {
            match self.query("time() - timestamp(up)").first() {
                Some((_, age)) if *age < f64::from(INTERVAL) / 2.0 => return *age,
                Some(_) => {}
                // The first scrape is later than the start, by less than an interval.
                None => drop(self.session.machine("skip 1000")),
            }
        }
        let log = self.session.ok(&format!("cat {DIRECTORY}/log"));
        panic!("no scrape: {log}");
    }

    /// Returns the value of each series of an expression, at this time.
    pub(super) fn query(&mut self, expression: &str) -> Vec<(Labels, f64)> {
        let answer = self.ask(&format!("query?query={}", encoded(expression)));
        values(&answer).unwrap_or_else(|| panic!("`{expression}`: {answer}"))
    }

    /// Returns the names of all series.
    pub(super) fn names(&mut self) -> Vec<String> {
        let answer = self.ask("label/__name__/values");
        let names = serde_json::from_value(answer["data"].clone());
        names.unwrap_or_else(|error| panic!("{error}: {answer}"))
    }

    fn ask(&mut self, question: &str) -> Value {
        let answer = self
            .session
            .ok(&format!("wget -qO- 'http://{ADDRESS}/api/v1/{question}'"));
        serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {answer}"))
    }

    /// Returns the value of an expression that has one series.
    pub(super) fn one(&mut self, expression: &str) -> f64 {
        match self.query(expression).as_slice() {
            [(_, value)] => *value,
            other => panic!("`{expression}`: {other:?}"),
        }
    }
}

/// Returns the series of an answer.
fn values(answer: &Value) -> Option<Vec<(Labels, f64)>> {
    let series = answer["data"]["result"].as_array()?.iter();
    let of_series = |series: &Value| {
        let labels = serde_json::from_value(series["metric"].clone()).ok()?;
        let value = series["value"][1].as_str()?.parse().ok()?;
        Some((labels, value))
    };
    series.map(of_series).collect()
}

/// Returns the seconds since the guest's boot.
pub(super) fn uptime(session: &mut Session) -> f64 {
    let text = session.ok("cat /proc/uptime");
    let seconds = text
        .split_whitespace()
        .next()
        .and_then(|word| word.parse().ok());
    seconds.unwrap_or_else(|| panic!("`{text}` is no uptime"))
}

/// Returns a text as it is written in an address.
fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() {
            encoded.push(byte.into());
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}
