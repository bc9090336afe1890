// SPDX-License-Identifier: GPL-2.0

//! The cost of the guest's work: the instructions of all processors, by their
//! addresses, and the accesses to the uncore.
//!
//! A guest program sets a marker before and after some work; the cost is the
//! difference of the last two markers. Other programs that run meanwhile are
//! counted, too.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The kernel's half of the address space.
const KERNEL: u64 = 0xffff_8000_0000_0000;
/// Address range of modules, without KASLR; the kernel's own text ends before.
const MODULES: Range<u64> = 0xffff_ffff_a000_0000..0xffff_ffff_ff00_0000;

/// The part of the address space that an instruction is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    User,
    Kernel,
    Module,
}

impl Place {
    /// All of them, in the order of their discriminants.
    pub(crate) const ALL: [Self; 3] = [Self::User, Self::Kernel, Self::Module];

    pub(crate) fn of(address: u64) -> Self {
        if address < KERNEL {
            Self::User
        } else if MODULES.contains(&address) {
            Self::Module
        } else {
            Self::Kernel
        }
    }
}

/// Numbers of instructions, by place.
pub(crate) type Instructions = [u64; Place::ALL.len()];

/// An access to a register of the uncore.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Access {
    ReadMsr,
    WriteMsr,
    ReadPort,
    WritePort,
    ReadMemory,
    WriteMemory,
}

/// Numbers of accesses, by kind.
type Accesses = [u64; 6];

/// The counts from one moment to another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    instructions: Instructions,
    accesses: Accesses,
}

impl Cost {
    fn since(self, earlier: Self) -> Self {
        Self {
            instructions: difference(self.instructions, earlier.instructions),
            accesses: difference(self.accesses, earlier.accesses),
        }
    }
}

fn difference<const N: usize>(later: [u64; N], earlier: [u64; N]) -> [u64; N] {
    std::array::from_fn(|index| later[index].wrapping_sub(earlier[index]))
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [user, kernel, module] = self.instructions;
        let [read_msr, write_msr, read_port, write_port, read_memory, write_memory] = self.accesses;
        write!(
            f,
            "user {user}, kernel {kernel}, module {module}, rdmsr {read_msr}, wrmsr {write_msr}, \
             port-read {read_port}, port-write {write_port}, memory-read {read_memory}, \
             memory-write {write_memory}"
        )
    }
}

/// The accesses so far, and the counts at the last two markers.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    accesses: [AtomicU64; 6],
    marks: Mutex<[Cost; 2]>,
}

impl Meter {
    pub(crate) fn accessed(&self, access: Access) {
        self.accesses[access as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// The guest sets a marker; all instructions so far.
    pub(crate) fn mark(&self, instructions: Instructions) -> u64 {
        let now = Cost {
            instructions,
            accesses: std::array::from_fn(|kind| self.accesses[kind].load(Ordering::Relaxed)),
        };
        let mut marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        *marks = [marks[1], now];
        instructions.iter().sum()
    }

    /// Returns the cost between the last two markers.
    pub(crate) fn cost(&self) -> Cost {
        let [from, to] = *self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        to.since(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_apart_by_their_ends() {
        for (address, place) in [
            (0, Place::User),
            (0x7fff_ffff_ffff, Place::User),
            (KERNEL, Place::Kernel),
            (MODULES.start - 1, Place::Kernel),
            (MODULES.start, Place::Module),
            (MODULES.end - 1, Place::Module),
            (MODULES.end, Place::Kernel),
        ] {
            assert_eq!(Place::of(address), place, "{address:#x}");
        }
        for (number, place) in Place::ALL.into_iter().enumerate() {
            assert_eq!(place as usize, number);
        }
    }

    #[test]
    fn the_cost_lies_between_the_last_two_markers() {
        let meter = Meter::default();
        meter.accessed(Access::ReadMsr);
        meter.mark([1, 2, 3]);
        meter.mark([10, 20, 30]);
        meter.accessed(Access::WriteMsr);
        meter.accessed(Access::ReadPort);
        meter.accessed(Access::ReadPort);
        meter.accessed(Access::WriteMemory);
        assert_eq!(meter.mark([10, 21, 33]), 64);
        meter.accessed(Access::WritePort);
        assert_eq!(
            meter.cost().to_string(),
            "user 0, kernel 1, module 3, rdmsr 0, wrmsr 1, port-read 2, port-write 0, \
             memory-read 0, memory-write 1"
        );
    }
}
