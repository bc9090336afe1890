// SPDX-License-Identifier: GPL-2.0

//! A C-Box is a slice of the last-level cache with its ring stop: every core and I/O request for
//! memory passes one C-Box.
//!
//! Four general counters of 48 bits, of which only counter 0 takes occupancies (20 a clock, the
//! others 1); MSRs 0xe00 + 0x10 n; up to 24 per package. Documentation/hardware/bdx.rst section 8
//! (manual 2.3). Two filter registers, shared by the four counters.
//!
//! Abbreviations: AD, AK, BL, IV the address, acknowledge, block and invalidate rings; IPQ, IRQ,
//! PRQ ingress queues of probes and requests; ISMQ ingress queue of responses; isoc isochronous;
//! LLC last-level cache; nc non-coherent; NID node ID; opc opcode; QLRU the replacement policy;
//! RTID request transaction ID; SBO the S-Box; TID thread ID; TOR table of requests; WB write-back;
//! `RxR`, `TxR` what comes from and goes to the ring.
//!
//! Oddities:
//!
//! * No overflow enable and no bit of the global status: wraps are found by polling.
//! * The boxes of a package need not have consecutive numbers.
//! * In `config1` the first filter register is the low half, the second the high half. The manual
//!   wants one criterion in use at a time. An event can need two.
//! * A thread is only compared where the control register has `tid_en`. 0x3f is requests without a
//!   thread.
//! * `LLC_LOOKUP` with no state counts nothing: the named events have all seven. Without bit 0 of
//!   the umask it counts nothing either, so only the listed umasks are offered.
//! * The opcode is compared for requests of the IRQ only, not for snoops and responses.
//! * `COUNTER0_OCCUPANCY` shows counters 1 to 3 the occupancy that counter 0 has selected. It is
//!   not offered on counter 0, though listed.
//! * The descriptions of IRQ and IPQ of `RxR_EXT_STARVED` are swapped in the manual.
//! * `filter_link` and `filter_c6` of the in-tree driver are reserved bits: not offered
//!   (disagreement 9).
//! * `tor_inserts.opcode` and others with an opcode have names in the lists for some opcodes:
//!   `llc_references.*` and `llc_misses.*`. Three of these names have `filter_tid` in the lists,
//!   but not the bit that has it compared. They have it here.
//!
//! Uncertain:
//!
//! * Whether ring events add 2 a clock on counters 1 to 3, too, as printed (section 8). They are
//!   offered on counter 0.
//! * Whether `RxR_ISMQ_RETRY.WB_CREDITS` looks at the node (disagreement 12). With all nodes,
//!   0xffff, the count is right in any case.
//! * Whether `COUNTER0_OCCUPANCY` shows the credits of `SBO_CREDIT_OCCUPANCY`, too (section 8). It
//!   is refused beside them.
//! * PCIe requests have the thread ID 0x1e as the manual prints, of an older field of 5 bits; 0x3e
//!   as the lists have it (section 8.1).
//! * `filter_nid` is 16 bits wide, though bit 15 is printed as reserved, too (section 8.2).
//! * Events with other filters take turns, as the box may compare one criterion only (section 8.2).
//! * `LLC_VICTIMS` with umask 0x04 is the state S, as the manual has it; the lists call it I
//!   (disagreement 13).
//! * The names of the lists that share a umask with a name of the manual, and what the manual
//!   leaves out (section 17).

use super::*;
use xeon::cbox::*;

// Registers: MSR numbers less 0xe00 + 0x10 n.

/// Location of the boxes.
///
/// SPEC: bdx 21.6, a fuse stands for each box. Where firmware hides the function with the fuses,
/// the boxes are counted like cores, as in-tree. `num_c` of the global configuration is not used:
/// it has a constant reset value.
const ACCESS: Access = Access::Msr {
    bases: &every::<24>(0xe00, 0x10),
    present: &[
        Presence::Fuses {
            device_id: super::FUSES,
            offset: 0x98,
            bits: Bits { low: 0, high: 23 },
            choices: None,
        },
        Presence::Cores,
    ],
};

/// `Cn_MSR_PMON_BOX_CTL` (WO, Table 2-14): bits 17:16 must be written 1, 8 freezes, 1 clears the
/// counters, 0 the controls.
const BOX_CONTROL: BoxControl = box_control(0x0);

/// `Cn_MSR_PMON_CTL0` to `3` (RW) and `Cn_MSR_PMON_CTR0` to `3` (RW).
const COUNTERS: &[Counter] = &[
    counter(0x1, 0x8),
    counter(0x2, 0x9),
    counter(0x3, 0xa),
    counter(0x4, 0xb),
];

