// SPDX-License-Identifier: GPL-2.0

//! The UBox, as in [`bdx::ubox`]: Documentation/hardware/hsx.rst section 7.
//!
//! Oddities:
//!
//! * `clockticks` is the fixed counter. Event select 0 of the general counters, which the lists call
//!   so, is `clockticks_general`.
//!
//! Uncertain:
//!
//! * H-1: whether the general counters have 48 bits or 44. The driver takes 48 if all are kept.

use crate::{
    platforms::{
        bdx::{
            self,
            ubox::EVENTS, //
        },
        like::changed, //
    },
    uncore::table::prelude::*, //
};

/// The UBox.
///
/// SPEC: H-1, the counters have 48 bits, or 44 as in-tree.
pub(super) const UBOX: BoxType = BoxType {
    alternative: Some(&BoxType { width: 44, ..WIDE }),
    ..WIDE
};

const WIDE: BoxType = BoxType {
    events: &changed::<6>(
        EVENTS,
        &[event("clockticks_general", 0x00, 0b11, 31).source(LISTS)],
        &[],
    ),
    ..bdx::ubox::UBOX
};
