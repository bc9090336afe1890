// SPDX-License-Identifier: GPL-2.0

//! Slices of the campaign of readings: each that the machine can take while it runs, with some
//! events, and some random combinations. `make readings` runs more of both.

use std::collections::BTreeSet;
use uncore_campaigns::readings::{processors, readings, survey, Readings, SEED};
use uncore_e2e::fixture::{assert_none, repeats_all};

/// Each reading is tried with one event in so many, and with those that it changes.
const STEP: usize = 24;

/// Number of random runs.
const SLICE: u64 = 20;

#[test]
fn each_reading_counts_or_is_refused() {
    let all = processors().into_iter();
    let all = all.flat_map(|processor| processor.on(readings));
    let all = all.filter(|reading| !reading.at_start);
    let names: BTreeSet<&str> = all.map(|reading| reading.name).collect();
    let names: Vec<&str> = names.into_iter().collect();
    assert!(!names.is_empty());
    let mut campaign = Readings::default();
    campaign.alone(&names, STEP, |_| {});
    assert_none(campaign.failures());
    assert_eq!(campaign.runs(), u64::try_from(names.len()).unwrap_or(0));
}

/// Number of random combinations that are surveyed: all of them, and those of `make test`.
const SURVEYED: [u64; 2] = [200, 2];

#[test]
fn the_survey_names_no_wrong_reading_of_random_combinations() {
    let [all, few] = SURVEYED;
    let runs = if repeats_all() { all } else { few };
    assert_none(&survey(SEED, 0..runs, |_| {}));
}

#[test]
fn random_combinations_count_or_are_refused() {
    let mut campaign = Readings::default();
    campaign.random(SEED, 0..SLICE, |_| {});
    assert_none(campaign.failures());
    assert_eq!(campaign.runs(), SLICE);
}
