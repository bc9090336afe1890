// SPDX-License-Identifier: GPL-2.0

//! A second made-up platform for the suites, without PCI functions.

use crate::uncore::table::prelude::*;

pub(crate) mod slice;

pub(crate) static MSR_ONLY: Platform = Platform {
    name: "msronly",
    cpus: &[(6, 252)],
    discovery: None,
    global: None,
    box_types: &[&slice::SLICE],
};

const _: () = check_platform(&MSR_ONLY);
