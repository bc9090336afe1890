// SPDX-License-Identifier: GPL-2.0

//! Events that can count at the same time: every assignment to counters is tried.

use super::event::Asked;
use super::reason::Reason;
use super::request::{Composition, Request};
use std::borrow::Borrow;
use uncore_e2e::{fixture::pack::all_placed, prelude::*};

/// Events of a memory controller, whose counters always run, that count at once beside one of each
/// counter.
const SPARE_OF_MEMORY: usize = 8;

/// Returns the reasons to refuse all of these events together on one PMU, in this order.
pub(super) fn objections(group: &[&Request]) -> Vec<Reason> {
    let listed: Vec<&Asked> = group.iter().filter_map(|one| one.listed()).collect();
    let composed: Vec<&Composition> = group.iter().filter_map(|one| one.composed()).collect();
    let composed_fit = all_placed(composed.iter().map(|one| one.counters()));
    let fit = fits(&listed) && composed_fit && fits_memory(group);
    let wrong = [
        (!fit, Reason::Counters),
        (
            conflicts(&listed) || any_pair(&composed, Composition::conflicts),
            Reason::Conflict,
        ),
        (lacks_occupancy(&listed), Reason::NoOccupancy),
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
    let of_set_fit = |set: u8| {
        let general = group.iter().filter(general);
        let of_set = general.filter(|asked| asked.kind != BoxKind::Irp || asked.instance == set);
        all_placed(of_set.map(|asked| asked.counters()))
    };
    fixed.len() == all && of_set_fit(0) && of_set_fit(1)
}

/// Returns whether events of a memory controller fit: each counter keeps room for one.
fn fits_memory(group: &[&Request]) -> bool {
    let mut codes: Vec<u64> = group
        .iter()
        .filter_map(|one| one.code_of_memory())
        .collect();
    let all = codes.len();
    codes.sort_unstable();
    codes.dedup();
    all - codes.len() <= SPARE_OF_MEMORY
}

fn conflicts(group: &[&Asked]) -> bool {
    let counted = group.iter().filter(|asked| asked.fixed().is_none());
    let probes: Vec<Probe> = counted
        .map(|asked| Probe::raw(asked.kind, asked.instance, asked.setting))
        .collect();
    any_pair(&probes, |probe, other| !probe.filters_agree(other))
}

/// Returns whether something is true of two of them.
fn any_pair<T: Borrow<U>, U>(all: &[T], is_true: impl Fn(&U, &U) -> bool) -> bool {
    let with_earlier = |(index, one): (usize, &T)| {
        let mut earlier = all[..index].iter();
        earlier.any(|other| is_true(one.borrow(), other.borrow()))
    };
    all.iter().enumerate().any(with_earlier)
}

fn lacks_occupancy(group: &[&Asked]) -> bool {
    let first_view = group.iter().position(|asked| asked.is_view());
    let ahead = |view| group[..view].iter().any(|asked| asked.is_viewed());
    first_view.is_some_and(|view| !ahead(view))
}
