// SPDX-License-Identifier: GPL-2.0

//! Tests of the table checker: box types without fault, and for each rule one that breaks it.

use super::{
    fault,
    platform::platform,
    rules::{
        Fault,
        Location,
        Message, //
    },
    window::window, //
};
use crate::uncore::{
    table::prelude::*,
    testing::msr_only::meter::METERS, //
};
use kernel::prelude::*;

const COUNTERS: &[Counter] = &[counter(0x10, 0x20), counter(0x14, 0x28)];

const CONTROL: Control = Control {
    writable: 0x0f4b_ffff,
    enable: 1 << 22,
    overflow_enable: None,
    uncertain: 0,
    acts: 1 << 17,
    queue_reset: Some(1 << 16),
    twice: false,
    select: bits::<0, 7>(),
};

/// The event select with a bit that acts.
const SELECT_WITH_BANK: &[Bits] = &[Bits { low: 0, high: 7 }, Bits { low: 17, high: 17 }];

const MISREAD: Option<Misread> = Some(Misread {
    bits: 24,
    values: 2,
});

const BOX_CONTROL: BoxControl = BoxControl {
    offset: 0x00,
    reset: &[0x1, 0x3],
    freeze: 0x100,
    unfreeze: 0,
};

const FIXED_CONTROL: FixedControl = FixedControl {
    offset: 0x30,
    writable: 0x0048_0000,
    enable: 1 << 22,
    overflow_enable: None,
    acts: 1 << 19,
};

const FIXED: Fixed = Fixed {
    control: Some(FIXED_CONTROL),
    counter: 0x38,
    width: 48,
    max_width: 48,
    select: 0xff,
    name: "fixed",
    unit: None,
};

const FREE: Fixed = Fixed {
    control: None,
    counter: 0x50,
    width: 64,
    max_width: 64,
    select: 0xfe,
    name: "free",
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
const ADDR: Field = field("addr", Word::Config2, bits::<0, 15>(), Role::Filter(3));
const BITS: Field = field("bits", Word::Config2, bits::<32, 39>(), Role::Filter(4));
const LOW: Field = field("low", Word::Config1, bits::<0, 31>(), Role::View);
const SET: Field = field("set", Word::Config, bits::<32, 32>(), Role::CounterSet);

const FILTERS: &[FilterRegister] = &[low_filter(0xff), OPC_FILTER, ADDR_FILTER, BITS_FILTER];
const OPC_FILTER: FilterRegister = filter_register(0x44, Word::Config1, 32, 0xff);
const ADDR_FILTER: FilterRegister = filter_register(0x48, Word::Config2, 0, 0xfff0);
const BITS_FILTER: FilterRegister = filter_register(0x4c, Word::Config2, 32, 0xff);

const GUARDED: &[FilterRegister] = &[
    low_filter(0xff),
    constant_filter(OTHER, 1 << 2, 1 << 31),
    OPC_FILTER.guarded_by(1),
    ADDR_FILTER,
    BITS_FILTER,
];

/// A place of no other register.
const OTHER: Place = Place::Offset(0x34);

const TIDS: FilterUnit = unit("tid", 0xf, WhenZero::Enabled);
const STATES: FilterUnit = unit("state", 0xf0, WhenZero::Fill(0xf0));
const OPCODES: FilterUnit = unit("opc", 0xff << 32, WhenZero::Refuse("opc"));
const ADDRESSES: FilterUnit = FilterUnit {
    word: Word::Config2,
    ..unit("addr", 0xfff0, WhenZero::Ask("addr")).address()
};
const ANY_BITS: FilterUnit = FilterUnit {
    word: Word::Config2,
    ..unit("bits", 0xff << 32, WhenZero::Keep)
};

const GOOD: BoxType = BoxType {
    name: "test",
    numbered: true,
    access: msr(&[0x100, 0x140]),
    box_control: Some(BOX_CONTROL),
    status: None,
    counters: COUNTERS,
    width: 44,
    fixed: &[FIXED, FREE],
    control: CONTROL,
    fields: &[
        EVENT, UMASK, TID_EN, THRESH, TID, STATE, OPC, ADDR, BITS, LOW,
    ],
    filters: FILTERS,
    filter_units: &[TIDS, STATES, OPCODES, ADDRESSES, ANY_BITS],
    events: &[
        event("clockticks", 0x00, 3, 1).source("1"),
        event("queue", 0x11, 1, 20)
            .needs(Needs::Source)
            .occupancy()
            .source("2"),
        event("queue_seen", 0x1f, 2, 20)
            .needs(Needs::SourceOnCounter0)
            .source("2"),
        event("lookup", 0x34, 3, 1)
            .filter(1)
            .listed_with(0x40, "3", LOOKUP),
        event("mixed", 0x35, 3, 1).combined("4", MIXED),
        event("match", 0x36, 3, 1)
            .filter(3)
            .filter(4)
            .presets(&MATCHES)
            .source("5"),
        event("rank", 0x37, 3, 1).listed("6", RANKS).presets(&BANKS),
    ],
    unusable: "it is not",
    builtin_events: true,
    max_clock_mhz: 1000,
    max_increment: 20,
    ..ORDINARY_BOX
};

const LOOKUP: &[SubEvent] = &[sub("read", 0x03), sub("opcode", 0x41).filter(2)];
const MIXED: &[SubEvent] = &[
    sub("a", 0x01),
    sub("mixed_a", 0x01).whole(),
    sub("b", 0x02).exclusive(),
    sub("b_too", 0x02).exclusive().lists(),
    sub("c", 0x04).unusable(),
    sub("other.d", 0x08).whole(),
];
const RANKS: &[SubEvent] = &[
    sub("bank0", 0x00).filter(2),
    sub("2nd_bank", 0x01),
    sub("rank.2nd", 0x01).whole(),
];
const BANKS: &[Preset] = &[
    preset("bank0.a", 0x10_0000_0000, 0).source("6"),
    preset("bank0.b", 0x10_0000_0003, 0)
        .config(1 << 19)
        .source("6"),
];
const MATCHES: &[Preset] = &[
    preset("message.a", 0, 0x10).source("5"),
    preset("message.any", 0, 0).source("5"),
    preset("message.b", 0, 0x1_0000_0000).source("5"),
];

/// A clock, as a box must have events, and a queue, for the field that is for occupancies only.
const CLOCK: Event = event("clockticks", 0x00, 3, 1).source("1");
const QUEUE: Event = event("queue", 0x01, 3, 1).occupancy().source("1");

const GOOD_MSRS: BoxType = BoxType {
    access: msr(&[0]),
    ..GOOD
};

const GOOD_FUSES: BoxType = with_presence(&[
    fuses::<6, 7>(Some(&[0b00, 0b11, 0b10])),
    fuses::<30, 31>(None),
    Presence::Functions { first_id: 0x0e30 },
    Presence::Cores,
]);

const GOOD_SETS: BoxType = BoxType {
    counter_sets: &[0b01, 0b10],
    fields: &[
        EVENT, UMASK, TID_EN, THRESH, TID, STATE, OPC, ADDR, BITS, LOW, SET,
    ],
    events: &[CLOCK, QUEUE],
    ..GOOD
};

const GOOD_GUARD: BoxType = BoxType {
    filters: GUARDED,
    ..GOOD
};

const GOOD_COPIES: BoxType = BoxType {
    events: &[
        CLOCK,
        QUEUE,
        event("first", 2, 3, 1).filter(2).source("1"),
        event("second", 3, 3, 1).filter(2).copy(1).source("1"),
    ],
    ..with_copies(
        const {
            &[
                low_filter(0xff),
                both_copies(const { &[copied(1, 8), copied(0, 0)] }, 0xffff),
                ADDR_FILTER,
                BITS_FILTER,
            ]
        },
    )
};

const GOOD_PCI: BoxType = on_pci(&[pci(0, 16, 4, 0x0eb4), pci(1, 16, 5, 0x0eb5)]);

/// A box with filters in another function, at the offset of a counter.
const GOOD_PCI_FILTERS: BoxType = BoxType {
    filters: &[
        filter_register(0x20, Word::Config1, 0, 0xff),
        OPC_FILTER,
        ADDR_FILTER,
        BITS_FILTER,
    ],
    ..on_pci(&[
        pci(0, 16, 4, 0x0eb4).filters(16, 6, 0x0eb6),
        pci(1, 16, 5, 0x0eb5).filters(16, 7, 0x0eb7),
    ])
};

const fn msr(bases: &'static [u32]) -> Access {
    Access::Msr {
        bases,
        present: &[Presence::All],
    }
}

/// The memory of the meter.
const MEMORY: Memory = match METERS.access {
    Access::Memory(memory) => memory,
    _ => panic!("the meter is in memory"),
};

const fn in_memory(memory: Memory) -> BoxType {
    BoxType {
        access: Access::Memory(memory),
        ..METERS
    }
}

const fn with_presence(present: &'static [Presence]) -> BoxType {
    BoxType {
        access: Access::Msr {
            bases: &[0x100, 0x140],
            present,
        },
        ..GOOD
    }
}

const fn fuses<const LOW: u8, const HIGH: u8>(choices: Option<&'static [u32]>) -> Presence {
    Presence::Fuses {
        device_id: 0x0fc0,
        offset: 0x98,
        bits: Bits {
            low: LOW,
            high: HIGH,
        },
        choices,
    }
}

const fn on_pci(functions: &'static [PciFunction]) -> BoxType {
    BoxType {
        access: Access::Pci(functions),
        ..GOOD
    }
}

const fn low_filter(writable: u64) -> FilterRegister {
    filter_register(0x40, Word::Config1, 0, writable)
}

const fn unit(name: &'static str, mask: u64, when_zero: WhenZero) -> FilterUnit {
    filter_unit(name, Word::Config1, mask, when_zero)
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
        with_fields(
            const {
                &[
                    EVENT, UMASK, TID_EN, THRESH, TID, STATE, OPC, ADDR, BITS, LOW, $field,
                ]
            },
        )
    };
}

