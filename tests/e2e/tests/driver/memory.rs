// SPDX-License-Identifier: GPL-2.0

//! The counters of a client's memory controller, on platforms that have them.

use uncore_e2e::perf::Event;
use uncore_e2e::prelude::*;

/// Returns the number of events, and the mismatches of their counts by name.
pub(crate) fn mismatches(session: &mut Session, uclk: u64) -> (usize, Vec<String>) {
    let all = MemoryCounter::all();
    if all.is_empty() {
        return (0, Vec::new());
    }
    let event = |counter: &MemoryCounter| {
        Event::new(MemoryCounter::pmu(), counter.event).named(counter.event)
    };
    let events: Vec<Event> = all.iter().map(event).collect();
    let stat = Stat::burst(uclk).option("--per-socket").event_list(&events);
    let table = session.stat(&stat);
    let wrong = all.iter().filter_map(|counter| {
        let line = table.at(counter.event, Place::Socket(0));
        let seen = line.map(|line| {
            let is_right = line.unit == MemoryCounter::UNIT.name;
            is_right.then(|| line.exact(1.0 / MemoryCounter::UNIT.scale))
        });
        let expected = counter.count(uclk);
        let wrong = format!("{}: {seen:?}, not {expected}", counter.event);
        (seen != Ok(Some(Some(expected)))).then_some(wrong)
    });
    (all.len(), wrong.collect())
}
