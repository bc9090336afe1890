// SPDX-License-Identifier: GPL-2.0

//! Times on the command line: a number with its unit, or without as perf and top have it.

use std::time::Duration;

/// Units and their milliseconds; the longer names first.
const UNITS: [(&str, f64); 4] = [("ms", 1.0), ("s", 1e3), ("m", 60e3), ("h", 3600e3)];

/// Longest time, a year of 365 days, in milliseconds.
const LONGEST: f64 = 365.0 * 24.0 * 3600e3;

/// Parses a time from a millisecond to a year: `250`, `250ms`, `1.5s`, `2m`. Without a unit it is
/// in milliseconds, as in perf.
pub(super) fn parse(text: &str) -> Result<Duration, String> {
    parse_in(text, "milliseconds", 1.0)
}

/// Parses such a time, which without a unit is in seconds, as in top.
pub(super) fn parse_seconds(text: &str) -> Result<Duration, String> {
    parse_in(text, "seconds", 1e3)
}

fn parse_in(text: &str, bare: &str, factor: f64) -> Result<Duration, String> {
    let wrong =
        || format!("not a time from 1 ms to a year: {bare}, or with a unit as 500ms, 1s, 2m");
    let with_unit = |&(unit, factor): &(&str, f64)| Some((text.strip_suffix(unit)?, factor));
    let (number, factor) = UNITS.iter().find_map(with_unit).unwrap_or((text, factor));
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let milliseconds = number * factor;
    if (1.0..=LONGEST).contains(&milliseconds) {
        Ok(Duration::from_secs_f64(milliseconds / 1e3))
    } else {
        Err(wrong())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_milliseconds_and_a_unit_says_more() {
        let cases = [
            ("1000", 1000),
            ("250ms", 250),
            ("1s", 1000),
            ("1.5s", 1500),
            ("2m", 120_000),
            ("1h", 3_600_000),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text), Ok(Duration::from_millis(expected)), "{text}");
        }
        for bad in [
            "", "0", "-1", "0.9", "s", "1x", "1 s", "inf", "NaNs", "1e99", "9000h",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        assert_eq!(parse_seconds("2.5"), Ok(Duration::from_millis(2500)));
        assert_eq!(parse_seconds("250ms"), parse("250"));
    }
}
