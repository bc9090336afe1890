// SPDX-License-Identifier: GPL-2.0

//! What boxes and events are called, in messages and in sysfs alike.

use super::{
    box_type::{
        BoxType,
        Event,
        Role,
        SubEvent, //
    },
    field::Words, //
};
use kernel::fmt;

#[cfg(KUNIT_SUITES)]
mod tests;

/// A box of a type, in whichever package: `cbox_3`, or `ubox` where there is only one.
#[derive(Clone, Copy)]
pub(super) struct BoxName {
    /// The type.
    pub(super) kind: &'static BoxType,
    /// Index within the type.
    pub(super) index: u8,
}

impl BoxName {
    /// Whether it is the same box.
    pub(super) fn is(&self, other: &Self) -> bool {
        core::ptr::eq(self.kind, other.kind) && self.index == other.index
    }
}

impl fmt::Display for BoxName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind.numbered {
            write!(f, "{}_{}", self.kind.name, self.index)
        } else {
            f.write_str(self.kind.name)
        }
    }
}

/// A sub-event, as its file in `events/` is called: `llc_lookup.any`.
#[derive(Clone, Copy)]
pub(super) struct RowName {
    /// The event.
    pub(super) event: &'static Event,
    /// Its sub-event.
    pub(super) row: &'static SubEvent,
}

impl fmt::Display for RowName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { event, row } = self;
        match row.name {
            "" => f.write_str(event.name),
            name if row.whole => f.write_str(name),
            name => write!(f, "{}.{name}", event.name),
        }
    }
}

/// An event with a umask: `llc_lookup.any`, or `rxr_inserts (umask 0x05)` for a combination.
#[derive(Clone, Copy)]
pub(super) struct EventName {
    /// The event.
    pub(super) event: &'static Event,
    /// The name of the field that the umask is in.
    pub(super) field: &'static str,
    /// The umask.
    pub(super) umask: u8,
}

impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            event,
            field,
            umask,
        } = *self;
        let mut rows = event.subevents.iter();
        match rows.find(|row| row.umask == umask) {
            Some(row) => fmt::Display::fmt(&RowName { event, row }, f),
            None if umask == 0 => f.write_str(event.name),
            None => write!(f, "{} ({field} {umask:#04x})", event.name),
        }
    }
}

/// What a box counts with a `config`, as [`EventName`] has it, or the name of a fixed counter.
#[derive(Clone, Copy)]
pub(super) struct ConfigName {
    /// The type of the box.
    pub(super) kind: &'static BoxType,
    /// The `config`.
    pub(super) config: u64,
}

impl fmt::Display for ConfigName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, config } = *self;
        let words = Words {
            config,
            ..Words::default()
        };
        let select = kind.select(&words);
        let umask = kind.value_of(Role::Umask, &words);
        match (kind.fixed_by_select(select), kind.event(select)) {
            (Some((_, fixed)), _) => f.write_str(fixed.name),
            (None, Some(event)) => {
                let name = EventName {
                    event,
                    field: kind.umask_name(),
                    umask: u8::try_from(umask).unwrap_or(0),
                };
                fmt::Display::fmt(&name, f)
            }
            (None, None) => f.write_str("an event"),
        }
    }
}

/// Counters of a bit mask as a user reads them: `0`, `0-1`, `1-3`, `0,2`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CounterList(pub(super) u8);

impl fmt::Display for CounterList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = u16::from(self.0);
        let mut separator = "";
        while rest != 0 {
            let first = rest.trailing_zeros();
            let length = rest.checked_shr(first).unwrap_or(0).trailing_ones();
            let last = first.saturating_add(length).saturating_sub(1);
            write!(f, "{separator}{first}")?;
            if last > first {
                write!(f, "-{last}")?;
            }
            separator = ",";
            rest &= u16::MAX.checked_shl(last.saturating_add(1)).unwrap_or(0);
        }
        Ok(())
    }
}
