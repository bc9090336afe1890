// SPDX-License-Identifier: GPL-2.0

//! Filters beyond single values, which are in `sweep/filters.rs`: defaults of values that
//! were not given, and filters that events of a box share.

mod bbox;
mod mbox;
mod rbox;

use crate::driver::{usual_machine, BURST, LONG_BURST};
use uncore_e2e::prelude::*;

#[test]
fn tid_en_alone_means_thread_zero() {
    on(&usual_machine(), |session| {
        let thread = Probe::cbox(0, "rxr_inserts.irq").tid(0);
        let alone = thread.asked_as("rxr_inserts.irq,tid_en=1");
        session.counts(BURST, Platform::packages(), &[alone.into()]);
    });
}

/// Zero is an ordinary value: without an opcode RdCur counts, without masks every packet;
/// no line has address 0. Bands without a value are refused, see `sweep/refusals`.
#[test]
fn a_filter_that_was_not_given_is_zero() {
    on(&usual_machine(), |session| {
        let raw = |kind, setting| Probe::raw(kind, 0, setting);
        let zero = [
            raw(BoxKind::Ha, Setting::event(0x20, 0x01)),
            raw(BoxKind::Ha, Setting::event(0x20, 0x02)),
            raw(BoxKind::Ha, Setting::event(0x20, 0x10)),
            raw(BoxKind::Qpi, Setting::extended(0x38, 0)),
        ];
        session.counts(LONG_BURST, Platform::packages(), &Wanted::all(zero));
    });
}

/// Different fields, or the same field with the same value, may be in use
/// side by side. In a C-Box they are the same fields.
#[test]
fn compatible_filters_share_a_box() {
    on(&usual_machine(), |session| {
        for together in compatible() {
            let wanted = Wanted::all(together);
            session.counts(LONG_BURST, Platform::packages(), &wanted);
            session.counts_groups(LONG_BURST, Platform::packages(), &[wanted]);
        }
    });
}

/// Returns pairs that can count at the same time.
fn compatible() -> Vec<[Probe; 2]> {
    match Platform::current() {
        Platform::Snb => Vec::new(),
        Platform::Nhmex => [bbox::compatible(), mbox::compatible(), rbox::compatible()].concat(),
        Platform::Ivbep | Platform::Bdx => compatible_on_a_xeon(),
    }
}

fn compatible_on_a_xeon() -> Vec<[Probe; 2]> {
    let common = [
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
            Probe::cbox(0, "rxr_inserts.irq").tid(5),
        ],
        [
            Probe::cbox(0, "llc_lookup.data_read").state(0x20).tid(7),
            Probe::cbox(0, "ring_bl_used.down"),
        ],
        [
            Probe::ha(1, "addr_opc_match.addr").address(0x1_0000_0000),
            Probe::ha(1, "addr_opc_match.ad").home_opcode(0x3f),
        ],
        [
            Probe::ha(0, "addr_opc_match.bl").home_opcode(0x1e),
            Probe::ha(0, "addr_opc_match.ak").home_opcode(0x1e),
        ],
        [
            Probe::pcu("freq_band1_cycles").band(1, 20),
            Probe::pcu("freq_band2_cycles").band(2, 30),
        ],
        [
            Probe::qpi(1, "message.drs.anyresp").thresh(2),
            Probe::qpi(1, "cto_count").packet(PacketField::Mc, 0xe, 0xf),
        ],
    ];
    let own = match Platform::current() {
        Platform::Snb | Platform::Nhmex => Vec::new(),
        Platform::Ivbep => vec![
            [
                Probe::pcu("freq_band0_cycles").band(0, 0x10),
                Probe::pcu("demotions_core7").band(0, 0x10),
            ],
            [
                Probe::qpi(0, "message.snp.anysnp"),
                Probe::qpi(0, "rxl_flits_g1.snp"),
            ],
            [
                Probe::irp(0, "transactions.reads_orderingq"),
                Probe::irp(1, "transactions.reads_orderingq"),
            ],
        ],
        Platform::Bdx => vec![
            [
                Probe::cbox(0, "rxr_irq_retry.nid").nid(0xf00),
                Probe::cbox(0, "rxr_ismq_retry.wb_credits").nid(0xf00),
            ],
            [
                Probe::cbox(0, "rxr_ipq_retry2.target").nid(0x4000),
                Probe::cbox(0, "tor_inserts.nid_wb").nid(0x4000),
            ],
            [
                Probe::pcu("freq_band0_cycles").band(0, 0x10),
                Probe::pcu("demotions_core7"),
            ],
            [
                Probe::qpi(0, "message.ncb.anyint"),
                Probe::qpi(0, "rxl_flits_g2.ncb"),
            ],
            [
                Probe::irp(0, "transactions.reads_orderingq"),
                Probe::irp(1, "snoop_resp.miss_snpcode"),
            ],
        ],
    };
    common.into_iter().chain(own).collect()
}

