// SPDX-License-Identifier: GPL-2.0

//! Counter constraints: a group that fits is counted completely and exactly, in any order
//! of its events; one that does not fit is refused as a whole.

mod bdx;
mod ivbep;
mod nhmex;
mod snb;

use crate::driver::{usual_machine, BURST};
use uncore_e2e::prelude::*;

/// All orders of a list.
fn permutations<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (index, first) in items.iter().enumerate() {
        let mut rest = items.to_vec();
        rest.remove(index);
        for mut order in permutations(&rest) {
            order.insert(0, first.clone());
            all.push(order);
        }
    }
    all
}

fn cbox(names: &[&str]) -> Vec<Probe> {
    of_kind(BoxKind::Cbox, names)
}

fn of_kind(kind: BoxKind, names: &[&str]) -> Vec<Probe> {
    names.iter().map(|name| Probe::new(kind, 0, name)).collect()
}

/// Groups that need every counter of the box, with only one or few legal placements.
fn full_groups() -> Vec<Vec<Probe>> {
    match Platform::current() {
        Platform::Ivbep => ivbep::full(),
        Platform::Bdx => bdx::full(),
        Platform::Snb => snb::full(),
        Platform::Nhmex => nhmex::full(),
    }
}

/// Returns the number of boxes of a type on the usual machine.
fn boxes(kind: BoxKind) -> u8 {
    Shape::of(&usual_machine()).most(kind)
}

/// Every order of the group, each on the next box.
fn orders_on_all_boxes(group: &[Probe]) -> Vec<Vec<Wanted>> {
    let boxes = 0..boxes(group[0].kind);
    let orders = permutations(group).into_iter().zip(boxes.cycle());
    let on_box = |(order, instance): (Vec<Probe>, u8)| {
        Wanted::all(order.iter().map(|probe| probe.on(instance)))
    };
    orders.map(on_box).collect()
}

#[test]
fn a_constrained_group_counts_in_any_order() {
    on(&usual_machine(), |session| {
        for group in full_groups() {
            let at_a_time = usize::from(boxes(group[0].kind));
            for groups in orders_on_all_boxes(&group).chunks(at_a_time) {
                session.counts_groups(BURST, Platform::packages(), groups);
            }
        }
    });
}

#[test]
fn constrained_events_outside_a_group_count_in_any_order() {
    on(&usual_machine(), |session| {
        let group = &full_groups()[0];
        let at_a_time = usize::from(boxes(group[0].kind));
        for orders in orders_on_all_boxes(group).chunks(at_a_time) {
            session.counts(BURST, Platform::packages(), &orders.concat());
        }
    });
}

#[test]
fn an_occupancy_leads_any_order_of_the_rest() {
    on(&usual_machine(), |session| {
        let leader = Probe::cbox(1, "rxr_occupancy.irq");
        let rest: Vec<Wanted> = vec![
            leader.beside(5, false),
            Probe::cbox(1, "rxr_inserts.irq").into(),
            Probe::cbox(1, "ring_iv_used.any").into(),
        ];
        for mut order in permutations(&rest) {
            order.insert(0, leader.clone().into());
            session.counts_groups(BURST, Platform::packages(), &[order]);
        }
    });
}

#[test]
fn groups_at_the_limit_count() {
    let groups = match Platform::current() {
        Platform::Ivbep => ivbep::at_the_limit(),
        Platform::Bdx => bdx::at_the_limit(),
        Platform::Snb => snb::at_the_limit(),
        Platform::Nhmex => nhmex::at_the_limit(),
    };
    let groups: Vec<_> = groups.into_iter().map(Wanted::all).collect();
    on(&usual_machine(), |session| {
        session.counts_groups(BURST, Platform::packages(), &groups);
    });
}

/// Returns groups with one event more than fits.
fn over_full() -> Vec<Vec<Probe>> {
    match Platform::current() {
        Platform::Ivbep => ivbep::over_full(),
        Platform::Bdx => bdx::over_full(),
        Platform::Snb => snb::over_full(),
        Platform::Nhmex => nhmex::over_full(),
    }
}

#[test]
fn one_event_too_many_in_a_group_is_refused() {
    on(&usual_machine(), |session| {
        for group in over_full() {
            let last = group.len() - 1;
            let open = |(index, probe): (usize, &Probe)| match index {
                0 => probe.open("event0", 0),
                _ => probe.open_in(&format!("event{index}"), 0, "event0"),
            };
            let steps: Vec<String> = group.iter().enumerate().map(open).collect();
            let answers = session.perf_open(&steps);
            let expected = (0..=last).map(|index| {
                if index == last {
                    format!("event{index} EINVAL")
                } else {
                    format!("event{index} ok")
                }
            });
            assert_eq!(answers, expected.collect::<Vec<_>>(), "{group:?}");
            let unit = group[0].kind.box_name(0);
            session.last_rejection_has(&[&format!("{unit}: "), "counter"]);
        }
    });
}

/// perf takes a weak group apart and counts its events in turns.
#[test]
fn a_weak_group_that_does_not_fit_is_taken_apart() {
    on(&usual_machine(), |session| {
        let group = match Platform::current() {
            Platform::Ivbep => cbox(&[
                "llc_victims.m_state",
                "llc_victims.e_state",
                "llc_victims.s_state",
                "llc_victims.miss",
            ]),
            Platform::Bdx => of_kind(BoxKind::Pcu, &["power_state_occupancy.cores_c0"; 4]),
            Platform::Snb => of_kind(BoxKind::Arb, &["trk_requests.all"; 3]),
            Platform::Nhmex => of_kind(BoxKind::Ubox, &["ipis_sent"; 2]),
        };
        let events: Vec<String> = group.iter().map(|e| e.event().to_string()).collect();
        let command = format!(
            "perf stat -j -a --per-socket -e '{{{}}}:W' -- \
             perf-open 'burst {BURST} 100 2000'",
            events.join(",")
        );
        let output = session.run(&command);
        assert_eq!(output.status, 0, "{}", output.stderr);
        assert!(!output.stderr.contains("<not"), "{}", output.stderr);
    });
}
