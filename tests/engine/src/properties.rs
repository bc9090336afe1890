// SPDX-License-Identifier: GPL-2.0

//! Properties of the engine's pure functions: for all inputs where these are few, else for many.

use crate::{
    linux::topology,
    platforms,
    uncore::{
        counter_box::count::{delta, read_halves},
        cpu_cell::CpuCell,
        overflow::nmi_claims::{NmiClaims, PmiRegisters, Verdict},
        request::{
            assign::{bits, Placement, MAX_COUNTERS},
            filter_units::{FilterUse, Filters, UsedUnit},
            interval,
            name::EventName,
            parser::parse,
            umask,
        },
        table::{
            box_type::{BoxType, Event, Misread, Run, Umasks},
            field::{gather, mask, scatter, Words},
        },
        testing::{
            msr_only::{meter::METER, router::ROUTER},
            GATE, MADE_UP, SLICE,
        },
    },
};
use proptest::{array::uniform12, collection::vec, prelude::*};
use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
};

/// The box types of all platforms and of the suites.
fn box_types() -> impl Iterator<Item = &'static BoxType> {
    let platforms = platforms::ALL.iter().copied().chain([&MADE_UP]);
    let kinds = platforms.flat_map(|platform| platform.box_types.iter().copied());
    kinds.chain([&SLICE, &GATE, &ROUTER, &METER])
}

// Increments, reads and polls.

#[test]
fn a_narrow_counter_adds_what_was_counted() {
    for width in 1..=8 {
        let mask = mask(width);
        for last in 0..=mask {
            for counted in 0..=mask {
                assert_eq!(delta(last, (last + counted) & mask, mask), counted);
            }
        }
    }
}

/// All reads of a counter of 8 bits that reads 16 too high at some values, and of one that is said to.
#[test]
fn a_narrow_counter_that_reads_too_high_is_corrected() {
    const MASK: u64 = 0xff;
    const ADDED: u64 = 16;
    let misread = Misread { bits: 4, values: 2 };
    let is_wrong = |value: u64| value % ADDED < 2;
    for last in 0..=MASK {
        for counted in 0..=MASK - ADDED {
            let value = (last + counted) & MASK;
            let added = if is_wrong(value) { ADDED } else { 0 };
            let read = (value + added) & MASK;
            assert_eq!(misread.corrected(read, MASK), value);
            // Without the defect the read is right or too low: it may be before the last one.
            let found = delta(last, misread.corrected(value, MASK), MASK);
            assert_eq!(found, counted.wrapping_sub(added) & MASK);
        }
        // What is written is not just before a value that reads too high.
        let written = misread.writable(last) & MASK;
        assert!(written % ADDED < ADDED - 2, "{last:#x} {written:#x}");
    }
    assert!(!is_wrong(misread.clear()));
}

fn check_delta(width: u8, last: u64, counted: u64, other_bits: u64) {
    let mask = mask(width);
    let counted = counted & mask;
    let now = last.wrapping_add(counted) & mask | other_bits & !mask;
    assert_eq!(delta(last, now, mask), counted);
}

/// Checks a read of a counter whose two halves are read in several accesses. `steps` are the
/// increments before each.
fn check_halves(start: u64, steps: &[u64; 12]) {
    let start = start >> 8;
    let (value, step) = (Cell::new(start), Cell::new(0));
    let first = Cell::new(None);
    let access = || {
        value.set(value.get() + steps[step.get()]);
        step.set(step.get() + 1);
        first.set(first.get().or(Some(value.get())));
        value.get()
    };
    let read = read_halves(|| Ok(access() as u32), || Ok((access() >> 32) as u32));
    if let Ok(read) = read {
        let first = first.get().expect("an access");
        assert!((first..=value.get()).contains(&read), "{read:#x}");
    } else {
        assert_eq!(step.get(), 12, "it tries four times");
    }
}

/// Half a carry between two accesses is the most that `read_halves` allows for.
const MOST_BETWEEN_ACCESSES: u64 = 1 << 31;