/// A box with these filter registers beside the usual.
macro_rules! with_filters {
    ($low:expr, $opc:expr) => {
        BoxType {
            filters: const { &[$low, $opc, ADDR_FILTER, BITS_FILTER] },
            ..GOOD
        }
    };
}

/// A box with these filter registers, of which the second may be the guard of the third.
macro_rules! with_all_filters {
    ($second:expr, $third:expr) => {
        BoxType {
            filters: const { &[low_filter(0xff), $second, $third, ADDR_FILTER, BITS_FILTER] },
            ..GOOD
        }
    };
}

/// A box with one more filter register.
macro_rules! with_one_more {
    ($more:expr) => {
        with_all_filters!($more, OPC_FILTER)
    };
}

/// A box with this index as that of the guard of the third filter register.
macro_rules! with_guard {
    ($guard:expr) => {
        with_all_filters!(
            constant_filter(OTHER, 1 << 2, 1 << 31),
            OPC_FILTER.guarded_by($guard)
        )
    };
}

/// A box with a guard that these units switch on, and that has this guard.
macro_rules! with_guarded {
    ($units:expr, $guard:expr) => {
        with_all_filters!(
            FilterRegister {
                guard: $guard,
                ..constant_filter(OTHER, $units, 1 << 31)
            },
            OPC_FILTER.guarded_by(1)
        )
    };
}

/// The unit of opcodes with this number of copies.
const fn opcodes(copies: u8) -> FilterUnit {
    unit("opc", 0xff << 32, WhenZero::Refuse("opc")).copies(copies)
}

/// A filter register with copies of the unit of opcodes.
const fn both_copies(copies: &'static [Copied], writable: u64) -> FilterRegister {
    filter_register(0x44, Word::Config1, 32, writable)
        .of_units(1 << 2)
        .with_copies(copies)
}

/// A box with two copies of the unit of opcodes and these filter registers.
const fn with_copies(filters: &'static [FilterRegister]) -> BoxType {
    BoxType {
        filters,
        ..with_units(const { &[TIDS, STATES, opcodes(2), ADDRESSES, ANY_BITS] })
    }
}

/// A box with two copies of the unit of opcodes in one register.
macro_rules! with_one_copied {
    ($copies:expr, $writable:expr) => {
        with_copies(
            const {
                &[
                    low_filter(0xff),
                    both_copies(const { &$copies }, $writable),
                    ADDR_FILTER,
                    BITS_FILTER,
                ]
            },
        )
    };
}

/// A box with these filter units beside the usual.
macro_rules! with_usual_units {
    ($($unit:expr),*) => {
        with_units(const { &[$($unit,)* ADDRESSES, ANY_BITS] })
    };
}

/// A box with one fixed counter more.
macro_rules! with_fixed {
    ($fixed:expr) => {
        BoxType {
            fixed: const { &[FIXED, FREE, $fixed] },
            ..GOOD
        }
    };
}

/// A box with the occupancy that it must have, and these events.
macro_rules! with_events {
    ($($event:expr),*) => {
        with_events(const { &[QUEUE, $($event),*] })
    };
}

/// A box with one event that combines these sub-events.
macro_rules! with_rows {
    ($($row:expr),*) => {
        with_events!(event("e", 2, 3, 1).combined("1", const { &[$($row),*] }))
    };
}

/// A box with one event that has these presets of the filters `opc` and `addr`.
macro_rules! with_presets {
    ($($preset:expr),*) => {
        with_events!(event("e", 2, 3, 1)
            .filter(2)
            .filter(3)
            .presets(presets![$($preset),*])
            .source("1"))
    };
}

/// A box with counters that interrupt.
const GOOD_OVERFLOW: BoxType = BoxType {
    control: Control {
        writable: 0x0f5b_ffff,
        overflow_enable: Some(1 << 20),
        ..CONTROL
    },
    status: Some(STATUS),
    global_status: &[1 << 3, 1 << 4],
    ..with_field!(INTERVAL)
};

const STATUS: BoxStatus = BoxStatus {
    offset: 0x60,
    overflow: 0b111,
};

/// The words of the rule, the location, and a box that breaks it.
type Broken = (&'static str, &'static str, BoxType);

