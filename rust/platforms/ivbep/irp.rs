// SPDX-License-Identifier: GPL-2.0

//! The IRP is the I/O unit's door to the ring: it keeps transactions of PCIe devices ordered and
//! coherent, with a small cache of the lines that they own.
//!
//! Four general counters of 44 or 48 bits in two sets of two; PCI configuration space, on the bus
//! of the I/O unit; one per package. Documentation/hardware/ivbep.rst section 7.5 (manual 2.6).
//!
//! Abbreviations: AD, AK, BL the address, acknowledge and block rings; DRS, NCB, NCS message
//! classes (data response, non-coherent bypass and standard); IRP0, IRP1 the sets of counters;
//! `RxR`, `TxR` what comes from and goes to the ring.
//!
//! Oddities:
//!
//! * Two sets of counters, IRP0 and IRP1, are behind one box control. An event counts in one of
//!   them, and `set` says in which; what the other sees is another event.
//! * The counters are at irregular offsets.
//! * No overflow enable, and the global status has no bit for the box: wraps are found by polling.
//! * Of the sub-events of `TRANSACTIONS`, READS, WRITES and RD_PREFETCHES are ORed, and ORDERINGQ
//!   limits them to one source. Alone it may mean nothing, so it is none by itself (U-30).
//! * The manual has the descriptions of the two sub-events of `CACHE_ACK_PENDING_OCCUPANCY`
//!   swapped.
//!
//! Uncertain:
//!
//! * The source filter `IRP_PmonFilter`, at which SOURCE and ORDERINGQ look, has no known address.
//!   It is left as it is: 0 after reset (U-30).
//! * The counters have 44 or 48 bits (U-33).
//! * Every counter counts every event: the list has counters 0 and 1, the overview all four (U-33).
//! * `TxR_REQUEST_OCCUPANCY` adds 1 a clock as printed, though an occupancy. Another name of the
//!   lists for RD_PREFETCHES (U-41).
//! * The clock is stated nowhere.
//! * Umask 0 for events without sub-events (U-14).

use super::*;

// Registers: configuration space offsets.

/// Device 5, function 6.
const FUNCTIONS: &[PciFunction] = &[pci(0, 5, 6, 0x0e39)];

/// `IRP_PCI_PMON_BOX_CTL` (WO, Table 2-106): bits 17:16 must be written 1, 8 freezes, 1 clears the
/// counters, 0 the controls.
const BOX_CONTROL: BoxControl = box_control(0xf4);

/// `IRP_PCI_PMON_BOX_STATUS` (RW1C, Table 2-107): bit k is counter k.
const STATUS: BoxStatus = box_status(0b1111);

/// `IRP_PCI_PMON_CTL0` to `3` (RW) and the low halves of the counters (RW, Table 2-109): counters
/// 0 and 1 of IRP0, then those of IRP1.
const COUNTERS: &[Counter] = &[
    counter(0xd8, 0xa0),
    counter(0xdc, 0xb0),
    counter(0xe0, 0xb8),
    counter(0xe4, 0xc0),
];

/// IRP0 and IRP1.
const COUNTER_SETS: &[u8] = &[0b0011, 0b1100];

/// Layout of `IRP_PCI_PMON_CTL`, Table 2-108.
const CONTROL: Control = control(0xff46_ffff);

// Config fields.

#[rustfmt::skip] // In columns, to be read against Table 2-108.
const FIELDS: &[Field] = &[
    field("event",  Word::Config, bits::<0, 7>(),   Role::Select),
    field("umask",  Word::Config, bits::<8, 15>(),  Role::Umask),
    field("edge",   Word::Config, bits::<18, 18>(), Role::Edge),
    field("thresh", Word::Config, bits::<24, 31>(), Role::Threshold),
    field("set",    Word::Config, bits::<32, 32>(), Role::CounterSet),
];

// Filters: none that can be reached.

// Events.

/// SPEC: U-33, all four counters count every event.
const ANY: u8 = 0b1111;

