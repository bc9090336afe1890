// SPDX-License-Identifier: GPL-2.0

//! Counter constraints: a group that fits is counted completely and exactly, in any order
//! of its events; one that does not fit is refused as a whole.

use crate::driver::{usual_machine, BURST, CBOXES, PACKAGES};
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
    vec![
        cbox(&[
            "tor_occupancy.all",
            "llc_victims.m_state",
            "ring_ad_used.up",
            "clockticks",
        ]),
        cbox(&[
            "llc_victims.e_state",
            "misc.started",
            "ring_ak_used.down",
            "ring_iv_used.any",
        ]),
        of_kind(
            BoxKind::R2pcie,
            &[
                "rxr_occupancy.drs",
                "rxr_inserts.ncb",
                "ring_ad_used.cw",
                "clockticks",
            ],
        ),
        of_kind(
            BoxKind::R2pcie,
            &[
                "txr_cycles_full.ad",
                "txr_nack_cw.bl",
                "ring_iv_used.any",
                "ring_bl_used.ccw",
            ],
        ),
        of_kind(
            BoxKind::R3qpi,
            &["rxr_occupancy.hom", "vn0_credits_used.drs", "clockticks"],
        ),
        of_kind(
            BoxKind::R3qpi,
            &["rxr_inserts.snp", "ring_ak_used.ccw", "txr_nack_cw.ad"],
        ),
    ]
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
                session.counts_groups(BURST, &PACKAGES, groups);
            }
        }
    });
}

#[test]
fn constrained_events_outside_a_group_count_in_any_order() {
    on(&usual_machine(), |session| {
        for orders in orders_on_all_boxes(&full_groups()[0]).chunks(usize::from(CBOXES)) {
            session.counts(BURST, &PACKAGES, &orders.concat());
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
            Probe::cbox(1, "ring_bl_used.up").into(),
        ];
        for mut order in permutations(&rest) {
            order.insert(0, leader.clone().into());
            session.counts_groups(BURST, &PACKAGES, &[order]);
        }
    });
}

#[test]
fn groups_at_the_limit_count() {
    let four_channels = [
        "cas_count.rd",
        "cas_count.wr",
        "act_count.rd",
        "pre_count.page_miss",
    ];
    let mut channel: Vec<Probe> = four_channels.map(|name| Probe::imc(6, name)).into();
    channel.push(Probe::imc(6, "clockticks"));
    let ubox = ["event_msg.vlw_rcvd", "lock_cycles", "clockticks"].map(Probe::ubox);
    let pcu = of_kind(BoxKind::Pcu, &["clockticks"; 4]);
    let home = of_kind(BoxKind::Ha, &["bt_occupancy.local"; 4]);
    let port = of_kind(BoxKind::Qpi, &["message.drs.anydatac"; 4]);
    let (first, second) = (
        Probe::irp(0, "transactions.reads"),
        Probe::irp(1, "transactions.reads"),
    );
    let both_sets = [first.clone(), first, second.clone(), second];
    on(&usual_machine(), |session| {
        let groups = [
            cbox(&["clockticks"; 4]),
            channel,
            ubox.into(),
            pcu,
            home,
            port,
            both_sets.into(),
        ];
        session.counts_groups(BURST, &PACKAGES, &groups.map(Wanted::all));
    });
}

/// Returns groups with one event more than fits.
fn over_full() -> Vec<Vec<Probe>> {
    let imc = |names: &[&str]| names.iter().map(|name| Probe::imc(0, name)).collect();
    let ubox = |names: &[&str]| names.iter().map(|name| Probe::ubox(name)).collect();
    vec![
        cbox(&["clockticks"; 5]),
        cbox(&["tor_occupancy.all", "rxr_occupancy.irq"]),
        cbox(&[
            "llc_victims.m_state",
            "llc_victims.e_state",
            "llc_victims.s_state",
        ]),
        cbox(&["tor_occupancy.all", "misc.started", "misc.rfo_hit_s"]),
        cbox(&["ring_ad_used.up", "ring_ak_used.up", "ring_bl_used.up"]),
        imc(&["cas_count.rd"; 5]),
        imc(&["clockticks"; 2]),
        ubox(&["lock_cycles"; 3]),
        ubox(&["clockticks"; 2]),
        of_kind(BoxKind::Ha, &["clockticks"; 5]),
        of_kind(BoxKind::Pcu, &["clockticks"; 5]),
        of_kind(BoxKind::Qpi, &["cto_count"; 5]),
        of_kind(BoxKind::Irp, &["clockticks"; 3]),
        vec![Probe::irp(1, "clockticks"); 3],
        of_kind(BoxKind::R2pcie, &["clockticks"; 5]),
        of_kind(BoxKind::R2pcie, &["rxr_occupancy.drs", "txr_cycles_ne.ad"]),
        of_kind(BoxKind::R2pcie, &["rxr_inserts.ncb"; 3]),
        of_kind(
            BoxKind::R2pcie,
            &["ring_ad_used.cw", "ring_ak_used.cw", "ring_bl_used.cw"],
        ),
        of_kind(BoxKind::R3qpi, &["clockticks"; 4]),
        of_kind(BoxKind::R3qpi, &["rxr_occupancy.hom", "rxr_occupancy.snp"]),
        of_kind(BoxKind::R3qpi, &["ring_ad_used.cw", "ring_iv_used.any"]),
        of_kind(
            BoxKind::R3qpi,
            &["rxr_inserts.hom", "vn0_credits_used.hom", "rxr_ad_bypassed"],
        ),
    ]
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
        let names = ["m_state", "e_state", "s_state", "miss"];
        let events = names.map(|name| format!("ivbep_uncore_cbox_0/llc_victims.{name}/"));
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
