// SPDX-License-Identifier: GPL-2.0

//! Config words that a box can count, from the platform's register reference (by way of
//! the catalogue) and the user's page.

use super::filters;
use super::reason::Reason;
use super::Env;
use uncore_catalogue::readings_with;
use uncore_e2e::catalogue::{may_combine, BoxKind, Catalogue, Row, FIXED_EVENT};
use uncore_e2e::expect::{rule, Rule, Setting};
use uncore_e2e::formats::{bits, field, fields, select_bits, selected, value};
use uncore_e2e::platform::Processor;

/// COUNTER0_OCCUPANCY of the C-Box.
const COUNTER0_OCCUPANCY: u8 = 0x1f;

/// The occupancies that COUNTER0_OCCUPANCY can show.
const OCCUPANCIES: [u8; 2] = [0x11, 0x36];

/// Most that an occupancy of an S-Box adds in a cycle: a queue has no more entries.
const SBOX_QUEUE: u32 = 64;

/// Request of config words to a box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) kind: BoxKind,
    /// Instance of the box; for an IRP, the set.
    pub(super) instance: u8,
    /// Programming of the counter.
    pub(super) setting: Setting,
    /// True for a counter that always runs.
    pub(super) running: bool,
    words: [u64; 5],
}

impl Asked {
    /// Parses the words of an event of a box; an event of the IRP selects its set.
    pub(super) fn new(env: &Env, kind: BoxKind, instance: u8, words: [u64; 5]) -> Self {
        let value = |name| value(kind, name, &words);
        let instance = match kind {
            BoxKind::Irp => byte(value("set")),
            _ => instance,
        };
        let (ext, event) = selected(kind, &words);
        let setting = Setting {
            event,
            ext,
            umask: byte(value("umask") | value("occ_sel") << 6),
            thresh: byte(value("thresh")),
            edge: value("edge") == 1,
            invert: value("inv") == 1,
            occ_invert: value("occ_invert") == 1,
            occ_edge: value("occ_edge") == 1,
            tid_en: value("tid_en") == 1,
            ..Setting::default()
        };
        Self {
            kind,
            instance,
            setting: filters::with_filters(kind, setting, &words),
            running: env.running(kind).contains(&(words[0] & select_bits(kind))),
            words,
        }
    }

    /// Returns the fixed counter of the event, by its event select.
    pub(super) fn fixed(&self) -> Option<u64> {
        let fixed = self.kind.has_fixed() && self.setting.event == FIXED_EVENT;
        (fixed || self.running).then_some(self.words[0] & select_bits(self.kind))
    }

    pub(super) fn is_view(&self) -> bool {
        let has_view = Catalogue::get().has(BoxKind::Cbox, "counter0_occupancy");
        has_view && self.kind == BoxKind::Cbox && self.setting.event == COUNTER0_OCCUPANCY
    }

    pub(super) fn is_viewed(&self) -> bool {
        self.kind == BoxKind::Cbox && OCCUPANCIES.contains(&self.setting.event)
    }

    /// Returns whether the event needs registers that may be in a function of their own.
    pub(super) fn uses_filters(&self) -> bool {
        rule(self.kind, &self.setting) == Some(Rule::CtoCount)
    }

    /// Returns the counters that can count the event, bit k for counter k.
    pub(super) fn counters(&self) -> u8 {
        let Setting { ext, event, .. } = self.setting;
        let facts = Catalogue::get().facts(self.kind, ext, event);
        facts.map_or(0, |facts| facts.placement)
    }

