// SPDX-License-Identifier: GPL-2.0

//! The QPI link layer of a port: it packs messages to other packages into flits and unpacks what
//! comes from there. Each port is one counter box.
//!
//! Four general counters of 48 bits, each of which takes occupancies, and two counters of 32 bits
//! that always run; PCI configuration space; up to three ports per package.
//! Documentation/hardware/bdx.rst section 14 (manual 2.9) and, for messages and opcodes, section 18
//! (manual 2.12). Ports 0 and 1 are QPI0; port 2, QPI1, is on parts with three links. A match and a
//! mask of received packets, shared by the four counters.
//!
//! Abbreviations: AD, AK, BL the address, acknowledge and block rings; BGF a queue between two
//! clocks; CRC checksum of a flit; DNID, RNID destination and remote node ID; DRS, HOM, NCB, NCS,
//! NDR, SNP message classes (data response, home, non-coherent bypass and standard, no-data
//! response, snoop); flit 80 bits; G0, G1, G2 groups of kinds of flits; L0, L0P, L1 link states
//! from full power to off; LLR retry of the link layer; MC message class; OPC opcode; qfclk a
//! quarter of the transfer rate; RDS state of the data in a response; VN0, VN1 virtual networks and
//! VNA the pool that both share; VNW which of them; `RxL`, `TxL` what is received from and sent to
//! the link, `TxR` what goes to the ring.
//!
//! Oddities:
//!
//! * The event select has an extra bit, 21. perf's built-in events have codes without it, which are
//!   those of other events (disagreement 14).
//! * The reset bit of a control register does not clear itself. The driver never sets it.
//! * Match and mask are in another PCI function, behind its first 256 bytes. Where it is hidden, or
//!   the machine gives no access to extended configuration space, `CTO_COUNT` is refused.
//! * `CTO_COUNT` counts received packets that agree with the match in all bits that are 1 in the
//!   mask; without a mask, all. `message.*` are packets by name.
//! * Two flits or packets can come in one clock. With `edge`, `CTO_COUNT` counts those clocks.
//! * `RxL0` and `TxL0_POWER_CYCLES` contain those of L0P. `edge` does not work on
//!   `RxL0P_POWER_CYCLES` and `TxL0P_POWER_CYCLES` while `L1_POWER_CYCLES` counts.
//! * `TxL_FLITS_G0` has no sub-event for idle flits.
//! * Received flits are said to be counted too often, so that only flits that are sent have the
//!   unit MiB.
//! * `link_idle` and `link_llr` are in 32 bits and wrap within seconds.
//!
//! Uncertain:
//!
//! * A mask bit of 1 means compare: from the examples, stated nowhere (section 14.1).
//! * There are match and mask of sent packets, too, and nothing says whether `CTO_COUNT` looks at
//!   them. While it counts, no sent packet agrees. They have no fields: the words that perf has
//!   for filters are full (section 14.1).
//! * Whether RNID is compared: the fields exist, and the event is not said to depend on them.
//! * `link_idle` and `link_llr` are in the function with the counters by one table, and by another
//!   in that with the filters (section 14.3). They are refused where the first has none.
//! * The unit of data flits has 8 bytes for each; in L0P it is 4.
//! * The extra bit of events that only the lists have is inferred, as are those events (section
//!   17).
//! * `TxL_OCCUPANCY` adds 1 a clock as printed, though an occupancy.

use super::*;
use xeon::qpi::*;

// Registers: configuration space offsets.

#[rustfmt::skip] // In columns, to be read against section 2.2.
const FUNCTIONS: &[PciFunction] = &[
    // port dev fn ID               dev fn  ID
    pci(0,  8, 2, 0x6f32).filters(  8, 6, 0x6f86),
    pci(1,  9, 2, 0x6f33).filters(  9, 6, 0x6f96),
    pci(2, 10, 2, 0x6f3a).filters( 10, 6, 0x6f46),
];

