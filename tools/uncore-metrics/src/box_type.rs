// SPDX-License-Identifier: GPL-2.0

//! Description of a type of box for plans, as plain data.

use crate::fit::Fit;
use crate::fit::Misfit;
use crate::term::Term;
use crate::term::Value;
use std::collections::BTreeMap;

/// A type of box: its events and what they share.
#[derive(Clone, Debug, Default)]
pub struct BoxType {
    /// Events by name.
    pub events: BTreeMap<String, Event>,
    /// Fields by name, each with the filter that it is a part of, if it is of one. All counters
    /// share a filter.
    pub fields: BTreeMap<String, Option<String>>,
}

/// An event.
#[derive(Clone, Debug, Default)]
pub struct Event {
    /// The counters that can count it, one bit each. Fixed counters are bits after the general
    /// ones.
    pub counters: u64,
    /// Fields that its name sets.
    pub settings: BTreeMap<String, Value>,
    /// Filters that have an effect on it, besides those of the fields that are set.
    pub filters: Vec<String>,
    /// Selects an occupancy that other counters can show.
    pub is_source: bool,
    /// Shows the occupancy that an event before it selects.
    pub needs_source: bool,
}

impl Fit for BoxType {
    fn fits(&self, group: &[Term]) -> Result<(), Misfit> {
        let mut counters = Vec::new();
        let mut filters = BTreeMap::new();
        let mut has_source = false;
        for term in group {
            let event = self.event(term)?;
            if event.needs_source && !has_source {
                return Err(Misfit::NoSource(term.event.clone()));
            }
            has_source |= event.is_source;
            counters.push(event.counters);
            for (filter, values) in self.filters(event, term)? {
                let first = filters.entry(filter).or_insert_with(|| values.clone());
                if *first != values {
                    return Err(Misfit::Filter(filter.to_owned()));
                }
            }
        }
        if has_counter_each(&counters) {
            Ok(())
        } else {
            Err(Misfit::Counters)
        }
    }
}

/// The values of a filter's fields.
type Values<'a> = BTreeMap<&'a str, Value>;

impl BoxType {
    fn event(&self, term: &Term) -> Result<&Event, Misfit> {
        let event = self.events.get(&term.event);
        event.ok_or_else(|| Misfit::NoEvent(term.event.clone()))
    }

    /// The filters that a term uses, with the values of all fields it sets. A value that is spelled
    /// in other fields counts as a different one.
    fn filters<'a>(
        &'a self,
        event: &'a Event,
        term: &'a Term,
    ) -> Result<BTreeMap<&'a str, Values<'a>>, Misfit> {
        let own = event.filters.iter();
        let mut filters: BTreeMap<_, _> = own.map(|name| (name.as_str(), Values::new())).collect();
        for (field, value) in event.settings.iter().chain(&term.settings) {
            let known = self.fields.get(field);
            let filter = known.ok_or_else(|| Misfit::NoField(field.clone()))?;
            if let Some(filter) = filter {
                let values = filters.entry(filter).or_default();
                values.insert(field, *value);
            }
        }
        Ok(filters)
    }
}

/// Returns whether there is a counter for each event, given the counters each can use.
fn has_counter_each(events: &[u64]) -> bool {
    let mut taken = BTreeMap::new();
    let all = 0..events.len();
    all.into_iter()
        .all(|event| seat(event, events, &mut taken, &mut 0))
}

/// Gives `event` a counter; others move if they must. `tried` are the counters it is no use to ask
/// again.
fn seat(event: usize, events: &[u64], taken: &mut BTreeMap<u32, usize>, tried: &mut u64) -> bool {
    let mask = events.get(event).copied().unwrap_or(0);
    for counter in (0..u64::BITS).filter(|counter| mask >> counter & 1 == 1) {
        if *tried >> counter & 1 == 1 {
            continue;
        }
        *tried |= 1 << counter;
        let holder = taken.get(&counter).copied();
        if holder.is_none_or(|holder| seat(holder, events, taken, tried)) {
            taken.insert(counter, event);
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests;
