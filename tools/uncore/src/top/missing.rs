// SPDX-License-Identifier: GPL-2.0

//! Boxes that a machine lacks, in words.

use uncore_metrics::recording::{Missing, Package};

use super::view::View;

/// Returns the boxes of a part that this socket lacks and others have.
pub(super) fn of_socket(view: &View, socket: u32, part: &str) -> Vec<String> {
    let packages = view.machine.packages.iter();
    let own = packages.filter(|package| package.number == socket);
    let missing = own.flat_map(|package| &package.missing);
    missing
        .filter(|one| view.part_of(&one.boxes) == Some(part) && !is_everywhere(view, one))
        .map(|one| format!("{} missing: {}", one.boxes, one.reason))
        .collect()
}

/// Returns the boxes that all sockets lack, of those that have rows.
pub(super) fn everywhere(view: &View) -> Vec<String> {
    let first = view.machine.packages.first().into_iter();
    let missing = first.flat_map(|package| &package.missing);
    missing
        .filter(|one| view.part_of(&one.boxes).is_some() && is_everywhere(view, one))
        .map(nowhere)
        .collect()
}

/// Returns whether a socket lacks what others have, of the boxes that have rows.
pub(super) fn has_gaps(view: &View) -> bool {
    let packages = view.machine.packages.iter();
    let mut missing = packages.flat_map(|package| &package.missing);
    missing.any(|one| view.part_of(&one.boxes).is_some() && !is_everywhere(view, one))
}

/// Returns all that [`of_socket`] leaves out.
pub(super) fn all_others(view: &View) -> Vec<String> {
    let mut texts = Vec::new();
    for Package {
        number, missing, ..
    } in &view.machine.packages
    {
        for one in missing {
            let text = if is_everywhere(view, one) {
                nowhere(one)
            } else if view.part_of(&one.boxes).is_some() {
                continue;
            } else {
                format!("socket {number} has no {}: {}", one.boxes, one.reason)
            };
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
    }
    texts
}

/// Says that all sockets lack boxes.
fn nowhere(missing: &Missing) -> String {
    format!("no socket has {}: {}", missing.boxes, missing.reason)
}

/// Returns whether all of several sockets lack it for the same reason.
fn is_everywhere(view: &View, missing: &Missing) -> bool {
    let packages = &view.machine.packages;
    let mut lists = packages.iter().map(|package| &package.missing);
    packages.len() > 1 && lists.all(|list| list.contains(missing))
}
