// SPDX-License-Identifier: GPL-2.0

//! The PCU is the power control unit of a package: it sets frequency and voltage, and decides how
//! deep idle cores may sleep.
//!
//! Four general counters of 48 bits, each of which takes occupancies, and two counters of 64 bits
//! that always run; MSRs 0xc24 to 0xc39, 0x3fc and 0x3fd; one per package.
//! Documentation/hardware/ivbep.rst section 7.6 (manual 2.7). One filter register of four bytes,
//! shared by the four counters.
//!
//! Abbreviations: C0, C3, C6 states of a core from running to powered off; P performance state;
//! PROCHOT the signal that a processor is hot; TRANS transition; VR voltage regulator.
//!
//! Oddities:
//!
//! * No umask: an occupancy has `occ_sel` in its place, which the lists print as umasks 0x40, 0x80
//!   and 0xc0. C0 takes in C1, C6 takes in C7.
//! * Occupancies have an edge detect and an invert bit of their own.
//! * The event select has an extra bit, 21. The in-tree driver lacks it, and perf's built-in events
//!   have codes without it (U-56).
//! * `occ_edge` is bit 31; the in-tree driver's format has other bits (U-59).
//! * The threshold has 5 bits only.
//! * pclk is constant, 800 MHz, so what counts its clocks has the unit ns: 1.25 each. With `edge`
//!   an event counts occasions instead, for which that unit is wrong. `pkg_c_exit_latency` has
//!   none, as the manual has it counted by edges too.
//! * `FREQ_BANDx_CYCLES` counts the clocks at or above `filter_bandx`, in units of 100 MHz. The
//!   value takes effect with the next change of frequency: without any, nothing changes.
//! * `FREQ_MAX_CURRENT_CYCLES` clears the other limits and may count twice.
//! * Offsets are MSR numbers, as the two counters that always run are far from the rest.
//!
//! Uncertain:
//!
//! * What `core_c3_ctr` and `core_c6_ctr` count: clocks in which some core is in C3 or C6, says the
//!   manual; other drivers use these MSRs as those of the core that reads them (U-31). If they
//!   are right, it is the core of the designated CPU.
//! * Bits 19:16 of the control registers: these rows of Table 2-121 are not available, so they are
//!   those of a later generation (U-65).
//! * What `DEMOTIONS_COREx` compares with `filter_band0` (U-27).
//! * `POWER_STATE_OCCUPANCY` adds 8 a clock as printed, though it has sub-counters of 4 bits and
//!   there are up to 15 cores (U-34).
//! * The code of `FREQ_MIN_PERF_P_CYCLES` (U-35).
//! * `PKG_C_STATE_RESIDENCY_C0`, `C2`, `C3` and `C6`, which only the lists have: the sources
//!   disagree on their extra bit, so they are not offered (U-36).
//! * How two counters are combined, as examples of the manual have it (U-48): not offered.
//! * Umask 0 for events without sub-events (U-14).

use super::*;
use xeon::pcu::*;

// Registers: MSR numbers.

/// `PCU_MSR_PMON_BOX_CTL` (WO, Table 2-119): bits 17:16 must be written 1, 8 freezes, 1 clears the
/// counters, 0 the controls.
const BOX_CONTROL: BoxControl = box_control(0xc24);

/// `PCU_MSR_PMON_BOX_STATUS` (RW1C, Table 2-120): bit k is counter k.
const STATUS: BoxStatus = BoxStatus {
    offset: 0xc35,
    overflow: 0b1111,
};

/// Bit of `U_MSR_PMON_GLOBAL_STATUS` (Table 2-3): `ov_p`.
const GLOBAL_STATUS: &[u64] = &[1 << 2];

/// `PCU_MSR_PMON_CTL0` to `3` (RW) and `PCU_MSR_PMON_CTR0` to `3` (RW, Table 2-122).
const COUNTERS: &[Counter] = &[
    counter(0xc30, 0xc36),
    counter(0xc31, 0xc37),
    counter(0xc32, 0xc38),
    counter(0xc33, 0xc39),
];

/// Layout of `PCU_MSR_PMON_CTL`, Table 2-121.
///
/// SPEC: U-65, bits 19:16 as in a later generation.
const CONTROL: Control = Control {
    uncertain: 1 << 18,
    select: EXTENDED_SELECT,
    ..control(0xdf76_c0ff)
};

/// `PCU_MSR_PMON_BOX_FILTER` (RW, Table 2-123).
const FILTERS: &[FilterRegister] = &[filter_register(0xc34, Word::Config1, 0, 0xffff_ffff)];

/// Frequency of pclk in MHz, constant (section 1).
const PCLK_MHZ: u32 = 800;

// Config fields.

