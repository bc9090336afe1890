// SPDX-License-Identifier: GPL-2.0

//! Slice of the orders: one seed of each scenario, twice. `make orders` runs more.

use uncore_campaigns::orders::{Orders, MIXED, SCENARIOS, SEED};
use uncore_e2e::fixture::assert_none;

#[test]
fn a_seed_gives_the_same_order_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let seeds = SEED..SEED + SCENARIOS.len() as u64;
    let mut orders = Orders::default();
    orders.run(MIXED, seeds, 2, directory.path(), |_| {});
    assert_none(orders.failures());
    assert!(orders.points() > 1000, "{}", orders.points());
}