/// Returns pairs that cannot count at the same time.
fn conflicting() -> Vec<(Probe, Probe)> {
    match Platform::current() {
        Platform::Snb => Vec::new(),
        Platform::Nhmex => [
            bbox::conflicting(),
            mbox::conflicting(),
            rbox::conflicting(),
        ]
        .concat(),
        Platform::Ivbep | Platform::Bdx => conflicting_on_a_xeon(),
    }
}

fn conflicting_on_a_xeon() -> Vec<(Probe, Probe)> {
    let lookup = |state| Probe::cbox(0, "llc_lookup.any").state(state);
    let opcode = |opc| Probe::cbox(0, "tor_inserts.opcode").opc(opc);
    let occupancy = Probe::cbox(0, "tor_occupancy.opcode");
    let node = |nid| Probe::cbox(0, "llc_victims.nid").nid(nid);
    let thread = |tid| Probe::cbox(0, "rxr_inserts.irq").tid(tid);
    let line = |line| Probe::ha(0, "addr_opc_match.addr").address(line);
    let home = |name, opc| Probe::ha(0, name).home_opcode(opc);
    let band = |band: u8, value| Probe::pcu(&format!("freq_band{band}_cycles")).band(band, value);
    let message = |name| Probe::qpi(0, name);
    let networks = Probe::qpi(0, "cto_count").packet(PacketField::Vnw, 2, 2);
    let common = [
        (lookup(0x01), lookup(0x3f)),
        (opcode(0x182), opcode(0x1e6)),
        (opcode(0x182), opcode(0x182).nc()),
        (opcode(0x182).isoc(), opcode(0x182)),
        (node(0x8000), node(0xf000)),
        (thread(30), thread(31)),
        (opcode(0x180), occupancy.opc(0x181)),
        (line(0x2000_0000_0000), line(0x3fff_ffff_ffc0)),
        (
            home("addr_opc_match.opc", 0x1e),
            home("addr_opc_match.opc", 0x3f),
        ),
        (
            home("addr_opc_match.ad", 0x1e),
            home("addr_opc_match.ak", 0x1d),
        ),
        (band(1, 20), band(1, 30)),
        (band(3, 12), band(3, 25)),
        (
            message("message.drs.anyresp"),
            message("message.drs.anyresp9flits"),
        ),
        (message("cto_count"), networks),
    ];
    let own = match Platform::current() {
        Platform::Snb | Platform::Nhmex => Vec::new(),
        Platform::Ivbep => vec![
            (line(0x1_0000_0000), line(0x1_0000_0040)),
            (band(0, 0x11), Probe::pcu("demotions_core14").band(0, 0x10)),
            (message("message.snp.anysnp"), message("message.hom.anyreq")),
        ],
        Platform::Bdx => vec![
            (lookup(0x40), lookup(0x7f)),
            (line(0x8000_0000), line(0x1_0000_0000)),
            (
                node(0x8000),
                Probe::cbox(0, "rxr_irq_retry2.target").nid(0x4000),
            ),
            (thread(0x3f), thread(0x3e)),
            (
                message("message.drs.datac_m"),
                message("message.drs.datac_e"),
            ),
        ],
    };
    common.into_iter().chain(own).collect()
}

