// SPDX-License-Identifier: GPL-2.0

//! What `uncore survey` looks at besides the registers that the driver uses.

use crate::uncore::table::prelude::*;

/// `frz_all` of `U_MSR_PMON_GLOBAL_CTL`, section 4.1.
pub(super) const SURVEYED: &[Surveyed] = &[surveyed(GLOBAL, "ctl", None, 1 << 31)];
