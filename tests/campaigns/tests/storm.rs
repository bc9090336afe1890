// SPDX-License-Identifier: GPL-2.0

//! Slice of the storm: half a minute with defects, and a few loads. `make storm` runs all
//! of it. On slower kernels the storm lasts longer, so that enough steps are done.

use std::io::{stderr, Write as _};
use std::time::Duration;
use uncore_campaigns::storm::{config, Reloads, Storm, SEED};
use uncore_e2e::fixture::{assert_none, on_new};

/// A round in which boxes break.
const ROUND: u64 = 1;
/// Length of the round by the guest's clock.
const TIME: Duration = Duration::from_secs(30);
/// Number of loads; enough that boxes of three types have an event open.
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
