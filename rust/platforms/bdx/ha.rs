// SPDX-License-Identifier: GPL-2.0

//! The home agent (HA) is where all requests for the memory behind one controller meet: it orders
//! them, keeps the copies in caches coherent and passes reads and writes on to the iMC.
//!
//! Four general counters of 48 bits, each of which takes occupancies; PCI configuration space; up
//! to two per package. Documentation/hardware/bdx.rst section 10 (manual 2.5). One address match
//! and one opcode match, shared by the four counters.
//!
//! Abbreviations: AD, AK, BL the address, acknowledge and block rings; BT, HT backup and home
//! tracker, queues of requests; CHN channel; CW, CCW clockwise and counterclockwise; EDR early data
//! return; HITME a cache of the directory; HOM, SNP, NDR, DRS message classes; IGR ingress; OSB
//! opportunistic snoop broadcast; PV presence vector; RPQ, WPQ read and write pending queue of the
//! iMC; RSP snoop response; SBO the S-Box; TAD target address decoder; WB write-back; `TxR` what
//! goes to the ring.
//!
//! Oddities:
//!
//! * There is no address mask: a page of 4 KiB either is the one of `filter_addr` or is not. Its
//!   bits 11:0 are the place in the page and not compared.
//! * The directory adds reads and writes of its own to those of requests.
//! * `DIRECT2CORE_COUNT` carries a note that it will not be implemented, and its note names a
//!   sub-event of `TxR_BL` that is `drs_core` in the table.
//! * `TRACKER_CYCLES_FULL.ALL` is umask 0x02.
//! * Not offered: `CONFLICT_CYCLES` (0x0b), which adds at most 0 as printed, is on counter 1 only
//!   and has no table of sub-events (disagreement 22).
//!
//! Uncertain:
//!
//! * The direction of the messages whose opcode is compared, and whether the AD, BL and AK of
//!   `ADDR_OPC_MATCH` have to be combined with OPC (section 10).
//! * `BT_OCCUPANCY` can add 512 a clock, as printed.
//! * Whether region 11 of `TAD_REQUESTS_G1` exists: the table has it, the text has 11 regions, 0 to
//!   10 (section 10).
//! * Sub-events of `BT_OCCUPANCY`, `TxR_AK` and `TxR_BL_OCCUPANCY`: their tables do not exist
//!   (section 22).
//! * What the manual leaves out (section 17).

use super::*;
use xeon::ha::*;

// Registers: configuration space offsets.

#[rustfmt::skip] // In columns, to be read against section 2.2.
const FUNCTIONS: &[PciFunction] = &[
    // box dev fn  ID
    pci(0, 18, 1, 0x6f30),
    pci(1, 18, 5, 0x6f38),
];

/// `HA_PCI_PMON_BOX_CTL` (WO, Table 2-62): bits 17:16 must be written 1, 8 freezes, 1 clears the
/// counters, 0 the controls.
const BOX_CONTROL: BoxControl = box_control(0xf4);

/// `HA_PCI_PMON_BOX_STATUS` (RW1C): bit k is counter k.
const STATUS: BoxStatus = box_status(0b1111);

/// Bits of `U_MSR_PMON_GLOBAL_STATUS` (Table 2-3): `ov_h0`, `ov_h1`.
const GLOBAL_STATUS: &[u64] = &[1 << 21, 1 << 22];

/// `HA_PCI_PMON_CTL0` to `3` (RW) and the low halves of `HA_PCI_PMON_CTR0` to `3` (RW).
const COUNTERS: &[Counter] = FOUR_COUNTERS;

/// Layout of `HA_PCI_PMON_CTL`, section 3.1.
pub(crate) const CONTROL: Control = control(0xffd6_ffff);

/// `HA_PCI_PMON_BOX_ADDRMATCH0` (RW), `1` (RW) and `HA_PCI_PMON_BOX_OPCODEMATCH` (RW).
///
/// SPEC: bdx 10, bits 11:6 of the first are not compared; they stay 0.
const FILTERS: &[FilterRegister] = &[
    filter_register(0x40, Word::Config1, 0, 0xffff_f000),
    filter_register(0x44, Word::Config1, 32, 0x3fff),
    filter_register(0x48, Word::Config2, 0, 0x3f),
];

