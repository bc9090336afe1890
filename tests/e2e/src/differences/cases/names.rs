// SPDX-License-Identifier: GPL-2.0

//! Event names that perf itself has for this processor. They belong to perf and not to
//! the driver; but a driver can refuse an event whose name leaves out a part that it
//! needs.

use super::refused;
use crate::differences::ask::BURST;
use crate::differences::{Case, Machine};
use crate::fixture::probe::Probe;

pub(super) const CASES: &[Case] = &[
    Case {
        question: "perf's own event unc_q_txl_flits_g1.hom_req, from which perf leaves out the \
                   extended select",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.perf_event("unc_q_txl_flits_g1.hom_req", "unc_q_txl_flits_g1.hom_req"),
    },
    Case {
        question: "perf's own event unc_q_message.drs.anydatac, from which perf leaves out the \
                   extended select and the packet's match",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.perf_event("unc_q_message.drs.anydatac", "unc_q_message.drs.anydatac"),
    },
    Case {
        question: "perf's own event unc_p_delayed_c_state_abort_core0, the same",
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
        question: "perf's own event unc_c_llc_lookup.any, which names no cache line state",
        machine: Machine::Usual,
        right: || {
            let boxes = (0..3).map(|instance| Probe::cbox(instance, "llc_lookup.any"));
            let sum: u64 = boxes.map(|probe| probe.count(0, BURST)).sum();
            sum.to_string()
        },
        ask: |asked| asked.perf_event("unc_c_llc_lookup.any", "unc_c_llc_lookup.any"),
    },
    Case {
        question: "perf's own event unc_c_tor_inserts.opcode, which names no opcode",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.perf_event("unc_c_tor_inserts.opcode", "unc_c_tor_inserts.opcode"),
    },
    Case {
        question: "perf's own event unc_p_freq_band0_cycles, which names no frequency",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.perf_event("unc_p_freq_band0_cycles", "unc_p_freq_band0_cycles"),
    },
];
