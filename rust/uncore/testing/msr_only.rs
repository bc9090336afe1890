// SPDX-License-Identifier: GPL-2.0

//! A second made-up platform for the suites. It binds no PCI functions, has no interrupt, and a level
//! lets its counters run.

use crate::uncore::table::prelude::*;

pub(crate) mod decoder;
pub(crate) mod gate;
pub(crate) mod meter;
pub(crate) mod router;
pub(crate) mod slice;

pub(crate) static MSR_ONLY: Platform = Platform {
    name: "msronly",
    cpus: &[(6, 252)],
    discovery: None,
    global: Some(GlobalMsrs {
        control: 0x391,
        run: Run::Level(1 << 29 | 1),
        interrupt: None,
    }),
    box_types: &[&slice::SLICE, &gate::GATE, &router::ROUTER, &meter::METER],
    surveyed: &[],
};
