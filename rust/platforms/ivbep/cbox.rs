// SPDX-License-Identifier: GPL-2.0

//! A C-Box is a slice of the last-level cache with its ring stop: every core and I/O request for
//! memory passes one C-Box.
//!
//! Four general counters of 44 bits, of which only counter 0 takes occupancies (20 a clock, the
//! others 1); MSRs 0xd00 + 0x20 n; up to 15 per package. Documentation/hardware/ivbep.rst section
//! 7.2 (manual 2.3). Two filter registers, shared by the four counters.
//!
//! Abbreviations: AD, AK, BL, IV the address, acknowledge, block and invalidate rings; IPQ, IRQ,
//! PRQ ingress queues of probes and requests; ISMQ ingress queue of responses; isoc isochronous;
//! LLC last-level cache; nc non-coherent; NID node ID; opc opcode; QLRU the replacement policy;
//! RTID request transaction ID; TID thread ID; TOR table of requests; VR virtual ring; WB
//! write-back; `RxR`, `TxR` what comes from and goes to the ring.
//!
//! Oddities:
//!
//! * No overflow enable and no documented box status (U-1, U-2): wraps are found by polling.
//! * The second filter register is apart from the first, behind the counters. In `config1` the
//!   first is the low half, the second the high half.
//! * A thread is only compared where the control register has `tid_en`.
//! * `LLC_LOOKUP` with no state counts nothing: the named events have all six.
//! * The opcode is compared for requests of the IRQ only, not for snoops and responses (U-77).
//! * `COUNTER0_OCCUPANCY` shows counters 1 to 3 the occupancy that counter 0 has selected.
//! * "up" is clockwise on the left half of the ring and the opposite on the right half.
//! * `filter_link` and `filter_c6` of the in-tree driver are reserved bits: not offered (U-4).
//!
//! Uncertain:
//!
//! * How many C-Boxes a package has (U-13).
//! * The state M' is bit 22 alone, though one table prints bits 20 and 22 (U-6).
//! * `filter_tid` has three bits of core ID for up to 15 cores (U-7).
//! * `filter_nid` is 16 bits wide, though bit 15 is printed as reserved too (U-5).
//! * Events with other filters take turns, as the box may compare one criterion only (U-21).
//! * `LLC_VICTIMS.NID` alone, without a state. It is a row of Table 2-20 and so has a name; the
//!   text has its bit joined to a state (U-69).
//! * The names of the lists that share a umask with a name of the manual, and what the manual
//!   leaves out (U-41).
//! * Umask 0 for events without sub-events (U-14).

use super::*;
use xeon::cbox::*;

// Registers: MSR numbers less 0xd00 + 0x20 n.

/// Location of the boxes.
///
/// SPEC: U-13. Hardware gives two numbers of boxes: the functions 0x0ee0 + n, and `num_c`. For
/// parts with fewer cores than slices, the manual does not say which of these either one counts.
/// The functions were right on both machines that were examined; `num_c` has a constant reset
/// value, and the manual does not say who corrects it. The in-tree driver counts cores and misses
/// slices without a core.
const ACCESS: Access = Access::Msr {
    bases: &every::<15>(0xd00, 0x20),
    present: &[Presence::Functions { first_id: 0x0ee0 }, NUM_C],
};

/// `num_c` of `U_MSR_PMON_GLOBAL_CONFIG` (Table 2-4).
const NUM_C: Presence = Presence::Register {
    msr: 0xc06,
    bits: Bits { low: 0, high: 3 },
};

/// `Cn_MSR_PMON_BOX_CTL` (WO, Table 2-13): bits 17:16 must be written 1, 8 freezes, 1 clears the
/// counters, 0 the controls.
const BOX_CONTROL: BoxControl = box_control(0x04);

/// `Cn_MSR_PMON_CTL0` to `3` (RW) and `Cn_MSR_PMON_CTR0` to `3` (RW).
const COUNTERS: &[Counter] = &[
    counter(0x10, 0x16),
    counter(0x11, 0x17),
    counter(0x12, 0x18),
    counter(0x13, 0x19),
];

/// Layout of `Cn_MSR_PMON_CTL`, Table 2-14.
const CONTROL: Control = control(0xff4e_ffff);

/// `Cn_MSR_PMON_BOX_FILTER` (RW, Table 2-16) and `Cn_MSR_PMON_BOX_FILTER1` (RW, Table 2-17).
///
/// SPEC: U-5, bit 15 of the second is a node, or reserved.
const FILTERS: &[FilterRegister] = &[
    filter_register(0x14, Word::Config1, 0, 0x007e_001f),
    filter_register(0x1a, Word::Config1, 32, 0xdff0_ffff).uncertain(1 << 15),
];

