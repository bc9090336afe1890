// SPDX-License-Identifier: GPL-2.0

//! Tests of the table checker: two box types without fault, and for each rule one that breaks it.

use super::fault;
use crate::uncore::box_type::Access;
use crate::uncore::box_type::BoxType;
use crate::uncore::box_type::Control;
use crate::uncore::box_type::Counter;
use crate::uncore::box_type::Event;
use crate::uncore::box_type::Field;
use crate::uncore::box_type::FilterRegister;
use crate::uncore::box_type::FilterUnit;
use crate::uncore::box_type::Fixed;
use crate::uncore::box_type::Missing;
use crate::uncore::box_type::MsrBoxes;
use crate::uncore::box_type::Needs;
use crate::uncore::box_type::PciFunction;
use crate::uncore::box_type::Role;
use crate::uncore::box_type::SubEvent;
use crate::uncore::box_type::Umasks;
use crate::uncore::box_type::Unit;
use crate::uncore::box_type::Word;
use crate::uncore::table::any_value;
use crate::uncore::table::bits;
use crate::uncore::table::counter;
use crate::uncore::table::event;
use crate::uncore::table::field;
use crate::uncore::table::pci;
use crate::uncore::table::sub;
use kernel::prelude::*;

const COUNTERS: &[Counter] = &[counter(0x10, 0x20), counter(0x14, 0x28)];

const CONTROL: Control = Control {
    writable: 0x0f4a_ffff,
    enable: 1 << 22,
    overflow_enable: None,
    reset: 1 << 17,
    select: bits::<0, 7>(),
};

const FIXED: Fixed = Fixed {
    control: 0x30,
    counter: 0x38,
    width: 48,
    writable: 0x0048_0000,
    enable: 1 << 22,
    overflow_enable: None,
    reset: Some(1 << 19),
    select: 0xff,
    name: "fixed",
    unit: None,
};

const EVENT: Field = field("event", Word::Config, bits::<0, 7>(), Role::Select);
const UMASK: Field = field("umask", Word::Config, bits::<8, 15>(), Role::Umask);
const TID_EN: Field = field(
    "tid_en",
    Word::Config,
    bits::<19, 19>(),
    Role::FilterEnable(0),
);
const THRESH: Field = field("thresh", Word::Config, bits::<24, 27>(), Role::Threshold);
const TID: Field = field("tid", Word::Config1, bits::<0, 3>(), Role::Filter(0));
const STATE: Field = field("state", Word::Config1, bits::<4, 7>(), Role::Filter(1));
const OPC: Field = field("opc", Word::Config1, bits::<32, 39>(), Role::Filter(2));

const FILTERS: &[FilterRegister] = &[low_filter(0xff), high_filter()];
const TIDS: FilterUnit = unit("tid", 0xf, Missing::Zero);
const STATES: FilterUnit = unit("state", 0xf0, Missing::Any(0xf0));
const OPCODES: FilterUnit = unit("opc", 0xff << 32, Missing::Refuse("opc"));

const MIB: Unit = Unit {
    name: "MiB",
    scale: "1",
};

const GOOD: BoxType = BoxType {
    name: "test",
    numbered: true,
    max_boxes: 2,
    access: msr(0x100, 0x40, 2),
    box_control: None,
    status: None,
    counters: COUNTERS,
    width: 44,
    fixed: Some(FIXED),
    control: CONTROL,
    fields: &[EVENT, UMASK, TID_EN, THRESH, TID, STATE, OPC],
    filters: FILTERS,
    filter_units: &[TIDS, STATES, OPCODES],
    events: &[
        event("clockticks", 0x00, 3, 1).source("1"),
        event("queue", 0x11, 1, 20).needs(Needs::Source).source("2"),
        event("queue_seen", 0x1f, 2, 20)
            .needs(Needs::SourceOnCounter0)
            .source("2"),
        event("lookup", 0x34, 3, 1)
            .filter(1)
            .listed_with(0x40, "3", LOOKUP),
        event("mixed", 0x35, 3, 1).combined("4", MIXED),
    ],
    max_clock_mhz: 1000,
    max_increment: 20,
};

const LOOKUP: &[SubEvent] = &[sub("read", 0x03), sub("opcode", 0x41).filter(2)];
const MIXED: &[SubEvent] = &[
    sub("a", 0x01).also("mixed_a"),
    sub("b", 0x02).exclusive(),
    sub("b_too", 0x02).exclusive().lists(),
    sub("c", 0x04).unusable("it is not"),
];

const GOOD_PCI: BoxType = on_pci(&[pci(0, 16, 4, 0x0eb4), pci(1, 16, 5, 0x0eb5)]);

const fn msr(base: u32, stride: u32, count: u8) -> Access {
    Access::Msr {
        base,
        stride,
        count: MsrBoxes::Fixed(count),
    }
}