/// Layout of `Cn_MSR_PMON_CTL`, Table 2-16.
const CONTROL: Control = control(0xffce_ffff);

/// `Cn_MSR_PMON_BOX_FILTER0` (RW, Table 2-18) and `Cn_MSR_PMON_BOX_FILTER1` (RW, Table 2-19).
///
/// SPEC: bdx 8.2, bit 15 of the second is a node, or reserved.
const FILTERS: &[FilterRegister] = &[
    filter_register(0x5, Word::Config1, 0, 0x00fe_003f),
    filter_register(0x6, Word::Config1, 32, 0xdff0_ffff).uncertain(1 << 15),
];

/// `Cn_MSR_PMON_BOX_STATUS` (RW1C): bit k is counter k.
///
/// SPEC: bdx 21.8, at this offset in each box, as Table 1-2 has it.
const STATUS: BoxStatus = BoxStatus {
    offset: 0x7,
    overflow: 0b1111,
};

// Config fields.

#[rustfmt::skip] // In columns, to be read against Tables 2-16, 2-18 and 2-19.
pub(crate) const FIELDS: &[Field] = &[
    field("event",        Word::Config,  bits::<0, 7>(),   Role::Select),
    field("umask",        Word::Config,  bits::<8, 15>(),  Role::Umask),
    field("edge",         Word::Config,  bits::<18, 18>(), Role::Edge),
    field("tid_en",       Word::Config,  bits::<19, 19>(), Role::FilterEnable(TID)),
    INVERT,
    field("thresh",       Word::Config,  bits::<24, 31>(), Role::Threshold),
    field("filter_tid",   Word::Config1, bits::<0, 5>(),   Role::Filter(TID)),
    field("filter_state", Word::Config1, bits::<17, 23>(), Role::Filter(STATE)),
    // SPEC: bdx 8.2, all 16 bits, though 15 is printed as reserved, too.
    field("filter_nid",   Word::Config1, bits::<32, 47>(), Role::Filter(NID)),
    field("filter_opc",   Word::Config1, bits::<52, 60>(), Role::Filter(OPC)),
    field("filter_nc",    Word::Config1, bits::<62, 62>(), Role::Filter(OPC)),
    field("filter_isoc",  Word::Config1, bits::<63, 63>(), Role::Filter(OPC)),
];

// Filters.

#[rustfmt::skip] // In columns.
pub(crate) const FILTER_UNITS: &[FilterUnit] = &[
    filter_unit("tid",   Word::Config1, 0x3f,         WhenZero::Enabled),
    // SPEC: bdx 8.1, any state is all seven bits, though texts leave out some.
    filter_unit("state", Word::Config1, 0x7f << 17,   WhenZero::Fill(0x7f << 17)),
    filter_unit("nid",   Word::Config1, 0xffff << 32, WhenZero::Refuse("filter_nid")),
    filter_unit("opc",   Word::Config1, 0xdff << 52,  WhenZero::Refuse("filter_opc")).valid(can_match_opcode::<52>),
];

// Events.

/// Counter 0, the one that takes occupancies.
const C0: u8 = 0b0001;
/// Counters 0 and 1.
const C01: u8 = 0b0011;
/// All but the one that takes occupancies.
const C123: u8 = 0b1110;
/// Every counter.
const ANY: u8 = 0b1111;

/// Not stated for events of the lists. No counter can add more.
const NOT_STATED: u16 = 20;

/// Requests with this opcode.
const fn opcode(name: &'static str, umask: u64, opc: u64) -> Preset {
    preset(name, opc << 52, 0).config(umask << 8).source(LISTS)
}

/// Requests with this opcode that are non-coherent.
const fn non_coherent(name: &'static str, umask: u64, opc: u64) -> Preset {
    preset(name, opc << 52 | 1 << 62, 0)
        .config(umask << 8)
        .source(LISTS)
}

/// Requests with this opcode of PCIe devices.
///
/// SPEC: bdx 8.1, the thread ID is that of the lists.
const fn of_pcie(name: &'static str, umask: u64, opc: u64) -> Preset {
    preset(name, opc << 52 | 0x3e, 0)
        .config(umask << 8 | 1 << 19)
        .source(LISTS)
}

