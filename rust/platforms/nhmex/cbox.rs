// SPDX-License-Identifier: GPL-2.0

//! A C-Box is a slice of the last-level cache, joined to a core and to the ring.
//!
//! Six general counters of 48 bits; MSRs from 0xd00 on; eight per package, ten on Westmere-EX, and
//! no more than cores. Documentation/hardware/nhmex.rst sections 2, 3 and 6.
//!
//! Abbreviations: AD, AK, BL, IV the address, acknowledge, block and invalidate rings; C2P, P2C,
//! S2C, C2S, S2P from and to core (P), C-Box (C) and S-Box (S); SB, NSB the two directions of a
//! ring; E, F, M, S the states of a cache line; IPQ, IRQ, MAF, RSPF, RWRF, VIQ queues; NACK a
//! request that has to be repeated; VIC a victim.
//!
//! Oddities:
//!
//! * The MSRs of the boxes follow no stride.
//! * Bits of a umask can be combined. `all` and other sub-events are several of them.
//! * `llc_victims.all` has the fills without a victim on Nehalem-EX, and not on Westmere-EX.
//!
//! Uncertain:
//!
//! * The code of `arb_wins`.
//! * The name of event 0x01: each model has that of its list.
//! * Occupancies can be counted by any counter, as no source says otherwise.

use super::*;

// Registers: MSR numbers less those of the box's first.

/// First MSRs of the boxes, section 3. Nehalem-EX has the first eight.
const BASES: &[u32] = &[
    0xd00, 0xd80, 0xd40, 0xdc0, 0xd20, 0xda0, 0xd60, 0xde0, 0xf40, 0xfc0,
];

/// `C_MSR_PMON_GLOBAL_CTL` (RW).
const BOX_CONTROL: BoxControl = enables(0x00, 0x3f);

/// `C_MSR_PMON_EV_SEL0` to `5` (RW) and `C_MSR_PMON_CTR0` to `5` (RW).
const COUNTERS: &[Counter] = &pairs::<6>(0x10);

// Events.

/// All six counters count every event.
const ANY: u8 = 0b11_1111;

/// Sub-events by ring, as the lists name them.
#[rustfmt::skip] // In columns, to be read against the catalogue.
const RINGS: &[SubEvent] = &[
    sub("ad_sb",  0x01),
    sub("ad_nsb", 0x02),
    sub("ad_all", 0x03),
    sub("ak_sb",  0x04),
    sub("ak_nsb", 0x08),
    sub("ak_all", 0x0c),
    sub("bl_sb",  0x10),
    sub("bl_nsb", 0x20),
    sub("bl_all", 0x30),
    sub("iv",     0x40),
    sub("all",    0x7f),
];

