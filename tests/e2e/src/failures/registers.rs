// SPDX-License-Identifier: GPL-2.0

//! All registers in MSRs, from the specification's tables (hardware/ivbep.md, sections 3,
//! 7.1, 7.2 and 7.6).

use super::{instances, Came, Failure, Loss, Moment, Part, PACKAGE};
use crate::catalogue::BoxKind;

/// What a register is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Says what a counter counts.
    Control,
    Counter,
    /// Says of what an event counts only a part.
    Filter,
    /// Freezes and resets the box.
    BoxControl,
    /// Says which counters have overflowed.
    BoxStatus,
    /// Those of the package: freeze, overflows, the number of C-Boxes.
    Global,
    /// How long a core was in a state: counters of the PCU's that belong to the cores, and
    /// that no event here counts.
    Residency,
}

use Role::{BoxControl, BoxStatus, Control, Counter, Filter, Global, Residency};

/// The registers of a box, from its first MSR.
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

/// Each C-Box is 0x20 after the one before.
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

/// Each register of package 1.
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
        loss: Loss::Box,
        fails: format!("fail-msr {PACKAGE} {msr:#x}"),
        heals: format!("heal-msr {PACKAGE} {msr:#x}"),
        function: None,
        may: vec![(Moment::Before, before), (Moment::Counting, counting)],
    }
}

impl Role {
    /// Its name, and what may come if it fails before the driver is loaded, and while all
    /// counters of the box count.
    fn facts(self) -> (&'static str, &'static [Came], &'static [Came]) {
        let [exact, missing, ended]: [&[Came]; 3] =
            [&[Came::Exact], &[Came::Missing], &[Came::Ended]];
        match self {
            Control => ("control", missing, ended),
            Counter => ("counter", missing, ended),
            Filter => ("filter", missing, ended),
            BoxControl => ("box control", missing, ended),
            // It is cleared as the driver has the box interrupt, and read when it does.
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
