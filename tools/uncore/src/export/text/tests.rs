// SPDX-License-Identifier: GPL-2.0

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
    let expected = r#"# HELP uncore_read_bytes_total Bytes, "quoted", a \\ and\na second line
# TYPE uncore_read_bytes_total counter
uncore_read_bytes_total{socket="0",odd="a\"b\\c\nd,e}"} 18446744073709551616
uncore_read_bytes_total{socket="1"} 0
# HELP uncore_counted_ratio Share
# TYPE uncore_counted_ratio gauge
uncore_counted_ratio 0.25
# HELP uncore_build_info Versions
# TYPE uncore_build_info gauge
uncore_build_info{version="1"} 1
"#;
    assert_eq!(Format::Prometheus.text(&families()), expected);
}

#[test]
fn openmetrics_has_type_unit_help_and_an_end() {
    let expected = r#"# TYPE uncore_read_bytes counter
# UNIT uncore_read_bytes bytes
# HELP uncore_read_bytes Bytes, \"quoted\", a \\ and\na second line
uncore_read_bytes_total{socket="0",odd="a\"b\\c\nd,e}"} 18446744073709551616
uncore_read_bytes_total{socket="1"} 0
# TYPE uncore_counted_ratio gauge
# UNIT uncore_counted_ratio ratio
# HELP uncore_counted_ratio Share
uncore_counted_ratio 0.25
# TYPE uncore_build info
# HELP uncore_build Versions
uncore_build_info{version="1"} 1
# EOF
"#;
    assert_eq!(Format::OpenMetrics.text(&families()), expected);
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
