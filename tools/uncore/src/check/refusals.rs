// SPDX-License-Identifier: GPL-2.0

//! Test that the driver refuses events that it cannot count, says why, and counts on.

use super::fixture::{name, Fixture};
use super::ktap::Verdict;
use crate::counting::{opens, Group, Manner, Place};
use crate::system::{Pmu, Word, Words};

pub(super) fn check(fixture: &Fixture) -> Vec<Verdict> {
    fixture.verdicts(&fixture.some_boxes(), |pmu, place, verdict| {
        let mut refuser = Refuser {
            fixture,
            pmu,
            place,
            verdict,
        };
        refuser.all();
        Ok(())
    })
}

/// One box and what is asked of it in vain.
struct Refuser<'a> {
    fixture: &'a Fixture<'a>,
    pmu: &'a Pmu,
    place: &'a Place,
    verdict: &'a mut Verdict,
}

impl Refuser<'_> {
    fn all(&mut self) {
        let clock = self.fixture.clock(self.pmu);
        let any = || Some(self.fixture.find_event(self.pmu, self.place.cpu)?.0);
        let Some(event) = clock.or_else(any) else {
            return;
        };
        self.stray_bits(event);
        for (what, manner) in [
            ("samples", Manner::Sampling),
            ("an event of one process", Manner::OfProcess),
            ("an event without user space", Manner::WithoutUser),
        ] {
            let answer = opens(self.pmu, self.place.cpu, event, manner);
            self.refused(what, answer.is_ok());
        }
        if let Some(clock) = clock {
            self.too_many(clock);
        }
        self.two_filters();
        if let Ok(reason) = self.fixture.system.last_reason(self.pmu, None) {
            let name = name(self.pmu, self.place);
            self.verdict.expect(reason.is_some(), || {
                format!("{name}: gave no reason for these refusals")
            });
        }
        let still = Group::open(self.pmu, self.place.cpu, &[event]);
        let name = name(self.pmu, self.place);
        self.verdict.expect(still.is_ok(), || {
            format!("{name}: stopped counting after these refusals")
        });
    }

    /// Bits that belong to no field, the lowest and the highest of each word.
    fn stray_bits(&mut self, event: Words) {
        for word in Word::all().filter(|word| word.name() != "config4") {
            let fields = self.pmu.formats.iter().filter(|format| format.word == word);
            let stray = !fields.fold(0, |mask, format| mask | format.mask());
            let ends = [stray.trailing_zeros(), 63 - stray.leading_zeros().min(63)];
            for bit in ends.into_iter().filter(|bit| stray != 0 && *bit < 64) {
                let mut words = event;
                words.set(word, words.get(word) | 1 << bit);
                let answer = Group::open(self.pmu, self.place.cpu, &[words]);
                self.refused(&format!("{} bit {bit}", word.name()), answer.is_ok());
            }
        }
    }

    /// More events than there are counters.
    fn too_many(&mut self, clock: Words) {
        let caps = &self.pmu.caps;
        let counters = caps.counters.unwrap_or(0) + caps.fixed_counters.unwrap_or(0);
        let events = vec![clock; usize::try_from(counters).unwrap_or(0) + 1];
        let answer = Group::open(self.pmu, self.place.cpu, &events);
        self.refused("more events than counters", answer.is_ok());
    }

    /// Two values of a filter in one group.
    fn two_filters(&mut self) {
        let pmu = self.pmu;
        for filter in &pmu.caps.filters {
            let field = format!("filter_{filter}");
            let (Some(format), Some(event)) = (
                pmu.format(&field),
                pmu.events()
                    .iter()
                    .find(|event| event.needs().any(|need| need == field)),
            ) else {
                continue;
            };
            let one = self.fixture.words(pmu, event);
            let mut other = one;
            // `words` has set some value; with all bits it is another one.
            if format.put(&mut other, format.largest()).is_err() || other == one {
                continue;
            }
            let answer = Group::open(pmu, self.place.cpu, &[one, other]);
            self.refused(&format!("two values of {field}"), answer.is_ok());
        }
    }

    /// Expects that an event is not opened.
    fn refused(&mut self, what: &str, opened: bool) {
        let name = name(self.pmu, self.place);
        self.verdict
            .expect(!opened, || format!("{name}: accepts {what}"));
    }
}
