// SPDX-License-Identifier: GPL-2.0

//! Questions about Sandy Bridge-EP.

use super::transaction;
use crate::differences::ask::{right, BURST};
use crate::differences::cases::common::{
    refused, CBOXES_FOUND, FILTER_NOT_TAKEN, HIDDEN_MATCH, NO_MMCONFIG, OCC_EDGE, RESCAN,
    UNOWNED_BIT, WORDS,
};
use crate::differences::cases::names::TOR_OPCODE;
use crate::differences::{Case, Machine};
use crate::expect::LINES;
use crate::fixture::probe::Probe;

pub(super) const CASES: &[Case] = &[
    FILTER_NOT_TAKEN,
    UNOWNED_BIT,
    OCC_EDGE,
    Case {
        question: "PCU, FREQ_TRANS_CYCLES, which needs the extended select",
        machine: Machine::Usual,
        right: || right(&transitions()),
        ask: |asked| asked.count("pcu", transitions().words()),
    },
    Case {
        question: "PCU, DEMOTIONS_CORE0 of reason 0x10",
        machine: Machine::Usual,
        right: || right(&demotions()),
        ask: |asked| asked.count("pcu", demotions().words()),
    },
    Case {
        question: "HA, ADDR_OPC_MATCH.FILT of PrefetchHint (opcode 0x3f) for a line",
        machine: Machine::Usual,
        right: || right(&prefetch_hints()),
        ask: |asked| asked.count("ha", prefetch_hints().words()),
    },
    Case {
        question: "R2PCIe, a group of TxR_CYCLES_NE.AD and AK; counter 0 alone can count them",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| {
            let names = ["txr_cycles_ne.ad", "txr_cycles_ne.ak"];
            asked.counts(
                "r2pcie",
                &names.map(|name| Probe::r2pcie(name).words()),
                true,
            )
        },
    },
    CBOXES_FOUND,
    HIDDEN_MATCH,
    NO_MMCONFIG,
    RESCAN,
    WORDS,
    Case {
        question: "perf's own event unc_p_total_transition_cycles, from which perf leaves out the \
                   extended select",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| {
            let name = "unc_p_total_transition_cycles";
            asked.perf_event(name, name)
        },
    },
    Case {
        question: "perf's own event unc_c_llc_lookup.data_read, which names no cache line state",
        machine: Machine::Usual,
        right: || {
            let boxes = (0..3).map(|instance| Probe::cbox(instance, "llc_lookup.data_read"));
            let sum: u64 = boxes.map(|probe| probe.count(0, BURST)).sum();
            sum.to_string()
        },
        ask: |asked| {
            let name = "unc_c_llc_lookup.data_read";
            asked.perf_event(name, name)
        },
    },
    TOR_OPCODE,
];

fn transitions() -> Probe {
    Probe::pcu("freq_trans_cycles")
}

fn demotions() -> Probe {
    Probe::pcu("demotions_core0").band(0, 0x10)
}

fn prefetch_hints() -> Probe {
    transaction(LINES[7], 0x3f)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::Platform;

    #[test]
    fn wrong_answers_are_not_the_right_ones() {
        Platform::Jkt.on(|| {
            let clock = Probe::pcu("clockticks").count(0, BURST).to_string();
            assert_ne!(right(&transitions()), clock);
            for probe in [demotions(), prefetch_hints()] {
                assert_ne!(right(&probe), "0");
            }
        });
    }
}
