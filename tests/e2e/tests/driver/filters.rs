// SPDX-License-Identifier: GPL-2.0

//! Every filter field of the C-Box selects exactly its share.
//!
//! The C-Boxes of a package are given different values at the same time: a
//! filter belongs to its box.

use crate::{spread_over_boxes, usual_machine, BURST, LONG_BURST, PACKAGES};
use ivbep_e2e::expect::OPCODES;
use ivbep_e2e::fixture::probe::{Probe, ALL_STATES};
use ivbep_e2e::fixture::{on, Wanted};

#[test]
fn each_cache_line_state_has_its_share() {
    on(&usual_machine(), |session| {
        let lookup = |state| Probe::cbox(0, "llc_lookup.any").state(state);
        let single = (0..6).map(|bit| 1 << bit);
        let states = single.chain([0x03, 0x2a, 0x1f, ALL_STATES]);
        spread_over_boxes(session, BURST, &states.map(lookup).collect::<Vec<_>>());
    });
}

#[test]
fn no_state_given_means_all_states() {
    on(&usual_machine(), |session| {
        let config = "event=0x34,umask=0x11";
        let all = Probe::cbox(0, "llc_lookup.any");
        let raw = all.asked_as(config);
        session.counts(BURST, &PACKAGES, &[raw.into()]);
        let explicit_zero = all.asked_as(&format!("{config},filter_state=0"));
        session.counts(BURST, &PACKAGES, &[explicit_zero.into()]);
    });
}

#[test]
fn each_node_has_its_share() {
    on(&usual_machine(), |session| {
        for name in ["llc_lookup.nid", "llc_victims.nid", "tor_inserts.nid_all"] {
            let node = |nid| Probe::cbox(0, name).nid(nid);
            let single = (0..16).map(|bit| 1 << bit);
            let nodes = single.chain([0x8001, 0x0ff0, 0xffff]);
            spread_over_boxes(session, BURST, &nodes.map(node).collect::<Vec<_>>());
        }
    });
}

#[test]
fn each_opcode_has_its_share() {
    on(&usual_machine(), |session| {
        for name in ["tor_inserts.opcode", "tor_occupancy.miss_opcode"] {
            let opcode = |&opc| Probe::cbox(0, name).opc(opc);
            // 0x1ff occurs beside the named ones, 0x199 never.
            let opcodes = OPCODES.iter().chain(&[0x1ff, 0x199]);
            spread_over_boxes(session, BURST, &opcodes.map(opcode).collect::<Vec<_>>());
        }
    });
}

#[test]
fn non_coherent_and_isochronous_requests_have_their_share() {
    on(&usual_machine(), |session| {
        for name in ["tor_inserts.opcode", "tor_inserts.miss_remote_opcode"] {
            let opcode = Probe::cbox(0, name).opc(0x1e6);
            let nc = opcode.clone().nc();
            let isoc = opcode.clone().isoc();
            let both = nc.clone().isoc();
            spread_over_boxes(session, LONG_BURST, &[opcode, nc, isoc, both]);
        }
    });
}

#[test]
fn each_thread_has_its_share() {
    on(&usual_machine(), |session| {
        let thread = |tid| Probe::cbox(0, "rxr_inserts.irq").tid(tid);
        spread_over_boxes(session, BURST, &(0..32).map(thread).collect::<Vec<_>>());
    });
}

#[test]
fn tid_en_alone_means_thread_zero() {
    on(&usual_machine(), |session| {
        let thread = Probe::cbox(0, "rxr_inserts.irq").tid(0);
        let alone = thread.asked_as("rxr_inserts.irq,tid_en=1");
        session.counts(BURST, &PACKAGES, &[alone.into()]);
    });
}

#[test]
fn all_filters_work_at_once() {
    on(&usual_machine(), |session| {
        let occupancy = Probe::cbox(0, "tor_occupancy.nid_miss_opcode");
        let everything = occupancy.opc(0x1e6).nid(0xfff0).nc().isoc().tid(31);
        session.counts(1 << 30, &PACKAGES, &[everything.into()]);
    });
}

