// SPDX-License-Identifier: GPL-2.0

//! The IRP is the I/O unit's door to the ring: it keeps transactions of PCIe devices ordered and
//! coherent, with a small cache of the lines that they own.
//!
//! Four general counters of 48 bits in two sets of two; PCI configuration space, on the bus of the
//! I/O unit; one per package. Documentation/hardware/bdx.rst section 12 (manual 2.7).
//!
//! Abbreviations: AD, AK, BL the address, acknowledge and block rings; DRS, NCB, NCS message
//! classes (data response, non-coherent bypass and standard); IRP0, IRP1 the sets of counters;
//! `RxR`, `TxR` what comes from and goes to the ring.
//!
//! Oddities:
//!
//! * Two sets of counters, IRP0 and IRP1, are behind one box control. An event counts in one of
//!   them, and `set` says in which.
//! * `SNOOP_RESP` needs a result and a type of snoop, so that its sub-events are the pairs.
//! * ORDERINGQ of `TRANSACTIONS` limits other sub-events to one source and is none by itself, so
//!   that it is in pairs, too.
//! * The sub-events of `MISC0` and `MISC1` are in groups. Sub-events of two groups do not combine.
//!
//! Uncertain:
//!
//! * The offsets of the counters: the manual has those of Ivy Bridge-EP (disagreement 2). The
//!   driver takes those that answer.
//! * The width of the counters: 48 or 44 bits by the manual (section 12). The driver takes 48 if all
//!   are kept.
//! * The source filter at which SOURCE and ORDERINGQ look has no known address. It is left as it is
//!   (section 12).
//! * Whether a set sees only what passes its half of the box (section 12).
//! * `TxR_REQUEST_OCCUPANCY` adds 1 a clock as printed, though an occupancy.
//! * The clock is stated nowhere.

use super::*;

// Registers: configuration space offsets.

/// Device 5, function 6.
const FUNCTIONS: &[PciFunction] = &[pci(0, 5, 6, 0x6f39)];

/// `IRP_PCI_PMON_BOX_CTL` (WO, Table 2-146): bits 17:16 must be written 1, 8 freezes, 1 clears the
/// counters, 0 the controls.
const BOX_CONTROL: BoxControl = box_control(0xf4);

/// `IRP_PCI_PMON_BOX_STATUS` (RW1C).
///
/// SPEC: bdx 3.3, bits 0 and 1 are the counters of IRP0, 2 and 3 those of IRP1.
const STATUS: BoxStatus = box_status(0b1111);

/// Bit of `U_MSR_PMON_GLOBAL_STATUS` (Table 2-3): `ov_irp`.
const GLOBAL_STATUS: &[u64] = &[1 << 34];

/// `IRP_PCI_PMON_CTL0` to `3` (RW) and the low halves of the counters (RW): counters 0 and 1 of
/// IRP0, then those of IRP1.
///
/// SPEC: bdx 21.2, the counters are where they are in other boxes, as in-tree, where this was
/// changed on purpose.
pub(crate) const COUNTERS: &[Counter] = FOUR_COUNTERS;

/// The same registers.
///
/// SPEC: bdx 21.2, as the manual has them.
const COUNTERS_BY_MANUAL: &[Counter] = &[
    counter(0xd8, 0xa0),
    counter(0xdc, 0xb0),
    counter(0xe0, 0xb8),
    counter(0xe4, 0xc0),
];

/// IRP0 and IRP1.
const COUNTER_SETS: &[u8] = &[0b0011, 0b1100];

/// Layout of `IRP_PCI_PMON_CTL`, section 3.1.
pub(crate) const CONTROL: Control = control(0xffd6_ffff);

// Config fields.

