// SPDX-License-Identifier: GPL-2.0

use super::*;
use crate::term::Value;

/// Counts: `a` 6, `b` 4, `zero` 0; nothing else was counted.
struct Counts;

impl Inputs for Counts {
    type Missing = String;

    fn count(&self, term: &Term) -> Result<f64, String> {
        match term.event.as_str() {
            "a" => Ok(6.0),
            "b" => Ok(4.0),
            "zero" => Ok(0.0),
            other => Err(other.to_owned()),
        }
    }

    fn seconds(&self) -> Result<f64, String> {
        Ok(0.5)
    }
}

fn value(text: &str) -> Result<f64, Undefined<String>> {
    let formula: Expr = text.parse().expect("a formula");
    formula.value(&Counts)
}

#[test]
fn values() {
    for (text, expected) in [
        ("a", 6.0),
        ("a + b * 2", 14.0),
        ("(a + b) * 2", 20.0),
        ("a - b - 1", 1.0),
        ("a / b / 2", 0.75),
        ("1 - (a - b)", -1.0),
        ("a * cache_line", 384.0),
        ("b * flit + ring_slot", 64.0),
        ("a / seconds", 12.0),
        ("round(a / b)", 2.0),
        ("round(2.4) * 1.5", 3.0),
        ("0 / a", 0.0),
    ] {
        assert_eq!(value(text), Ok(expected), "{text}");
    }
}

#[test]
fn what_has_no_value() {
    for text in [
        "a / zero",
        "zero / zero",
        "1 + a / (b - 4)",
        "round(a / zero)",
    ] {
        assert_eq!(value(text), Err(Undefined::ZeroDenominator), "{text}");
    }
    let missing = Undefined::Missing("c.d".to_owned());
    assert_eq!(value("a + c.d{edge=1}"), Err(missing));
    let large = "9".repeat(300);
    let product = format!("{large} * {large}");
    assert_eq!(value(&product), Err(Undefined::TooLarge));
}

#[test]
fn terms_are_listed_once_with_their_fields() {
    let text = "x.y{thresh=0x10,edge=1} / (x.y{edge=1,thresh=16} + x.y{nid=my_node})";
    let formula: Expr = text.parse().expect("a formula");
    let terms: Vec<_> = formula.terms().iter().map(ToString::to_string).collect();
    assert_eq!(terms, ["x.y{edge=0x1,thresh=0x10}", "x.y{nid=my_node}"]);
    let last = formula.terms()[1];
    assert_eq!(last.settings["nid"], Value::MyNode);
}

#[test]
fn errors_say_where_and_what() {
    for (text, expected) in [
        (
            "",
            "character 1: expected a number, a name or (, found the end",
        ),
        (
            "a +",
            "character 4: expected a number, a name or (, found the end",
        ),
        (
            "a b",
            "character 3: expected an operator or the end, found b",
        ),
        (
            "(a",
            "character 3: expected an operator or ), found the end",
        ),
        (
            "a)",
            "character 2: expected an operator or the end, found )",
        ),
        ("A", "character 1: expected a number, a name or (, found A"),
        (
            "ä + 1",
            "character 1: expected a number, a name or (, found ä",
        ),
        ("-1", "character 1: expected a number, a name or (, found -"),
        ("1.2.3", "character 1: 1.2.3 is not a number"),
        ("12e3", "character 1: 12e3 is not a number"),
        ("round a", "character 7: expected ( after round, found a"),
        ("a{}", "character 3: expected the name of a field, found }"),
        ("a{b}", "character 4: expected =, found }"),
        (
            "a{b=}",
            "character 5: expected a number, my_node, other_nodes or all_nodes, found }",
        ),
        (
            "a{b=no}",
            "character 5: expected a number, my_node, other_nodes or all_nodes, found no",
        ),
        ("a{b=1", "character 6: expected , or }, found the end"),
        ("a{b=0xg}", "character 5: 0xg is not a number"),
        ("a{b=1,b=2}", "character 7: b is set twice"),
        (
            "a{b=99999999999999999999}",
            "character 5: 99999999999999999999 is not a number",
        ),
    ] {
        let error = text.parse::<Expr>().expect_err(text);
        assert_eq!(error.to_string(), expected, "{text}");
    }
}