const fn on_pci(functions: &'static [PciFunction]) -> BoxType {
    BoxType {
        access: Access::Pci { functions },
        ..GOOD
    }
}

const fn low_filter(writable: u32) -> FilterRegister {
    FilterRegister {
        offset: 0x40,
        word: Word::Config1,
        shift: 0,
        writable,
    }
}

const fn high_filter() -> FilterRegister {
    FilterRegister {
        offset: 0x44,
        word: Word::Config1,
        shift: 32,
        writable: 0xff,
    }
}

const fn unit(name: &'static str, mask: u64, missing: Missing) -> FilterUnit {
    FilterUnit {
        name,
        word: Word::Config1,
        mask,
        missing,
        valid: any_value,
    }
}

const fn with_fixed(fixed: Fixed) -> BoxType {
    BoxType {
        fixed: Some(fixed),
        ..GOOD
    }
}

const fn with_control(control: Control) -> BoxType {
    BoxType { control, ..GOOD }
}

const fn with_fields(fields: &'static [Field]) -> BoxType {
    BoxType { fields, ..GOOD }
}

const fn with_units(filter_units: &'static [FilterUnit]) -> BoxType {
    BoxType {
        filter_units,
        ..GOOD
    }
}

const fn with_events(events: &'static [Event]) -> BoxType {
    BoxType { events, ..GOOD }
}

/// A box with one field more.
macro_rules! with_field {
    ($field:expr) => {
        with_fields(const { &[EVENT, UMASK, TID_EN, THRESH, TID, STATE, OPC, $field] })
    };
}

/// A box with one event that combines these sub-events.
macro_rules! with_rows {
    ($($row:expr),*) => {
        with_events(const { &[event("e", 1, 3, 1).combined("1", const { &[$($row),*] })] })
    };
}

/// The words of the rule, the place, and a box that breaks it.
type Broken = (&'static str, &'static str, BoxType);

#[rustfmt::skip] // One rule, one row.
const BROKEN_BOXES: &[Broken] = &[
    ("must have a lower-case name", "",
        BoxType { name: "Test", ..GOOD }),
    ("must have 1 to 8 counters", "",
        BoxType { counters: &[], ..GOOD }),
    ("must have 1 to 63 bits a counter", "",
        BoxType { width: 64, ..GOOD }),
    ("must have a highest clock", "",
        BoxType { max_clock_mhz: 0, ..GOOD }),
    ("must have a maximum increment", "",
        BoxType { max_increment: 0, ..GOOD }),
    ("must have a register of its own for each counter and control", "",
        BoxType { counters: const { &[counter(0x10, 0x20), counter(0x20, 0x28)] }, ..GOOD }),
    ("must have a first MSR", "",
        BoxType { access: msr(0, 0x40, 2), ..GOOD }),
    ("must have boxes apart", "",
        BoxType { access: msr(0x100, 0, 2), ..GOOD }),
    ("must have 1 to max_boxes boxes", "",
        BoxType { access: msr(0x100, 0x40, 3), ..GOOD }),
    ("must have as many PCI functions as boxes", "",
        on_pci(const { &[pci(0, 16, 4, 1)] })),
    ("must list its PCI functions by index", "",
        on_pci(const { &[pci(1, 16, 4, 1), pci(0, 16, 5, 2)] })),
    ("must have devices up to 31 and functions up to 7", "",
        on_pci(const { &[pci(0, 16, 4, 1), pci(1, 16, 8, 2)] })),
    ("must have devices up to 31 and functions up to 7", "",
        on_pci(const { &[pci(0, 32, 4, 1), pci(1, 16, 5, 2)] })),
    ("must have a device ID and a place of its own for each PCI function", "",
        on_pci(const { &[pci(0, 16, 4, 1), pci(1, 16, 5, 1)] })),
    ("must have a device ID and a place of its own for each PCI function", "",
        on_pci(const { &[pci(0, 16, 4, 1), pci(1, 16, 4, 2)] })),
    ("must have its registers on dword boundaries", "",
        BoxType { counters: const { &[counter(0x10, 0x20), counter(0x14, 0x2a)] }, ..GOOD_PCI }),
    ("must have its enable and reset bits among the writable ones", "",
        with_control(Control { overflow_enable: Some(1 << 20), ..CONTROL })),
    ("must have one enable and one reset bit", "",
        with_control(Control { reset: 3 << 16, writable: 0x0f4b_ffff, ..CONTROL })),
    ("must have as fields of config the writable bits that are not the driver's", "",
        with_control(Control { writable: 0x1f4a_ffff, ..CONTROL })),
    ("must have as fields of config the writable bits that are not the driver's", "",
        with_control(Control { writable: 0x074a_ffff, ..CONTROL })),
];

