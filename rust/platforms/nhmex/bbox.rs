// SPDX-License-Identifier: GPL-2.0

//! A B-Box is the home agent of the memory behind an M-Box: it keeps requests to it coherent.
//!
//! Four general counters of 48 bits; MSRs 0xc20 + 0x40 n; two per package. A match and a mask of
//! packets and addresses, MSRs from 0xe45 and 0xe4d on, shared by the four counters.
//! Documentation/hardware/nhmex.rst sections 6, 7, 12 and 15.
//!
//! Abbreviations: COHQ, DIRQ, DRSQ, SNPOQ queues; IMT in-flight memory table; INVITOE a request for
//! ownership without data; IOH I/O hub; TF tracker file; VN0, VNA pools of credits; WB write-back.
//!
//! Oddities:
//!
//! * Each counter has a set of events of its own. `counter` chooses the counter, and is not
//!   written.
//! * There are neither umask nor threshold nor edge detection.
//! * An event compares the fields that it is called after, and takes no others.
//! * Most occupancies count overflows of an accumulator: `imt_valid_occupancy` 1 for 32 entries
//!   and cycles, `tf_*` 1 for 256, the others unknown.
//!
//! Uncertain:
//!
//! * What a bit of 1 means in a mask. So names of events that compare ask for match and mask.
//! * That an event compares no other fields: from the names, stated nowhere.

use super::*;

// Registers: MSR numbers less 0xc20 + 0x40 n.

/// `B_MSR_PMON_GLOBAL_CTL` (RW).
const BOX_CONTROL: BoxControl = enables(0x00, 0xf);

/// `B_MSR_PMON_CTL0` to `3` (RW) and `B_MSR_PMON_CTR0` to `3` (RW).
const COUNTERS: &[Counter] = &pairs::<4>(0x10);

/// Layout of `B_MSR_PMON_CTL`, section 6.
///
/// No counter interrupts: the PMI enable, bit 20, is not used.
const CONTROL: Control = Control {
    writable: 0x0000_003f,
    enable: 1 << 0,
    select: bits::<1, 7>(),
    ..super::CONTROL
};

/// `B_MSR_MATCH` and `B_MSR_MASK` (RW), section 12. They have no enable bit.
const FILTERS: &[FilterRegister] = &[
    filter_msrs(&[0xe45, 0xe4d], Word::Config1, 0, 0x0fff_ffff_ffff_ffff),
    filter_msrs(&[0xe46, 0xe4e], Word::Config2, 0, 0x0fff_ffff_ffff_ffff),
];

// Config fields.

#[rustfmt::skip] // In columns, to be read against sections 6 and 12.
const FIELDS: &[Field] = &[
    field("event",         Word::Config,  bits::<1, 5>(),   Role::Select),
    field("counter",       Word::Config,  bits::<6, 7>(),   Role::EventSet),
    field("match_addr",    Word::Config1, bits::<0, 43>(),  Role::Filter(0)),
    field("match_msg_in",  Word::Config1, bits::<44, 47>(), Role::Filter(1)),
    field("match_msg_out", Word::Config1, bits::<48, 51>(), Role::Filter(2)),
    field("match_opc_in",  Word::Config1, bits::<52, 55>(), Role::Filter(3)),
    field("match_opc_out", Word::Config1, bits::<56, 59>(), Role::Filter(4)),
    field("match",         Word::Config1, bits::<0, 63>(),  Role::View),
    field("mask_addr",     Word::Config2, bits::<0, 43>(),  Role::Filter(5)),
    field("mask_msg_in",   Word::Config2, bits::<44, 47>(), Role::Filter(6)),
    field("mask_msg_out",  Word::Config2, bits::<48, 51>(), Role::Filter(7)),
    field("mask_opc_in",   Word::Config2, bits::<52, 55>(), Role::Filter(8)),
    field("mask_opc_out",  Word::Config2, bits::<56, 59>(), Role::Filter(9)),
    field("mask",          Word::Config2, bits::<0, 63>(),  Role::View),
];

// Filters.

/// A filter unit of one field, of which zero is a value like any other.
const fn ask(field: &'static str, word: Word, mask: u64) -> FilterUnit {
    filter_unit(field, word, mask, WhenZero::Ask(field))
}

#[rustfmt::skip] // In columns.
/// The words that packets are compared with, and their mask.
///
/// SPEC: nhmex X-3, a mask of zero compares all or nothing.
const FILTER_UNITS: &[FilterUnit] = &[
    ask("match_addr",    Word::Config1, 0xfff_ffff_ffff).address(),
    ask("match_msg_in",  Word::Config1, 0xf << 44),
    ask("match_msg_out", Word::Config1, 0xf << 48),
    ask("match_opc_in",  Word::Config1, 0xf << 52),
    ask("match_opc_out", Word::Config1, 0xf << 56),
    ask("mask_addr",     Word::Config2, 0xfff_ffff_ffff).address(),
    ask("mask_msg_in",   Word::Config2, 0xf << 44),
    ask("mask_msg_out",  Word::Config2, 0xf << 48),
    ask("mask_opc_in",   Word::Config2, 0xf << 52),
    ask("mask_opc_out",  Word::Config2, 0xf << 56),
];

/// The filter units of a field of the match and of that field of the mask.
const fn pair(unit: u8) -> u16 {
    1 << unit | 1 << (unit + 5)
}

const ADDR: u16 = pair(0);
const MSG_IN: u16 = pair(1);
const MSG_OUT: u16 = pair(2);
const OPC_IN: u16 = pair(3);
const OPC_OUT: u16 = pair(4);

// Events.

