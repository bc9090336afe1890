// SPDX-License-Identifier: GPL-2.0

//! The rules of a box type: counters, registers, fields and filters.

use super::{are_distinct, are_ordered, is_name, joined, within, Faults};
use crate::uncore::table::{
    box_type::*,
    field::{index_bit, mask_of},
};

pub(super) fn check(of: &'static BoxType, faults: &mut Faults) {
    faults.whole(is_name(of.name), "have a lower-case name");
    faults.whole(of.max_clock_mhz > 0, "have a highest clock");
    faults.whole(of.max_increment > 0, "have a maximum increment");
    for reading in of.readings() {
        counters(reading, faults);
    }
    for (first, second) in of.readings().zip(of.readings().skip(1)) {
        let is_like = second.counters.len() == first.counters.len() && second.width <= first.width;
        faults.whole(is_like, "have an alternative as wide as it, or narrower");
    }
    counter_sets(of, faults);
    match &of.access {
        Access::Msr { bases, present } => msrs(of, bases, present, faults),
        Access::Pci(functions) => pci(of, functions, faults),
        Access::Memory(at) => memory(of, at, faults),
    }
    if !is_read_only(of) {
        control(of, faults);
    }
    fields(of, faults);
    filters(of, faults);
    for (index, unit) in (0..).zip(of.filter_units) {
        filter_unit(of, index, unit, faults);
    }
    fixed(of, faults);
    status(of, faults);
    misread(of, faults);
}

/// The bits of all fields with a role.
pub(super) fn bits_of(of: &BoxType, has: impl Fn(Role) -> bool) -> u64 {
    let fields = of.fields.iter().filter(|field| has(field.role));
    fields.fold(0, |bits, field| bits | field.mask())
}

/// Returns whether a field of the box has a role.
pub(super) fn has_role(of: &BoxType, has: impl Fn(Role) -> bool) -> bool {
    of.fields.iter().any(|field| has(field.role))
}

/// Returns whether nothing of the box is written: it has only fixed counters that always run.
fn is_read_only(of: &BoxType) -> bool {
    let control = &of.control;
    matches!(of.access, Access::Memory(_))
        && of.counters.is_empty()
        && !of.fixed.is_empty()
        && of.fixed.iter().all(|fixed| fixed.control.is_none())
        && control.writable | control.enable | control.acts == 0
        && of.box_control.is_none()
        && of.status.is_none()
        && of.filters.is_empty()
}

/// The offsets of a box's registers, without filters.
fn offsets(of: &BoxType) -> Vec<u16> {
    let counters = of.counters.iter().flat_map(|at| [at.control, at.counter]);
    let fixed = of.fixed.iter().map(|fixed| fixed.counter);
    let controls = of.fixed.iter().filter_map(|fixed| fixed.control.as_ref());
    let more = [
        of.box_control.as_ref().map(|control| control.offset),
        of.status.as_ref().map(|status| status.offset),
    ];
    let controls = controls.map(|control| control.offset);
    counters
        .chain(fixed)
        .chain(controls)
        .chain(more.into_iter().flatten())
        .collect()
}

fn counters(of: &'static BoxType, faults: &mut Faults) {
    let is_number = (1..=8).contains(&of.counters.len()) || is_read_only(of);
    faults.whole(is_number, "have 1 to 8 counters, or fixed ones in memory");
    faults.whole((1..=64).contains(&of.width), "have 1 to 64 bits a counter");
    let holds = are_distinct(offsets(of));
    faults.whole(holds, "have a place of its own for each register");
    if let Some(control) = &of.box_control {
        let differ = control.freeze != control.unfreeze;
        faults.whole(differ, "have a box control with two values");
    }
}

fn counter_sets(of: &BoxType, faults: &mut Faults) {
    let sets = of.counter_sets;
    let in_one = joined(sets.iter().map(|&set| set.into())) == (true, of.counter_mask().into());
    let holds = sets.is_empty() || in_one;
    faults.whole(holds, "have each counter in one counter set");
    let choice = bits_of(of, |role| role == Role::CounterSet).count_ones();
    let choices = if choice == 0 { 0 } else { 1 << choice };
    let holds = sets.len() == choices;
    faults.whole(holds, "have a value of a field for each counter set");
}

