// SPDX-License-Identifier: GPL-2.0

//! How the overflows of a package are noticed, and why so, in words.

use crate::linux::topology::Cpu;
use kernel::{
    fmt,
    prelude::*, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

/// What the user wants, as the parameter `overflow` says it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Choice {
    /// Interrupts where a trial shows that they come, else polling.
    Auto,
    /// Interrupts, whatever the trial shows.
    Interrupt,
    /// Polling.
    Poll,
}

impl Choice {
    /// The choice with this name.
    pub(in super::super) fn of(text: &[u8]) -> Option<Self> {
        match text {
            b"auto" => Some(Choice::Auto),
            b"pmi" => Some(Choice::Interrupt),
            b"poll" => Some(Choice::Poll),
            _ => None,
        }
    }

    /// Whether counters may interrupt.
    pub(in super::super) fn may_interrupt(self) -> bool {
        self != Choice::Poll
    }
}

/// How the overflows of a package are noticed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Mode {
    /// An interrupt to this CPU tells.
    Interrupt(Cpu, Way),
    /// Counters are read often enough.
    Poll(Why),
}

/// Which bit of the core select has a CPU interrupted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) struct Way {
    /// The bit.
    pub(super) bit: u8,
    /// Whether it has been seen to work, or is assumed to be the core's number.
    pub(super) tried: bool,
}

/// Why counters are polled that could interrupt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Why {
    /// The user wants it so.
    Chosen,
    /// The platform has no counter to try it with.
    Impossible,
    /// No CPU of the package is online.
    Offline,
    /// The registers for it cannot be accessed.
    Unreachable,
    /// The counter that was tried does not count.
    Still,
    /// It counted and did not overflow when it should.
    NoOverflow,
    /// It overflowed and nobody was interrupted.
    Unheard,
    /// Other CPUs were interrupted, and no bit stands for this one.
    NoBit,
    /// Interrupts failed to come again and again.
    Missed,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::Chosen => "chosen with overflow=poll",
            Why::Impossible => "there is no counter to try interrupts with",
            Why::Offline => "no CPU of the package is online",
            Why::Unreachable => "the registers for interrupts cannot be accessed",
            Why::Still => "the counter to try interrupts with does not count",
            Why::NoOverflow => "the counter to try interrupts with did not overflow",
            Why::Unheard => "an overflow interrupted no CPU",
            Why::NoBit => "no bit of the core select stands for the CPU that counts",
            Why::Missed => "interrupts failed to come again and again",
        })
    }
}

/// As log and `overflow` in debugfs have it.
impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mode::Interrupt(cpu, Way { bit, tried }) => {
                let how = match tried {
                    true => "tried",
                    false => "not tried",
                };
                f.write_fmt(fmt!(
                    "pmi: core select bit {bit} interrupts CPU {cpu} ({how})"
                ))
            }
            Mode::Poll(why) => f.write_fmt(fmt!("poll: {why}")),
        }
    }
}
