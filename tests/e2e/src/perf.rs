// SPDX-License-Identifier: GPL-2.0

//! Command lines of stock perf, and its answers.
//!
//! [`Stat`] builds a `perf stat` command line, [`Table`] reads the JSON that `perf stat
//! -j` prints (one object on each line, on standard error). JSON is used and not `-x,`:
//! event names contain commas, and only JSON gives enough digits to tell the counts of a
//! scaled event apart.

use serde_json::Value;
use std::fmt;

/// Place that a line of perf's table belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// The whole machine.
    System,
    /// One socket, with `--per-socket`.
    Socket(u8),
    /// One CPU, with `-A`.
    Cpu(u16),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System => f.write_str("system"),
            Self::Socket(socket) => write!(f, "S{socket}"),
            Self::Cpu(cpu) => write!(f, "CPU{cpu}"),
        }
    }
}

/// Largest error of the six decimals that perf prints.
const ROUNDING: f64 = 0.6e-6;

/// Largest error of a plain count, which perf prints as a whole number.
const PLAIN_ROUNDING: f64 = 1e-6;

/// One line of perf's table.
#[derive(Clone, Debug, PartialEq)]
pub struct Count {
    /// Place of the count.
    pub place: Place,
    /// The event as perf names it, or the name it was given.
    pub event: String,
    /// The value, `None` for `<not counted>` and `<not supported>`.
    pub value: Option<f64>,
    /// The unit perf prints, empty for a plain count.
    pub unit: String,
    /// Percentage of the time that the event was on a counter.
    pub running: f64,
    /// End of the interval in seconds, with `-I`.
    pub interval: Option<f64>,
}

impl Count {
    /// Returns the value as a whole number of counts, or `None` if it is an estimate. The
    /// unit that perf prints stands for `per_unit` counts.
    pub fn exact(&self, per_unit: f64) -> Option<u64> {
        let value = self.value? * per_unit;
        let whole = value.round();
        let rounding = (per_unit * ROUNDING).max(PLAIN_ROUNDING);
        let near = (value - whole).abs() < rounding && (0.0..9.0e15).contains(&whole);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number of at most 53 bits, checked above"
        )]
        let count = near.then_some(whole as u64);
        count.filter(|_| self.running >= 100.0)
    }

    fn parse(line: &str) -> Result<Option<Self>, String> {
        let object: Value =
            serde_json::from_str(line).map_err(|error| format!("{error}: {line}"))?;
        let Some(text) = object["counter-value"].as_str() else {
            return Ok(None);
        };
        let event = object["event"].as_str();
        Ok(Some(Self {
            place: place(&object)?,
            event: event.ok_or_else(|| format!("no event: {line}"))?.to_owned(),
            value: value(text)?,
            unit: object["unit"].as_str().unwrap_or_default().to_owned(),
            running: object["pcnt-running"].as_f64().unwrap_or(0.0),
            interval: object["interval"].as_f64(),
        }))
    }
}

fn place(object: &Value) -> Result<Place, String> {
    let number = |text: &str, what| {
        let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
        digits
            .parse::<u16>()
            .map_err(|_| format!("{what} `{text}`"))
    };
    if let Some(socket) = object["socket"].as_str() {
        let socket = u8::try_from(number(socket, "socket")?);
        return socket.map(Place::Socket).map_err(|error| error.to_string());
    }
    match object["cpu"].as_str() {
        Some(cpu) => number(cpu, "cpu").map(Place::Cpu),
        None => Ok(Place::System),
    }
}

fn value(text: &str) -> Result<Option<f64>, String> {
    if text.starts_with('<') {
        return Ok(None);
    }
    let value = text.parse().map_err(|_| format!("value `{text}`"))?;
    Ok(Some(value))
}

/// Converts a count, to compare it with an estimate.
#[expect(
    clippy::cast_precision_loss,
    reason = "an estimate is not exact to 53 bits either"
)]
pub fn estimate(count: u64) -> f64 {
    count as f64
}

/// All lines of one run of perf.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The lines in perf's order.
    pub lines: Vec<Count>,
}