#[test]
fn conflicting_filters_in_a_group_are_refused() {
    on(&usual_machine(), |session| {
        for (first, second) in conflicting() {
            is_refused_in_a_group(session, &first, &second, "two values of");
        }
    });
}

/// The driver refuses the group, with these words.
fn is_refused_in_a_group(session: &mut Session, first: &Probe, second: &Probe, words: &str) {
    let group = second.open_in("second", 0, "first");
    let answers = session.perf_open(&[first.open("first", 0), group]);
    assert_eq!(
        answers,
        ["first ok", "second EINVAL"],
        "{first:?} {second:?}"
    );
    let last = session.rejections().pop().unwrap_or_default();
    let unit = first.kind.unit();
    let named = last.contains(&format!("{unit}: ")) || last.contains(&format!("{unit}_0: "));
    assert!(named && last.contains(words), "{last}");
}

/// Outside a group the events take turns.
#[test]
fn conflicting_filters_take_turns_and_never_count_wrong() {
    on(&usual_machine(), |session| {
        for (first, second) in conflicting() {
            take_turns(session, &first, &second);
        }
    });
}

/// Each count is a whole number of bursts, no burst counts for both events, and both get
/// their turn.
fn take_turns(session: &mut Session, first: &Probe, second: &Probe) {
    const BURSTS: u64 = 100;
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
    let (first, second) = (turns(2, first), turns(3, second));
    assert!(first > 0 && second > 0, "{first} and {second} turns");
    assert!(first + second <= BURSTS, "{first} and {second} turns");
}

/// Returns pairs that filter by different fields of a C-Box, which may compare the fields of
/// one event at a time (U-21).
fn other_criteria() -> Vec<(Probe, Probe)> {
    let both = Probe::cbox(0, "tor_inserts.nid_opcode").opc(0x182).nid(0x2);
    let opcode = Probe::cbox(0, "tor_inserts.opcode").opc(0x182);
    let node = Probe::cbox(0, "llc_victims.nid").nid(0x2);
    let state = Probe::cbox(0, "llc_lookup.any").state(0x01);
    let thread = Probe::cbox(0, "rxr_inserts.irq").tid(5);
    match Platform::current() {
        Platform::Snb | Platform::Nhmex => Vec::new(),
        Platform::Ivbep | Platform::Bdx => vec![
            (state.clone(), both.clone()),
            (opcode.clone(), both),
            (node, opcode.clone()),
            (thread, opcode),
            (state.clone(), state.tid(5)),
        ],
    }
}

/// The readings of U-21 that the machine has: whatever the hardware does, no count is wrong.
fn readings_of_criteria() -> &'static [&'static str] {
    match Platform::current() {
        Platform::Ivbep => &["U-21:b", "a"],
        Platform::Bdx | Platform::Snb | Platform::Nhmex => &["a"],
    }
}

#[test]
fn other_criteria_take_turns_and_are_refused_in_a_group() {
    on_new(&usual_machine(), |session| {
        for reading in readings_of_criteria() {
            session.machine(&format!("reading {reading}"));
            for (first, second) in other_criteria() {
                is_refused_in_a_group(session, &first, &second, "only one of these at a time");
                take_turns(session, &first, &second);
            }
        }
    });
}

#[test]
fn other_criteria_count_together_if_the_user_says_that_they_can() {
    let mut machine = usual_machine();
    machine.parameters.push("filters=several".to_owned());
    on(&machine, |session| {
        for (first, second) in other_criteria() {
            if first.filters_can_share(&second) {
                let wanted = Wanted::all([first, second]);
                session.counts(LONG_BURST, Platform::packages(), &wanted);
                session.counts_groups(LONG_BURST, Platform::packages(), &[wanted]);
            }
        }
    });
}

/// Returns the value in an answer of `perf-open`'s read.
fn value(answer: &str) -> u64 {
    let word = answer.split(' ').nth(1);
    let value = word.and_then(|word| word.parse().ok());
    value.unwrap_or_else(|| panic!("no value in `{answer}`"))
}
