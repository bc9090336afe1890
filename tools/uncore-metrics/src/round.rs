// SPDX-License-Identifier: GPL-2.0

//! Rounding of values in the table.
//!
//! * A number has as many significant digits as its count is worth, but no more than nine
//!   decimals: see [`Digits`]. With [`Digits::All`] the digits before the point are always shown,
//!   and a whole number is shown without decimals.
//! * Bytes are shown in the largest of B, kB, MB, GB and TB (powers of 1000) that leaves at least 1,
//!   or of B, KiB, MiB, GiB and TiB (powers of 1024): see [`Prefixes`].
//! * The other units are shown as they are.
//!
//! CSV and JSON have the values as they are.

use crate::unit::Unit;

const MAX_DECIMALS: usize = 9;

/// Significant digits of a value, by the share of time in which it was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Digits {
    /// It was counted less than 5 % of the time: one.
    One,
    /// It was counted 5 % of the time or more: two.
    Two,
    /// It was counted a quarter of the time or more: three.
    Three,
    /// It was counted all the time: four, and all before the point.
    All,
}

impl Digits {
    /// Returns the digits of a value that was counted for this share of the time.
    pub fn of_share(counted: f64) -> Self {
        match counted {
            1.0.. => Digits::All,
            0.25.. => Digits::Three,
            0.05.. => Digits::Two,
            _ => Digits::One,
        }
    }

    const fn significant(self) -> i32 {
        match self {
            Digits::All => 4,
            Digits::Three => 3,
            Digits::Two => 2,
            Digits::One => 1,
        }
    }
}

/// Prefixes of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prefixes {
    /// Powers of 1000.
    #[default]
    Si,
    /// Powers of 1024.
    Iec,
}

impl Prefixes {
    /// A value divided by the largest prefix that leaves at least 1.
    pub fn of(self, value: f64) -> (f64, &'static str) {
        let (step, all) = match self {
            Prefixes::Si => (1000.0, ["k", "M", "G", "T"]),
            Prefixes::Iec => (1024.0, ["Ki", "Mi", "Gi", "Ti"]),
        };
        let (mut value, mut prefix) = (value, "");
        for larger in all {
            if value.abs() < step {
                break;
            }
            value /= step;
            prefix = larger;
        }
        (value, prefix)
    }
}

/// A value as the table shows it, and the unit it is shown in.
pub fn rounded(value: f64, unit: Unit, digits: Digits, prefixes: Prefixes) -> (String, String) {
    if unit != Unit::Bytes {
        return (number(value, digits), unit.to_string());
    }
    let (value, prefix) = prefixes.of(value);
    (number(value, digits), format!("{prefix}B"))
}

/// A value divided by the largest prefix, a power of 1000, that leaves at least 1.
pub fn prefixed(value: f64) -> (f64, &'static str) {
    Prefixes::Si.of(value)
}

/// A number with its significant digits.
pub fn number(value: f64, digits: Digits) -> String {
    let significant = digits.significant();
    if value == 0.0 || digits == Digits::All && value.fract() == 0.0 {
        // Adding 0 takes the sign off a negative zero.
        return format!("{:.0}", value + 0.0);
    }
    let mut decimals = 0;
    let mut shifted = value.abs();
    while shifted < 10f64.powi(significant - 1) && decimals < MAX_DECIMALS {
        shifted *= 10.0;
        decimals += 1;
    }
    if digits == Digits::All || decimals > 0 {
        // 1000 needs none, 100 one.
        return format!("{value:.decimals$}");
    }
    let mut unit = 1.0;
    while value.abs() / unit >= 10f64.powi(significant) {
        unit *= 10.0;
    }
    format!("{:.0}", (value / unit).round() * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        let cases = [
            (0.0, "0"),
            (-0.0, "0"),
            (5.0, "5"),
            (-7.0, "-7"),
            (1_234_567.0, "1234567"),
            (1_234_567.8, "1234568"),
            (1234.5, "1234"),
            (123.456, "123.5"),
            (12.3456, "12.35"),
            (1.234_56, "1.235"),
            (-1.234_56, "-1.235"),
            (0.123_456, "0.1235"),
            (0.001_234_56, "0.001235"),
            (0.000_000_012, "0.000000012"),
            (0.000_000_000_000_1, "0.000000000"),
        ];
        for (value, expected) in cases {
            assert_eq!(
                rounded(value, Unit::Ratio, Digits::All, Prefixes::Si).0,
                expected,
                "{value}"
            );
        }
    }

    #[test]
    fn bytes_have_prefixes() {
        let cases = [
            (64.0, "64", "B"),
            (999.0, "999", "B"),
            (1000.0, "1", "kB"),
            (123_456.0, "123.5", "kB"),
            (-2_500_000.0, "-2.500", "MB"),
            (12_345_678_901.0, "12.35", "GB"),
            (1e15, "1000", "TB"),
        ];
        for (value, expected, symbol) in cases {
            let expected = (expected.to_owned(), symbol.to_owned());
            let shown = rounded(value, Unit::Bytes, Digits::All, Prefixes::Si);
            assert_eq!(shown, expected);
        }
        assert_eq!(Prefixes::Iec.of(1023.0), (1023.0, ""));
        assert_eq!(Prefixes::Iec.of(1.5 * 1024.0 * 1024.0), (1.5, "Mi"));
    }

    #[test]
    fn fewer_digits_follow_from_less_time() {
        let shares = [1.0, 0.999, 0.25, 0.249, 0.05, 0.049, 0.0];
        let digits = shares.map(|share| number(1_234_567.8, Digits::of_share(share)));
        let expected = [
            "1234568", "1230000", "1230000", "1200000", "1200000", "1000000",
        ];
        assert_eq!(digits[..6], expected);
        assert_eq!(digits[6], "1000000");
        let cases = [
            (Digits::Three, 12.345, "12.3"),
            (Digits::Two, 12.345, "12"),
            (Digits::One, 96.0, "100"),
            (Digits::One, 0.0, "0"),
            (Digits::Two, 0.012_34, "0.012"),
            (Digits::Three, 5.0, "5.00"),
        ];
        for (digits, value, expected) in cases {
            assert_eq!(number(value, digits), expected, "{value}");
        }
    }
}
