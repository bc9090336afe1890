// SPDX-License-Identifier: GPL-2.0

//! All PCI functions of boxes and of their filters
//! (Documentation/hardware/ivbep.rst, section 1).

use super::{instances, Effect, Failure, Outcome, Part, Phase, PACKAGE};
use uncore_e2e::prelude::*;

/// Returns the faults of each function of package 1.
pub(super) fn all() -> impl Iterator<Item = Failure> {
    let boxes = BoxKind::all().flat_map(|kind| {
        let functions = instances(kind).filter_map(move |instance| {
            let function = Function::of(PACKAGE.into(), kind, instance)?;
            Some((kind, instance, Effect::Box, function))
        });
        let mut functions: Vec<_> = functions.collect();
        // Both sets of the IRP are in one function.
        functions.dedup_by_key(|(.., function)| *function);
        functions
    });
    let filters = instances(BoxKind::Qpi).filter_map(|port| {
        let function = Function::of_filters(PACKAGE.into(), port)?;
        Some((BoxKind::Qpi, port, Effect::Filters, function))
    });
    boxes.chain(filters).map(failure)
}

fn failure((kind, instance, effect, function): (BoxKind, u8, Effect, Function)) -> Failure {
    let role = match effect {
        Effect::Box => "function",
        Effect::Filters => "filter function",
    };
    Failure {
        part: Part::Functions,
        kind,
        instance,
        role,
        which: format!("{role} {function}"),
        effect,
        fails: format!("hide {function}"),
        heals: format!("show {function}"),
        function: Some(function),
        may: vec![
            (Phase::Before, &[Outcome::Missing]),
            (Phase::Counting, &[Outcome::Ended]),
            (Phase::Removed, &[Outcome::Returned]),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_function_is_there_once() {
        let mut all: Vec<String> = all().map(|failure| failure.fails).collect();
        let boxes = 2 + 8 + 1 + 2 + 1 + 2;
        assert_eq!(all.len(), boxes + 2);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), boxes + 2);
    }
}
