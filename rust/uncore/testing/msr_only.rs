// SPDX-License-Identifier: GPL-2.0

//! A second made-up platform for the suites: all registers are MSRs.

pub(crate) mod slice;