proptest! {
    #[test]
    fn a_counter_adds_what_was_counted(
        width in 1_u8..=64,
        last: u64,
        counted: u64,
        other_bits: u64,
    ) {
        check_delta(width, last, counted, other_bits);
    }

    #[test]
    fn halves_are_never_torn(start: u64, steps in uniform12(0..MOST_BETWEEN_ACCESSES)) {
        check_halves(start, &steps);
    }

    /// A counter is read four times before it wraps, and as seldom as that allows, but each minute.
    #[test]
    fn a_counter_is_polled_before_it_wraps(width in 20_u8..=64, mhz in 1_u32..10_000, most in 1_u16..256) {
        const MINUTE: u64 = 60_000_000_000;
        let per_us = u128::from(mhz) * u128::from(most);
        let ns = interval::Pace::new(width, mhz, most).poll_ns;
        let range = u128::from(mask(width)) * 1000;
        prop_assert!(4 * u128::from(ns) * per_us <= range);
        prop_assert!(ns == MINUTE || 4 * (u128::from(ns) + 2) * per_us > range || width > 54);
    }
}

/// Of uncertain widths the narrowest decides.
#[test]
fn each_event_is_polled_by_the_most_that_it_adds() {
    for kind in box_types() {
        let widths = kind.readings().map(|reading| reading.width);
        let narrowest = mask(widths.min().expect("the type itself"));
        for fixed in kind.fixed {
            let words = Words {
                config: fixed.select.into(),
                ..Words::default()
            };
            let ns = parse(kind, &words).map(|request| request.pace.poll_ns);
            let ns = u128::from(ns.unwrap_or_else(|_| panic!("{} {}", kind.name, fixed.name)));
            let range = 1000 * u128::from(mask(fixed.width.min(fixed.max_width)));
            assert!(
                4 * ns * u128::from(kind.max_clock_mhz) <= range,
                "{}",
                fixed.name
            );
        }
        for event in kind.events {
            let words = Words {
                config: u64::from(event.select),
                ..Words::default()
            };
            let Ok(request) = parse(kind, &words) else {
                continue;
            };
            let ns = u128::from(request.pace.poll_ns);
            let per_us = u128::from(kind.max_clock_mhz) * u128::from(event.max_increment);
            assert!(
                4 * ns * per_us <= 1000 * u128::from(narrowest),
                "{}",
                event.name
            );
            assert!(ns >= 3_000_000_000, "{} {}: {ns}", kind.name, event.name);
        }
    }
}

// Fields.

proptest! {
    #[test]
    fn a_field_keeps_its_value_and_nothing_else(value: u64, word: u64) {
        for field in box_types().flat_map(|kind| kind.fields) {
            let width = u8::try_from(field.mask().count_ones()).expect("at most 64 bits");
            let value = value & mask(width);
            let placed = scatter(field.bits, value);
            prop_assert_eq!(placed & !field.mask(), 0);
            prop_assert_eq!(gather(field.bits, placed), value);
            prop_assert_eq!(scatter(field.bits, gather(field.bits, word)), word & field.mask());
        }
    }
}

// Filters.

/// What a box does with its filters: an event comes with units and values, or one goes.
#[derive(Clone, Debug)]
enum Step {
    Come(Vec<(u8, u64)>),
    Go(usize),
}

fn steps(units: u8) -> impl Strategy<Value = Vec<Step>> {
    let wanted = vec((0..units, 1_u64..4), 0..4);
    vec(
        prop_oneof![wanted.prop_map(Step::Come), (0_usize..8).prop_map(Step::Go)],
        0..24,
    )
}

proptest! {
    #[test]
    fn filters_hold_what_their_users_want(steps in steps(8)) {
        let mut filters = Filters::default();
        let mut users: Vec<BTreeMap<u8, u64>> = Vec::new();
        for step in steps {
            match step {
                Step::Come(wanted) => {
                    let wanted: BTreeMap<u8, u64> = wanted.into_iter().collect();
                    let used = filter_use(&wanted);
                    let clashes = |(unit, value): (&u8, &u64)| {
                        users.iter().any(|user| user.get(unit).is_some_and(|has| has != value))
                    };
                    let conflict = filters.conflict(&used);
                    prop_assert_eq!(conflict.is_some(), wanted.iter().any(clashes));
                    if conflict.is_none() {
                        filters.take(&used);
                        users.push(wanted);
                    }
                }
                Step::Go(index) if index < users.len() => {
                    filters.release(&filter_use(&users.swap_remove(index)));
                }
                Step::Go(_) => {}
            }
            for user in &users {
                prop_assert!(filters.conflict(&filter_use(user)).is_none());
            }
            let all_free = users.iter().all(BTreeMap::is_empty);
            prop_assert_eq!(all_free, filters == Filters::default());
        }
    }
}

