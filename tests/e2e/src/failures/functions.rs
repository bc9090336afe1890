// SPDX-License-Identifier: GPL-2.0

//! All PCI functions of boxes and of their filters (hardware/ivbep.md, section 1).

use super::{instances, Came, Failure, Loss, Moment, Part, PACKAGE};
use crate::catalogue::BoxKind;
use crate::fixture::Function;

/// Each function of package 1.
pub(super) fn all() -> impl Iterator<Item = Failure> {
    let boxes = BoxKind::ALL.into_iter().flat_map(|kind| {
        let functions = instances(kind).filter_map(move |instance| {
            let function = Function::of(PACKAGE.into(), kind, instance)?;
            Some((kind, instance, Loss::Box, function))
        });
        let mut functions: Vec<_> = functions.collect();
        // The sets of the IRP are in one.
        functions.dedup_by_key(|(.., function)| *function);
        functions
    });
    let filters = instances(BoxKind::Qpi).filter_map(|port| {
        let function = Function::of_filters(PACKAGE.into(), port)?;
        Some((BoxKind::Qpi, port, Loss::Filters, function))
    });
    boxes.chain(filters).map(failure)
}

fn failure((kind, instance, loss, function): (BoxKind, u8, Loss, Function)) -> Failure {
    let role = match loss {
        Loss::Box => "function",
        Loss::Filters => "filter function",
    };
    Failure {
        part: Part::Functions,
        kind,
        instance,
        role,
        which: format!("{role} {function}"),
        loss,
        fails: format!("hide {function}"),
        heals: format!("show {function}"),
        function: Some(function),
        may: vec![
            (Moment::Before, &[Came::Missing]),
            (Moment::Counting, &[Came::Ended]),
            (Moment::Removed, &[Came::Returned]),
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
