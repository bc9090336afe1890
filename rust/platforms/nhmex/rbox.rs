// SPDX-License-Identifier: GPL-2.0

//! An R-Box is a half of the crossbar of a package: it routes packets between the QPI links and
//! B-Boxes and S-Boxes.
//!
//! Eight general counters of 48 bits; MSRs 0xe00 + 0x20 n; two per package, left and right. Four
//! ports of each have counters. Any counter can count any port of its R-Box.
//! Documentation/hardware/nhmex.rst sections 6, 7, 12, 14 and 15.
//!
//! Abbreviations: ARB arbitration; DRS, HOM, NCB, NCS, NDR, SNP message classes (data response, home,
//! non-coherent bypass and standard, no-data response, snoop); EOT entry overflow table; IPERF, QLX,
//! XBR sub-registers of a port (section 14); VN0, VN1 virtual networks and VNA the pool that both
//! share; VSM, VLG small and large packets in VNA.
//!
//! Oddities:
//!
//! * An event is one of six of a port: `iperf0` and `iperf1`, `qlx0` and `qlx1`, `xbr1` and `xbr2`,
//!   of which two each differ in their sub-register only. What they count is its value, which
//!   a named event has: `port0_null_idle` is one of `iperf0`. Two different values of one port at
//!   once need both, as `port0_null_idle` and `port0_iperf1,iperf_cfg=0x80000000`.
//! * `port0` of R-Box 1 is port 4 of the package. QPI link 0 is port 1, link 1 port 0, link 2 port 4
//!   and link 3 port 5, so `port0` and `port1` are those with links.
//! * Bit 63 of a match's `MM_CFG` switches it off, and reads 0: it is never set. Without a value
//!   `MM_CFG` counts packets by their first flit.
//! * `qpi0_*` and `qpi1_*` are the names in-tree of some events of ports 0 and 1, misspelt there.
//!
//! Uncertain:
//!
//! * Names and values of match events that this manual has cut off are from another one of QPI.
//! * Bits 30:18 and 2:0 of the match are not known.
//! * Whether class and network matter where the lists leave them 0.

use super::*;

// Registers: MSR numbers less 0xe00 + 0x20 n.

/// `R_MSR_PMON_GLOBAL_CTL` (RW).
const BOX_CONTROL: BoxControl = enables(0x00, 0xff);

/// `R_MSR_PMON_CTL0` to `7` (RW) and `R_MSR_PMON_CTR0` to `7` (RW).
const COUNTERS: &[Counter] = &pairs::<8>(0x10);

/// Layout of `R_MSR_PMON_CTL`, section 6.
///
/// No counter interrupts: the PMI enable, bit 6, is not used.
const CONTROL: Control = Control {
    writable: 0x0000_003f,
    enable: 1 << 0,
    select: bits::<1, 5>(),
    ..super::CONTROL
};

/// `R_MSR_PORTn_IPERF_CFG0` or `1` (RW) of both boxes.
const fn iperf(msrs: &'static [u32], copies: &'static [Copied]) -> FilterRegister {
    filter_msrs(msrs, Word::Config1, 0, 0xffff_ffff)
        .of_units(1 << IPERF)
        .with_copies(copies)
}

/// `R_MSR_PORTn_QLX_CFG` (RW) of both boxes.
const fn qlx(msrs: &'static [u32], copies: &'static [Copied]) -> FilterRegister {
    filter_msrs(msrs, Word::Config1, 0, 0xffff)
        .of_units(1 << QLX0 | 1 << QLX1)
        .with_copies(copies)
}

/// `R_MSR_PORTn_XBR_SET1_MM_CFG` or `SET2` (RW) of both boxes.
const fn mm_cfg(msrs: &'static [u32], copies: &'static [Copied]) -> FilterRegister {
    filter_msrs(msrs, Word::Config, 32, 0x3f_ffff)
        .of_units(1 << XBR)
        .with_copies(copies)
}

/// `R_MSR_PORTn_XBR_SET1_MATCH` or `SET2` (RW) of both boxes.
const fn xbr_match(msrs: &'static [u32], copies: &'static [Copied]) -> FilterRegister {
    filter_msrs(msrs, Word::Config1, 0, PACKET)
        .of_units(1 << MATCH)
        .with_copies(copies)
}

