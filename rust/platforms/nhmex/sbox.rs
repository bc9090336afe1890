// SPDX-License-Identifier: GPL-2.0

//! An S-Box joins a half of the ring to the R-Box and the B-Box of its side: it queues and sends
//! the messages between them.
//!
//! Four general counters of 48 bits; MSRs 0xc40 + 0x80 n; two per package. A match and a mask of
//! outgoing packets, MSRs from 0xe48 and 0xe58 on, shared by the four counters.
//! Documentation/hardware/nhmex.rst sections 1, 6, 9 and 12.
//!
//! Abbreviations: AD, AK, BL the address, acknowledge and block rings; B2S, R2S what comes from
//! B-Box and R-Box; CW, CCW the two directions of a ring; DRS, HOM, NCB, NCS, NDR, SNP message
//! classes (data response, home, non-coherent bypass and standard, no-data response, snoop); HNID
//! home node ID; MSGQ message queue; NE not empty; VNA a pool of credits.
//!
//! Oddities:
//!
//! * A write of match or mask while `S_MSR_MM_CFG` enables them raises #GP. They are off before
//!   and on after.
//! * In the mask a bit that is 1 is not compared. Response, opcode and message class have no mask;
//!   each of them is off if it is 0.
//! * `to_r_prog_ev` asks for both masks: if they are 0, one address of one home node is counted.
//!   `to_r_prog_ev.any` is without address and home node.
//! * The C-Boxes of a umask are pairs, and other ones on Westmere-EX. Of `*_cycles_full` only one
//!   umask of the list is taken, as others are undefined; so is `all`, which the lists have.
//! * The rings R2S and B2S have other codes on Westmere-EX.
//!
//! Uncertain:
//!
//! * The layout of the match. The fields are those of a reconstruction that no source
//!   confirms. `match` and `mask` are the whole words beside them.
//! * The mask of the home node.
//! * Which bit clears the queue's occupancy counter: none is written.
//! * The codes of the rings on Westmere-EX.
//! * `pkts_sent_ncb` is said to add 11.

use super::*;

// Registers: MSR numbers less 0xc40 + 0x80 n.

/// `S_MSR_PMON_GLOBAL_CTL` (RW).
const BOX_CONTROL: BoxControl = enables(0x00, 0xf);

/// `S_MSR_PMON_CTL0` to `3` (RW) and `S_MSR_PMON_CTR0` to `3` (RW).
const COUNTERS: &[Counter] = &pairs::<4>(0x10);

/// `S_MSR_MM_CFG`, `S_MSR_MATCH` and `S_MSR_MASK` (RW), sections 3 and 12.
const FILTERS: &[FilterRegister] = &[
    constant_filter(Place::Msrs(&[0xe48, 0xe58]), ALL_UNITS, 1 << 63),
    filter_msrs(&[0xe49, 0xe59], Word::Config1, 0, u64::MAX).guarded_by(0),
    filter_msrs(&[0xe4a, 0xe5a], Word::Config2, 0, 0x7f_ffff_ffff).guarded_by(0),
];

// Config fields.

#[rustfmt::skip] // In columns, to be read against sections 6 and 12.
const FIELDS: &[Field] = &[
    field("event",      Word::Config,  bits::<0, 7>(),   Role::Select),
    field("umask",      Word::Config,  bits::<8, 15>(),  Role::Umask),
    field("edge",       Word::Config,  bits::<18, 18>(), Role::Edge),
    INVERT,
    field("thresh",     Word::Config,  bits::<24, 31>(), Role::Threshold),
    // SPEC: nhmex X-1, the layout is a reconstruction.
    field("match_hnid", Word::Config1, bits::<0, 4>(),   Role::Filter(HOME)),
    field("match_addr", Word::Config1, bits::<5, 42>(),  Role::Filter(ADDRESS)),
    field("match_mc",   Word::Config1, bits::<43, 47>(), Role::Filter(PACKET)),
    field("match_opc",  Word::Config1, bits::<48, 58>(), Role::Filter(PACKET)),
    field("match_resp", Word::Config1, bits::<59, 63>(), Role::Filter(PACKET)),
    field("match",      Word::Config1, bits::<0, 63>(),  Role::View),
    // SPEC: nhmex X-2, bit 0 is the mask of the home node.
    field("mask_hnid",  Word::Config2, bits::<0, 0>(),   Role::Filter(HOME_MASK)),
    field("mask_addr",  Word::Config2, bits::<1, 38>(),  Role::Filter(ADDRESS_MASK)),
    field("mask",       Word::Config2, bits::<0, 63>(),  Role::View),
];

