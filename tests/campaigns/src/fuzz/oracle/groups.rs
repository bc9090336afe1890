// SPDX-License-Identifier: GPL-2.0

//! Events that can count at the same time: every assignment to counters is tried.

use super::event::Asked;
use super::reason::Reason;
use uncore_e2e::prelude::*;

/// Returns the reasons to refuse all of these events together on one PMU, in this order.
pub(super) fn objections(group: &[&Asked]) -> Vec<Reason> {
    let wrong = [
        (!fits(group), Reason::Counters),
        (conflicts(group), Reason::Conflict),
        (lacks_occupancy(group), Reason::NoOccupancy),
    ];
    let wrong = wrong.into_iter().filter(|(wrong, _)| *wrong);
    wrong.map(|(_, reason)| reason).collect()
}

/// Returns whether the events fit. Each set of an IRP has its own counters, and a fixed
/// counter counts one event, but one that always runs counts any number of them.
fn fits(group: &[&Asked]) -> bool {
    let controlled = group.iter().filter(|asked| !asked.running);
    let mut fixed: Vec<u64> = controlled.filter_map(|asked| asked.fixed()).collect();
    let all = fixed.len();
    fixed.sort_unstable();
    fixed.dedup();
    let general = |asked: &&&Asked| asked.fixed().is_none();
    let of_set = |set: u8| {
        let general = group.iter().filter(general);
        let of_set = general.filter(|asked| asked.kind != BoxKind::Irp || asked.instance == set);
        of_set.map(|asked| asked.counters()).collect::<Vec<u8>>()
    };
    fixed.len() == all && placed(&of_set(0), 0) && placed(&of_set(1), 0)
}

/// Returns whether each event finds a counter of its own; bit k is counter k.
fn placed(events: &[u8], taken: u8) -> bool {
    let [able, rest @ ..] = events else {
        return true;
    };
    let free = (0..8).map(|counter| 1 << counter);
    free.filter(|counter| able & !taken & counter != 0)
        .any(|counter| placed(rest, taken | counter))
}

fn conflicts(group: &[&Asked]) -> bool {
    let counted = group.iter().filter(|asked| asked.fixed().is_none());
    let probes: Vec<Probe> = counted
        .map(|asked| Probe::raw(asked.kind, asked.instance, asked.setting))
        .collect();
    let pair = |(index, probe): (usize, &Probe)| {
        let others = &probes[..index];
        others.iter().any(|other| !probe.filters_agree(other))
    };
    probes.iter().enumerate().any(pair)
}

fn lacks_occupancy(group: &[&Asked]) -> bool {
    let first_view = group.iter().position(|asked| asked.is_view());
    let ahead = |view| group[..view].iter().any(|asked| asked.is_viewed());
    first_view.is_some_and(|view| !ahead(view))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_are_tried() {
        assert!(placed(&[0b1111, 0b0011, 0b0001], 0));
        assert!(placed(&[0b0011, 0b0001], 0));
        assert!(!placed(&[0b0011, 0b0001, 0b0010], 0));
        assert!(!placed(&[0], 0));
    }
}