#[rustfmt::skip] // One rule, one row.
const BROKEN_BOXES: &[Broken] = &[
    ("must have a lower-case name", "",
        BoxType { name: "Test", ..GOOD }),
    ("must have 1 to 8 counters, or in memory only fixed ones that always run", "",
        BoxType { counters: &[], ..GOOD }),
    ("must have 1 to 8 counters, or in memory only fixed ones that always run", "",
        BoxType { fixed: &[], ..METERS }),
    ("must have 1 to 8 counters, or in memory only fixed ones that always run", "",
        BoxType { fixed: const { &[Fixed { width: 32, max_width: 32, ..FIXED }] }, ..METERS }),
    ("must have 1 to 8 counters, or in memory only fixed ones that always run", "",
        BoxType { control: CONTROL, ..METERS }),
    ("must have 1 to 8 counters, or in memory only fixed ones that always run", "",
        BoxType { box_control: Some(BOX_CONTROL), ..METERS }),
    ("must have 1 to 8 counters, or in memory only fixed ones that always run", "",
        BoxType { status: Some(STATUS), ..METERS }),
    ("must have 1 to 8 counters, or in memory only fixed ones that always run", "",
        BoxType { filters: FILTERS, ..METERS }),
    ("must have only counters that always run, as its memory is not written", "",
        BoxType { access: METERS.access, ..GOOD }),
    ("must have a device up to 31, a function up to 7 and a base on a dword boundary", "",
        in_memory(Memory { device: 32, ..MEMORY })),
    ("must have a device up to 31, a function up to 7 and a base on a dword boundary", "",
        in_memory(Memory { function: 8, ..MEMORY })),
    ("must have a device up to 31, a function up to 7 and a base on a dword boundary", "",
        in_memory(Memory { base: 0x4a, ..MEMORY })),
    ("must have counters of up to 32 bits on dword boundaries in its memory", "",
        in_memory(Memory { size: 0x117, ..MEMORY })),
    ("must have counters of up to 32 bits on dword boundaries in its memory", "",
        BoxType { fixed: &[FREE], ..METERS }),
    ("must have counters of up to 32 bits on dword boundaries in its memory", "",
        BoxType { fixed: const { &[Fixed { counter: 0x102, width: 32, max_width: 32, ..FREE }] }, ..METERS }),
    ("must have 1 to 64 bits a counter", "",
        BoxType { width: 65, ..GOOD }),
    ("must have a highest clock", "",
        BoxType { max_clock_mhz: 0, ..GOOD }),
    ("must have a maximum increment", "",
        BoxType { max_increment: 0, ..GOOD }),
    ("must have a clock that starts and stops, as its first fixed counter, if it needs one", "",
        BoxType { needs_clock: true, fixed: &[], ..GOOD }),
    ("must have as many counters in its alternative, and no wider ones", "",
        BoxType { alternative: Some(const { &BoxType { counters: &[], ..GOOD } }), ..GOOD }),
    ("must have as many counters in its alternative, and no wider ones", "",
        BoxType { alternative: Some(const { &BoxType { width: 48, ..GOOD } }), ..GOOD }),
    ("must have as many counters in its alternative, and no wider ones", "",
        BoxType {
            alternative: Some(const { &BoxType {
                alternative: Some(const { &BoxType { counters: &[], ..GOOD } }), ..GOOD
            } }),
            ..GOOD
        }),
    ("must have a register of its own for each counter and control", "",
        BoxType { counters: const { &[counter(0x10, 0x20), counter(0x20, 0x28)] }, ..GOOD }),
    ("must have each counter in one counter set", "",
        BoxType { counter_sets: &[0b01, 0b11], ..GOOD_SETS }),
    ("must have each counter in one counter set", "",
        BoxType { counter_sets: &[0b01, 0b00], ..GOOD_SETS }),
    ("must have each counter in one counter set", "",
        BoxType { counter_sets: &[0b01, 0b01], ..GOOD_SETS }),
    ("must have a field with a value for each counter set, if there are any", "",
        BoxType { counter_sets: &[0b11], ..GOOD_SETS }),
    ("must have a field with a value for each counter set, if there are any", "",
        BoxType { counter_sets: &[0b01, 0b10], ..GOOD }),
    ("must have a field with a value for each counter set, if there are any", "",
        BoxType { counter_sets: &[], ..GOOD_SETS }),
    ("must have a first MSR of each box, or one box with MSR numbers as offsets", "",
        BoxType { access: msr(&[0x100, 0]), ..GOOD }),
    ("must have a first MSR of each box, or one box with MSR numbers as offsets", "",
        BoxType { counters: const { &[counter(0x10, 0x20), counter(0x14, 0)] }, ..GOOD_MSRS }),
    ("must have boxes apart", "",
        BoxType { access: msr(&[0x100, 0x100]), ..GOOD }),
    ("must have boxes apart", "",
        BoxType { access: msr(&[0x100, 0x104]), ..GOOD }),
    ("must have boxes apart", "",
        BoxType { access: msr(&[0x118, 0x100]), ..GOOD }),
    ("must have 1 to 32 boxes, and something that tells which a package has", "",
        BoxType { access: msr(&[]), ..GOOD }),
    ("must have 1 to 32 boxes, and something that tells which a package has", "",
        BoxType { access: msr(const { &every::<33>(0x100, 0x40) }), ..GOOD }),
    ("must have 1 to 32 boxes, and something that tells which a package has", "",
        with_presence(&[])),
    ("must have all boxes or something else that tells them", "",
        with_presence(&[Presence::Cores, Presence::All])),
    ("must have bits in order, with a fuse for each box and masks of its boxes only", "",
        with_presence(const { &[fuses::<4, 3>(Some(&[0b11]))] })),
    ("must have bits in order, with a fuse for each box and masks of its boxes only", "",
        with_presence(const { &[fuses::<31, 32>(None)] })),
    ("must have bits in order, with a fuse for each box and masks of its boxes only", "",
        with_presence(const { &[fuses::<0, 2>(None)] })),
    ("must have bits in order, with a fuse for each box and masks of its boxes only", "",
        with_presence(const { &[fuses::<6, 7>(Some(&[0b00, 0b11, 0b100]))] })),
    ("must have bits in order, with a fuse for each box and masks of its boxes only", "",
        with_presence(const { &[Presence::Register {
            msr: 0x10,
            bits: Bits { low: 3, high: 2 },
        }] })),
    ("must have 1 to 32 PCI functions", "",
        on_pci(&[])),
    ("must have 1 to 32 PCI functions", "",
        on_pci(const { &[const { pci(0, 16, 4, 1) }; 33] })),
    ("must list its PCI functions by index", "",
        on_pci(const { &[pci(1, 16, 4, 1), pci(0, 16, 5, 2)] })),
    ("must have devices up to 31 and functions up to 7", "",
        on_pci(const { &[pci(0, 16, 4, 1), pci(1, 16, 8, 2)] })),
    ("must have devices up to 31 and functions up to 7", "",
        on_pci(const { &[pci(0, 32, 4, 1), pci(1, 16, 5, 2)] })),
    ("must have devices up to 31 and functions up to 7", "",
        on_pci(const { &[pci(0, 16, 4, 1), pci(1, 16, 5, 2).filters(16, 8, 3)] })),
    ("must have a device ID and a place of its own for each PCI function", "",
        on_pci(const { &[pci(0, 16, 4, 1), pci(1, 16, 5, 1)] })),
    ("must have a device ID and a place of its own for each PCI function", "",
        on_pci(const { &[pci(0, 16, 4, 1), pci(1, 16, 4, 2)] })),
    ("must have a device ID and a place of its own for each PCI function", "",
        on_pci(const { &[
            pci(0, 16, 4, 1).filters(17, 0, 3),
            pci(1, 16, 5, 2).filters(17, 1, 3),
        ] })),
    ("must have a device ID and a place of its own for each PCI function", "",
        on_pci(const { &[
            pci(0, 16, 4, 1).filters(16, 5, 3),
            pci(1, 16, 5, 2).filters(17, 1, 4),
        ] })),
    ("must have filters, and a function with them for each box, if it has one for any", "",
        on_pci(const { &[pci(0, 16, 4, 1), pci(1, 16, 5, 2).filters(17, 1, 3)] })),
    ("must have filters, and a function with them for each box, if it has one for any", "",
        BoxType { filters: &[], ..GOOD_PCI_FILTERS }),
    ("must have its registers on dword boundaries", "",
        BoxType { counters: const { &[counter(0x10, 0x20), counter(0x14, 0x2a)] }, ..GOOD_PCI }),
    ("must have its registers on dword boundaries", "",
        BoxType { filters: const { &[filter_register(0x42, Word::Config1, 0, 0xff)] }, ..GOOD_PCI }),
    ("must have its registers on dword boundaries", "",
        BoxType { filters: &[filter_msrs(&[0x40, 0x80], Word::Config1, 0, 0xff)], ..GOOD_PCI }),
    ("must have the bits that are not the user's among the writable ones", "",
        with_control(Control { overflow_enable: Some(1 << 20), ..CONTROL })),
    ("must have the bits that are not the user's among the writable ones", "",
        with_control(Control { queue_reset: Some(1 << 20), ..CONTROL })),
    ("must have the bits that are not the user's among the writable ones", "",
        with_control(Control { acts: 1 << 20, ..CONTROL })),
    ("must have bits, no other's, to enable, and one to clear the queue and to interrupt", "",
        with_control(Control { acts: 1 << 22, ..CONTROL })),
    ("must have bits, no other's, to enable, and one to clear the queue and to interrupt", "",
        with_control(Control { queue_reset: Some(1 << 17), ..CONTROL })),
    ("must have bits, no other's, to enable, and one to clear the queue and to interrupt", "",
        with_control(Control { overflow_enable: Some(0), ..CONTROL })),
    ("must have bits, no other's, to enable, and one to clear the queue and to interrupt", "",
        with_control(Control { enable: 0, writable: 0x0f0b_ffff, ..CONTROL })),
    ("must have bits, no other's, to enable, and one to clear the queue and to interrupt", "",
        with_control(Control { enable: 1 << 22 | 1 << 16, ..CONTROL })),
    ("must have event sets in bits that are not written", "",
        BoxType {
            control: Control { select: SELECT_WITH_BANK, ..CONTROL },
            ..with_field!(field("bank", Word::Config, bits::<17, 17>(), Role::EventSet))
        }),
    ("must be uncertain only about bits of fields", "",
        with_control(Control { uncertain: 1 << 22, ..CONTROL })),
    ("must have as fields of config the writable bits that are not the driver's", "",
        with_control(Control { writable: 0x1f4b_ffff, ..CONTROL })),
    ("must have as fields of config the writable bits that are not the driver's", "",
        with_control(Control { writable: 0x074b_ffff, ..CONTROL })),
    ("must have a register of its own for the box control, with two values", "",
        BoxType { box_control: Some(BoxControl { freeze: 0, ..BOX_CONTROL }), ..GOOD }),
    ("must have low bits of a counter and a few values of them, if it misreads any", "",
        BoxType { misread: Some(Misread { bits: 44, values: 2 }), ..GOOD }),
    ("must have low bits of a counter and a few values of them, if it misreads any", "",
        BoxType { misread: Some(Misread { bits: 24, values: 0 }), ..GOOD }),
    ("must have low bits of a counter and a few values of them, if it misreads any", "",
        BoxType { misread: Some(Misread { bits: 24, values: 1 << 23 }), ..GOOD }),
    ("must have counters that can be written and need not overflow, if it misreads any", "",
        BoxType { misread: MISREAD, ..GOOD }),
    ("must have counters that can be written and need not overflow, if it misreads any", "",
        BoxType { misread: MISREAD, fixed: &[Fixed { width: 24, max_width: 24, ..FIXED }], ..GOOD }),
    ("must have counters that can be written and need not overflow, if it misreads any", "",
        BoxType { misread: MISREAD, fixed: &[Fixed { width: 32, ..FIXED }], ..GOOD }),
    ("must have counters that can be written and need not overflow, if it misreads any", "",
        BoxType { misread: MISREAD, fixed: &[], ..GOOD_OVERFLOW }),
    ("must have a register of its own for the box control, with two values", "",
        BoxType { box_control: Some(BoxControl { offset: 0x20, ..BOX_CONTROL }), ..GOOD }),
];