#[rustfmt::skip] // In columns, to be read against Tables 2-111 to 2-115.
const SOURCES: &[SubEvent] = &[
    sub("any",                        0x01),
    // SPEC: U-30, whatever source the filter of unknown address has.
    sub("source",                     0x02),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the manual's tables.
const EVENTS: &[Event] = &[
    // Name                               select  counters  max

    event("clockticks",                   0x00,   ANY,      1).source("2.6.6"),
    event("rxr_bl_drs_inserts",           0x01,   ANY,      1).source("2.6.6"),
    event("rxr_bl_ncb_inserts",           0x02,   ANY,      1).source("2.6.6"),
    event("rxr_bl_ncs_inserts",           0x03,   ANY,      1).source("2.6.6"),
    event("rxr_bl_drs_cycles_full",       0x04,   ANY,      1).source("2.6.6"),
    event("rxr_bl_ncb_cycles_full",       0x05,   ANY,      1).source("2.6.6"),
    event("rxr_bl_ncs_cycles_full",       0x06,   ANY,      1).source("2.6.6"),
    event("rxr_bl_drs_occupancy",         0x07,   ANY,     24).source("2.6.6"),
    event("rxr_bl_ncb_occupancy",         0x08,   ANY,     24).source("2.6.6"),
    event("rxr_bl_ncs_occupancy",         0x09,   ANY,     24).source("2.6.6"),
    event("rxr_ak_inserts",               0x0a,   ANY,      1).source("2.6.6"),
    event("rxr_ak_cycles_full",           0x0b,   ANY,      1).source("2.6.6"),
    event("rxr_ak_occupancy",             0x0c,   ANY,     24).source("2.6.6"),
    event("txr_request_occupancy",        0x0d,   ANY,      1).source("2.6.6"),
    event("txr_data_inserts_ncb",         0x0e,   ANY,      1).source("2.6.6"),
    event("txr_data_inserts_ncs",         0x0f,   ANY,      1).source("2.6.6"),
    event("cache_read_occupancy",         0x10,   ANY,    128).combined("Table 2-113", SOURCES),
    event("cache_write_occupancy",        0x11,   ANY,    128).combined("Table 2-115", SOURCES),
    event("cache_total_occupancy",        0x12,   ANY,    128).combined("Table 2-114", SOURCES),
    event("cache_own_occupancy",          0x13,   ANY,    128).combined("Table 2-112", SOURCES),
    event("cache_ack_pending_occupancy",  0x14,   ANY,    128).combined("Table 2-111", SOURCES),

    // SPEC: U-41, the lists give umask 0x04 another name.
    event("transactions",                 0x15,   ANY,      1).combined("Table 2-117", const { &[
        sub("reads",                      0x01),
        sub("writes",                     0x02),
        sub("rd_prefetches",              0x04),
        sub("pd_prefetches",              0x04).lists(),
        // SPEC: U-30, whatever source the filter of unknown address has.
        sub("reads_orderingq",            0x09),
        sub("writes_orderingq",           0x0a),
        sub("rd_prefetches_orderingq",    0x0c),
        sub("pd_prefetches_orderingq",    0x0c).lists(),
    ] }),

    event("tickles",                      0x16,   ANY,      1).combined("Table 2-116", const { &[
        sub("lost_ownership",             0x01),
        sub("top_of_queue",               0x02),
    ] }),

    event("address_match",                0x17,   ANY,      1).combined("Table 2-110", const { &[
        sub("stall_count",                0x01),
        sub("merge_count",                0x02),
    ] }),

    event("txr_ad_stall_credit_cycles",   0x18,   ANY,      1).source("2.6.6"),
    event("txr_bl_stall_credit_cycles",   0x19,   ANY,      1).source("2.6.6"),
    event("write_ordering_stall_cycles",  0x1a,   ANY,      1).source("2.6.6"),
];

/// The IRP.
pub(super) const IRP: BoxType = BoxType {
    name: "irp",
    numbered: false,
    access: Access::Pci(FUNCTIONS),
    box_control: Some(BOX_CONTROL),
    status: Some(STATUS),
    counters: COUNTERS,
    // SPEC: U-33, 44 or 48. Differences by 44 bits are right for both, as long as the counter is
    // read before it has counted to 2^44.
    width: 44,
    counter_sets: COUNTER_SETS,
    control: CONTROL,
    fields: FIELDS,
    events: EVENTS,
    builtin_events: true,
    // SPEC: U-67, stated nowhere; no clock of the uncore is higher.
    max_clock_mhz: super::MAX_UCLK_MHZ,
    max_increment: 255,
    ..ORDINARY_BOX
};
