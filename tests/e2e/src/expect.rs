// SPDX-License-Identifier: GPL-2.0

//! What a counter must show: the traffic definition, in closed form.
//!
//! Written from `Documentation/development/traffic.rst` and the catalogue
//! only, without a look at the machine's model or the driver's tables; a
//! disagreement between this and either of them is a bug in one of the three.
//! The unit tests hold it against the page's worked example and against a
//! second, cycle-by-cycle reading of the same page (`expect/brute.rs`).
//!
//! Limits: C-Box, iMC and UBox; no freeze, no disabled time (a burst is
//! counted whole or not at all).

mod transaction;
mod wave;

#[cfg(test)]
mod brute;

use crate::catalogue::{BoxKind, Catalogue, EventFacts, FIXED_EVENT};
use transaction::Condition;
use wave::{Gain, Signal};

pub use transaction::OPCODES;

/// One box of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    /// Its type.
    pub kind: BoxKind,
    /// Its index within the type, as in the PMU's name.
    pub instance: u8,
    /// The physical package.
    pub package: u8,
}

/// How one counter is programmed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Setting {
    /// Event select, 0xff for the fixed counter.
    pub event: u8,
    /// Sub-event mask.
    pub umask: u8,
    /// Threshold, 0 for none.
    pub thresh: u8,
    /// Count rising edges.
    pub edge: bool,
    /// FILTER0.tid where `tid_en` is set in the control register.
    pub tid: Option<u8>,
    /// FILTER0.state, bit 0 for I to bit 5 for M'.
    pub state: u8,
    /// FILTER1.nid.
    pub nid: u16,
    /// FILTER1.opc.
    pub opc: u16,
    /// FILTER1.nc.
    pub nc: bool,
    /// FILTER1.isoc.
    pub isoc: bool,
}

impl Setting {
    /// An event with nothing else set.
    #[must_use]
    pub fn event(event: u8, umask: u8) -> Self {
        Self {
            event,
            umask,
            ..Self::default()
        }
    }

    /// The fixed counter of a box.
    #[must_use]
    pub fn fixed() -> Self {
        Self::event(FIXED_EVENT, 0)
    }

    /// What COUNTER0_OCCUPANCY shows beside this occupancy event on counter 0:
    /// the same signals and filters, a threshold and an edge of its own.
    #[must_use]
    pub fn seen_from_another_counter(self, thresh: u8, edge: bool) -> Self {
        Self {
            thresh,
            edge,
            ..self
        }
    }
}

/// What a burst of `uclk` cycles adds to a counter with this setting.
#[must_use]
pub fn count(site: Site, setting: &Setting, uclk: u64) -> u64 {
    let cycles = box_cycles(site.kind, uclk);
    if setting.event == FIXED_EVENT {
        return cycles;
    }
    match Catalogue::get().facts(site.kind, setting.event) {
        None => 0,
        Some(facts) if facts.clock => clock_count(setting, cycles),
        Some(facts) => signal_count(site, setting, facts, cycles),
    }
}

/// Cycles of the box's own clock in a burst of `uclk`.
#[must_use]
pub fn box_cycles(kind: BoxKind, uclk: u64) -> u64 {
    match kind {
        BoxKind::Ubox | BoxKind::Cbox => uclk,
        BoxKind::Imc => uclk * 7 / 18,
    }
}

fn clock_count(setting: &Setting, cycles: u64) -> u64 {
    match (setting.thresh, setting.edge) {
        (2.., _) => 0,
        (_, true) => cycles.min(1),
        (_, false) => cycles,
    }
}

fn signal_count(site: Site, setting: &Setting, facts: &EventFacts, cycles: u64) -> u64 {
    let gain = Gain::new(facts.max_inc, setting.thresh, setting.edge);
    let Some(conditions) = conditions(site.kind, setting) else {
        return 0;
    };
    selected(site.kind, setting, facts)
        .map(|signal| Signal::new(site, setting.event, signal))
        .map(|signal| signal.count(gain, &conditions, cycles))
        .sum()
}