#[rustfmt::skip] // One rule, one row.
const BROKEN_FIELDS: &[Broken] = &[
    ("must have a lower-case name", "tid-en",
        with_fields(const { &[EVENT, UMASK, Field { name: "tid-en", ..TID_EN }, THRESH] })),
    ("must have ordered bits", "edge",
        with_field!(field("edge", Word::Config, bits::<5, 4>(), Role::Edge))),
    ("must have ordered bits", "edge",
        with_field!(field("edge", Word::Config, const { &[
            Bits { low: 40, high: 42 },
            Bits { low: 42, high: 43 },
        ] }, Role::Edge))),
    ("must be in config if it is no filter", "edge",
        with_field!(field("edge", Word::Config2, bits::<0, 0>(), Role::Edge))),
    ("must show the fields of one filter register, one field of config, a part of a filter, or bits that enable a counter", "all",
        with_field!(field("all", Word::Config, bits::<0, 31>(), Role::View))),
    ("must show the fields of one filter register, one field of config, a part of a filter, or bits that enable a counter", "name",
        with_field!(field("name", Word::Config, bits::<25, 27>(), Role::View))),
    ("must have a filter unit of the box", "nid",
        with_field!(field("nid", Word::Config1, bits::<0, 0>(), Role::Filter(5)))),
    ("must have a threshold beside it", "edge",
        BoxType {
            control: Control { writable: 0x004f_ffff, ..CONTROL },
            fields: const { &[
                EVENT, UMASK, TID_EN, TID, STATE, OPC, ADDR, BITS,
                field("edge", Word::Config, bits::<18, 18>(), Role::OccupancyEdge),
            ] },
            ..GOOD
        }),
    ("must have a threshold beside it", "inv",
        BoxType {
            control: Control { writable: 0x00cb_ffff, ..CONTROL },
            fields: const { &[
                EVENT, UMASK, TID_EN, TID, STATE, OPC, ADDR, BITS,
                field("inv", Word::Config, bits::<23, 23>(), Role::Invert),
            ] },
            ..GOOD
        }),
    ("must be above the bits of the control register", "set",
        BoxType {
            counter_sets: &[0b01, 0b10],
            ..with_field!(field("set", Word::Config, bits::<31, 31>(), Role::CounterSet))
        }),
    ("must be above the bits of the control register", "often",
        with_field!(field("often", Word::Config, bits::<31, 31>(), Role::Interval))),
    ("must have counters that can interrupt", "interval",
        with_field!(INTERVAL)),
    ("must show the fields of one filter register, one field of config, a part of a filter, or bits that enable a counter", "half",
        with_field!(field("half", Word::Config1, bits::<2, 5>(), Role::View))),
    ("must show the fields of one filter register, one field of config, a part of a filter, or bits that enable a counter", "both",
        with_field!(field("both", Word::Config1, bits::<0, 39>(), Role::View))),
    ("must have a name and bits of its own, or bits of a filter that no event uses with it", "umask",
        with_field!(field("umask", Word::Config1, bits::<0, 0>(), Role::Filter(0)))),
    ("must have a name and bits of its own, or bits of a filter that no event uses with it", "low",
        with_field!(LOW)),
    ("must have a name and bits of its own, or bits of a filter that no event uses with it", "edge",
        with_field!(field("edge", Word::Config, bits::<0, 0>(), Role::Edge))),
    ("must have fields for the event select", "",
        with_control(Control { select: bits::<0, 6>(), ..CONTROL })),
    ("must have fields for the event select", "",
        BoxType {
            control: Control { select: bits::<32, 33>(), writable: 0x0f4b_ff00, ..CONTROL },
            fields: &[field("bank", Word::Config, bits::<32, 33>(), Role::EventSet),
                UMASK, TID_EN, THRESH, TID, STATE, OPC, ADDR, BITS, LOW],
            ..GOOD
        }),
    ("must have at most 36 filter registers", "",
        BoxType { filters: const { &[const { low_filter(0xff) }; 37] }, ..GOOD }),
    ("must have at most 32 filter units", "",
        with_units(&[TIDS; 33])),
    ("must have in their words all bits of the filters, which have 32 in PCI functions", "",
        with_filters!(low_filter(0xff), filter_register(0x44, Word::Config1, 32, 0x1_0000_00ff))),
    ("must have in their words all bits of the filters, which have 32 in PCI functions", "",
        with_filters!(low_filter(0xff), filter_register(0x44, Word::Config1, 64, 0xff))),
    ("must have in their words all bits of the filters, which have 32 in PCI functions", "",
        BoxType {
            filters: const { &[low_filter(0xff), filter_register(0x48, Word::Config2, 0, 0x1_0000_fff0)] },
            ..GOOD_PCI
        }),
    ("must have as writable bits of its filters those of units, each bit of one only", "",
        with_filters!(low_filter(0x1ff), OPC_FILTER)),
    ("must have each bit of each copy in one filter register", "state",
        with_filters!(low_filter(0x7f), OPC_FILTER)),
    ("must have a register of its own for each filter", "",
        with_filters!(low_filter(0xff), filter_register(0x40, Word::Config1, 32, 0xff))),
    ("must have a register of its own for each filter", "",
        with_filters!(low_filter(0xff), filter_register(0x28, Word::Config1, 32, 0xff))),
    ("must have an MSR for each box, if it has MSR numbers of a filter", "",
        with_filters!(low_filter(0xff), filter_msrs(&[0x200], Word::Config1, 32, 0xff))),
    ("must have an MSR for each box, if it has MSR numbers of a filter", "",
        with_filters!(low_filter(0xff), filter_msrs(&[0x200, 0x208, 0x210], Word::Config1, 32, 0xff))),
    // That of the other box, another filter of the other box, and a counter of each box.
    ("must have a register of its own for each filter", "",
        with_filters!(low_filter(0xff), filter_msrs(&[0x200, 0x200], Word::Config1, 32, 0xff))),
    ("must have a register of its own for each filter", "",
        with_filters!(low_filter(0xff), filter_msrs(&[0x200, 0x148], Word::Config1, 32, 0xff))),
    ("must have a register of its own for each filter", "",
        with_filters!(low_filter(0xff), filter_msrs(&[0x200, 0x110], Word::Config1, 32, 0xff))),
    ("must have a register of its own for each filter", "",
        with_filters!(low_filter(0xff), filter_msrs(&[0x154, 0x200], Word::Config1, 32, 0xff))),
    ("must have a value of each filter that is constant, and units that use it", "",
        with_one_more!(constant_filter(OTHER, 1 << 2, 0))),
    ("must have a value of each filter that is constant, and units that use it", "",
        with_one_more!(constant_filter(OTHER, 0, 0xff))),
    ("must have a value of each filter that is constant, and units that use it", "",
        with_one_more!(constant_filter(OTHER, 1 << 5, 0xff))),
    ("must be uncertain only about writable bits of its filters", "",
        with_filters!(low_filter(0xff), OPC_FILTER.uncertain(0x100))),
    ("must have the guard of a filter before it, in MSRs", "",
        with_guard!(4)),
    ("must have the guard of a filter before it, in MSRs", "",
        with_guard!(2)),
    ("must have the guard of a filter before it, in MSRs", "",
        with_guarded!(1 << 0, None)),
    ("must have the guard of a filter before it, in MSRs", "",
        with_guarded!(1 << 2, Some(1))),
    ("must have the guard of a filter before it, in MSRs", "",
        BoxType { filters: GUARDED, ..GOOD_PCI }),
    ("must have the guard of a filter before it, in MSRs", "",
        with_copies(const { &[
            low_filter(0xff),
            constant_filter(OTHER, 1 << 2, 1).with_copies(const { &[copied(0, 0)] }),
            both_copies(const { &[copied(0, 0), copied(1, 8)] }, 0xffff).guarded_by(1),
            ADDR_FILTER,
            BITS_FILTER,
        ] })),
    ("must have a copy of each filter unit, and at most 40 copies in all", "",
        with_usual_units!(TIDS, STATES, opcodes(0))),
    ("must have a copy of each filter unit, and at most 40 copies in all", "",
        with_usual_units!(TIDS, STATES, opcodes(37))),
    ("must have one copy of each filter unit, if it compares one set of units at a time", "",
        BoxType { one_criterion: true, ..with_usual_units!(TIDS, STATES, opcodes(2)) }),
    ("must have the copies of units that its filters name", "",
        with_one_copied!([copied(0, 0), copied(2, 8)], 0xffff)),
    ("must have the copies of units that its filters name", "",
        with_one_copied!([copied(0, 0), copied(0, 8)], 0xffff)),
    ("must have the copies of units that its filters name", "",
        with_one_copied!([copied(0, 0), copied(1, 64)], 0xffff)),
    ("must have the copies of units that its filters name", "",
        with_filters!(low_filter(0xff), OPC_FILTER.with_copies(const { &[copied(0, 0)] }))),
    ("must have each bit of each copy in one filter register", "opc",
        with_one_copied!([copied(0, 0)], 0xff)),
    ("must have each bit of each copy in one filter register", "opc",
        with_one_copied!([copied(0, 0), copied(1, 8)], 0x7fff)),
    ("must have as writable bits of its filters those of units, each bit of one only", "",
        with_one_copied!([copied(0, 0), copied(1, 7)], 0x7fff)),
    ("must have as writable bits of its filters those of units, each bit of one only", "",
        with_one_copied!([copied(0, 0), copied(1, 9)], 0x1_ffff)),
    // A field with bits of another's, whose units an event uses together, and one that is alone.
    ("must have a name and bits of its own, or bits of a filter that no event uses with it", "more",
        BoxType {
            events: const { &[QUEUE, event("e", 2, 3, 1).filter(2).filter(5).source("1")] },
            ..with_field!(field("more", Word::Config1, bits::<32, 35>(), Role::Filter(2)))
        }),
    ("must be above the bits of the control register", "low_set",
        with_field!(field("low_set", Word::Config, bits::<31, 32>(), Role::Filter(2)))),
    ("must be made of bits of each of its fields", "tid",
        with_usual_units!(unit("tid", 0x1f, WhenZero::Enabled), STATES, OPCODES)),
    ("must be made of bits of each of its fields", "addr",
        with_field!(field("more", Word::Config2, bits::<16, 17>(), Role::Filter(3)))),
    ("must have at most one enable field", "tid",
        BoxType {
            control: Control { writable: 0x1f4b_ffff, ..CONTROL },
            ..with_field!(field("more", Word::Config, bits::<28, 28>(), Role::FilterEnable(0)))
        }),
    ("must be marked as an address, as a field of it is called so", "addr",
        with_units(const { &[
            TIDS, STATES, OPCODES, FilterUnit { names_address: false, ..ADDRESSES }, ANY_BITS,
        ] })),
    ("must have a value that names no address among those that do", "addr",
        with_units(const { &[
            TIDS, STATES, OPCODES, ADDRESSES.address_but(0x1_0000), ANY_BITS,
        ] })),
    ("must have a value that names no address among those that do", "state",
        with_usual_units!(
            TIDS,
            FilterUnit { names_none: Some(0), ..unit("state", 0xf0, WhenZero::Keep) },
            OPCODES
        )),
    ("must have an any value of its own bits", "state",
        with_usual_units!(TIDS, unit("state", 0xf0, WhenZero::Fill(0x1f)), OPCODES)),
    ("must have an any value of its own bits", "state",
        with_usual_units!(TIDS, unit("state", 0xf0, WhenZero::Fill(0)), OPCODES)),
    ("must have an enable field, as zero is a value", "state",
        with_usual_units!(TIDS, unit("state", 0xf0, WhenZero::Enabled), OPCODES)),
    ("must ask for one of its fields", "opc",
        with_usual_units!(TIDS, STATES, unit("opc", 0xff << 32, WhenZero::Refuse("state")))),
    ("must ask for one of its fields", "opc",
        with_usual_units!(TIDS, STATES, unit("opc", 0xff << 32, WhenZero::Ask("addr")))),
];

