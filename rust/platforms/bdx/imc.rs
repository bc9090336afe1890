// SPDX-License-Identifier: GPL-2.0

//! The iMC is the integrated memory controller: it turns reads and writes of the home agent into
//! DRAM commands. Each of its channels is one counter box.
//!
//! Four general counters and one fixed counter of DCLK, all 48 bits; PCI configuration space; up to
//! two controllers of four channels per package. Documentation/hardware/bdx.rst section 11 (manual
//! 2.6). Box 0 to 3 are channels 0 to 3 of MC0, box 4 to 7 those of MC1.
//!
//! Abbreviations: ACT activate (opens a page); BYP bypass of the scheduler; CAS column access (a
//! read or write of 64 bytes); CKE clock enable (off: the rank sleeps); DCLK half the DDR
//! transfer rate, constant; DLL delay-locked loop; MM major mode (RMM: reads, WMM: writes go
//! first); PPD precharge power down; PRE precharge (closes a page); RPQ, WPQ read and write
//! pending queue; VMSE the memory link of E7 parts, MXB its buffer.
//!
//! Oddities:
//!
//! * The reset bit of the fixed counter is bit 19, that of the others bit 17. Its invert bit has no
//!   use, as it has no threshold.
//! * The umask of `RD_CAS_RANKx` and `WR_CAS_RANKx` is the number of a bank, from 0 on, or of a
//!   group of banks: nothing to combine. There is no `RD_CAS_RANK3`, and `RD_CAS_RANK2` has one
//!   bank.
//! * `clockticks` is the fixed counter, as in-tree; `dclockticks` counts it on a general
//!   counter. `cas_count_read` and `cas_count_write` are the in-tree driver's names for
//!   `cas_count.rd` and `cas_count.wr`; the lists call them `llc_misses.mem_read` and `mem_write`.
//! * `POWER_CKE_CYCLES` counts one rank on a counter. Invert and edge do not go together there.
//! * Some parts show functions of channels without memory behind them. Their counters stand still.
//! * A home agent with a directory reads and writes it in memory: CAS that no request asked for.
//! * `WMM_TO_RMM` and the VMSE events belong to E7 parts.
//!
//! Uncertain:
//!
//! * Which function is which channel: the manual has the device IDs of two devices swapped
//!   (disagreement 1).
//! * The maximum of `POWER_SELF_REFRESH` is printed as 0 (section 17), that of `POWER_CKE_CYCLES`
//!   as 16.
//! * Sub-events of `WR_CAS_RANK2` and `WR_CAS_RANK3`: their tables do not exist (section 22).
//! * The highest DCLK is stated nowhere.

use super::*;
use xeon::imc::*;

// Registers: configuration space offsets.

#[rustfmt::skip] // In columns, to be read against section 2.2.
const FUNCTIONS: &[PciFunction] = &[
    // SPEC: bdx 21.1, IDs as real parts have them.
    // box dev fn  ID
    pci(0, 20, 0, 0x6fb0),
    pci(1, 20, 1, 0x6fb1),
    pci(2, 21, 0, 0x6fb4),
    pci(3, 21, 1, 0x6fb5),
    pci(4, 23, 0, 0x6fd0),
    pci(5, 23, 1, 0x6fd1),
    pci(6, 24, 0, 0x6fd4),
    pci(7, 24, 1, 0x6fd5),
];

/// `MC_CHy_PCI_PMON_BOX_CTL` (WO, Table 2-113): bits 17:16 must be written 1, 8 freezes, 1 clears
/// the counters, 0 the controls.
const BOX_CONTROL: BoxControl = box_control(0xf4);

/// `MC_CHy_PCI_PMON_BOX_STATUS` (RW1C).
///
/// SPEC: bdx 3.3, bit 0 is the fixed counter, bit k + 1 general counter k.
const STATUS: BoxStatus = box_status(0b1_1111);

/// Bits of `U_MSR_PMON_GLOBAL_STATUS` (Table 2-3): `ov_m0`, `ov_m1`, each for four channels.
const GLOBAL_STATUS: &[u64] = &[M0, M0, M0, M0, M1, M1, M1, M1];
const M0: u64 = 1 << 23;
const M1: u64 = 1 << 24;

/// `MC_CHy_PCI_PMON_CTL0` to `3` (RW) and the low halves of `MC_CHy_PCI_PMON_CTR0` to `3` (RW).
const COUNTERS: &[Counter] = FOUR_COUNTERS;

