// SPDX-License-Identifier: GPL-2.0

//! Questions about Broadwell-EP. Sections are those of Documentation/hardware/bdx.rst.

use crate::differences::ask::{right, BURST, NO_PMU};
use crate::differences::cases::common::{
    first, refused, snoops, BAND_3, CBOXES_FOUND, CBOX_BEHIND_A_GAP, FILTER_NOT_TAKEN,
    HIDDEN_MATCH, HOME_OPCODE, NO_MMCONFIG, OCC_EDGE, RESCAN, THREE_OF_A_SET, UNOWNED_BIT, WORDS,
};
use crate::differences::cases::names::{HOM_REQ, TOR_OPCODE};
use crate::differences::{Case, Machine};
use crate::fixture::probe::{Probe, Words};

pub(super) const CASES: &[Case] = &[
    FILTER_NOT_TAKEN,
    UNOWNED_BIT,
    // 21.9.
    Case {
        question: "C-Box, TOR_INSERTS.OPCODE of DRd with ``filter_c6``, which is a reserved bit",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.count("cbox_0", Words([0x135, 1 << 61 | 0x182 << 52, 0])),
    },
    Case {
        question: "C-Box, TOR_INSERTS.OPCODE of DRd with ``filter_link=1``, which is a reserved \
                   bit",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.count("cbox_0", Words([0x135, 0x182 << 52 | 1 << 6, 0])),
    },
    // 21.10.
    Case {
        question: "C-Box, LLC_LOOKUP.NID of node 15 with all states",
        machine: Machine::Usual,
        right: || right(&lookups()),
        ask: |asked| asked.count("cbox_0", lookups().words()),
    },
    OCC_EDGE,
    // 21.15.
    Case {
        question: "PCU, FREQ_BAND1_CYCLES with ``filter_band1=30``",
        machine: Machine::Usual,
        right: || right(&band(1)),
        ask: |asked| asked.count("pcu", band(1).words()),
    },
    BAND_3,
    HOME_OPCODE,
    Case {
        question: "HA, a group of four times IOT_BACKPRESSURE.SAT; three counters can count it",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.counts("ha_0", &[backpressure().words(); 4], true),
    },
    Case {
        question: "HA, IOT_BACKPRESSURE.SAT as the last of four events; counters 0 to 2 can count \
                   it",
        machine: Machine::Usual,
        right: || four().map(|probe| right(&probe)).join(", "),
        ask: |asked| asked.counts("ha_0", &four().map(|probe| probe.words()), false),
    },
    // 21.20.
    Case {
        question: "S-Box, RxR_INSERTS.AD_CRD as the first event of a counter, by a control \
                   register that wants to be written twice",
        machine: Machine::Unloaded,
        right: || right(&Probe::sbox(0, "rxr_inserts.ad_crd")),
        ask: |asked| {
            first(
                asked,
                "sbox_0",
                Probe::sbox(0, "rxr_inserts.ad_crd").words(),
            )
        },
    },
    Case {
        question: "R2PCIe, RxR_INSERTS.NCB, the same",
        machine: Machine::Unloaded,
        right: || right(&Probe::r2pcie("rxr_inserts.ncb")),
        ask: |asked| first(asked, "r2pcie", Probe::r2pcie("rxr_inserts.ncb").words()),
    },
    Case {
        question: "R3QPI link 0, CLOCKTICKS, the same",
        machine: Machine::Unloaded,
        right: || right(&Probe::r3qpi(0, "clockticks")),
        ask: |asked| first(asked, "r3qpi_0", Probe::r3qpi(0, "clockticks").words()),
    },
    // 21.2.
    Case {
        question: "IRP, twice TRANSACTIONS.READS, if the counters are where the manual has them",
        machine: Machine::Usual,
        right: || twice(&Probe::irp(0, "transactions.reads")),
        ask: |asked| {
            let reads = Probe::irp(0, "transactions.reads").words();
            asked.counts("irp", &[reads; 2], false)
        },
    },
    THREE_OF_A_SET,
    // 21.6.
    CBOXES_FOUND,
    CBOX_BEHIND_A_GAP,
    Case {
        question: "C-Box 2, LLC_VICTIMS.M_STATE in a package that has C-Boxes 0, 1 and 3, and \
                   three cores",
        machine: Machine::SparseWithThreeCores,
        right: || NO_PMU.to_owned(),
        ask: |asked| {
            let victims = Probe::cbox(2, "llc_victims.m_state").words();
            let answer = asked.count("cbox_2", victims);
            // The kernel complains when its own driver touches that box.
            asked.session.faults();
            answer
        },
    },
    Case {
        question: "Memory channels found in a package of which four have memory; the others \
                   answer, but have no clock",
        machine: Machine::HalfOfTheMemory,
        right: || "4".to_owned(),
        ask: |asked| asked.pmus("imc_").to_string(),
    },
    HIDDEN_MATCH,
    NO_MMCONFIG,
    // B-6.
    Case {
        question: "QPI port 0, CTO_COUNT of received snoops, if sent packets are counted as well",
        machine: Machine::BothDirections,
        right: || right(&snoops(0)),
        ask: |asked| asked.count("qpi_0", snoops(0).words()),
    },
    RESCAN,
    WORDS,
    HOM_REQ,
    Case {
        question: "perf's own event unc_q_cto_count, the same",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.perf_event("unc_q_cto_count", "unc_q_cto_count"),
    },
    TOR_OPCODE,
    Case {
        question: "perf's own event llc_references.pcie_write, which names a thread and leaves \
                   out the bit that compares it",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.perf_event("llc_references.pcie_write", "llc_references.pcie_write"),
    },
];

fn lookups() -> Probe {
    Probe::cbox(0, "llc_lookup.nid").state(0x7f).nid(0x8000)
}

fn band(band: u8) -> Probe {
    Probe::pcu(&format!("freq_band{band}_cycles")).band(band, 30)
}

fn backpressure() -> Probe {
    Probe::ha(0, "iot_backpressure.sat")
}

fn four() -> [Probe; 4] {
    let home = |name| Probe::ha(0, name);
    [
        home("clockticks"),
        home("requests.reads"),
        home("requests.writes"),
        backpressure(),
    ]
}

fn twice(probe: &Probe) -> String {
    let count = probe.count(0, BURST);
    format!("{count}, {count}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::Platform;

    #[test]
    fn the_wrong_answers_that_are_expected_are_not_the_right_ones() {
        Platform::Bdx.on(|| {
            assert_ne!(right(&lookups()), "0");
            assert_ne!(right(&band(1)), right(&band(1).band(1, 0)));
            assert_ne!(right(&backpressure()), "0");
        });
    }
}