#[rustfmt::skip] // In columns, to be read against Table 2-20.
const INSERTS: &[Preset] = &[
    //           Name                                     umask opcode
    opcode(      "llc_references.code_llc_prefetch",      0x01, 0x181),
    of_pcie(     "llc_references.pcie_ns_partial_write",  0x01, 0x180),
    opcode(      "llc_references.pcie_read",              0x01, 0x19e),
    of_pcie(     "llc_references.pcie_write",             0x01, 0x1c8),
    opcode(      "llc_references.streaming_full",         0x01, 0x18c),
    opcode(      "llc_references.streaming_partial",      0x01, 0x18d),
    opcode(      "llc_misses.code_llc_prefetch",          0x03, 0x191),
    opcode(      "llc_misses.data_llc_prefetch",          0x03, 0x192),
    opcode(      "llc_misses.data_read",                  0x03, 0x182),
    non_coherent("llc_misses.mmio_read",                  0x03, 0x187),
    non_coherent("llc_misses.mmio_write",                 0x03, 0x18f),
    of_pcie(     "llc_misses.pcie_non_snoop_write",       0x03, 0x1c8),
    opcode(      "llc_misses.pcie_read",                  0x03, 0x19e),
    opcode(      "llc_misses.pcie_write",                 0x03, 0x1c8),
    opcode(      "llc_misses.rfo_llc_prefetch",           0x03, 0x190),
    opcode(      "llc_misses.uncacheable",                0x03, 0x187),
];

#[rustfmt::skip] // In columns, to be read against Table 2-20.
const OCCUPANCIES: &[Preset] = &[
    //           Name                                     umask opcode
    opcode(      "tor_occupancy.llc_data_read",           0x03, 0x182),
];

