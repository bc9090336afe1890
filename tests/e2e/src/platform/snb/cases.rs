// SPDX-License-Identifier: GPL-2.0

//! Questions about Sandy Bridge client. Sections are those of Documentation/hardware/snb.rst.

use crate::differences::ask::{BURST, NO_PMU};
use crate::differences::cases::common::{
    around_a_loss, of_two_bursts, words_of_a_refusal, IN_WORDS,
};
use crate::differences::{Case, Machine};
use crate::fixture::probe::Probe;

pub(super) const CASES: &[Case] = &[
    // Section 6.
    Case::other(
        "perf's own event unc_clock.socket, which is an event of the ARB",
        || BURST.to_string(),
        |asked| asked.perfs_own("unc_clock.socket"),
    ),
    // Section 3.
    Case::other(
        "ARB, TRK_REQUESTS.ALL, a burst before and one after the package lost the \
         enable bit of all counters, as in its sleep",
        || of_two_bursts(&requests()),
        |asked| around_a_loss(asked, &requests()),
    ),
    Case::other(
        "C-Box, CACHE_LOOKUP.READ_ES, the same",
        || of_two_bursts(&lookups()),
        |asked| around_a_loss(asked, &lookups()),
    ),
    // Section 6.
    Case::refuse(
        "C-Box, CACHE_LOOKUP with umask 0x10, a request without a state of the line, \
         which counts nothing",
        |asked| asked.raw("cbox_0", [0x1034, 0, 0]),
    ),
    Case::refuse("C-Box, event 0x55, which no list has", |asked| {
        asked.raw("cbox_0", [0x155, 0, 0])
    }),
    // Section 1.
    Case::refuse("ARB, TRK_REQUESTS.ALL with the reserved bit 17", |asked| {
        asked.raw("arb", [0x2_0181, 0, 0])
    }),
    Case::refuse(
        "ARB, TRK_OCCUPANCY.ALL with ``inv=1`` and no ``cmask``, so that nothing is \
         compared",
        |asked| asked.perf("arb", "event=0x80,umask=0x01,inv=1"),
    ),
    // Section 4.
    Case::other(
        "C-Boxes found in a package that has three and four cores",
        || "3".to_owned(),
        |asked| {
            let found = asked.pmus("cbox_").to_string();
            asked.session.faults();
            found
        },
    )
    .on(Machine::FewerCboxes),
    Case::other(
        "C-Box 3, CACHE_LOOKUP.ANY_MESI in a package that has C-Boxes 0 to 2 and four \
         cores",
        || NO_PMU.to_owned(),
        |asked| {
            let answer = asked.raw("cbox_3", [0x8f34, 0, 0]);
            // The kernel complains when its own driver touches that box.
            asked.session.faults();
            answer
        },
    )
    .on(Machine::FewerCboxes),
    Case::other(
        "What is said of a refusal, that of TRK_REQUESTS.ALL with a period, as for \
         sampling",
        || IN_WORDS.to_owned(),
        |asked| words_of_a_refusal(asked, "arb", 0x181),
    ),
];

/// From Haswell on, perf has that event on C-Box 0.
pub(super) const WITHOUT_CLOCK: &[Case] = CASES.split_at(1).1;

fn requests() -> Probe {
    Probe::arb("trk_requests.all")
}

fn lookups() -> Probe {
    Probe::cbox(0, "cache_lookup.read_es")
}