/// `R_MSR_PORTn_XBR_SET1_MASK` or `SET2` (RW) of both boxes.
const fn xbr_mask(msrs: &'static [u32], copies: &'static [Copied]) -> FilterRegister {
    filter_msrs(msrs, Word::Config2, 0, PACKET)
        .of_units(1 << MASK)
        .with_copies(copies)
}

/// Bits of a match that need not be 0.
const PACKET: u64 = 0x000f_000f_ffff_ffff;

#[rustfmt::skip] // One register, one line, to be read against section 3.
/// The sub-registers. Copies of a unit are port by port, those of IPERF and XBR with two of a port.
const FILTERS: &[FilterRegister] = &[
    iperf(&[0xe04, 0xe08], &[copied(0, 0)]),
    iperf(&[0xe05, 0xe09], &[copied(2, 0)]),
    iperf(&[0xe06, 0xe0a], &[copied(4, 0)]),
    iperf(&[0xe07, 0xe0b], &[copied(6, 0)]),
    iperf(&[0xe24, 0xe28], &[copied(1, 0)]),
    iperf(&[0xe25, 0xe29], &[copied(3, 0)]),
    iperf(&[0xe26, 0xe2a], &[copied(5, 0)]),
    iperf(&[0xe27, 0xe2b], &[copied(7, 0)]),
    qlx(&[0xe0c, 0xe2c], &[copied(0, 0)]),
    qlx(&[0xe0d, 0xe2d], &[copied(1, 0)]),
    qlx(&[0xe0e, 0xe2e], &[copied(2, 0)]),
    qlx(&[0xe0f, 0xe2f], &[copied(3, 0)]),
    mm_cfg(&[0xe60, 0xe80], &[copied(0, 0)]),
    xbr_match(&[0xe61, 0xe81], &[copied(0, 0)]),
    xbr_mask(&[0xe62, 0xe82], &[copied(0, 0)]),
    mm_cfg(&[0xe64, 0xe84], &[copied(2, 0)]),
    xbr_match(&[0xe65, 0xe85], &[copied(2, 0)]),
    xbr_mask(&[0xe66, 0xe86], &[copied(2, 0)]),
    mm_cfg(&[0xe68, 0xe88], &[copied(4, 0)]),
    xbr_match(&[0xe69, 0xe89], &[copied(4, 0)]),
    xbr_mask(&[0xe6a, 0xe8a], &[copied(4, 0)]),
    mm_cfg(&[0xe6c, 0xe8c], &[copied(6, 0)]),
    xbr_match(&[0xe6d, 0xe8d], &[copied(6, 0)]),
    xbr_mask(&[0xe6e, 0xe8e], &[copied(6, 0)]),
    mm_cfg(&[0xe70, 0xe90], &[copied(1, 0)]),
    xbr_match(&[0xe71, 0xe91], &[copied(1, 0)]),
    xbr_mask(&[0xe72, 0xe92], &[copied(1, 0)]),
    mm_cfg(&[0xe74, 0xe94], &[copied(3, 0)]),
    xbr_match(&[0xe75, 0xe95], &[copied(3, 0)]),
    xbr_mask(&[0xe76, 0xe96], &[copied(3, 0)]),
    mm_cfg(&[0xe78, 0xe98], &[copied(5, 0)]),
    xbr_match(&[0xe79, 0xe99], &[copied(5, 0)]),
    xbr_mask(&[0xe7a, 0xe9a], &[copied(5, 0)]),
    mm_cfg(&[0xe7c, 0xe9c], &[copied(7, 0)]),
    xbr_match(&[0xe7d, 0xe9d], &[copied(7, 0)]),
    xbr_mask(&[0xe7e, 0xe9e], &[copied(7, 0)]),
];

// Config fields.