#[rustfmt::skip] // In columns, to be read against section 3.1.
const FIELDS: &[Field] = &[
    field("event",    Word::Config, bits::<0, 7>(),   Role::Select),
    field("umask",    Word::Config, bits::<8, 15>(),  Role::Umask),
    field("edge",     Word::Config, bits::<18, 18>(), Role::Edge),
    INVERT,
    field("thresh",   Word::Config, bits::<24, 31>(), Role::Threshold),
    field("set",      Word::Config, bits::<32, 32>(), Role::CounterSet),
    field("interval", Word::Config, bits::<33, 63>(), Role::Interval),
];

// Filters: none that can be reached.

// Events.

/// All four counters count every event.
const ANY: u8 = 0b1111;

/// The first group of `MISC0`.
const REQUESTS: u8 = 0x03;
/// The second group of `MISC0`.
const SECOND: u8 = 0x1c;
/// The third group of `MISC0`.
const PREFETCHES: u8 = 0xe0;

/// The first group of `MISC1`.
const SLOW: u8 = 0x1f;
/// The second group of `MISC1`.
const RECEIVED: u8 = 0xe0;

#[rustfmt::skip] // One row, one line, in columns, to be read against the manual's tables.
const EVENTS: &[Event] = &[
    // Name                              select  counters  max

    event("clockticks",                  0x00,   ANY,      1).source("2.7.5"),
    event("rxr_bl_drs_inserts",          0x01,   ANY,      1).source("2.7.5"),
    event("rxr_bl_ncb_inserts",          0x02,   ANY,      1).source("2.7.5"),
    event("rxr_bl_ncs_inserts",          0x03,   ANY,      1).source("2.7.5"),
    event("rxr_bl_drs_cycles_full",      0x04,   ANY,      1).source("2.7.5"),
    event("rxr_bl_ncb_cycles_full",      0x05,   ANY,      1).source("2.7.5"),
    event("rxr_bl_ncs_cycles_full",      0x06,   ANY,      1).source("2.7.5"),
    event("rxr_bl_drs_occupancy",        0x07,   ANY,     24).source("2.7.5"),
    event("rxr_bl_ncb_occupancy",        0x08,   ANY,     24).source("2.7.5"),
    event("rxr_bl_ncs_occupancy",        0x09,   ANY,     24).source("2.7.5"),
    event("rxr_ak_inserts",              0x0a,   ANY,      1).source("2.7.5"),
    event("txr_request_occupancy",       0x0d,   ANY,      1).source("2.7.5"),
    event("txr_data_inserts_ncb",        0x0e,   ANY,      1).source("2.7.5"),
    event("txr_data_inserts_ncs",        0x0f,   ANY,      1).source("2.7.5"),

    event("cache_total_occupancy",       0x12,   ANY,    128).combined("Table 2-150", const { &[
        sub("any",                       0x01),
        // SPEC: bdx 12, whatever source the filter of unknown address has.
        sub("source",                    0x02),
    ] }),

    event("coherent_ops",                0x13,   ANY,      1).combined("Table 2-151", const { &[
        sub("pcirdcur",                  0x01),
        sub("crd",                       0x02),
        sub("drd",                       0x04),
        sub("rfo",                       0x08),
        sub("pcitom",                    0x10),
        sub("pcidcahint",                0x20),
        sub("wbmtoi",                    0x40),
        sub("clflush",                   0x80),
    ] }),

    // SPEC: bdx 12, bit 7 is printed as free beside the second group, which is printed as 0 beside
    // bit 7.
    event("misc0",                       0x14,   ANY,      1).combined("Table 2-152", const { &[
        sub("fast_req",                  0x01).excludes(SECOND | PREFETCHES),
        sub("fast_rej",                  0x02).excludes(SECOND | PREFETCHES),
        sub("2nd_rd_insert",             0x04).excludes(REQUESTS | PREFETCHES),
        sub("2nd_wr_insert",             0x08).excludes(REQUESTS | PREFETCHES),
        sub("2nd_atomic_insert",         0x10).excludes(REQUESTS | PREFETCHES),
        sub("fast_xfer",                 0x20).excludes(REQUESTS | SECOND),
        sub("pf_ack_hint",               0x40).excludes(REQUESTS | SECOND),
        sub("pf_timeout",                0x80).excludes(REQUESTS | SECOND),
    ] }),

    event("misc1",                       0x15,   ANY,      1).combined("Table 2-153", const { &[
        sub("slow_i",                    0x01).excludes(RECEIVED),
        sub("slow_s",                    0x02).excludes(RECEIVED),
        sub("slow_e",                    0x04).excludes(RECEIVED),
        sub("slow_m",                    0x08).excludes(RECEIVED),
        sub("lost_fwd",                  0x10).excludes(RECEIVED),
        sub("sec_rcvd_invld",            0x20).excludes(SLOW),
        sub("sec_rcvd_vld",              0x40).excludes(SLOW),
        sub("data_throttle",             0x80).excludes(SLOW),
    ] }),

    event("transactions",                0x16,   ANY,      1).combined("Table 2-155", const { &[
        sub("reads",                     0x01),
        sub("writes",                    0x02),
        sub("rd_pref",                   0x04),
        sub("wr_pref",                   0x08),
        sub("atomic",                    0x10),
        sub("other",                     0x20),
        // SPEC: bdx 12, whatever source the filter of unknown address has.
        sub("reads_orderingq",           0x41),
        sub("writes_orderingq",          0x42),
        sub("rd_pref_orderingq",         0x44),
        sub("wr_pref_orderingq",         0x48),
        sub("atomic_orderingq",          0x50),
        sub("other_orderingq",           0x60),
    ] }),

    event("snoop_resp",                  0x17,   ANY,      1).combined("Table 2-154", const { &[
        sub("miss_snpcode",              0x11),
        sub("hit_i_snpcode",             0x12),
        sub("hit_es_snpcode",            0x14),
        sub("hit_m_snpcode",             0x18),
        sub("miss_snpdata",              0x21),
        sub("hit_i_snpdata",             0x22),
        sub("hit_es_snpdata",            0x24),
        sub("hit_m_snpdata",             0x28),
        sub("miss_snpinv",               0x41),
        sub("hit_i_snpinv",              0x42),
        sub("hit_es_snpinv",             0x44),
        sub("hit_m_snpinv",              0x48),
    ] }),

    event("txr_ad_stall_credit_cycles",  0x18,   ANY,      1).source("2.7.5"),
    event("txr_bl_stall_credit_cycles",  0x19,   ANY,      1).source("2.7.5"),
];