/// Layout of `MC_CHy_PCI_PMON_CTL`, section 3.1.
pub(crate) const CONTROL: Control = control(0xffd6_ffff);

/// Highest DCLK in MHz, stated nowhere: half of DDR4-3200, more than any part is sold for. Too much
/// only means reading the counters more often than needed.
const MAX_DCLK_MHZ: u32 = 1600;

// Config fields.

/// Registers of section 3.1.
const FIELDS: &[Field] = super::COMMON_FIELDS;

// Filters: none.

// Events.

/// All four counters count every event.
const ANY: u8 = 0b1111;

#[rustfmt::skip] // In columns, to be read against Tables 2-128 to 2-134 and 2-137 to 2-144.
const BANKS: &[SubEvent] = &[
    sub("bank0",                             0x00),
    sub("bank1",                             0x01),
    sub("bank2",                             0x02),
    sub("bank3",                             0x03),
    sub("bank4",                             0x04),
    sub("bank5",                             0x05),
    sub("bank6",                             0x06),
    sub("bank7",                             0x07),
    sub("bank8",                             0x08),
    sub("bank9",                             0x09),
    sub("bank10",                            0x0a),
    sub("bank11",                            0x0b),
    sub("bank12",                            0x0c),
    sub("bank13",                            0x0d),
    sub("bank14",                            0x0e),
    sub("bank15",                            0x0f),
    sub("allbanks",                          0x10),
    sub("bankg0",                            0x11),
    sub("bankg1",                            0x12),
    sub("bankg2",                            0x13),
    sub("bankg3",                            0x14),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the manual's tables.
pub(crate) const EVENTS: &[Event] = &[
    // Name                                  select  counters  max

    event("dclockticks",                     0x00,   ANY,      1).source("2.6.7")
        .presets(presets![also("clockticks_p")]),

    event("act_count",                       0x01,   ANY,      1).combined("Table 2-118", const { &[
        sub("rd",                            0x01),
        sub("wr",                            0x02),
        sub("byp",                           0x08),
    ] }),

    event("pre_count",                       0x02,   ANY,      1).combined("Table 2-126", PRE_COUNT),

    event("cas_count",                       0x04,   ANY,      1).combined("Table 2-120", const { &[
        sub("rd_reg",                        0x01).unit(LINES),
        sub("rd_underfill",                  0x02).unit(LINES),
        sub("rd",                            0x03).unit(LINES),
        sub("cas_count_read",                  0x03).whole().unit(LINES),
        sub("llc_misses.mem_read",           0x03).whole().unit(LINES),
        sub("wr_wmm",                        0x04).unit(LINES),
        sub("wr_rmm",                        0x08).unit(LINES),
        sub("wr",                            0x0c).unit(LINES),
        sub("cas_count_write",                 0x0c).whole().unit(LINES),
        sub("llc_misses.mem_write",          0x0c).whole().unit(LINES),
        sub("all",                           0x0f).unit(LINES),
        sub("rd_wmm",                        0x10).unit(LINES),
        sub("rd_rmm",                        0x20).unit(LINES),
    ] }),

    event("dram_refresh",                    0x05,   ANY,      1).combined("Table 2-121", const { &[
        sub("panic",                         0x02),
        sub("high",                          0x04),
    ] }),

    event("dram_pre_all",                    0x06,   ANY,      1).source("2.6.7"),
    event("major_modes",                     0x07,   ANY,      1).combined("Table 2-122", MAJOR_MODES),

    event("preemption",                      0x08,   ANY,      1).combined("Table 2-125", const { &[
        sub("rd_preempt_rd",                 0x01),
        sub("rd_preempt_wr",                 0x02),
    ] }),

    event("ecc_correctable_errors",          0x09,   ANY,      1).source("2.6.7"),
    event("rpq_inserts",                     0x10,   ANY,      1).source("2.6.7"),
    event("rpq_cycles_ne",                   0x11,   ANY,      1).source("2.6.7"),
    event("wpq_cycles_ne",                   0x21,   ANY,      1).source("2.6.7"),
    event("wpq_cycles_full",                 0x22,   ANY,      1).source("2.6.7"),
    event("wpq_read_hit",                    0x23,   ANY,      1).source("2.6.7"),
    event("wpq_write_hit",                   0x24,   ANY,      1).source("2.6.7"),
    event("power_throttle_cycles",           0x41,   ANY,      1).combined("Table 2-124", RANKS),
    event("power_pcu_throttling",            0x42,   ANY,      1).source("2.6.7"),

    // SPEC: bdx 17, printed as 0.
    event("power_self_refresh",              0x43,   ANY,      1).source("2.6.7"),

    // SPEC: bdx 11, as printed.
    event("power_cke_cycles",                0x83,   ANY,     16).combined("Table 2-123", RANKS),
    event("power_channel_dlloff",            0x84,   ANY,      1).source("2.6.7"),
    event("power_channel_ppd",               0x85,   ANY,      4).source("2.6.7"),
    event("power_critical_throttle_cycles",  0x86,   ANY,      1).source("2.6.7"),

    event("vmse_wr_push",                    0x90,   ANY,      1).combined("Table 2-135", const { &[
        sub("wmm",                           0x01),
        sub("rmm",                           0x02),
    ] }),

    event("vmse_mxb_wr_occupancy",           0x91,   ANY,     32).source("2.6.7"),
    event("rd_cas_prio",                     0xa0,   ANY,      1).combined("Table 2-127", RD_CAS_PRIO),

    event("byp_cmds",                        0xa1,   ANY,      1).combined("Table 2-119", const { &[
        sub("act",                           0x01),
        sub("cas",                           0x02),
        sub("pre",                           0x04),
    ] }),

    event("rd_cas_rank0",                    0xb0,   ANY,      1).listed("Table 2-128", BANKS),
    event("rd_cas_rank1",                    0xb1,   ANY,      1).listed("Table 2-129", BANKS),

    event("rd_cas_rank2",                    0xb2,   ANY,      1).listed("Table 2-130", const { &[
        sub("bank0",                         0x00),
    ] }),

    event("rd_cas_rank4",                    0xb4,   ANY,      1).listed("Table 2-131", BANKS),
    event("rd_cas_rank5",                    0xb5,   ANY,      1).listed("Table 2-132", BANKS),
    event("rd_cas_rank6",                    0xb6,   ANY,      1).listed("Table 2-133", BANKS),
    event("rd_cas_rank7",                    0xb7,   ANY,      1).listed("Table 2-134", BANKS),
    event("wr_cas_rank0",                    0xb8,   ANY,      1).listed("Table 2-137", BANKS),
    event("wr_cas_rank1",                    0xb9,   ANY,      1).listed("Table 2-138", BANKS),

    // SPEC: bdx 22, without sub-events, as is the next.
    event("wr_cas_rank2",                    0xba,   ANY,      1).source("2.6.7"),
    event("wr_cas_rank3",                    0xbb,   ANY,      1).source("2.6.7"),
    event("wr_cas_rank4",                    0xbc,   ANY,      1).listed("Table 2-141", BANKS),
    event("wr_cas_rank5",                    0xbd,   ANY,      1).listed("Table 2-142", BANKS),
    event("wr_cas_rank6",                    0xbe,   ANY,      1).listed("Table 2-143", BANKS),
    event("wr_cas_rank7",                    0xbf,   ANY,      1).listed("Table 2-144", BANKS),

    event("wmm_to_rmm",                      0xc0,   ANY,      1).combined("Table 2-136", const { &[
        sub("low_thresh",                    0x01),
        sub("starve",                        0x02),
        sub("vmse_retry",                    0x04),
    ] }),

    event("wrong_mm",                        0xc1,   ANY,      1).source("2.6.7"),
];

/// Refuses edge detection and inversion together, with a threshold, of `POWER_CKE_CYCLES`.
///
/// SPEC: bdx B-20, what both together count is not known.
fn refuse(event: &Event, words: &Words) -> Result<(), &'static str> {
    const BOTH: u64 = 1 << 18 | 1 << 23;
    match event.select {
        0x83 if words.config & BOTH == BOTH && words.config >> 24 & 0xff != 0 => {
            Err("it takes edge or inv, not both")
        }
        _ => Ok(()),
    }
}

/// A channel of the iMC.
pub(crate) const IMC: BoxType = BoxType {
    name: "imc",
    numbered: true,
    access: Access::Pci(FUNCTIONS),
    box_control: Some(BOX_CONTROL),
    status: Some(STATUS),
    global_status: GLOBAL_STATUS,
    counters: COUNTERS,
    width: 48,
    fixed: &[DCLK],
    control: CONTROL,
    fields: FIELDS,
    events: EVENTS,
    builtin_events: true,
    max_clock_mhz: MAX_DCLK_MHZ,
    max_increment: 255,
    needs_clock: true,
    refuse,
    ..ORDINARY_BOX
};