#[rustfmt::skip] // In columns, to be read against sections 7, 12 and 14.
const FIELDS: &[Field] = &[
    field("event",           Word::Config,  bits::<1, 5>(),   Role::Select),
    field("xbr_mask_71_64",  Word::Config,  bits::<32, 39>(), Role::Filter(XBR)),
    field("xbr_match_71_64", Word::Config,  bits::<40, 47>(), Role::Filter(XBR)),
    field("xbr_flit",        Word::Config,  bits::<48, 51>(), Role::Filter(XBR)),
    field("xbr_any_flit",    Word::Config,  bits::<52, 52>(), Role::Filter(XBR)),
    field("xbr_en",          Word::Config,  bits::<53, 53>(), Role::Filter(XBR)),
    field("xbr_mm_cfg",      Word::Config,  bits::<32, 63>(), Role::View),
    field("iperf_cfg",       Word::Config1, bits::<0, 31>(),  Role::Filter(IPERF)),
    field("iperf_class",     Word::Config1, bits::<0, 5>(),   Role::View),
    field("iperf_vn",        Word::Config1, bits::<6, 7>(),   Role::View),
    field("iperf_alloc",     Word::Config1, bits::<9, 15>(),  Role::View),
    field("iperf_eot",       Word::Config1, bits::<17, 20>(), Role::View),
    field("iperf_inserts",   Word::Config1, bits::<21, 21>(), Role::View),
    field("qlx_cfg",         Word::Config1, bits::<0, 15>(),  Role::View),
    field("qlx0",            Word::Config1, bits::<0, 7>(),   Role::Filter(QLX0)),
    field("qlx0_type",       Word::Config1, bits::<0, 3>(),   Role::View),
    field("qlx0_class",      Word::Config1, bits::<4, 6>(),   Role::View),
    field("qlx0_vn",         Word::Config1, bits::<7, 7>(),   Role::View),
    field("qlx1",            Word::Config1, bits::<8, 15>(),  Role::Filter(QLX1)),
    field("qlx1_type",       Word::Config1, bits::<8, 11>(),  Role::View),
    field("qlx1_class",      Word::Config1, bits::<12, 14>(), Role::View),
    field("qlx1_vn",         Word::Config1, bits::<15, 15>(), Role::View),
    field("match_2_0",       Word::Config1, bits::<0, 2>(),   Role::Filter(MATCH)),
    field("match_vn",        Word::Config1, bits::<3, 4>(),   Role::Filter(MATCH)),
    field("match_opc",       Word::Config1, bits::<5, 8>(),   Role::Filter(MATCH)),
    field("match_mc",        Word::Config1, bits::<9, 12>(),  Role::Filter(MATCH)),
    field("match_dnid",      Word::Config1, bits::<13, 17>(), Role::Filter(MATCH)),
    field("match_30_18",     Word::Config1, bits::<18, 30>(), Role::Filter(MATCH)),
    field("match_rnid",      Word::Config1, bits::<31, 35>(), Role::Filter(MATCH)),
    field("match_rds",       Word::Config1, bits::<48, 51>(), Role::Filter(MATCH)),
    field("xbr_match",       Word::Config1, bits::<0, 63>(),  Role::View),
    field("mask_2_0",        Word::Config2, bits::<0, 2>(),   Role::Filter(MASK)),
    field("mask_vn",         Word::Config2, bits::<3, 4>(),   Role::Filter(MASK)),
    field("mask_opc",        Word::Config2, bits::<5, 8>(),   Role::Filter(MASK)),
    field("mask_mc",         Word::Config2, bits::<9, 12>(),  Role::Filter(MASK)),
    field("mask_dnid",       Word::Config2, bits::<13, 17>(), Role::Filter(MASK)),
    field("mask_30_18",      Word::Config2, bits::<18, 30>(), Role::Filter(MASK)),
    field("mask_rnid",       Word::Config2, bits::<31, 35>(), Role::Filter(MASK)),
    field("mask_rds",        Word::Config2, bits::<48, 51>(), Role::Filter(MASK)),
    field("xbr_mask",        Word::Config2, bits::<0, 63>(),  Role::View),
];

// Filters.

/// Index of the word that counts at `iperf0` and `iperf1`.
const IPERF: u8 = 0;
/// Index of the byte that counts at `qlx0`.
const QLX0: u8 = 1;
/// Index of the byte that counts at `qlx1`.
const QLX1: u8 = 2;
/// Index of `MM_CFG` of `xbr1` and `xbr2`.
const XBR: u8 = 3;
/// Index of what packets are compared with.
const MATCH: u8 = 4;
/// Index of the mask that says which bits are compared.
const MASK: u8 = 5;

/// `MM_CFG` with a match of the first flit of a packet, `0x0021_0000`, in its place.
const FIRST_FLIT: u64 = 0x21_0000 << 32;

