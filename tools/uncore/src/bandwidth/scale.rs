// SPDX-License-Identifier: GPL-2.0

//! Axes: where they end, and which places have a number.

use uncore_metrics::prefixed;

/// An axis that begins at 0.
#[derive(Debug, PartialEq)]
pub(super) struct Scale {
    /// Value at its end.
    pub(super) end: f64,
    /// Distance between two numbers.
    step: f64,
    /// Value of one unit.
    one: f64,
    /// Unit of the numbers.
    pub(super) unit: String,
}

/// Numbers on an axis, about.
const NUMBERS: f64 = 4.0;

impl Scale {
    /// An axis for rates of bytes, with room for this one.
    pub(super) fn of_rates(most: f64) -> Self {
        let most = if most > 0.0 { most } else { 1.0 };
        let (scaled, prefix) = prefixed(most);
        let one = most / scaled;
        let step = step(scaled);
        Self {
            end: (scaled / step).ceil() * step * one,
            step: step * one,
            one,
            unit: format!("{prefix}B/s"),
        }
    }

    /// An axis for times, with exactly this end.
    pub(super) fn of_times(end: f64) -> Self {
        let (one, unit) = match end {
            7200.0.. => (3600.0, "h"),
            300.0.. => (60.0, "min"),
            _ => (1.0, "s"),
        };
        Self {
            end,
            step: step(end / one) * one,
            one,
            unit: unit.to_owned(),
        }
    }

    /// The values with a number, and the numbers.
    pub(super) fn ticks(&self) -> impl Iterator<Item = (f64, String)> + '_ {
        let values = (0..).map(|tick| f64::from(tick) * self.step);
        let values = values.take_while(|value| *value <= self.end * 1.000_001);
        values.map(|value| (value, number(value / self.one)))
    }
}

/// The distance of 1, 2 or 5 times a power of ten by which a length is divided best.
fn step(length: f64) -> f64 {
    let rough = length / NUMBERS;
    let power = 10f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0].into_iter();
    let mut steps = steps.map(|step| step * power);
    steps.find(|step| *step >= rough).unwrap_or(10.0 * power)
}

/// A number without the digits that a sum of steps may add.
fn number(value: f64) -> String {
    format!("{}", (value * 1e6).round() / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(scale: &Scale) -> Vec<String> {
        scale.ticks().map(|(_, number)| number).collect()
    }

    #[test]
    fn rates_have_round_numbers_up_to_the_end() {
        for (most, end, expected, unit) in [
            (0.0, 1.0, ["0", "0.5", "1"].as_slice(), "B/s"),
            (29.9e9, 30e9, &["0", "10", "20", "30"], "GB/s"),
            (30e9, 30e9, &["0", "10", "20", "30"], "GB/s"),
            (999.0, 1000.0, &["0", "500", "1000"], "B/s"),
            (1.1e6, 1.5e6, &["0", "0.5", "1", "1.5"], "MB/s"),
        ] {
            let scale = Scale::of_rates(most);
            assert!((scale.end - end).abs() < 1e-3 * end, "{most}: {scale:?}");
            assert_eq!(
                (numbers(&scale).as_slice(), scale.unit.as_str()),
                (
                    expected
                        .iter()
                        .map(|n| (*n).to_owned())
                        .collect::<Vec<_>>()
                        .as_slice(),
                    unit
                ),
                "{most}"
            );
        }
    }

    #[test]
    fn times_end_when_counting_ended() {
        for (end, expected, unit) in [
            (0.5, "0 0.2 0.4", "s"),
            (61.0, "0 20 40 60", "s"),
            (600.0, "0 5 10", "min"),
            (86400.0, "0 10 20", "h"),
        ] {
            let scale = Scale::of_times(end);
            assert_eq!(
                (numbers(&scale).join(" ").as_str(), scale.unit.as_str()),
                (expected, unit),
                "{end}"
            );
        }
    }
}
