// SPDX-License-Identifier: GPL-2.0

//! The files `alias`, by which perf takes a PMU for one of the kernel's own driver. Which PMUs have
//! one is tested on the host (`whole::names`).

use crate::names::{machine, BURST};
use uncore_e2e::perf::Event;
use uncore_e2e::prelude::*;

/// On the command line both perfs follow an alias, with and without an index.
#[test]
fn an_alias_is_as_good_as_the_name() {
    platforms!(; e5 polled);
    on(&machine(&[]), |session| {
        let probe = Probe::imc(3, "cas_count.rd");
        let event = Event::new("uncore_imc_3", "cas_count.rd").named("alias");
        for perf in crate::names::Perf::BOTH {
            let stat = Stat::burst(BURST).option("--per-socket").event(&event);
            let table = session.stat(&stat.asking(perf.program()));
            for &package in Platform::packages() {
                let line = table.at("alias", Place::Socket(package)).expect("a line");
                let count = probe.count(package, BURST);
                assert_eq!(probe.exact(line), Some(count), "{perf:?}");
            }
        }
    });
}
