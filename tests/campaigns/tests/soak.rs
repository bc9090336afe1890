// SPDX-License-Identifier: GPL-2.0

//! Slice of the soak: a quarter of a day on every counter. `make soak DAYS=30` runs
//! thirty days.

use uncore_campaigns::soak::{soak, Mode, Outcome};
use uncore_e2e::fixture::{assert_none, on};

const MINUTES: u64 = 6 * 60;

fn quarter_of_a_day(mode: Mode) -> Outcome {
    let config = mode.config(MINUTES);
    on(&config, |session| {
        let outcome = soak(session, mode, MINUTES);
        println!("{outcome:?}");
        println!("to repeat: {} DAYS=0.25", config.make("soak"));
        assert_none(&outcome.faults());
        let wraps = outcome.rows.iter().map(|row| row.wraps);
        assert!(wraps.sum::<u128>() > 100);
        outcome
    })
}

#[test]
fn polls_lose_nothing() {
    assert_eq!(quarter_of_a_day(Mode::Poll).interrupts, 0);
}

#[test]
fn interrupts_lose_nothing() {
    assert!(quarter_of_a_day(Mode::Pmi).interrupts > 0);
}
