// SPDX-License-Identifier: GPL-2.0

use super::super::grammar;
use super::*;

fn families() -> Vec<Family> {
    let labels = vec![
        ("socket", "0".to_owned()),
        ("odd", "a\"b\\c\nd,e}".to_owned()),
    ];
    let help = "Bytes, \"quoted\", a \\ and\na second line";
    vec![
        Family::new("uncore_read_bytes", Kind::Counter, help)
            .with(labels, Value::Whole(u128::from(u64::MAX) + 1))
            .with(vec![("socket", "1".to_owned())], Value::Whole(0)),
        Family::new("uncore_counted_ratio", Kind::Gauge, "Share")
            .with(Vec::new(), Value::Real(0.25)),
        Family::new("uncore_empty", Kind::Gauge, "Nothing"),
        Family::new("uncore_build", Kind::Info, "Versions")
            .with(vec![("version", "1".to_owned())], Value::Whole(1)),
    ]
}

#[test]
fn prometheus_has_help_and_type_of_the_samples_name() {
    let text = Format::Prometheus.text(&families()[1..]);
    assert_eq!(
        text,
        "# HELP uncore_counted_ratio Share\n\
         # TYPE uncore_counted_ratio gauge\n\
         uncore_counted_ratio 0.25\n\
         # HELP uncore_build_info Versions\n\
         # TYPE uncore_build_info gauge\n\
         uncore_build_info{version=\"1\"} 1\n"
    );
}

#[test]
fn openmetrics_has_type_unit_help_and_an_end() {
    let text = Format::OpenMetrics.text(&families()[1..]);
    assert_eq!(
        text,
        "# TYPE uncore_counted_ratio gauge\n\
         # UNIT uncore_counted_ratio ratio\n\
         # HELP uncore_counted_ratio Share\n\
         uncore_counted_ratio 0.25\n\
         # TYPE uncore_build info\n\
         # HELP uncore_build Versions\n\
         uncore_build_info{version=\"1\"} 1\n\
         # EOF\n"
    );
}

#[test]
fn what_is_written_is_read_back() {
    for format in [Format::Prometheus, Format::OpenMetrics] {
        let text = format.text(&families());
        let read = grammar::read(format, &text);
        let name = match format {
            Format::Prometheus => "uncore_read_bytes_total",
            Format::OpenMetrics => "uncore_read_bytes",
        };
        let family = &read[name];
        assert_eq!(family.kind, "counter");
        assert_eq!(family.unit.is_some(), format == Format::OpenMetrics);
        assert_eq!(family.help, families()[0].help);
        let (labels, _) = &family.samples[0];
        assert_eq!(labels["odd"], "a\"b\\c\nd,e}");
        assert!(text.contains("} 18446744073709551616\n"), "{text}");
        assert!(!text.contains("uncore_empty"), "{text}");
    }
}

#[test]
fn numbers_without_a_value_have_words() {
    for (number, expected) in [
        (f64::NAN, "a NaN\n"),
        (f64::INFINITY, "a +Inf\n"),
        (f64::NEG_INFINITY, "a -Inf\n"),
        (1e-9, "a 0.000000001\n"),
    ] {
        let mut text = String::new();
        let sample = Sample {
            labels: Vec::new(),
            value: Value::Real(number),
        };
        line(&mut text, "a", &sample);
        assert_eq!(text, expected);
    }
}
