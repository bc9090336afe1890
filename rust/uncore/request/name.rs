// SPDX-License-Identifier: GPL-2.0

//! Names of boxes and events, in messages and in sysfs.

use crate::uncore::table::{
    box_type::*,
    field::Words, //
};
use kernel::fmt;

#[cfg(KUNIT_SUITES)]
mod tests;

/// Name of a box, equal in each package: `cbox_3`, or `ubox` for the only box of its type.
#[derive(Clone, Copy)]
pub(crate) struct BoxName {
    pub(crate) kind: &'static BoxType,
    /// Index within the type.
    pub(crate) index: u8,
}

impl BoxName {
    /// Returns `true` if both are the name of one box.
    pub(crate) fn is(&self, other: &Self) -> bool {
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

/// Name of a sub-event, which is that of its file in `events/`: `llc_lookup.any`.
#[derive(Clone, Copy)]
pub(crate) struct RowName {
    pub(crate) event: &'static Event,
    pub(crate) row: &'static SubEvent,
}

impl RowName {
    /// Returns the two parts of the name.
    #[inline]
    pub(crate) fn file(&self) -> FileName {
        let Self { event, row } = self;
        match row.naming {
            Naming::Whole => FileName::whole(row.name),
            Naming::Manual | Naming::Lists => FileName {
                stem: event.name,
                leaf: row.name,
            },
        }
    }
}

impl fmt::Display for RowName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.file(), f)
    }
}

/// Name of a file in `events/`: `stem.leaf`, or `stem` if the leaf is empty.
#[derive(Clone, Copy)]
pub(crate) struct FileName {
    pub(crate) stem: &'static str,
    pub(crate) leaf: &'static str,
}

impl FileName {
    /// The name that is a stem only.
    #[inline]
    pub(crate) fn whole(stem: &'static str) -> Self {
        Self { stem, leaf: "" }
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.stem)?;
        if !self.leaf.is_empty() {
            f.write_str(".")?;
        }
        f.write_str(self.leaf)
    }
}

/// Name of an event with a umask: `llc_lookup.any`, or `rxr_inserts (umask 0x05)` for a
/// combination of sub-events.
#[derive(Clone, Copy)]
pub(crate) struct EventName {
    pub(crate) event: &'static Event,
    /// The name of the field that the umask is in.
    pub(crate) field: &'static str,
    pub(crate) umask: u8,
}

impl EventName {
    /// Returns the name of an event with the umask that is in this field of the words. No box type has a
    /// umask of more than 8 bits, so that the value fits.
    pub(crate) fn of(field: Option<&'static Field>, words: &Words, event: &'static Event) -> Self {
        let umask = field.map_or(0, |field| field.value(words));
        Self {
            event,
            field: Field::umask_name(field),
            umask: u8::try_from(umask).unwrap_or(u8::MAX),
        }
    }
}

impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            event,
            field,
            umask,
        } = *self;
        match event.subevents.iter().find(|row| row.umask == umask) {
            Some(row) => fmt::Display::fmt(&RowName { event, row }, f),
            None if umask == 0 => f.write_str(event.name),
            None => write!(f, "{} ({field} {umask:#04x})", event.name),
        }
    }
}

/// Name of the event that a box counts with a `config`: an [`EventName`] or the name of a fixed
/// counter.
#[derive(Clone, Copy)]
pub(crate) struct ConfigName {
    pub(crate) kind: &'static BoxType,
    pub(crate) config: u64,
}

impl fmt::Display for ConfigName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, config } = *self;
        let words = Words {
            config,
            ..Words::default()
        };
        let select = kind.select(&words);
        if let Some((_, fixed)) = kind.fixed_by_select(select) {
            return f.write_str(fixed.name);
        }
        let Some(event) = kind.event(select) else {
            return f.write_str("an event");
        };
        let name = EventName::of(kind.field(Role::Umask), &words, event);
        fmt::Display::fmt(&name, f)
    }
}

/// An event select as terms of perf: `event=0x34`, or `event=0x0c,counter=0x1` where it is in several
/// fields. Fields that are 0 are left out, but for the first.
#[derive(Clone, Copy)]
pub(crate) struct SelectTerms {
    pub(crate) fields: &'static [Field],
    /// Event select, bits in place.
    pub(crate) select: u64,
}

impl SelectTerms {
    /// The fields of the event select with their values.
    fn parts(&self) -> impl Iterator<Item = (&'static Field, u64)> {
        let select = self.select;
        self.fields
            .iter()
            .filter(|field| matches!(field.role, Role::Select | Role::EventSet))
            .map(move |field| (field, field.of_word(select)))
    }

    /// Prints the terms.
    pub(crate) fn show(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let used = || self.parts().filter(|(_, value)| *value != 0);
        let first = self.parts().take(1).filter(|_| used().next().is_none());
        let mut separator = "";
        for (field, value) in Iterator::chain(used(), first) {
            write!(out, "{separator}{}={value:#04x}", field.name)?;
            separator = ",";
        }
        Ok(())
    }
}

/// An event select in a message: its value, or its terms where it is in several fields.
#[derive(Clone, Copy)]
pub(crate) struct SelectName(pub(crate) SelectTerms);

impl fmt::Display for SelectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = self.0.parts();
        match (parts.next(), parts.next()) {
            (Some((_, value)), None) => write!(f, "{value:#04x}"),
            _ => {
                f.write_str("with ")?;
                self.0.show(f)
            }
        }
    }
}

/// Counters of a bit mask as text: `0`, `0-1`, `1-3`, `0,2`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CounterList(pub(crate) u8);

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