// Filters.

/// Index of response, opcode and message class.
const PACKET: u8 = 0;
/// Index of the home node.
const HOME: u8 = 1;
/// Index of the address.
const ADDRESS: u8 = 2;
/// Index of the mask of the home node.
const HOME_MASK: u8 = 3;
/// Index of the mask of the address.
const ADDRESS_MASK: u8 = 4;

/// All filter units. An event that uses one uses all.
const ALL_UNITS: u32 = 0b1_1111;

/// The mask of an address of which no bit is compared.
const NO_ADDRESS: u64 = 0x7f_ffff_fffe;

#[rustfmt::skip] // In columns.
const FILTER_UNITS: &[FilterUnit] = &[
    // Zero compares nothing.
    filter_unit("packet",       Word::Config1, 0xffff_f800_0000_0000, WhenZero::Keep),
    filter_unit("home node",    Word::Config1, 0x1f,                  WhenZero::Keep),
    filter_unit("address",      Word::Config1, 0x07ff_ffff_ffe0,      WhenZero::Keep)
        .address_but(0),
    // Zero compares all.
    filter_unit("home mask",    Word::Config2, 0x1,                   WhenZero::Ask("mask_hnid")),
    filter_unit("address mask", Word::Config2, NO_ADDRESS,            WhenZero::Ask("mask_addr"))
        .address_but(NO_ADDRESS),
];

// Events.

/// All four counters count every event.
const ANY: u8 = 0b1111;

/// All packets. Other fields of the match restrict them.
const ANY_PACKET: &[Preset] =
    &[preset("to_r_prog_ev.any", 0, NO_ADDRESS | 1).source("manual 2-51")];

/// The largest increment is not stated for this occupancy: the most that one can add.
const QUEUE: u16 = 64;

/// Sub-events of the ring's egress: ring and direction.
#[rustfmt::skip] // In columns, to be read against the catalogue.
const DIRECTIONS: &[SubEvent] = &[
    sub("ad_cw",  0x01),
    sub("ad_ccw", 0x02),
    sub("ad",     0x03),
    sub("ak_cw",  0x04),
    sub("ak_ccw", 0x08),
    sub("ak",     0x0c),
    sub("bl_cw",  0x10),
    sub("bl_ccw", 0x20),
    sub("bl",     0x30),
];

/// Sub-events of the C-Boxes on Nehalem-EX (section 9).
#[rustfmt::skip] // In columns, to be read against the catalogue.
const NHM_CBOXES: &[SubEvent] = &[
    sub("cbox0_4", 0x01),
    sub("cbox1_5", 0x02),
    sub("cbox2_6", 0x04),
    sub("cbox3_7", 0x08),
    sub("all",     0x0f),
];