/// The event `code` of a counter.
const fn on(counter: u8, name: &'static str, code: u32, max: u16) -> Event<false> {
    event(name, (counter as u32) << 6 | code << 1, 1 << counter, max)
}

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
const EVENTS: &[Event] = &[
    // ctr. name                         code  max
    on(0, "msg_addr_in_match",           0x01, NOT_STATED).filters(MSG_IN | ADDR).source(LISTS),
    on(0, "opcode_addr_in_match",        0x02, NOT_STATED).filters(OPC_IN | ADDR).source("manual 2-32"),
    on(0, "msg_opcode_addr_in_match",    0x03, NOT_STATED).filters(MSG_IN | OPC_IN | ADDR).source(LISTS),
    on(0, "tf_all",                      0x04, NOT_STATED).source(LISTS),
    on(0, "tf_wr",                       0x05, NOT_STATED).source(LISTS),
    on(0, "tf_invitoe",                  0x06, NOT_STATED).source(LISTS),
    on(0, "imt_valid_occupancy",         0x07, NOT_STATED).source(LISTS),
    on(0, "drsq_occupancy",              0x09, NOT_STATED).source(LISTS),
    on(0, "tf_ioh",                      0x0b, NOT_STATED).source(LISTS),
    on(0, "tf_ioh_wr",                   0x0d, NOT_STATED).source(LISTS),
    on(0, "tf_ioh_invitoe",              0x0f, NOT_STATED).source(LISTS),
    on(0, "snpoq_occupancy",             0x12, NOT_STATED).source(LISTS),
    on(0, "dirq_occupancy",              0x17, NOT_STATED).source(LISTS),
    on(0, "tf_ioh_non_invitoe_rd",       0x1c, NOT_STATED).source(LISTS),

    on(1, "msg_in_match",                0x01, NOT_STATED).filters(MSG_IN).source(LISTS),
    on(1, "msg_out_match",               0x02, NOT_STATED).filters(MSG_OUT).source(LISTS),
    on(1, "opcode_in_match",             0x03, NOT_STATED).filters(OPC_IN).source(LISTS),
    on(1, "opcode_out_match",            0x04, NOT_STATED).filters(OPC_OUT).source(LISTS),
    on(1, "msg_opcode_in_match",         0x05, NOT_STATED).filters(MSG_IN | OPC_IN).source(LISTS),
    on(1, "msg_opcode_out_match",        0x06, NOT_STATED).filters(MSG_OUT | OPC_OUT).source(LISTS),
    on(1, "imt_inserts_all",             0x07, NOT_STATED).source(LISTS),
    on(1, "drsq_inserts",                0x09, NOT_STATED).source(LISTS),
    on(1, "imt_inserts_ioh",             0x0a, NOT_STATED).source(LISTS),
    on(1, "imt_inserts_non_ioh",         0x0b, NOT_STATED).source(LISTS),
    on(1, "imt_inserts_wr",              0x0c, NOT_STATED).source(LISTS),
    on(1, "imt_inserts_ioh_wr",          0x0d, NOT_STATED).source(LISTS),
    on(1, "imt_inserts_non_ioh_wr",      0x0e, NOT_STATED).source(LISTS),
    on(1, "imt_inserts_invitoe",         0x0f, NOT_STATED).source(LISTS),
    on(1, "imt_inserts_ioh_invitoe",     0x10, NOT_STATED).source(LISTS),
    on(1, "snpoq_inserts",               0x12, NOT_STATED).source(LISTS),
    on(1, "dirq_inserts",                0x17, NOT_STATED).source(LISTS),
    on(1, "imt_inserts_non_ioh_invitoe", 0x1c, NOT_STATED).source(LISTS),
    on(1, "imt_inserts_rd",              0x1d, NOT_STATED).source(LISTS),
    on(1, "imt_inserts_non_ioh_rd",      0x1f, NOT_STATED).source(LISTS),

    on(2, "msgs_in_non_snp",             0x01, NOT_STATED).source(LISTS),
    on(2, "msgs_s_to_b",                 0x02, NOT_STATED).source(LISTS),
    on(2, "msgs_b_to_s",                 0x03, NOT_STATED).source(LISTS),
    on(2, "addr_in_match",               0x04, 1).filters(ADDR).source("manual 2-36"),
    on(2, "imt_ne_cycles",               0x07, 1).source("manual 2-36"),

    on(3, "early_ack",                   0x02, 1).source("manual 2-36"),
    on(3, "imt_prealloc",                0x06, 1).source("manual 2-36"),
    on(3, "cohq_bypass",                 0x0e, 1).source("manual 2-36"),
    on(3, "demand_fetch",                0x0f, 1).source("manual 2-36"),
    on(3, "implicit_wbs",                0x12, 1).source("manual 2-36"),
    on(3, "cohq_imt_alloc_wait",         0x13, 1).source("manual 2-36"),
    on(3, "sbox_vn0_unavail",            0x14, 1).source("manual 2-36"),
    on(3, "rbox_vna_unavail",            0x15, 1).source("manual 2-36"),
    on(3, "imt_full",                    0x16, 1).source("manual 2-36"),
    on(3, "conflicts",                   0x17, 1).source("manual 2-36"),
    on(3, "ack_before_last_snp",         0x19, 1).source("manual 2-36"),
];

/// The B-Box.
pub(super) const BBOX: BoxType = BoxType {
    name: "bbox",
    numbered: true,
    access: Access::Msr {
        bases: &[0xc20, 0xc60],
        present: &[Presence::All],
    },
    box_control: Some(BOX_CONTROL),
    status: None,
    counters: COUNTERS,
    width: 48,
    control: CONTROL,
    fields: FIELDS,
    filters: FILTERS,
    filter_units: FILTER_UNITS,
    events: EVENTS,
    builtin_events: true,
    max_clock_mhz: MAX_UCLK_MHZ,
    max_increment: NOT_STATED,
    ..ORDINARY_BOX
};