/// Sub-events of one ring, as the lists name them.
#[rustfmt::skip] // In columns, to be read against the catalogue.
const OF_A_RING: &[SubEvent] = &[
    sub("sb",  0x01),
    sub("nsb", 0x02),
    sub("all", 0x03),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
const COMMON: &[Event] = &[
    // Name                         select ctr. max

    event("bounces_c2p_ak",         0x02,  ANY, NOT_STATED).combined(LISTS, OF_A_RING),
    event("bounces_c2p_bl",         0x03,  ANY, NOT_STATED).combined(LISTS, OF_A_RING),
    event("bounces_c2p_iv",         0x04,  ANY, NOT_STATED).source(LISTS),

    event("sinks_p2c",              0x05,  ANY, NOT_STATED).combined(LISTS, const { &[
        sub("iv",                   0x01),
        sub("ak",                   0x02),
        sub("bl",                   0x04),
    ] }),

    event("sinks_c2p",              0x06,  ANY, NOT_STATED).combined(LISTS, const { &[
        sub("iv",                   0x01),
        sub("ak",                   0x02),
        sub("bl",                   0x04),
    ] }),

    event("sinks_s2c",              0x07,  ANY, NOT_STATED).combined(LISTS, const { &[
        sub("ad",                   0x01),
        sub("ak",                   0x02),
        sub("bl",                   0x04),
    ] }),

    event("sinks_s2p_bl",           0x08,  ANY, NOT_STATED).source(LISTS),
    event("arb_wins",               0x09,  ANY, NOT_STATED).combined(LISTS, RINGS),
    event("arb_losses",             0x0a,  ANY, NOT_STATED).combined(LISTS, RINGS),

    event("starved_egress",         0x0b,  ANY, 8).combined("manual 2-27", const { &[
        sub("p2c_ad_sb",            0x01),
        sub("c2s_ad_sb",            0x02),
        sub("ad_sb",                0x03),
        sub("ad_nsb",               0x04),
        sub("ad",                   0x07),
        sub("ak_sb",                0x08),
        sub("ak_nsb",               0x10),
        sub("ak",                   0x18),
        sub("bl_sb",                0x20),
        sub("bl_nsb",               0x40),
        sub("bl",                   0x60),
        sub("iv",                   0x80),
    ] }),

    event("egress_bypass_wins",     0x0c,  ANY, NOT_STATED).combined(LISTS, const { &[
        sub("ad_byp0",              0x01),
        sub("ad_byp1",              0x02),
        sub("ak_byp0",              0x04),
        sub("ak_byp1",              0x08),
        sub("bl_byp0",              0x10),
        sub("bl_byp1",              0x20),
        sub("iv_byp0",              0x40),
        sub("iv_byp1",              0x80),
    ] }),

    event("ingress_bypass_wins_ad", 0x0e,  ANY, NOT_STATED).combined(LISTS, const { &[
        sub("irq_byp0",             0x01),
        sub("irq_byp1",             0x02),
        sub("ipq_byp0",             0x04),
        sub("ipq_byp1",             0x08),
    ] }),

    event("maf_ack",                0x10,  ANY, NOT_STATED).source(LISTS),

    event("maf_nack1",              0x11,  ANY, NOT_STATED).combined(LISTS, const { &[
        sub("go_pending",           0x01),
        sub("vic_pending",          0x02),
        sub("snp_pending",          0x04),
        sub("ac_pending",           0x08),
        sub("idx_block",            0x10),
        sub("pa_block",             0x20),
        sub("idle_qpi",             0x40),
        sub("all_maf_nack1",        0x80),
        sub("total_maf_nacks",      0xff),
    ] }),

    event("maf_nack2",              0x12,  ANY, NOT_STATED).combined(LISTS, const { &[
        sub("maf_full",             0x01),
        sub("egress_full",          0x02),
        sub("viq_full",             0x04),
        sub("no_tracker_credits",   0x08),
        sub("no_s_fifo_credits",    0x10),
        sub("no_s_reqtbl_entries",  0x20),
        sub("wb_pending",           0x40),
        sub("nack2_else",           0x80),
    ] }),

    event("llc_misses",             0x14,  ANY, NOT_STATED).combined(LISTS, const { &[
        sub("shared",               0x01),
        sub("forward",              0x02),
        sub("invalid",              0x04),
        sub("all",                  0x07),
    ] }),

    event("llc_hits",               0x15,  ANY, NOT_STATED).combined(LISTS, const { &[
        sub("modified",             0x01),
        sub("exclusive",            0x02),
        sub("shared",               0x04),
        sub("forward",              0x08),
        sub("all",                  0x0f),
    ] }),

    event("llc_s_fills",            0x16,  ANY, NOT_STATED).combined(LISTS, const { &[
        sub("modified",             0x01),
        sub("exclusive",            0x02),
        sub("shared",               0x04),
        sub("forward",              0x08),
        sub("all",                  0x0f),
    ] }),

    event("occupancy_irq",          0x18,  ANY, NOT_STATED).source(LISTS),
    event("trans_irq",              0x19,  ANY, NOT_STATED).source(LISTS),
    event("occupancy_ipq",          0x1a,  ANY, NOT_STATED).source(LISTS),
    event("trans_ipq",              0x1b,  ANY, 1).source("manual 2-27"),
    event("occupancy_viq",          0x1c,  ANY, NOT_STATED).source(LISTS),
    event("trans_viq",              0x1d,  ANY, NOT_STATED).source(LISTS),
    event("occupancy_maf",          0x1e,  ANY, NOT_STATED).source(LISTS),
    event("trans_maf",              0x1f,  ANY, NOT_STATED).source(LISTS),
    event("occupancy_rwrf",         0x20,  ANY, NOT_STATED).source(LISTS),
    event("trans_rwrf",             0x21,  ANY, NOT_STATED).source(LISTS),
    event("occupancy_rspf",         0x22,  ANY, NOT_STATED).source(LISTS),
    event("trans_rspf",             0x23,  ANY, NOT_STATED).source(LISTS),

    event("snps",                   0x27,  ANY, 1).combined("manual 2-27", const { &[
        sub("remote_rd",            0x01),
        sub("remote_rfo",           0x02),
        sub("remote_any",           0x03),
    ] }),

    event("snp_hits",               0x28,  ANY, NOT_STATED).combined(LISTS, const { &[
        sub("remote_rd_hitm",       0x01),
        sub("remote_rd_hite",       0x02),
        sub("remote_rd_hits",       0x04),
        sub("remote_rd_hitf",       0x08),
        sub("remote_rfo_hitm",      0x10),
        sub("remote_hitm",          0x11),
        sub("remote_rfo_hite",      0x20),
        sub("remote_hite",          0x22),
        sub("remote_rfo_hits",      0x40),
        sub("remote_hits",          0x44),
        sub("remote_rfo_hitf",      0x80),
        sub("remote_hitf",          0x88),
        sub("remote_any",           0xff),
    ] }),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
const NHM_ONLY: &[Event] = &[
    // Name                         select ctr. max

    event("bounces_p2c_ad",         0x01,  ANY, NOT_STATED).combined(LISTS, OF_A_RING),

    event("llc_victims",            0x17,  ANY, NOT_STATED).combined(LISTS, const { &[
        sub("modified",             0x01),
        sub("exclusive",            0x02),
        sub("shared",               0x04),
        sub("forward",              0x08),
        sub("fill_without_victims", 0x10),
        sub("all",                  0x1f),
    ] }),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
const WSM_ONLY: &[Event] = &[
    // Name                         select ctr. max

    event("bounces_c2p_ad",         0x01,  ANY, NOT_STATED).combined(LISTS, OF_A_RING),

    event("llc_victims",            0x17,  ANY, NOT_STATED).combined(LISTS, const { &[
        sub("modified",             0x01),
        sub("exclusive",            0x02),
        sub("shared",               0x04),
        sub("forward",              0x08),
        sub("all",                  0x0f),
        sub("fill_without_victims", 0x10),
    ] }),

    event("spl_dead",               0x29,  ANY, NOT_STATED).source(LISTS),
    event("spl_arb_pri_sw",         0x2a,  ANY, NOT_STATED).source(LISTS),
    event("spl_not_co",             0x2b,  ANY, NOT_STATED).source(LISTS),
    event("spl_co_sb",              0x2c,  ANY, NOT_STATED).source(LISTS),
    event("spl_co_nsb",             0x2d,  ANY, NOT_STATED).source(LISTS),
    event("spl_in_full_irq",        0x2e,  ANY, NOT_STATED).source(LISTS),
    event("spl_egr_sb",             0x2f,  ANY, NOT_STATED).source(LISTS),
    event("spl_egr_nsb",            0x30,  ANY, NOT_STATED).source(LISTS),
    event("igr_op_sram",            0x31,  ANY, NOT_STATED).source(LISTS),
    event("igr_op_uc",              0x32,  ANY, NOT_STATED).source(LISTS),
    event("arb_wins_p2c_sb",        0x33,  ANY, NOT_STATED).source(LISTS),
    event("arb_wins_p2c_nsb",       0x34,  ANY, NOT_STATED).source(LISTS),
    event("spoof_crd_empty",        0x35,  ANY, NOT_STATED).source(LISTS),
    event("idf_nonzero_no_bl_crd",  0x36,  ANY, NOT_STATED).source(LISTS),
    event("idf_nonzero_no_vld",     0x37,  ANY, NOT_STATED).source(LISTS),
    event("bounce_assert",          0x38,  ANY, NOT_STATED).source(LISTS),
    event("bounce_deassert",        0x39,  ANY, NOT_STATED).source(LISTS),
    event("spoof_assert",           0x3a,  ANY, NOT_STATED).source(LISTS),
    event("spoof_deassert",         0x3b,  ANY, NOT_STATED).source(LISTS),
    event("igr_bid_blocked",        0x3c,  ANY, NOT_STATED).source(LISTS),
];

/// The C-Box of Nehalem-EX.
pub(super) const NHM: BoxType = BoxType {
    name: "cbox",
    numbered: true,
    access: Access::Msr {
        bases: BASES.split_at(8).0,
        present: &[Presence::Cores],
    },
    box_control: Some(BOX_CONTROL),
    status: None,
    counters: COUNTERS,
    width: 48,
    control: CONTROL,
    fields: FIELDS,
    events: &changed::<34>(COMMON, NHM_ONLY, &[]),
    builtin_events: true,
    max_clock_mhz: MAX_UCLK_MHZ,
    max_increment: NOT_STATED,
    ..ORDINARY_BOX
};

/// The C-Box of Westmere-EX.
pub(super) const WSM: BoxType = BoxType {
    access: Access::Msr {
        bases: BASES,
        present: &[Presence::Cores],
    },
    events: &changed::<54>(COMMON, WSM_ONLY, &[]),
    ..NHM
};
