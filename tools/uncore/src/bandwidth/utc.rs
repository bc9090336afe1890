// SPDX-License-Identifier: GPL-2.0

//! Dates.

/// A time in seconds since 1970 as `2026-11-25 20:15:00 UTC`.
pub(super) fn text(seconds: u64) -> String {
    let (mut days, second) = (seconds / 86400, seconds % 86400);
    let mut year = 1970;
    while days >= days_of(year) {
        days -= days_of(year);
        year += 1;
    }
    let february = days_of(year) - 337;
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!(
        "{year}-{month:02}-{:02} {hour:02}:{minute:02}:{second:02} UTC",
        days + 1
    )
}

fn days_of(year: u64) -> u64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    365 + u64::from(is_leap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_date() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (951_782_399, "2000-02-28 23:59:59 UTC"),
            (951_782_400, "2000-02-29 00:00:00 UTC"),
            (1_735_689_599, "2024-12-31 23:59:59 UTC"),
            (1_764_104_181, "2025-11-25 20:56:21 UTC"),
        ] {
            assert_eq!(text(seconds), expected);
        }
    }
}
