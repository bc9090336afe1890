// SPDX-License-Identifier: GPL-2.0

//! Checks of the tables of a box type, when the module is compiled.
//!
//! A platform ends the file of each box type with `const _: () = check(&CBOX);`, and its own file
//! with [`check_platform`](platform::check_platform) and
//! [`check_window`](window::check_window). A fault stops the build; the message names
//! box, event and sub-event. The rules are, by file:
//!
//! 1. [`registers`]: counters, registers and PCI functions are distinct and in range; what tells the
//!    boxes of a package fits them; counter sets hold each counter once; the control bits the driver
//!    sets are writable and apart, the others that are writable are fields;
//! 2. [`fields`]: names distinct, bits apart, but for those of filters that no event uses together,
//!    and inside their register; views of whole registers;
//! 3. [`filters`]: filter registers at places of their own; guards before what they guard; filter
//!    units made of their fields, each copy in the registers, with a value for zero or a field to
//!    ask for;
//! 4. [`fixed`]: fixed counters have selects and registers of their own;
//! 5. [`events`]: sorted by code, counters, filters and maximum within the box's, a source, a kind
//!    of umask that fits the sub-events, presets of filters that the event has;
//! 6. [`names`]: each file of `events/` has a name of its own, in perf's spelling;
//! 7. [`overflow`]: an overflow that interrupts sets a bit of the global status;
//! 8. [`misread`]: counters that read too high at some values can be written;
//! 9. [`platform`]: each box type has a name, PCI device IDs and bits of the global status of its
//!    own, and the platform has what it needs beside it; bits of the global control are apart; a
//!    sleep clears only boxes whose registers the driver restores;
//! 10. [`window`]: the driver may write each MSR of the platform that it writes.
//!
//! [`fault`] can be called at run time too, by tests that break a table on purpose. It allocates
//! nothing and touches no hardware.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a panic here stops the build"
)]

use self::rules::{
    stop_at,
    Fault, //
};
use super::box_type::BoxType;

#[macro_use]
mod rules;

mod events;
mod fields;
mod filters;
mod fixed;
mod misread;
mod names;
pub(crate) mod overflow;
pub(crate) mod platform;
mod registers;
#[cfg(KUNIT_SUITES)]
mod tests;
pub(crate) mod window;

/// Stops the build of the module if there is a fault. It takes the compiler many seconds, so builds
/// with the suites leave it to that of the module, and to a test.
pub(crate) const fn check(of: &BoxType) {
    if cfg!(not(KUNIT_SUITES)) {
        stop_at_fault(of);
    }
}

/// Panics with the first fault of a box type, if there is one.
pub(crate) const fn stop_at_fault(of: &BoxType) {
    stop_at(fault::<MAX_NAMES>(of));
}

/// More names of events than any box type has.
const MAX_NAMES: usize = 2048;

/// The first fault of a box type with fewer than `NAMES` names. These take room on the stack, of
/// which a kernel has little: tests that run there ask for few.
pub(crate) const fn fault<const NAMES: usize>(of: &BoxType) -> Option<Fault> {
    first!(
        registers::registers(of),
        fields::fields(of),
        filters::filter_units(of),
        fixed::fixed(of),
        events::events(of),
        names::names::<NAMES>(of),
        overflow::overflow(of),
        misread::misread(of),
    )
}
