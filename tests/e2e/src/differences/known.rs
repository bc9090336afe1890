// SPDX-License-Identifier: GPL-2.0

//! What is known to be wrong in the kernel's own driver, and in the names that
//! perf has for its events. A question shows it, or there is a reason why none
//! does.

/// A defect, numbered from 1 in the order of [`KNOWN`].
pub(super) struct Defect {
    /// What it is, for the page.
    pub(super) what: &'static str,
    /// What of it no question shows, and why; empty if all is shown.
    pub(super) not_shown: &'static str,
}

const fn shown(what: &'static str) -> Defect {
    Defect {
        what,
        not_shown: "",
    }
}

/// All of them.
pub(super) const KNOWN: &[Defect] = &[
    shown("takes config bits and filters that an event does not have, and drops them"),
    shown("offers ``inv``, which the hardware does not have"),
    shown("has the wrong bit for ``occ_edge``"),
    shown("cannot select the PCU's events with the extended select"),
    shown("has the counter constraints of an older part"),
    shown("takes one C-Box for each core"),
    Defect {
        what: "reads a running counter in two halves without looking again",
        not_shown: "a carry between two reads that follow each other at once adds 2^48 to the \
                    count for good; the machine cannot place a carry just there. That ours \
                    looks again is shown by a unit test",
    },
    shown("takes the two sets of the IRP for one"),
    Defect {
        what: "has room for two of the three R3QPI links of an E7",
        not_shown: "loading it there is no question with an answer, see above",
    },
    shown("counts QPI packets of all kinds where it cannot set the match"),
    Defect {
        what: "does not set the filters of HA, UBox and IRP, nor the PCU's for DEMOTIONS",
        not_shown: "those of UBox and IRP are in registers that no public document describes",
    },
    Defect {
        what: "forgets the CPU of a box that is removed and found again; a box that cannot be set \
               up takes those of its package with it",
        not_shown: "the second needs a lack of memory at one moment of loading",
    },
    Defect {
        what: "gives no reason for a refusal, and does not load in a virtual machine",
        not_shown: "ours does not load there either: no virtual machine has this uncore",
    },
    shown("perf's names leave out the extended select"),
    Defect {
        what: "perf's names leave out filters that their events need, and of UBox clocks the code",
        not_shown: "what perf counts for unc_u_clockticks is event 0 of a general counter, and on \
                    the machine that counts the same clocks",
    },
    Defect {
        what: "perf 6.1 has that bit, but its names of PCU events do not fit the driver's fields",
        not_shown: "the tests have newer ones only",
    },
];
