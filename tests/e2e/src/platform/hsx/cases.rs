// SPDX-License-Identifier: GPL-2.0

//! Questions about Haswell-EP. Sections are those of Documentation/hardware/bdx.rst.

use crate::differences::ask::right;
use crate::differences::cases::common::{
    refused, CBOXES_FOUND, FILTER_NOT_TAKEN, HIDDEN_MATCH, HOME_OPCODE, NO_MMCONFIG, OCC_EDGE,
    RESCAN, UNOWNED_BIT, WORDS,
};
use crate::differences::{Case, Machine};
use crate::fixture::probe::Probe;

pub(super) const CASES: &[Case] = &[
    FILTER_NOT_TAKEN,
    UNOWNED_BIT,
    OCC_EDGE,
    // 21.15.
    Case {
        question: "PCU, FREQ_BAND3_CYCLES with ``filter_band3=30``",
        machine: Machine::Usual,
        right: || right(&band()),
        ask: |asked| asked.count("pcu", band().words()),
    },
    HOME_OPCODE,
    // 21.2.
    Case {
        question: "IRP, a group of three times TRANSACTIONS.READS, if the counters are where \
                   ``intel_uncore`` looks for them; a set of counters has two",
        machine: Machine::KernelIrp,
        right: refused,
        ask: |asked| {
            let reads = Probe::irp(0, "transactions.reads").words();
            asked.counts("irp", &[reads; 3], true)
        },
    },
    // 21.6.
    CBOXES_FOUND,
    Case {
        question: "C-Box 3, LLC_VICTIMS.M_STATE in a package that has C-Boxes 0, 1 and 3",
        machine: Machine::Sparse,
        right: || right(&victims()),
        ask: |asked| asked.count("cbox_3", victims().words()),
    },
    HIDDEN_MATCH,
    NO_MMCONFIG,
    RESCAN,
    WORDS,
];

fn band() -> Probe {
    Probe::pcu("freq_band3_cycles").band(3, 30)
}

fn victims() -> Probe {
    Probe::cbox(3, "llc_victims.m_state")
}
