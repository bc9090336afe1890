// SPDX-License-Identifier: GPL-2.0

//! The iMC is the integrated memory controller: it turns reads and writes of the home agent into
//! DRAM commands. Each of its channels is one counter box.
//!
//! Four general counters and one fixed counter of DCLK, all 48 bits; PCI configuration space; up to
//! two controllers of four channels per package. Documentation/hardware/ivbep.rst section 7.4
//! (manual 2.5). Box 0 to 3 are channels 0 to 3 of MC0, box 4 to 7 those of MC1.
//!
//! Abbreviations: ACT activate (opens a page); BYP bypass of the scheduler; CAS column access (a
//! read or write of 64 bytes); CKE clock enable (off: the rank sleeps); DCLK half the DDR
//! transfer rate, constant; DLL delay-locked loop; MM major mode (RMM: reads, WMM: writes go
//! first); PPD precharge power down; PRE precharge (closes a page); RPQ, WPQ read and write
//! pending queue; VMSE the memory link of E7 parts, MXB its buffer.
//!
//! Oddities:
//!
//! * The reset bit of the fixed counter is bit 19, that of the others bit 17 (U-62).
//! * Functions F4, F5, F0, F1 are channels 0, 1, 2, 3 (U-61).
//! * `clockticks` is the fixed counter, as in-tree; `dclockticks` counts it on a general
//!   counter. `cas_count_read` and `cas_count_write` are the in-tree driver's names for
//!   `cas_count.rd` and `cas_count.wr`.
//! * `POWER_SELF_REFRESH` does not count in package C3 and C6, where there is no clock.
//! * `WMM_TO_RMM` and the VMSE events belong to E7 parts.
//! * A datasheet shows a fifth control register at 0xe8; the manual has four counters and it is
//!   left alone.
//!
//! Uncertain:
//!
//! * Which bit of the box status is which counter (U-11).
//! * The maximum of `POWER_SELF_REFRESH` is printed as 0 and that of `POWER_CKE_CYCLES` as 16,
//!   though its text says 1 (U-42).
//! * The highest DCLK is stated nowhere.
//! * Umask 0 for events without sub-events (U-14).

use super::*;
use xeon::imc::*;

// Registers: configuration space offsets.

#[rustfmt::skip] // In columns, to be read against section 1 of Documentation/hardware/ivbep.rst.
const FUNCTIONS: &[PciFunction] = &[
    // box dev fn  ID
    pci(0, 16, 4, 0x0eb4),
    pci(1, 16, 5, 0x0eb5),
    pci(2, 16, 0, 0x0eb0),
    pci(3, 16, 1, 0x0eb1),
    pci(4, 30, 4, 0x0ef4),
    pci(5, 30, 5, 0x0ef5),
    pci(6, 30, 0, 0x0ef0),
    pci(7, 30, 1, 0x0ef1),
];

/// `MC_CHy_PCI_PMON_BOX_CTL` (WO, Table 2-72): bits 17:16 must be written 1, 8 freezes, 1 clears
/// the counters, 0 the controls.
const BOX_CONTROL: BoxControl = box_control(0xf4);

/// `MC_CHy_PCI_PMON_BOX_STATUS` (RW1C, Table 2-73).
///
/// SPEC: U-11, bit 0 is the fixed counter, bit k + 1 general counter k; the manual prints
/// otherwise.
const STATUS: BoxStatus = box_status(0b1_1111);

/// Bits of `U_MSR_PMON_GLOBAL_STATUS` (Table 2-3): `ov_m0`, `ov_m1`, each for four channels.
const GLOBAL_STATUS: &[u64] = &[M0, M0, M0, M0, M1, M1, M1, M1];
const M0: u64 = 1 << 20;
const M1: u64 = 1 << 21;

/// `MC_CHy_PCI_PMON_CTL0` to `3` (RW) and the low halves of `MC_CHy_PCI_PMON_CTR0` to `3` (RW).
const COUNTERS: &[Counter] = FOUR_COUNTERS;

/// Layout of `MC_CHy_PCI_PMON_CTL`, Table 2-74.
const CONTROL: Control = control(0xff56_ffff);

/// Highest DCLK in MHz.
///
/// SPEC: U-67, stated nowhere; half of DDR3-3200, more than any part is sold for. Too much only
/// means reading the counters more often than needed.
const MAX_DCLK_MHZ: u32 = 1600;

// Config fields.

/// Registers of Table 2-74.
const FIELDS: &[Field] = COMMON_FIELDS;

// Filters: none.

// Events.

/// All four counters count every event.
pub(crate) const ANY: u8 = 0b1111;