    /// Returns the reasons to refuse the event by itself.
    pub(super) fn objections(&self) -> Vec<Reason> {
        let mut reasons = Vec::new();
        let mut object = |wrong: bool, reason| {
            if wrong {
                reasons.push(reason);
            }
        };
        object(self.has_free_bits(), Reason::FreeBit);
        // On an idle machine no counter overflows while the driver is loaded. The driver
        // has then seen no interrupt, and polls.
        let interval = value(self.kind, "interval", &self.words);
        object(interval != 0, Reason::Interval);
        if self.fixed().is_some() {
            object(self.has_more_than_event(), Reason::Fixed);
            return reasons;
        }
        let rows = self.rows();
        if rows.is_empty() {
            object(true, Reason::Event);
            return reasons;
        }
        object(!self.is_sub_event(&rows), Reason::SubEvent);
        // Counting below a threshold that is out of reach counts every cycle.
        let beyond = u32::from(self.setting.thresh) > self.reach(&rows);
        let below = self.setting.invert || self.setting.occ_invert;
        object(beyond && !below, Reason::Threshold);
        object(self.has_wrong_edge(), Reason::Edge);
        reasons.extend(filters::objections(self.kind, &self.setting, &self.words));
        reasons
    }

    /// Returns the sub-events of the event, those included that need a register which no
    /// document describes.
    fn rows(&self) -> Vec<&'static Row> {
        let Setting { ext, event, .. } = self.setting;
        let rows = Catalogue::get().of(self.kind);
        let of_event = rows.filter(|row| (row.ext, row.code) == (Some(ext), event));
        of_event
            .filter(|row| row.needs.undocumented || row.name().is_some())
            .collect()
    }

    fn has_free_bits(&self) -> bool {
        let mut owned = [0; 5];
        for field in fields(self.kind) {
            let (word, mask) = bits(field);
            owned[word] |= mask;
        }
        let mut words = self.words.iter().zip(owned);
        words.any(|(word, owned)| word & !owned != 0)
    }

    /// Returns whether the words have more than event select and interval.
    fn has_more_than_event(&self) -> bool {
        let [config, rest @ ..] = self.words;
        let (_, interval) = field(self.kind, "interval").unwrap_or_default();
        config & !select_bits(self.kind) & !interval != 0 || rest != [0; 4]
    }

    /// Returns whether the umask is a listed sub-event or a valid combination of several.
    fn is_sub_event(&self, rows: &[&Row]) -> bool {
        let umask = self.setting.umask;
        let code = self.setting.event;
        let listed = rows.iter().any(|row| row.umask == umask);
        let dead = rows.iter().filter(|row| row.needs.undocumented);
        if dead.fold(0, |dead, row| dead | row.umask) & umask != 0 {
            return false;
        }
        if listed || umask == 0 {
            return listed;
        }
        if !may_combine(self.kind, code, umask) {
            return false;
        }
        let within = rows.iter().filter(|row| row.umask & !umask == 0);
        within.fold(0, |sum, row| sum | row.umask) == umask
    }

    /// Returns the greatest increment of a cycle, as far as it is known.
    fn reach(&self, rows: &[&Row]) -> u32 {
        let printed = rows.iter().filter_map(|row| row.printed_max).max();
        let largest = self.kind.largest_increment();
        match printed {
            // The list has 8 for the cores of an occupancy, of which a part may have more.
            Some(most) if self.kind == BoxKind::Pcu && most > 1 => largest,
            Some(most) => most.clamp(1, largest),
            None if rows.iter().any(|row| is_queue_of_sbox(row)) => SBOX_QUEUE.min(largest),
            None => largest,
        }
    }

    fn has_wrong_edge(&self) -> bool {
        let Setting {
            edge,
            invert,
            occ_edge,
            occ_invert,
            thresh,
            ..
        } = self.setting;
        let occupancy = self.kind == BoxKind::Pcu && self.setting.event & 0x80 != 0;
        let (own, others) = if occupancy {
            (occ_edge || occ_invert, edge || invert)
        } else {
            (edge || invert, occ_edge || occ_invert)
        };
        // Where no event can have a threshold, the edges are those of the event.
        let edges_of_threshold = field(self.kind, "thresh").is_some();
        // POWER_CKE_CYCLES (B-20).
        let both = self.kind == BoxKind::Imc && self.setting.event == 0x83 && edge && invert;
        let both =
            both && !readings_with("NoInvertedEdges", Processor::current().name()).is_empty();
        others || both || own && thresh == 0 && edges_of_threshold
    }
}

fn is_queue_of_sbox(row: &Row) -> bool {
    row.kind == BoxKind::Sbox && row.event.ends_with("_OCCUPANCY")
}