#[rustfmt::skip] // In columns.
const FILTER_UNITS: &[FilterUnit] = &[
    filter_unit("iperf", Word::Config1, 0xffff_ffff,     WhenZero::Refuse("iperf_cfg")).copies(8),
    filter_unit("qlx0",  Word::Config1, 0xff,            WhenZero::Ask("qlx0")).copies(4),
    filter_unit("qlx1",  Word::Config1, 0xff00,          WhenZero::Ask("qlx1")).copies(4),
    filter_unit("xbr",   Word::Config,  0x3f_ffff << 32, WhenZero::Fill(FIRST_FLIT)).copies(8),
    filter_unit("match", Word::Config1, PACKET,          WhenZero::Keep).copies(8),
    filter_unit("mask",  Word::Config2, PACKET,          WhenZero::MaskOf(Word::Config1)).copies(8),
];

// Events.

/// All eight counters count every event.
const ANY: u8 = 0b1111_1111;

/// The values are those of another manual for QPI.
const QPI: &str = "manual 329468-002";

/// Event `k` of a port.
const fn of_port(name: &'static str, port: u32, k: u32) -> Event<false> {
    event(name, (6 * port + k) << 1, ANY, NOT_STATED)
}

/// A named value of a sub-register of port `$p`: the value, or match and mask.
macro_rules! row {
    ($p:literal, $name:literal, $value:expr, $mask:expr, $source:expr) => {
        preset(concat!("port", $p, "_", $name), $value, $mask).source($source)
    };
}

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
/// Values of `IPERF_CFG0` of port `$p`, and `$more`.
macro_rules! iperf {
    ($p:literal $(, $more:expr)* $(,)?) => { presets![
        row!($p, "alloc_to_arb.ncb",         0x0000_0200, 0, "manual 2-87"),
        row!($p, "alloc_to_arb.ncs",         0x0000_0400, 0, "manual 2-87"),
        row!($p, "alloc_to_arb.drs_vn01",    0x0000_0800, 0, "manual 2-87"),
        row!($p, "alloc_to_arb.ndr",         0x0000_1000, 0, "manual 2-87"),
        row!($p, "alloc_to_arb.snp",         0x0000_2000, 0, "manual 2-87"),
        row!($p, "alloc_to_arb.hom_vn0",     0x0000_4000, 0, "manual 2-87"),
        row!($p, "alloc_to_arb.hom_vn1",     0x0000_8000, 0, "manual 2-87"),
        row!($p, "alloc_to_arb.all",         0x0000_fe00, 0, "manual 2-87"),

        row!($p, "eot_inserts.hom_vn0",      0x0022_0000, 0, LISTS),
        row!($p, "eot_inserts.hom_vn1",      0x0024_0000, 0, LISTS),
        row!($p, "eot_inserts.ndr",          0x0026_0000, 0, LISTS),
        row!($p, "eot_inserts.drs_vn0",      0x0028_0000, 0, LISTS),
        row!($p, "eot_inserts.snp",          0x002a_0000, 0, LISTS),
        row!($p, "eot_inserts.ncb",          0x002c_0000, 0, LISTS),
        row!($p, "eot_inserts.ncs",          0x002e_0000, 0, LISTS),
        row!($p, "eot_inserts.drs_vn1",      0x0030_0000, 0, LISTS),

        row!($p, "eot_ne_cycles",            0x0001_0000, 0, LISTS),

        row!($p, "eot_occupancy.hom_vn0",    0x0002_0000, 0, LISTS),
        row!($p, "eot_occupancy.hom_vn1",    0x0004_0000, 0, LISTS),
        row!($p, "eot_occupancy.ndr",        0x0006_0000, 0, LISTS),
        row!($p, "eot_occupancy.drs_vn0",    0x0008_0000, 0, LISTS),
        row!($p, "eot_occupancy.snp",        0x000a_0000, 0, LISTS),
        row!($p, "eot_occupancy.ncb",        0x000c_0000, 0, LISTS),
        row!($p, "eot_occupancy.ncs",        0x000e_0000, 0, LISTS),
        row!($p, "eot_occupancy.drs_vn1",    0x0010_0000, 0, LISTS),

        row!($p, "flits_recv_err",           0x0100_0000, 0, LISTS),
        row!($p, "flits_recv_spec",          0x0200_0000, 0, LISTS),
        row!($p, "flits_sent",               0x8000_0000, 0, "manual 2-87"),
        row!($p, "inque_read_win",           0x0000_0100, 0, LISTS),

        row!($p, "new_packets_recv.vn0_ncb", 0x0000_0001, 0, "manual 2-87"),
        row!($p, "new_packets_recv.vn0_ncs", 0x0000_0002, 0, "manual 2-87"),
        row!($p, "new_packets_recv.vn0_drs", 0x0000_0004, 0, "manual 2-87"),
        row!($p, "new_packets_recv.vn0_ndr", 0x0000_0008, 0, "manual 2-87"),
        row!($p, "new_packets_recv.vn0_snp", 0x0000_0010, 0, "manual 2-87"),
        row!($p, "new_packets_recv.vn0_hom", 0x0000_0020, 0, "manual 2-87"),
        row!($p, "new_packets_recv.vn0_all", 0x0000_003f, 0, "manual 2-87"),
        row!($p, "new_packets_recv.vn1_ncb", 0x0000_0041, 0, "manual 2-87"),
        row!($p, "new_packets_recv.vn1_ncs", 0x0000_0042, 0, "manual 2-87"),
        row!($p, "new_packets_recv.vn1_drs", 0x0000_0044, 0, "manual 2-87"),
        row!($p, "new_packets_recv.vn1_ndr", 0x0000_0048, 0, "manual 2-87"),
        row!($p, "new_packets_recv.vn1_snp", 0x0000_0050, 0, "manual 2-87"),
        row!($p, "new_packets_recv.vn1_hom", 0x0000_0060, 0, "manual 2-87"),
        row!($p, "new_packets_recv.vn1_all", 0x0000_007f, 0, "manual 2-87"),
        row!($p, "new_packets_recv.vna_ncb", 0x0000_0081, 0, "manual 2-87"),
        row!($p, "new_packets_recv.vna_ncs", 0x0000_0082, 0, "manual 2-87"),
        row!($p, "new_packets_recv.vna_drs", 0x0000_0084, 0, "manual 2-87"),
        row!($p, "new_packets_recv.vna_ndr", 0x0000_0088, 0, "manual 2-87"),
        row!($p, "new_packets_recv.vna_snp", 0x0000_0090, 0, "manual 2-87"),
        row!($p, "new_packets_recv.vna_hom", 0x0000_00a0, 0, "manual 2-87"),
        row!($p, "new_packets_recv.vna_all", 0x0000_00bf, 0, "manual 2-87"),
        row!($p, "new_packets_recv.any_ncb", 0x0000_00c1, 0, "manual 2-87"),
        row!($p, "new_packets_recv.any_ncs", 0x0000_00c2, 0, "manual 2-87"),
        row!($p, "new_packets_recv.any_drs", 0x0000_00c4, 0, "manual 2-87"),
        row!($p, "new_packets_recv.any_ndr", 0x0000_00c8, 0, "manual 2-87"),
        row!($p, "new_packets_recv.any_snp", 0x0000_00d0, 0, "manual 2-87"),
        row!($p, "new_packets_recv.any_hom", 0x0000_00e0, 0, "manual 2-87"),
        row!($p, "new_packets_recv.any_all", 0x0000_00ff, 0, "manual 2-87"),

        row!($p, "null_idle",                0x4000_0000, 0, LISTS),
        row!($p, "outputq_ne",               0x0400_0000, 0, "manual 2-87"),
        row!($p, "outputq_ovfl",             0x0800_0000, 0, LISTS),
        row!($p, "retryq_ne",                0x1000_0000, 0, LISTS),
        row!($p, "retryq_ov",                0x2000_0000, 0, LISTS),
        $($more,)*
    ] };
}

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
/// Values of bits 7:0 of `QLX_CFG` of port `$p`.
macro_rules! qlx {
    ($p:literal) => { presets![
        row!($p, "global_arb_bid",              0x02, 0, "manual 2-84"),

        row!($p, "global_arb_bid_fail.vn0_hom", 0x05, 0, "manual 2-84"),
        row!($p, "global_arb_bid_fail.vn0_snp", 0x15, 0, "manual 2-84"),
        row!($p, "global_arb_bid_fail.vn0_ndr", 0x25, 0, "manual 2-84"),
        row!($p, "global_arb_bid_fail.vn0_ncs", 0x35, 0, "manual 2-84"),
        row!($p, "global_arb_bid_fail.vn0_drs", 0x45, 0, "manual 2-84"),
        row!($p, "global_arb_bid_fail.vn0_ncb", 0x55, 0, "manual 2-84"),
        row!($p, "global_arb_bid_fail.vn1_hom", 0x85, 0, "manual 2-84"),
        row!($p, "global_arb_bid_fail.vn1_snp", 0x95, 0, "manual 2-84"),
        row!($p, "global_arb_bid_fail.vn1_ndr", 0xa5, 0, "manual 2-84"),
        row!($p, "global_arb_bid_fail.vn1_ncs", 0xb5, 0, "manual 2-84"),
        row!($p, "global_arb_bid_fail.vn1_drs", 0xc5, 0, "manual 2-84"),
        row!($p, "global_arb_bid_fail.vn1_ncb", 0xd5, 0, "manual 2-84"),

        row!($p, "local_arb_bid",               0x01, 0, "manual 2-84"),
        row!($p, "local_arb_bid_fail",          0x04, 0, "manual 2-84"),

        row!($p, "que_arb_bid.hom",             0x00, 0, "manual 2-84"),
        row!($p, "que_arb_bid.snp",             0x10, 0, "manual 2-84"),
        row!($p, "que_arb_bid.ndr",             0x20, 0, "manual 2-84"),
        row!($p, "que_arb_bid.ncs",             0x30, 0, "manual 2-84"),
        row!($p, "que_arb_bid.drs",             0x40, 0, "manual 2-84"),
        row!($p, "que_arb_bid.ncb",             0x50, 0, "manual 2-84"),

        row!($p, "que_arb_bid_fail.hom",        0x03, 0, "manual 2-84"),
        row!($p, "que_arb_bid_fail.snp",        0x13, 0, "manual 2-84"),
        row!($p, "que_arb_bid_fail.ndr",        0x23, 0, "manual 2-84"),
        row!($p, "que_arb_bid_fail.ncs",        0x33, 0, "manual 2-84"),
        row!($p, "que_arb_bid_fail.drs",        0x43, 0, "manual 2-84"),
        row!($p, "que_arb_bid_fail.ncb",        0x53, 0, "manual 2-84"),

        row!($p, "starving",                    0x0a, 0, "manual 2-84"),

        row!($p, "target_available.vn0_hom",    0x09, 0, "manual 2-84"),
        row!($p, "target_available.vn0_snp",    0x19, 0, "manual 2-84"),
        row!($p, "target_available.vn0_ndr",    0x29, 0, "manual 2-84"),
        row!($p, "target_available.vn0_ncs",    0x39, 0, "manual 2-84"),
        row!($p, "target_available.vn0_drs",    0x49, 0, "manual 2-84"),
        row!($p, "target_available.vn0_ncb",    0x59, 0, "manual 2-84"),
        row!($p, "target_available.vn0_vsm",    0x69, 0, "manual 2-84"),
        row!($p, "target_available.vn0_vlg",    0x79, 0, "manual 2-84"),
        row!($p, "target_available.vn1_hom",    0x89, 0, "manual 2-84"),
        row!($p, "target_available.vn1_snp",    0x99, 0, "manual 2-84"),
        row!($p, "target_available.vn1_ndr",    0xa9, 0, "manual 2-84"),
        row!($p, "target_available.vn1_ncs",    0xb9, 0, "manual 2-84"),
        row!($p, "target_available.vn1_drs",    0xc9, 0, "manual 2-84"),
        row!($p, "target_available.vn1_ncb",    0xd9, 0, "manual 2-84"),
        row!($p, "target_available.vn1_vsm",    0xe9, 0, "manual 2-84"),
        row!($p, "target_available.vn1_vlg",    0xf9, 0, "manual 2-84"),

        row!($p, "que_arb_home_order_kill",     0x06, 0, "manual 2-84"),
        row!($p, "local_arb_home_order_kill",   0x07, 0, "manual 2-84"),
        row!($p, "global_arb_home_order_kill",  0x08, 0, "manual 2-84"),
    ] };
}

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
/// Packets of port `$p` by name.
macro_rules! packets {
    ($p:literal) => { presets![
        row!($p, "xbr_match.drs.anydatac",       0x1c00, 0x1f80, "manual 2-87"),
        row!($p, "xbr_match.drs.datac_m",        0x8 << 48 | 0x1c00, 0xf << 48 | 0x1fe0, "manual 2-87"),
        row!($p, "xbr_match.drs.wbidata",        0x1c80, 0x1fe0, "manual 2-87"),
        row!($p, "xbr_match.drs.wbsdata",        0x1ca0, 0x1fe0, "manual 2-87"),
        row!($p, "xbr_match.drs.wbedata",        0x1cc0, 0x1fe0, "manual 2-87"),
        row!($p, "xbr_match.drs.anyresp",        0x1c00, 0x1e00, QPI),
        row!($p, "xbr_match.drs.anyresp9flits",  0x1c00, 0x1f00, QPI),
        row!($p, "xbr_match.drs.anyresp11flits", 0x1d00, 0x1f00, QPI),
        row!($p, "xbr_match.ncb.anyresp",        0x1800, 0x1e00, QPI),
        row!($p, "xbr_match.ncb.anymsg9flits",   0x1800, 0x1f00, QPI),
        row!($p, "xbr_match.ncb.anymsg11flits",  0x1900, 0x1f00, QPI),
        row!($p, "xbr_match.ncb.anyint",         0x1900, 0x1f80, QPI),
    ] };
}

