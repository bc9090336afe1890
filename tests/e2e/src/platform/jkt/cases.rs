// SPDX-License-Identifier: GPL-2.0

//! Questions about Sandy Bridge-EP.

use super::transaction;
use crate::differences::cases::common::{
    of_all_cboxes, CBOXES_FOUND, FILTER_NOT_TAKEN, HIDDEN_MATCH, NO_MMCONFIG, OCC_EDGE, RESCAN,
    TOR_OPCODE, UNOWNED_BIT, WORDS,
};
use crate::differences::Case;
use crate::expect::LINES;
use crate::fixture::probe::Probe;

pub(super) const CASES: &[Case] = &[
    FILTER_NOT_TAKEN,
    UNOWNED_BIT,
    OCC_EDGE,
    Case::count(
        "PCU, FREQ_TRANS_CYCLES, which needs the extended select",
        || Probe::pcu("freq_trans_cycles"),
    ),
    Case::count("PCU, DEMOTIONS_CORE0 of reason 0x10", || {
        Probe::pcu("demotions_core0").band(0, 0x10)
    }),
    Case::count(
        "HA, ADDR_OPC_MATCH.FILT of PrefetchHint (opcode 0x3f) for a line",
        || transaction(LINES[7], 0x3f),
    ),
    Case::refuse(
        "R2PCIe, a group of TxR_CYCLES_NE.AD and AK; counter 0 alone can count them",
        |asked| {
            let rings = ["txr_cycles_ne.ad", "txr_cycles_ne.ak"].map(Probe::r2pcie);
            asked.counts(&rings, true)
        },
    ),
    CBOXES_FOUND,
    HIDDEN_MATCH,
    NO_MMCONFIG,
    RESCAN,
    WORDS,
    Case::refuse(
        "perf's own event unc_p_total_transition_cycles, from which perf leaves out the \
         extended select",
        |asked| asked.perfs_own("unc_p_total_transition_cycles"),
    ),
    Case::other(
        "perf's own event unc_c_llc_lookup.data_read, which names no cache line state",
        || of_all_cboxes("llc_lookup.data_read"),
        |asked| asked.perfs_own("unc_c_llc_lookup.data_read"),
    ),
    TOR_OPCODE,
];
