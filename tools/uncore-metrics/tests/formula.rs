// SPDX-License-Identifier: GPL-2.0

//! Formulas that nobody would write: none makes the parser or the evaluation panic, and what can be
//! worked out otherwise comes out the same.

use proptest::prelude::*;
use uncore_metrics::Expr;
use uncore_metrics::Inputs;
use uncore_metrics::Term;

/// Every count is as long as the event's name.
struct Lengths;

impl Inputs for Lengths {
    type Missing = ();

    fn count(&self, term: &Term) -> Result<f64, ()> {
        u32::try_from(term.event.len()).map(f64::from).map_err(drop)
    }

    fn seconds(&self) -> Result<f64, ()> {
        Ok(2.0)
    }
}

/// A formula with its value, `None` where it has none.
fn formula() -> impl Strategy<Value = (String, Option<f64>)> {
    let leaf = prop_oneof![
        (0u32..50).prop_map(|n| (n.to_string(), Some(f64::from(n)))),
        Just(("seconds".to_owned(), Some(2.0))),
        Just(("flit".to_owned(), Some(8.0))),
        Just(("a.b{edge=1}".to_owned(), Some(3.0))),
    ];
    leaf.prop_recursive(5, 60, 2, |inner| {
        (inner.clone(), inner, 0..5).prop_map(|((a, x), (b, y), op)| {
            let both = x.zip(y);
            match op {
                0 => (format!("({a} + {b})"), both.map(|(x, y)| x + y)),
                1 => (format!("({a}-{b})"), both.map(|(x, y)| x - y)),
                2 => (format!("({a} *{b} )"), both.map(|(x, y)| x * y)),
                3 => (format!("round({a})"), x.map(f64::round)),
                _ => {
                    let both = both.filter(|(_, y)| *y != 0.0);
                    (format!("({a} / {b})"), both.map(|(x, y)| x / y))
                }
            }
        })
    })
}

proptest! {
    #[test]
    fn any_text_is_a_formula_or_an_error_with_its_place(text in ".*") {
        if let Err(error) = text.parse::<Expr>() {
            prop_assert!(error.at >= 1 && error.at <= text.chars().count() + 1);
        }
    }

    #[test]
    fn any_words_are_a_formula_or_an_error(text in "([a-c]|[0-9]|0x|\\(|\\)|[-+*/{}=,. ]|round){0,40}") {
        if let Ok(formula) = text.parse::<Expr>() {
            if let Ok(value) = formula.value(&Lengths) {
                prop_assert!(value.is_finite());
            }
        }
    }

    #[test]
    fn values_are_those_of_arithmetic((text, value) in formula()) {
        let formula: Expr = text.parse().expect("a formula");
        prop_assert_eq!(formula.value(&Lengths).ok(), value.filter(|v| v.is_finite()));
    }
}

#[test]
fn deep_and_long_formulas_are_refused() {
    let deep = "(".repeat(100_000);
    let error = deep.parse::<Expr>().expect_err("too long");
    assert_eq!(error.to_string(), "character 2001: longer than 2000 words");
    let deep = format!("{}1{}", "(".repeat(60), ")".repeat(60));
    let error = deep.parse::<Expr>().expect_err("too deep");
    let expected = "character 51: brackets are nested more than 50 deep";
    assert_eq!(error.to_string(), expected);
    let most = format!("{}1{}", "(".repeat(50), ")".repeat(50));
    most.parse::<Expr>().expect("a formula");
}
