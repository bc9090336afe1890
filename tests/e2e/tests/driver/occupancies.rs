// SPDX-License-Identifier: GPL-2.0

//! The PCU's occupancies: cores in a state, with a threshold, an inversion and
//! an edge detector that other events do not have.
//!
//! The sub-counter adds up to 8 in a cycle; the values that it takes are 8, 4,
//! 1 and 0.

use crate::driver::{spread_over_boxes, usual_machine, BURST, LONG_BURST};
use uncore_e2e::prelude::*;

const STATES: [&str; 3] = ["cores_c0", "cores_c3", "cores_c6"];

fn cores(state: &str) -> Probe {
    Probe::pcu(&format!("power_state_occupancy.{state}"))
}

#[test]
fn states_are_told_apart() {
    on(&usual_machine(), |session| {
        let all = Wanted::all(STATES.map(cores));
        session.counts(LONG_BURST, Platform::packages(), &all);
    });
}

/// Requests by codes: `event` and `occ_sel` instead of a name.
#[test]
fn occ_sel_selects_the_state() {
    on(&usual_machine(), |session| {
        let raw = |sel: u8| Probe::raw(BoxKind::Pcu, 0, Setting::event(0x80, sel << 6));
        session.counts(
            BURST,
            Platform::packages(),
            &Wanted::all([1, 2, 3].map(raw)),
        );
    });
}

#[test]
fn thresholds_inversion_and_edges_in_all_combinations() {
    on(&usual_machine(), |session| {
        let mut settings = Vec::new();
        for state in STATES {
            for thresh in [1, 2, 4, 5, 8] {
                let level = cores(state).thresh(thresh);
                let inverted = level.clone().occ_invert();
                settings.extend([level.clone().occ_edge(), inverted.clone().occ_edge()]);
                settings.extend([level, inverted]);
            }
        }
        spread_over_boxes(session, BURST, &settings);
    });
}

/// "Less cores than a part has room for, and one" is true in every cycle; without the
/// inversion such a threshold is refused.
#[test]
fn an_inverted_threshold_may_be_above_all_values() {
    on(&usual_machine(), |session| {
        let always = |thresh| cores("cores_c0").thresh(thresh).occ_invert();
        let once = always(31).occ_edge();
        let too_many = match Platform::current() {
            Platform::Bdx => 25,
            _ => 16,
        };
        let all = Wanted::all([always(too_many), always(31), once]);
        session.counts(BURST, Platform::packages(), &all);
        let refused = cores("cores_c0").thresh(too_many).open("refused", 0);
        assert_eq!(session.perf_open(&[refused]), ["refused EINVAL"]);
    });
}

/// Examples 3 and 4 of the manual: cycles with more than four cores in C0, and the number
/// of times that this began.
#[test]
fn the_manuals_examples_count() {
    on(&usual_machine(), |session| {
        let more_than_four = cores("cores_c0").thresh(5);
        let began = more_than_four.clone().occ_edge();
        let accumulated = cores("cores_c0");
        let transition = Probe::pcu(match Platform::current() {
            Platform::Bdx => "freq_trans_cycles",
            _ => "volt_trans_cycles_change",
        });
        let group = Wanted::all([accumulated, more_than_four, began, transition]);
        session.counts_groups(BURST, Platform::packages(), &[group]);
    });
}
