// SPDX-License-Identifier: GPL-2.0

//! The ARB (arbitration unit) takes the requests of cores and graphics that leave the ring for
//! memory, and the snoops from outside.
//!
//! Two general counters of 44 bits and one fixed counter of UCLK, of 48 bits; MSRs 0x394, 0x395 and
//! 0x3b0 to 0x3b3; one per package. Documentation/hardware/snb.rst sections 1, 2, 3 and 6. The
//! global registers are in [`super::SNB`].
//!
//! Abbreviations: `trk` the tracker, the queue of requests; `coh_trk` the queue of coherent
//! requests; UCLK the uncore's clock.
//!
//! Oddities:
//!
//! * No box control register: nothing but the global control stops the box, so the events of a
//!   group start one after the other.
//! * Occupancies are on counter 0 only, with or without a threshold.
//! * `clockticks` is the fixed counter, as on other platforms. It is one of the package. The in-tree
//!   driver has it on C-Box 0, the events that perf has built in have it here: a package has one
//!   ARB, so that no sum over boxes has to leave some out.
//! * Two events of the lists are an occupancy with a threshold.
//! * The lists of later generations have other sub-events. Ivy Bridge's has the same.
//!
//! Uncertain:
//!
//! * The first lists give the occupancy with a threshold to both counters, in-tree and in the later
//!   lists all occupancies are on counter 0. Counter 0 is right with either.
//! * The meaning of several umasks of `trk_requests` together: refused.

use super::*;

// Registers: MSR numbers.

/// `MSR_UNC_ARB_PERFEVTSEL0`, `1` (RW) and `MSR_UNC_ARB_PERFCTR0`, `1` (RW).
const COUNTERS: &[Counter] = &[counter(0x3b2, 0x3b0), counter(0x3b3, 0x3b1)];

/// `MSR_UNC_PERF_FIXED_CTRL` (RW) and `MSR_UNC_PERF_FIXED_CTR` (RW), section 3.
///
/// SPEC: snb 9, overflow propagation, bit 20, is not used.
const UCLK: Fixed = Fixed {
    control: Some(FixedControl {
        offset: 0x394,
        writable: 1 << 22,
        enable: 1 << 22,
        overflow_enable: None,
        acts: 0,
    }),
    counter: 0x395,
    width: 48,
    max_width: 48,
    select: 0xff,
    name: "clockticks",
    unit: None,
};

// Events.

/// Counter 0, the one that takes occupancies.
const C0: u8 = 0b01;
/// Both counters.
const ANY: u8 = 0b11;

/// The occupancy with a threshold.
const ANY_REQUEST: Preset = preset("trk_occupancy.cycles_with_any_request", 0, 0)
    .config(1 << 24 | 0x0100)
    .source(LISTS);
const THRESHOLD: &[Preset] = &[ANY_REQUEST];
const THRESHOLDS: &[Preset] = &[
    ANY_REQUEST,
    preset("trk_occupancy.cycles_over_half_full", 0, 0)
        .config(10 << 24 | 0x0100)
        .source(LISTS),
];

const ALL: SubEvent = sub("all", 0x01);
const DRD_DIRECT: SubEvent = sub("drd_direct", 0x02);
const WRITES: SubEvent = sub("writes", 0x20);

// Events that generations share, and those with sub-events of a generation.

const TRK_OCCUPANCY: Event<false> = event("trk_occupancy", 0x80, C0, NOT_STATED);
const TRK_REQUESTS: Event<false> = event("trk_requests", 0x81, ANY, NOT_STATED);
const COH_TRK_OCCUPANCY: Event =
    event("coh_trk_occupancy", 0x83, C0, NOT_STATED).listed(LISTS, &[ALL]);
const COH_TRK_REQUESTS: Event =
    event("coh_trk_requests", 0x84, ANY, NOT_STATED).listed(LISTS, &[ALL]);

/// Section 6.
const EVENTS: &[Event] = &[
    TRK_OCCUPANCY.presets(&THRESHOLDS).listed(LISTS, &[ALL]),
    TRK_REQUESTS.listed(LISTS, const { &[ALL, WRITES, sub("evictions", 0x80)] }),
    COH_TRK_OCCUPANCY,
    COH_TRK_REQUESTS,
];

/// Section 2 of hsw.rst.
const HSW_EVENTS: &[Event] = &[
    TRK_OCCUPANCY.presets(&THRESHOLD).listed(LISTS, &[ALL]),
    TRK_REQUESTS.listed(LISTS, &[ALL, WRITES]),
    COH_TRK_OCCUPANCY,
    COH_TRK_REQUESTS,
];

/// Section 2 of bdw.rst.
const BDW_EVENTS: &[Event] = &[
    TRK_OCCUPANCY
        .presets(&THRESHOLD)
        .listed(LISTS, &[ALL, DRD_DIRECT]),
    TRK_REQUESTS.listed(LISTS, &[ALL, DRD_DIRECT, WRITES]),
    COH_TRK_REQUESTS,
];

/// The ARB.
pub(super) const ARB: BoxType = BoxType {
    name: "arb",
    numbered: false,
    access: Access::Msr {
        bases: &[0],
        present: &[Presence::All],
    },
    box_control: None,
    status: None,
    counters: COUNTERS,
    width: 44,
    fixed: &[UCLK],
    control: CONTROL,
    fields: FIELDS,
    events: EVENTS,
    builtin_events: true,
    max_clock_mhz: super::MAX_UCLK_MHZ,
    max_increment: NOT_STATED,
    lost_with: Some(&GLOBAL),
    ..ORDINARY_BOX
};

/// The ARB of Haswell.
pub(super) const HSW: BoxType = BoxType {
    events: HSW_EVENTS,
    ..ARB
};

/// The ARB of Broadwell.
pub(super) const BDW: BoxType = BoxType {
    events: BDW_EVENTS,
    ..ARB
};
