// SPDX-License-Identifier: GPL-2.0

//! A host of virtual machines: while a CPU runs a guest, its IA32_DEBUGCTL is the guest's,
//! and an interrupt is lost if hardware passes it only with bit 13.

use crate::overflow::clocks::boxes;
use crate::overflow::traffic::Traffic;
use crate::overflow::{by_interrupt, without_unknown_nmis};

platforms!(; e5);

/// Number of overflows.
const OVERFLOWS: u64 = 20;

/// If most interrupts are lost, the driver notices by its timer, or stops to use interrupts; of a
/// few, the next interrupt may find the overflow before. Those that guests leave it come, since it
/// has set bit 13.
#[test]
fn interrupts_that_guests_take_are_made_up_for() {
    let config = by_interrupt().with("reading", "U-46:b");
    without_unknown_nmis(&config, |session| {
        for (share, some_come) in [("1/4", true), ("3/4", false), ("1/1", false)] {
            session.reload();
            session.machine("clear-interrupts");
            session.machine(&format!("guest-mode {share}"));
            let before = session.overflow();
            Traffic::new(&boxes(), OVERFLOWS).flow(session);
            let lost = session.interrupts().of_cpus("gated");
            assert!(lost > 0, "{share}");
            for (after, before) in session.overflow().into_iter().zip(&before) {
                let grown = after.numbers.since(&before.numbers);
                let noticed =
                    grown["caught_by_timer"] > 0 || after.mode.contains("without an interrupt");
                assert!(noticed || some_come, "{share}: {after:?}");
                assert!(grown["taken"] > 0 || !some_come, "{share}: {grown:?}");
            }
        }
        session.machine("guest-mode off");
        session.reload();
        Traffic::new(&boxes(), OVERFLOWS).flow(session);
    });
}