#[rustfmt::skip] // One rule, one row.
const BROKEN_FIELDS: &[Broken] = &[
    ("must have a lower-case name", "tid-en",
        with_fields(const { &[EVENT, UMASK, Field { name: "tid-en", ..TID_EN }, THRESH] })),
    ("must have ordered bits", "edge",
        with_field!(field("edge", Word::Config, bits::<5, 4>(), Role::Edge))),
    ("must be in config exactly if it is no filter", "edge",
        with_field!(field("edge", Word::Config2, bits::<0, 0>(), Role::Edge))),
    ("must have a filter unit of the box", "nid",
        with_field!(field("nid", Word::Config1, bits::<0, 0>(), Role::Filter(3)))),
    ("must have a name and bits of its own", "umask",
        with_field!(field("umask", Word::Config1, bits::<0, 0>(), Role::Filter(0)))),
    ("must have a name and bits of its own", "edge",
        with_field!(field("edge", Word::Config, bits::<0, 0>(), Role::Edge))),
    ("must have a field for the event select", "",
        with_control(Control { select: bits::<0, 6>(), ..CONTROL })),
    ("must have at most 8 filter units", "",
        with_units(&[TIDS, TIDS, TIDS, TIDS, TIDS, TIDS, TIDS, TIDS, TIDS])),
    ("must have as fields of config1 and config2 the writable filter bits", "",
        BoxType { filters: const { &[low_filter(0x1ff), high_filter()] }, ..GOOD }),
    ("must have as fields of config1 and config2 the writable filter bits", "",
        BoxType { filters: const { &[low_filter(0x7f), high_filter()] }, ..GOOD }),
    ("must be made of the bits of its fields", "tid",
        with_units(const { &[unit("tid", 0x1f, Missing::Zero), STATES, OPCODES] })),
    ("must have an any value of its own bits", "state",
        with_units(const { &[TIDS, unit("state", 0xf0, Missing::Any(0x1f)), OPCODES] })),
    ("must have an any value of its own bits", "state",
        with_units(const { &[TIDS, unit("state", 0xf0, Missing::Any(0)), OPCODES] })),
    ("must have an enable field, as zero is a value", "state",
        with_units(const { &[TIDS, unit("state", 0xf0, Missing::Zero), OPCODES] })),
    ("must ask for one of its fields", "opc",
        with_units(const { &[TIDS, STATES, unit("opc", 0xff << 32, Missing::Refuse("state"))] })),
];

#[rustfmt::skip] // One rule, one row.
const BROKEN_FIXED: &[Broken] = &[
    ("must have a lower-case name", "Fixed",
        with_fixed(Fixed { name: "Fixed", ..FIXED })),
    ("must have a name that is no event's", "clockticks",
        with_fixed(Fixed { name: "clockticks", ..FIXED })),
    ("must have a name that is no event's", "mixed_a",
        with_fixed(Fixed { name: "mixed_a", ..FIXED })),
    ("must have an event select that is no event's", "fixed",
        with_fixed(Fixed { select: 0x11, ..FIXED })),
    ("must have an event select that is no event's", "fixed",
        with_fixed(Fixed { select: 0x1ff, ..FIXED })),
    ("must have its enable and reset bits among the writable ones", "fixed",
        with_fixed(Fixed { reset: Some(1 << 17), ..FIXED })),
    ("must have 1 to 63 bits", "fixed",
        with_fixed(Fixed { width: 0, ..FIXED })),
    ("must have registers of its own", "fixed",
        with_fixed(Fixed { counter: 0x20, ..FIXED })),
];

#[rustfmt::skip] // One rule, one row.
const BROKEN_EVENTS: &[Broken] = &[
    ("must have events", "",
        with_events(&[])),
    ("must have a lower-case name", "Event",
        with_events(const { &[event("Event", 1, 3, 1).source("1")] })),
    ("must have a name of its own", "e",
        with_events(const { &[event("e", 1, 3, 1).source("1"), event("e", 2, 3, 1).source("1")] })),
    ("must have a greater event select than the event before it", "f",
        with_events(const { &[event("e", 1, 3, 1).source("1"), event("f", 1, 3, 1).source("1")] })),
    ("must have an event select that fits its field", "e",
        with_events(const { &[event("e", 0x100, 3, 1).source("1")] })),
    ("must have counters, all of them the box's", "e",
        with_events(const { &[event("e", 1, 0, 1).source("1")] })),
    ("must have counters, all of them the box's", "e",
        with_events(const { &[event("e", 1, 4, 1).source("1")] })),
    ("must have a maximum increment, within the box's", "e",
        with_events(const { &[event("e", 1, 3, 0).source("1")] })),
    ("must have a maximum increment, within the box's", "e",
        with_events(const { &[event("e", 1, 3, 21).source("1")] })),
    ("must have filters of the box", "e",
        with_events(const { &[event("e", 1, 3, 1).filter(3).source("1")] })),
    ("must have a source", "e",
        with_events(const { &[event("e", 1, 3, 1)] })),
    ("must be on counter 0 only, as others look for it there", "e",
        with_events(const { &[event("e", 1, 3, 1).needs(Needs::Source).source("1")] })),
    ("must leave counter 0 to an event that is a source", "e",
        with_events(const { &[event("e", 1, 2, 1).needs(Needs::SourceOnCounter0).source("1")] })),
    ("must leave counter 0 to an event that is a source", "f",
        with_events(const { &[
            event("e", 1, 1, 1).needs(Needs::Source).source("1"),
            event("f", 2, 3, 1).needs(Needs::SourceOnCounter0).source("1"),
        ] })),
];