/// Bits of `U_MSR_PMON_GLOBAL_STATUS` (Table 2-3): `ov_c`, though without an overflow enable
/// nothing sets them.
///
/// SPEC: U-68, from bit 3 on, as the range says, not the text.
#[rustfmt::skip] // In rows.
const GLOBAL_STATUS: &[u64] = &[
    1 <<  3, 1 <<  4, 1 <<  5, 1 <<  6, 1 <<  7,
    1 <<  8, 1 <<  9, 1 << 10, 1 << 11, 1 << 12,
    1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17,
];

// Config fields.

#[rustfmt::skip] // In columns, to be read against Tables 2-14, 2-16 and 2-17.
pub(crate) const FIELDS: &[Field] = &[
    field("event",        Word::Config,  bits::<0, 7>(),   Role::Select),
    field("umask",        Word::Config,  bits::<8, 15>(),  Role::Umask),
    field("edge",         Word::Config,  bits::<18, 18>(), Role::Edge),
    field("tid_en",       Word::Config,  bits::<19, 19>(), Role::FilterEnable(TID)),
    field("thresh",       Word::Config,  bits::<24, 31>(), Role::Threshold),
    // SPEC: U-7.
    field("filter_tid",   Word::Config1, bits::<0, 4>(),   Role::Filter(TID)),
    // SPEC: U-6.
    field("filter_state", Word::Config1, bits::<17, 22>(), Role::Filter(STATE)),
    // SPEC: U-5.
    field("filter_nid",   Word::Config1, bits::<32, 47>(), Role::Filter(NID)),
    field("filter_opc",   Word::Config1, bits::<52, 60>(), Role::Filter(OPC)),
    field("filter_nc",    Word::Config1, bits::<62, 62>(), Role::Filter(OPC)),
    field("filter_isoc",  Word::Config1, bits::<63, 63>(), Role::Filter(OPC)),
];

// Filters.

#[rustfmt::skip] // In columns.
pub(crate) const FILTER_UNITS: &[FilterUnit] = &[
    filter_unit("tid",   Word::Config1, 0x1f,         WhenZero::Enabled),
    filter_unit("state", Word::Config1, 0x3f << 17,   WhenZero::Fill(0x3f << 17)),
    filter_unit("nid",   Word::Config1, 0xffff << 32, WhenZero::Refuse("filter_nid")),
    filter_unit("opc",   Word::Config1, 0xdff << 52,  WhenZero::Refuse("filter_opc")).valid(can_match_opcode::<52>),
];

// Events.

/// Counter 0, the one that takes occupancies.
const C0: u8 = 0b0001;
/// Counters 0 and 1.
pub(crate) const C01: u8 = 0b0011;
/// Counters 2 and 3.
const C23: u8 = 0b1100;
/// All but the one that takes occupancies.
const C123: u8 = 0b1110;
/// Every counter.
const ANY: u8 = 0b1111;

/// SPEC: U-66, not stated for events of the lists. No counter can add more.
pub(crate) const NOT_STATED: u16 = 20;

