// SPDX-License-Identifier: GPL-2.0

//! Made-up box types of platforms that bind no PCI functions and have no interrupt.

pub(crate) mod decoder;
pub(crate) mod gate;
pub(crate) mod meter;
pub(crate) mod router;
pub(crate) mod slice;