#[rustfmt::skip] // One rule, one row.
const BROKEN_FIXED: &[Broken] = &[
    ("must have no control register, as those of the box are written twice", "fixed",
        with_control(Control { twice: true, ..CONTROL })),
    ("must have at most 5 fixed counters", "",
        BoxType { fixed: &[FIXED, FREE, FIXED, FREE, FIXED, FREE], ..GOOD }),
    ("must have an event select that is no other's", "more",
        with_fixed!(Fixed { name: "more", select: 0x11, counter: 0x60, ..FREE })),
    ("must have an event select that is no other's", "more",
        with_fixed!(Fixed { name: "more", counter: 0x60, ..FREE })),
    ("must have an event select that is no other's", "more",
        with_fixed!(Fixed { name: "more", select: 0x1fd, counter: 0x60, ..FREE })),
    ("must have 1 to 64 bits, and not overflow before they are used up", "more",
        with_fixed!(Fixed { name: "more", select: 0xfd, counter: 0x60, width: 0, ..FREE })),
    ("must have 1 to 64 bits, and not overflow before they are used up", "more",
        with_fixed!(Fixed {
            name: "more",
            select: 0xfd,
            counter: 0x60,
            max_width: 63,
            ..FREE
        })),
    ("must have registers of its own", "more",
        with_fixed!(Fixed { name: "more", select: 0xfd, counter: 0x20, ..FREE })),
    ("must have registers of its own", "more",
        with_fixed!(Fixed { name: "more", select: 0xfd, counter: 0x30, ..FREE })),
    ("must have registers of its own", "more",
        with_fixed!(Fixed { name: "more", select: 0xfd, counter: 0x60, ..FIXED })),
    ("must have its bits among the writable ones", "more",
        with_fixed!(Fixed {
            name: "more",
            select: 0xfd,
            counter: 0x60,
            control: Some(FixedControl { offset: 0x68, acts: 1 << 17, ..FIXED_CONTROL }),
            ..FIXED
        })),
    ("must have its bits among the writable ones", "more",
        with_fixed!(Fixed {
            name: "more",
            select: 0xfd,
            counter: 0x60,
            control: Some(FixedControl { offset: 0x68, enable: 1 << 23, ..FIXED_CONTROL }),
            ..FIXED
        })),
    ("must have one bit, no other's, to enable and to interrupt", "more",
        with_fixed!(Fixed {
            name: "more",
            select: 0xfd,
            counter: 0x60,
            control: Some(FixedControl { offset: 0x68, acts: 1 << 22, ..FIXED_CONTROL }),
            ..FIXED
        })),
];