/// The events of port `$p`, which has these values of `IPERF_CFG0`.
macro_rules! port {
    ($p:literal, $iperf:expr) => {
        [
            of_port(concat!("port", $p, "_iperf0"), $p, 0)
                .filter(IPERF)
                .copy(2 * $p)
                .presets($iperf)
                .source("manual 2-79"),
            of_port(concat!("port", $p, "_iperf1"), $p, 1)
                .filter(IPERF)
                .copy(2 * $p + 1)
                .source("manual 2-79"),
            of_port(concat!("port", $p, "_qlx0"), $p, 2)
                .filter(QLX0)
                .copy($p)
                .presets(qlx!($p))
                .source("manual 2-79"),
            of_port(concat!("port", $p, "_qlx1"), $p, 3)
                .filter(QLX1)
                .copy($p)
                .source("manual 2-79"),
            of_port(concat!("port", $p, "_xbr1"), $p, 4)
                .filter(XBR)
                .filter(MATCH)
                .filter(MASK)
                .copy(2 * $p)
                .presets(packets!($p))
                .source("manual 2-79"),
            of_port(concat!("port", $p, "_xbr2"), $p, 5)
                .filter(XBR)
                .filter(MATCH)
                .filter(MASK)
                .copy(2 * $p + 1)
                .source("manual 2-79"),
        ]
    };
}

