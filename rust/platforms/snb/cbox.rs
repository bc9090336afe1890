// SPDX-License-Identifier: GPL-2.0

//! A C-Box is a slice of the last-level cache, joined to a core and to the ring.
//!
//! Two general counters of 44 bits; MSRs 0x700 + 0x10 n; up to four per package.
//! Documentation/hardware/snb.rst sections 1, 2 and 6.
//!
//! Abbreviations: M, E, S, I the states of a cache line; `xsnp` a snoop from one core to another;
//! `extsnp` a snoop from outside the package.
//!
//! Oddities:
//!
//! * No box control register: nothing but the global control stops the box, so the events of a
//!   group start one after the other.
//! * A umask has two halves, of which both need a bit. The sub-events are the pairs, and E and S
//!   together, which perf has for an event.
//! * No event is an occupancy, which only counter 0 could count.
//!
//! Uncertain:
//!
//! * Counters 2 and 3, and the unit status, are in one list of registers only: not accessed.
//! * Whether the count of boxes in `MSR_UNC_CBO_CONFIG` has one for graphics, too (section 4).
//! * Whether counters have more than 44 bits.
//! * Whether Broadwell counts what its list leaves out: refused (bdw 4).

use super::*;
use arb::ARB;

// Registers: MSR numbers less 0x700 + 0x10 n.

/// Location of the boxes.
///
/// SPEC: snb 4, as many as cores. `MSR_UNC_CBO_CONFIG` can have fewer, not more, as it may count
/// that of graphics, too.
const ACCESS: Access = Access::Msr {
    bases: &every::<4>(0x700, 0x10),
    present: &[Presence::CoresUpTo {
        msr: 0x396,
        bits: Bits { low: 0, high: 3 },
    }],
};

/// `MSR_UNC_CBO_n_PERFEVTSEL0`, `1` (RW) and `MSR_UNC_CBO_n_PERFCTR0`, `1` (RW).
const COUNTERS: &[Counter] = &[counter(0x0, 0x6), counter(0x1, 0x7)];

// Events.

/// Both counters count every event.
const ANY: u8 = 0b11;

/// The tables of the manual that have these events.
const SDM: &str = "SDM 3B Tables 19-16, 19-9";

#[rustfmt::skip] // One row, one line, in columns, to be read against section 6.
const RESPONSES: &[SubEvent] = &[
    sub("miss_external",    0x21),
    sub("inval_external",   0x22),
    sub("hit_external",     0x24),
    sub("hitm_external",    0x28),
    sub("inval_m_external", 0x30),
    sub("miss_xcore",       0x41),
    sub("inval_xcore",      0x42),
    sub("hit_xcore",        0x44),
    sub("hitm_xcore",       0x48),
    sub("inval_m_xcore",    0x50),
    sub("miss_eviction",    0x81),
    sub("inval_eviction",   0x82),
    sub("hit_eviction",     0x84),
    sub("hitm_eviction",    0x88),
    sub("inval_m_eviction", 0x90),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against section 6.
const LOOKUPS: &[SubEvent] = &[
    sub("read_m",           0x11),
    sub("read_e",           0x12),
    sub("read_s",           0x14),
    sub("read_es",          0x16),
    sub("read_i",           0x18),
    sub("read_mesi",        0x1f),
    sub("write_m",          0x21),
    sub("write_e",          0x22),
    sub("write_s",          0x24),
    sub("write_es",         0x26),
    sub("write_i",          0x28),
    sub("write_mesi",       0x2f),
    sub("extsnp_m",         0x41),
    sub("extsnp_e",         0x42),
    sub("extsnp_s",         0x44),
    sub("extsnp_es",        0x46),
    sub("extsnp_i",         0x48),
    sub("extsnp_mesi",      0x4f),
    sub("any_m",            0x81),
    sub("any_e",            0x82),
    sub("any_s",            0x84),
    sub("any_es",           0x86),
    sub("any_i",            0x88),
    sub("any_mesi",         0x8f),
];

const XSNP_RESPONSE: Event<false> = event("xsnp_response", 0x22, ANY, NOT_STATED);
const CACHE_LOOKUP: Event<false> = event("cache_lookup", 0x34, ANY, NOT_STATED);

const EVENTS: &[Event] = &[
    XSNP_RESPONSE.combined(SDM, RESPONSES),
    CACHE_LOOKUP.combined(SDM, LOOKUPS),
];

/// SPEC: bdw 2, the bits that a row of the list has.
const BDW_EVENTS: &[Event] = &[
    XSNP_RESPONSE.combined(
        LISTS,
        const { &without::<6>(0x20 | 0x10 | 0x02, RESPONSES) },
    ),
    CACHE_LOOKUP.combined(LISTS, const { &without::<18>(0x40, LOOKUPS) }),
];

/// Returns the sub-events with none of these bits.
#[expect(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "done when the module is compiled"
)]
const fn without<const LEFT: usize>(bits: u8, all: &[SubEvent]) -> [SubEvent; LEFT] {
    let mut left = [all[0]; LEFT];
    let (mut next, mut rest) = (0, all);
    while let [one, others @ ..] = rest {
        if one.umask & bits == 0 {
            left[next] = *one;
            next += 1;
        }
        rest = others;
    }
    assert!(next == LEFT);
    left
}

/// The C-Box.
pub(super) const CBOX: BoxType = BoxType {
    name: "cbox",
    numbered: true,
    access: ACCESS,
    box_control: None,
    status: None,
    counters: COUNTERS,
    width: 44,
    fixed_elsewhere: Some(&ARB),
    control: CONTROL,
    fields: FIELDS,
    events: EVENTS,
    builtin_events: true,
    max_clock_mhz: super::MAX_UCLK_MHZ,
    max_increment: NOT_STATED,
    lost_with: Some(&GLOBAL),
    ..ORDINARY_BOX
};

/// The C-Box of Broadwell.
pub(super) const BDW: BoxType = BoxType {
    events: BDW_EVENTS,
    ..CBOX
};