fn msrs(of: &BoxType, bases: &[u32], present: &[Presence], faults: &mut Faults) {
    let counts = (1..=32).contains(&bases.len());
    faults.whole(counts, "have 1 to 32 boxes");
    let is_base = bases == [0] && !offsets(of).contains(&0) || !bases.contains(&0);
    faults.whole(is_base, "have a first MSR of each box, or MSRs as offsets");
    let is_told = !present.is_empty()
        && (present.len() == 1 || !present.iter().any(|source| matches!(source, Presence::All)));
    faults.whole(is_told, "have one source of all boxes, or other sources");
    let fits = present.iter().all(|source| can_tell(of, source));
    faults.whole(fits, "have ordered bits that stand for its boxes");
    let everywhere = of.filters.iter().all(|register| match register.place {
        Place::Offset(_) => true,
        Place::Msrs(msrs) => msrs.len() == bases.len(),
    });
    faults.whole(everywhere, "have an MSR of each filter for each box");
    let registers = (0..).zip(bases).flat_map(|(index, &base)| {
        let filters = of
            .filters
            .iter()
            .filter_map(move |filter| filter.place.msr(base, index));
        offsets(of)
            .into_iter()
            .map(move |offset| base + u32::from(offset))
            .chain(filters)
    });
    let holds = are_distinct(registers);
    faults.whole(holds, "have a place of its own for each register");
}

/// Returns whether the bits that tell the boxes fit the box type.
fn can_tell(of: &BoxType, source: &Presence) -> bool {
    let count = u32::from(of.max_boxes());
    match source {
        Presence::Fuses {
            offset,
            bits,
            choices,
            ..
        } => {
            let is_box = |choice: &u32| u64::from(*choice) < 1 << count;
            let fits = match choices {
                None => mask_of(&[*bits]).count_ones() == count,
                Some(choices) => choices.iter().all(is_box),
            };
            offset % 4 == 0 && are_ordered(&[*bits]) && bits.high < 32 && fits
        }
        Presence::Mask { offset, .. } => offset % 4 == 0,
        Presence::Register { bits, .. } | Presence::CoresUpTo { bits, .. } => are_ordered(&[*bits]),
        Presence::All
        | Presence::Functions { .. }
        | Presence::EqualFunctions { .. }
        | Presence::Cores => true,
    }
}

/// The functions with counters, and then the others with filters.
pub(super) fn functions(functions: &[PciFunction]) -> Vec<FilterFunction> {
    let own = functions.iter().map(|own| FilterFunction {
        device_id: own.device_id,
        device: own.device,
        function: own.function,
    });
    own.chain(functions.iter().filter_map(|own| own.filters))
        .collect()
}

fn pci(of: &BoxType, own: &[PciFunction], faults: &mut Faults) {
    let all = functions(own);
    faults.whole((1..=32).contains(&own.len()), "have 1 to 32 PCI functions");
    let by_index = (0..).zip(own).all(|(index, own)| own.index == index);
    faults.whole(by_index, "list its PCI functions by index");
    let exist = all.iter().all(|at| at.device < 32 && at.function < 8);
    faults.whole(exist, "have devices up to 31 and functions up to 7");
    let differ = are_distinct(all.iter().map(|at| at.device_id))
        && are_distinct(all.iter().map(|at| (at.device, at.function)));
    faults.whole(differ, "have an ID and a place of its own per function");
    let apart = all.len() > own.len();
    let holds = !apart || all.len() == 2 * own.len() && !of.filters.is_empty();
    faults.whole(holds, "have filters in functions of all boxes or of none");
    let filters: Vec<_> = of
        .filters
        .iter()
        .map(|filter| filter.place.offset())
        .collect();
    let aligned = filters
        .iter()
        .all(|offset| offset.is_some_and(|offset| offset % 4 == 0))
        && offsets(of).iter().all(|offset| offset % 4 == 0);
    faults.whole(aligned, "have its registers on dword boundaries");
    let others = if apart { Vec::new() } else { offsets(of) };
    let places = filters.into_iter().chain(others.into_iter().map(Some));
    let holds = are_distinct(places);
    faults.whole(holds, "have a place of its own for each register");
}

