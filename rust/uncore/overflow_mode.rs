// SPDX-License-Identifier: GPL-2.0

//! Module parameter `overflow`, the counters that interrupt, and the mode of a package: how the
//! driver notices overflows, and why.

use crate::linux::topology::Cpu;
use kernel::{
    fmt,
    prelude::*, //
};

/// Value of the module parameter `overflow`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OverflowOption {
    /// Interrupts for events with `interval=` if the self-test shows that they work, else polling.
    Auto,
    /// Interrupts for all counters that have them, even if the self-test fails.
    Interrupt,
    /// Polling.
    Poll,
}

impl OverflowOption {
    /// Returns the counters that interrupt if interrupts work.
    pub(crate) fn interrupts(self) -> Interrupts {
        match self {
            OverflowOption::Auto => Interrupts::OfIntervals,
            OverflowOption::Interrupt => Interrupts::All,
            OverflowOption::Poll => Interrupts::Off,
        }
    }
}

/// Counters that interrupt when they overflow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Interrupts {
    /// None.
    Off,
    /// Counters of events with `interval=`.
    OfIntervals,
    /// All that can.
    All,
}

/// Mode of a package: how the driver notices overflows of counters that can interrupt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// An overflow interrupts this CPU.
    Interrupt(Cpu, PmiRoute),
    /// A timer reads the counters before they can wrap twice.
    Poll(PollReason),
}

/// Bit of the core select that routes PMIs to a CPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PmiRoute {
    pub(crate) bit: u8,
    /// The self-test has shown that the bit works. Otherwise it is assumed to be the core's number.
    pub(crate) tested: bool,
}

/// Reason to poll counters that could interrupt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PollReason {
    /// The user has chosen polling.
    Chosen,
    /// No event that interrupts counts.
    Unneeded,
    /// Interrupts have frozen the package for too long: they go on after a while.
    Frozen,
    /// The platform has no counter for the self-test.
    Impossible,
    /// No CPU of the package is online.
    Offline,
    /// The registers for interrupts cannot be accessed.
    Unreachable,
    /// The counter of the self-test does not count.
    Still,
    /// The counter of the self-test counted and did not overflow.
    NoOverflow,
    /// The counter of the self-test overflowed and interrupted no CPU.
    Unheard,
    /// Overflows interrupted other CPUs, and no bit stands for the designated CPU.
    NoBit,
    /// The interrupt is being tested.
    Untested,
    /// The counter of the self-test belongs to an event.
    InUse,
    /// Only some overflows of the self-test interrupted the CPU.
    Unreliable,
    /// Overflows of the self-test interrupted CPUs though none was selected.
    Unselected,
    /// Too many overflows came without an interrupt.
    Missed,
}

impl fmt::Display for PollReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PollReason::Chosen => "chosen with overflow=poll",
            PollReason::Unneeded => "no running event needs interrupts",
            PollReason::Frozen => "interrupts froze the counters for too long, and go on soon",
            PollReason::Impossible => "the platform has no counter for the self-test",
            PollReason::Offline => "no CPU of the package is online",
            PollReason::Unreachable => "the registers for interrupts cannot be accessed",
            PollReason::Still => "the counter of the self-test does not count",
            PollReason::NoOverflow => "the counter of the self-test did not overflow",
            PollReason::Unheard => "an overflow interrupted no CPU",
            PollReason::NoBit => "no bit of the core select interrupts the CPU that counts",
            PollReason::Untested => "they are being tested: open the event again in a moment",
            PollReason::InUse => "the counter of the self-test belongs to an event",
            PollReason::Unreliable => "only some overflows interrupted the CPU",
            PollReason::Unselected => "overflows interrupted CPUs though none was selected",
            PollReason::Missed => "too many overflows came without an interrupt",
        })
    }
}

/// Prints the mode as the kernel log, `caps/overflow` and `overflow` in debugfs show it.
impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mode::Interrupt(cpu, PmiRoute { bit, tested }) => {
                let result = if *tested { "tested" } else { "not tested" };
                f.write_fmt(fmt!(
                    "pmi: core select bit {bit} interrupts CPU {cpu} ({result})"
                ))
            }
            Mode::Poll(reason) => f.write_fmt(fmt!("poll: {reason}")),
        }
    }
}