#[rustfmt::skip] // In columns, to be read against Tables 2-121 and 2-123.
pub(crate) const FIELDS: &[Field] = &joined::<_, 11>(&[
    field("event",        Word::Config,  EXTENDED_SELECT,  Role::Select),
    field("occ_sel",      Word::Config,  bits::<14, 15>(), Role::Umask),
    field("edge",         Word::Config,  bits::<18, 18>(), Role::Edge),
], LATER_FIELDS);

// Filters: those of `xeon::pcu`.

// Events.

/// All four counters count every event.
pub(crate) const ANY: u8 = 0b1111;
/// All but the one whose occupancy may decide when counter 1 counts.
const C123: u8 = 0b1110;

/// Unit of what counts clocks of pclk.
const NS: Unit = Unit::Clock800;

#[rustfmt::skip] // One row, one line, in columns, to be read against the manual's tables.
pub(crate) const EVENTS: &[Event] = &[
    // Name                                 select        counters  max

    event("clockticks",                     0x00,         ANY,      1).source("2.7.7"),
    event("volt_trans_cycles_increase",     0x01,         ANY,      1).unit(NS).source("2.7.7"),
    event("volt_trans_cycles_decrease",     0x02,         ANY,      1).unit(NS).source("2.7.7"),
    event("volt_trans_cycles_change",       0x03,         ANY,      1).unit(NS).source("2.7.7"),
    event("freq_max_limit_thermal_cycles",  0x04,         ANY,      1).unit(NS).source("2.7.7"),
    event("freq_max_power_cycles",          0x05,         ANY,      1).unit(NS).source("2.7.7"),
    event("freq_max_os_cycles",             0x06,         ANY,      1).unit(NS).source("2.7.7"),
    event("freq_max_current_cycles",        0x07,         ANY,      1).unit(NS).source("2.7.7"),
    event("prochot_internal_cycles",        0x09,         ANY,      1).unit(NS).source("2.7.7"),
    event("prochot_external_cycles",        0x0a,         ANY,      1).unit(NS).source("2.7.7"),
    event("freq_band0_cycles",              0x0b,         ANY,      1).filter(BAND0).unit(NS).source("2.7.7"),
    event("freq_band1_cycles",              0x0c,         ANY,      1).filter(BAND1).unit(NS).source("2.7.7"),
    event("freq_band2_cycles",              0x0d,         ANY,      1).filter(BAND2).unit(NS).source("2.7.7"),
    event("freq_band3_cycles",              0x0e,         ANY,      1).filter(BAND3).unit(NS).source("2.7.7"),
    event("demotions_core0",                0x1e,         ANY,      1).filter(BAND0).source("2.7.7"),
    event("demotions_core1",                0x1f,         ANY,      1).filter(BAND0).source("2.7.7"),
    event("demotions_core2",                0x20,         ANY,      1).filter(BAND0).source("2.7.7"),
    event("demotions_core3",                0x21,         ANY,      1).filter(BAND0).source("2.7.7"),
    event("demotions_core4",                0x22,         ANY,      1).filter(BAND0).source("2.7.7"),
    event("demotions_core5",                0x23,         ANY,      1).filter(BAND0).source("2.7.7"),
    event("demotions_core6",                0x24,         ANY,      1).filter(BAND0).source("2.7.7"),
    event("demotions_core7",                0x25,         ANY,      1).filter(BAND0).source("2.7.7"),
    event("memory_phase_shedding_cycles",   0x2f,         ANY,      1).unit(NS).source("2.7.7"),
    event("vr_hot_cycles",                  0x32,         ANY,      1).unit(NS).source("2.7.7"),
    event("demotions_core8",                0x40,         ANY,      1).filter(BAND0).source("2.7.7"),
    event("demotions_core9",                0x41,         ANY,      1).filter(BAND0).source("2.7.7"),
    event("demotions_core10",               0x42,         ANY,      1).filter(BAND0).source("2.7.7"),
    event("demotions_core11",               0x43,         ANY,      1).filter(BAND0).source("2.7.7"),
    event("demotions_core12",               0x44,         ANY,      1).filter(BAND0).source("2.7.7"),
    event("demotions_core13",               0x45,         ANY,      1).filter(BAND0).source("2.7.7"),
    event("demotions_core14",               0x46,         ANY,      1).filter(BAND0).source("2.7.7"),
    event("freq_trans_cycles",              0x60,         ANY,      1).unit(NS).source("2.7.7"),
    event("freq_min_io_p_cycles",           0x61,         ANY,      1).unit(NS).source("2.7.7"),
    event("total_transition_cycles",        0x63,         ANY,      1).unit(NS).source("2.7.7"),
    event("core0_transition_cycles",        0x70,         ANY,      1).unit(NS).source("2.7.7"),
    event("core1_transition_cycles",        0x71,         ANY,      1).unit(NS).source("2.7.7"),
    event("core2_transition_cycles",        0x72,         ANY,      1).unit(NS).source("2.7.7"),
    event("core3_transition_cycles",        0x73,         ANY,      1).unit(NS).source("2.7.7"),
    event("core4_transition_cycles",        0x74,         ANY,      1).unit(NS).source("2.7.7"),
    event("core5_transition_cycles",        0x75,         ANY,      1).unit(NS).source("2.7.7"),
    event("core6_transition_cycles",        0x76,         ANY,      1).unit(NS).source("2.7.7"),
    event("core7_transition_cycles",        0x77,         ANY,      1).unit(NS).source("2.7.7"),
    event("core8_transition_cycles",        0x78,         ANY,      1).unit(NS).source("2.7.7"),
    event("core9_transition_cycles",        0x79,         ANY,      1).unit(NS).source("2.7.7"),
    event("core10_transition_cycles",       0x7a,         ANY,      1).unit(NS).source("2.7.7"),
    event("core11_transition_cycles",       0x7b,         ANY,      1).unit(NS).source("2.7.7"),
    event("core12_transition_cycles",       0x7c,         ANY,      1).unit(NS).source("2.7.7"),
    event("core13_transition_cycles",       0x7d,         ANY,      1).unit(NS).source("2.7.7"),
    event("core14_transition_cycles",       0x7e,         ANY,      1).unit(NS).source("2.7.7"),

    // SPEC: U-34, printed as 8. U-48, with a threshold on counter 0 it may stop counter 1.
    event("power_state_occupancy",          0x80,         C123,    15).occupancy().listed("Table 2-127", const { &[
        sub("cores_c0",                     0x01),
        sub("cores_c3",                     0x02),
        sub("cores_c6",                     0x03),
    ] }),

    // SPEC: U-35, the lists have 0x62 without the extra bit.
    event("freq_min_perf_p_cycles",         0x02 | EXT,   ANY,      1).unit(NS).source("2.7.7"),
    event("delayed_c_state_abort_core0",    0x17 | EXT,   ANY,      1).source("2.7.7"),
    event("delayed_c_state_abort_core1",    0x18 | EXT,   ANY,      1).source("2.7.7"),
    event("delayed_c_state_abort_core2",    0x19 | EXT,   ANY,      1).source("2.7.7"),
    event("delayed_c_state_abort_core3",    0x1a | EXT,   ANY,      1).source("2.7.7"),
    event("delayed_c_state_abort_core4",    0x1b | EXT,   ANY,      1).source("2.7.7"),
    event("delayed_c_state_abort_core5",    0x1c | EXT,   ANY,      1).source("2.7.7"),
    event("delayed_c_state_abort_core6",    0x1d | EXT,   ANY,      1).source("2.7.7"),
    event("delayed_c_state_abort_core7",    0x1e | EXT,   ANY,      1).source("2.7.7"),
    event("delayed_c_state_abort_core8",    0x1f | EXT,   ANY,      1).source("2.7.7"),
    event("delayed_c_state_abort_core9",    0x20 | EXT,   ANY,      1).source("2.7.7"),
    event("delayed_c_state_abort_core10",   0x21 | EXT,   ANY,      1).source("2.7.7"),
    event("delayed_c_state_abort_core11",   0x22 | EXT,   ANY,      1).source("2.7.7"),
    event("delayed_c_state_abort_core12",   0x23 | EXT,   ANY,      1).source("2.7.7"),
    event("delayed_c_state_abort_core13",   0x24 | EXT,   ANY,      1).source("2.7.7"),
    event("delayed_c_state_abort_core14",   0x25 | EXT,   ANY,      1).source("2.7.7"),
    // SPEC: U-41, one event with two names in the lists.
    event("pkg_c_exit_latency",             0x26 | EXT,   ANY,      1).source("2.7.7")
        .presets(presets![also("pkg_c_exit_latency_sel")]),
];

/// The PCU.
pub(crate) const PCU: BoxType = BoxType {
    name: "pcu",
    numbered: false,
    access: Access::Msr {
        bases: &[0],
        present: &[Presence::All],
    },
    box_control: Some(BOX_CONTROL),
    status: Some(STATUS),
    global_status: GLOBAL_STATUS,
    counters: COUNTERS,
    width: 48,
    fixed: SLEEPS,
    control: CONTROL,
    fields: FIELDS,
    filters: FILTERS,
    filter_units: FILTER_UNITS,
    events: EVENTS,
    // U-56, the codes of events with the extra bit lack it.
    builtin_events: false,
    max_clock_mhz: PCLK_MHZ,
    max_increment: 15,
    ..ORDINARY_BOX
};
