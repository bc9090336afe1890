// SPDX-License-Identifier: GPL-2.0

//! Request of config words to one of our PMUs.

use super::composed::{Composed, Event, Share};
use super::event::Asked;
use super::reason::Reason;
use super::{Env, Events};
use uncore_e2e::catalogue::BoxKind;
use uncore_e2e::expect::MemoryCounter;

/// Request to a PMU, by the kind of its events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Request {
    Listed(Asked),
    Composed(Composition),
    /// To the memory controller.
    Memory([u64; 5]),
}

/// Request to a box whose events are composed of several registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Composition {
    composed: Composed,
    event: Option<Event>,
    words: [u64; 5],
}

impl Request {
    /// Parses the words of an event of one of our PMUs.
    pub(super) fn new(env: &Env, pmu: usize, words: [u64; 5]) -> Self {
        match env.pmus[pmu].1 {
            Events::Listed(kind, instance) => Self::Listed(Asked::new(env, kind, instance, words)),
            Events::Composed(composed) => Self::Composed(Composition::new(composed, words)),
            Events::Memory => Self::Memory(words),
        }
    }

    pub(super) fn listed(&self) -> Option<&Asked> {
        match self {
            Self::Listed(asked) => Some(asked),
            _ => None,
        }
    }

    pub(super) fn composed(&self) -> Option<&Composition> {
        match self {
            Self::Composed(composition) => Some(composition),
            _ => None,
        }
    }

    /// Returns the code of an event of the memory controller.
    pub(super) fn code_of_memory(&self) -> Option<u64> {
        match self {
            Self::Memory([config, ..]) => Some(*config),
            _ => None,
        }
    }

    /// Returns true if the event shows what another one counts.
    pub(super) fn is_view(&self) -> bool {
        self.listed().is_some_and(Asked::is_view)
    }

    /// Returns the reasons to refuse the event by itself.
    pub(super) fn objections(&self) -> Vec<Reason> {
        match self {
            Self::Listed(asked) => asked.objections(),
            Self::Composed(composition) => composition.objections(),
            Self::Memory(words) => of_memory(words),
        }
    }

    /// Returns what the package lacks. The boxes whose events are composed, and the memory
    /// controller, are in each.
    pub(super) fn missing(&self, env: &Env, package: u8) -> Option<Reason> {
        let asked = self.listed()?;
        let (kind, instance) = (asked.kind, asked.instance);
        if kind != BoxKind::Irp && !env.has_box(kind, instance, package) {
            return Some(Reason::NoBox);
        }
        let there = Env::has_filters(kind, instance, package);
        (asked.uses_filters() && !there).then_some(Reason::NoFilters)
    }
}

impl Composition {
    fn new(composed: Composed, words: [u64; 5]) -> Self {
        let [config, config1, config2, ..] = words;
        Self {
            composed,
            event: composed.event(&[config, config1, config2]),
            words,
        }
    }

    fn objections(&self) -> Vec<Reason> {
        let owned = self.composed.owned();
        let has = |bits: [u64; 3]| {
            self.words
                .iter()
                .zip(bits)
                .any(|(word, bits)| word & bits != 0)
        };
        let [_, _, _, more @ ..] = self.words;
        let mut reasons = Vec::new();
        if more != [0; 2] || has(owned.map(|bits| !bits)) {
            reasons.push(Reason::FreeBit);
        }
        let Some(event) = &self.event else {
            reasons.push(Reason::Event);
            return reasons;
        };
        let unused = std::array::from_fn(|word| owned[word] & !event.uses[word]);
        if event.useless || has(unused) {
            reasons.push(Reason::FilterUseless);
        }
        if event.needs != [0; 3] && !has(event.needs) {
            reasons.push(Reason::FilterMissing);
        }
        reasons
    }

    /// Returns the counters that can count the event, bit k for counter k.
    pub(super) fn counters(&self) -> u8 {
        self.event.as_ref().map_or(0, |event| event.counters)
    }

