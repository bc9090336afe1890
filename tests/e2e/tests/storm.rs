// SPDX-License-Identifier: GPL-2.0

//! Half a minute of storm, with defects, and a few loads; `make storm` is the whole
//! of it. Where everything takes longer, so does the storm: it is to come to something.

use ivbep_e2e::fixture::{assert_none, on_new};
use ivbep_e2e::storm::{config, Reloads, Storm, SEED};
use std::io::{stderr, Write as _};
use std::time::Duration;

/// A round with defects.
const ROUND: u64 = 1;
/// Of the guest's clock.
const TIME: Duration = Duration::from_secs(30);
/// So that boxes of three types have an event open.
const LOADS: u64 = 9;

#[test]
fn everything_at_once() {
    let config = config();
    let time = TIME * config.flavour.factor();
    on_new(&config, |session| {
        let mut storm = Storm::new(session, SEED, time);
        storm.run(ROUND..ROUND + 1, |_| {});
        writeln!(stderr(), "{storm}").expect("standard error is open");
        assert_none(storm.failures());
        assert!(storm.times("open", "done") > 0, "no event was open");
    });
}

#[test]
fn loads_with_an_event_open() {
    on_new(&config(), |session| {
        let reloads = Reloads::run(session, LOADS, |_| {});
        assert_none(&reloads.faults);
        assert_eq!((reloads.done, reloads.refused), (LOADS, LOADS));
    });
}
