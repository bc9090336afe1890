// SPDX-License-Identifier: GPL-2.0

//! Questions about Haswell-EP. Sections are those of Documentation/hardware/bdx.rst.

use crate::differences::cases::common::{
    BAND_3, CBOXES_FOUND, CBOX_BEHIND_A_GAP, FILTER_NOT_TAKEN, HIDDEN_MATCH, HOME_OPCODE,
    NO_MMCONFIG, OCC_EDGE, RESCAN, THREE_OF_A_SET, UNOWNED_BIT, WORDS,
};
use crate::differences::Case;

pub(super) const CASES: &[Case] = &[
    FILTER_NOT_TAKEN,
    UNOWNED_BIT,
    OCC_EDGE,
    // 21.15.
    BAND_3,
    HOME_OPCODE,
    // 21.2.
    THREE_OF_A_SET,
    // 21.6.
    CBOXES_FOUND,
    CBOX_BEHIND_A_GAP,
    HIDDEN_MATCH,
    NO_MMCONFIG,
    RESCAN,
    WORDS,
];
