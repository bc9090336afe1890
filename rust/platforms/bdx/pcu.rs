// SPDX-License-Identifier: GPL-2.0

//! The PCU is the power control unit of a package: it sets frequency and voltage, and decides how
//! deep idle cores may sleep.
//!
//! Four general counters of 48 bits and two counters of 64 bits that always run; MSRs 0x710 to
//! 0x71a, 0x3fc and 0x3fd; one per package. Documentation/hardware/bdx.rst section 13 (manual 2.8).
//! One filter register of four bytes, shared by the four counters.
//!
//! Abbreviations: C0, C3, C6 states of a core from running to powered off; FIVR the voltage
//! regulators of the package, PS their power states; P performance state; PROCHOT the signal that a
//! processor is hot; TRANS transition; UFS scaling of the uncore's frequency; VR voltage regulator.
//!
//! Oddities:
//!
//! * No umask: an occupancy has `occ_sel` in its place, which the lists print as umasks 0x40, 0x80
//!   and 0xc0. C0 takes in C1, C6 takes in C7.
//! * Occupancies have an edge detect and an invert bit of their own.
//! * The event select has an extra bit, 21, that no event has: not offered.
//! * The threshold has 5 bits only.
//! * pclk is constant, 800 MHz, so what counts its clocks has the unit ns: 1.25 each. With `edge`
//!   an event counts occasions instead, for which that unit is wrong.
//! * `FREQ_BANDx_CYCLES` counts the clocks at or above `filter_bandx`, in units of 100 MHz. The
//!   value takes effect with the next change of frequency: without any, nothing changes. The
//!   in-tree driver has the wrong bits for bands 1 to 3 (disagreement 15).
//! * Offsets are MSR numbers, as the two counters that always run are far from the rest.
//!
//! Uncertain:
//!
//! * What `core_c3_ctr` and `core_c6_ctr` count: clocks in which some core is in C3 or C6, says the
//!   manual; other drivers use these MSRs as those of the core that reads them. If they are
//!   right, it is the core of the designated CPU.
//! * Whether counter 0 counts occupancies (disagreement 5).
//! * `POWER_STATE_OCCUPANCY` adds 8 a clock as printed, though it has sub-counters of 4 bits and
//!   there are up to 24 cores (section 13).
//! * Whether only the filter waits for a change of frequency (section 13).
//! * What the manual leaves out (section 17).

use super::*;
use xeon::pcu::*;

// Registers: MSR numbers.

/// `PCU_MSR_PMON_BOX_CTL` (WO, Table 2-157): bits 17:16 must be written 1, 8 freezes, 1 clears the
/// counters, 0 the controls.
const BOX_CONTROL: BoxControl = box_control(0x710);

/// `PCU_MSR_PMON_BOX_STATUS` (RW1C): bit k is counter k.
const STATUS: BoxStatus = BoxStatus {
    offset: 0x716,
    overflow: 0b1111,
};

/// Bit of `U_MSR_PMON_GLOBAL_STATUS` (Table 2-3): `ov_p`.
const GLOBAL_STATUS: &[u64] = &[1 << 2];

/// `PCU_MSR_PMON_CTL0` to `3` (RW) and `PCU_MSR_PMON_CTR0` to `3` (RW).
const COUNTERS: &[Counter] = &[
    counter(0x711, 0x717),
    counter(0x712, 0x718),
    counter(0x713, 0x719),
    counter(0x714, 0x71a),
];

/// Layout of `PCU_MSR_PMON_CTL`, section 3.1.
const CONTROL: Control = control(0xdfd6_c0ff);

/// `PCU_MSR_PMON_BOX_FILTER` (RW, Table 2-161).
const FILTERS: &[FilterRegister] = &[filter_register(0x715, Word::Config1, 0, 0xffff_ffff)];

/// Frequency of pclk in MHz, constant.
const PCLK_MHZ: u32 = 800;

// Config fields.

#[rustfmt::skip] // In columns, to be read against section 3.1 and Table 2-161.
const FIELDS: &[Field] = &joined::<_, 12>(&[
    field("event",        Word::Config,  bits::<0, 7>(),   Role::Select),
    field("occ_sel",      Word::Config,  bits::<14, 15>(), Role::Umask),
    field("edge",         Word::Config,  bits::<18, 18>(), Role::Edge),
    INVERT,
], LATER_FIELDS);