fn filter_use(wanted: &BTreeMap<u8, u64>) -> FilterUse {
    let mut used = FilterUse::default();
    wanted.iter().for_each(|(&unit, &value)| {
        used.add(&UsedUnit {
            unit,
            copy: unit,
            value,
        })
    });
    used
}

/// In each box type, each copy of each unit has its bits in the registers, and no other's.
#[test]
fn registers_have_the_values_of_all_copies_of_units() {
    for kind in box_types() {
        let mut filters = Filters::default();
        let mut expected: Vec<_> = kind.filters.iter().map(|_| 0).collect();
        for (unit, table) in (0..).zip(kind.filter_units) {
            for copy in 0..table.copies {
                let value = table.mask;
                let copy = kind.copy_number(unit, copy);
                let mut used = FilterUse::default();
                used.add(&UsedUnit { unit, copy, value });
                let mut alone = Filters::default();
                alone.take(&used);
                filters.take(&used);
                let mut bits = 0;
                for (register, expected) in kind.filters.iter().zip(&mut expected) {
                    let own = alone.register(kind, register);
                    if register.constant.is_none() {
                        assert_eq!(*expected & own, 0, "{}", kind.name);
                        bits += own.count_ones();
                    }
                    *expected |= own;
                    assert_eq!(filters.register(kind, register), *expected);
                }
                assert_eq!(bits, value.count_ones(), "{}", kind.name);
            }
        }
        for (register, expected) in kind.filters.iter().zip(expected) {
            assert_eq!(expected, register.writable);
        }
    }
}

// Assignment.

/// Counters with their events, each by the counters that it may use; 0 is free.
type Events = [u8; MAX_COUNTERS];

/// The fewest events that must move so that one more can use `allowed`; `None` if there is no
/// assignment. Tries all.
fn fewest_moves(events: &Events, existing: u8, allowed: u8) -> Option<usize> {
    fn search(events: &[(u8, Option<u8>)], free: u8) -> Option<usize> {
        let Some(((allowed, now), rest)) = events.split_first() else {
            return Some(0);
        };
        let places = bits(allowed & free);
        let costs = places.filter_map(|counter| {
            let moved = now.is_some_and(|now| now != counter);
            Some(search(rest, free & !(1 << counter))? + usize::from(moved))
        });
        costs.min()
    }
    let mut all = vec![(allowed, None)];
    let taken = (0..).zip(events).filter(|(_, &allowed)| allowed != 0);
    all.extend(taken.map(|(counter, &allowed)| (allowed, Some(counter))));
    search(&all, existing)
}

/// Checks where the allocator puts an event, and whether each move is to a free counter.
fn check_assignment(events: &Events, existing: u8, allowed: u8) {
    let mut placement = Placement::new(existing);
    for (counter, &allowed) in (0..).zip(events) {
        if allowed != 0 {
            let only = placement.find(1 << counter).expect("it is free");
            placement.take(&only, allowed);
        }
    }
    let path = placement.find(allowed);
    let moves = path.map(|path| path.moves().count());
    assert_eq!(
        moves,
        fewest_moves(events, existing, allowed),
        "{events:?}, {allowed:#b}"
    );
    let Some(path) = path else {
        return;
    };
    let mut now = *events;
    for (from, to) in path.moves() {
        let event = std::mem::take(&mut now[usize::from(from)]);
        assert!(now[usize::from(to)] == 0 && event & 1 << to != 0);
        now[usize::from(to)] = event;
    }
    assert!(now[usize::from(path.counter())] == 0 && allowed & 1 << path.counter() != 0);
}

