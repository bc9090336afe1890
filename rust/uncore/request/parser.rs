// SPDX-License-Identifier: GPL-2.0

//! Parses the words of a request.
//!
//! A [`Parser`] finds out once what all requests of a box type are held against. So a request that
//! leaves most fields 0, as most do, is parsed without a look at those fields.

use super::{
    filter_units::FilterUse,
    filters,
    interval::{
        self,
        Pace, //
    },
    name::EventName,
    queue_reset,
    reject::RejectReason,
    threshold,
    umask,
    unknown_event,
    ControlWord,
    Counters,
    Request, //
};
use crate::uncore::table::{
    box_type::*,
    field::{
        low_half,
        Words, //
    }, //
};

/// Parses requests of one box type.
#[derive(Clone)]
pub(crate) struct Parser {
    kind: &'static BoxType,
    /// Bits that belong to some field.
    owned: Words,
    /// Bits of thresholds, and of the fields that need one.
    thresholds: Words,
    /// Bits of filters, and of the fields that switch them on.
    filters: Words,
    /// Bits of the event select in `config`.
    select: u64,
    /// The field that chooses a counter set.
    set: Option<&'static Field>,
    /// The unit mask, or the field in its place.
    umask: Option<&'static Field>,
    /// The field with the interval.
    interval: Option<&'static Field>,
    /// Bits of `config` that are not the interval. No box type has it in another word.
    kept: u64,
}

impl Parser {
    /// Makes the parser of a box type.
    pub(crate) fn new(kind: &'static BoxType) -> Self {
        let [mut owned, mut thresholds, mut filters] = [Words::default(); 3];
        for field in kind.fields {
            let bits = kind.owned_bits(field);
            owned.set(field.word, bits);
            match field.role {
                Role::Filter(_) | Role::FilterEnable(_) => filters.set(field.word, bits),
                role if threshold::is_checked(role) => thresholds.set(field.word, bits),
                _ => {}
            }
        }
        let interval = kind.field(Role::Interval);
        Self {
            kind,
            owned,
            thresholds,
            filters,
            select: kind.select_bits(),
            set: kind.field(Role::CounterSet),
            umask: kind.field(Role::Umask),
            interval,
            kept: !interval.map_or(0, Field::mask),
        }
    }

    /// Returns whether this is the parser of a box type.
    pub(crate) fn is_of(&self, kind: &'static BoxType) -> bool {
        core::ptr::eq(self.kind, kind)
    }

    /// Makes a request of the user's words, or refuses them with a reason from
    /// [`RejectReason::UnownedBits`] to [`RejectReason::ShortInterval`].
    pub(crate) fn parse(&self, words: &Words) -> Result<Request, RejectReason> {
        if words.exceeds(&self.owned) {
            return Err(self.unowned(words));
        }
        let select = words.config & self.select;
        match self.kind.fixed_by_select(select) {
            Some((index, fixed)) => self.parse_fixed(words, index, fixed),
            None => self.parse_general(words, select),
        }
    }

    /// Parses a request for the fixed counter with this index.
    fn parse_fixed(
        &self,
        words: &Words,
        index: u8,
        fixed: &'static Fixed,
    ) -> Result<Request, RejectReason> {
        let takes = |role| match role {
            Role::Select | Role::EventSet | Role::View => true,
            Role::Interval => fixed.overflow_enable().is_some(),
            _ => false,
        };
        let fields = self.kind.fields;
        let other = fields
            .iter()
            .find(|field| !takes(field.role) && field.value(words) != 0);
        if let Some(field) = other {
            return Err(RejectReason::FixedOnly(fixed, field));
        }
        let pace = Pace::new(fixed.width, self.kind.max_clock_mhz, 1);
        Ok(Request {
            control: ControlWord(0),
            queue_reset: 0,
            on: Counters::Fixed(index),
            filters: FilterUse::default(),
            needs: Needs::Nothing,
            interval: self.interval(words, 1)?,
            pace,
            config: words.config & self.kept,
            select: fixed.select.into(),
            umask: 0,
        })
    }