/// Sub-events of the C-Boxes on Westmere-EX (section 9).
#[rustfmt::skip] // In columns, to be read against the catalogue.
const WSM_CBOXES: &[SubEvent] = &[
    sub("cbox0_5", 0x01),
    sub("cbox1_6", 0x02),
    sub("cbox2_7", 0x04),
    sub("cbox3_8", 0x08),
    sub("cbox4_9", 0x10),
    sub("all",     0x1f),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
const COMMON: &[Event] = &[
    // Name                               select ctr. max

    event("to_r_prog_ev",                 0x00,  ANY, 1)
        .filter(PACKET).filter(HOME).filter(ADDRESS).filter(HOME_MASK).filter(ADDRESS_MASK)
        .presets(&ANY_PACKET).source("manual 2-53"),

    event("to_r_b_hom_msgq_cycles_full",  0x03,  ANY, 1).listed("manual 2-53", const { &[
        sub("rbox",                       0x01),
        sub("bbox",                       0x02),
        sub("rbbox",                      0x03),
    ] }),

    event("to_r_b_hom_msgq_cycles_ne",    0x06,  ANY, 1).combined("manual 2-53", const { &[
        sub("rbox",                       0x01),
        sub("bbox",                       0x02),
        sub("rbbox",                      0x03),
    ] }),

    event("to_r_b_hom_msgq_occupancy",    0x07,  ANY, 64).combined("manual 2-53", const { &[
        sub("rbox",                       0x01),
        sub("bbox",                       0x02),
        sub("rbbox",                      0x03),
    ] }),

    event("to_r_snp_msgq_cycles_full",    0x08,  ANY, 1).source("manual 2-53"),
    event("to_r_snp_msgq_cycles_ne",      0x09,  ANY, 1).source("manual 2-53"),
    event("to_r_snp_msgq_occupancy",      0x0a,  ANY, 32).source("manual 2-53"),
    event("to_r_ndr_msgq_cycles_full",    0x0b,  ANY, 1).source("manual 2-53"),
    event("to_r_ndr_msgq_cycles_ne",      0x0c,  ANY, 1).source("manual 2-53"),
    event("to_r_ndr_msgq_occupancy",      0x0d,  ANY, 16).source("manual 2-53"),
    event("to_ring_snp_msgq_cycles_full", 0x20,  ANY, NOT_STATED).source(LISTS),
    event("to_ring_ncb_msgq_cycles_full", 0x21,  ANY, 1).source("manual 2-64"),
    event("to_ring_ncs_msgq_cycles_full", 0x22,  ANY, 1).source("manual 2-64"),
    event("to_ring_snp_msgq_cycles_ne",   0x23,  ANY, NOT_STATED).source(LISTS),
    event("to_ring_ncb_msgq_cycles_ne",   0x24,  ANY, 1).source("manual 2-64"),

    event("to_ring_msgq_occupancy",       0x26,  ANY, 36).combined("manual 2-64", const { &[
        sub("snp",                        0x01),
        sub("ncs",                        0x02),
        sub("ncb",                        0x04),
        sub("all",                        0x07),
    ] }),

    event("to_ring_ndr_msgq_cycles_full", 0x27,  ANY, NOT_STATED).source("manual 2-64"),
    event("to_ring_ndr_msgq_cycles_ne",   0x28,  ANY, NOT_STATED).source(LISTS),
    event("to_ring_ndr_msgq_occupancy",   0x29,  ANY, 32).source("manual 2-52"),
    event("to_ring_r2s_msgq_cycles_full", 0x2a,  ANY, NOT_STATED).source(LISTS),
    event("to_ring_b2s_msgq_occupancy",   0x2f,  ANY, 8).source("manual 2-64"),
    event("halfline_bypass",              0x30,  ANY, NOT_STATED).source(LISTS),

    event("req_tbl_occupancy",            0x31,  ANY, 48).combined("manual 2-63", const { &[
        sub("local",                      0x01),
        sub("remote",                     0x02),
        sub("all",                        0x03),
    ] }),

    event("egress_bypass",                0x40,  ANY, NOT_STATED).combined("manual 2-51", DIRECTIONS),
    event("egress_arb_wins",              0x41,  ANY, NOT_STATED).combined(LISTS, DIRECTIONS),
    event("egress_arb_losses",            0x42,  ANY, NOT_STATED).combined(LISTS, DIRECTIONS),
    event("egress_starved",               0x43,  ANY, NOT_STATED).combined(LISTS, DIRECTIONS),
    event("rbox_hom_bypass",              0x50,  ANY, NOT_STATED).source(LISTS),

    event("rbox_snp_bypass",              0x51,  ANY, 1).combined("manual 2-63", const { &[
        sub("snp",                        0x01),
        sub("big_snp",                    0x02),
        sub("all",                        0x03),
    ] }),

    event("s2b_hom_bypass",               0x52,  ANY, 1).source("manual 2-63"),
    event("b2s_drs_bypass",               0x53,  ANY, NOT_STATED).source(LISTS),
    event("bbox_hom_bypass",              0x54,  ANY, NOT_STATED).source(LISTS),

    event("pkts_sent_hom",                0x60,  ANY, 1).combined("manual 2-61", const { &[
        sub("rbox",                       0x01),
        sub("bbox",                       0x02),
        sub("all",                        0x03),
    ] }),

    event("pkts_sent_snp",                0x62,  ANY, NOT_STATED).source(LISTS),
    event("pkts_sent_ndr",                0x63,  ANY, NOT_STATED).source(LISTS),
    event("flits_sent_drs",               0x65,  ANY, NOT_STATED).source(LISTS),
    event("flits_sent_ncs",               0x67,  ANY, NOT_STATED).source(LISTS),
    event("flits_sent_ncb",               0x69,  ANY, NOT_STATED).source("manual 2-52"),
    event("rbox_credit_returns",          0x6a,  ANY, NOT_STATED).source(LISTS),
    event("bbox_credit_returns",          0x6b,  ANY, NOT_STATED).source(LISTS),

    event("to_r_b_requests",              0x6c,  ANY, NOT_STATED).combined(LISTS, const { &[
        sub("local",                      0x01),
        sub("remote",                     0x02),
        sub("all",                        0x03),
    ] }),

    event("pkts_rcvd_ndr",                0x70,  ANY, NOT_STATED).source(LISTS),
    event("pkts_rcvd_snp",                0x71,  ANY, 1).source("manual 2-61"),
    event("pkts_rcvd_drs_from_r",         0x72,  ANY, NOT_STATED).source(LISTS),
    event("pkts_rcvd_drs_from_b",         0x73,  ANY, NOT_STATED).source(LISTS),
    event("pkts_rcvd_ncs",                0x74,  ANY, NOT_STATED).source(LISTS),
    event("pkts_rcvd_ncb",                0x75,  ANY, NOT_STATED).source("manual 2-52"),
    event("bbox_credits",                 0x77,  ANY, NOT_STATED).source(LISTS),
    event("no_credit_hom",                0x80,  ANY, NOT_STATED).source(LISTS),
    event("no_credit_snp",                0x81,  ANY, NOT_STATED).source("manual 2-51"),
    event("no_credit_drs",                0x82,  ANY, NOT_STATED).source(LISTS),
    event("no_credit_ncs",                0x83,  ANY, NOT_STATED).source(LISTS),
    event("no_credit_ncb",                0x84,  ANY, NOT_STATED).source(LISTS),
    event("no_credit_ndr",                0x85,  ANY, NOT_STATED).source(LISTS),

    event("no_credit_vna",                0x86,  ANY, NOT_STATED).combined(LISTS, const { &[
        sub("rbox",                       0x01),
        sub("bbox",                       0x02),
        sub("all",                        0x03),
    ] }),

    event("no_credit_ad",                 0x87,  ANY, NOT_STATED).source(LISTS),
    event("no_credit_ak",                 0x88,  ANY, NOT_STATED).source(LISTS),
    event("no_credit_bl",                 0x89,  ANY, NOT_STATED).source(LISTS),
    event("no_credit_ipq",                0x8a,  ANY, NOT_STATED).source(LISTS),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
const NHM_ONLY: &[Event] = &[
    // Name                               select ctr. max

    event("to_r_drs_msgq_cycles_full",    0x0e,  ANY, 1).listed("manual 2-66", NHM_CBOXES),
    event("to_r_drs_msgq_cycles_ne",      0x0f,  ANY, 1).combined("manual 2-66", NHM_CBOXES),
    event("to_r_drs_msgq_occupancy",      0x10,  ANY, 16).combined("manual 2-66", NHM_CBOXES),
    event("to_r_ncb_msgq_cycles_full",    0x11,  ANY, 1).listed("manual 2-68", NHM_CBOXES),
    event("to_r_ncb_msgq_cycles_ne",      0x12,  ANY, 1).combined("manual 2-68", NHM_CBOXES),
    event("to_r_ncb_msgq_occupancy",      0x13,  ANY, 8).combined("manual 2-68", NHM_CBOXES),
    event("to_r_ncs_msgq_cycles_full",    0x14,  ANY, NOT_STATED).listed(LISTS, NHM_CBOXES),
    event("to_r_ncs_msgq_cycles_ne",      0x15,  ANY, NOT_STATED).combined(LISTS, NHM_CBOXES),
    event("to_r_ncs_msgq_occupancy",      0x16,  ANY, QUEUE).combined("manual 2-52", NHM_CBOXES),
    event("to_ring_b2s_msgq_cycles_full", 0x2b,  ANY, 1).source("manual 2-63"),
    event("to_ring_r2s_msgq_cycles_ne",   0x2c,  ANY, NOT_STATED).source(LISTS),
    event("to_ring_b2s_msgq_cycles_ne",   0x2d,  ANY, 1).source("manual 2-63"),
    event("to_ring_r2s_msgq_occupancy",   0x2e,  ANY, 8).source("manual 2-52"),
    event("pkts_sent_drs",                0x64,  ANY, 1).combined("manual 2-61", NHM_CBOXES),
    event("pkts_sent_ncs",                0x66,  ANY, NOT_STATED).combined(LISTS, NHM_CBOXES),
    event("pkts_sent_ncb",                0x68,  ANY, 11).combined("manual 2-61", NHM_CBOXES),
    event("rbox_credit_carriers",         0x76,  ANY, NOT_STATED).source(LISTS),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
const WSM_ONLY: &[Event] = &[
    // Name                               select ctr. max

    event("to_r_drs_msgq_cycles_full",     0x0e,  ANY, 1).listed(LISTS, WSM_CBOXES),
    event("to_r_drs_msgq_cycles_ne",       0x0f,  ANY, 1).combined(LISTS, WSM_CBOXES),
    event("to_r_drs_msgq_occupancy",       0x10,  ANY, QUEUE).combined(LISTS, WSM_CBOXES),
    event("to_r_ncb_msgq_cycles_full",     0x11,  ANY, 1).listed(LISTS, WSM_CBOXES),
    event("to_r_ncb_msgq_cycles_ne",       0x12,  ANY, 1).combined(LISTS, WSM_CBOXES),
    event("to_r_ncb_msgq_occupancy",       0x13,  ANY, QUEUE).combined(LISTS, WSM_CBOXES),
    event("to_r_ncs_msgq_cycles_full",     0x14,  ANY, NOT_STATED).listed(LISTS, WSM_CBOXES),
    event("to_r_ncs_msgq_cycles_ne",       0x15,  ANY, NOT_STATED).combined(LISTS, WSM_CBOXES),
    event("to_r_ncs_msgq_occupancy",       0x16,  ANY, QUEUE).combined(LISTS, WSM_CBOXES),
    event("to_ring_ncs_msgq_cycles_ne",    0x25,  ANY, NOT_STATED).source(LISTS),
    event("to_ring_r2s_msgq_cycles_ne",    0x2b,  ANY, NOT_STATED).source(LISTS),
    event("to_ring_r2s_msgq_occupancy",    0x2c,  ANY, 8).source(LISTS),
    event("to_ring_b2s_msgq_cycles_full",  0x2d,  ANY, 1).source(LISTS),
    event("to_ring_b2s_msgq_cycles_ne",    0x2e,  ANY, 1).source(LISTS),
    event("pkts_sent_drs",                 0x64,  ANY, 1).combined(LISTS, WSM_CBOXES),
    event("pkts_sent_ncs",                 0x66,  ANY, NOT_STATED).combined(LISTS, WSM_CBOXES),
    event("pkts_sent_ncb",                 0x68,  ANY, NOT_STATED).combined(LISTS, WSM_CBOXES),
    event("rbox_credits",                  0x76,  ANY, NOT_STATED).source(LISTS),
    event("no_credit_loc_ncs",             0x8b,  ANY, NOT_STATED).source(LISTS),
    event("to_r_loc_ncs_msgq_cycles_full", 0x8c,  ANY, NOT_STATED).listed(LISTS, WSM_CBOXES),
    event("to_r_loc_ncs_msgq_cycles_ne",   0x8d,  ANY, NOT_STATED).combined(LISTS, WSM_CBOXES),
    event("to_r_loc_ncs_msgq_occupancy",   0x8e,  ANY, QUEUE).combined(LISTS, WSM_CBOXES),
    event("pkts_rcvd_loc_ncs",             0x8f,  ANY, NOT_STATED).source(LISTS),
    event("flits_sent_loc_ncs",            0x90,  ANY, NOT_STATED).source(LISTS),
];

/// The S-Box of Nehalem-EX.
pub(super) const NHM: BoxType = BoxType {
    name: "sbox",
    numbered: true,
    access: Access::Msr {
        bases: &[0xc40, 0xcc0],
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
    events: &changed::<76>(COMMON, NHM_ONLY, &[]),
    builtin_events: true,
    max_clock_mhz: MAX_UCLK_MHZ,
    max_increment: NOT_STATED,
    ..ORDINARY_BOX
};

/// The S-Box of Westmere-EX.
pub(super) const WSM: BoxType = BoxType {
    events: &changed::<83>(COMMON, WSM_ONLY, &[]),
    ..NHM
};
