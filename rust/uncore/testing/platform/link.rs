// SPDX-License-Identifier: GPL-2.0

//! A made-up link: four counters in two sets, an extended event select, queues that can be cleared,
//! and filters in a function of their own, beyond the first 256 bytes.

use super::EXT;
use crate::uncore::table::prelude::*;

const FUNCTIONS: &[PciFunction] = &[
    pci(0, 8, 2, 0x7032).filters(8, 6, 0x7086),
    pci(1, 9, 2, 0x7033).filters(9, 6, 0x7096),
];

/// Offsets.
pub(crate) const BOX_CONTROL: u16 = 0xf4;
pub(crate) const CONTROL: [u16; 4] = [0xd8, 0xdc, 0xe0, 0xe4];
pub(crate) const COUNTER: [u16; 4] = [0xa0, 0xa8, 0xb0, 0xb8];
pub(crate) const MATCH: u16 = 0x228;
pub(crate) const MASK: u16 = 0x238;

/// Enable and queue reset bit of the control registers.
pub(crate) const ENABLE: u64 = 1 << 22;
pub(crate) const QUEUE_RESET: u64 = 1 << 16;

const SELECT: &[Bits] = &[Bits { low: 0, high: 7 }, Bits { low: 21, high: 21 }];

/// Filter units.
pub(crate) const PACKET: u8 = 0;
const CARE: u8 = 1;

#[rustfmt::skip] // In columns.
const FIELDS: &[Field] = &[
    field("event",        Word::Config,  SELECT,           Role::Select),
    field("umask",        Word::Config,  bits::<8, 15>(),  Role::Umask),
    field("edge",         Word::Config,  bits::<18, 18>(), Role::Edge),
    field("thresh",       Word::Config,  bits::<24, 31>(), Role::Threshold),
    field("half",         Word::Config,  bits::<32, 32>(), Role::CounterSet),
    field("match",        Word::Config1, bits::<0, 31>(),  Role::View),
    field("match_opcode", Word::Config1, bits::<5, 8>(),   Role::Filter(PACKET)),
    field("match_class",  Word::Config1, bits::<9, 12>(),  Role::Filter(PACKET)),
    field("mask",         Word::Config2, bits::<0, 31>(),  Role::View),
    field("mask_opcode",  Word::Config2, bits::<5, 8>(),   Role::Filter(CARE)),
    field("mask_class",   Word::Config2, bits::<9, 12>(),  Role::Filter(CARE)),
];

#[rustfmt::skip] // In columns.
const UNITS: &[FilterUnit] = &[
    filter_unit("packet", Word::Config1, 0x1fe0, WhenZero::Ask("match_class")),
    filter_unit("care",   Word::Config2, 0x1fe0, WhenZero::MaskOf(Word::Config1)),
];

/// All counters.
const ANY: u8 = 0b1111;

const BYTES: Unit = Unit::EightBytes;

const PACKETS: &[Preset] = &[
    preset("message.data", 0x1c00, 0x1f80).source("made up"),
    preset("message.data.any", 0x1c00, 0x1e00).source("made up"),
    preset("message.request", 0x0000, 0x1e00).source("made up"),
];

#[rustfmt::skip] // One row, one line.
const EVENTS: &[Event] = &[
    event("flits",     0x00,       ANY,      2).combined("made up", const { &[
        bare(),
        sub("data",    0x02).unit(BYTES),
        sub("payload", 0x02).whole().unit(BYTES),
        sub("other",   0x04),
    ] }),
    event("queue",     0x0b,       ANY,    128).occupancy().source("made up"),
    event("clock",     0x14,       ANY,      1).presets(presets![also("clockticks")]).source("made up"),
    event("far",       EXT,        ANY,      2).listed("made up", const { &[
        sub("data",    0x01),
        sub("far_off", 0x02).whole(),
    ] }),
    event("message",   0x38 | EXT, ANY,      2).filter(PACKET).filter(CARE)
                                               .presets(&PACKETS).source("made up"),
];

pub(crate) static LINK: BoxType = LINKS;

pub(crate) const LINKS: BoxType = BoxType {
    name: "link",
    numbered: true,
    access: Access::Pci(FUNCTIONS),
    box_control: Some(BoxControl {
        offset: BOX_CONTROL,
        reset: &[0x3],
        freeze: 0x100,
        unfreeze: 0,
    }),
    status: None,
    counters: &[
        counter(CONTROL[0], COUNTER[0]),
        counter(CONTROL[1], COUNTER[1]),
        counter(CONTROL[2], COUNTER[2]),
        counter(CONTROL[3], COUNTER[3]),
    ],
    width: 48,
    counter_sets: &[0b0011, 0b1100],
    control: Control {
        writable: 0xff67_ffff,
        enable: 1 << 22,
        overflow_enable: None,
        uncertain: 0,
        acts: 1 << 17,
        queue_reset: Some(1 << 16),
        twice: false,
        select: SELECT,
    },
    fields: FIELDS,
    filters: &[
        filter_register(MATCH, Word::Config1, 0, 0x1fe0),
        filter_register(MASK, Word::Config2, 0, 0x1fe0),
    ],
    filter_units: UNITS,
    events: EVENTS,
    builtin_events: false,
    max_clock_mhz: 4000,
    max_increment: 128,
    ..ORDINARY_BOX
};

/// The box type with one set less than the field can choose, which no real table may have.
pub(crate) static ONE_SET: BoxType = BoxType {
    counter_sets: &[0b0011],
    ..LINKS
};
