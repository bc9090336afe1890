// SPDX-License-Identifier: GPL-2.0

//! Interrupts that are lost, and a freeze that reaches the boxes late: no count is lost.

use crate::overflow::clocks::boxes;
use crate::overflow::traffic::Traffic;
use crate::overflow::{by_interrupt, without_unknown_nmis};

platforms!(; e5);

/// Number of overflows in which each condition occurs.
const OVERFLOWS: u64 = 20;

/// The driver notices each overflow: by another interrupt or by the timer.
#[test]
fn one_interrupt_of_a_few_may_be_lost() {
    without_unknown_nmis(&by_interrupt(), |session| {
        let mut by_timer = 0;
        for share in ["1/5", "1/3", "1/2"] {
            session.machine("clear-interrupts");
            session.machine(&format!("pmi drop {share}"));
            let before = session.overflow();
            Traffic::new(&boxes(), OVERFLOWS).flow(session);
            let sent = session.interrupts().packages;
            for ((after, before), sent) in session.overflow().into_iter().zip(&before).zip(sent) {
                let grown = after.numbers.since(&before.numbers);
                assert!(sent["dropped"] > 0, "{share}: {sent:?}");
                by_timer += grown["caught_by_timer"];
            }
            session.machine("pmi normal");
            session.reload();
        }
        assert!(by_timer > 0);
    });
}

/// Boxes count on after an overflow: all for a while, and that of the overflow as well.
#[test]
fn a_freeze_may_be_late() {
    without_unknown_nmis(&by_interrupt(), |session| {
        for delay in ["400", "400 100"] {
            session.machine(&format!("freeze-delay {delay}"));
            Traffic::new(&boxes(), OVERFLOWS).flow(session);
        }
        session.machine("freeze-delay 16");
    });
}
