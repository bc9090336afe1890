// SPDX-License-Identifier: GPL-2.0

//! Questions about Sandy Bridge client.

use super::super::Case;

pub(super) const CASES: &[Case] = &[];
