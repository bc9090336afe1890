// SPDX-License-Identifier: GPL-2.0

//! Overflows with both modes of the local APIC, with and without the kernel's driver of
//! the cores' monitors, whatever the interrupted CPU is doing.

use crate::overflow::clocks::boxes;
use crate::overflow::traffic::Traffic;
use crate::overflow::{busy, by_interrupt, few_or, without_unknown_nmis, BUSY, PACKAGES};
use uncore_e2e::prelude::*;

platforms!(; e5 first);

/// Number of overflows in one burst.
const AT_ONCE: u64 = 300;

/// Overflows each box on uclk; boxes of one clock share an interrupt.
fn cell(session: &mut Session) {
    let overflows = few_or(3000);
    session.machine("clear-interrupts");
    for _ in 0..overflows / AT_ONCE {
        Traffic::new(&boxes(), AT_ONCE).flow(session);
    }
    let interrupts = session.interrupts();
    for package in PACKAGES {
        let sent = &interrupts.packages[usize::from(package)];
        assert!(sent["raised"] >= overflows, "{interrupts:?}");
    }
}

fn row(x2apic: bool, core_pmu: &str) {
    let config = Config {
        x2apic,
        ..by_interrupt()
    };
    without_unknown_nmis(&config.with("core-pmu", core_pmu), |session| {
        cell(session);
        for how in BUSY {
            busy(session, how, cell);
        }
    });
}

#[test]
fn xapic_beside_the_driver_of_the_cores() {
    row(false, "on");
}

#[test]
fn xapic_without_a_driver_of_the_cores() {
    row(false, "off");
}

#[test]
fn x2apic_beside_the_driver_of_the_cores() {
    row(true, "on");
}

#[test]
fn x2apic_without_a_driver_of_the_cores() {
    row(true, "off");
}
