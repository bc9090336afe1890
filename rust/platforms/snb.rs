// SPDX-License-Identifier: GPL-2.0

//! Second to fifth generation Core, desktop and mobile (Sandy Bridge, Ivy Bridge, Haswell and
//! Broadwell): the uncore's performance counters as data.
//!
//! One file per box type, each written from Documentation/hardware/snb.rst, so that it can be
//! checked with that page open. Here is what they share: the CPU model, the global registers
//! (section 3) and the list of box types. `SPEC: snb` and a number is a section of that page. The
//! later generations have the same registers; their pages say what differs.
//!
//! Oddities:
//!
//! * No PCI function is a box, and there is no box control: a level in the global control lets the
//!   counters of C-Boxes and ARB run. Sleep of the package can clear it; the timer sets it again.
//! * Control register and counter of the fixed counter have the numbers of each other on the Xeon 7500.
//! * The field of the threshold is `thresh` as on the other platforms. `cmask` is its name in-tree
//!   and in the events that perf has built in.
//! * The counters of the memory controller always run, in memory of the host bridge (section 7).
//!
//! Uncertain:
//!
//! * How the overflow status is cleared (section 9). So nothing interrupts, and wraps are found by
//!   polling.
//! * Whether bits 3:0 of the global control select cores to interrupt or slices to count (section
//!   9). They are set with the enable bit, as in-tree, so that slices count with either meaning. As
//!   no counter forwards its overflow, no core is interrupted.
//! * The highest uncore clock is stated nowhere.

use crate::uncore::table::prelude::*;

mod arb;
mod cbox;
mod imc;

/// Highest UCLK in MHz, the clock of C-Box and ARB.
///
/// Stated nowhere. The ring is clocked like the fastest core, and no part of the family is sold
/// above 4 GHz, so this leaves room for overclocking. Too much only means reading the counters more
/// often than needed.
const MAX_UCLK_MHZ: u32 = 5000;

/// `MSR_UNC_PERF_GLOBAL_CTRL`.
const GLOBAL: GlobalMsrs = GlobalMsrs {
    control: 0x391,
    run: Run::Level(1 << 29 | 0xf),
    interrupt: None,
};

/// Not stated for any event: the largest value the threshold can be compared with.
const NOT_STATED: u16 = 31;

/// Layout of the event control registers (RW), section 1.
///
/// SPEC: snb 9, the overflow enable, bit 20, is not used.
const CONTROL: Control = Control {
    writable: 0x1fc4_ffff,
    enable: 1 << 22,
    ..NO_CONTROL
};

#[rustfmt::skip] // In columns, to be read against section 1.
const FIELDS: &[Field] = &[
    field("event",  Word::Config, bits::<0, 7>(),   Role::Select),
    field("umask",  Word::Config, bits::<8, 15>(),  Role::Umask),
    field("edge",   Word::Config, bits::<18, 18>(), Role::Edge),
    INVERT,
    field("thresh", Word::Config, bits::<24, 28>(), Role::Threshold),
    field("cmask",  Word::Config, bits::<24, 28>(), Role::View),
];

/// The platform: Core 2xxx.
pub(crate) static SNB: Platform = client("snb", &[(6, 42)], &[&cbox::CBOX, &arb::ARB, &imc::SNB]);

/// The platform of Core 3xxx (Documentation/hardware/ivb.rst).
pub(crate) static IVB: Platform = client("ivb", &[(6, 58)], &[&cbox::CBOX, &arb::ARB, &imc::IVB]);

/// The platform of Core 4xxx (Documentation/hardware/hsw.rst).
pub(crate) static HSW: Platform = client(
    "hsw",
    &[(6, 60), (6, 69), (6, 70)],
    &[&cbox::CBOX, &arb::HSW, &imc::HSW],
);

/// The platform of Core 5xxx (Documentation/hardware/bdw.rst).
pub(crate) static BDW: Platform = client(
    "bdw",
    &[(6, 61), (6, 71)],
    &[&cbox::BDW, &arb::BDW, &imc::BDW],
);

/// A platform with these global registers.
const fn client(
    name: &'static str,
    cpus: &'static [(u8, u8)],
    box_types: &'static [&'static BoxType],
) -> Platform {
    Platform {
        name,
        cpus,
        discovery: None,
        global: Some(GLOBAL),
        box_types,
    }
}

const _: () = check_window(&SNB);
const _: () = check_window(&IVB);
const _: () = check_window(&HSW);
const _: () = check_window(&BDW);