/// The events of each port. Names in-tree are second names.
const PORTS: [[Event; 6]; 4] = [
    port!(
        0,
        iperf!(
            0,
            preset("qpi0_flit_send", 1 << 31, 0).source(LISTS),
            preset("qpi0_idle_filt", 1 << 30, 0).source(LISTS),
            preset("qpi0_date_response", 0xc4, 0).source(LISTS),
        )
    ),
    port!(
        1,
        iperf!(
            1,
            preset("qpi1_filt_send", 1 << 31, 0).source(LISTS),
            preset("qpi1_idle_filt", 1 << 30, 0).source(LISTS),
            preset("qpi1_date_response", 0xc4, 0).source(LISTS),
        )
    ),
    port!(2, iperf!(2)),
    port!(3, iperf!(3)),
];

/// The R-Box.
pub(super) const RBOX: BoxType = BoxType {
    name: "rbox",
    numbered: true,
    access: Access::Msr {
        bases: &[0xe00, 0xe20],
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
    events: &joined::<_, 24>(
        &joined::<_, 12>(&PORTS[0], &PORTS[1]),
        &joined::<_, 12>(&PORTS[2], &PORTS[3]),
    ),
    builtin_events: true,
    max_clock_mhz: MAX_UCLK_MHZ,
    max_increment: NOT_STATED,
    ..ORDINARY_BOX
};