#[rustfmt::skip] // One rule, one row.
const BROKEN_ROWS: &[Broken] = &[
    ("must have sub-events exactly if its umask is not always zero", "e",
        with_events(const { &[event("e", 1, 3, 1).listed("1", &[])] })),
    ("must have sub-events exactly if its umask is not always zero", "e",
        with_events(const { &[
            Event { umasks: Umasks::Zero, ..event("e", 1, 3, 1).listed("1", MIXED) },
        ] })),
    ("must leave the unit to its sub-events", "e",
        with_events(const { &[
            Event { unit: Some(MIB), ..event("e", 1, 3, 1).combined("1", MIXED) },
        ] })),
    ("must have a sub-event with a filter for the umask bits that may be added", "e",
        with_events(const { &[event("e", 1, 3, 1).listed_with(0x80, "1", LOOKUP)] })),
    ("must have a lower-case name", "e.A",
        with_rows!(sub("A", 1))),
    ("must have a name of its own", "e.a",
        with_rows!(sub("a", 1), sub("a", 2))),
    ("must have a umask", "e.a",
        with_rows!(sub("a", 0))),
    ("must have filters of the box", "e.a",
        with_rows!(sub("a", 1).filter(3))),
    ("must be among sub-events that combine, to be exclusive", "e.b",
        with_events(const { &[event("e", 1, 3, 1).listed("1", MIXED)] })),
    ("must have a second name that is no other's", "e.a",
        with_rows!(sub("a", 1).also("e"))),
    ("must have a second name that is no other's", "e.b",
        with_rows!(sub("a", 1).also("x"), sub("b", 2).also("x"))),
    ("must have a second name that is no other's", "f.a",
        with_events(const { &[
            event("e", 1, 3, 1).combined("1", MIXED),
            event("f", 2, 3, 1).combined("1", MIXED),
        ] })),
    ("must have a reason to be unusable", "e.a",
        with_rows!(sub("a", 1).unusable(""))),
    ("must have a greater umask than the row before it, or be its other name", "e.b",
        with_rows!(sub("a", 2), sub("b", 1))),
    ("must have a greater umask than the row before it, or be its other name", "e.b",
        with_rows!(sub("a", 1), sub("b", 1))),
    ("must have a greater umask than the row before it, or be its other name", "e.b",
        with_rows!(sub("a", 1), sub("b", 1).filter(2).lists())),
];

/// Whether the checker says exactly this; else tells what it said.
fn is_found((what, place, of): &Broken) -> bool {
    let (at, row) = place.split_once('.').unwrap_or((place, ""));
    let found = fault(of);
    let is_right = matches!(found, Some(found)
        if found.what == *what && found.place.at == at && found.place.row == row);
    if !is_right {
        pr_err!(
            "{} {}: found {}\n",
            place,
            what,
            found.map_or("nothing", |found| found.what)
        );
    }
    is_right
}

#[kunit_tests(uncore_table_check)]
mod table_check {
    use super::*;

    #[test]
    fn good_boxes_have_no_fault() {
        assert!(fault(&GOOD).is_none());
        assert!(fault(&GOOD_PCI).is_none());
    }

    #[test]
    fn broken_boxes_are_found() {
        assert!(BROKEN_BOXES.iter().all(is_found));
    }

    #[test]
    fn broken_fields_and_filters_are_found() {
        assert!(BROKEN_FIELDS.iter().all(is_found));
    }

    #[test]
    fn broken_fixed_counters_are_found() {
        assert!(BROKEN_FIXED.iter().all(is_found));
    }

    #[test]
    fn broken_events_are_found() {
        assert!(BROKEN_EVENTS.iter().all(is_found));
    }

    #[test]
    fn broken_subevents_are_found() {
        assert!(BROKEN_ROWS.iter().all(is_found));
    }
}