/// `Q_Py_PCI_PMON_BOX_CTL` (WO, Table 2-167): bits 17:16 must be written 1, 8 freezes, 1 clears the
/// counters, 0 the controls.
const BOX_CONTROL: BoxControl = box_control(0xf4);

/// `Q_Py_PCI_PMON_BOX_STATUS` (RW1C): bit k is counter k.
const STATUS: BoxStatus = box_status(0b1111);

/// Bits of `U_MSR_PMON_GLOBAL_STATUS` (Table 2-3): `ov_q0` of ports 0 and 1, `ov_q1` of port 2.
const GLOBAL_STATUS: &[u64] = &[1 << 25, 1 << 25, 1 << 26];

/// `Q_Py_PCI_PMON_CTL0` to `3` (RW) and the low halves of `Q_Py_PCI_PMON_CTR0` to `3` (RW).
const COUNTERS: &[Counter] = FOUR_COUNTERS;

/// Layout of `Q_Py_PCI_PMON_CTL`, Table 2-169.
pub(crate) const CONTROL: Control = Control {
    select: EXTENDED_SELECT,
    ..control(0xfff6_ffff)
};

/// `LINK_IDLE` (RW): clocks in which nothing is received.
///
/// SPEC: bdx 14.3, in this function.
const LINK_IDLE: Fixed = Fixed {
    control: None,
    counter: 0xc8,
    width: 32,
    max_width: 32,
    select: 0xc8,
    name: "link_idle",
    unit: None,
};

/// `LINK_LLR` (RW): clocks in which what is received is a retry.
///
/// SPEC: bdx 14.3, in this function.
const LINK_LLR: Fixed = Fixed {
    counter: 0xd0,
    select: 0xd0,
    name: "link_llr",
    ..LINK_IDLE
};

/// `RX_MATCH0`, `1` and `RX_MASK0`, `1` (RW, Tables 2-171 to 2-174), in the function with the
/// filters.
const FILTERS: &[FilterRegister] = &[
    filter_register(0x228, Word::Config1, 0, 0x8003_fff8),
    filter_register(0x22c, Word::Config1, 32, 0x000f_000f),
    filter_register(0x238, Word::Config2, 0, 0x8003_fff8),
    filter_register(0x23c, Word::Config2, 32, 0x000f_000f),
    constant_filter(Place::Offset(0x200), 1 << MATCH, NO_PACKET),
    constant_filter(Place::Offset(0x210), 1 << MASK, NO_PACKET),
];

/// `TX_MATCH0` and `TX_MASK0`: the message class 15, which no packet has.
///
/// SPEC: bdx 14.1, nothing says whether `CTO_COUNT` looks at sent packets, too. So no such packet
/// agrees.
const NO_PACKET: u64 = 0xf << 9;

/// Highest qfclk in MHz: a quarter of 9.6 GT/s, the highest rate of section 14.3.
const MAX_QFCLK_MHZ: u32 = 2400;

// Config fields.

#[rustfmt::skip] // In columns, to be read against Tables 2-169 and 2-171 to 2-174.
const FIELDS: &[Field] = &joined::<_, 24>(&[
    field("event",        Word::Config,  EXTENDED_SELECT,  Role::Select),
    field("umask",        Word::Config,  bits::<8, 15>(),  Role::Umask),
    field("edge",         Word::Config,  bits::<18, 18>(), Role::Edge),
    INVERT,
    field("thresh",       Word::Config,  bits::<24, 31>(), Role::Threshold),
    INTERVAL,
], PACKET_FIELDS);

// Filters: those of `xeon::qpi`.

// Events.

/// All four counters count every event.
const ANY: u8 = 0b1111;

/// Not stated for events of the lists. The largest value the threshold can be compared with.
const NOT_STATED: u16 = 255;

/// Packets by name: bits 12:0 of match and mask, which are class and opcode, and the state of the
/// data (bits 19:16 of `RX_MATCH1` and `RX_MASK1`).
const fn packets(name: &'static str, match0: u64, mask0: u64, match1: u64, mask1: u64) -> Preset {
    preset(name, match0 | match1 << 48, mask0 | mask1 << 48).source("Table 2-175")
}