    /// Returns whether both events need different values in a register.
    pub(super) fn conflicts(&self, other: &Self) -> bool {
        let mut all = self
            .shares()
            .flat_map(|one| other.shares().map(move |other| (one, other)));
        all.any(|((register, value), (other, other_value))| {
            register == other && value != other_value
        })
    }

    fn shares(&self) -> impl Iterator<Item = &Share> {
        self.event.iter().flat_map(|event| &event.shares)
    }
}

/// Returns the reasons to refuse an event of the memory controller, of which each is a code.
fn of_memory(words: &[u64; 5]) -> Vec<Reason> {
    let [config, rest @ ..] = words;
    let mut reasons = Vec::new();
    if config >> 8 != 0 || *rest != [0; 4] {
        reasons.push(Reason::FreeBit);
    }
    let codes = MemoryCounter::all().iter();
    if !codes.clone().any(|counter| counter.code == config & 0xff) {
        reasons.push(Reason::Event);
    }
    reasons
}

#[cfg(test)]
mod tests {
    use super::super::groups;
    use super::*;
    use uncore_e2e::platform::Platform;

    fn request(pmu: &str, words: [u64; 3]) -> Request {
        let env = Env::example();
        let [config, config1, config2] = words;
        let pmu = env.pmu(&Platform::current().pmu(pmu));
        Request::new(&env, pmu, [config, config1, config2, 0, 0])
    }

    /// Returns the reasons to refuse these words, and all of these together.
    fn wrong(pmu: &str, group: &[[u64; 3]]) -> Vec<Reason> {
        let all: Vec<Request> = group.iter().map(|&words| request(pmu, words)).collect();
        let own = all.iter().flat_map(Request::objections);
        let own: Vec<Reason> = own.collect();
        if own.is_empty() {
            groups::objections(&all.iter().collect::<Vec<&Request>>())
        } else {
            own
        }
    }

    #[test]
    fn composed_events_need_their_registers_and_no_others() {
        Platform::with(BoxKind::Mbox).on(|| {
            for (pmu, words, reasons) in [
                // TF_ALL, and a code that no counter has.
                ("bbox_0", [0x08, 0, 0], &[][..]),
                ("bbox_0", [0x50, 0, 0], &[Reason::Event]),
                ("bbox_0", [0x42, 0xf << 44, 1 << 44], &[]),
                ("bbox_0", [0x42, 1 << 48, 0], &[Reason::FilterUseless]),
                ("bbox_0", [0x42, 1 << 60, 0], &[Reason::FreeBit]),
                ("mbox_1", [0x1200, 0x400, 0], &[]),
                ("mbox_1", [0x1600, 0x80 << 32, 0], &[]),
                ("mbox_1", [0x1600, 0x80, 0], &[Reason::FilterUseless]),
                ("mbox_1", [0x1680, 0, 0], &[Reason::Event]),
                ("mbox_1", [0x1604, 0, 0], &[Reason::FreeBit]),
                ("mbox_1", [0x0000, 0, 0], &[Reason::FilterMissing]),
                ("mbox_1", [0x1a40, 0x80_3fff, 0], &[]),
                ("mbox_1", [0x1a00, 0x4000, 0], &[Reason::FilterUseless]),
                ("mbox_1", [0x1400, 0, 1 << 63 | 1], &[]),
                ("mbox_1", [0x1400, 0, 1], &[Reason::FilterUseless]),
                ("mbox_1", [0x1800, 0, 1 << 63 | 1], &[Reason::FilterUseless]),
                ("rbox_1", [0x2e, 0x1c00, 0x1f80], &[]),
                ("rbox_1", [0x2e, 0x1c00, 0x1000], &[Reason::FilterUseless]),
                ("rbox_1", [0x30, 0x100, 0], &[Reason::Event]),
                ("rbox_1", [0x00, 0, 0], &[Reason::FilterMissing]),
                ("rbox_1", [0x04, 0, 0], &[]),
                ("rbox_1", [0x06, 0x01, 0], &[Reason::FilterUseless]),
                ("rbox_1", [0x0021_0000 << 32 | 0x08, 0, 0], &[]),
                (
                    "rbox_1",
                    [0x8021_0000 << 32 | 0x08, 0, 0],
                    &[Reason::FreeBit],
                ),
            ] {
                assert_eq!(wrong(pmu, &[words]), reasons, "{pmu} {words:x?}");
            }
        });
    }