// Config fields.

#[rustfmt::skip] // In columns, to be read against sections 3.1 and 10.
const FIELDS: &[Field] = &[
    field("event",       Word::Config,  bits::<0, 7>(),   Role::Select),
    field("umask",       Word::Config,  bits::<8, 15>(),  Role::Umask),
    field("edge",        Word::Config,  bits::<18, 18>(), Role::Edge),
    INVERT,
    field("thresh",      Word::Config,  bits::<24, 31>(), Role::Threshold),
    INTERVAL,
    field("filter_addr", Word::Config1, bits::<0, 45>(),  Role::Filter(ADDR)),
    field("filter_opc",  Word::Config2, bits::<0, 5>(),   Role::Filter(OPC)),
];

// Filters.

#[rustfmt::skip] // In columns.
const FILTER_UNITS: &[FilterUnit] = &[
    filter_unit("addr", Word::Config1, 0x3fff_ffff_f000, WhenZero::Ask("filter_addr")).address(),
    filter_unit("opc",  Word::Config2, 0x3f,             WhenZero::Ask("filter_opc")),
];

// Events.

/// The counters that the lists have for some events.
const C012: u8 = 0b0111;
/// All four counters.
const ANY: u8 = 0b1111;

/// Not stated for events of the lists. The largest value the threshold can be compared with.
const NOT_STATED: u16 = 255;

#[rustfmt::skip] // In columns, to be read against Table 2-77.
const HITME_LOOKUP: &[SubEvent] = &[
    sub("read_or_invitoe",                0x01),
    sub("wbmtoi",                         0x02),
    sub("ackcnfltwbi",                    0x04),
    sub("wbmtoe_or_s",                    0x08),
    sub("hom",                            0x0f),
    sub("rspfwdi_remote",                 0x10),
    sub("rspfwdi_local",                  0x20),
    sub("invals",                         0x26),
    sub("rspfwds",                        0x40),
    sub("allocs",                         0x70),
    sub("rsp",                            0x80),
    sub("all",                            0xff),
];

const HITME_HIT: &[SubEvent] = &inserted::<13>(HITME_LOOKUP, sub("evicts", 0x42));

