// SPDX-License-Identifier: GPL-2.0

//! The B-Box: each counter has events of its own, some of which look at match and mask
//! (Documentation/hardware/nhmex.rst, sections 7 and 12).

use crate::catalogue::BoxKind;
use crate::expect::{Rule, Special};

/// The fields that an event looks at are those of its row.
pub(super) const MATCHES: Special = Special {
    kind: BoxKind::Bbox,
    ext: false,
    codes: 0x00..=0x7f,
    rule: Rule::HomePackets,
};
