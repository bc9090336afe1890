// SPDX-License-Identifier: GPL-2.0

//! Times on the command line: a number with its unit.

use std::time::Duration;

/// Units and their milliseconds; the longer names first.
const UNITS: [(&str, f64); 4] = [("ms", 1.0), ("s", 1e3), ("m", 60e3), ("h", 3600e3)];

/// Longest time, a year of 365 days, in milliseconds.
const LONGEST: f64 = 365.0 * 24.0 * 3600e3;

/// Parses a time from a millisecond to a year: `250ms`, `1.5s`, `2m`. A number without a unit is
/// refused: it is milliseconds in perf, and seconds in top.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let wrong = || {
        let hint = match text.parse::<f64>() {
            Ok(_) => format!(": write {text}s or {text}ms"),
            Err(_) => String::new(),
        };
        format!("not a time with a unit such as 500ms, 1s, 2m, from 1ms to a year{hint}")
    };
    let with_unit = |&(unit, factor): &(&str, f64)| Some((text.strip_suffix(unit)?, factor));
    let (number, factor) = UNITS.iter().find_map(with_unit).ok_or_else(wrong)?;
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
    fn a_time_has_a_unit() {
        let cases = [
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
            "", "0s", "-1s", "0.9ms", "s", "1x", "1 s", "infs", "NaNs", "1e99s", "9000h",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        let said = parse("30").expect_err("no unit");
        assert!(said.ends_with("write 30s or 30ms"), "{said}");
    }
}