#[rustfmt::skip] // In columns, to be read against Tables 2-22 to 2-24.
const RING_USED: &[SubEvent] = &[
    sub("up_vr0_even",    0x01),
    sub("up_vr0_odd",     0x02),
    sub("cw",             0x03).lists(),
    sub("down_vr0_even",  0x04),
    sub("down_vr0_odd",   0x08),
    sub("ccw",            0x0c).lists(),
    sub("up_vr1_even",    0x10),
    sub("up_vr1_odd",     0x20),
    sub("up",             0x33),
    sub("down_vr1_even",  0x40),
    sub("down_vr1_odd",   0x80),
    sub("down",           0xcc),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the manual's tables.
pub(crate) const EVENTS: &[Event] = &[
    // Name                        select  counters  max

    event("clockticks",            0x00,   ANY,      1).source("2.3.7"),
    event("txr_inserts",           0x02,   C01,      1).combined("Table 2-36", TXR_INSERTS),

    // SPEC: U-41, in the lists only.
    event("txr_starved",           0x03,   C01,      NOT_STATED).combined(LISTS, const { &[
        sub("ak_both",             0x02),
        sub("iv",                  0x08),
        sub("ad_core",             0x10),
    ] }),

    event("txr_ads_used",          0x04,   C01,      1).combined("Table 2-35", RINGS),

    // SPEC: U-41, the lists give these umasks to other rings; the manual's names come first.
    event("ring_bounces",          0x05,   C01,      1).combined("Table 2-25", const { &[
        sub("ad_irq",              0x02),
        sub("ak_core",             0x02).lists(),
        sub("ak",                  0x04),
        sub("bl_core",             0x04).lists(),
        sub("bl",                  0x08),
        sub("iv_core",             0x08).lists(),
        sub("iv",                  0x10),
    ] }),

    // SPEC: U-41, in the lists only.
    event("ring_sink_starved",     0x06,   C01,      NOT_STATED).combined(LISTS, const { &[
        sub("ad_irq",              0x01),
        sub("ad_ipq",              0x02),
        sub("iv",                  0x10),
    ] }),

    event("ring_src_thrtl",        0x07,   C01,      1).source("2.3.7"),

    event("rxr_occupancy",         0x11,   C0,      20).needs(Needs::Source).combined("Table 2-32", const { &[
        sub("irq",                 0x01),
        sub("irq_rejected",        0x02).exclusive(),
        sub("irq_rej",             0x02).exclusive().lists(),
        sub("ipq",                 0x04),
        sub("vfifo",               0x10),
    ] }),

    event("rxr_ext_starved",       0x12,   C01,      1).combined("Table 2-27", RXR_EXT_STARVED),

    event("rxr_inserts",           0x13,   C01,      1).combined("Table 2-28", const { &[
        sub("irq",                 0x01),
        sub("irq_rej",             0x02).exclusive(),
        sub("irq_rejected",        0x02).exclusive().lists(),
        sub("ipq",                 0x04),
        sub("vfifo",               0x10),
    ] }),

    // SPEC: U-41, in the lists only.
    event("rxr_int_starved",       0x14,   C01,      NOT_STATED).combined(LISTS, const { &[
        sub("irq",                 0x01),
        sub("ipq",                 0x04),
        sub("ismq",                0x08),
    ] }),

    event("ring_ad_used",          0x1b,   C23,      1).combined("Table 2-22", RING_USED),
    event("ring_ak_used",          0x1c,   C23,      1).combined("Table 2-23", RING_USED),
    event("ring_bl_used",          0x1d,   C23,      1).combined("Table 2-24", RING_USED),

    // SPEC: U-69, "any" is 0x0f as printed, though "up" and "down" have all eight bits.
    event("ring_iv_used",          0x1e,   C23,      1).combined("Table 2-26", const { &[
        sub("any",                 0x0f),
        sub("up",                  0x33),
        sub("down",                0xcc),
    ] }),

    event("counter0_occupancy",    0x1f,   C123,    20).needs(Needs::SourceOnCounter0).source("2.3.7"),
    event("rxr_ipq_retry",         0x31,   C01,      1).combined("Table 2-29", RXR_IPQ_RETRY),

    event("rxr_irq_retry",         0x32,   C01,      1).combined("Table 2-30", const { &[
        sub("any",                 0x01),
        sub("full",                0x02),
        sub("addr_conflict",       0x04),
        sub("rtid",                0x08),
        sub("qpi_credits",         0x10),
        sub("iio_credits",         0x20),
    ] }),

    event("rxr_ismq_retry",        0x33,   C01,      1).combined("Table 2-31", const { &[
        sub("any",                 0x01),
        sub("full",                0x02),
        sub("rtid",                0x08),
        sub("qpi_credits",         0x10),
        sub("iio_credits",         0x20),
        sub("wb_credits",          0x80),
    ] }),

    event("llc_lookup",            0x34,   C01,      1).filter(STATE).listed_with(0x40, "Table 2-19", const { &[
        sub("data_read",           0x03),
        sub("write",               0x05),
        sub("remote_snoop",        0x09),
        sub("any",                 0x11),
        sub("nid",                 0x41).filter(NID),
    ] }),

    event("tor_inserts",           0x35,   C01,      1).listed("Table 2-33", TOR_INSERTS),
    event("tor_occupancy",         0x36,   C0,      20).needs(Needs::Source).listed("Table 2-34", TOR_OCCUPANCY),

    event("llc_victims",           0x37,   C01,      1).combined("Table 2-20", const { &[
        sub("m_state",             0x01),
        sub("e_state",             0x02),
        sub("s_state",             0x04),
        sub("miss",                0x08),
        // SPEC: U-69, "ORed to a state bit", yet a row of the table.
        sub("nid",                 0x40).filter(NID),
    ] }),

    event("misc",                  0x39,   C01,      1).combined("Table 2-21", const { &[
        sub("rspi_was_fse",        0x01),
        sub("wc_aliasing",         0x02),
        sub("started",             0x04),
        sub("rfo_hit_s",           0x08),
    ] }),

    // SPEC: U-41, in the lists only.
    event("qlru",                  0x3c,   C01,      NOT_STATED).combined(LISTS, QLRU),
];

/// The C-Box.
pub(crate) const CBOX: BoxType = BoxType {
    name: "cbox",
    numbered: true,
    access: ACCESS,
    box_control: Some(BOX_CONTROL),
    // SPEC: U-2, there may be one at 0x15, undocumented.
    status: None,
    global_status: GLOBAL_STATUS,
    counters: COUNTERS,
    width: 44,
    control: CONTROL,
    fields: FIELDS,
    filters: FILTERS,
    filter_units: FILTER_UNITS,
    // SPEC: U-21.
    one_criterion: true,
    events: EVENTS,
    builtin_events: true,
    max_clock_mhz: super::MAX_UCLK_MHZ,
    max_increment: 20,
    ..ORDINARY_BOX
};
