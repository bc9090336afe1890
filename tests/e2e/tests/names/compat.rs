// SPDX-License-Identifier: GPL-2.0

//! `names=compat`: the PMUs have the names that the kernel's own driver gives
//! them, for tools that have these built in.

use crate::names::{both_perfs_count, machine};
use uncore_e2e::perf::Event;
use uncore_e2e::prelude::*;

/// Command lines written for the kernel's own driver work unchanged.
#[test]
fn command_lines_for_the_kernels_own_driver_work() {
    platforms!(; e5 polled);
    on(&machine(&["names=compat"]), |session| {
        for (pmu, terms, probe) in [
            (
                "uncore_imc_0",
                "cas_count_read",
                Probe::imc(0, "cas_count.rd"),
            ),
            ("uncore_imc_0", "clockticks", Probe::imc(0, "clockticks")),
            (
                "uncore_cbox_1",
                "event=0x34,umask=0x11,filter_state=0x1",
                Probe::cbox(1, "llc_lookup.any").state(1),
            ),
            (
                "uncore_pcu",
                "event=0xb,filter_band0=20",
                Probe::pcu("freq_band0_cycles").band(0, 20),
            ),
            (
                "uncore_qpi_0",
                "event=0x138,match0=0x1c00,mask0=0x1f80",
                // DRS.AnyDataC of the manual.
                Probe::qpi(0, "cto_count")
                    .field("match0", 0x1c00)
                    .field("mask0", 0x1f80),
            ),
        ] {
            both_perfs_count(session, Event::new(pmu, terms), &probe);
        }
    });
}