#[rustfmt::skip] // One rule, one row.
const BROKEN_OVERFLOWS: &[Broken] = &[
    ("must have bits of the global status for each box, if for any", "",
        BoxType { global_status: &[1], ..GOOD }),
    ("must have bits of the global status for each box, if for any", "",
        BoxType { global_status: &[1, 0], ..GOOD }),
    ("must have bits of the global status if its counters can interrupt", "",
        BoxType { global_status: &[], ..GOOD_OVERFLOW }),
    ("must have bits of the global status if its counters can interrupt", "",
        with_fixed!(Fixed {
            name: "more",
            select: 0xfd,
            counter: 0x60,
            control: Some(FixedControl {
                offset: 0x68,
                overflow_enable: Some(1 << 19),
                acts: 0,
                ..FIXED_CONTROL
            }),
            ..FIXED
        })),
    ("must have a register of its own for the box status", "",
        BoxType { status: Some(BoxStatus { offset: 0x20, ..STATUS }), ..GOOD }),
    ("must have a bit of the box status for each counter", "",
        BoxType { status: Some(BoxStatus { overflow: 0b100, ..STATUS }), ..GOOD }),
];

#[rustfmt::skip] // One rule, one row.
const BROKEN_EVENTS: &[Broken] = &[
    ("must have events of its counters", "",
        with_events(&[])),
    ("must have occupancies exactly if it tells them apart", "",
        with_events(const { &[event("e", 2, 3, 1).source("1")] })),
    ("must have occupancies exactly if it tells them apart", "",
        with_control(Control { writable: 0x0f4a_ffff, queue_reset: None, ..CONTROL })),
    ("must have a lower-case name", "Event",
        with_events!(event("Event", 2, 3, 1).source("1"))),
    ("must have a name of its own", "e",
        with_events!(event("e", 2, 3, 1).source("1"), event("e", 3, 3, 1).source("1"))),
    ("must have a greater event select than the event before it", "f",
        with_events!(event("e", 2, 3, 1).source("1"), event("f", 2, 3, 1).source("1"))),
    ("must have an event select that fits its field", "e",
        with_events!(event("e", 0x100, 3, 1).source("1"))),
    ("must have counters, all of them the box's", "e",
        with_events!(event("e", 2, 0, 1).source("1"))),
    ("must have counters, all of them the box's", "e",
        with_events!(event("e", 2, 4, 1).source("1"))),
    ("must have a counter in each counter set", "e",
        BoxType { events: const { &[QUEUE, event("e", 2, 1, 1).source("1")] }, ..GOOD_SETS }),
    ("must have a maximum increment, within the box's", "e",
        with_events!(event("e", 2, 3, 0).source("1"))),
    ("must have a maximum increment, within the box's", "e",
        with_events!(event("e", 2, 3, 21).source("1"))),
    ("must have filters of the box", "e",
        with_events!(event("e", 2, 3, 1).filter(5).source("1"))),
    ("must leave filters that have an enable field to the user", "e",
        with_events!(event("e", 2, 3, 1).filter(0).source("1"))),
    ("must use a copy that its filter units have", "e",
        with_events!(event("e", 2, 3, 1).filter(2).copy(1).source("1"))),
    ("must use a copy that its filter units have", "e",
        BoxType {
            events: const { &[QUEUE, event("e", 2, 3, 1).filter(2).copy(2).source("1")] },
            ..GOOD_COPIES
        }),
    ("must be on counter 0 only, as others look for it there", "e",
        with_events!(event("e", 2, 3, 1).needs(Needs::Source).source("1"))),
    ("must leave counter 0 to an event that is a source", "e",
        with_events!(event("e", 2, 2, 1).needs(Needs::SourceOnCounter0).source("1"))),
    ("must leave counter 0 to an event that is a source", "f",
        with_events!(
            event("e", 2, 1, 1).needs(Needs::Source).source("1"),
            event("f", 3, 3, 1).needs(Needs::SourceOnCounter0).source("1")
        )),
];

#[rustfmt::skip] // One rule, one row.
const BROKEN_ROWS: &[Broken] = &[
    ("must have sub-events exactly if its umask is not always zero", "e",
        with_events!(event("e", 2, 3, 1).listed("1", &[]))),
    ("must have sub-events exactly if its umask is not always zero", "e",
        with_events!(Event { umasks: Umasks::Zero, ..event("e", 2, 3, 1).listed("1", MIXED) })),
    ("must leave its unit to its sub-events", "e",
        with_events!(event("e", 2, 3, 1).combined("1", MIXED).unit(Unit::Line))),
    ("must have a sub-event with a filter for the umask bits that may be added", "e",
        with_events!(event("e", 2, 3, 1).listed_with(0x80, "1", LOOKUP))),
    ("must have a lower-case name and a umask, or neither, unless its event lists umasks", "e.A",
        with_rows!(sub("A", 1))),
    ("must have a lower-case name and a umask, or neither, unless its event lists umasks", "e.a",
        with_rows!(sub("a", 0))),
    ("must have a lower-case name and a umask, or neither, unless its event lists umasks", "e.a",
        with_events!(event("e", 2, 3, 1).listed_with(1, "1", const { &[
            sub("a", 0),
            sub("b", 1).filter(2),
        ] }))),
    ("must have a lower-case name and a umask, or neither, unless its event lists umasks", "e._1st",
        with_rows!(sub("_1st", 1))),
    ("must have a lower-case name and a umask, or neither, unless its event lists umasks", "e",
        with_rows!(sub("", 1))),
    ("must have a umask that fits its field", "lookup.opcode",
        BoxType {
            control: Control { writable: 0x0f4b_0fff, ..CONTROL },
            fields: const { &[
                EVENT, Field { bits: bits::<8, 11>(), ..UMASK }, TID_EN, THRESH,
                TID, STATE, OPC, ADDR, BITS, LOW,
            ] },
            ..GOOD
        }),
    ("must have no limits, as every umask contains it", "e",
        with_rows!(bare().filter(2), sub("a", 1))),
    ("must have a name of its own", "e.a",
        with_rows!(sub("a", 1), sub("a", 2))),
    ("must have a name of its own", "e",
        with_rows!(bare(), bare().lists())),
    ("must have filters of the box", "e.a",
        with_rows!(sub("a", 1).filter(5))),
    ("must leave filters that have an enable field to the user", "e.a",
        with_rows!(sub("a", 1).filter(0))),
    ("must be among sub-events that combine, to exclude any", "e.b",
        with_events!(event("e", 2, 3, 1).listed("1", MIXED))),
    ("must exclude no bits of its own", "e.a",
        with_rows!(sub("a", 1).excludes(3))),
    ("must have a reason to be unusable", "e.a",
        BoxType { unusable: "", ..with_rows!(sub("a", 1).unusable()) }),
    ("must have a greater umask than the row before it, or be its other name", "e.b",
        with_rows!(sub("a", 2), sub("b", 1))),
    ("must have a greater umask than the row before it, or be its other name", "e.b",
        with_rows!(sub("a", 1), sub("b", 1))),
    ("must have a greater umask than the row before it, or be its other name", "e.b",
        with_rows!(sub("a", 1), sub("b", 1).filter(2).lists())),
    ("must have a greater umask than the row before it, or be its other name", "e.b",
        with_rows!(sub("a", 1).excludes(2), sub("b", 1).excludes(4).lists())),
];

