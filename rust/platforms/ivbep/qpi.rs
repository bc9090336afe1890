// SPDX-License-Identifier: GPL-2.0

//! The QPI link layer of a port: it packs messages to other packages into flits and unpacks what
//! comes from there. Each port is one counter box.
//!
//! Four general counters of 48 bits, each of which takes occupancies; PCI configuration space; up
//! to three ports per package. Documentation/hardware/ivbep.rst section 7.7 (manual 2.8) and, for
//! messages and opcodes, section 8 (manual 2.11). Ports 0 and 1 are QPI0; port 2, QPI1, is on E7
//! parts. A match and a mask of received packets, shared by the four counters.
//!
//! Abbreviations: AD, AK, BL the address, acknowledge and block rings; BGF a queue between two
//! clocks; CRC checksum of a flit; DNID, RNID destination and remote node ID; DRS, HOM, NCB, NCS,
//! NDR, SNP message classes (data response, home, non-coherent bypass and standard, no-data
//! response, snoop); flit 80 bits; G0, G1, G2 groups of kinds of flits; L0, L0P, L1 link states
//! from full power to off; MC message class; OPC opcode; qfclk an eighth of the transfer rate; RDS
//! state of the data in a response; VN0, VN1 virtual networks and VNA the pool that both share;
//! VNW which of them; `RxL`, `TxL` what is received from and sent to the link, `TxR` what goes to
//! the ring.
//!
//! Oddities:
//!
//! * The event select has an extra bit, 21. perf's built-in events have codes without it, which are
//!   those of other events (U-51, U-57).
//! * Match and mask are in another PCI function, behind its first 256 bytes. Where it is hidden, or
//!   the machine gives no access to extended configuration space, `CTO_COUNT` is refused.
//! * `CTO_COUNT` counts received packets that agree with the match in all bits that are 1 in the
//!   mask; without a mask, all. `message.*` are packets by name.
//! * Two flits or packets can come in one clock. With `edge`, `CTO_COUNT` counts those clocks.
//! * `RxL0` and `TxL0_POWER_CYCLES` contain those of L0P. `edge` does not work on
//!   `RxL0P_POWER_CYCLES` and `TxL0P_POWER_CYCLES` while `L1_POWER_CYCLES` counts.
//! * `TxL_FLITS_G0` has no sub-event for idle flits.
//!
//! Uncertain:
//!
//! * A mask bit of 1 means compare: from the examples, stated nowhere (U-23).
//! * Whether RNID is compared: the fields exist, and the event is not said to depend on them.
//! * The device ID of port 2's function with match and mask (U-38).
//! * The direction of matched packets: the text has "leave" too (U-23).
//! * The unit of data flits has 8 bytes for each; in L0P it is 4 (U-39).
//! * `message.*` of the lists have values derived from the tables of opcodes. NDR.AnyCmp is not
//!   offered, as its values cannot be derived for sure (U-37).
//! * What events count without the sub-events that the manual gives them (`rxl_inserts_drs` and
//!   others), and what else only the lists have (U-41).
//! * `TxL_OCCUPANCY` adds 1 a clock as printed, though an occupancy; two of 28 (U-42).
//! * Umask 0 for events without sub-events (U-14).

use super::*;
use xeon::qpi::*;

// Registers: configuration space offsets.

#[rustfmt::skip] // In columns, to be read against section 1 of Documentation/hardware/ivbep.rst.
const FUNCTIONS: &[PciFunction] = &[
    // port dev fn ID               dev fn  ID
    pci(0,  8, 2, 0x0e32).filters(  8, 6, 0x0e86),
    pci(1,  9, 2, 0x0e33).filters(  9, 6, 0x0e96),
    // SPEC: U-38, 0x0e46 is inferred from Broadwell's 0x6f46.
    pci(2, 24, 2, 0x0e3a).filters( 24, 6, 0x0e46),
];

/// `Q_Py_PCI_PMON_BOX_CTL` (WO, Table 2-129): bits 17:16 must be written 1, 8 freezes, 1 clears the
/// counters, 0 the controls.
const BOX_CONTROL: BoxControl = box_control(0xf4);

/// `Q_Py_PCI_PMON_BOX_STATUS` (RW1C, Table 2-130): bit k is counter k.
const STATUS: BoxStatus = box_status(0b1111);

