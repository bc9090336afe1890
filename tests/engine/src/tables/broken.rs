// SPDX-License-Identifier: GPL-2.0

//! Tables that break the rules, and that each is found.

use super::{of_box, of_platform};
use crate::uncore::{
    table::{prelude::*, window},
    testing::{
        msr_only::meter::METERS,
        platform::link::{LINK, LINKS},
        BASE, SLICE, TELLING,
    },
};

/// The words of a rule, and a change that breaks it.
type Broken = (&'static str, fn(&mut BoxType));

fn add<T: Copy>(items: &mut &'static [T], item: T) {
    *items = [*items, &[item]].concat().leak();
}

fn change<T: Copy>(items: &mut &'static [T], index: usize, change: impl FnOnce(&mut T)) {
    let mut all = items.to_vec();
    change(&mut all[index]);
    *items = all.leak();
}

fn add_event(of: &mut BoxType, change: impl FnOnce(&mut Event)) {
    let mut event = event("e", 0x7f, 0b10, 1).source("made up");
    change(&mut event);
    add(&mut of.events, event);
}

fn add_rows(of: &mut BoxType, rows: &[SubEvent]) {
    add_event(of, |event| *event = of_rows(rows));
}

fn of_rows(rows: &[SubEvent]) -> Event {
    event("e", 0x7f, 0b10, 1).combined("made up", rows.to_vec().leak())
}

/// Adds an event with a preset and an opcode.
fn add_preset(of: &mut BoxType, preset: Preset<false>) {
    let presets: &[Preset] = vec![preset.source("made up")].leak();
    add_event(of, |event| {
        event.presets = Box::leak(Box::new(presets));
        event.filters = 1 << 3;
    });
}

/// The fixed counter of the box after a change of it and of its control register.
fn ticks(change: impl FnOnce(&mut Fixed, &mut FixedControl)) -> Fixed {
    let mut control = FixedControl {
        offset: 0x08,
        writable: 0x0048_0000,
        enable: 1 << 22,
        overflow_enable: None,
        acts: 0,
    };
    let mut fixed = Fixed {
        control: None,
        counter: 0x09,
        width: 40,
        max_width: 40,
        select: 0xff,
        name: "ticks",
        unit: None,
    };
    change(&mut fixed, &mut control);
    fixed.control = Some(control);
    fixed
}

fn set_fixed(of: &mut BoxType, change: impl FnOnce(&mut Fixed, &mut FixedControl)) {
    of.fixed = vec![ticks(change)].leak();
}

fn set_control(of: &mut BoxType, change: impl FnOnce(&mut BoxControl)) {
    of.box_control.as_mut().map(change);
}

fn set_filters(of: &mut BoxType, filters: impl Into<Vec<FilterRegister>>) {
    of.filters = filters.into().leak();
}

fn set_bases(of: &mut BoxType, bases: &'static [u32]) {
    let present = &[Presence::All];
    of.access = Access::Msr { bases, present };
}

fn set_presence(of: &mut BoxType, present: &'static [Presence]) {
    let bases = &[0x100, 0x120];
    of.access = Access::Msr { bases, present };
}

const fn fuses(low: u8, high: u8, choices: Option<&'static [u32]>) -> Presence {
    let bits = Bits { low, high };
    Presence::Fuses {
        device_id: 1,
        offset: 0x98,
        bits,
        choices,
    }
}

fn set_memory(of: &mut BoxType, change: impl FnOnce(&mut Memory)) {
    if let Access::Memory(memory) = &mut of.access {
        change(memory);
    }
}

#[rustfmt::skip] // One row, one line, where it fits.
const OF_BOXES: &[Broken] = &[
    ("have a lower-case name", |of| of.name = "Test"),
    ("have a highest clock", |of| of.max_clock_mhz = 0),
    ("have a maximum increment", |of| of.max_increment = 0),
    ("have 1 to 8 counters", |of| of.counters = &[]),
    ("have 1 to 64 bits a counter", |of| of.width = 65),
    ("have a place of its own", |of| set_control(of, |control| control.offset = 0x10)),
    ("have a place of its own", |of| set_fixed(of, |fixed, _| fixed.counter = 0x16)),
    ("have a place of its own", |of| set_bases(of, &[0x100, 0x101])),
    ("have a place of its own", |of| set_bases(of, &[0x100, 0x108])), // By a control register.
    ("have a place of its own", |of| set_filters(of, [filter_register(0x17, Word::Config1, 0, 0x3f1f)])),
    ("have a box control with two values", |of| set_control(of, |control| control.freeze = 0x0003_0000)),
    ("an alternative as wide as it", |of| of.alternative = Some(&SLICE)),
    ("have a first MSR of each box", |of| set_bases(of, &[0x100, 0])),
    ("have 1 to 32 boxes", |of| set_bases(of, &[])),
    ("one source of all boxes, or other", |of| set_presence(of, const { &[Presence::Cores, Presence::All] })),
    ("one source of all boxes, or other", |of| set_presence(of, &[])),
    ("have ordered bits that stand", |of| set_presence(of, const { &[fuses(4, 3, Some(&[1]))] })),
    ("have ordered bits that stand", |of| set_presence(of, const { &[fuses(31, 32, Some(&[1]))] })),
    ("have ordered bits that stand", |of| set_presence(of, const { &[fuses(0, 2, None)] })),
    ("have ordered bits that stand", |of| set_presence(of, const { &[fuses(0, 1, Some(&[0x10]))] })),
    ("have ordered bits that stand", |of| set_presence(of, &[Presence::Mask { device_id: 1, offset: 0x9a }])),
    ("have an MSR of each filter", |of| set_filters(of, [filter_msrs(&[1], Word::Config1, 0, 0x3f1f)])),
    ("have the driver's bits among", |of| of.control.acts = 1 << 20),
    ("have bits of its own for each purpose", |of| of.control.acts = 1 << 22),
    ("have bits of its own for each purpose", |of| of.control.overflow_enable = Some(0)),
    ("have bits of its own for each purpose", |of| of.control.enable = 0),
    ("have the other writable bits as fields", |of| of.control.writable |= 1 << 16),
    ("be uncertain only about bits of fields", |of| of.control.uncertain = 1 << 22),
    ("have a few values of low bits", |of| of.misread = Some(Misread { bits: 44, values: 2 })),
    ("have counters that can be written", |of| of.misread = Some(Misread { bits: 24, values: 2 })),
    ("have at most 5 fixed", |of| of.fixed = Vec::from([(); 6].map(|()| ticks(|_, _| ()))).leak()),
    ("have a clock that starts", |of| (of.needs_clock, of.fixed) = (true, &[])),
    ("have an event select that is no other's", |of| set_fixed(of, |fixed, _| fixed.select = 0x11)),
    ("of which some may be unused", |of| set_fixed(of, |fixed, _| fixed.max_width = 39)),
    ("have the enable bit of all", |of| {
        of.control.twice = true;
        set_fixed(of, |_, control| control.enable = 1 << 19);
    }),
    ("have its bits among the writable", |of| set_fixed(of, |_, control| control.acts = 1)),
    ("have a bit of its own for each", |of| set_fixed(of, |_, control| control.acts = 1 << 22)),
    ("global status for each box", |of| of.global_status = &[1]),
    ("global status to interrupt", |of| of.control.overflow_enable = Some(1 << 20)),
    ("a bit of the box status", |of| of.status = Some(BoxStatus { offset: 0x15, overflow: 1 })),
];

#[rustfmt::skip] // One row, one line, where it fits.
const OF_FIELDS: &[Broken] = &[
    ("EDGE must have a lower-case name", |of| change(&mut of.fields, 2, |field| field.name = "EDGE")),
    ("edge must have ordered bits", |of| change(&mut of.fields, 2, |field| field.bits = bits::<5, 4>())),
    ("edge must have ordered bits", |of| change(&mut of.fields, 2, |field| field.bits = &[Bits { low: 18, high: 18 }; 2])),
    ("edge must be in config", |of| change(&mut of.fields, 2, |field| field.word = Word::Config2)),
    ("thresh must have a name and bits that", |of| change(&mut of.fields, 4, |field| field.bits = bits::<18, 25>())),
    ("umask must have a name and bits that", |of| change(&mut of.fields, 4, |field| field.name = "umask")),
    ("x must have a filter unit", |of| add(&mut of.fields, field("x", Word::Config1, bits::<63, 63>(), Role::Filter(4)))),
    ("x must have a threshold", |of| {
        change(&mut of.fields, 4, |field| field.role = Role::Invert);
        change(&mut of.fields, 4, |field| field.name = "x");
    }),
    ("x must be above", |of| add(&mut of.fields, field("x", Word::Config, bits::<31, 32>(), Role::CounterSet))),
    ("interval must have counters that can", |of| add(&mut of.fields, INTERVAL)),
    ("x must show", |of| add(&mut of.fields, field("x", Word::Config1, bits::<2, 9>(), Role::View))),
    ("have an occupancy that is added", |of| of.occupancy_bit = 1 << 7),
    ("have fields for the event select", |of| change(&mut of.fields, 0, |field| field.bits = bits::<0, 6>())),
    ("have at most 32 filter units", |of| of.filter_units = [of.filter_units; 9].concat().leak()),
    ("have a copy of each unit", |of| change(&mut of.filter_units, 0, |unit| unit.copies = 0)),
    ("have a copy of each unit", |of| change(&mut of.filter_units, 0, |unit| unit.copies = 38)),
    ("have one copy of each unit", |of| {
        of.one_criterion = true;
        change(&mut of.filter_units, 0, |unit| unit.copies = 2);
    }),
    ("have at most 36 filter", |of| of.filters = const { &[const { filter_register(0, Word::Config1, 0, 1) }; 37] }),
    ("have its bits in its word", |of| set_filters(of, [filter_register(0x14, Word::Config1, 56, 0x1ff)])),
    ("have the copies of units that", |of| set_filters(of, [filter_register(0x14, Word::Config1, 0, 1).with_copies(const { &[copied(0, 0)] })])),
    ("have a value, if constant", |of| set_filters(of, [constant_filter(Place::Offset(0x14), 0, 1)])),
    ("have a value, if constant", |of| set_filters(of, [constant_filter(Place::Offset(0x14), 1, 0)])),
    ("have a value, if constant", |of| set_filters(of, [constant_filter(Place::Offset(0x14), 1 << 4, 1)])),
    ("be uncertain about writable bits", |of| set_filters(of, [filter_register(0x14, Word::Config1, 0, 1).uncertain(2)])),
    ("be uncertain about writable bits", |of| set_filters(of, [filter_register(0x14, Word::Config1, 0, 1).on_request(1)])),
    ("have its guard before it", |of| set_filters(of, [filter_register(0x14, Word::Config1, 0, 1).guarded_by(0)])),
    ("have its guard before it", |of| set_filters(of, [
        constant_filter(Place::Offset(0x14), 1 << 1, 1),
        filter_register(0x1a, Word::Config1, 0, 0x1f).guarded_by(0),
    ])),
    ("have each writable bit in one", |of| set_filters(of, [filter_register(0x14, Word::Config1, 0, 0x3f3f)])),
    ("state must have each bit of each copy", |of| set_filters(of, [filter_register(0x14, Word::Config1, 0, 0x1f)])),
    ("who must be made of bits", |of| change(&mut of.filter_units, 0, |unit| unit.mask = 0x3f)),
    ("who must be made of bits", |of| change(&mut of.filter_units, 0, |unit| unit.word = Word::Config2)),
    ("who must have at most one enable", |of| change(&mut of.fields, 2, |field| field.role = Role::FilterEnable(0))),
    ("who must be marked as an address", |of| change(&mut of.fields, 5, |field| field.name = "addr")),
    ("who must have a value that names no address", |of| change(&mut of.filter_units, 0, |unit| unit.names_none = Some(0))),
    ("who must have an any value", |of| change(&mut of.filter_units, 0, |unit| unit.when_zero = WhenZero::Fill(0x20))),
    ("who must ask for one of its fields", |of| change(&mut of.filter_units, 0, |unit| unit.when_zero = WhenZero::Ask("x"))),
    ("state must have an enable field", |of| change(&mut of.filter_units, 1, |unit| unit.when_zero = WhenZero::Enabled)),
];

#[rustfmt::skip] // One row, one line, where it fits.
const OF_EVENTS: &[Broken] = &[
    ("have events of its counters", |of| of.events = &[]),
    ("have occupancies exactly", |of| add_event(of, |event| event.class = Class::Occupancy)),
    ("have a name of its own for each event", |of| add_event(of, |event| event.name = "left")),
    ("have events in the order", |of| add_event(of, |event| event.select = 0x40)),
    ("e must have an event select", |of| add_event(of, |event| event.select = 0x100)),
    ("E must have a lower-case name", |of| add_event(of, |event| event.name = "E")),
    ("e must have counters", |of| add_event(of, |event| event.counters = 0)),
    ("e must have counters", |of| add_event(of, |event| event.counters = 0x10)),
    ("e must have a maximum increment", |of| add_event(of, |event| event.max_increment = 21)),
    ("e must have filters of the box", |of| add_event(of, |event| event.filters = 1 << 4)),
    ("e must have filters of the box", |of| add_event(of, |event| event.filters = 1)),
    ("e must use a copy", |of| add_event(of, |event| event.copy = 1)),
    ("e must be on counter 0 only", |of| add_event(of, |event| (event.needs, event.counters) = (Needs::Source, 3))),
    ("e must leave counter 0", |of| add_event(of, |event| (event.needs, event.counters) = (Needs::SourceOnCounter0, 3))),
    ("e must have sub-events exactly", |of| add_event(of, |event| event.umasks = Umasks::Listed)),
    ("e must leave its unit", |of| add_event(of, |event| *event = of_rows(&[sub("a", 1)]).unit(Unit::Line))),
    ("e must have a filter for the umask bits", |of| {
        add_event(of, |event| *event = Event { umasks: Umasks::ListedWith(1), ..of_rows(&[sub("a", 1)]) });
    }),
    ("e must have a name of its own for each sub", |of| add_rows(of, &[sub("a", 1), sub("a", 2)])),
    ("e.b must have a greater umask", |of| add_rows(of, &[sub("a", 2), sub("b", 1)])),
    ("e.b must have a greater umask", |of| add_rows(of, &[sub("a", 1), sub("b", 1)])),
    ("e.b must have a greater umask", |of| add_rows(of, &[sub("a", 1), sub("b", 1).filter(1).lists()])),
    ("e.A must have a lower-case name", |of| add_rows(of, &[sub("A", 1)])),
    ("e.a must have a lower-case name and a umask", |of| add_rows(of, &[sub("a", 0)])),
    ("e. must have no limits", |of| add_rows(of, &[sub("", 0).filter(1)])),
    ("e.a must have a umask that fits", |of| {
        change(&mut of.fields, 1, |field| field.bits = bits::<8, 11>());
        add_rows(of, &[sub("a", 0x10)]);
    }),
    ("e.a must have filters of the box", |of| add_rows(of, &[sub("a", 1).filter(4)])),
    ("e.a must be among sub-events that combine", |of| {
        let event = Event { umasks: Umasks::Listed, ..of_rows(&[sub("a", 1).exclusive()]) };
        add(&mut of.events, event);
    }),
    ("e.a must exclude no bits of its own", |of| add_rows(of, &[sub("a", 1).excludes(3)])),
    ("e.m must have values", |of| add_preset(of, preset("m", 0, 0))),
    ("e.m must have only terms", |of| add_preset(of, preset("m", 1, 0))),
    ("e.m must have only terms", |of| add_preset(of, preset("m", 0x85 << 48, 0).config(1 << 18))),
    ("e.m must have the umask", |of| add_preset(of, preset("m", 0x85 << 48, 0).config(0x100))),
    ("e.m must have a threshold", |of| add_preset(of, preset("m", 0x85 << 48, 0).config(2 << 24))),
    ("e.m must have a value of each filter", |of| add_preset(of, preset("m", 0, 0))),
    ("left must have a lower-case name", |of| add_preset(of, preset("left", 0x85 << 48, 0))),
    ("2nd must have a lower-case name", |of| add_preset(of, preset("2nd", 0x85 << 48, 0))),
    ("ring.up must have a lower-case name", |of| add_rows(of, &[sub("ring.up", 1).whole()])),
];

#[rustfmt::skip] // One row, one line, where it fits.
const OF_FUNCTIONS: &[Broken] = &[
    ("have 1 to 32 PCI functions", |of| of.access = Access::Pci(&[])),
    ("list its PCI functions by index", |of| of.access = Access::Pci(const { &[pci(1, 8, 2, 1)] })),
    ("have devices up to 31", |of| of.access = Access::Pci(const { &[pci(0, 32, 2, 1)] })),
    ("have devices up to 31", |of| of.access = Access::Pci(const { &[pci(0, 8, 2, 1).filters(8, 8, 2)] })),
    ("an ID and a place of its own per", |of| of.access = Access::Pci(const { &[pci(0, 8, 2, 1).filters(8, 2, 2)] })),
    ("an ID and a place of its own per", |of| of.access = Access::Pci(const { &[pci(0, 8, 2, 1).filters(8, 6, 1)] })),
    ("have filters in functions of all", |of| of.filters = &[]),
    ("dword boundaries", |of| of.counters = const { &[counter(0xd8, 0xa2)] }),
    ("have a place of its own", |of| {
        of.access = Access::Pci(const { &[pci(0, 8, 2, 1)] });
        of.counters = const { &[counter(0xd8, 0x228)] };
    }),
    ("and 32 in a function", |of| set_filters(of, [filter_register(0x228, Word::Config1, 0, 1 << 32)])),
    ("each counter in one counter set", |of| of.counter_sets = &[0b0111, 0b1100]),
    ("each counter in one counter set", |of| of.counter_sets = &[0b0001, 0b1100]),
    ("have a value of a field for each", |of| of.counter_sets = &[]),
    ("have a counter in each counter set", |of| add_event(of, |event| event.counters = 3)),
    ("have event sets in bits that are not written", |of| change(&mut of.fields, 4, |field| {
        (field.bits, field.role) = (bits::<21, 21>(), Role::EventSet);
    })),
];

#[rustfmt::skip] // One row, one line, where it fits.
const IN_MEMORY: &[Broken] = &[
    ("have 1 to 8 counters", |of| of.fixed = &[]),
    ("have only counters that always run", |of| of.fixed = vec![ticks(|_, _| ())].leak()),
    ("have only counters that always run", |of| of.box_control = BASE.box_control),
    ("have a device, a function and a base", |of| set_memory(of, |memory| memory.device = 32)),
    ("have a device, a function and a base", |of| set_memory(of, |memory| memory.base = 0x4a)),
    ("have counters of up to 32 bits", |of| set_memory(of, |memory| memory.size = 0x117)),
];

fn missed(base: fn() -> BoxType, broken: &'static [Broken]) -> Vec<&'static str> {
    let is_missed = |(rule, break_it): &&Broken| {
        let mut of = base();
        break_it(&mut of);
        let found = of_box(Box::leak(Box::new(of)));
        !found.iter().any(|fault| fault.contains(rule))
    };
    broken
        .iter()
        .filter(is_missed)
        .map(|(rule, _)| *rule)
        .collect()
}

#[test]
fn broken_box_types_are_found() {
    let mut all = Vec::new();
    for broken in [OF_BOXES, OF_FIELDS, OF_EVENTS] {
        all.extend(missed(|| BASE, broken));
    }
    all.extend(missed(|| LINKS, OF_FUNCTIONS));
    all.extend(missed(|| METERS, IN_MEMORY));
    assert!(all.is_empty(), "not found: {all:#?}");
}

#[test]
fn filters_in_a_function_of_their_own_may_be_where_the_box_has_a_counter() {
    let mut of = LINKS;
    let filters = [
        filter_register(of.counters[0].counter, Word::Config1, 0, 0x1fe0),
        filter_register(of.counters[1].counter, Word::Config2, 0, 0x1fe0),
    ];
    set_filters(&mut of, filters);
    assert_eq!(of_box(Box::leak(Box::new(of))), [""; 0]);
}

fn of_types(kinds: &[&'static BoxType]) -> Platform {
    Platform {
        name: "test",
        cpus: &[(6, 62)],
        discovery: None,
        global: None,
        box_types: kinds.to_vec().leak(),
    }
}

/// A platform with this global control, and bits that wake cores and select them.
fn with_global(run: Run, wake: u32, core_select: Bits) -> Platform {
    let interrupt = Interrupt {
        wake,
        core_select,
        status: 0xc01,
    };
    Platform {
        global: Some(GlobalMsrs {
            control: 0xc00,
            run,
            interrupt: Some(interrupt),
        }),
        ..of_types(&[&TELLING])
    }
}

const CORES: Bits = Bits { low: 0, high: 3 };
const LEVEL: GlobalMsrs = GlobalMsrs {
    control: 0xc00,
    run: Run::Level(1),
    interrupt: None,
};
static WITH_CLOCK: BoxType = BoxType {
    needs_clock: true,
    ..BASE
};
static LOST: BoxType = BoxType {
    lost_with: Some(&LEVEL),
    filters: &[],
    ..BASE
};
static LOST_WITH_FILTERS: BoxType = BoxType {
    lost_with: Some(&LEVEL),
    box_control: None,
    ..BASE
};

#[test]
fn broken_platforms_are_found() {
    const BITS: &str = "have bits of its own in the global control";
    let with_level = |kinds: &[&'static BoxType]| Platform {
        global: Some(LEVEL),
        ..of_types(kinds)
    };
    let broken = [
        (BITS, with_global(Run::Level(0), 1 << 30, CORES)),
        (BITS, with_global(Run::Command(3 << 28), 1 << 30, CORES)),
        (BITS, with_global(Run::Level(1 << 29 | 1), 1 << 30, CORES)),
        (BITS, with_global(Run::Command(1 << 29), 1 << 29, CORES)),
        (
            BITS,
            with_global(Run::Command(1 << 29), 1 << 30, Bits { low: 4, high: 3 }),
        ),
        (
            "a name of its own for each box type",
            of_types(&[&SLICE, &SLICE]),
        ),
        ("a PCI device ID of its own", of_types(&[&LINK, &LINK])),
        (
            "global status for one type",
            of_types(&[&TELLING, &TELLING]),
        ),
        (
            "link must have a PCI function that maps",
            of_types(&[&LINK]),
        ),
        (
            "test must be present without its clock",
            with_level(&[&WITH_CLOCK]),
        ),
        ("test must be MSRs without filters", with_level(&[&LOST])),
        (
            "test must be MSRs without filters",
            with_level(&[&LOST_WITH_FILTERS]),
        ),
        ("test must have an interrupt", of_types(&[&TELLING])),
    ];
    for (rule, of) in broken {
        let found = of_platform(Box::leak(Box::new(of)));
        assert!(
            found.iter().any(|fault| fault.contains(rule)),
            "{rule}: {found:#?}"
        );
    }
    let run = [Run::Command(1 << 29), Run::Level(1 << 29 | 0x10)];
    for run in run {
        let good: &Platform = Box::leak(Box::new(with_global(run, 1 << 30, CORES)));
        assert_eq!(of_platform(good), [""; 0]);
    }
}

/// Boxes in the window of Ivy Bridge-EP's C-Boxes, 0xd04 to 0xeda.
const fn at_msrs(bases: &'static [u32]) -> BoxType {
    let present = &[Presence::All];
    BoxType {
        access: Access::Msr { bases, present },
        ..BASE
    }
}

static IN_WINDOW: BoxType = at_msrs(&[0xd04, 0xd44]);
static BEFORE_WINDOW: BoxType = at_msrs(&[0xcff]);
static BEHIND_WINDOW: BoxType = at_msrs(&[0xec1]);
static FILTER_OUTSIDE: BoxType = BoxType {
    filters: const { &[filter_msrs(&[0xd03, 0xdff], Word::Config1, 0, 1)] },
    ..at_msrs(&[0xd04, 0xd44])
};

#[test]
fn registers_outside_the_window_stop_the_build() {
    let fits = |of: &Platform| window::fits(of);
    let with_msrs = |control, status| Platform {
        global: Some(GlobalMsrs {
            control,
            run: Run::Command(1 << 29),
            interrupt: Some(Interrupt {
                wake: 1 << 30,
                core_select: CORES,
                status,
            }),
        }),
        ..of_types(&[])
    };
    assert!(fits(&of_types(&[&IN_WINDOW, &LINK])));
    assert!(fits(&with_msrs(0xc00, 0xc01)));
    assert!(!fits(&with_msrs(0xc02, 0xc01)));
    assert!(!fits(&with_msrs(0xc00, 0xc02)));
    assert!(!fits(&Platform {
        cpus: &[(6, 62), (6, 85)],
        ..of_types(&[&IN_WINDOW])
    }));
    for kind in [&BEFORE_WINDOW, &BEHIND_WINDOW, &FILTER_OUTSIDE] {
        assert!(!fits(&of_types(&[&IN_WINDOW, kind])));
    }
}