#[rustfmt::skip] // One rule, one row.
const BROKEN_PRESETS: &[Broken] = &[
    ("must have values", "e.m",
        with_events!(event("e", 2, 3, 1).filter(2).presets(presets![
            preset("m", 0, 0).source("1"),
        ]).source("1"))),
    ("must have the umask of a sub-event, if its event has any, enable fields, a threshold and filters that its event needs", "e.m",
        with_presets!(preset("m", 1 << 32, 0x10).config(0x100).source("1"))),
    ("must have the umask of a sub-event, if its event has any, enable fields, a threshold and filters that its event needs", "e.m",
        with_presets!(preset("m", 1 << 32, 0x10).config(1 << 18).source("1"))),
    ("must have the umask of a sub-event, if its event has any, enable fields, a threshold and filters that its event needs", "e.m",
        with_events!(event("e", 2, 3, 1).filter(4).combined("1", MIXED).presets(presets![
            preset("m", 0, 1 << 32).config(0x1000).source("1"),
        ]))),
    ("must have the umask of a sub-event, if its event has any, enable fields, a threshold and filters that its event needs", "e.m",
        with_events!(event("e", 2, 3, 1).filter(4).combined("1", MIXED).presets(presets![
            preset("m", 0, 1 << 32).config(0x400).source("1"),
        ]))),
    ("must have a threshold that its event can reach", "e.m",
        with_presets!(preset("m", 1 << 32, 0x10).config(2 << 24).source("1"))),
    ("must have values of filters that its event needs", "e.m",
        with_presets!(preset("m", 1 << 32 | 1, 0).source("1"))),
    ("must have values of filters that its event needs", "e.m",
        with_presets!(preset("m", 1 << 32 | 1 << 4, 0).source("1"))),
    ("must have values of filters that its event needs", "e.m",
        with_presets!(preset("m", 1 << 32, 1).source("1"))),
    ("must have a value of each filter without which its event is refused", "e.m",
        with_presets!(preset("m", 0, 0x10).source("1"))),
];

#[rustfmt::skip] // One rule, one row.
const BROKEN_NAMES: &[Broken] = &[
    ("must have a lower-case name that is no other's", "Fixed",
        BoxType { fixed: const { &[Fixed { name: "Fixed", ..FIXED }] }, ..GOOD }),
    ("must have a lower-case name that is no other's", "clockticks",
        BoxType { fixed: const { &[Fixed { name: "clockticks", ..FIXED }] }, ..GOOD }),
    ("must have a lower-case name that is no other's", "mixed_a",
        BoxType { fixed: const { &[Fixed { name: "mixed_a", ..FIXED }] }, ..GOOD }),
    ("must have a lower-case name that is no other's", "fixed",
        BoxType { fixed: const { &[FIXED, Fixed { name: "fixed", ..FREE }] }, ..GOOD }),
    ("must have a lower-case name that is no other's", "e.queue",
        with_events!(event("e", 2, 3, 1).source("1").presets(presets![also("queue")]))),
    ("must have a lower-case name that is no other's", "e.e..too",
        with_events!(event("e", 2, 3, 1).source("1").presets(presets![also("e..too")]))),
    ("must have a lower-case name that is no other's", "e.2nd.e",
        with_events!(event("e", 2, 3, 1).source("1").presets(presets![also("2nd.e")]))),
    ("must have a lower-case name that is no other's", "e.e",
        with_rows!(sub("e", 1).whole())),
    ("must have a lower-case name that is no other's", "e.x.",
        with_rows!(sub("x.", 1).whole())),
    ("must have a lower-case name that is no other's", "e.e.a",
        with_rows!(sub("a", 1), sub("e.a", 2).whole())),
    ("must have a lower-case name that is no other's", "fixed",
        with_presets!(preset("fixed", 1 << 32, 0).source("1"))),
    ("must have a lower-case name that is no other's", "e.m",
        with_presets!(preset("m", 1 << 32, 0).source("1"), preset("m", 2 << 32, 0).source("1"))),
];

const fn with_types(box_types: &'static [&'static BoxType]) -> Platform {
    Platform {
        name: "test",
        cpus: &[],
        discovery: Some(Discovery {
            device_id: 0x0e1e,
            node_id: 0x40,
            node_mask: 0x7,
            group_map: 0x54,
        }),
        global: None,
        box_types,
        surveyed: &[],
    }
}

const fn without_pci(box_types: &'static [&'static BoxType]) -> Platform {
    Platform {
        discovery: None,
        ..with_types(box_types)
    }
}

const fn other_pci(functions: &'static [PciFunction]) -> BoxType {
    BoxType {
        name: "other",
        ..on_pci(functions)
    }
}

const fn with_global(run: Run, wake: u32, low: u8, high: u8) -> Platform {
    Platform {
        global: Some(GlobalMsrs {
            control: 0xc00,
            run,
            interrupt: Some(Interrupt {
                wake,
                core_select: Bits { low, high },
                status: 0xc01,
            }),
        }),
        ..with_types(&[&GOOD_OVERFLOW])
    }
}

/// A command of a global control.
const RUN: Run = Run::Command(1 << 29);

const GOOD_PLATFORM: Platform = with_types(&[
    &GOOD_PCI_FILTERS,
    &other_pci(&[pci(0, 16, 4, 1), pci(1, 16, 5, 2)]),
]);

