// SPDX-License-Identifier: GPL-2.0

//! Everything there is: every named event on every box of both packages,
//! every filter at every value that means something, every kind of request
//! that must be refused. One test, so that one line can say how much that was.

mod events;
mod filters;
pub(crate) mod refusals;

use crate::driver::usual_machine;
use ivbep_e2e::fixture::{assert_none, on};
use std::io::{stderr, Write as _};

/// Says it even if the test passes, when the output of `print` is withheld.
fn announce(line: &str) {
    writeln!(stderr(), "{line}").expect("standard error is open");
}

#[test]
fn every_event_every_filter_and_every_refusal() {
    on(&usual_machine(), |session| {
        let mut wrong = Vec::new();
        let events = events::sweep(session, &mut wrong);
        let filters = filters::sweep(session, &mut wrong);
        let refusals = refusals::sweep(session, &mut wrong);
        announce(&format!(
            "swept {events} events, {filters} filter settings, {refusals} refusals: {} wrong",
            wrong.len()
        ));
        assert_none(&wrong);
    });
}
