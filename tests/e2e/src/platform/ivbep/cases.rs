// SPDX-License-Identifier: GPL-2.0

//! Questions about Ivy Bridge-EP.

use crate::differences::ask::{right, BURST};
use crate::differences::cases::common::{
    refused, snoops, CBOXES_FOUND, FILTER_NOT_TAKEN, HIDDEN_MATCH, HOME_OPCODE, NO_MMCONFIG,
    OCC_EDGE, RESCAN, UNOWNED_BIT, WORDS,
};
use crate::differences::cases::names::{HOM_REQ, TOR_OPCODE};
use crate::differences::{Case, Machine};
use crate::fixture::probe::Probe;

pub(super) const CASES: &[Case] = &[
    FILTER_NOT_TAKEN,
    UNOWNED_BIT,
    Case {
        question: "iMC, CAS_COUNT.RD with ``thresh=1,inv=1``; the hardware cannot invert",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.perf(&asked.event("imc_0", "event=0x04,umask=0x03,thresh=1,inv=1")),
    },
    OCC_EDGE,
    Case {
        question: "PCU, DELAYED_C_STATE_ABORT_CORE7, which needs the extended select",
        machine: Machine::Usual,
        right: || right(&Probe::pcu("delayed_c_state_abort_core7")),
        ask: |asked| asked.count("pcu", Probe::pcu("delayed_c_state_abort_core7").words()),
    },
    Case {
        question: "PCU, DEMOTIONS_CORE0 of reason 0x10",
        machine: Machine::Usual,
        right: || right(&demotions()),
        ask: |asked| asked.count("pcu", demotions().words()),
    },
    HOME_OPCODE,
    Case {
        question: "C-Box, a group of QLRU.AGE0 to AGE3; two counters can count them",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| {
            let ages = [0, 1, 2, 3].map(|age| Probe::cbox(0, &format!("qlru.age{age}")).words());
            asked.counts("cbox_0", &ages, true)
        },
    },
    Case {
        question: "R2PCIe, RxR_OCCUPANCY.DRS beside CLOCKTICKS; counter 0 alone can count it",
        machine: Machine::Usual,
        right: || format!("{BURST}, {}", right(&Probe::r2pcie("rxr_occupancy.drs"))),
        ask: |asked| {
            let both = ["clockticks", "rxr_occupancy.drs"].map(|name| Probe::r2pcie(name).words());
            asked.counts("r2pcie", &both, false)
        },
    },
    Case {
        question: "IRP, a group of three times TRANSACTIONS.READS; a set of counters has two",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| {
            let reads = Probe::irp(0, "transactions.reads").words();
            asked.counts("irp", &[reads; 3], true)
        },
    },
    CBOXES_FOUND,
    HIDDEN_MATCH,
    NO_MMCONFIG,
    Case {
        question: "QPI port 2 of an E7, CTO_COUNT of snoops",
        machine: Machine::Large,
        right: || right(&snoops(2)),
        ask: |asked| asked.count("qpi_2", snoops(2).words()),
    },
    RESCAN,
    WORDS,
    HOM_REQ,
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
    TOR_OPCODE,
    Case {
        question: "perf's own event unc_p_freq_band0_cycles, which names no frequency",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.perf_event("unc_p_freq_band0_cycles", "unc_p_freq_band0_cycles"),
    },
];

fn demotions() -> Probe {
    Probe::pcu("demotions_core0").band(0, 0x10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wrong_answer_that_is_expected_is_not_the_right_one() {
        assert_ne!(right(&demotions()), "0");
    }
}