/// The signals that an umask selects, of those that exist.
fn selected(kind: BoxKind, setting: &Setting, facts: &EventFacts) -> impl Iterator<Item = u8> {
    let carriers = facts.umask_bits & !facts.dead_bits & !qualifiers(kind, setting.event);
    let asked = setting.umask | implied(kind, setting);
    let plain = facts.plain && setting.umask == 0;
    let bits = asked & carriers;
    (0..8)
        .filter(move |bit| bits >> bit & 1 == 1)
        .chain(plain.then_some(8))
}

/// Umask bits that set a condition and carry no signal.
fn qualifiers(kind: BoxKind, event: u8) -> u8 {
    match (kind, event) {
        (BoxKind::Cbox, LLC_LOOKUP) => 0x41,
        (BoxKind::Cbox, LLC_VICTIMS) => 0x40,
        (BoxKind::Cbox, TOR_INSERTS | TOR_OCCUPANCY) => 0xe2,
        _ => 0,
    }
}

/// Signals that an umask without any of them stands for.
fn implied(kind: BoxKind, setting: &Setting) -> u8 {
    match (kind, setting.event) {
        (BoxKind::Cbox, LLC_LOOKUP) if setting.umask & 0x1e == 0 => 0x1e,
        (BoxKind::Cbox, LLC_VICTIMS) if setting.umask & 0x4f == 0x40 => 0x0f,
        _ => 0,
    }
}

/// The conditions in force, `None` where they can never be met.
fn conditions(kind: BoxKind, setting: &Setting) -> Option<Vec<Condition>> {
    if kind != BoxKind::Cbox {
        return Some(Vec::new());
    }
    let mut conditions: Vec<Condition> = setting.tid.map(Condition::Tid).into_iter().collect();
    match setting.event {
        LLC_LOOKUP if setting.umask & 1 == 0 => return None,
        LLC_LOOKUP => conditions.push(Condition::State(setting.state)),
        TOR_INSERTS | TOR_OCCUPANCY => conditions.extend(tor_conditions(setting)),
        _ => {}
    }
    let by_node = matches!(
        setting.event,
        LLC_LOOKUP | LLC_VICTIMS | TOR_INSERTS | TOR_OCCUPANCY
    );
    if by_node && setting.umask & 0x40 != 0 {
        conditions.push(Condition::Node(setting.nid));
    }
    Some(conditions)
}

fn tor_conditions(setting: &Setting) -> Vec<Condition> {
    let opcode = setting.umask & 1 != 0;
    [
        (opcode, Condition::Opcode(setting.opc)),
        (opcode && setting.nc, Condition::NonCoherent),
        (opcode && setting.isoc, Condition::Isochronous),
        (setting.umask & 0x02 != 0, Condition::Miss),
        (setting.umask & 0x20 != 0, Condition::Local),
        (setting.umask & 0x80 != 0, Condition::Remote),
    ]
    .into_iter()
    .filter_map(|(in_force, condition)| in_force.then_some(condition))
    .collect()
}

const LLC_LOOKUP: u8 = 0x34;
const TOR_INSERTS: u8 = 0x35;
const TOR_OCCUPANCY: u8 = 0x36;
const LLC_VICTIMS: u8 = 0x37;

#[cfg(test)]
mod tests {
    use super::*;

    const CBOX: Site = Site {
        kind: BoxKind::Cbox,
        instance: 2,
        package: 1,
    };
    const MILLION: u64 = 1_000_000;

    fn cbox(setting: Setting) -> u64 {
        count(CBOX, &setting, MILLION)
    }

    #[test]
    fn the_worked_example() {
        let setting = Setting {
            opc: 0x182,
            ..Setting::event(TOR_INSERTS, 0x03)
        };
        assert_eq!(cbox(setting), 222);
    }

    #[test]
    fn clocks_run_at_their_ratios() {
        for (kind, cycles) in [
            (BoxKind::Ubox, MILLION),
            (BoxKind::Cbox, MILLION),
            (BoxKind::Imc, 388_888),
        ] {
            assert_eq!(box_cycles(kind, MILLION), cycles);
            let site = Site { kind, ..CBOX };
            assert_eq!(count(site, &Setting::event(0, 0), MILLION), cycles);
            assert_eq!(count(site, &Setting::fixed(), MILLION), cycles);
        }
    }

