// SPDX-License-Identifier: GPL-2.0

//! Test that each control register was as the driver had written it, while the other parts ran.

use super::fixture::Fixture;
use super::ktap::Verdict;
use super::REGISTERS;

pub(super) fn check(fixture: &Fixture) -> Vec<Verdict> {
    let mut verdict = Verdict::new(REGISTERS);
    match fixture.tampered() {
        None => verdict.skip("only root may read what the driver has found"),
        Some(packages) => {
            for (package, events) in packages {
                verdict.expect(events == 0, || {
                    format!(
                        "package {package}: registers of {events} events changed: by another \
                         program or firmware, or they do not keep what is written"
                    )
                });
            }
        }
    }
    vec![verdict]
}
