// SPDX-License-Identifier: GPL-2.0

//! Rules of the hardware that software can break, and the ledger of who broke them.
//!
//! A violation is recorded, never fatal, and recorded again each time, so that the
//! list can be read from where a reader left off. Limit: [`CAPACITY`] entries until
//! the list is cleared.

use std::collections::HashMap;
use std::fmt;

/// Largest number of violations kept; this many are enough to find a mistake.
const CAPACITY: usize = 1 << 16;

/// A rule of the spec; the text is what a failing test prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// A bit marked "0!" was written 1.
    MustBeZero,
    /// A bit marked "1!" was written 0.
    MustBeOne,
    /// A reserved bit was written 1.
    Reserved,
    /// A read-only register was written.
    ReadOnly,
    /// The upper half of a write to a 32-bit MSR is not zero.
    HighHalf,
    /// A counter was written with bits above its width.
    CounterWidth,
    /// A register that the spec does not list was accessed.
    Undocumented,
    /// An MSR of a box the package does not have was accessed.
    NoSuchBox,
    /// Configuration space was accessed in a way the hardware has not.
    BadAccess,
    /// A PMON register was written in less than 32 bits.
    NarrowWrite,
    /// Edge detection or inversion was enabled with thresh 0.
    NoThreshold,
    /// `occ_edge_det` or `occ_invert` on an event that uses no occupancy.
    OccupancyOnly,
    /// An event select outside the catalogue was enabled.
    UnknownEvent,
    /// An umask outside the catalogue was enabled.
    UnknownUmask,
    /// An event was enabled on a counter that cannot count it.
    WrongCounter,
    /// A control register was written once where it must be written twice.
    WrittenOnce,
    /// A counter was enabled that its own reset bit holds at 0.
    HeldInReset,
    /// Both reset bits were set at once where that faults.
    ResetAtOnce,
    /// A match register was written while its enable bit was set.
    Guarded,
    /// `COUNTER0_OCCUPANCY` counted without an occupancy event on counter 0.
    NoOccupancy,
    /// Memory was accessed at registers that are turned off there.
    NotInMemory,
}

impl Rule {
    /// The rule as a sentence with a place for the bits.
    fn sentence(self, bits: u64) -> String {
        match self {
            Self::MustBeZero => format!("bits {bits:#x} must be written 0"),
            Self::MustBeOne => format!("bits {bits:#x} must be written 1"),
            Self::Reserved => format!("reserved bits {bits:#x} written 1"),
            Self::ReadOnly => "written, but read-only".to_owned(),
            Self::HighHalf => format!("32-bit register written with {bits:#x}"),
            Self::CounterWidth => format!("bits {bits:#x} are above the counter's width"),
            Self::Undocumented => "no documented register".to_owned(),
            Self::NoSuchBox => "the package has no such box".to_owned(),
            Self::BadAccess => format!("access of {bits} bytes is misaligned or of a wrong size"),
            Self::NarrowWrite => format!("written in {bits} bytes, needs 4"),
            Self::NoThreshold => "edge detection or inversion with thresh 0".to_owned(),
            Self::OccupancyOnly => format!("bits {bits:#x} are for occupancy events only"),
            Self::UnknownEvent => format!("event {bits:#x} is not in the catalogue"),
            Self::UnknownUmask => format!("umask {bits:#x} is not in the catalogue"),
            Self::WrongCounter => format!("event {bits:#x} cannot be counted by this counter"),
            Self::WrittenOnce => format!("event {bits:#x} was not written without en before"),
            Self::HeldInReset => "enabled, but rst is still 1".to_owned(),
            Self::ResetAtOnce => "both reset bits set at once".to_owned(),
            Self::Guarded => "written while matching is enabled".to_owned(),
            Self::NoOccupancy => {
                "COUNTER0_OCCUPANCY without an occupancy event on counter 0".to_owned()
            }
            Self::NotInMemory => "the host bridge has not enabled this memory".to_owned(),
        }
    }
}

/// A broken rule before it is known in which register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) rule: Rule,
    pub(crate) bits: u64,
}

impl Finding {
    pub(crate) fn new(rule: Rule, bits: impl Into<u64>) -> Self {
        let bits = bits.into();
        Self { rule, bits }
    }

    /// The rule about the upper half of a 32-bit MSR.
    pub(crate) fn of_high_half(value: u64) -> Vec<Self> {
        match value >> 32 {
            0 => Vec::new(),
            _ => vec![Self::new(Rule::HighHalf, value)],
        }
    }
}

/// A rule of the hardware the software broke.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Violation {
    /// Physical package number.
    pub package: u8,
    /// The register, with its box and address.
    pub register: String,
    /// The rule.
    pub rule: Rule,
    /// The bits, event code or size it is about.
    pub bits: u64,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sentence = self.rule.sentence(self.bits);
        write!(f, "package {} {}: {sentence}", self.package, self.register)
    }
}

/// All violations so far, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    violations: Vec<Violation>,
}

impl Ledger {
    pub(crate) fn list(&self) -> &[Violation] {
        &self.violations
    }

    pub(crate) fn clear(&mut self) {
        self.violations.clear();
    }

    /// Records findings in one register; its name is made only if there are any.
    pub(crate) fn record(
        &mut self,
        package: u8,
        findings: &[Finding],
        register: impl Fn() -> String,
    ) {
        let room = CAPACITY.saturating_sub(self.violations.len());
        for finding in findings.iter().take(room) {
            self.violations.push(Violation {
                package,
                register: register(),
                rule: finding.rule,
                bits: finding.bits,
            });
        }
    }

    /// The different violations, oldest first, each with how often it is listed.
    pub(crate) fn summary(&self) -> Vec<(&Violation, u32)> {
        let mut places = HashMap::new();
        let mut summary = Vec::new();
        for violation in &self.violations {
            let place = *places.entry(violation).or_insert(summary.len());
            match summary.get_mut(place) {
                Some((_, times)) => *times += 1,
                None => summary.push((violation, 1)),
            }
        }
        summary
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(ledger: &mut Ledger, bits: u32) {
        let finding = Finding::new(Rule::MustBeOne, bits);
        ledger.record(1, &[finding], || "cbox_0 BOX_CTL (MSR 0xd04)".to_owned());
    }

    #[test]
    fn the_list_has_an_end() {
        let mut ledger = Ledger::default();
        (0..=CAPACITY).for_each(|_| broken(&mut ledger, 1));
        assert_eq!(ledger.list().len(), CAPACITY);
    }
}
