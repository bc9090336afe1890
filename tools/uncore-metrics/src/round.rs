// SPDX-License-Identifier: GPL-2.0

//! Rounding of values in the table.
//!
//! * A number has four significant digits, but no more than nine decimals. The digits before the
//!   point are always shown, and a whole number is shown without decimals.
//! * Bytes are shown in the largest of B, kB, MB, GB and TB (powers of 1000) that leaves at least 1.
//! * The other units are shown as they are.
//!
//! CSV and JSON have the values as they are.

use crate::unit::Unit;

/// The smallest number with four digits before the point.
const FOUR_DIGITS: f64 = 1000.0;
const MAX_DECIMALS: usize = 9;

/// A value as the table shows it, and the unit it is shown in.
pub fn rounded(value: f64, unit: Unit) -> (String, &'static str) {
    let mut value = value;
    let mut symbol = unit.symbol();
    if unit == Unit::Bytes {
        for larger in ["kB", "MB", "GB", "TB"] {
            if value.abs() < 1000.0 {
                break;
            }
            value /= 1000.0;
            symbol = larger;
        }
    }
    (number(value), symbol)
}

fn number(value: f64) -> String {
    if value.fract() == 0.0 {
        // Adding 0 takes the sign off a negative zero.
        return format!("{:.0}", value + 0.0);
    }
    let mut decimals = 0;
    let mut shifted = value.abs();
    while shifted < FOUR_DIGITS && decimals < MAX_DECIMALS {
        shifted *= 10.0;
        decimals += 1;
    }
    // 1000 needs none, 100 one.
    format!("{value:.decimals$}")
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
            assert_eq!(rounded(value, Unit::Ratio).0, expected, "{value}");
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
            let expected = (expected.to_owned(), symbol);
            assert_eq!(rounded(value, Unit::Bytes), expected);
        }
    }
}
