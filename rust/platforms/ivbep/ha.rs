// SPDX-License-Identifier: GPL-2.0

//! The home agent (HA) is where all requests for the memory behind one controller meet: it orders
//! them, keeps the copies in caches coherent and passes reads and writes on to the iMC.
//!
//! Four general counters of 48 bits, each of which takes occupancies; PCI configuration space; up
//! to two per package. Documentation/hardware/ivbep.rst section 7.3 (manual 2.4). One address match
//! and one opcode match, shared by the four counters.
//!
//! Abbreviations: AD, AK, BL the address, acknowledge and block rings; BT, HT backup and home
//! tracker, queues of requests; CHN channel; CW, CCW clockwise and counterclockwise; EDR early
//! data return; HOM, SNP, NDR, DRS message classes; IGR ingress; IODC I/O directory cache; OSB
//! opportunistic snoop broadcast; RPQ, WPQ read and write pending queue of the iMC; RSP snoop
//! response; TAD target address decoder; VR virtual ring; WB write-back; `TxR` what goes to the
//! ring.
//!
//! Oddities:
//!
//! * The counter of a queue's occupancy is apart from those that add it up. An event that starts
//!   clears it; it never goes below 0, so it catches up when the queue really drains.
//! * There is no address mask: a line either is the one of `filter_addr` or is not. Its bits 5:0
//!   are the place in the line and not compared.
//! * HA1 is D28:F1; another table of the manual has D30:F1, which is an iMC channel (U-40).
//! * `IMC_READS` leaves out reads that bypass the queues, `BT_CYCLES_NE` clocks in which something
//!   bypasses an empty home tracker.
//! * The `DIRECTORY` events count only on parts with a directory. A note says that
//!   `DIRECT2CORE_COUNT` will not be implemented.
//!
//! Uncertain:
//!
//! * Which opcodes `ADDR_OPC_MATCH` takes on the AK and BL rings, and whether its AD, BL and AK
//!   have to be combined with OPC (U-25).
//! * `BT_OCCUPANCY` can add 512 a clock as printed, though the box is said to add 8 bits (U-42).
//! * Whether `TAD_REQUESTS_G1` has 10 or 11 regions: the text says both (U-69).
//! * `TxR_AK` with or without sub-event, the names of the lists that share a umask with a name of
//!   the manual and what the manual leaves out (U-41).
//! * Umask 0 for events without sub-events (U-14).

use super::*;
use xeon::ha::*;

// Registers: configuration space offsets.

#[rustfmt::skip] // In columns, to be read against section 1 of Documentation/hardware/ivbep.rst.
const FUNCTIONS: &[PciFunction] = &[
    // box dev fn  ID
    pci(0, 14, 1, 0x0e30),
    // SPEC: U-40, D28:F1.
    pci(1, 28, 1, 0x0e38),
];

/// `HA_PCI_PMON_BOX_CTL` (WO, Table 2-38): bits 17:16 must be written 1, 8 freezes, 1 clears the
/// counters, 0 the controls.
const BOX_CONTROL: BoxControl = box_control(0xf4);

/// `HA_PCI_PMON_BOX_STATUS` (RW1C, Table 2-39): bit k is counter k.
const STATUS: BoxStatus = box_status(0b1111);

/// Bits of `U_MSR_PMON_GLOBAL_STATUS` (Table 2-3): `ov_h0`, `ov_h1`.
const GLOBAL_STATUS: &[u64] = &[1 << 18, 1 << 19];

/// `HA_PCI_PMON_CTL0` to `3` (RW) and the low halves of `HA_PCI_PMON_CTR0` to `3` (RW).
const COUNTERS: &[Counter] = FOUR_COUNTERS;

/// Layout of `HA_PCI_PMON_CTL`, Table 2-40.
const CONTROL: Control = Control {
    queue_reset: Some(1 << 16),
    ..control(0xff57_ffff)
};

