// SPDX-License-Identifier: GPL-2.0

//! All registers in MSRs, from the specification's tables
//! (Documentation/hardware/ivbep.rst, sections 3, 7.1, 7.2 and 7.6).

use super::{instances, Effect, Failure, Outcome, Part, Phase, PACKAGE};
use uncore_e2e::catalogue::BoxKind;

/// Role of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Selects the event of a counter.
    Control,
    Counter,
    /// Restricts an event to a part of what it counts.
    Filter,
    /// Freezes and resets the box.
    BoxControl,
    /// Holds the overflow bits of the counters.
    BoxStatus,
    /// Package-wide register: freeze, overflows, the number of C-Boxes.
    Global,
    /// Residency of a core: one of the PCU's counters that belong to the cores. No event
    /// here counts it.
    Residency,
}

use Role::{BoxControl, BoxStatus, Control, Counter, Filter, Global, Residency};

/// Registers of a box, relative to its first MSR.
type Block = &'static [(u32, Role, &'static str)];

const UBOX: Block = &[
    (0xc00, Global, "global control"),
    (0xc01, Global, "global status"),
    (0xc06, Global, "global configuration"),
    (0xc08, Control, "fixed control"),
    (0xc09, Counter, "fixed counter"),
    (0xc10, Control, "control 0"),
    (0xc11, Control, "control 1"),
    (0xc15, BoxStatus, "box status"),
    (0xc16, Counter, "counter 0"),
    (0xc17, Counter, "counter 1"),
];

const PCU: Block = &[
    (0x3fc, Residency, "residency C3"),
    (0x3fd, Residency, "residency C6"),
    (0xc24, BoxControl, "box control"),
    (0xc30, Control, "control 0"),
    (0xc31, Control, "control 1"),
    (0xc32, Control, "control 2"),
    (0xc33, Control, "control 3"),
    (0xc34, Filter, "filter"),
    (0xc35, BoxStatus, "box status"),
    (0xc36, Counter, "counter 0"),
    (0xc37, Counter, "counter 1"),
    (0xc38, Counter, "counter 2"),
    (0xc39, Counter, "counter 3"),
];

/// Registers of a C-Box; each C-Box is 0x20 after the one before.
const CBOX: Block = &[
    (0xd04, BoxControl, "box control"),
    (0xd10, Control, "control 0"),
    (0xd11, Control, "control 1"),
    (0xd12, Control, "control 2"),
    (0xd13, Control, "control 3"),
    (0xd14, Filter, "filter 0"),
    (0xd16, Counter, "counter 0"),
    (0xd17, Counter, "counter 1"),
    (0xd18, Counter, "counter 2"),
    (0xd19, Counter, "counter 3"),
    (0xd1a, Filter, "filter 1"),
];
const STRIDE: u32 = 0x20;

/// Returns the faults of each register of package 1.
pub(super) fn all() -> impl Iterator<Item = Failure> {
    let blocks = [
        (BoxKind::Ubox, UBOX),
        (BoxKind::Pcu, PCU),
        (BoxKind::Cbox, CBOX),
    ];
    let of_kind = |(kind, block): (BoxKind, Block)| {
        instances(kind).flat_map(move |instance| {
            let registers = block.iter();
            registers.map(move |&(first, role, name)| {
                let msr = first + STRIDE * u32::from(instance);
                failure(kind, instance, role, msr, name)
            })
        })
    };
    blocks.into_iter().flat_map(of_kind)
}

fn failure(kind: BoxKind, instance: u8, role: Role, msr: u32, name: &str) -> Failure {
    let (role, before, counting) = role.facts();
    Failure {
        part: Part::Registers,
        kind,
        instance,
        role,
        which: format!("{name} {msr:#x}"),
        effect: Effect::Box,
        fails: format!("fail-msr {PACKAGE} {msr:#x}"),
        heals: format!("heal-msr {PACKAGE} {msr:#x}"),
        function: None,
        may: vec![(Phase::Before, before), (Phase::Counting, counting)],
    }
}

impl Role {
    /// Returns the name, and the allowed outcomes of a fault before the driver is loaded
    /// and of a fault while all counters of the box count.
    fn facts(self) -> (&'static str, &'static [Outcome], &'static [Outcome]) {
        let [exact, missing, ended]: [&[Outcome]; 3] =
            [&[Outcome::Exact], &[Outcome::Missing], &[Outcome::Ended]];
        match self {
            Control => ("control", missing, ended),
            Counter => ("counter", missing, ended),
            Filter => ("filter", missing, ended),
            BoxControl => ("box control", missing, ended),
            // Cleared when the driver enables interrupts of the box, and read on an
            // interrupt.
            BoxStatus => ("box status", missing, exact),
            Global => ("global", exact, exact),
            Residency => ("residency", exact, exact),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_register_is_there_twice() {
        let mut all: Vec<String> = all().map(|failure| failure.fails).collect();
        assert_eq!(all.len(), 10 + 13 + 3 * 11);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 10 + 13 + 3 * 11);
        assert!(
            all.contains(&"fail-msr 1 0xd59".to_owned()),
            "C-Box 2's last counter"
        );
    }
}