fn memory(of: &BoxType, at: &Memory, faults: &mut Faults) {
    let read_only = is_read_only(of);
    faults.whole(read_only, "have only counters that always run, in memory");
    let has_ids = are_distinct(at.device_ids) && !at.device_ids.is_empty();
    faults.whole(has_ids, "have device IDs, each once");
    let exists = at.device < 32 && at.function < 8 && at.base % 4 == 0;
    faults.whole(exists, "have a device, a function and a base that exist");
    let fits = |fixed: &Fixed| {
        let end = u32::from(fixed.counter) + 4;
        fixed.max_width <= 32 && fixed.counter % 4 == 0 && end <= at.size.into()
    };
    let holds = of.fixed.iter().all(fits);
    faults.whole(holds, "have counters of up to 32 bits in its memory");
}

/// Returns whether each bit is one bit that is none of the others.
fn are_apart(bits: &[u32]) -> bool {
    let is_one = bits.iter().all(|bit| bit.is_power_of_two());
    is_one && joined(bits.iter().map(|&bit| bit.into())).0
}

fn control(of: &BoxType, faults: &mut Faults) {
    let control = &of.control;
    let bits: Vec<u32> = [control.queue_reset, control.overflow_enable]
        .into_iter()
        .flatten()
        .collect();
    let others = bits.iter().fold(0, |all, bit| all | bit);
    let own = control.enable | others | control.acts;
    let rest = control.writable & !own;
    let may = within(own, control.writable);
    faults.whole(may, "have the driver's bits among the writable ones");
    let parts = [control.enable, others, control.acts].map(u64::from);
    let apart = are_apart(&bits) && control.enable != 0 && joined(parts).0;
    faults.whole(apart, "have bits of its own for each purpose");
    let of_fields = bits_of(of, |role| {
        !matches!(
            role,
            Role::EventSet | Role::CounterSet | Role::Interval | Role::View | Role::Filter(_)
        )
    });
    let is_rest = of_fields == u64::from(rest);
    faults.whole(is_rest, "have the other writable bits as fields of config");
    let sets = bits_of(of, |role| role == Role::EventSet);
    let apart = sets & u64::from(control.writable) == 0;
    faults.whole(apart, "have event sets in bits that are not written");
    let holds = within(control.uncertain, rest);
    faults.whole(holds, "be uncertain only about bits of fields");
}

fn fields(of: &BoxType, faults: &mut Faults) {
    for (index, field) in of.fields.iter().enumerate() {
        one_field(of, field, faults);
        let before = &of.fields[..index];
        let holds = !before.iter().any(|other| meet(of, other, field));
        faults.must(
            field.name,
            holds,
            "have a name and bits that no event uses twice",
        );
    }
    let is_occupancy = |event: &Event| event.class == Class::Occupancy;
    let added = of.event(of.occupancy_bit.into());
    let holds = of.occupancy_bit == 0 || added.is_some_and(is_occupancy);
    faults.whole(holds, "have an occupancy that is added to events");
    let select = bits_of(of, |role| matches!(role, Role::Select | Role::EventSet));
    let has_select = has_role(of, |role| role == Role::Select) && select == of.select_bits();
    faults.whole(has_select, "have fields for the event select");
}