/// Bits of `U_MSR_PMON_GLOBAL_STATUS` (Table 2-3): `ov_q0`, `ov_q1`.
///
/// SPEC: U-47, the first is that of ports 0 and 1 or of port 0 alone. So either can stand for any
/// port, and the box status tells.
const GLOBAL_STATUS: &[u64] = &[1 << 22 | 1 << 23; 3];

/// `Q_Py_PCI_PMON_CTL0` to `3` (RW) and the low halves of `Q_Py_PCI_PMON_CTR0` to `3` (RW, Table
/// 2-132).
const COUNTERS: &[Counter] = FOUR_COUNTERS;

/// Layout of `Q_Py_PCI_PMON_CTL`, Table 2-131.
const CONTROL: Control = Control {
    select: EXTENDED_SELECT,
    ..control(0xff76_ffff)
};

/// `PKT_MATCH0`, `1` and `PKT_MASK0`, `1` (RW, Tables 2-133 to 2-136), in the function with the
/// filters.
const FILTERS: &[FilterRegister] = &[
    filter_register(0x228, Word::Config1, 0, 0x8003_fff8),
    filter_register(0x22c, Word::Config1, 32, 0x000f_000f),
    filter_register(0x238, Word::Config2, 0, 0x8003_fff8),
    filter_register(0x23c, Word::Config2, 32, 0x000f_000f),
];

/// Highest qfclk in MHz: an eighth of 9.6 GT/s, the highest rate of Table 2-138.
const MAX_QFCLK_MHZ: u32 = 1200;

// Config fields.

#[rustfmt::skip] // In columns, to be read against Tables 2-131 and 2-133 to 2-136.
pub(crate) const FIELDS: &[Field] = &joined::<_, 23>(&[
    field("event",        Word::Config,  EXTENDED_SELECT,  Role::Select),
    field("umask",        Word::Config,  bits::<8, 15>(),  Role::Umask),
    field("edge",         Word::Config,  bits::<18, 18>(), Role::Edge),
    field("thresh",       Word::Config,  bits::<24, 31>(), Role::Threshold),
    INTERVAL,
], PACKET_FIELDS);

// Filters: those of `xeon::qpi`.

// Events.

/// All four counters count every event.
const ANY: u8 = 0b1111;

/// SPEC: U-66, not stated for events of the lists. No counter can add more.
const NOT_STATED: u16 = 255;

#[rustfmt::skip] // In columns, to be read against Tables 2-145 to 2-156.
const NETWORKS_OR_ALL: &[SubEvent] = &[
    // SPEC: U-41, in the lists only.
    bare().lists(),
    sub("vn0",                         0x01),
    sub("vn1",                         0x02),
];

/// SPEC: U-41, the sub-events are in the lists only.
#[rustfmt::skip] // In columns.
const ALL_OR_NETWORKS: &[SubEvent] = &[
    bare(),
    sub("vn0",                         0x01).lists(),
    sub("vn1",                         0x02).lists(),
];

/// Packets by name: bits 12:0 of match and mask, which are class and opcode, and the state of the
/// data (bits 19:16 of `PKT_MATCH1` and `PKT_MASK1`).
const fn packets(
    name: &'static str,
    match0: u64,
    mask0: u64,
    match1: u64,
    mask1: u64,
) -> Preset<false> {
    preset(name, match0 | match1 << 48, mask0 | mask1 << 48)
}