#[test]
fn four_counters_are_assigned_with_the_fewest_moves() {
    // For each counter: free, or an event that may use it and some of the others.
    let choices = |counter: u8| {
        (0..16_u8).filter(move |&allowed| allowed == 0 || allowed >> counter & 1 == 1)
    };
    for a in choices(0) {
        for b in choices(1) {
            for c in choices(2) {
                for d in choices(3) {
                    for allowed in 1..16 {
                        check_assignment(&[a, b, c, d, 0, 0, 0, 0], 0b1111, allowed);
                    }
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn eight_counters_are_assigned_with_the_fewest_moves(
        others: Events,
        taken: u8,
        existing in 1_u8..,
        allowed in 1_u8..,
    ) {
        let mut events = Events::default();
        for counter in bits(taken & existing) {
            events[usize::from(counter)] = (others[usize::from(counter)] | 1 << counter) & existing;
        }
        check_assignment(&events, existing, allowed & existing);
    }
}

// The global control.

#[test]
fn counters_are_let_run_by_a_command_or_a_level() {
    const BIT: u32 = 1 << 29;
    for now in [0, BIT, u32::MAX] {
        assert_eq!(Run::Command(BIT).bits(true, || now), BIT);
        assert_eq!(Run::Command(BIT).bits(false, || now), 0);
        assert_eq!(Run::Level(BIT).bits(true, || now), BIT);
        // An overflow may have frozen the counters.
        assert_eq!(Run::Level(BIT).bits(false, || now), now & BIT);
    }
}

// Umasks.

/// The umasks of an event with the filters that they need, from the rows of the table: all that ORed
/// rows give.
fn umasks(event: &'static Event) -> BTreeMap<u8, u32> {
    let rows = event.subevents;
    let usable = |umask: u8, row_of: &dyn Fn(u8) -> bool| {
        let used = rows.iter().filter(|row| row_of(row.umask));
        let mut filters = 0;
        for row in used {
            if row.excludes & umask != 0 {
                return None;
            }
            filters |= u32::from(row.filters);
        }
        Some(filters)
    };
    let mut all = BTreeMap::new();
    let alone = rows.iter().map(|row| row.umask);
    match event.umasks {
        Umasks::Zero => {
            all.insert(0, 0);
        }
        Umasks::Combined => {
            let mut sums = BTreeSet::from([0]);
            for row in alone {
                let more: Vec<u8> = sums.iter().map(|sum| sum | row).collect();
                sums.extend(more);
            }
            sums.retain(|&sum| sum != 0 || rows.iter().any(|row| row.umask == 0));
            for sum in sums {
                let contained = |row: u8| {
                    if sum == 0 {
                        row == 0
                    } else {
                        row != 0 && sum & row == row
                    }
                };
                all.extend(usable(sum, &contained).map(|filters| (sum, filters)));
            }
        }
        Umasks::Listed => {
            for umask in alone {
                all.extend(usable(umask, &|row| row == umask).map(|filters| (umask, filters)));
            }
        }
        Umasks::ListedWith(added) => {
            for umask in alone.clone() {
                all.extend(usable(umask, &|row| row == umask).map(|filters| (umask, filters)));
            }
            for base in alone.filter(|row| row & added == 0) {
                for more in (1..=added).filter(|more| added & more == *more) {
                    let contained = |row: u8| row == base || row & added != 0;
                    let filters = usable(base, &contained);
                    if let Some(filters) = filters {
                        all.entry(base | more).or_insert(filters);
                    }
                }
            }
        }
    }
    all
}

#[test]
fn umasks_are_those_of_the_rows() {
    let mut checked = 0;
    for kind in box_types() {
        for event in kind.events {
            let expected = umasks(event);
            for umask in 0..=u8::MAX {
                let name = EventName {
                    event,
                    field: "umask",
                    umask,
                };
                let found = umask::check(&name).ok();
                assert_eq!(
                    found,
                    expected.get(&umask).copied(),
                    "{} {umask:#x}",
                    event.name
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 256 * 300, "{checked}");
}

// NMIs.

/// A CPU, its LVTPC and its package's global status.
#[derive(Default)]
struct Cpu {
    masked: Cell<bool>,
    status: Cell<u64>,
    chipset: Cell<bool>,
    now: Cell<u64>,
}

impl PmiRegisters for Cpu {
    fn is_masked(&self) -> bool {
        self.masked.get()
    }

    fn unmask(&self) {
        self.masked.set(false);
    }

    fn status(&self) -> u64 {
        self.status.get()
    }

    fn clear(&self, bits: u64) {
        self.status.set(self.status.get() & !bits);
    }

    fn is_of_chipset(&self) -> bool {
        self.chipset.get()
    }

    fn now(&self) -> u64 {
        self.now.get()
    }
}

/// What happens before an NMI.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Before {
    /// A box overflows; the NMI is its PMI.
    Overflow,
    /// A box overflows; the core PMU's handler has cleared the mask bit.
    OverflowUnmasked,
    /// Nothing; the NMI is another source's.
    Foreign,
    /// Nothing; the NMI is the chipset's.
    Chipset,
    /// Nothing, for longer than an NMI can be late; the NMI is another source's.
    ForeignLater,
}

#[test]
fn every_overflow_is_claimed_and_no_foreign_nmi_but_those_to_come() {
    use Before::{Chipset, Foreign, ForeignLater, Overflow, OverflowUnmasked};
    const ALL: [Before; 5] = [Overflow, OverflowUnmasked, Foreign, Chipset, ForeignLater];
    const LENGTH: u32 = 6;
    for sends in 1..=3 {
        for number in 0..5_usize.pow(LENGTH) {
            let (cpu, claims) = (Cpu::default(), NmiClaims::new());
            claims.set_nmis_per_overflow(sends);
            let (mut left, mut was_unmasked) = (0, false);
            for place in 0..LENGTH {
                let before = ALL[number / 5_usize.pow(place) % 5];
                cpu.now.set(cpu.now.get() + 1);
                cpu.chipset.set(before == Chipset);
                let foreign = |claims: &NmiClaims| claims.claim(&cpu, true) == Verdict::Foreign;
                match before {
                    Overflow | OverflowUnmasked => {
                        cpu.status.set(1 << place);
                        cpu.masked.set(before == Overflow);
                        assert_eq!(claims.claim(&cpu, true), Verdict::Overflow(1 << place));
                        // Where the core PMU's handler clears the mask bit, a bit that is set is
                        // that of a second PMI.
                        let second = before == Overflow && was_unmasked;
                        left = sends - 1 + u32::from(second);
                        was_unmasked = before == OverflowUnmasked;
                    }
                    Foreign => {
                        assert_eq!(foreign(&claims), left == 0, "{number} {place}");
                        left = left.saturating_sub(1);
                    }
                    Chipset => assert!(foreign(&claims)),
                    ForeignLater => {
                        cpu.now.set(cpu.now.get() + 100_000_001);
                        assert!(foreign(&claims));
                        left = 0;
                    }
                }
                assert!(!cpu.masked.get(), "the next PMI would be lost");
                assert_eq!(cpu.status.get(), 0);
            }
        }
    }
}

#[test]
fn a_cell_holds_the_cpu_that_was_set() {
    let cell = CpuCell::new();
    let [first, second] = [0, 1].map(|number| topology::Cpu::new(number).expect("a CPU"));
    assert!(!cell.is(first) && cell.get().is_none());
    cell.set(Some(first));
    assert!(cell.is(first) && !cell.is(second) && cell.get() == Some(first));
}

/// What Kani proves for all inputs.
#[cfg(kani)]
mod proofs {
    use super::*;

    #[kani::proof]
    fn a_counter_adds_what_was_counted() {
        let width = kani::any();
        kani::assume((1..=64).contains(&width));
        check_delta(width, kani::any(), kani::any(), kani::any());
    }

    #[kani::proof]
    #[kani::unwind(13)]
    fn halves_are_never_torn() {
        let steps: [u64; 12] = kani::any();
        kani::assume(steps.iter().all(|&step| step < MOST_BETWEEN_ACCESSES));
        check_halves(kani::any(), &steps);
    }
}

// Oddities of one box.

/// An event of Broadwell's iMC takes edge detection or inversion, not both (bdx B-20), and two
/// sub-events of Ivy Bridge-EP's U-Box could only count nothing (U-41).
#[test]
fn what_is_odd_about_one_box_is_refused() {
    const CKE: u64 = 0x0183;
    const THRESHOLD: u64 = 1 << 24;
    const EDGE: u64 = 1 << 18;
    const INVERT: u64 = 1 << 23;
    let rows = [
        ("bdx", "imc", CKE | THRESHOLD | EDGE, true),
        ("bdx", "imc", CKE | THRESHOLD | INVERT, true),
        ("bdx", "imc", CKE | THRESHOLD | EDGE | INVERT, false),
        ("ivbep", "ubox", 0x0a41, true),
        ("ivbep", "ubox", 0x0141, false),
        ("ivbep", "ubox", 0x0441, false),
        ("ivbep", "ubox", 0x0342, true),
    ];
    for (platform, unit, config, is_taken) in rows {
        let of_name = platforms::ALL.iter().filter(|of| of.name == platform);
        let kinds = of_name
            .flat_map(|of| of.box_types)
            .filter(|kind| kind.name == unit);
        for kind in kinds {
            let words = Words {
                config,
                ..Words::default()
            };
            assert_eq!(parse(kind, &words).is_ok(), is_taken, "{unit} {config:#x}");
        }
    }
}
