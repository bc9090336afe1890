// SPDX-License-Identifier: GPL-2.0

use uncore_metrics::recording::Missing;
use uncore_metrics::{Interval, NoValue, Outcome, Unit};

use super::*;
use crate::scene::{amount, second, GB};

fn machine() -> Machine {
    let package = |number, boxes: &[&str], missing| Package {
        number,
        boxes: boxes.iter().map(|name| (*name).to_owned()).collect(),
        missing,
    };
    let missing = Missing {
        boxes: "imc_1".to_owned(),
        reason: "its clock stands still".to_owned(),
    };
    Machine {
        platform: "ivbep".to_owned(),
        version: "0.2.0".to_owned(),
        start: 1_764_104_181,
        packages: vec![
            package(0, &["imc_0", "imc_1", "qpi_0"], Vec::new()),
            package(1, &["imc_0", "qpi_0"], vec![missing]),
        ],
        notes: vec!["package 1 has no filters of qpi_0: firmware hides them".to_owned()],
    }
}

fn outcome(package: u32, name: &str, metric: &str, value: Result<f64, NoValue>) -> Outcome {
    amount(package, name, metric, Unit::Bytes, value)
}

fn channel(package: u32, name: &str, read: f64, write: f64) -> [Outcome; 3] {
    [
        outcome(package, name, "memory_read_bytes", Ok(read * GB)),
        outcome(package, name, "memory_write_bytes", Ok(write * GB)),
        outcome(package, name, "memory_capacity_bytes", Ok(15.0 * GB)),
    ]
}

fn history(intervals: impl IntoIterator<Item = Interval>) -> History {
    let mut history = History::default();
    for interval in intervals {
        history.push(&interval);
    }
    history
}

fn drawn(history: &History) -> String {
    picture(
        &machine(),
        history,
        &["imc_1 is used by another program".to_owned()],
    )
}

/// A machine of two sockets in four seconds: one channel is lost in the third, another is not
/// counted at all.
fn example() -> History {
    history((1..=4).map(|second_| {
        let end = f64::from(second_);
        let mut outcomes = Vec::new();
        outcomes.extend(channel(0, "imc_0", end, 0.5));
        let mut lost = channel(1, "imc_0", 10.0, 3.5);
        if second_ == 3 {
            for outcome in &mut lost {
                outcome.value = Err(NoValue::NotCounted);
            }
        }
        outcomes.extend(lost);
        outcomes.push(outcome(0, "qpi_0", "link_data_bytes", Ok(2.0 * GB)));
        outcomes.push(outcome(0, "qpi_0", "link_other_bytes", Ok(1.0 * GB)));
        outcomes.push(outcome(0, "qpi_0", "link_capacity_bytes", Ok(16.0 * GB)));
        second(end, outcomes)
    }))
}

#[test]
fn two_sockets() {
    insta::assert_snapshot!(drawn(&example()));
}

#[test]
fn what_is_not_counted_is_no_zero() {
    let mut unknown = channel(0, "imc_0", 1.0, 1.0);
    for outcome in &mut unknown {
        outcome.value = Err(NoValue::NotOpened);
    }
    let picture = drawn(&history([second(1.0, unknown.to_vec())]));
    assert!(
        picture.contains("read not counted, write not counted"),
        "{picture}"
    );
    assert!(!picture.contains("0 B/s"), "{picture}");
}

#[test]
fn a_value_that_took_turns_says_so() {
    let turns = channel(0, "imc_0", 1.23456, 1.0).map(|outcome| Outcome {
        counted: 0.104,
        ..outcome
    });
    let picture = drawn(&history([second(1.0, turns.to_vec())]));
    let words = "read 1.2 GB/s, write 1.0 GB/s, 15 % used, counted 10 % of the time";
    assert!(picture.contains(words), "{picture}");
}

#[test]
fn without_a_peak_there_is_none() {
    let [read, write, _] = channel(0, "imc", 1.0, 1.0);
    let picture = drawn(&history([second(1.0, vec![read, write])]));
    assert!(
        !picture.contains("peak") && !picture.contains("used,"),
        "{picture}"
    );
}

#[test]
fn a_history_without_a_count_is_empty() {
    let mut lost = channel(0, "imc", 1.0, 1.0);
    for outcome in &mut lost[..2] {
        outcome.value = Err(NoValue::NotCounted);
    }
    let clock_only = history([second(1.0, lost.to_vec())]);
    for history in [History::default(), clock_only] {
        assert!(history.is_empty());
    }
    let all = channel(0, "imc", 1.0, 1.0).to_vec();
    assert!(!history([second(1.0, all)]).is_empty());
}

#[test]
fn a_day_needs_no_more_than_an_hour() {
    let of_length = |seconds: u32| {
        let all = (1..=seconds).map(|end| {
            let rate = f64::from(end % 7);
            second(end.into(), channel(0, "imc_0", rate, rate).to_vec())
        });
        drawn(&history(all))
    };
    let (hour, day) = (of_length(3600), of_length(86400));
    assert!(day.len() < hour.len() + 1000);
    assert!(hour.contains("Each step is the mean of 9 intervals."));
    assert!(day.contains("Each step is the mean of 216 intervals."));
}

#[test]
fn an_interval_that_is_left_out_cuts_the_line() {
    let at = |end| second(end, channel(0, "imc_0", 1.0, 2.0).to_vec());
    let paths = |history: &History| drawn(history).matches(" 3 2 3\"").count();
    let whole = history([at(1.0), at(2.0), at(3.0)]);
    let cut = history([at(1.0), at(3.0)]);
    assert_eq!(paths(&whole), paths(&cut));
    let moves = |history: &History| {
        let series = history.of_part("memory").next().expect("a channel");
        let panel = Panel {
            series,
            lines: &["read", "write"],
            rates: &Scale::of_rates(GB),
            times: &Scale::of_times(3.0),
            width: super::panel::WIDTH,
        };
        panel.moves()
    };
    assert_eq!((moves(&whole), moves(&cut)), ((1, 0), (2, 1)));
}