    /// Parses a request for a general counter.
    fn parse_general(&self, words: &Words, select: u64) -> Result<Request, RejectReason> {
        let kind = self.kind;
        let event = kind
            .event(select)
            .ok_or_else(|| unknown_event(kind, words))?;
        let name = EventName::of(self.umask, words, event);
        let beside = kind.occupancy_beside(event, select);
        // Umask and threshold are those of an occupancy, if there is one.
        let compared = beside.unwrap_or(event);
        let of_umask = EventName {
            event: compared,
            ..name
        };
        let needed = umask::check(&of_umask);
        let needed = needed.map_err(|fault| RejectReason::Umask(of_umask, fault))?;
        (kind.refuse)(event, words).map_err(|why| RejectReason::Odd(name, why))?;
        let counters = self.counters_of(words, event)?;
        let mut increment = event.max_increment;
        if words.overlaps(&self.thresholds) {
            let mut own = *words;
            if beside.is_some() {
                let invert = kind.field(Role::Invert).map_or(0, Field::mask);
                own.clear(Word::Config, invert);
            }
            threshold::check(kind, &own, compared)
                .map_err(|fault| RejectReason::Threshold(compared, fault))?;
            if kind.value_of(Role::Threshold, words) != 0 {
                increment = 1;
            }
        }
        let needed = u32::from(event.filters) | needed;
        let filters = if needed != 0 || words.overlaps(&self.filters) {
            filters::parse(kind, words, needed, event.copy)
                .map_err(|fault| RejectReason::Filter(name, fault))?
        } else {
            FilterUse::default()
        };
        let pace = Pace::new(kind.narrowest_width(), kind.max_clock_mhz, increment);
        Ok(Request {
            control: control(kind, words, event),
            queue_reset: queue_reset(kind, event),
            on: Counters::General(counters),
            filters,
            needs: event.needs,
            interval: self.interval(words, increment)?,
            pace,
            config: words.config & self.kept,
            select,
            umask: name.umask,
        })
    }

    /// Returns the reason to refuse bits that belong to no field.
    #[cold]
    fn unowned(&self, words: &Words) -> RejectReason {
        for word in [Word::Config, Word::Config1, Word::Config2] {
            let bits = words.get(word) & !self.owned.get(word);
            if bits != 0 {
                return RejectReason::UnownedBits(word.name(), bits);
            }
        }
        match words.config3 {
            0 => RejectReason::UnownedBits("config4", words.config4),
            bits => RejectReason::UnownedBits("config3", bits),
        }
    }

    /// The general counters that can count an event, in the counter set that the user chose.
    fn counters_of(&self, words: &Words, event: &Event) -> Result<u8, RejectReason> {
        let able = event.counters & self.kind.counter_mask();
        let Some(field) = self.set else {
            return Ok(able);
        };
        let chosen = field.value(words);
        let sets = self.kind.counter_sets;
        match usize::try_from(chosen).ok().and_then(|set| sets.get(set)) {
            Some(set) => Ok(able & set),
            None => Err(RejectReason::NoSet(field, chosen, sets.len())),
        }
    }

    /// The interval of an event that adds at most `increment` in a clock; 0 if the user wants none.
    fn interval(&self, words: &Words, increment: u16) -> Result<u64, RejectReason> {
        let Some(field) = self.interval.filter(|_| words.config & !self.kept != 0) else {
            return Ok(0);
        };
        interval::parse(self.kind, field, words, increment).map_err(RejectReason::ShortInterval)
    }
}

/// The control register of an event. All bits of `config` have an owner, and those in a control
/// register are writable.
///
/// Edges of an occupancy have the bit of other edges, too, unless that is an event's beside it: each
/// source has one of them. A box may lack one.
fn control(kind: &'static BoxType, words: &Words, event: &Event) -> ControlWord {
    let mut config = low_half(words.config);
    let joins = event.class == Class::Occupancy && kind.occupancy_bit == 0;
    if joins && kind.value_of(Role::OccupancyEdge, words) != 0 {
        let usual = kind.field(Role::Edge).map_or(0, |edge| edge.mask());
        config |= low_half(usual);
    }
    ControlWord(config & kind.control.writable)
}

/// Parses one request, as [`Parser::parse`].
#[cfg(KUNIT_SUITES)]
pub(crate) fn parse(kind: &'static BoxType, words: &Words) -> Result<Request, RejectReason> {
    Parser::new(kind).parse(words)
}
