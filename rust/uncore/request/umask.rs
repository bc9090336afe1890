// SPDX-License-Identifier: GPL-2.0

//! Umasks that an event takes, and the filters that they need.

use super::{
    name::EventName,
    reject::faults::UmaskFault, //
};
use crate::uncore::table::box_type::{
    Event,
    Umasks, //
};

/// Checks the umask of an event; returns the filter units that the umask needs, as a bit mask.
pub(crate) fn check(name: &EventName) -> Result<u32, UmaskFault> {
    let EventName { event, umask, .. } = *name;
    match event.umasks {
        Umasks::Zero if umask == 0 => Ok(0),
        Umasks::Zero => Err(UmaskFault::NotTaken),
        _ if umask == 0 => filters(event, 0).ok_or(UmaskFault::Missing),
        Umasks::Combined => check_combined(event, umask),
        Umasks::Listed => check_listed(event, umask),
        Umasks::ListedWith(added) => check_listed_with(event, umask, added),
    }
}

/// Accepts any combination of sub-events of which each one combines.
fn check_combined(event: &'static Event, umask: u8) -> Result<u32, UmaskFault> {
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
    Ok(contained().fold(0, |filters, row| filters | u32::from(row.filters)))
}

/// Accepts one sub-event.
fn check_listed(event: &'static Event, umask: u8) -> Result<u32, UmaskFault> {
    filters(event, umask).ok_or(UmaskFault::Unlisted)
}

/// Accepts one sub-event, with or without the bits `added`.
fn check_listed_with(event: &'static Event, umask: u8, added: u8) -> Result<u32, UmaskFault> {
    if let Some(filters) = filters(event, umask) {
        return Ok(filters);
    }
    let filters = check_listed(event, umask & !added)?;
    let adding = event.subevents.iter().filter(|row| row.umask & added != 0);
    Ok(adding.fold(filters, |filters, row| filters | u32::from(row.filters)))
}

/// The filter units of the sub-event with this umask.
fn filters(event: &Event, umask: u8) -> Option<u32> {
    let row = event.subevents.iter().find(|row| row.umask == umask)?;
    Some(row.filters.into())
}