#[rustfmt::skip] // In columns, to be read against Tables 2-87 to 2-94 and 2-97 to 2-104.
const BANKS: &[SubEvent] = &[
    sub("bank0",  0x01),
    sub("bank1",  0x02),
    sub("bank2",  0x04),
    sub("bank3",  0x08),
    sub("bank4",  0x10),
    sub("bank5",  0x20),
    sub("bank6",  0x40),
    sub("bank7",  0x80),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the manual's tables.
pub(crate) const EVENTS: &[Event] = &[
    // Name                                  select  counters  max

    event("dclockticks",                     0x00,   ANY,      1).source("2.5.8"),

    event("act_count",                       0x01,   ANY,      1).combined("Table 2-77", const { &[
        sub("rd",                            0x01),
        sub("wr",                            0x02),
        sub("byp",                           0x08),
    ] }),

    event("pre_count",                       0x02,   ANY,      1).combined("Table 2-85", PRE_COUNT),

    event("cas_count",                       0x04,   ANY,      1).combined("Table 2-79", const { &[
        sub("rd_reg",                        0x01).unit(LINES),
        sub("rd_underfill",                  0x02).unit(LINES),
        sub("rd",                            0x03).unit(LINES),
        sub("cas_count_read",                  0x03).whole().unit(LINES),
        sub("wr_wmm",                        0x04).unit(LINES),
        sub("wr_rmm",                        0x08).unit(LINES),
        sub("wr",                            0x0c).unit(LINES),
        sub("cas_count_write",                 0x0c).whole().unit(LINES),
        sub("all",                           0x0f).unit(LINES),
        sub("rd_wmm",                        0x10).unit(LINES),
        sub("rd_rmm",                        0x20).unit(LINES),
    ] }),

    event("dram_refresh",                    0x05,   ANY,      1).combined("Table 2-80", const { &[
        sub("panic",                         0x02),
        sub("high",                          0x04),
    ] }),

    event("dram_pre_all",                    0x06,   ANY,      1).source("2.5.8"),
    event("major_modes",                     0x07,   ANY,      1).combined("Table 2-81", MAJOR_MODES),

    event("preemption",                      0x08,   ANY,      1).combined("Table 2-84", const { &[
        sub("rd_preempt_rd",                 0x01),
        sub("rd_preempt_wr",                 0x02),
    ] }),

    event("ecc_correctable_errors",          0x09,   ANY,      1).source("2.5.8"),
    event("rpq_inserts",                     0x10,   ANY,      1).source("2.5.8"),
    event("rpq_cycles_ne",                   0x11,   ANY,      1).source("2.5.8"),
    event("wpq_inserts",                     0x20,   ANY,      1).source("2.5.8"),
    event("wpq_cycles_ne",                   0x21,   ANY,      1).source("2.5.8"),
    event("wpq_cycles_full",                 0x22,   ANY,      1).source("2.5.8"),
    event("wpq_read_hit",                    0x23,   ANY,      1).source("2.5.8"),
    event("wpq_write_hit",                   0x24,   ANY,      1).source("2.5.8"),
    event("power_throttle_cycles",           0x41,   ANY,      1).combined("Table 2-83", RANKS),
    event("power_pcu_throttling",            0x42,   ANY,      1).source("2.5.8"),
    // SPEC: U-42, printed as 0.
    event("power_self_refresh",              0x43,   ANY,      1).source("2.5.8"),
    // SPEC: U-42, printed as 16, the text says 1.
    event("power_cke_cycles",                0x83,   ANY,     16).combined("Table 2-82", RANKS),
    event("power_channel_dlloff",            0x84,   ANY,      1).source("2.5.8"),
    event("power_channel_ppd",               0x85,   ANY,      4).source("2.5.8"),
    event("power_critical_throttle_cycles",  0x86,   ANY,      1).source("2.5.8"),

    event("vmse_wr_push",                    0x90,   ANY,      1).combined("Table 2-95", const { &[
        sub("wmm",                           0x01),
        sub("rmm",                           0x02),
    ] }),

    event("vmse_mxb_wr_occupancy",           0x91,   ANY,     32).source("2.5.8"),
    event("rd_cas_prio",                     0xa0,   ANY,      1).combined("Table 2-86", RD_CAS_PRIO),

    event("byp_cmds",                        0xa1,   ANY,      1).combined("Table 2-78", const { &[
        sub("act",                           0x01),
        sub("cas",                           0x02),
        sub("pre",                           0x04),
    ] }),

    event("rd_cas_rank0",                    0xb0,   ANY,      1).combined("Table 2-87", BANKS),
    event("rd_cas_rank1",                    0xb1,   ANY,      1).combined("Table 2-88", BANKS),
    event("rd_cas_rank2",                    0xb2,   ANY,      1).combined("Table 2-89", BANKS),
    event("rd_cas_rank3",                    0xb3,   ANY,      1).combined("Table 2-90", BANKS),
    event("rd_cas_rank4",                    0xb4,   ANY,      1).combined("Table 2-91", BANKS),
    event("rd_cas_rank5",                    0xb5,   ANY,      1).combined("Table 2-92", BANKS),
    event("rd_cas_rank6",                    0xb6,   ANY,      1).combined("Table 2-93", BANKS),
    event("rd_cas_rank7",                    0xb7,   ANY,      1).combined("Table 2-94", BANKS),
    event("wr_cas_rank0",                    0xb8,   ANY,      1).combined("Table 2-97", BANKS),
    event("wr_cas_rank1",                    0xb9,   ANY,      1).combined("Table 2-98", BANKS),
    event("wr_cas_rank2",                    0xba,   ANY,      1).combined("Table 2-99", BANKS),
    event("wr_cas_rank3",                    0xbb,   ANY,      1).combined("Table 2-100", BANKS),
    event("wr_cas_rank4",                    0xbc,   ANY,      1).combined("Table 2-101", BANKS),
    event("wr_cas_rank5",                    0xbd,   ANY,      1).combined("Table 2-102", BANKS),
    event("wr_cas_rank6",                    0xbe,   ANY,      1).combined("Table 2-103", BANKS),
    event("wr_cas_rank7",                    0xbf,   ANY,      1).combined("Table 2-104", BANKS),

    event("wmm_to_rmm",                      0xc0,   ANY,      1).combined("Table 2-96", const { &[
        sub("low_thresh",                    0x01),
        sub("starve",                        0x02),
        sub("vmse_retry",                    0x04),
    ] }),

    event("wrong_mm",                        0xc1,   ANY,      1).source("2.5.8"),
];

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
    ..ORDINARY_BOX
};
