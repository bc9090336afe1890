// SPDX-License-Identifier: GPL-2.0

//! The files `alias`, by which perf takes a PMU for one of the kernel's own driver. Which PMUs have
//! one is tested on the host (`whole::names`).

use crate::names::{both_perfs_count, machine};
use uncore_e2e::perf::Event;
use uncore_e2e::prelude::*;

/// On the command line both perfs follow an alias, with and without an index.
#[test]
fn an_alias_is_as_good_as_the_name() {
    platforms!(; e5 polled);
    on(&machine(&[]), |session| {
        let probe = Probe::imc(3, "cas_count.rd");
        both_perfs_count(session, Event::new("uncore_imc_3", "cas_count.rd"), &probe);
    });
}