    #[test]
    fn a_clock_has_one_edge_and_no_second_event_in_a_cycle() {
        let clock = |thresh, edge| Setting {
            thresh,
            edge,
            ..Setting::event(0, 0)
        };
        assert_eq!(cbox(clock(1, false)), MILLION);
        assert_eq!(cbox(clock(1, true)), 1);
        assert_eq!(cbox(clock(2, false)), 0);
        assert_eq!(cbox(clock(2, true)), 0);
    }

    #[test]
    fn in_two_to_the_26_cycles_a_signal_is_on_k_times() {
        let site = Site {
            kind: BoxKind::Cbox,
            instance: 0,
            package: 0,
        };
        let id = (0x39_u64 * 9 + 2) * 128;
        let k = (1 << 20) + id * 726_541 % (1 << 20);
        assert_eq!(count(site, &Setting::event(0x39, 4), 1 << 26), 3 * k);
    }

    #[test]
    fn every_signal_of_every_box_has_its_own_rate() {
        let mut seen = std::collections::HashMap::new();
        for row in Catalogue::get().of(BoxKind::Imc) {
            for instance in 0..8 {
                for package in 0..4 {
                    let site = Site {
                        kind: BoxKind::Imc,
                        instance,
                        package,
                    };
                    let signal = u8::try_from(row.umask.trailing_zeros()).expect("8 bits");
                    let rate = Signal::new(site, row.code, signal).rate();
                    let key = (instance, package, row.code, signal);
                    assert_eq!(*seen.entry(rate).or_insert(key), key);
                }
            }
        }
    }

    #[test]
    fn what_the_catalogue_lacks_counts_nothing() {
        for setting in [
            Setting::event(0x55, 0x01), // no such event
            Setting::event(0x39, 0x10), // no such sub-event
            Setting::event(0x39, 0x00), // needs a sub-event
            Setting::event(0x07, 0x01), // has no sub-event
            Setting::event(LLC_LOOKUP, 0x02),
            Setting::event(LLC_LOOKUP, 0x03), // no state selected
        ] {
            assert_eq!(cbox(setting), 0, "{setting:?}");
        }
    }

    #[test]
    fn ubox_events_behind_the_undocumented_filter_count_nothing() {
        let site = Site {
            kind: BoxKind::Ubox,
            instance: 0,
            package: 0,
        };
        let count = |umask| count(site, &Setting::event(0x41, umask), MILLION);
        assert_eq!(count(0x01), 0);
        assert_eq!(count(0x04), 0);
        assert_ne!(count(0x02), 0);
        assert_eq!(count(0x0f), count(0x02) + count(0x08));
    }

    #[test]
    fn sub_events_add_up() {
        let victims = |umask| cbox(Setting::event(LLC_VICTIMS, umask));
        let sum: u64 = [1, 2, 4, 8].into_iter().map(victims).sum();
        assert_eq!(victims(0x0f), sum);
        let any_node = Setting {
            nid: 0xffff,
            ..Setting::event(LLC_VICTIMS, 0x40)
        };
        assert_eq!(cbox(any_node), sum);
    }

    #[test]
    fn filters_split_the_traffic_without_remainder() {
        let lookup = |state| Setting {
            state,
            ..Setting::event(LLC_LOOKUP, 0x11)
        };
        let states: u64 = (0..6).map(|bit| cbox(lookup(1 << bit))).sum();
        assert_eq!(states, cbox(lookup(0x3f)));

        let opcode = |opc| Setting {
            opc,
            ..Setting::event(TOR_INSERTS, 0x01)
        };
        let opcodes = OPCODES.iter().chain(&[0x1ff]);
        let sum: u64 = opcodes.map(|&opc| cbox(opcode(opc))).sum();
        let rounds = MILLION / 32;
        assert_eq!(sum, Signal::new(CBOX, TOR_INSERTS, 0).blocks(rounds) * 3);

        let side = |umask| cbox(Setting::event(TOR_INSERTS, umask));
        assert_eq!(side(0x28) + side(0x88), side(0x08));
    }

    #[test]
    fn threads_of_all_requests_add_up() {
        let thread = |tid| Setting {
            tid,
            ..Setting::event(0x13, 0x01)
        };
        let sum: u64 = (0..32).map(|tid| cbox(thread(Some(tid)))).sum();
        assert_eq!(sum, cbox(thread(None)));
    }
}
