// SPDX-License-Identifier: GPL-2.0

//! Bits of the survey besides those that the driver uses, for points of
//! Documentation/hardware/nhmex.rst.
//!
//! No counter interrupts by them: a value that has the bit lets no counter run.

use crate::uncore::table::prelude::*;

pub(super) const SURVEYED: &[Surveyed] = &[
    // a PMI enable of the fixed counter.
    surveyed("wbox", "fixed_ctl", None, 1 << 20),
];