#[rustfmt::skip] // In columns, to be read against Table 2-137.
const MESSAGES: &[Preset] = &[
    also("match_mask"),
    //       Name                                       match0  mask0   match1 mask1
    packets("message.drs.anydatac",                     0x1c00, 0x1f80, 0x0, 0x0).source("Table 2-137"),
    packets("message.drs.datac_m",                      0x1c00, 0x1fe0, 0x8, 0xf).source("Table 2-137"),
    packets("message.drs.datac_e",                      0x1c00, 0x1fe0, 0x4, 0xf).source("Table 2-137"),
    packets("message.drs.datac_f",                      0x1c00, 0x1fe0, 0x1, 0xf).source("Table 2-137"),
    packets("message.drs.datac_e_cmp",                  0x1c40, 0x1fe0, 0x4, 0xf).source("Table 2-137"),
    packets("message.drs.datac_f_cmp",                  0x1c40, 0x1fe0, 0x1, 0xf).source("Table 2-137"),
    packets("message.drs.datac_e_frcackcnflt",          0x1c20, 0x1fe0, 0x4, 0xf).source("Table 2-137"),
    packets("message.drs.datac_f_frcackcnflt",          0x1c20, 0x1fe0, 0x1, 0xf).source("Table 2-137"),
    packets("message.drs.wbidata",                      0x1c80, 0x1fe0, 0x0, 0x0).source("Table 2-137"),
    packets("message.drs.wbsdata",                      0x1ca0, 0x1fe0, 0x0, 0x0).source("Table 2-137"),
    packets("message.drs.wbedata",                      0x1cc0, 0x1fe0, 0x0, 0x0).source("Table 2-137"),
    packets("message.drs.anyresp",                      0x1c00, 0x1e00, 0x0, 0x0).source("Table 2-137"),
    packets("message.drs.anyresp9flits",                0x1c00, 0x1f00, 0x0, 0x0).source("Table 2-137"),
    packets("message.drs.anyresp11flits",               0x1d00, 0x1f00, 0x0, 0x0).source("Table 2-137"),
    packets("message.ncb.anyresp",                      0x1800, 0x1e00, 0x0, 0x0).source("Table 2-137"),
    packets("message.ncb.anymsg9flits",                 0x1800, 0x1f00, 0x0, 0x0).source("Table 2-137"),
    packets("message.ncb.anymsg11flits",                0x1900, 0x1f00, 0x0, 0x0).source("Table 2-137"),
    packets("message.ncb.anyint",                       0x1900, 0x1f80, 0x0, 0x0).source("Table 2-137"),
    // SPEC: U-37, values derived from Tables 2-216 and 2-217.
    packets("message.hom.anyreq",                       0x0000, 0x1e00, 0x0, 0x0).source(LISTS),
    packets("message.hom.anyresp",                      0x0200, 0x1e00, 0x0, 0x0).source(LISTS),
    packets("message.hom.respfwd",                      0x0300, 0x1fe0, 0x0, 0x0).source(LISTS),
    packets("message.hom.respfwdi",                     0x0320, 0x1fe0, 0x0, 0x0).source(LISTS),
    packets("message.hom.respfwds",                     0x0340, 0x1fe0, 0x0, 0x0).source(LISTS),
    packets("message.hom.respfwdiwb",                   0x0360, 0x1fe0, 0x0, 0x0).source(LISTS),
    packets("message.hom.respfwdswb",                   0x0380, 0x1fe0, 0x0, 0x0).source(LISTS),
    packets("message.hom.respiwb",                      0x03a0, 0x1fe0, 0x0, 0x0).source(LISTS),
    packets("message.hom.respswb",                      0x03c0, 0x1fe0, 0x0, 0x0).source(LISTS),
    packets("message.snp.anysnp",                       0x0600, 0x1e00, 0x0, 0x0).source(LISTS),
    packets("message.ncs.ncrd",                         0x0800, 0x1fe0, 0x0, 0x0).source(LISTS),
    packets("message.ncs.anymsg1or2flits",              0x0800, 0x1f00, 0x0, 0x0).source(LISTS),
    packets("message.ncs.anymsg3flits",                 0x0900, 0x1f00, 0x0, 0x0).source(LISTS),
    packets("message.ncb.anymsg",                       0x1800, 0x1e00, 0x0, 0x0).source(LISTS),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the manual's tables.
pub(crate) const EVENTS: &[Event] = &[
    // Name                                select        counters  max

    // SPEC: U-41, what has LISTS for a source is in the lists only.

    event("txl_flits_g0",                  0x00,         ANY,      2).combined("Table 2-157", const { &[
        sub("data",                        0x02).unit(FLITS),
        sub("non_data",                    0x04),
    ] }),

    event("rxl_flits_g0",                  0x01,         ANY,      2).combined("Table 2-142", const { &[
        sub("idle",                        0x01),
        sub("data",                        0x02).unit(FLITS),
        sub("non_data",                    0x04),
    ] }),

    event("txl_crc_no_credits",            0x02,         ANY,      NOT_STATED).combined(LISTS, const { &[
        sub("full",                        0x01),
        sub("almost_full",                 0x02),
    ] }),

    event("rxl_crc_errors",                0x03,         ANY,      NOT_STATED).combined(LISTS, const { &[
        sub("link_init",                   0x01),
        sub("normal_op",                   0x02),
    ] }),

    event("txl_inserts",                   0x04,         ANY,      1).source("2.8.7"),
    event("txl_bypassed",                  0x05,         ANY,      1).source("2.8.7"),
    event("txl_cycles_ne",                 0x06,         ANY,      1).source("2.8.7"),
    event("txl_occupancy",                 0x07,         ANY,      1).source("2.8.7"),
    event("rxl_inserts",                   0x08,         ANY,      1).source("2.8.7"),
    event("rxl_bypassed",                  0x09,         ANY,      1).source("2.8.7"),
    event("rxl_cycles_ne",                 0x0a,         ANY,      1).source("2.8.7"),
    event("rxl_occupancy",                 0x0b,         ANY,    128).source("2.8.7"),
    event("txl0_power_cycles",             0x0c,         ANY,      1).source("2.8.7"),
    event("txl0p_power_cycles",            0x0d,         ANY,      1).source("2.8.7"),
    event("rxl0_power_cycles",             0x0f,         ANY,      1).source("2.8.7"),
    event("rxl0p_power_cycles",            0x10,         ANY,      1).source("2.8.7"),
    event("l1_power_cycles",               0x12,         ANY,      1).source("2.8.7"),
    event("direct2core",                   0x13,         ANY,      1).combined("Table 2-139", DIRECT2CORE),
    event("clockticks",                    0x14,         ANY,      1).source("2.8.7"),
    event("txl_flits_g1",                  EXT,          ANY,      2).combined("Table 2-158", FLITS_G1),
    event("txl_flits_g2",                  0x01 | EXT,   ANY,      2).combined("Table 2-159", FLITS_G2),
    event("rxl_flits_g1",                  0x02 | EXT,   ANY,      2).combined("Table 2-143", FLITS_G1),
    event("rxl_flits_g2",                  0x03 | EXT,   ANY,      2).combined("Table 2-144", FLITS_G2),
    event("rxl_inserts_drs",               0x09 | EXT,   ANY,      1).combined("Table 2-145", NETWORKS_OR_ALL),
    event("rxl_inserts_ncb",               0x0a | EXT,   ANY,      1).combined("Table 2-147", NETWORKS_OR_ALL),
    event("rxl_inserts_ncs",               0x0b | EXT,   ANY,      1).combined("Table 2-148", NETWORKS_OR_ALL),
    event("rxl_inserts_hom",               0x0c | EXT,   ANY,      1).combined("Table 2-146", NETWORKS_OR_ALL),
    event("rxl_inserts_snp",               0x0d | EXT,   ANY,      1).combined("Table 2-150", NETWORKS_OR_ALL),
    event("rxl_inserts_ndr",               0x0e | EXT,   ANY,      1).combined("Table 2-149", NETWORKS_OR_ALL),
    event("rxl_cycles_ne_drs",             0x0f | EXT,   ANY,      NOT_STATED).combined(LISTS, NETWORKS),
    event("rxl_cycles_ne_ncb",             0x10 | EXT,   ANY,      NOT_STATED).combined(LISTS, NETWORKS),
    event("rxl_cycles_ne_ncs",             0x11 | EXT,   ANY,      NOT_STATED).combined(LISTS, NETWORKS),
    event("rxl_cycles_ne_hom",             0x12 | EXT,   ANY,      NOT_STATED).combined(LISTS, NETWORKS),
    event("rxl_cycles_ne_snp",             0x13 | EXT,   ANY,      NOT_STATED).combined(LISTS, NETWORKS),
    event("rxl_cycles_ne_ndr",             0x14 | EXT,   ANY,      NOT_STATED).combined(LISTS, NETWORKS),
    event("rxl_occupancy_drs",             0x15 | EXT,   ANY,    128).combined("Table 2-151", NETWORKS_OR_ALL),
    event("rxl_occupancy_ncb",             0x16 | EXT,   ANY,    128).combined("Table 2-153", NETWORKS_OR_ALL),
    event("rxl_occupancy_ncs",             0x17 | EXT,   ANY,    128).combined("Table 2-154", NETWORKS_OR_ALL),
    event("rxl_occupancy_hom",             0x18 | EXT,   ANY,    128).combined("Table 2-152", NETWORKS_OR_ALL),
    event("rxl_occupancy_snp",             0x19 | EXT,   ANY,    128).combined("Table 2-156", NETWORKS_OR_ALL),
    event("rxl_occupancy_ndr",             0x1a | EXT,   ANY,    128).combined("Table 2-155", NETWORKS_OR_ALL),
    event("vna_credit_return_occupancy",   0x1b | EXT,   ANY,    128).source("2.8.7"),
    event("vna_credit_returns",            0x1c | EXT,   ANY,      1).source("2.8.7"),
    event("rxl_credits_consumed_vna",      0x1d | EXT,   ANY,      1).source("2.8.7"),
    event("rxl_credits_consumed_vn0",      0x1e | EXT,   ANY,      2).combined("Table 2-140", CLASSES),
    event("txr_bl_drs_credit_occupancy",   0x1f | EXT,   ANY,      8).combined("Table 2-167", NETWORKS_AND_SHARED),
    event("txr_bl_ncb_credit_occupancy",   0x20 | EXT,   ANY,      2).combined("Table 2-169", NETWORKS),
    event("txr_bl_ncs_credit_occupancy",   0x21 | EXT,   ANY,      2).combined("Table 2-171", NETWORKS),
    // SPEC: U-42, as printed, as is the next.
    event("txr_ad_hom_credit_occupancy",   0x22 | EXT,   ANY,     28).combined("Table 2-161", NETWORKS),
    event("txr_ad_snp_credit_occupancy",   0x23 | EXT,   ANY,     28).combined("Table 2-165", NETWORKS),
    event("txr_ad_ndr_credit_occupancy",   0x24 | EXT,   ANY,      8).combined("Table 2-163", NETWORKS),
    event("txr_ak_ndr_credit_occupancy",   0x25 | EXT,   ANY,      6).combined("2.8.7", ALL_OR_NETWORKS),
    event("txr_ad_hom_credit_acquired",    0x26 | EXT,   ANY,      1).combined("Table 2-160", NETWORKS),
    event("txr_ad_snp_credit_acquired",    0x27 | EXT,   ANY,      1).combined("Table 2-164", NETWORKS),
    event("txr_ad_ndr_credit_acquired",    0x28 | EXT,   ANY,      1).combined("Table 2-162", NETWORKS),
    event("txr_ak_ndr_credit_acquired",    0x29 | EXT,   ANY,      1).combined("2.8.7", ALL_OR_NETWORKS),
    event("txr_bl_drs_credit_acquired",    0x2a | EXT,   ANY,      1).combined("Table 2-166", NETWORKS_AND_SHARED),
    event("txr_bl_ncb_credit_acquired",    0x2b | EXT,   ANY,      1).combined("Table 2-168", NETWORKS),
    event("txr_bl_ncs_credit_acquired",    0x2c | EXT,   ANY,      1).combined("Table 2-170", NETWORKS),
    event("rxl_stalls_vn0",                0x35 | EXT,   ANY,      NOT_STATED).combined(LISTS, RXL_STALLS_VN0),

    event("cto_count",                     0x38 | EXT,   ANY,      2)
        .filter(MATCH).filter(MASK).presets(&MESSAGES).source("2.8.7"),

    event("rxl_credits_consumed_vn1",      0x39 | EXT,   ANY,      2).combined("Table 2-141", CLASSES),
    event("rxl_stalls_vn1",                0x3a | EXT,   ANY,      NOT_STATED).combined(LISTS, RXL_STALLS_VN1),
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
    control: CONTROL,
    fields: FIELDS,
    filters: FILTERS,
    filter_units: FILTER_UNITS,
    events: EVENTS,
    // U-57, the codes of events with the extra bit lack it.
    builtin_events: false,
    max_clock_mhz: MAX_QFCLK_MHZ,
    max_increment: 255,
    ..ORDINARY_BOX
};