fn one_field(of: &BoxType, field: &Field, faults: &mut Faults) {
    let is_of_filters = matches!(field.role, Role::Filter(_));
    let in_config = field.word == Word::Config;
    let is_view = field.role == Role::View;
    let mut must = |holds, what| faults.must(field.name, holds, what);
    must(is_name(field.name), "have a lower-case name");
    must(are_ordered(field.bits), "have ordered bits");
    let holds = is_view || is_of_filters || in_config;
    must(holds, "be in config if it is no filter");
    let has_unit = match field.role {
        Role::Filter(unit) | Role::FilterEnable(unit) => usize::from(unit) < of.filter_units.len(),
        _ => true,
    };
    must(has_unit, "have a filter unit of the box");
    let compares = matches!(
        field.role,
        Role::OccupancyEdge | Role::Invert | Role::OccupancyInvert
    );
    let has_threshold = has_role(of, |role| role == Role::Threshold);
    must(!compares || has_threshold, "have a threshold beside it");
    let is_above =
        matches!(field.role, Role::CounterSet | Role::Interval) || is_of_filters && in_config;
    let low = field.mask() & 0xffff_ffff;
    let holds = !is_above || low == 0;
    must(holds, "be above the bits of the control register");
    let can_interrupt = of.control.overflow_enable.is_some();
    let holds = field.role != Role::Interval || can_interrupt;
    must(holds, "have counters that can interrupt");
    let shows_one = of.filters.iter().any(|register| shows(field, register))
        || of.fields.iter().any(|other| is_part(field, other))
        || in_config && within(field.mask(), of.control.enable);
    let holds = !is_view || shows_one;
    must(holds, "show one register or field, or bits that enable");
}

/// Returns whether a view covers all writable bits of the register, and no other register. One with
/// fields in its lower half only has 32 bits.
fn shows(view: &Field, register: &FilterRegister) -> bool {
    let low = u64::from(u32::MAX);
    let all = if within(register.writable, low) {
        low
    } else {
        u64::MAX
    };
    let [writable, all] =
        [register.writable, all].map(|bits| bits.checked_shl(register.shift.into()).unwrap_or(0));
    view.word == register.word && within(writable, view.mask()) && within(view.mask(), all)
}

/// Returns whether a view is another name of a field of `config`, or a part of a filter.
fn is_part(view: &Field, field: &Field) -> bool {
    let is_name =
        field.role != Role::View && field.word == Word::Config && view.mask() == field.mask();
    let is_of_filter = matches!(field.role, Role::Filter(_)) && within(view.mask(), field.mask());
    view.word == field.word && (is_name || is_of_filter)
}

/// Returns whether two fields have one name or a bit in common.
fn meet(of: &BoxType, a: &Field, b: &Field) -> bool {
    let share = a.word == b.word && a.mask() & b.mask() != 0;
    let is_view = a.role == Role::View || b.role == Role::View;
    a.name == b.name || share && !is_view && !are_alternatives(of, a, b)
}

/// Returns whether two fields are of two filter units that no event uses together.
fn are_alternatives(of: &BoxType, a: &Field, b: &Field) -> bool {
    let (Role::Filter(a), Role::Filter(b)) = (a.role, b.role) else {
        return false;
    };
    let both = index_bit(a) | index_bit(b);
    a != b
        && !of
            .events
            .iter()
            .any(|event| used_units(of, event) & both == both)
}

/// The filter units that an event can use, as a bit mask.
pub(super) fn used_units(of: &BoxType, event: &Event) -> u32 {
    let needed = event
        .subevents
        .iter()
        .fold(event.filters, |all, row| all | row.filters);
    let enabled = of.fields.iter().map(|field| match field.role {
        Role::FilterEnable(unit) => index_bit(unit),
        _ => 0,
    });
    enabled.fold(needed.into(), |all, unit| all | unit)
}