impl Table {
    /// Reads perf's output; text that is no JSON object is skipped. Fails if a JSON
    /// line is malformed or lacks a field that every count has.
    pub fn parse(output: &str) -> Result<Self, String> {
        let objects = output.lines().filter(|line| line.starts_with('{'));
        let counts = objects.map(Count::parse).filter_map(Result::transpose);
        Ok(Self {
            lines: counts.collect::<Result<_, _>>()?,
        })
    }

    /// Returns the lines of one event.
    pub fn of<'a, 'b>(&'a self, event: &'b str) -> impl Iterator<Item = &'a Count> + use<'a, 'b> {
        self.lines.iter().filter(move |line| line.event == event)
    }

    /// Returns the one line of an event in a place.
    pub fn at(&self, event: &str, place: Place) -> Result<&Count, String> {
        let mut lines = self.of(event).filter(|line| line.place == place);
        match (lines.next(), lines.next()) {
            (Some(line), None) => Ok(line),
            (None, _) => Err(format!("perf printed no line for {event} at {place}")),
            (Some(_), Some(_)) => Err(format!("perf printed {event} at {place} twice")),
        }
    }
}

/// One event on perf's command line, with the name its line will carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pmu: String,
    terms: String,
    name: Option<String>,
}

impl Event {
    /// `pmu/terms/`.
    pub fn new(pmu: impl Into<String>, terms: impl Into<String>) -> Self {
        Self {
            pmu: pmu.into(),
            terms: terms.into(),
            name: None,
        }
    }

    /// Returns the event with `name` for its line in the table.
    pub fn named(self, name: impl Into<String>) -> Self {
        Self {
            name: Some(name.into()),
            ..self
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.pmu, self.terms)?;
        match &self.name {
            Some(name) => write!(f, ",name={name}/"),
            None => f.write_str("/"),
        }
    }
}

/// A `perf stat` command line.
#[derive(Clone, Debug)]
pub struct Stat {
    program: &'static str,
    options: String,
    events: Vec<String>,
    command: String,
}

impl Stat {
    /// Counts on the whole machine while `command` runs.
    pub fn of(command: impl Into<String>) -> Self {
        Self {
            program: "perf",
            options: "-a".to_owned(),
            events: Vec::new(),
            command: command.into(),
        }
    }

    /// Counts on the whole machine during a burst of `uclk` cycles.
    pub fn burst(uclk: u64) -> Self {
        Self::of(format!("burst {uclk}"))
    }

    /// Counts on the whole machine during `times` bursts, with a pause of `pause`
    /// microseconds on average after each.
    pub fn bursts(uclk: u64, times: u64, pause: u64) -> Self {
        Self::of(format!("perf-open 'burst {uclk} {times} {pause}'"))
    }

    /// Uses another perf than the guest's own.
    pub fn asking(self, program: &'static str) -> Self {
        Self { program, ..self }
    }

    /// Adds an option, for example `--per-socket`.
    pub fn option(mut self, option: &str) -> Self {
        self.options.push(' ');
        self.options.push_str(option);
        self
    }

    /// Adds an event.
    pub fn event(mut self, event: &Event) -> Self {
        self.events.push(event.to_string());
        self
    }

    /// Adds an event as a user types it.
    pub fn typed(mut self, event: &str) -> Self {
        self.events.push(event.to_owned());
        self
    }

    /// Adds events, each on its own.
    pub fn event_list(self, events: &[Event]) -> Self {
        events.iter().fold(self, Self::event)
    }

    /// Adds events as one group.
    pub fn group(mut self, events: &[Event]) -> Self {
        let events: Vec<String> = events.iter().map(Event::to_string).collect();
        self.events.push(format!("{{{}}}", events.join(",")));
        self
    }

    /// Returns the shell command that answers in JSON.
    pub fn json(&self) -> String {
        self.with("-j ")
    }

    /// Returns the command as a user would type it.
    pub fn plain(&self) -> String {
        self.with("")
    }

