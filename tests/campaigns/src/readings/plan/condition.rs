// SPDX-License-Identifier: GPL-2.0

//! Conditions of a real machine beside any reading.

use super::Machine;
use crate::rng::Rng;
use uncore_e2e::prelude::*;

/// Value of a control register whose counter counts event 0, and types of boxes that have this
/// event.
const ENABLE: u32 = 1 << 22;
const CLOCKED: [BoxKind; 4] = [BoxKind::Cbox, BoxKind::Ha, BoxKind::Imc, BoxKind::Pcu];

/// First MSR of a C-Box, and distance to that of the next one.
const CBOXES: [(Platform, u32, u32); 2] =
    [(Platform::Ivbep, 0xd04, 0x20), (Platform::Bdx, 0xe00, 0x10)];

/// Something that a real machine may do beside any reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Condition {
    /// Commands of the machine before the driver is loaded, and after it.
    pub(in super::super) begins: Vec<String>,
    pub(in super::super) ends: Vec<String>,
    /// Name of the box that is missing by it, and its package.
    pub(in super::super) lacks: Option<(String, u8)>,
}

/// Returns a condition, often none.
pub(super) fn condition(rng: &mut Rng, machine: &Machine) -> Condition {
    let package = *rng.pick(&machine.shape.packages());
    let boxes = machine.shape.pmus();
    // A reading may have moved another box to the function of one.
    let has = |&(kind, instance): &(BoxKind, u8)| {
        let needs = kind.function(instance).is_some();
        let function = Function::on(&machine.config, package, kind, instance);
        machine.shape.has(kind, instance, package) && (!needs || function.is_some())
    };
    let boxes: Vec<(BoxKind, u8)> = boxes.into_iter().filter(has).collect();
    let &(kind, instance) = rng.pick(&boxes);
    let name = kind.box_name(instance);
    let lacks = Some((name.clone(), package));
    let found = match rng.below(10) {
        0 => hidden(machine, kind, instance, package)
            .map(|condition| Condition { lacks, ..condition }),
        1 => faulting(kind, instance, package).map(|condition| Condition { lacks, ..condition }),
        2 => Some(Condition {
            begins: vec![format!("lock {package} {name}")],
            ends: vec![format!("unlock {package} {name}")],
            lacks,
        }),
        3 if is_clocked(kind) => Some(Condition {
            begins: vec![format!("firmware {package} {name} 0 {ENABLE:#x}")],
            ends: vec!["firmware off".to_owned()],
            lacks: None,
        }),
        4..=7 if Platform::interrupts() => Some(interrupts(rng)),
        _ => None,
    };
    found.unwrap_or_default()
}

/// Tells if event 0 of a box counts its clock, and [`ENABLE`] starts it.
fn is_clocked(kind: BoxKind) -> bool {
    let facts = Catalogue::get().facts(kind, false, 0);
    CLOCKED.contains(&kind) && facts.is_some_and(|facts| facts.clock)
}

/// Returns a box whose PCI function firmware hides.
fn hidden(machine: &Machine, kind: BoxKind, instance: u8, package: u8) -> Option<Condition> {
    let function = Function::on(&machine.config, package, kind, instance)?;
    Some(Condition {
        begins: vec![format!("hide {function}")],
        ends: vec![format!("show {function}")],
        lacks: None,
    })
}

/// Returns a C-Box one of whose registers faults.
fn faulting(kind: BoxKind, instance: u8, package: u8) -> Option<Condition> {
    let platform = Platform::current();
    let found = CBOXES.into_iter().find(|(of, ..)| *of == platform);
    let (_, first, distance) = found.filter(|_| kind == BoxKind::Cbox)?;
    let msr = first + distance * u32::from(instance);
    Some(Condition {
        begins: vec![format!("fail-msr {package} {msr:#x}")],
        ends: vec![format!("heal-msr {package} {msr:#x}")],
        lacks: None,
    })
}

/// Returns something that becomes of interrupts.
fn interrupts(rng: &mut Rng) -> Condition {
    const WORDS: [(&str, &str); 7] = [
        ("pmi drop", "pmi normal"),
        ("pmi drop 1/3", "pmi normal"),
        ("pmi delay 100", "pmi normal"),
        ("pmi delay clear", "pmi normal"),
        ("pmi repeat", "pmi normal"),
        ("pmi repeat unmask", "pmi normal"),
        ("freeze-delay 400 100", "freeze-delay 16"),
    ];
    let (begins, ends) = *rng.pick(&WORDS);
    Condition {
        begins: vec![begins.to_owned()],
        ends: vec![ends.to_owned()],
        lacks: None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{readings, usual};
    use super::*;

    #[test]
    fn a_hidden_function_is_where_the_readings_have_it() {
        let begins = |readings: Vec<_>, kind, instance| {
            let machine = Machine::new(usual(), readings);
            hidden(&machine, kind, instance, 0).map(|condition| condition.begins)
        };
        let moved = || {
            let all = readings().into_iter();
            all.filter(|reading| reading.name == "U-40:b").collect()
        };
        let hides = |place: &str| Some(vec![format!("hide {place}")]);
        assert_eq!(begins(Vec::new(), BoxKind::Ha, 1), hides("7f:1c.1"));
        assert_eq!(begins(moved(), BoxKind::Ha, 1), hides("7f:1e.1"));
        assert_eq!(begins(moved(), BoxKind::Imc, 7), None);
    }

    #[test]
    fn a_condition_is_of_a_box_that_the_machine_has() {
        let moved = readings().into_iter();
        let moved = moved.filter(|reading| reading.name == "U-40:b").collect();
        let machine = Machine::new(usual(), moved);
        let mut hidden = Vec::new();
        for run in 0..2000 {
            let condition = condition(&mut Rng::of_case(1, run), &machine);
            for command in &condition.begins {
                assert!(!command.contains("imc_7"), "{command}");
                if let Some(function) = command.strip_prefix("hide ") {
                    hidden.push((function.to_owned(), condition.lacks.clone()));
                }
            }
        }
        let lacks = |box_name: &str| Some((box_name.to_owned(), 0));
        assert!(hidden.contains(&("7f:1e.1".to_owned(), lacks("ha_1"))));
        assert!(hidden.iter().all(|(function, _)| function != "7f:1c.1"));
    }
}