#[rustfmt::skip] // One row, one line, in columns, to be read against the manual's tables.
pub(crate) const EVENTS: &[Event] = &[
    // Name                               select  counters  max

    // SPEC: bdx 17, what has LISTS for a source is in the lists only.

    event("clockticks",                   0x00,   ANY,      1).source("2.5.5"),
    event("requests",                     0x01,   ANY,      1).combined("Table 2-83", REQUESTS),

    event("tracker_cycles_full",          0x02,   ANY,      1).combined("Table 2-100", const { &[
        sub("gp",                         0x01),
        sub("all",                        0x02),
    ] }),

    event("tracker_cycles_ne",            0x03,   ANY,      1).combined("Table 2-101", const { &[
        sub("local",                      0x01),
        sub("remote",                     0x02),
        sub("all",                        0x03),
    ] }),

    event("tracker_occupancy",            0x04,   ANY,    128).combined("Table 2-102", const { &[
        sub("reads_local",                0x04),
        sub("reads_remote",               0x08),
        sub("writes_local",               0x10),
        sub("writes_remote",              0x20),
        sub("invitoe_local",              0x40),
        sub("invitoe_remote",             0x80),
    ] }),

    event("tracker_pending_occupancy",    0x05,   ANY,    127).combined("Table 2-103", const { &[
        sub("local",                      0x01),
        sub("remote",                     0x02),
    ] }),

    event("snoop_cycles_ne",              0x08,   ANY,      1).combined("Table 2-93", const { &[
        sub("local",                      0x01),
        sub("remote",                     0x02),
        sub("all",                        0x03),
    ] }),

    event("snoop_occupancy",              0x09,   ANY,    127).combined("Table 2-94", const { &[
        sub("local",                      0x01),
        sub("remote",                     0x02),
    ] }),

    event("snoops_rsp_after_data",        0x0a,   ANY,    127).combined("Table 2-92", const { &[
        sub("local",                      0x01),
        sub("remote",                     0x02),
    ] }),

    event("directory_lookup",             0x0c,   ANY,      1).combined("Table 2-73", const { &[
        sub("snp",                        0x01),
        sub("no_snp",                     0x02),
    ] }),

    event("directory_update",             0x0d,   ANY,      1).combined("Table 2-74", const { &[
        sub("set",                        0x01),
        sub("clear",                      0x02),
        sub("any",                        0x03),
    ] }),

    // SPEC: bdx 22, without sub-events.
    event("txr_ak",                       0x0e,   ANY,      1).source("2.5.5"),

    event("txr_ad",                       0x0f,   ANY,      NOT_STATED).combined(LISTS, const { &[
        sub("hom",                        0x04),
    ] }),

    event("txr_bl",                       0x10,   ANY,      1).combined("Table 2-107", const { &[
        sub("drs_cache",                  0x01),
        sub("drs_core",                   0x02),
        sub("drs_qpi",                    0x04),
    ] }),

    event("direct2core_count",            0x11,   ANY,      1).source("2.5.5"),
    event("direct2core_cycles_disabled",  0x12,   ANY,      1).source("2.5.5"),
    event("direct2core_txn_override",     0x13,   ANY,      1).source("2.5.5"),

    event("bypass_imc",                   0x14,   ANY,      1).combined("Table 2-71", const { &[
        sub("taken",                      0x01),
        sub("not_taken",                  0x02),
    ] }),

    event("rpq_cycles_no_reg_credits",    0x15,   ANY,      4).combined("Table 2-87", CHANNELS),
    event("rpq_cycles_no_spec_credits",   0x16,   ANY,      NOT_STATED).combined(LISTS, CHANNELS),

    event("imc_reads",                    0x17,   ANY,      4).combined("Table 2-79", const { &[
        sub("normal",                     0x01).unit(LINES),
    ] }),

    event("wpq_cycles_no_reg_credits",    0x18,   ANY,      4).combined("Table 2-111", CHANNELS),
    event("wpq_cycles_no_spec_credits",   0x19,   ANY,      NOT_STATED).combined(LISTS, CHANNELS),
    event("imc_writes",                   0x1a,   ANY,      1).combined("Table 2-80", IMC_WRITES),
    event("tad_requests_g0",              0x1b,   ANY,      2).combined("Table 2-98", REGIONS_0_TO_7),

    // SPEC: bdx 10, the text has regions 8 to 10.
    event("tad_requests_g1",              0x1c,   ANY,      2).combined("Table 2-99", REGIONS_8_TO_11),
    event("imc_retry",                    0x1e,   ANY,      1).source("2.5.5"),

    // SPEC: bdx 10, the manual does not say if AD, BL and AK need OPC, too.
    event("addr_opc_match",               0x20,   ANY,      1).combined("Table 2-69", ADDR_OPC_MATCH),
    event("snoop_resp",                   0x21,   ANY,      1).combined("Table 2-95", SNOOP_RESP),

    event("igr_no_credit_cycles",         0x22,   ANY,      1).combined("Table 2-78", const { &[
        sub("ad_qpi0",                    0x01),
        sub("ad_qpi1",                    0x02),
        sub("bl_qpi0",                    0x04),
        sub("bl_qpi1",                    0x08),
        sub("ad_qpi2",                    0x10),
        sub("bl_qpi2",                    0x20),
    ] }),

    event("txr_ad_inserts",               0x27,   ANY,      NOT_STATED).combined(LISTS, SCHEDULERS),
    event("txr_ad_cycles_ne",             0x29,   ANY,      NOT_STATED).combined(LISTS, SCHEDULERS),
    event("txr_ad_cycles_full",           0x2a,   ANY,      1).combined("Table 2-104", SCHEDULERS),
    event("txr_ak_inserts",               0x2f,   ANY,      NOT_STATED).combined(LISTS, SCHEDULERS),
    event("txr_ak_cycles_ne",             0x31,   ANY,      NOT_STATED).combined(LISTS, SCHEDULERS),
    event("txr_ak_cycles_full",           0x32,   ANY,      1).combined("Table 2-106", SCHEDULERS),
    event("txr_bl_inserts",               0x33,   ANY,      NOT_STATED).combined(LISTS, SCHEDULERS),

    // SPEC: bdx 22, without sub-events.
    event("txr_bl_occupancy",             0x34,   ANY,     20).source("2.5.5"),
    event("txr_bl_cycles_ne",             0x35,   ANY,      NOT_STATED).combined(LISTS, SCHEDULERS),
    event("txr_bl_cycles_full",           0x36,   ANY,      1).combined("Table 2-108", SCHEDULERS),

    event("ring_ad_used",                 0x3e,   ANY,      1).combined("Table 2-84", RING_DIRECTIONS),
    event("ring_ak_used",                 0x3f,   ANY,      1).combined("Table 2-85", RING_USED),
    event("ring_bl_used",                 0x40,   ANY,      1).combined("Table 2-86", RING_USED),
    event("directory_lat_opt",            0x41,   ANY,      1).source("2.5.5"),
    event("bt_cycles_ne",                 0x42,   ANY,      1).source("2.5.5"),

    // SPEC: bdx 22, without sub-events; the maximum is as printed.
    event("bt_occupancy",                 0x43,   ANY,    512).source("2.5.5"),
    event("bt_to_ht_not_issued",          0x51,   ANY,      NOT_STATED).combined(LISTS, BT_TO_HT_NOT_ISSUED),

    event("osb",                          0x53,   ANY,      1).combined("Table 2-81", const { &[
        sub("reads_local",                0x02),
        sub("invitoe_local",              0x04),
        sub("remote",                     0x08),
        sub("cancelled",                  0x10),
        sub("reads_local_useful",         0x20),
        sub("remote_useful",              0x40),
    ] }),

    event("osb_edr",                      0x54,   ANY,      1).combined("Table 2-82", OSB_EDR),
    event("snp_resp_recv_local",          0x60,   ANY,      1).combined("Table 2-96", SNP_RESP_RECV_LOCAL),

    event("iot_backpressure",             0x61,   C012,     NOT_STATED).combined(LISTS, const { &[
        sub("sat",                        0x01),
        sub("hub",                        0x02),
    ] }),

    event("iot_cts_west_lo",              0x62,   C012,     NOT_STATED).combined(LISTS, const { &[
        sub("cts0",                       0x01),
        sub("cts1",                       0x02),
    ] }),

    event("iot_cts_east_lo",              0x64,   C012,     NOT_STATED).combined(LISTS, const { &[
        sub("cts0",                       0x01),
        sub("cts1",                       0x02),
    ] }),

    event("iot_cts_hi",                   0x65,   C012,     NOT_STATED).combined(LISTS, const { &[
        sub("cts2",                       0x01),
        sub("cts3",                       0x02),
    ] }),

    event("sbo0_credits_acquired",        0x68,   ANY,      1).combined("Table 2-88", SBO_CREDITS),
    event("sbo1_credits_acquired",        0x69,   ANY,      1).combined("Table 2-90", SBO_CREDITS),
    event("sbo0_credit_occupancy",        0x6a,   ANY,      1).combined("Table 2-89", SBO_CREDITS),
    event("sbo1_credit_occupancy",        0x6b,   ANY,      1).combined("Table 2-91", SBO_CREDITS),
    event("stall_no_sbo_credit",          0x6c,   ANY,      1).combined("Table 2-97", STALL_NO_SBO_CREDIT),

    event("txr_starved",                  0x6d,   ANY,      1).combined("Table 2-110", const { &[
        sub("ak",                         0x01),
        sub("bl",                         0x02),
    ] }),

    event("hitme_lookup",                 0x70,   ANY,      1).combined("Table 2-77", HITME_LOOKUP),
    event("hitme_hit",                    0x71,   ANY,      1).combined("Table 2-75", HITME_HIT),

    event("hitme_hit_pv_bits_set",        0x72,   ANY,      1).combined("Table 2-76", const { &[
        sub("read_or_invitoe",            0x01),
        sub("wbmtoi",                     0x02),
        sub("ackcnfltwbi",                0x04),
        sub("wbmtoe_or_s",                0x08),
        sub("hom",                        0x0f),
        sub("rspfwdi_remote",             0x10),
        sub("rspfwdi_local",              0x20),
        sub("rspfwds",                    0x40),
        sub("rsp",                        0x80),
        sub("all",                        0xff),
    ] }),
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
    max_increment: 512,
    ..ORDINARY_BOX
};