/// Different fields, or the same field with the same value, may be in use
/// side by side.
#[test]
fn compatible_filters_share_a_box() {
    on(&usual_machine(), |session| {
        for together in [
            [
                Probe::cbox(0, "llc_lookup.any").state(0x01),
                Probe::cbox(0, "tor_inserts.nid_opcode").opc(0x182).nid(0x2),
            ],
            [
                Probe::cbox(0, "tor_occupancy.opcode").opc(0x19e),
                Probe::cbox(0, "tor_inserts.miss_opcode").opc(0x19e),
            ],
            [
                Probe::cbox(0, "tor_occupancy.nid_all").nid(0xf0),
                Probe::cbox(0, "llc_victims.nid").nid(0xf0),
            ],
            [
                Probe::cbox(0, "rxr_occupancy.irq").tid(5),
                Probe::cbox(0, "ring_ad_used.up").tid(5),
            ],
            [
                Probe::cbox(0, "llc_lookup.data_read").state(0x20).tid(7),
                Probe::cbox(0, "ring_bl_used.down"),
            ],
        ] {
            let wanted = Wanted::all(together);
            session.counts(LONG_BURST, &PACKAGES, &wanted);
            session.counts_groups(LONG_BURST, &PACKAGES, &[wanted]);
        }
    });
}

/// Pairs that cannot count at the same time, and what differs.
fn conflicting() -> [(Probe, Probe); 7] {
    let lookup = |state| Probe::cbox(0, "llc_lookup.any").state(state);
    let opcode = |opc| Probe::cbox(0, "tor_inserts.opcode").opc(opc);
    let node = |nid| Probe::cbox(0, "llc_victims.nid").nid(nid);
    let thread = |tid| Probe::cbox(0, "rxr_inserts.irq").tid(tid);
    [
        (lookup(0x01), lookup(0x3f)),
        (opcode(0x182), opcode(0x1e6)),
        (opcode(0x182), opcode(0x182).nc()),
        (opcode(0x182).isoc(), opcode(0x182)),
        (node(0x8000), node(0xf000)),
        (thread(30), thread(31)),
        (
            opcode(0x180),
            Probe::cbox(0, "tor_occupancy.opcode").opc(0x181),
        ),
    ]
}

#[test]
fn conflicting_filters_in_a_group_are_refused() {
    on(&usual_machine(), |session| {
        for (first, second) in conflicting() {
            let group = format!("{} group=first", second.open("second", 0));
            let answers = session.perf_open(&[first.open("first", 0), group]);
            assert_eq!(
                answers,
                ["first ok", "second EINVAL"],
                "{first:?} {second:?}"
            );
            let last = session.rejections().pop().unwrap_or_default();
            assert!(
                last.contains("cbox_0: ") && last.contains("filter"),
                "{last}"
            );
        }
    });
}

/// Outside a group they take turns, and each counts its own share only: the
/// count is a whole number of bursts, no burst counts for both, and both get
/// their turn.
#[test]
fn conflicting_filters_take_turns_and_never_count_wrong() {
    const BURSTS: u64 = 150;
    on(&usual_machine(), |session| {
        for (first, second) in conflicting() {
            let answers = session.perf_open(&[
                first.open("first", 0),
                second.open("second", 0),
                format!("burst {BURST} {BURSTS} 2000"),
                "read first".to_owned(),
                "read second".to_owned(),
            ]);
            let turns = |index: usize, probe: &Probe| {
                let each = probe.count(0, BURST);
                let seen = value(&answers[index]);
                assert_eq!(seen % each, 0, "{probe:?}: {seen} is no multiple of {each}");
                seen / each
            };
            let (first, second) = (turns(2, &first), turns(3, &second));
            assert!(first > 0 && second > 0, "{first} and {second} turns");
            assert!(first + second <= BURSTS, "{first} and {second} turns");
        }
    });
}

/// The value in an answer of `perf-open`'s read.
fn value(answer: &str) -> u64 {
    let word = answer.split(' ').nth(1);
    let value = word.and_then(|word| word.parse().ok());
    value.unwrap_or_else(|| panic!("no value in `{answer}`"))
}
