// SPDX-License-Identifier: GPL-2.0

//! The cost of the guest's work: the instructions of all processors, by their
//! addresses, and the accesses to the uncore.
//!
//! A guest program sets a marker before and after some work; the cost is the
//! difference of the last two markers. Other programs that run meanwhile are
//! counted, too. So is the longest section with interrupts off that ends meanwhile.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

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
pub(crate) type Accesses = [u64; 6];

/// The counts from one moment to another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    instructions: Instructions,
    accesses: Accesses,
}

impl Cost {
    pub(crate) fn new(instructions: Instructions, accesses: Accesses) -> Self {
        Self {
            instructions,
            accesses,
        }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        self.with(other, u64::wrapping_add)
    }

    pub(crate) fn since(self, earlier: Self) -> Self {
        self.with(earlier, u64::wrapping_sub)
    }

    fn with(self, other: Self, join: fn(u64, u64) -> u64) -> Self {
        fn each<const N: usize>(a: [u64; N], b: [u64; N], join: fn(u64, u64) -> u64) -> [u64; N] {
            std::array::from_fn(|index| join(a[index], b[index]))
        }
        Self {
            instructions: each(self.instructions, other.instructions, join),
            accesses: each(self.accesses, other.accesses, join),
        }
    }

    pub(crate) fn all_instructions(self) -> u64 {
        self.instructions.iter().sum()
    }

    fn all_accesses(self) -> u64 {
        self.accesses.iter().sum()
    }
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

/// The accesses of a processor so far.
#[derive(Debug, Default)]
pub(crate) struct AccessCounts([AtomicU64; 6]);

impl AccessCounts {
    pub(crate) fn add(&self, access: Access) {
        self.0[access as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn counts(&self) -> Accesses {
        self.0.each_ref().map(|count| count.load(Ordering::Relaxed))
    }
}

/// The most accesses of a section with interrupts off, and the most instructions of one that
/// accesses the uncore.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Longest {
    accesses: u64,
    instructions: u64,
}

impl Longest {
    fn include(&mut self, section: Cost) {
        if section.all_accesses() > 0 {
            self.accesses = self.accesses.max(section.all_accesses());
            self.instructions = self.instructions.max(section.all_instructions());
        }
    }
}

/// The counts at the last two markers.
#[derive(Debug, Default)]
pub(crate) struct Meter(Mutex<Marks>);

#[derive(Debug, Default)]
struct Marks {
    costs: [Cost; 2],
    /// Sections that ended between the last two markers, and since the last one.
    longest: [Longest; 2],
}

impl Meter {
    /// A section with interrupts off has ended.
    pub(crate) fn ended(&self, section: Cost) {
        self.marks().longest[1].include(section);
    }

    /// The guest sets a marker; the cost of all processors so far.
    pub(crate) fn mark(&self, now: Cost) {
        let mut marks = self.marks();
        marks.costs = [marks.costs[1], now];
        marks.longest = [marks.longest[1], Longest::default()];
    }

    /// Returns the report on what was between the last two markers.
    pub(crate) fn report(&self) -> String {
        let marks = self.marks();
        let [from, to] = marks.costs;
        let Longest {
            accesses,
            instructions,
        } = marks.longest[0];
        let cost = to.since(from);
        format!("{cost}, section-accesses {accesses}, section-instructions {instructions}")
    }

    fn marks(&self) -> MutexGuard<'_, Marks> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
        let accesses = AccessCounts::default();
        let mark = |instructions| meter.mark(Cost::new(instructions, accesses.counts()));
        accesses.add(Access::ReadMsr);
        mark([1, 2, 3]);
        mark([10, 20, 30]);
        accesses.add(Access::WriteMsr);
        accesses.add(Access::ReadPort);
        accesses.add(Access::ReadPort);
        accesses.add(Access::WriteMemory);
        mark([10, 21, 33]);
        accesses.add(Access::WritePort);
        assert_eq!(
            meter.report(),
            "user 0, kernel 1, module 3, rdmsr 0, wrmsr 1, port-read 2, port-write 0, \
             memory-read 0, memory-write 1, section-accesses 0, section-instructions 0"
        );
    }

    #[test]
    fn the_longest_section_is_one_between_the_markers_with_an_access() {
        let meter = Meter::default();
        let ended = |instructions, accesses| {
            meter.ended(Cost::new([0, instructions, 1], [accesses, 0, 0, 0, 0, 0]));
        };
        ended(99, 99);
        meter.mark(Cost::default());
        for (instructions, accesses) in [(10, 3), (20, 1), (30, 0)] {
            ended(instructions, accesses);
        }
        meter.mark(Cost::default());
        ended(99, 99);
        let report = meter.report();
        let wanted = ", section-accesses 3, section-instructions 21";
        assert!(report.ends_with(wanted), "{report}");
    }
}