/// `HA_PCI_PMON_BOX_ADDRMATCH0` (RW), `1` (RW, Table 2-43) and `HA_PCI_PMON_BOX_OPCODEMATCH` (RW,
/// Table 2-42).
const FILTERS: &[FilterRegister] = &[
    filter_register(0x40, Word::Config1, 0, 0xffff_ffc0),
    filter_register(0x44, Word::Config1, 32, 0x3fff),
    filter_register(0x48, Word::Config2, 0, 0x3f),
];

// Config fields.

#[rustfmt::skip] // In columns, to be read against Tables 2-40, 2-42 and 2-43.
pub(crate) const FIELDS: &[Field] = &[
    field("event",       Word::Config,  bits::<0, 7>(),   Role::Select),
    field("umask",       Word::Config,  bits::<8, 15>(),  Role::Umask),
    field("edge",        Word::Config,  bits::<18, 18>(), Role::Edge),
    field("thresh",      Word::Config,  bits::<24, 31>(), Role::Threshold),
    INTERVAL,
    field("filter_addr", Word::Config1, bits::<0, 45>(),  Role::Filter(ADDR)),
    field("filter_opc",  Word::Config2, bits::<0, 5>(),   Role::Filter(OPC)),
];

// Filters.

#[rustfmt::skip] // In columns.
const FILTER_UNITS: &[FilterUnit] = &[
    filter_unit("addr", Word::Config1, 0x3fff_ffff_ffc0, WhenZero::Ask("filter_addr")).address(),
    filter_unit("opc",  Word::Config2, 0x3f,             WhenZero::Ask("filter_opc")),
];

// Events.

/// All four counters count every event.
pub(crate) const ANY: u8 = 0b1111;

/// SPEC: U-66, not stated for events of the lists. The 8 bits that the box is said to add.
pub(crate) const NOT_STATED: u16 = 255;

