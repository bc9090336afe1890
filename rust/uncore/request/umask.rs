// SPDX-License-Identifier: GPL-2.0

//! Umasks that an event takes, and the filters that they need.

use super::{
    name::EventName,
    reject::faults::UmaskFault, //
};
use crate::uncore::table::box_type::{
    BoxType,
    Event,
    SubEvent,
    Umasks, //
};

/// Checks the umask of an event; returns the filter units that the umask needs, as a bit mask.
pub(crate) fn check(kind: &BoxType, name: &EventName) -> Result<u32, UmaskFault> {
    let EventName { event, umask, .. } = *name;
    match event.umasks {
        Umasks::Zero if umask == 0 => Ok(0),
        Umasks::Zero => Err(UmaskFault::NotTaken),
        _ if umask == 0 => row(event, 0).map_or(Err(UmaskFault::Missing), |row| usable(kind, row)),
        Umasks::Combined => check_combined(kind, event, umask),
        Umasks::Listed => check_listed(kind, event, umask),
        Umasks::ListedWith(added) => check_listed_with(kind, event, umask, added),
    }
}

/// Accepts any combination of sub-events of which each one combines.
fn check_combined(kind: &BoxType, event: &'static Event, umask: u8) -> Result<u32, UmaskFault> {
    // A row without bits stands for the event by itself and is in no combination.
    let contained = || {
        event
            .subevents
            .iter()
            .filter(|row| row.umask != 0 && row.umask & umask == row.umask)
    };
    let covered = contained().fold(0, |covered, row| covered | row.umask);
    let left = umask & !covered;
    let defined = event.subevents.iter().fold(0, |all, row| all | row.umask);
    if left & !defined != 0 {
        return Err(UmaskFault::UnknownBits(left & !defined));
    }
    if left != 0 {
        return Err(UmaskFault::Incomplete(left & left.wrapping_neg()));
    }
    if let Some(row) = contained().find(|row| row.excludes & umask != 0) {
        return Err(UmaskFault::Exclusive(row));
    }
    contained().try_fold(0, |filters, row| Ok(filters | usable(kind, row)?))
}

/// Accepts one sub-event.
fn check_listed(kind: &BoxType, event: &'static Event, umask: u8) -> Result<u32, UmaskFault> {
    row(event, umask).map_or(Err(UmaskFault::Unlisted), |row| usable(kind, row))
}

/// Accepts one sub-event, with or without the bits `added`.
fn check_listed_with(
    kind: &BoxType,
    event: &'static Event,
    umask: u8,
    added: u8,
) -> Result<u32, UmaskFault> {
    if let Some(row) = row(event, umask) {
        return usable(kind, row);
    }
    let filters = check_listed(kind, event, umask & !added)?;
    event
        .subevents
        .iter()
        .filter(|row| row.umask & added != 0)
        .try_fold(filters, |filters, row| Ok(filters | usable(kind, row)?))
}

/// The sub-event with this umask.
fn row(event: &'static Event, umask: u8) -> Option<&'static SubEvent> {
    event.subevents.iter().find(|row| row.umask == umask)
}

/// The filter units of a sub-event; refuses one that could only count nothing.
fn usable(kind: &BoxType, row: &'static SubEvent) -> Result<u32, UmaskFault> {
    if row.unusable {
        return Err(UmaskFault::Unusable(row, kind.unusable));
    }
    Ok(row.filters.into())
}