#[rustfmt::skip] // One rule, one row.
const BROKEN_PLATFORMS: &[(&str, Platform)] = &[
    ("must have bits of its own, in the global control, to run, to wake and to select cores",
        with_global(Run::Level(0), 1 << 30, 0, 3)),
    ("must have bits of its own, in the global control, to run, to wake and to select cores",
        with_global(Run::Level(1 << 29 | 1), 1 << 30, 0, 3)),
    ("must have bits of its own, in the global control, to run, to wake and to select cores",
        with_global(Run::Command(1 << 29 | 1 << 28), 1 << 30, 0, 3)),
    ("must have bits of its own, in the global control, to run, to wake and to select cores",
        with_global(RUN, 1 << 29, 0, 3)),
    ("must have bits of its own, in the global control, to run, to wake and to select cores",
        with_global(RUN, 1 << 30, 0, 29)),
    ("must have bits of its own, in the global control, to run, to wake and to select cores",
        with_global(RUN, 1 << 30, 4, 3)),
    ("must have a name that is no other box type's",
        with_types(&[&GOOD_MSRS, &GOOD_PCI])),
    ("must have PCI device IDs that are no other box type's, and none of discovery",
        with_types(&[&GOOD_PCI_FILTERS, &other_pci(&[pci(0, 16, 4, 1), pci(1, 16, 5, 0x0eb7)])])),
    ("must have PCI device IDs that are no other box type's, and none of discovery",
        with_types(&[&other_pci(&[pci(0, 16, 4, 1), pci(1, 16, 5, 0x0e1e)])])),
    ("must have bits of the global status that are no other box type's",
        with_types(&[&BoxType { global_status: &[1, 1 << 35], ..GOOD_PCI }, &overflowing(&[4, 1 << 35])])),
    ("must have a PCI function that maps buses beside it, as it needs PCI functions",
        without_pci(&[&GOOD_PCI])),
    ("must have a PCI function that maps buses beside it, as it needs PCI functions",
        without_pci(&[&GOOD_FUSES])),
    ("must be present without its clock, as the clock stands still until an event starts",
        Platform {
            global: Some(GlobalMsrs { control: 0xc00, run: Run::Level(1), interrupt: None }),
            ..with_types(&[&BoxType { needs_clock: true, ..GOOD_PCI }])
        }),
    ("must be MSRs of counters and their controls, lost with the level, if a sleep clears them",
        Platform {
            global: Some(GlobalMsrs { control: 0xc00, run: Run::Level(1), interrupt: None }),
            ..with_types(&[&BoxType {
                lost_with: Some(const {
                    &GlobalMsrs { control: 0xc00, run: Run::Level(1), interrupt: None }
                }),
                ..GOOD_PCI
            }])
        }),
    ("must have an interrupt of the platform beside it, as its counters can interrupt",
        with_types(&[&GOOD_OVERFLOW])),
];

/// A platform with this processor and boxes at these MSRs.
const fn with_msrs(cpu: &'static (u8, u8), box_types: &'static [&'static BoxType]) -> Platform {
    Platform {
        cpus: core::slice::from_ref(cpu),
        ..without_pci(box_types)
    }
}

/// A platform with this global control and status.
const fn with_globals(control: u32, status: u32) -> Platform {
    Platform {
        cpus: &[(6, 62)],
        global: Some(GlobalMsrs {
            control,
            run: RUN,
            interrupt: Some(Interrupt {
                wake: 1 << 30,
                core_select: Bits { low: 0, high: 3 },
                status,
            }),
        }),
        ..without_pci(&[])
    }
}

/// Boxes in the window of Ivy Bridge-EP's C-Boxes, 0xd04 to 0xeda.
const IN_WINDOW: BoxType = at_msrs(&[0xd04, 0xd44]);

const fn at_msrs(bases: &'static [u32]) -> BoxType {
    BoxType {
        access: msr(bases),
        ..GOOD
    }
}

#[rustfmt::skip] // One rule, one row.
const OUTSIDE_WINDOWS: &[(&str, Platform)] = &[
    ("must have its global registers in the window of its processors",
        with_globals(0xc02, 0xc01)),
    ("must have its global registers in the window of its processors",
        with_globals(0xc00, 0xc02)),
    ("must have the registers that are written in the window of its processors",
        with_msrs(&(6, 85), &[&IN_WINDOW])),
    // Box control of the first box, filter of the second box.
    ("must have the registers that are written in the window of its processors",
        with_msrs(&(6, 62), &[&at_msrs(&[0xd03, 0xd43])])),
    ("must have the registers that are written in the window of its processors",
        with_msrs(&(6, 62), &[&IN_WINDOW, &at_msrs(&[0xe50, 0xe90])])),
    ("must have the registers that are written in the window of its processors",
        with_msrs(&(6, 62), &[&IN_WINDOW, &BoxType {
            filters: &[filter_msrs(&[0xd03, 0xdff], Word::Config1, 0, 0xff)],
            ..IN_WINDOW
        }])),
];

/// A box type beside others, with these bits of the global status.
const fn overflowing(bits: &'static [u64]) -> BoxType {
    BoxType {
        global_status: bits,
        ..other_pci(const { &[pci(0, 16, 4, 1), pci(1, 16, 5, 2)] })
    }
}

/// More names than any of these boxes has.
const NAMES: usize = 32;

/// Returns `true` if the first fault of a box is the expected one; else logs the fault.
fn is_found((what, location, of): &Broken) -> bool {
    says(fault::<NAMES>(of), what, location)
}

fn says(found: Option<Fault>, what: &str, location: &str) -> bool {
    let (at, row) = location.split_once('.').unwrap_or((location, ""));
    let is_right = matches!(found, Some(found)
        if found.what == what && found.location.at == at && found.location.row == row);
    if !is_right {
        pr_err!(
            "{} {}: found {}\n",
            location,
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
    fn a_box_that_states_nothing_is_refused() {
        assert!(fault::<NAMES>(&ORDINARY_BOX).is_some());
    }

    #[test]
    fn good_boxes_have_no_fault() {
        assert!(fault::<NAMES>(&GOOD).is_none());
        assert!(fault::<NAMES>(&GOOD_MSRS).is_none());
        assert!(fault::<NAMES>(&GOOD_FUSES).is_none());
        assert!(fault::<NAMES>(&GOOD_SETS).is_none());
        assert!(fault::<NAMES>(&GOOD_GUARD).is_none());
        assert!(fault::<NAMES>(&GOOD_COPIES).is_none());
        assert!(fault::<NAMES>(&GOOD_PCI).is_none());
        assert!(fault::<NAMES>(&GOOD_PCI_FILTERS).is_none());
        assert!(fault::<NAMES>(&GOOD_OVERFLOW).is_none());
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
    fn broken_status_registers_are_found() {
        assert!(BROKEN_OVERFLOWS.iter().all(is_found));
    }

    #[test]
    fn broken_events_are_found() {
        assert!(BROKEN_EVENTS.iter().all(is_found));
    }

    #[test]
    fn broken_subevents_are_found() {
        assert!(BROKEN_ROWS.iter().all(is_found));
    }

    #[test]
    fn broken_presets_are_found() {
        assert!(BROKEN_PRESETS.iter().all(is_found));
    }

    #[test]
    fn broken_platforms_are_found() {
        assert!(platform(&GOOD_PLATFORM).is_none());
        assert!(platform(&without_pci(&[&GOOD])).is_none());
        assert!(platform(&with_global(RUN, 1 << 30, 0, 14)).is_none());
        for level in [1 << 29, 1 << 29 | 0x10] {
            assert!(platform(&with_global(Run::Level(level), 1 << 30, 0, 3)).is_none());
        }
        for (what, of) in BROKEN_PLATFORMS {
            assert!(says(platform(of), what, ""));
        }
    }

    #[test]
    fn registers_outside_the_window_are_found() {
        assert!(window(&with_msrs(&(6, 62), &[&IN_WINDOW, &GOOD_PCI])).is_none());
        assert!(window(&with_globals(0xc00, 0xc01)).is_none());
        for (what, of) in OUTSIDE_WINDOWS {
            assert!(says(window(of), what, ""));
        }
    }

    #[test]
    fn broken_names_are_found() {
        assert!(BROKEN_NAMES.iter().all(is_found));
    }

    #[test]
    fn a_fault_is_told_with_its_location() {
        let fault = |location| Fault {
            location,
            what: "must count",
        };
        let whole = Location::of(&GOOD);
        let rows = [
            (whole, "test: must count"),
            (whole.at("queue"), "test queue: must count"),
            (whole.at("queue").row("all"), "test queue.all: must count"),
        ];
        for (location, message) in rows {
            assert_eq!(fault(location).message().as_str(), message);
        }
    }

    #[test]
    fn a_long_message_is_cut() {
        let long = (0..100).fold(Message::new(), |message, _| message.add("1234567"));
        assert_eq!(long.as_str().len(), Message::MOST);
        assert!(long.as_str().ends_with("7123456712"));
    }
}
