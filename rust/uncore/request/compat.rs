// SPDX-License-Identifier: GPL-2.0

//! Requests of tools that were written for the in-tree driver, under `names=compat`.
//!
//! Such a tool can write `config` as it would write the control register, enable bit included. It
//! can give one value of the filters to all events of a box. The in-tree driver leaves out what it
//! sets itself, and filters that an event does not take. So does [`cleaned`], before the request is
//! parsed as any other. A bit that asks for something else is left in, to be refused.

use super::{
    filters::used_units,
    name::EventName,
    umask, //
};
use crate::uncore::table::{
    box_type::{
        BoxType,
        Control,
        Role, //
    },
    field::{
        index_bit,
        Words, //
    }, //
};

/// The words without the bits that the driver sets itself, and without filters that the event does
/// not take.
pub(crate) fn cleaned(kind: &BoxType, words: &Words) -> Words {
    let mut words = Words {
        config: words.config & !managed(&kind.control),
        ..*words
    };
    let Some(taken) = units(kind, &words) else {
        return words;
    };
    for field in kind.fields {
        if matches!(field.role, Role::Filter(unit) if taken & index_bit(unit) == 0) {
            words.clear(
                field.word,
                field.mask() & !kind.unit_bits(taken, field.word),
            );
        }
    }
    words
}

/// The bits of a control register that the driver sets itself, as they are in `config`.
fn managed(control: &Control) -> u64 {
    let overflow_enable = control.overflow_enable.unwrap_or(0);
    u64::from(control.enable | control.acts | overflow_enable)
}

/// The filter units that the event takes, as a bit mask; none if there is no such event.
fn units(kind: &BoxType, words: &Words) -> Option<u32> {
    let select = kind.select(words);
    if kind.fixed_by_select(select).is_some() {
        return Some(0);
    }
    let event = kind.event(select)?;
    let needed = umask::check(&EventName::of(kind.field(Role::Umask), words, event)).ok()?;
    Some(used_units(kind, words, u32::from(event.filters) | needed))
}
