// SPDX-License-Identifier: GPL-2.0

//! The W-Box is the power controller of a package.
//!
//! Four general counters and one fixed counter of UCLK, all 48 bits; MSRs 0xc80 to 0xc97, 0x394 and
//! 0x395; one per package. Documentation/hardware/nhmex.rst sections 6 and 8.
//!
//! Abbreviations: C0 the state of a core that runs; PROCHOT the processor is too hot, or told so by
//! the board; TM1 thermal monitor 1; UCLK the uncore's clock.
//!
//! Oddities:
//!
//! * A bit of a umask is a core. Several can be combined. Without any nothing is counted: refused.
//! * A counter whose value ends in 0x000000 or 0x000001 reads 0x1000000 too high, which the driver
//!   corrects.
//! * `clockticks` is the fixed counter, as in-tree. The box control enables it, too.
//!
//! Uncertain:
//!
//! * Westmere-EX has ten cores, and umasks of eight.
//! * The PMI enable of the fixed counter is not known: not used.

use super::*;

// Registers: MSR numbers.

/// `W_MSR_PMON_GLOBAL_CTL` (RW).
const BOX_CONTROL: BoxControl = enables(0xc80, 1 << 31 | 0xf);

/// `W_MSR_PMON_EVT_SEL0` to `3` (RW) and `W_MSR_PMON_CTR0` to `3` (RW).
const COUNTERS: &[Counter] = &pairs::<4>(0xc90);

/// `W_MSR_PMON_FIXED_CTL` (RW) and `W_MSR_PMON_FIXED_CTR` (RW).
const UCLK: Fixed = Fixed {
    control: Some(FixedControl {
        offset: 0x395,
        writable: 1 << 0,
        enable: 1 << 0,
        overflow_enable: None,
        acts: 0,
    }),
    counter: 0x394,
    width: 48,
    max_width: 48,
    select: 0xff,
    name: "clockticks",
    unit: None,
};

/// The defect of section 8. It is not said that the fixed counter is free of it.
const MISREAD: Misread = Misread {
    bits: 24,
    values: 2,
};

// Events.

/// All four counters count every event.
const ANY: u8 = 0b1111;

#[rustfmt::skip] // In columns.
/// Sub-events of an event that each core has.
const CORES: &[SubEvent] = &[
    sub("c0",  0x01),
    sub("c1",  0x02),
    sub("c2",  0x04),
    sub("c3",  0x08),
    sub("c4",  0x10),
    sub("c5",  0x20),
    sub("c6",  0x40),
    sub("c7",  0x80),
    sub("all", 0xff),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against manual 2-128.
const EVENTS: &[Event] = &[
    // Name                      select ctr. max
    event("c_throttle_tmp",      0x00,  ANY, 1).combined("manual 2-128", CORES),
    event("c_c0_throttle_die",   0x01,  ANY, 1).combined("manual 2-128", CORES),
    event("prochot",             0x02,  ANY, 1).source("manual 2-128"),
    event("c0_throttle_prochot", 0x03,  ANY, 1).combined("manual 2-128", CORES),
    event("c_cycles_turbo",      0x04,  ANY, 1).combined("manual 2-128", CORES),
    event("tm1_on",              0x07,  ANY, 1).combined("manual 2-128", CORES),
    event("ratio_change_abort",  0x08,  ANY, 1).combined("manual 2-128", CORES),
];

/// The W-Box.
pub(super) const WBOX: BoxType = BoxType {
    name: "wbox",
    numbered: false,
    access: Access::Msr {
        bases: &[0],
        present: &[Presence::All],
    },
    box_control: Some(BOX_CONTROL),
    status: None,
    counters: COUNTERS,
    width: 48,
    fixed: &[UCLK],
    control: CONTROL,
    fields: FIELDS,
    events: EVENTS,
    builtin_events: true,
    max_clock_mhz: MAX_UCLK_MHZ,
    max_increment: 1,
    misread: Some(MISREAD),
    ..ORDINARY_BOX
};