#[rustfmt::skip] // In columns, to be read against Table 2-175.
const MESSAGES: &[Preset] = &[
    //       Name                                match0  mask0   match1 mask1
    packets("message.drs.anydatac",              0x1c00, 0x1f80, 0x0, 0x0),
    packets("message.drs.datac_m",               0x1c00, 0x1fe0, 0x8, 0xf),
    packets("message.drs.datac_e",               0x1c00, 0x1fe0, 0x4, 0xf),
    packets("message.drs.datac_f",               0x1c00, 0x1fe0, 0x1, 0xf),
    packets("message.drs.datac_e_cmp",           0x1c40, 0x1fe0, 0x4, 0xf),
    packets("message.drs.datac_f_cmp",           0x1c40, 0x1fe0, 0x1, 0xf),
    packets("message.drs.datac_e_frcackcnflt",   0x1c20, 0x1fe0, 0x4, 0xf),
    packets("message.drs.datac_f_frcackcnflt",   0x1c20, 0x1fe0, 0x1, 0xf),
    packets("message.drs.wbidata",               0x1c80, 0x1fe0, 0x0, 0x0),
    packets("message.drs.wbsdata",               0x1ca0, 0x1fe0, 0x0, 0x0),
    packets("message.drs.wbedata",               0x1cc0, 0x1fe0, 0x0, 0x0),
    packets("message.drs.anyresp",               0x1c00, 0x1e00, 0x0, 0x0),
    packets("message.drs.anyresp9flits",         0x1c00, 0x1f00, 0x0, 0x0),
    packets("message.drs.anyresp11flits",        0x1d00, 0x1f00, 0x0, 0x0),
    packets("message.ncb.anyresp",               0x1800, 0x1e00, 0x0, 0x0),
    packets("message.ncb.anymsg9flits",          0x1800, 0x1f00, 0x0, 0x0),
    packets("message.ncb.anymsg11flits",         0x1900, 0x1f00, 0x0, 0x0),
    packets("message.ncb.anyint",                0x1900, 0x1f80, 0x0, 0x0),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the manual's tables.
const EVENTS: &[Event] = &[
    // Name                               select        counters  max

    // SPEC: bdx 17, what has LISTS for a source is in the lists only.

    event("txl_flits_g0",                 0x00,         ANY,      2).combined("Table 2-197", const { &[
        sub("data",                       0x02).unit(FLITS),
        sub("non_data",                   0x04),
    ] }),

    event("rxl_flits_g0",                 0x01,         ANY,      2).combined("Table 2-182", const { &[
        sub("idle",                       0x01),
        sub("data",                       0x02),
        sub("non_data",                   0x04),
    ] }),

    event("txl_crc_no_credits",           0x02,         ANY,      NOT_STATED).combined(LISTS, const { &[
        sub("full",                       0x01),
        sub("almost_full",                0x02),
    ] }),

    event("rxl_crc_errors",               0x03,         ANY,      NOT_STATED).combined(LISTS, const { &[
        sub("link_init",                  0x01),
        sub("normal_op",                  0x02),
    ] }),

    event("txl_inserts",                  0x04,         ANY,      1).source("2.9.6"),
    event("txl_bypassed",                 0x05,         ANY,      1).source("2.9.6"),
    event("txl_cycles_ne",                0x06,         ANY,      1).source("2.9.6"),
    event("txl_occupancy",                0x07,         ANY,      1).source("2.9.6"),
    event("rxl_inserts",                  0x08,         ANY,      1).source("2.9.6"),
    event("rxl_bypassed",                 0x09,         ANY,      1).source("2.9.6"),
    event("rxl_cycles_ne",                0x0a,         ANY,      1).source("2.9.6"),
    event("rxl_occupancy",                0x0b,         ANY,    128).source("2.9.6"),
    event("txl0_power_cycles",            0x0c,         ANY,      1).source("2.9.6"),
    event("txl0p_power_cycles",           0x0d,         ANY,      1).source("2.9.6"),
    event("rxl0_power_cycles",            0x0f,         ANY,      1).source("2.9.6"),
    event("rxl0p_power_cycles",           0x10,         ANY,      1).source("2.9.6"),
    event("l1_power_cycles",              0x12,         ANY,      1).source("2.9.6"),
    event("direct2core",                  0x13,         ANY,      1).combined("Table 2-179", DIRECT2CORE),
    event("clockticks",                   0x14,         ANY,      1).source("2.9.6"),
    event("txl_flits_g1",                 EXT,          ANY,      2).combined("Table 2-198", FLITS_G1),
    event("txl_flits_g2",                 0x01 | EXT,   ANY,      2).combined("Table 2-199", FLITS_G2),

    event("rxl_flits_g1",                 0x02 | EXT,   ANY,      2).combined("Table 2-183", const { &[
        sub("snp",                        0x01),
        sub("hom_req",                    0x02),
        sub("hom_nonreq",                 0x04),
        sub("hom",                        0x06),
        sub("drs_data",                   0x08),
        sub("drs_nondata",                0x10),
        sub("drs",                        0x18),
    ] }),

    event("rxl_flits_g2",                 0x03 | EXT,   ANY,      2).combined("Table 2-184", const { &[
        sub("ndr_ad",                     0x01),
        sub("ndr_ak",                     0x02),
        sub("ncb_data",                   0x04),
        sub("ncb_nondata",                0x08),
        sub("ncb",                        0x0c),
        sub("ncs",                        0x10),
    ] }),

    event("rxl_inserts_drs",              0x09 | EXT,   ANY,      1).combined("Table 2-185", NETWORKS),
    event("rxl_inserts_ncb",              0x0a | EXT,   ANY,      1).combined("Table 2-187", NETWORKS),
    event("rxl_inserts_ncs",              0x0b | EXT,   ANY,      1).combined("Table 2-188", NETWORKS),
    event("rxl_inserts_hom",              0x0c | EXT,   ANY,      1).combined("Table 2-186", NETWORKS),
    event("rxl_inserts_snp",              0x0d | EXT,   ANY,      1).combined("Table 2-190", NETWORKS),
    event("rxl_inserts_ndr",              0x0e | EXT,   ANY,      1).combined("Table 2-189", NETWORKS),
    event("rxl_cycles_ne_drs",            0x0f | EXT,   ANY,      NOT_STATED).combined(LISTS, NETWORKS),
    event("rxl_cycles_ne_ncb",            0x10 | EXT,   ANY,      NOT_STATED).combined(LISTS, NETWORKS),
    event("rxl_cycles_ne_ncs",            0x11 | EXT,   ANY,      NOT_STATED).combined(LISTS, NETWORKS),
    event("rxl_cycles_ne_hom",            0x12 | EXT,   ANY,      NOT_STATED).combined(LISTS, NETWORKS),
    event("rxl_cycles_ne_snp",            0x13 | EXT,   ANY,      NOT_STATED).combined(LISTS, NETWORKS),
    event("rxl_cycles_ne_ndr",            0x14 | EXT,   ANY,      NOT_STATED).combined(LISTS, NETWORKS),
    event("rxl_occupancy_drs",            0x15 | EXT,   ANY,    128).combined("Table 2-191", NETWORKS),
    event("rxl_occupancy_ncb",            0x16 | EXT,   ANY,    128).combined("Table 2-193", NETWORKS),
    event("rxl_occupancy_ncs",            0x17 | EXT,   ANY,    128).combined("Table 2-194", NETWORKS),
    event("rxl_occupancy_hom",            0x18 | EXT,   ANY,    128).combined("Table 2-192", NETWORKS),
    event("rxl_occupancy_snp",            0x19 | EXT,   ANY,    128).combined("Table 2-196", NETWORKS),
    event("rxl_occupancy_ndr",            0x1a | EXT,   ANY,    128).combined("Table 2-195", NETWORKS),
    event("vna_credit_return_occupancy",  0x1b | EXT,   ANY,    128).source("2.9.6"),
    event("vna_credit_returns",           0x1c | EXT,   ANY,      1).source("2.9.6"),
    event("rxl_credits_consumed_vna",     0x1d | EXT,   ANY,      1).source("2.9.6"),
    event("rxl_credits_consumed_vn0",     0x1e | EXT,   ANY,      2).combined("Table 2-180", CLASSES),
    event("txr_bl_drs_credit_occupancy",  0x1f | EXT,   ANY,      8).combined("Table 2-207", NETWORKS_AND_SHARED),
    event("txr_bl_ncb_credit_occupancy",  0x20 | EXT,   ANY,      2).combined("Table 2-209", NETWORKS),
    event("txr_bl_ncs_credit_occupancy",  0x21 | EXT,   ANY,      2).combined("Table 2-211", NETWORKS),
    event("txr_ad_hom_credit_occupancy",  0x22 | EXT,   ANY,     28).combined("Table 2-201", NETWORKS),
    event("txr_ad_snp_credit_occupancy",  0x23 | EXT,   ANY,     28).combined("Table 2-205", NETWORKS),
    event("txr_ad_ndr_credit_occupancy",  0x24 | EXT,   ANY,      8).combined("Table 2-203", NETWORKS),
    event("txr_ak_ndr_credit_occupancy",  0x25 | EXT,   ANY,      6).source("2.9.6"),
    event("txr_ad_hom_credit_acquired",   0x26 | EXT,   ANY,      1).combined("Table 2-200", NETWORKS),
    event("txr_ad_snp_credit_acquired",   0x27 | EXT,   ANY,      1).combined("Table 2-204", NETWORKS),
    event("txr_ad_ndr_credit_acquired",   0x28 | EXT,   ANY,      1).combined("Table 2-202", NETWORKS),
    event("txr_ak_ndr_credit_acquired",   0x29 | EXT,   ANY,      1).source("2.9.6"),
    event("txr_bl_drs_credit_acquired",   0x2a | EXT,   ANY,      1).combined("Table 2-206", NETWORKS_AND_SHARED),
    event("txr_bl_ncb_credit_acquired",   0x2b | EXT,   ANY,      1).combined("Table 2-208", NETWORKS),
    event("txr_bl_ncs_credit_acquired",   0x2c | EXT,   ANY,      1).combined("Table 2-210", NETWORKS),
    event("rxl_stalls_vn0",               0x35 | EXT,   ANY,      NOT_STATED).combined(LISTS, RXL_STALLS_VN0),

    event("cto_count",                    0x38 | EXT,   ANY,      2)
        .filter(MATCH).filter(MASK).presets(&MESSAGES).source("2.9.6"),

    event("rxl_credits_consumed_vn1",     0x39 | EXT,   ANY,      2).combined("Table 2-181", CLASSES),
    event("rxl_stalls_vn1",               0x3a | EXT,   ANY,      NOT_STATED).combined(LISTS, RXL_STALLS_VN1),
];

/// A port's link layer.
pub(crate) const QPI: BoxType = BoxType {
    name: "qpi",
    numbered: true,
    access: Access::Pci(FUNCTIONS),
    box_control: Some(BOX_CONTROL),
    status: Some(STATUS),
    global_status: GLOBAL_STATUS,
    counters: COUNTERS,
    width: 48,
    fixed: &[LINK_IDLE, LINK_LLR],
    control: CONTROL,
    fields: FIELDS,
    filters: FILTERS,
    filter_units: FILTER_UNITS,
    events: EVENTS,
    // SPEC: bdx 21.14, the codes of events with the extra bit lack it.
    builtin_events: false,
    max_clock_mhz: MAX_QFCLK_MHZ,
    max_increment: 255,
    ..ORDINARY_BOX
};
