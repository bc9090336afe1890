// SPDX-License-Identifier: GPL-2.0

//! The sections of a processor's work in which its interrupt flag is off.
//!
//! An NMI that arrives in a section is a section of its own, and no part of the one that it
//! interrupts.

use crate::cost::Cost;

/// A change of the interrupt flag, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// An instruction sets or clears the flag.
    Flag(bool),
    /// An interrupt is delivered: an NMI if the flag is off.
    Interrupt,
    /// An exception is delivered.
    Exception,
    /// IRET sets or clears the flag.
    Return(bool),
}

/// The section that a processor is in, if it is in one.
#[derive(Debug, Default)]
pub(crate) struct Sections {
    /// The processor's cost where the flag went off, with that of NMIs since then.
    begin: Option<Cost>,
    nmi: Option<Nmi>,
}

/// An NMI that arrived in a section.
#[derive(Debug)]
struct Nmi {
    begin: Cost,
    /// Exceptions in it that have not returned.
    exceptions: u32,
}

impl Sections {
    /// Takes an event at which the processor's cost is `now`. Returns the cost of the section
    /// that ends there.
    pub(crate) fn take(&mut self, event: Event, now: Cost) -> Option<Cost> {
        let Some(begin) = self.begin else {
            let stays_on = matches!(event, Event::Flag(true) | Event::Return(true));
            self.begin = (!stays_on).then_some(now);
            return None;
        };
        match (event, &mut self.nmi) {
            (Event::Flag(true) | Event::Return(true), nmi) => {
                self.begin = None;
                // No NMI sets the flag: the guest has set it by means that are not known.
                nmi.take().is_none().then(|| now.since(begin))
            }
            (Event::Interrupt, nmi @ None) => {
                *nmi = Some(Nmi {
                    begin: now,
                    exceptions: 0,
                });
                None
            }
            (Event::Interrupt | Event::Exception, Some(nmi)) => {
                nmi.exceptions += 1;
                None
            }
            (
                Event::Return(false),
                Some(Nmi {
                    exceptions: 0,
                    begin: nmi,
                }),
            ) => {
                let section = now.since(*nmi);
                self.begin = Some(begin.plus(section));
                self.nmi = None;
                Some(section)
            }
            (Event::Return(false), Some(nmi)) => {
                nmi.exceptions -= 1;
                None
            }
            (Event::Flag(false), _) | (Event::Exception | Event::Return(false), None) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Event::{Exception, Flag, Interrupt, Return};

    /// Returns the instructions of the sections that events end, each of which comes with the
    /// instructions so far.
    fn ended(events: &[(Event, u64)]) -> Vec<u64> {
        let mut sections = Sections::default();
        let costs = events
            .iter()
            .map(|&(event, so_far)| sections.take(event, Cost::new([0, so_far, 0], [0; 6])));
        costs.flatten().map(Cost::all_instructions).collect()
    }

    #[test]
    fn a_section_lasts_from_off_to_on() {
        for (off, on) in [
            (Flag(false), Flag(true)),
            (Flag(false), Return(true)),
            (Interrupt, Return(true)),
            (Exception, Flag(true)),
        ] {
            let events = [
                (Flag(true), 5),
                (off, 10),
                (on, 17),
                (on, 20),
                (off, 30),
                (on, 31),
            ];
            assert_eq!(ended(&events), [7, 1], "{off:?} {on:?}");
        }
    }

    #[test]
    fn what_leaves_the_flag_off_ends_nothing() {
        let events = [
            (Flag(false), 10),
            (Flag(false), 11),
            (Exception, 12),
            (Return(false), 13),
            (Flag(true), 30),
        ];
        assert_eq!(ended(&events), [20]);
    }

    #[test]
    fn an_nmi_is_a_section_of_its_own() {
        let events = [
            (Interrupt, 10),
            (Interrupt, 20), // an NMI
            (Flag(false), 21),
            (Exception, 22),
            (Interrupt, 23), // another one, as an exception's return lets it pass
            (Return(false), 24),
            (Return(false), 25),
            (Return(false), 50),
            (Interrupt, 60),
            (Return(false), 61),
            (Return(true), 70),
        ];
        assert_eq!(ended(&events), [30, 1, 29]);
    }

    #[test]
    fn a_section_whose_end_was_not_seen_is_none() {
        let events = [
            (Flag(false), 0),
            (Interrupt, 1000),
            (Return(true), 1010),
            (Flag(false), 1020),
            (Flag(true), 1030),
        ];
        assert_eq!(ended(&events), [10]);
    }
}