#[rustfmt::skip] // In columns, to be read against Tables 2-24 to 2-26.
const RING_USED: &[SubEvent] = &[
    sub("up_even",                     0x01),
    sub("up_odd",                      0x02),
    sub("up",                          0x03),
    sub("cw",                          0x03).lists(),
    sub("down_even",                   0x04),
    sub("down_odd",                    0x08),
    sub("down",                        0x0c),
    sub("ccw",                         0x0c).lists(),
    sub("all",                         0x0f),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the manual's tables.
pub(crate) const EVENTS: &[Event] = &[
    // Name                            select  counters  max

    event("clockticks",                0x00,   ANY,      1).source("2.3.6"),
    event("txr_inserts",               0x02,   ANY,      1).combined("Table 2-43", TXR_INSERTS),

    // SPEC: bdx 17, in the lists only.
    event("txr_starved",               0x03,   ANY,      NOT_STATED).combined(LISTS, const { &[
        sub("ak_both",                 0x02),
        sub("bl_both",                 0x04),
        sub("iv",                      0x08),
        sub("ad_core",                 0x10),
    ] }),

    event("txr_ads_used",              0x04,   ANY,      1).combined("Table 2-42", RINGS),

    event("ring_bounces",              0x05,   ANY,      1).combined("Table 2-27", const { &[
        sub("ad",                      0x01),
        sub("ak",                      0x02),
        sub("bl",                      0x04),
        sub("iv",                      0x10),
    ] }),

    // SPEC: bdx 17, in the lists only.
    event("ring_sink_starved",         0x06,   ANY,      NOT_STATED).combined(LISTS, const { &[
        sub("ad",                      0x01),
        sub("ak",                      0x02),
        sub("bl",                      0x04),
        sub("iv",                      0x08),
    ] }),

    event("ring_src_thrtl",            0x07,   ANY,      1).source("2.3.6"),
    event("fast_asserted",             0x09,   C01,      1).source("2.3.6"),
    event("bounce_control",            0x0a,   ANY,      1).source("2.3.6"),

    event("rxr_occupancy",             0x11,   C0,      20).needs(Needs::Source).combined("Table 2-37", const { &[
        sub("irq",                     0x01),
        sub("irq_rej",                 0x02).exclusive(),
        sub("ipq",                     0x04),
        sub("prq_rej",                 0x20),
    ] }),

    event("rxr_ext_starved",           0x12,   ANY,      1).combined("Table 2-29", RXR_EXT_STARVED),

    event("rxr_inserts",               0x13,   ANY,      1).combined("Table 2-30", const { &[
        sub("irq",                     0x01),
        sub("irq_rej",                 0x02).exclusive(),
        sub("ipq",                     0x04),
        sub("prq",                     0x10),
        sub("prq_rej",                 0x20),
    ] }),

    // SPEC: bdx 17, in the lists only.
    event("rxr_int_starved",           0x14,   ANY,      NOT_STATED).combined(LISTS, const { &[
        sub("irq",                     0x01),
        sub("ipq",                     0x04),
        sub("ismq",                    0x08),
        sub("prq",                     0x10),
    ] }),

    // SPEC: bdx 8, the maximum is printed so for all counters.
    // SPEC: bdx B-12, counter 0 is the one that adds 2 by each source.
    event("ring_ad_used",              0x1b,   C0,       2).combined("Table 2-24", RING_USED),
    event("ring_ak_used",              0x1c,   C0,       2).combined("Table 2-25", RING_USED),
    event("ring_bl_used",              0x1d,   C0,       2).combined("Table 2-26", RING_USED),

    event("ring_iv_used",              0x1e,   ANY,      1).combined("Table 2-28", const { &[
        sub("up",                      0x03),
        sub("dn",                      0x0c),
        sub("any",                     0x0f),
        sub("down",                    0xcc),
    ] }),

    event("counter0_occupancy",        0x1f,   C123,    20).needs(Needs::SourceOnCounter0).source("2.3.6"),

    event("rxr_ipq_retry2",            0x28,   ANY,      1).combined("Table 2-32", const { &[
        sub("ad_sbo",                  0x01),
        sub("target",                  0x40).filter(NID),
    ] }),

    event("rxr_irq_retry2",            0x29,   ANY,      1).combined("Table 2-34", const { &[
        sub("ad_sbo",                  0x01),
        sub("bl_sbo",                  0x02),
        sub("target",                  0x40).filter(NID),
    ] }),

    event("rxr_ismq_retry2",           0x2a,   ANY,      1).combined("Table 2-36", const { &[
        sub("ad_sbo",                  0x01),
        sub("bl_sbo",                  0x02),
        sub("target",                  0x40).filter(NID),
    ] }),

    event("rxr_ipq_retry",             0x31,   ANY,      1).combined("Table 2-31", RXR_IPQ_RETRY),

    event("rxr_irq_retry",             0x32,   ANY,      1).combined("Table 2-33", const { &[
        sub("any",                     0x01),
        sub("full",                    0x02),
        sub("addr_conflict",           0x04),
        sub("rtid",                    0x08),
        sub("qpi_credits",             0x10),
        sub("iio_credits",             0x20),
        sub("nid",                     0x40).filter(NID),
    ] }),

    event("rxr_ismq_retry",            0x33,   ANY,      1).combined("Table 2-35", const { &[
        sub("any",                     0x01),
        sub("full",                    0x02),
        sub("rtid",                    0x08),
        sub("qpi_credits",             0x10),
        sub("iio_credits",             0x20),
        sub("nid",                     0x40).filter(NID),
        // SPEC: bdx B-10, the manual prints a filter of the node, which looks pasted. All nodes are
        // right in any case.
        sub("wb_credits",              0x80).filter(NID),
    ] }),

    event("llc_lookup",                0x34,   ANY,      1).filter(STATE).listed_with(0x40, "Table 2-21", const { &[
        sub("data_read",               0x03),
        sub("write",                   0x05),
        sub("remote_snoop",            0x09),
        sub("any",                     0x11),
        sub("read",                    0x21),
        sub("nid",                     0x41).filter(NID),
    ] }),

    event("tor_inserts",               0x35,   ANY,      1).listed("Table 2-40", TOR_INSERTS).presets(&INSERTS),
    event("tor_occupancy",             0x36,   C0,      20).needs(Needs::Source).listed("Table 2-41", TOR_OCCUPANCY).presets(&OCCUPANCIES),

    event("llc_victims",               0x37,   ANY,      1).combined("Table 2-22", const { &[
        sub("m_state",                 0x01),
        sub("e_state",                 0x02),
        // SPEC: bdx 21.13.
        sub("s_state",                 0x04),
        sub("f_state",                 0x08),
        sub("miss",                    0x10),
        sub("nid",                     0x40).filter(NID),
    ] }),

    event("misc",                      0x39,   ANY,      1).combined("Table 2-23", const { &[
        sub("rspi_was_fse",            0x01),
        sub("wc_aliasing",             0x02),
        sub("started",                 0x04),
        sub("rfo_hit_s",               0x08),
        sub("cvzero_prefetch_victim",  0x10),
        sub("cvzero_prefetch_miss",    0x20),
    ] }),

    // SPEC: bdx 17, in the lists only.
    event("qlru",                      0x3c,   ANY,      NOT_STATED).combined(LISTS, QLRU),
    event("sbo_credits_acquired",      0x3d,   ANY,      1).combined("Table 2-38", SBO_CREDITS),
    event("sbo_credit_occupancy",      0x3e,   C0,       7).combined("Table 2-39", SBO_CREDITS),
];

/// The C-Box.
pub(crate) const CBOX: BoxType = BoxType {
    name: "cbox",
    numbered: true,
    access: ACCESS,
    box_control: Some(BOX_CONTROL),
    status: Some(STATUS),
    counters: COUNTERS,
    width: 48,
    control: CONTROL,
    fields: FIELDS,
    filters: FILTERS,
    filter_units: FILTER_UNITS,
    // SPEC: bdx 8.2.
    one_criterion: true,
    events: EVENTS,
    builtin_events: true,
    max_clock_mhz: super::MAX_UCLK_MHZ,
    max_increment: 20,
    ..ORDINARY_BOX
};