#[rustfmt::skip] // One row, one line, in columns, to be read against the manual's tables.
pub(crate) const EVENTS: &[Event] = &[
    // Name                               select  counters  max

    // SPEC: U-41, what has LISTS for a source is in the lists only.

    event("clockticks",                   0x00,   ANY,      1).source("2.4.6"),
    event("requests",                     0x01,   ANY,      1).combined("Table 2-56", REQUESTS),
    event("tracker_cycles_ne",            0x03,   ANY,      NOT_STATED).source(LISTS),

    event("conflict_cycles",              0x0b,   ANY,      1).combined("Table 2-47", const { &[
        sub("conflict",                   0x02),
        sub("last",                       0x04),
        sub("ackcnflts",                  0x08),
        sub("cmp_fwds",                   0x10),
    ] }),

    // SPEC: U-41, the lists give umask 0x02 another name.
    event("directory_lookup",             0x0c,   ANY,      1).combined("Table 2-48", const { &[
        sub("snp",                        0x01),
        sub("no_snp",                     0x02),
        sub("snoop_s",                    0x02).lists(),
        sub("snoop_a",                    0x08).lists(),
        sub("any",                        0x10).lists(),
        sub("state_i",                    0x20).lists(),
        sub("state_s",                    0x40).lists(),
        sub("state_a",                    0x80).lists(),
    ] }),

    // SPEC: U-41, the lists give umask 0x02 another name.
    event("directory_update",             0x0d,   ANY,      1).combined("Table 2-49", const { &[
        sub("set",                        0x01),
        sub("clear",                      0x02),
        sub("i2s",                        0x02).lists(),
        sub("any",                        0x03),
        sub("i2a",                        0x04).lists(),
        sub("s2i",                        0x08).lists(),
        sub("s2a",                        0x10).lists(),
        sub("a2i",                        0x20).lists(),
        sub("a2s",                        0x40).lists(),
    ] }),

    // SPEC: U-41, without sub-event in the manual, with one in the lists.
    event("txr_ak",                       0x0e,   ANY,      1).combined("2.4.6", const { &[
        bare(),
        sub("crd_cbo",                    0x02).lists(),
    ] }),

    event("txr_ad",                       0x0f,   ANY,      NOT_STATED).combined(LISTS, const { &[
        sub("hom",                        0x04),
    ] }),

    event("txr_bl",                       0x10,   ANY,      1).combined("Table 2-67", const { &[
        sub("drs_cache",                  0x01),
        sub("drs_core",                   0x02),
        sub("drs_qpi",                    0x04),
    ] }),

    event("direct2core_count",            0x11,   ANY,      1).source("2.4.6"),
    event("direct2core_cycles_disabled",  0x12,   ANY,      1).source("2.4.6"),
    event("direct2core_txn_override",     0x13,   ANY,      1).source("2.4.6"),

    event("bypass_imc",                   0x14,   ANY,      1).combined("Table 2-46", const { &[
        sub("taken",                      0x01),
        sub("not_taken",                  0x02),
    ] }),

    event("rpq_cycles_no_reg_credits",    0x15,   ANY,      4).combined("Table 2-60", CHANNELS),
    event("rpq_cycles_no_spec_credits",   0x16,   ANY,      NOT_STATED).combined(LISTS, CHANNELS),

    event("imc_reads",                    0x17,   ANY,      4).combined("Table 2-51", const { &[
        sub("normal",                     0x01).unit(LINES),
    ] }),

    event("wpq_cycles_no_reg_credits",    0x18,   ANY,      4).combined("Table 2-70", CHANNELS),
    event("wpq_cycles_no_spec_credits",   0x19,   ANY,      NOT_STATED).combined(LISTS, CHANNELS),
    event("imc_writes",                   0x1a,   ANY,      1).combined("Table 2-52", IMC_WRITES),
    event("tad_requests_g0",              0x1b,   ANY,      2).combined("Table 2-63", REGIONS_0_TO_7),
    event("tad_requests_g1",              0x1c,   ANY,      2).combined("Table 2-64", REGIONS_8_TO_11),
    event("imc_retry",                    0x1e,   ANY,      1).source("2.4.6"),

    // SPEC: U-25, the manual does not say if AD, BL and AK need OPC, too.
    event("addr_opc_match",               0x20,   ANY,      1).combined("Table 2-44", ADDR_OPC_MATCH),
    event("snoop_resp",                   0x21,   ANY,      1).combined("Table 2-61", SNOOP_RESP),

    event("igr_no_credit_cycles",         0x22,   ANY,      1).combined("Table 2-50", const { &[
        sub("ad_qpi0",                    0x01),
        sub("ad_qpi1",                    0x02),
        sub("bl_qpi0",                    0x04),
        sub("bl_qpi1",                    0x08),
    ] }),

    event("txr_ad_inserts",               0x27,   ANY,      NOT_STATED).combined(LISTS, SCHEDULERS),

    event("txr_ad_occupancy",             0x28,   ANY,      NOT_STATED).occupancy().combined(LISTS, const { &[
        sub("sched0",                     0x01),
        sub("sched1",                     0x02),
    ] }),

    event("txr_ad_cycles_ne",             0x29,   ANY,      NOT_STATED).combined(LISTS, SCHEDULERS),
    event("txr_ad_cycles_full",           0x2a,   ANY,      1).combined("Table 2-65", SCHEDULERS),
    event("txr_ak_inserts",               0x2f,   ANY,      NOT_STATED).combined(LISTS, SCHEDULERS),

    event("txr_ak_occupancy",             0x30,   ANY,      NOT_STATED).occupancy().combined(LISTS, const { &[
        sub("sched0",                     0x01),
        sub("sched1",                     0x02),
    ] }),

    event("txr_ak_cycles_ne",             0x31,   ANY,      NOT_STATED).combined(LISTS, SCHEDULERS),
    event("txr_ak_cycles_full",           0x32,   ANY,      1).combined("Table 2-66", SCHEDULERS),
    event("txr_bl_inserts",               0x33,   ANY,      NOT_STATED).combined(LISTS, SCHEDULERS),

    event("txr_bl_occupancy",             0x34,   ANY,     20).occupancy().combined("Table 2-69", const { &[
        sub("sched0",                     0x01),
        sub("sched1",                     0x02),
        sub("all",                        0x03).lists(),
    ] }),

    event("txr_bl_cycles_ne",             0x35,   ANY,      NOT_STATED).combined(LISTS, SCHEDULERS),
    event("txr_bl_cycles_full",           0x36,   ANY,      1).combined("Table 2-68", SCHEDULERS),
    event("ring_ad_used",                 0x3e,   ANY,      1).combined("Table 2-57", RING_USED),
    event("ring_ak_used",                 0x3f,   ANY,      1).combined("Table 2-58", RING_USED),
    event("ring_bl_used",                 0x40,   ANY,      1).combined("Table 2-59", RING_USED),
    event("directory_lat_opt",            0x41,   ANY,      1).source("2.4.6"),

    event("bt_cycles_ne",                 0x42,   ANY,      1).combined("2.4.6", const { &[
        bare(),
        sub("local",                      0x01).lists(),
        sub("remote",                     0x02).lists(),
    ] }),

    // SPEC: U-42, as printed.
    event("bt_occupancy",                 0x43,   ANY,    512).occupancy().combined("Table 2-45", const { &[
        sub("local",                      0x01),
        sub("remote",                     0x02),
        sub("reads_local",                0x04),
        sub("reads_remote",               0x08),
        sub("writes_local",               0x10),
        sub("writes_remote",              0x20),
    ] }),

    event("bt_to_ht_not_issued",          0x51,   ANY,      NOT_STATED).combined(LISTS, BT_TO_HT_NOT_ISSUED),
    event("bt_bypass",                    0x52,   ANY,      1).source("2.4.6"),

    event("osb",                          0x53,   ANY,      1).combined("Table 2-54", const { &[
        sub("reads_local",                0x02),
        sub("invitoe_local",              0x04),
        sub("remote",                     0x08),
    ] }),

    event("osb_edr",                      0x54,   ANY,      1).combined("Table 2-55", OSB_EDR),
    event("iodc_inserts",                 0x56,   ANY,      1).source("2.4.6"),

    // SPEC: U-41, the lists give both umasks other names.
    event("iodc_conflicts",               0x57,   ANY,      1).combined("Table 2-53", const { &[
        sub("any",                        0x01),
        sub("remote_invi2e_same_rtid",    0x01).lists(),
        sub("last",                       0x04),
        sub("remote_other_same_addr",     0x04).lists(),
    ] }),

    event("iodc_olen_wbmtoi",             0x58,   ANY,      1).source("2.4.6"),
    event("igr_credits_ad_qpi2",          0x59,   ANY,      1).source("2.4.6")
        .presets(presets![also("igr_ad_qpi2_accumulator")]),
    event("igr_credits_bl_qpi2",          0x5a,   ANY,      1).source("2.4.6")
        .presets(presets![also("igr_bl_qpi2_accumulator")]),

    event("snp_resp_recv_local",          0x60,   ANY,      1).combined("Table 2-62", SNP_RESP_RECV_LOCAL),
];

/// The home agent.
pub(crate) const HA: BoxType = BoxType {
    name: "ha",
    numbered: true,
    access: Access::Pci(FUNCTIONS),
    box_control: Some(BOX_CONTROL),
    status: Some(STATUS),
    global_status: GLOBAL_STATUS,
    counters: COUNTERS,
    width: 48,
    control: CONTROL,
    fields: FIELDS,
    filters: FILTERS,
    filter_units: FILTER_UNITS,
    events: EVENTS,
    builtin_events: true,
    max_clock_mhz: super::MAX_UCLK_MHZ,
    // SPEC: U-42, as BT_OCCUPANCY has it; the box is said to add 255.
    max_increment: 512,
    ..ORDINARY_BOX
};