fn byte(word: u64) -> u8 {
    u8::try_from(word & 0xff).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::request::Request;
    use super::Env;
    use super::*;
    use uncore_e2e::expect::Filter;
    use uncore_e2e::fixture::probe::{Probe, Words};
    use uncore_e2e::platform::Platform;

    /// Returns the reasons to refuse these words.
    fn wrong(kind: BoxKind, words: &[u64]) -> Vec<Reason> {
        let env = Env::example();
        let mut all = [0; 5];
        all[..words.len()].copy_from_slice(words);
        Request::new(&env, env.pmu(&kind.pmu(0)), all).objections()
    }

    #[test]
    fn every_name_is_legal_with_the_filters_it_needs() {
        let filter = Filter {
            opc: 0x182,
            nid: 1,
            bands: [1; 4],
            config1: 1,
            config2: 1,
            ..Filter::default()
        };
        let legal = || {
            for row in Catalogue::get().rows() {
                let Some(probe) = Probe::of_row(row, 0, &filter) else {
                    continue;
                };
                let Words(words) = probe.words();
                assert_eq!(wrong(row.kind, &words), [], "{row:?}");
            }
        };
        for platform in Platform::ALL {
            platform.on(legal);
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        const OPCODE: u64 = 0x182 << 52;
        for (kind, words, reason) in [
            (BoxKind::Cbox, &[0xee][..], Reason::Event),
            (BoxKind::Cbox, &[0x0234], Reason::SubEvent),
            (BoxKind::Cbox, &[0x0111 | 2 << 8], Reason::SubEvent),
            (BoxKind::Cbox, &[0x0135], Reason::FilterMissing),
            (
                BoxKind::Cbox,
                &[0x0135, 0x82 << 52],
                Reason::FilterImpossible,
            ),
            (BoxKind::Cbox, &[0x0439, OPCODE], Reason::FilterUseless),
            (BoxKind::Cbox, &[0x0439, 3], Reason::FilterUseless),
            (BoxKind::Imc, &[0x0304 | 1 << 20], Reason::FreeBit),
            (BoxKind::Imc, &[0x0304, 0, 0, 1], Reason::FreeBit),
            (BoxKind::Imc, &[0x01ff], Reason::Fixed),
            (BoxKind::Imc, &[0x0304 | 2 << 24], Reason::Threshold),
            (BoxKind::Imc, &[0x0304 | 1 << 18], Reason::Edge),
            (BoxKind::Imc, &[0x0304 | 1 << 32], Reason::Interval),
            (BoxKind::Pcu, &[0x4080 | 1 << 30], Reason::Edge),
            (BoxKind::Pcu, &[0x0b], Reason::FilterMissing),
            (BoxKind::Pcu, &[0x0b, 0x0101], Reason::FilterUseless),
            (BoxKind::Pcu, &[0x20_01fe], Reason::FreeBit),
            (
                BoxKind::Qpi,
                &[0x20_0038, 0x1c00, 0x1800],
                Reason::FilterUseless,
            ),
        ] {
            assert_eq!(wrong(kind, words)[0], reason, "{kind} {words:x?}");
        }
    }

    #[test]
    fn what_is_wrong_on_broadwell_is_named() {
        let cases: &[(BoxKind, &[u64], Reason)] = &[
            (BoxKind::Ha, &[0x0b], Reason::Event),
            (BoxKind::Sbox, &[0x0111 | 1 << 19], Reason::FreeBit),
            (BoxKind::Pcu, &[0x20_0000], Reason::FreeBit),
            (BoxKind::Irp, &[0x0817], Reason::SubEvent),
            (BoxKind::Irp, &[0x8414], Reason::SubEvent),
            (BoxKind::Imc, &[0x15b0], Reason::SubEvent),
            (BoxKind::Cbox, &[0x4028], Reason::FilterMissing),
            (BoxKind::Cbox, &[0x8033], Reason::FilterMissing),
            (BoxKind::Cbox, &[0x2033, 1 << 32], Reason::FilterUseless),
            (BoxKind::Ubox, &[0x0842 | 1 << 23], Reason::Edge),
            (BoxKind::Pcu, &[0x0100_4080 | 1 << 23], Reason::Edge),
            (BoxKind::Pcu, &[0x1000_4080], Reason::Threshold),
            (BoxKind::Irp, &[0x0113 | 1 << 33], Reason::Interval),
            (BoxKind::Qpi, &[0x0100_0000 | 0x20_00ff], Reason::Fixed),
        ];
        Platform::Bdx.on(|| {
            for (kind, words, reason) in cases {
                assert_eq!(
                    wrong(*kind, words).first(),
                    Some(reason),
                    "{kind} {words:x?}"
                );
            }
            let legal: &[(BoxKind, &[u64])] = &[
                (BoxKind::Irp, &[0x3917]),
                (BoxKind::Irp, &[0x4316 | 1 << 32]),
                (BoxKind::Imc, &[0x14b0]),
                (BoxKind::Cbox, &[0x8033, 1 << 32]),
                (BoxKind::Cbox, &[0x08_1134, 0x40 << 17 | 0x3f]),
                (BoxKind::Ubox, &[0x0100_0842 | 1 << 23]),
                // Below a threshold that is out of reach.
                (BoxKind::Ubox, &[0x0200_0842 | 1 << 23]),
                (BoxKind::Qpi, &[0x20_00ff]),
            ];
            for (kind, words) in legal {
                assert_eq!(wrong(*kind, words), [], "{kind} {words:x?}");
            }
        });
    }

    #[test]
    fn what_is_wrong_in_an_s_box_is_named() {
        Platform::with(BoxKind::Mbox).on(|| {
            let at_least = |thresh: u64| wrong(BoxKind::Sbox, &[0x0416 | thresh << 24]);
            assert_eq!(at_least(64), []);
            assert_eq!(at_least(65), [Reason::Threshold]);
        });
    }

    #[test]
    fn what_is_wrong_on_a_client_is_named() {
        Platform::with(BoxKind::Arb).on(|| {
            for (kind, words, reason) in [
                (BoxKind::Cbox, &[0x1134 | 1 << 20][..], Reason::FreeBit),
                (BoxKind::Cbox, &[0x1134, 1], Reason::FreeBit),
                (BoxKind::Cbox, &[0xff], Reason::Event),
                (BoxKind::Cbox, &[0x1f], Reason::Event),
                (BoxKind::Cbox, &[0x1034], Reason::SubEvent),
                (BoxKind::Cbox, &[0x1022], Reason::SubEvent),
                (BoxKind::Arb, &[0x2181], Reason::SubEvent),
                (BoxKind::Arb, &[0x0180 | 1 << 23], Reason::Edge),
                (BoxKind::Arb, &[0x01ff], Reason::Fixed),
            ] {
                assert_eq!(wrong(kind, words), [reason], "{kind} {words:x?}");
            }
            let legal = [
                (BoxKind::Cbox, 0x3734),
                (BoxKind::Cbox, 0x5f22),
                // The list says that 10 is half full, not what is full.
                (BoxKind::Arb, 0x1f00_0180),
                (BoxKind::Arb, 0x0a84_0183),
                (BoxKind::Arb, 0xff),
            ];
            for (kind, config) in legal {
                assert_eq!(wrong(kind, &[config]), [], "{kind} {config:x}");
            }
        });
    }

    #[test]
    fn sub_events_are_those_listed_or_several_of_them() {
        let is = |words: &[u64]| wrong(BoxKind::Cbox, words).is_empty();
        assert!(!is(&[0x0734]), "two kinds of lookup");
        assert!(is(&[0x4334, 1 << 32]), "one, for a node");
        assert!(!is(&[0x0134]), "no kind of lookup");
        assert!(is(&[0x0513]), "two queues");
        assert!(!is(&[0x0713]), "rejected ones stand for themselves");
        assert!(!is(&[0x0c35]), "the TOR has listed ones only");
        assert!(!is(&[0x011e]), "half of a direction");
    }
}
