// SPDX-License-Identifier: GPL-2.0

//! The text formats: that of Prometheus, version 0.0.4, and OpenMetrics 1.0.

use std::fmt::Write as _;

use super::family::{Family, Kind, Sample, Value};

/// A text format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Prometheus,
    OpenMetrics,
}

impl Format {
    /// Type of the contents, for HTTP.
    pub(super) fn content_type(self) -> &'static str {
        match self {
            Format::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
            Format::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }

    /// Writes families; those without samples are left out.
    pub(super) fn text(self, families: &[Family]) -> String {
        let mut text = String::new();
        for family in families.iter().filter(|one| !one.samples.is_empty()) {
            self.head(&mut text, family);
            let name = family.of_samples();
            for sample in &family.samples {
                line(&mut text, &name, sample);
            }
        }
        if self == Format::OpenMetrics {
            text.push_str("# EOF\n");
        }
        text
    }

    fn head(self, text: &mut String, family: &Family) {
        let help = escaped(&family.help, self == Format::OpenMetrics);
        let _ = match self {
            Format::Prometheus => {
                let name = family.of_samples();
                let kind = match family.kind {
                    Kind::Counter => "counter",
                    Kind::Gauge | Kind::Info => "gauge",
                };
                writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}")
            }
            Format::OpenMetrics => {
                let name = &family.name;
                let kind = match family.kind {
                    Kind::Counter => "counter",
                    Kind::Gauge => "gauge",
                    Kind::Info => "info",
                };
                let _ = writeln!(text, "# TYPE {name} {kind}");
                if let Some(unit) = family.unit() {
                    let _ = writeln!(text, "# UNIT {name} {unit}");
                }
                writeln!(text, "# HELP {name} {help}")
            }
        };
    }
}

fn line(text: &mut String, name: &str, sample: &Sample) {
    text.push_str(name);
    for (place, (label, value)) in sample.labels.iter().enumerate() {
        let before = if place == 0 { '{' } else { ',' };
        let _ = write!(text, "{before}{label}=\"{}\"", escaped(value, true));
    }
    if !sample.labels.is_empty() {
        text.push('}');
    }
    let _ = match sample.value {
        Value::Whole(number) => writeln!(text, " {number}"),
        Value::Real(number) if number.is_finite() => writeln!(text, " {number}"),
        Value::Real(number) if number.is_nan() => writeln!(text, " NaN"),
        Value::Real(number) if number > 0.0 => writeln!(text, " +Inf"),
        Value::Real(_) => writeln!(text, " -Inf"),
    };
}

/// Escapes what ends a line or a text in quotes.
fn escaped(text: &str, quotes: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '"' if quotes => out.push_str("\\\""),
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests;
