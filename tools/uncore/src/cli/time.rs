// SPDX-License-Identifier: GPL-2.0

//! Times on the command line: milliseconds as in perf, or a number with its unit.

use std::time::Duration;

/// Units and their milliseconds; the longer names first.
const UNITS: [(&str, f64); 4] = [("ms", 1.0), ("s", 1e3), ("m", 60e3), ("h", 3600e3)];

/// Longest time, a year of 365 days, in milliseconds.
const LONGEST: f64 = 365.0 * 24.0 * 3600e3;

/// Parses a time from a millisecond to a year: `250`, `250ms`, `1.5s`, `2m`.
pub(super) fn parse(text: &str) -> Result<Duration, String> {
    let wrong = || {
        "not a time from 1 ms to a year: milliseconds, or with a unit as 500ms, 1s, 2m".to_owned()
    };
    let with_unit = |&(unit, factor): &(&str, f64)| Some((text.strip_suffix(unit)?, factor));
    let (number, factor) = UNITS.iter().find_map(with_unit).unwrap_or((text, 1.0));
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
    }
}
