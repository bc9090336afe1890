// SPDX-License-Identifier: GPL-2.0

use super::*;
use crate::formula::Expr;
use crate::testing::{self, event};

/// Terms as a sum: `a + b{f=1}`.
fn group(text: &str) -> Vec<Term> {
    let expr: Expr = text.parse().expect("a formula");
    expr.terms().into_iter().cloned().collect()
}

fn box_type() -> BoxType {
    let filtered = Event {
        filters: vec!["opc".to_owned()],
        ..event(0b11)
    };
    let preset = Event {
        settings: [("opc_low".to_owned(), Value::Number(1))].into(),
        ..event(0b11)
    };
    let source = Event {
        is_source: true,
        ..event(0b01)
    };
    let watcher = Event {
        needs_source: true,
        ..event(0b10)
    };
    let events = [
        ("any", event(0b11)),
        ("first", event(0b01)),
        ("second", event(0b10)),
        ("fixed", event(0b100)),
        ("filtered", filtered),
        ("preset", preset),
        ("source", source),
        ("watcher", watcher),
    ];
    let mut box_type = testing::box_type(events, &["opc_high", "opc_low"]);
    box_type.fields.insert("edge".to_owned(), None);
    box_type
}

#[test]
fn groups_that_fit() {
    for text in [
        "any + first",
        "first + any",
        "any + first + fixed",
        "any + any{edge=1}",
        "filtered{opc_low=1} + preset",
        "filtered{opc_low=1} + any",
        "filtered{opc_low=1,edge=1} + filtered{opc_low=1}",
        "source + watcher",
    ] {
        assert_eq!(box_type().fits(&group(text)), Ok(()), "{text}");
    }
}

#[test]
fn groups_that_do_not() {
    let opc = || Misfit::Filter("opc".to_owned());
    for (text, misfit) in [
        ("first + first{edge=1}", Misfit::Counters),
        ("any + first + second", Misfit::Counters),
        ("fixed + fixed{edge=1}", Misfit::Counters),
        ("filtered{opc_low=1} + filtered{opc_low=2}", opc()),
        ("filtered{opc_low=1} + filtered", opc()),
        ("filtered{opc_high=1} + preset", opc()),
        ("watcher", Misfit::NoSource("watcher".to_owned())),
        ("watcher + source", Misfit::NoSource("watcher".to_owned())),
        ("any + other", Misfit::NoEvent("other".to_owned())),
        ("any{inv=1}", Misfit::NoField("inv".to_owned())),
    ] {
        assert_eq!(box_type().fits(&group(text)), Err(misfit), "{text}");
    }
}