/// The bits of a register for each copy of a filter unit that it has, with the copies.
fn parts<'a>(
    register: &'a FilterRegister,
    index: u8,
    unit: &'a FilterUnit,
) -> impl Iterator<Item = (&'static Copied, u64)> + 'a {
    let copies = register
        .copies_of(index, unit)
        .filter(|_| register.constant.is_none());
    copies.map(|copied| (copied, register.bits_of(unit, copied, unit.mask)))
}

fn filters(of: &BoxType, faults: &mut Faults) {
    let units = of.filter_units;
    let copies: usize = units.iter().map(|unit| usize::from(unit.copies)).sum();
    faults.whole(units.len() <= 32, "have at most 32 filter units");
    let holds = copies <= MAX_COPIES && units.iter().all(|unit| unit.copies > 0);
    faults.whole(holds, "have a copy of each unit, and at most 40 in all");
    let holds = !of.one_criterion || copies == units.len();
    faults.whole(holds, "have one copy of each unit, if one set is compared");
    let holds = of.filters.len() <= MAX_FILTERS;
    faults.whole(holds, "have at most 36 filter registers");
    for (index, register) in of.filters.iter().enumerate() {
        let mut must = |holds, what| faults.must(format!("filter {index}"), holds, what);
        let is_wide =
            matches!(of.access, Access::Msr { .. }) || within(register.writable, u32::MAX);
        let word = u64::MAX.checked_shr(register.shift.into()).unwrap_or(0);
        let fits = is_wide && within(register.writable, word);
        must(fits, "have its bits in its word, and 32 in a function");
        let holds = has_copies(of, register);
        must(holds, "have the copies of units that it names");
        let holds = has_users(of, register);
        must(holds, "have a value, if constant, and units that use it");
        let holds = within(register.on_request, register.uncertain)
            && within(register.uncertain, register.writable);
        must(holds, "be uncertain about writable bits only");
        let holds = has_right_guard(of, index);
        must(holds, "have its guard before it, in MSRs");
        let parts = (0..)
            .zip(units)
            .flat_map(|(index, unit)| parts(register, index, unit));
        let is_whole = joined(parts.map(|(_, bits)| bits)) == (true, register.writable);
        let holds = register.constant.is_some() || is_whole;
        must(holds, "have each writable bit in one unit");
    }
}

/// Returns whether each copy that a filter register names is one of a unit that it can have.
fn has_copies(of: &BoxType, register: &FilterRegister) -> bool {
    let is_copy = |copied: &Copied| {
        let mut units = (0..).zip(of.filter_units);
        copied.up < 64
            && units.any(|(index, unit)| {
                register.units & index_bit(index) != 0
                    && (2..).contains(&unit.copies)
                    && copied.copy < unit.copies
            })
    };
    let copies = register.copies;
    copies.iter().all(is_copy) && are_distinct(copies.iter().map(|copied| copied.copy))
}

/// Returns whether a constant filter register has a value, and the units that use it exist.
fn has_users(of: &BoxType, register: &FilterRegister) -> bool {
    let are_units = register.units != 0 && u64::from(register.units) < 1 << of.filter_units.len();
    let is_value = |value: u64| value != 0 && value == register.writable && are_units;
    register.constant.is_none_or(is_value)
}

/// Returns whether a filter register has no guard, or one that is on only if an event uses the
/// register.
fn has_right_guard(of: &BoxType, index: usize) -> bool {
    let register = &of.filters[index];
    let Some(guard) = register.guard.map(usize::from) else {
        return true;
    };
    let Some(guard) = of.filters[..index].get(guard) else {
        return false;
    };
    let has_copy = |copied: &Copied| guard.copies.iter().any(|other| other.copy == copied.copy);
    let mut reaching = (0..)
        .zip(of.filter_units)
        .filter(|(index, unit)| register.copies_of(*index, unit).next().is_some());
    matches!(of.access, Access::Msr { .. })
        && guard.guard.is_none()
        && register.copies.iter().all(has_copy)
        && reaching.all(|(unit, _)| guard.units & index_bit(unit) != 0)
}

fn filter_unit(of: &'static BoxType, index: u8, unit: &FilterUnit, faults: &mut Faults) {
    let fields: Vec<_> = of.unit_fields(index).collect();
    let enables = of
        .fields
        .iter()
        .filter(|field| field.role == Role::FilterEnable(index))
        .count();
    let mut must = |holds, what| faults.must(unit.name, holds, what);
    let all = fields.iter().fold(0, |bits, field| bits | field.mask());
    let is_made = unit.mask != 0
        && within(unit.mask, all)
        && fields
            .iter()
            .all(|field| field.word == unit.word && field.mask() & unit.mask != 0);
    must(is_made, "be made of bits of each of its fields");
    let is_held = |copy| {
        let registers = of.filters.iter().flat_map(|register| {
            let parts = parts(register, index, unit).filter(move |(copied, _)| copied.copy == copy);
            parts.map(|(copied, bits)| (bits >> copied.up) << register.shift)
        });
        joined(registers) == (true, unit.mask)
    };
    let holds = (0..unit.copies).all(is_held);
    must(holds, "have each bit of each copy in one filter register");
    must(enables <= 1, "have at most one enable field");
    let is_address = fields.iter().any(|field| field.name.contains("addr"));
    let holds = unit.names_address || !is_address;
    must(holds, "be marked as an address, as its field is called");
    let is_none = |value| unit.names_address && within(value, unit.mask);
    let holds = unit.names_none.is_none_or(is_none);
    must(holds, "have a value that names no address among others");
    match unit.when_zero {
        WhenZero::Fill(value) => {
            let holds = value != 0 && within(value, unit.mask);
            must(holds, "have an any value of its own bits");
        }
        WhenZero::Refuse(name) | WhenZero::Ask(name) => {
            let holds = fields.iter().any(|field| field.name == name);
            must(holds, "ask for one of its fields");
        }
        WhenZero::Enabled => must(enables == 1, "have an enable field, as zero is a value"),
        WhenZero::Keep | WhenZero::MaskOf(_) => {}
    }
}

fn fixed(of: &BoxType, faults: &mut Faults) {
    let clock = of.fixed.first().and_then(|fixed| fixed.control.as_ref());
    faults.whole(of.fixed.len() <= 5, "have at most 5 fixed counters");
    let holds = !of.needs_clock || clock.is_some();
    faults.whole(holds, "have a clock that starts as its first fixed counter");
    for (index, fixed) in of.fixed.iter().enumerate() {
        let mut must = |holds, what| faults.must(fixed.name, holds, what);
        let select = u32::from(fixed.select);
        let is_own = within(select, of.select_bits())
            && of.events.iter().all(|event| event.select != select)
            && of.fixed[..index]
                .iter()
                .all(|other| other.select != fixed.select);
        must(is_own, "have an event select that is no other's");
        let is_width = 0 < fixed.width && fixed.width <= fixed.max_width && fixed.max_width <= 64;
        must(is_width, "have 1 to 64 bits, of which some may be unused");
        let Some(control) = &fixed.control else {
            continue;
        };
        let holds = !of.control.twice || control.enable == of.control.enable;
        must(
            holds,
            "have the enable bit of all, as each is written twice",
        );
        let bits: Vec<u32> = [Some(control.enable), control.overflow_enable]
            .into_iter()
            .flatten()
            .collect();
        let own = bits.iter().fold(0, |all, bit| all | bit);
        let holds = within(own | control.acts, control.writable);
        must(holds, "have its bits among the writable ones");
        let apart = are_apart(&bits) && own & control.acts == 0;
        must(apart, "have a bit of its own for each purpose");
    }
}

fn status(of: &BoxType, faults: &mut Faults) {
    let bits = of.global_status;
    let for_each = bits.len() == usize::from(of.max_boxes()) && !bits.contains(&0);
    let holds = bits.is_empty() || for_each;
    faults.whole(holds, "have bits of the global status for each box");
    let told = !bits.is_empty() || !of.can_interrupt();
    faults.whole(told, "have bits of the global status to interrupt");
    let counts = of.counters.len();
    let has = |status: &BoxStatus| status.overflow.count_ones() as usize >= counts;
    let holds = of.status.as_ref().is_none_or(has);
    faults.whole(holds, "have a bit of the box status for each counter");
}

fn misread(of: &BoxType, faults: &mut Faults) {
    let Some(misread) = of.misread else {
        return;
    };
    let few =
        misread.bits < of.width && 0 < misread.values && misread.values < 1 << misread.bits >> 1;
    faults.whole(few, "have a few values of low bits that it misreads");
    let is_written = |fixed: &Fixed| {
        fixed.control.is_some() && fixed.width == fixed.max_width && fixed.width > misread.bits
    };
    let can = !of.can_interrupt() && of.fixed.iter().all(is_written);
    faults.whole(can, "have counters that can be written, if it misreads");
}