/// The IRP.
///
/// SPEC: bdx 12, the counters are where they are in-tree or where the manual has them, and have 48
/// bits as the bits of Table 2-149 say, or 44 as its text does.
pub(super) const IRP: BoxType = BoxType {
    counters: COUNTERS,
    alternative: Some(&BoxType {
        alternative: Some(&BoxType {
            counters: COUNTERS,
            alternative: Some(&NARROW),
            ..NARROW
        }),
        ..BY_MANUAL
    }),
    ..BY_MANUAL
};

/// The IRP with narrow counters where the manual has them.
const NARROW: BoxType = BoxType {
    width: 44,
    ..BY_MANUAL
};

pub(crate) const BY_MANUAL: BoxType = BoxType {
    name: "irp",
    numbered: false,
    access: Access::Pci(FUNCTIONS),
    box_control: Some(BOX_CONTROL),
    status: Some(STATUS),
    global_status: GLOBAL_STATUS,
    counters: COUNTERS_BY_MANUAL,
    width: 48,
    counter_sets: COUNTER_SETS,
    control: CONTROL,
    fields: FIELDS,
    events: EVENTS,
    builtin_events: true,
    // Stated nowhere; no clock of the uncore is higher.
    max_clock_mhz: super::MAX_UCLK_MHZ,
    max_increment: 128,
    ..ORDINARY_BOX
};
