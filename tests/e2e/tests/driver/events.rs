// SPDX-License-Identifier: GPL-2.0

//! Every named event of every box counts exactly its own traffic.
//!
//! The burst is so long that no two signals of the machine give the same
//! count: an event that counts a neighbour's traffic cannot pass. As many
//! events as a box has counters for are counted at a time; none may be
//! multiplexed.

use crate::{usual_machine, BURST, CBOXES, CHANNELS, LONG_BURST, PACKAGES};
use ivbep_e2e::catalogue::{BoxKind, Catalogue, Row};
use ivbep_e2e::expect::OPCODES;
use ivbep_e2e::fixture::probe::Probe;
use ivbep_e2e::fixture::{on, Session, Wanted};

/// Rows that fit the general counters of one box together.
#[derive(Default)]
struct Batch<'a> {
    rows: Vec<&'a Row>,
    /// Counters taken, in the rows' order.
    taken: Vec<u8>,
}

impl<'a> Batch<'a> {
    /// Adds a row if a free counter can count it. First fit is enough: a row
    /// that finds no place goes to another batch.
    fn add(&mut self, row: &'a Row) -> bool {
        let free = (0..row.kind.counters()).rev();
        let mut free = free.filter(|counter| !self.taken.contains(counter));
        let place = free.find(|counter| row.counters >> counter & 1 == 1);
        self.taken.extend(place);
        if place.is_some() {
            self.rows.push(row);
        }
        place.is_some()
    }
}

/// All named rows of a type but COUNTER0_OCCUPANCY, which needs a group.
fn batches(kind: BoxKind) -> Vec<Batch<'static>> {
    let mut batches: Vec<Batch> = Vec::new();
    let rows = Catalogue::get().of(kind);
    for row in rows.filter(|row| !row.needs.occupancy && row.name().is_some()) {
        if !batches.iter_mut().any(|batch| batch.add(row)) {
            let mut batch = Batch::default();
            assert!(batch.add(row), "{row:?} fits no counter");
            batches.push(batch);
        }
    }
    batches
}

/// Counts every batch on all boxes at once; filter values change from batch to
/// batch and are common within one, as a box has one of each.
fn every_event_counts(session: &mut Session, kind: BoxKind, boxes: u8) {
    for (seed, batch) in batches(kind).iter().enumerate() {
        let opc = OPCODES[OPCODES.len() - 1 - seed % 8];
        let nid = 0x8000 >> (seed % 5);
        let rows = |instance| {
            let rows = batch.rows.iter();
            rows.filter_map(move |row| Probe::of_row(row, instance, opc, nid))
        };
        let mut wanted = Wanted::all((0..boxes).flat_map(rows));
        if kind.has_fixed() {
            let fixed = |instance| Probe::new(kind, instance, "clockticks");
            wanted.extend(Wanted::all((0..boxes).map(fixed)));
        }
        session.counts(LONG_BURST, &PACKAGES, &wanted);
    }
}

#[test]
fn every_cbox_event_counts_exactly() {
    on(&usual_machine(), |session| {
        every_event_counts(session, BoxKind::Cbox, CBOXES);
    });
}

#[test]
fn every_imc_event_counts_exactly() {
    on(&usual_machine(), |session| {
        every_event_counts(session, BoxKind::Imc, CHANNELS);
    });
}

#[test]
fn every_ubox_event_counts_exactly() {
    on(&usual_machine(), |session| {
        every_event_counts(session, BoxKind::Ubox, 1);
    });
}

#[test]
fn every_occupancy_event_shows_on_another_counter() {
    on(&usual_machine(), |session| {
        let rows = Catalogue::get().of(BoxKind::Cbox);
        for row in rows.filter(|row| [0x11, 0x36].contains(&row.code)) {
            let leaders = (0..CBOXES).filter_map(|i| Probe::of_row(row, i, 0x1e5, 0x1000));
            let groups = leaders.map(|leader| {
                let view = leader.beside(0, false);
                vec![leader.into(), view.into()]
            });
            session.counts_groups(LONG_BURST, &PACKAGES, &groups.collect::<Vec<_>>());
        }
    });
}

/// The two names that the in-kernel driver offers and the manual does not.
#[test]
fn the_in_kernel_names_of_cas_count_are_the_manuals() {
    on(&usual_machine(), |session| {
        let names = [
            ("cas_count_read", "cas_count.rd"),
            ("cas_count_write", "cas_count.wr"),
        ];
        let channels = (0..CHANNELS).flat_map(|channel| {
            names.map(|(name, manual)| Probe::imc(channel, manual).asked_as(name))
        });
        session.counts(BURST, &PACKAGES, &Wanted::all(channels));
    });
}

/// A counter keeps nothing of the event it counted before.
#[test]
fn events_in_turn_on_one_counter_leave_nothing_behind() {
    on(&usual_machine(), |session| {
        let occupancy = Probe::cbox(0, "tor_occupancy.nid_opcode");
        let heavy = occupancy.opc(0x1e6).nid(0xffff).tid(31).thresh(20).edge();
        let light = Probe::cbox(0, "rxr_occupancy.irq");
        for probe in [heavy.clone(), light.clone(), heavy, light] {
            session.counts(BURST, &PACKAGES, &[probe.into()]);
        }
    });
}
