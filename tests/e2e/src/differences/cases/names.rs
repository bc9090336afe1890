// SPDX-License-Identifier: GPL-2.0

//! The names that perf brings along for this processor. They are perf's and
//! not the driver's; but a driver can refuse what a name does not say.

use super::refused;
use crate::differences::ask::BURST;
use crate::differences::{Case, Machine};
use crate::fixture::probe::Probe;

pub(super) const CASES: &[Case] = &[
    Case {
        known: 14,
        question: "perf's own event unc_q_txl_flits_g1.hom_req, from which perf leaves out the \
                   extended select",
        defect: "counts TxL_FLITS_G0.DATA, which has the same code without it",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.perf_event("unc_q_txl_flits_g1.hom_req", "unc_q_txl_flits_g1.hom_req"),
    },
    Case {
        known: 14,
        question: "perf's own event unc_q_message.drs.anydatac, from which perf leaves out the \
                   extended select and the packet's match",
        defect: "counts a code that no event has, as for all such names",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.perf_event("unc_q_message.drs.anydatac", "unc_q_message.drs.anydatac"),
    },
    Case {
        known: 14,
        question: "perf's own event unc_p_delayed_c_state_abort_core0, the same",
        defect: "counts a code that no event has",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| {
            asked.perf_event(
                "unc_p_delayed_c_state_abort_core0",
                "unc_p_delayed_c_state_abort_core0",
            )
        },
    },
    Case {
        known: 15,
        question: "perf's own event unc_c_llc_lookup.any, which names no cache line state",
        defect: "counts with no state",
        machine: Machine::Usual,
        right: || {
            let boxes = (0..3).map(|instance| Probe::cbox(instance, "llc_lookup.any"));
            let sum: u64 = boxes.map(|probe| probe.count(0, BURST)).sum();
            sum.to_string()
        },
        ask: |asked| asked.perf_event("unc_c_llc_lookup.any", "unc_c_llc_lookup.any"),
    },
    Case {
        known: 15,
        question: "perf's own event unc_c_tor_inserts.opcode, which names no opcode",
        defect: "counts with opcode 0, which nothing has",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.perf_event("unc_c_tor_inserts.opcode", "unc_c_tor_inserts.opcode"),
    },
    Case {
        known: 15,
        question: "perf's own event unc_p_freq_band0_cycles, which names no frequency",
        defect: "counts at whatever frequency",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.perf_event("unc_p_freq_band0_cycles", "unc_p_freq_band0_cycles"),
    },
];