    #[test]
    fn composed_events_share_registers() {
        type Group = (&'static str, &'static [[u64; 3]], &'static [Reason]);
        let cases: &[Group] = &[
            // Two fields of the message, and the same of one.
            ("bbox_0", &[[0x02, 1 << 44, 0], [0x44, 1 << 48, 0]], &[]),
            (
                "bbox_0",
                &[[0x02, 1 << 44, 0], [0x42, 2 << 44, 0]],
                &[Reason::Conflict],
            ),
            ("bbox_0", &[[0x08, 0, 0], [0x0a, 0, 0]], &[Reason::Counters]),
            // ISS as a whole; PLD of two events; one evnt each of the same command.
            (
                "mbox_0",
                &[[0x1200, 1, 0], [0x80080, 0x11, 0]],
                &[Reason::Conflict],
            ),
            ("mbox_0", &[[0x1200, 0x11, 0], [0x80080, 0x11, 0]], &[]),
            (
                "mbox_0",
                &[[0x1400, 1 << 40, 0], [0x1600, 0, 0]],
                &[Reason::Conflict],
            ),
            (
                "mbox_0",
                &[[0x1400, 0, 1 << 63], [0x1600, 0, 0]],
                &[Reason::Conflict],
            ),
            ("mbox_0", &[[0x1a00, 0x2800, 0], [0x1c00, 0x14000, 0]], &[]),
            (
                "mbox_0",
                &[[0x1a00, 0x2800, 0], [0x1c00, 0x14020, 0]],
                &[Reason::Conflict],
            ),
            // The partner, another port, and the usual match.
            (
                "rbox_0",
                &[[0x00, 0x100, 0], [0x00, 0x200, 0]],
                &[Reason::Conflict],
            ),
            ("rbox_0", &[[0x00, 0x100, 0], [0x02, 0x200, 0]], &[]),
            ("rbox_0", &[[0x00, 0x100, 0], [0x0c, 0x200, 0]], &[]),
            (
                "rbox_0",
                &[[0x08, 0, 0], [0x0021_0000 << 32 | 0x08, 0, 0]],
                &[],
            ),
            (
                "rbox_0",
                &[[0x08, 0, 0], [0x0022_0000 << 32 | 0x08, 0, 0]],
                &[Reason::Conflict],
            ),
            ("rbox_0", &[[0x04, 0, 0]; 9], &[Reason::Counters]),
        ];
        Platform::with(BoxKind::Mbox).on(|| {
            for (pmu, group, reasons) in cases {
                assert_eq!(wrong(pmu, group), *reasons, "{pmu} {group:x?}");
            }
        });
    }

    #[test]
    fn counters_of_a_memory_controller_have_a_code_each() {
        Platform::with(BoxKind::Arb).on(|| {
            for (words, reasons) in [
                ([1, 0, 0], &[][..]),
                ([0, 0, 0], &[Reason::Event]),
                ([6, 0, 0], &[Reason::Event]),
                ([0x101, 0, 0], &[Reason::FreeBit]),
                ([1, 1, 0], &[Reason::FreeBit]),
            ] {
                assert_eq!(wrong("imc", &[words]), reasons, "{words:x?}");
            }
            assert_eq!(wrong("imc", &[[1, 0, 0]; 9]), []);
            assert_eq!(wrong("imc", &[[1, 0, 0]; 10]), [Reason::Counters]);
            let all = [1, 2, 3, 4, 5].map(|code| [code, 0, 0]);
            let of_all = |more| [&all[..], &vec![[1, 0, 0]; more]].concat();
            assert_eq!(wrong("imc", &of_all(8)), []);
            assert_eq!(wrong("imc", &of_all(9)), [Reason::Counters]);
        });
    }
}
