// SPDX-License-Identifier: GPL-2.0

//! Questions about Sandy Bridge client. Sections are those of Documentation/hardware/snb.rst.

use crate::differences::ask::{BURST, NO_PMU};
use crate::differences::cases::common::{
    around_a_loss, of_two_bursts, refused, words_of_a_refusal, IN_WORDS,
};
use crate::differences::{Case, Machine};
use crate::fixture::probe::{Probe, Words};

pub(super) const CASES: &[Case] = &[
    // Section 6.
    Case {
        question: "perf's own event unc_clock.socket, which is an event of the ARB",
        machine: Machine::Usual,
        right: || BURST.to_string(),
        ask: |asked| asked.perf_event("unc_clock.socket", "unc_clock.socket"),
    },
    // Section 3.
    Case {
        question: "ARB, TRK_REQUESTS.ALL, a burst before and one after the package lost the \
                   enable bit of all counters, as in its sleep",
        machine: Machine::Usual,
        right: || of_two_bursts(&requests()),
        ask: |asked| around_a_loss(asked, "arb", &requests()),
    },
    Case {
        question: "C-Box, CACHE_LOOKUP.READ_ES, the same",
        machine: Machine::Usual,
        right: || of_two_bursts(&lookups()),
        ask: |asked| around_a_loss(asked, "cbox_0", &lookups()),
    },
    // Section 6.
    Case {
        question: "C-Box, CACHE_LOOKUP with umask 0x10, a request without a state of the line, \
                   which counts nothing",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.count("cbox_0", Words([0x1034, 0, 0])),
    },
    Case {
        question: "C-Box, event 0x55, which no list has",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.count("cbox_0", Words([0x155, 0, 0])),
    },
    // Section 1.
    Case {
        question: "ARB, TRK_REQUESTS.ALL with the reserved bit 17",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.count("arb", Words([0x2_0181, 0, 0])),
    },
    Case {
        question: "ARB, TRK_OCCUPANCY.ALL with ``inv=1`` and no ``cmask``, so that nothing is \
                   compared",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.perf(&asked.event("arb", "event=0x80,umask=0x01,inv=1")),
    },
    // Section 4.
    Case {
        question: "C-Boxes found in a package that has three and four cores",
        machine: Machine::FewerCboxes,
        right: || "3".to_owned(),
        ask: |asked| {
            let found = asked.pmus("cbox_").to_string();
            asked.session.faults();
            found
        },
    },
    Case {
        question: "C-Box 3, CACHE_LOOKUP.ANY_MESI in a package that has C-Boxes 0 to 2 and four \
                   cores",
        machine: Machine::FewerCboxes,
        right: || NO_PMU.to_owned(),
        ask: |asked| {
            let answer = asked.count("cbox_3", Words([0x8f34, 0, 0]));
            // The kernel complains when its own driver touches that box.
            asked.session.faults();
            answer
        },
    },
    Case {
        question: "What is said of a refusal, that of TRK_REQUESTS.ALL with a period, as for \
                   sampling",
        machine: Machine::Usual,
        right: || IN_WORDS.to_owned(),
        ask: |asked| words_of_a_refusal(asked, "arb", 0x181),
    },
];

/// From Haswell on, perf has that event on C-Box 0.
pub(super) const WITHOUT_CLOCK: &[Case] = CASES.split_at(1).1;

fn requests() -> Probe {
    Probe::arb("trk_requests.all")
}

fn lookups() -> Probe {
    Probe::cbox(0, "cache_lookup.read_es")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::differences::ask::right;
    use crate::platform::Platform;

    #[test]
    fn the_wrong_answers_that_are_expected_are_not_the_right_ones() {
        Platform::Snb.on(|| {
            for probe in [requests(), lookups()] {
                assert_ne!(right(&probe), of_two_bursts(&probe));
            }
        });
    }
}
