// SPDX-License-Identifier: GPL-2.0

//! One box: its registers, its counters, and the order in which they are accessed.
//!
//! ```text
//!  bus   count   probe   modified     access, arithmetic, probe and reset, modified registers
//!    \_______|_____|_______/
//!                |
//!           box_io   reading          registers for one operation; a counter read without the lock
//!                \  /
//!    progress  slot --- open_event    one event on one counter; what it shares with perf's event
//!                |
//!              slots                  the slots of a box
//!             /    \
//!       filters    overflow           filter registers; interrupts, polling and intervals
//!          |          |
//!       readback      |               register bits that verification can compare
//!          |          |
//!       verify        |               finds registers that other tools have modified
//!             \      /
//!             counters                all counters of the box
//!                |
//!            uncore_box --- reach     the lock, and whether the box is present; reads without it
//! ```
//!
//! A file imports only from files above it. A reader who wants to know how events are counted can
//! skip `modified`, `readback` and `verify`.
//!
//! A read of perf passes `linux/perf/trampoline`, `pmu`, `reach`, `reading`, `bus` and `linux/msr`.
//! All of them are inlined into one function, and no lock is taken.

pub(crate) mod box_io;
pub(crate) mod bus;
pub(crate) mod count;
pub(crate) mod counters;
pub(crate) mod filters;
pub(crate) mod modified;
pub(crate) mod open_event;
pub(crate) mod overflow;
pub(crate) mod probe;
mod progress;
pub(crate) mod reach;
pub(crate) mod readback;
pub(crate) mod reading;
pub(crate) mod slot;
pub(crate) mod slots;
pub(crate) mod uncore_box;
pub(crate) mod verify;
