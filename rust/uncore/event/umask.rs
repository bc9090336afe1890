// SPDX-License-Identifier: GPL-2.0

//! What may be in the umask of an event, and which filters that needs: reasons 8 and 9.

use super::super::{
    box_type::{
        Event,
        SubEvent,
        Umasks, //
    },
    name::EventName,
    reject::UmaskFault, //
};

/// The filter units that the umask of an event needs, as a bit mask.
pub(super) fn check(name: &EventName) -> Result<u8, UmaskFault> {
    let EventName { event, umask, .. } = *name;
    match event.umasks {
        Umasks::Zero if umask == 0 => Ok(0),
        Umasks::Zero => Err(UmaskFault::NotTaken),
        _ if umask == 0 => row(event, 0).map_or(Err(UmaskFault::Missing), usable),
        Umasks::Combined => check_combined(event, umask),
        Umasks::Listed => check_listed(event, umask),
        Umasks::ListedWith(added) => check_listed_with(event, umask, added),
    }
}

/// Any sub-events together, as long as each of them combines.
fn check_combined(event: &'static Event, umask: u8) -> Result<u8, UmaskFault> {
    let contained = || {
        // One without bits is the event by itself, and in no combination.
        let rows = event.subevents.iter().filter(|row| row.umask != 0);
        rows.filter(|row| row.umask & umask == row.umask)
    };
    let covered = contained().fold(0, |covered, row| covered | row.umask);
    if umask & !covered != 0 {
        return Err(UmaskFault::UnknownBits(umask & !covered));
    }
    if let Some(row) = contained().find(|row| row.exclusive && row.umask != umask) {
        return Err(UmaskFault::Exclusive(row));
    }
    contained().try_fold(0, |filters, row| Ok(filters | usable(row)?))
}

/// One sub-event.
fn check_listed(event: &'static Event, umask: u8) -> Result<u8, UmaskFault> {
    row(event, umask).map_or(Err(UmaskFault::Unlisted), usable)
}

/// One sub-event, with or without the bits that may be added.
fn check_listed_with(event: &'static Event, umask: u8, added: u8) -> Result<u8, UmaskFault> {
    if row(event, umask).is_some() || umask & added == 0 {
        return check_listed(event, umask);
    }
    let filters = check_listed(event, umask & !added)?;
    let mut adding = event.subevents.iter().filter(|row| row.umask & added != 0);
    adding.try_fold(filters, |filters, row| Ok(filters | usable(row)?))
}

/// The sub-event with this umask.
fn row(event: &'static Event, umask: u8) -> Option<&'static SubEvent> {
    event.subevents.iter().find(|row| row.umask == umask)
}

/// The filter units of a sub-event; reason 9.
fn usable(row: &'static SubEvent) -> Result<u8, UmaskFault> {
    match row.unusable {
        Some(reason) => Err(UmaskFault::Unusable(row, reason)),
        None => Ok(row.filters),
    }
}