    fn with(&self, format: &str) -> String {
        let Self {
            program,
            options,
            events,
            command,
        } = self;
        let events = events.join(",");
        format!("{program} stat {format}{options} -e '{events}' -- {command}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_each_socket_is_read() {
        let output = concat!(
            "some warning\n",
            r#"{"socket" : "S1", "counters" : 1, "counter-value" : "1545053.000000", "unit" : "", "#,
            r#""event" : "ivbep_uncore_cbox_0/tor_inserts.all/", "event-runtime" : 12, "pcnt-running" : 100.00}"#,
            "\n",
            r#"{"socket" : "S0", "counters" : 1, "counter-value" : "<not counted>", "unit" : "", "#,
            r#""event" : "x", "event-runtime" : 0, "pcnt-running" : 0.00}"#,
            "\n",
        );
        let table = Table::parse(output).expect("a table");
        let event = "ivbep_uncore_cbox_0/tor_inserts.all/";
        assert_eq!(
            table
                .at(event, Place::Socket(1))
                .expect("a line")
                .exact(1.0),
            Some(1_545_053)
        );
        let not_counted = table.at("x", Place::Socket(0)).expect("a line");
        assert_eq!(not_counted.value, None);
        assert!(table
            .at("x", Place::Socket(1))
            .expect_err("no such line")
            .contains("no line"));
    }

    #[test]
    fn places_intervals_and_estimates_are_told_apart() {
        let line = |head: &str, running: &str| {
            format!(
                r#"{{{head}"counter-value" : "8.000000", "unit" : "MiB", "event" : "e", "event-runtime" : 1, "pcnt-running" : {running}}}"#
            )
        };
        let one = |head, running| {
            let count = Count::parse(&line(head, running)).expect("a line");
            count.expect("a count")
        };
        assert_eq!(one(r#""cpu" : "12", "#, "100.00").place, Place::Cpu(12));
        assert_eq!(one("", "100.00").place, Place::System);
        assert_eq!(one("", "100.00").exact(16_384.0), Some(8 * 16_384));
        assert_eq!(one("", "50.00").exact(16_384.0), None);
        assert_eq!(one(r#""interval" : 0.5, "#, "100.00").interval, Some(0.5));
    }

    #[test]
    fn counts_are_told_apart_in_units() {
        let exact = |value, per_unit| {
            let count = Count {
                place: Place::System,
                event: "cas_count.rd".to_owned(),
                value: Some(value),
                unit: "MiB".to_owned(),
                running: 100.0,
                interval: None,
            };
            count.exact(per_unit)
        };
        assert_eq!(exact(134.932_434, 16_384.0), Some(2_210_733));
        assert_eq!(exact(134.932_400, 16_384.0), None, "half a line");
        assert_eq!(exact(1.000_008, 131_072.0), Some(131_073));
        assert_eq!(exact(1.000_004, 131_072.0), None, "half a flit");
        assert_eq!(exact(413_333.75, 0.8), Some(330_667));
        assert_eq!(exact(413_333.0, 0.8), None);
    }

    #[test]
    fn malformed_lines_are_errors_and_metrics_are_not_counts() {
        assert!(Table::parse("{nonsense").is_err());
        assert!(Table::parse(r#"{"counter-value" : "many", "event" : "e"}"#).is_err());
        assert!(Table::parse(r#"{"counter-value" : "1"}"#).is_err());
        let metric = Table::parse(r#"{"metric-value" : "0.1", "metric-unit" : "GHz"}"#);
        let metric = metric.expect("a table");
        assert!(metric.lines.is_empty());
    }

    #[test]
    fn an_event_that_is_printed_twice_is_not_taken_for_one() {
        let line = r#"{"counter-value" : "1", "event" : "e", "pcnt-running" : 100.0}"#;
        let table = Table::parse(&format!("{line}\n{line}\n")).expect("a table");
        assert!(table
            .at("e", Place::System)
            .expect_err("no such line")
            .contains("twice"));
    }

    #[test]
    fn command_lines_are_put_together() {
        let event = Event::new("ivbep_uncore_imc_0", "cas_count.rd");
        let stat = Stat::burst(10).option("--per-socket").event(&event);
        assert_eq!(
            stat.plain(),
            "perf stat -a --per-socket -e 'ivbep_uncore_imc_0/cas_count.rd/' -- burst 10"
        );
        let group = Stat::burst(10).group(&[event.clone().named("a"), event.named("b")]);
        assert_eq!(
            group.json(),
            "perf stat -j -a -e '{ivbep_uncore_imc_0/cas_count.rd,name=a/,\
             ivbep_uncore_imc_0/cas_count.rd,name=b/}' -- burst 10"
        );
    }
}