// Filters: those of `xeon::pcu`.

// Events.

/// SPEC: bdx 21.5, all but counter 0 for what uses a sub-counter.
const C123: u8 = 0b1110;
/// Every counter.
const ANY: u8 = 0b1111;

/// Not stated for events of the lists. No counter can add more.
const NOT_STATED: u16 = 15;

/// Unit of what counts clocks of pclk.
const NS: Unit = Unit::Clock800;

#[rustfmt::skip] // One row, one line, in columns, to be read against the manual's tables.
pub(crate) const EVENTS: &[Event] = &[
    // Name                                 select  counters  max

    // SPEC: bdx 17, what has LISTS for a source is in the lists only.

    event("clockticks",                     0x00,   ANY,      1).source("2.8.6"),
    event("freq_max_limit_thermal_cycles",  0x04,   ANY,      1).unit(NS).source("2.8.6"),
    event("freq_max_power_cycles",          0x05,   ANY,      1).unit(NS).source("2.8.6"),
    event("freq_max_os_cycles",             0x06,   ANY,      1).unit(NS).source("2.8.6"),
    event("prochot_internal_cycles",        0x09,   ANY,      1).unit(NS).source("2.8.6"),
    event("prochot_external_cycles",        0x0a,   ANY,      1).unit(NS).source("2.8.6"),
    event("freq_band0_cycles",              0x0b,   ANY,      1).filter(BAND0).unit(NS).source("2.8.6"),
    event("freq_band1_cycles",              0x0c,   ANY,      1).filter(BAND1).unit(NS).source("2.8.6"),
    event("freq_band2_cycles",              0x0d,   ANY,      1).filter(BAND2).unit(NS).source("2.8.6"),
    event("freq_band3_cycles",              0x0e,   ANY,      1).filter(BAND3).unit(NS).source("2.8.6"),
    event("pkg_residency_c0_cycles",        0x2a,   ANY,      NOT_STATED).source(LISTS),
    event("pkg_residency_c2e_cycles",       0x2b,   ANY,      NOT_STATED).source(LISTS),
    event("pkg_residency_c3_cycles",        0x2c,   ANY,      NOT_STATED).source(LISTS),
    event("pkg_residency_c6_cycles",        0x2d,   ANY,      NOT_STATED).source(LISTS),
    event("pkg_residency_c7_cycles",        0x2e,   ANY,      NOT_STATED).source(LISTS),
    event("memory_phase_shedding_cycles",   0x2f,   ANY,      1).unit(NS).source("2.8.6"),
    event("demotions_core0",                0x30,   ANY,      1).source("2.8.6"),
    event("demotions_core1",                0x31,   ANY,      1).source("2.8.6"),
    event("demotions_core2",                0x32,   ANY,      1).source("2.8.6"),
    event("demotions_core3",                0x33,   ANY,      1).source("2.8.6"),
    event("demotions_core4",                0x34,   ANY,      1).source("2.8.6"),
    event("demotions_core5",                0x35,   ANY,      1).source("2.8.6"),
    event("demotions_core6",                0x36,   ANY,      1).source("2.8.6"),
    event("demotions_core7",                0x37,   ANY,      1).source("2.8.6"),
    event("demotions_core8",                0x38,   ANY,      1).source("2.8.6"),
    event("demotions_core9",                0x39,   ANY,      1).source("2.8.6"),
    event("demotions_core10",               0x3a,   ANY,      1).source("2.8.6"),
    event("demotions_core11",               0x3b,   ANY,      1).source("2.8.6"),
    event("demotions_core12",               0x3c,   ANY,      1).source("2.8.6"),
    event("demotions_core13",               0x3d,   ANY,      1).source("2.8.6"),
    event("demotions_core14",               0x3e,   ANY,      1).source("2.8.6"),
    event("demotions_core15",               0x3f,   ANY,      1).source("2.8.6"),
    event("demotions_core16",               0x40,   ANY,      1).source("2.8.6"),
    event("demotions_core17",               0x41,   ANY,      1).source("2.8.6"),
    event("vr_hot_cycles",                  0x42,   ANY,      1).unit(NS).source("2.8.6"),
    event("pkg_residency_c1e_cycles",       0x4e,   ANY,      NOT_STATED).source(LISTS),
    event("core0_transition_cycles",        0x60,   ANY,      1).unit(NS).source("2.8.6"),
    event("core1_transition_cycles",        0x61,   ANY,      1).unit(NS).source("2.8.6"),
    event("core2_transition_cycles",        0x62,   ANY,      1).unit(NS).source("2.8.6"),
    event("core3_transition_cycles",        0x63,   ANY,      1).unit(NS).source("2.8.6"),
    event("core4_transition_cycles",        0x64,   ANY,      1).unit(NS).source("2.8.6"),
    event("core5_transition_cycles",        0x65,   ANY,      1).unit(NS).source("2.8.6"),
    event("core6_transition_cycles",        0x66,   ANY,      1).unit(NS).source("2.8.6"),
    event("core7_transition_cycles",        0x67,   ANY,      1).unit(NS).source("2.8.6"),
    event("core8_transition_cycles",        0x68,   ANY,      1).unit(NS).source("2.8.6"),
    event("core9_transition_cycles",        0x69,   ANY,      1).unit(NS).source("2.8.6"),
    event("core10_transition_cycles",       0x6a,   ANY,      1).unit(NS).source("2.8.6"),
    event("core11_transition_cycles",       0x6b,   ANY,      1).unit(NS).source("2.8.6"),
    event("core12_transition_cycles",       0x6c,   ANY,      1).unit(NS).source("2.8.6"),
    event("core13_transition_cycles",       0x6d,   ANY,      1).unit(NS).source("2.8.6"),
    event("core14_transition_cycles",       0x6e,   ANY,      1).unit(NS).source("2.8.6"),
    event("core15_transition_cycles",       0x6f,   ANY,      1).unit(NS).source("2.8.6"),
    event("core16_transition_cycles",       0x70,   ANY,      1).unit(NS).source("2.8.6"),
    event("core17_transition_cycles",       0x71,   ANY,      1).unit(NS).source("2.8.6"),
    event("total_transition_cycles",        0x72,   ANY,      1).unit(NS).source("2.8.6"),
    event("freq_min_io_p_cycles",           0x73,   ANY,      1).unit(NS).source("2.8.6"),
    event("freq_trans_cycles",              0x74,   ANY,      1).unit(NS).source("2.8.6"),
    event("fivr_ps_ps0_cycles",             0x75,   ANY,      1).unit(NS).source("2.8.6"),
    event("fivr_ps_ps1_cycles",             0x76,   ANY,      1).unit(NS).source("2.8.6"),
    event("fivr_ps_ps2_cycles",             0x77,   ANY,      1).unit(NS).source("2.8.6"),
    event("fivr_ps_ps3_cycles",             0x78,   ANY,      1).unit(NS).source("2.8.6"),

    // SPEC: bdx 17, the lists have another name.
    event("ufs_transitions_no_change",      0x79,   ANY,      1).source("2.8.6")
        .presets(presets![also("ufs_transitions_ring_gv")]),
    event("ufs_transitions_up_ring",        0x7a,   ANY,      1).source("2.8.6"),
    event("ufs_transitions_up_stall",       0x7b,   ANY,      1).source("2.8.6"),
    event("ufs_transitions_down",           0x7c,   ANY,      1).source("2.8.6"),
    event("ufs_transitions_io_p_limit",     0x7d,   ANY,      1).source("2.8.6"),
    event("ufs_bandwidth_max_range",        0x7e,   ANY,      1).source("2.8.6"),

    // SPEC: bdx 13, printed as 8.
    event("power_state_occupancy",          0x80,   C123,    15).occupancy().listed("Table 2-165", const { &[
        sub("cores_c0",                     0x01),
        sub("cores_c3",                     0x02),
        sub("cores_c6",                     0x03),
    ] }),
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
    builtin_events: true,
    max_clock_mhz: PCLK_MHZ,
    max_increment: 15,
    ..ORDINARY_BOX
};
