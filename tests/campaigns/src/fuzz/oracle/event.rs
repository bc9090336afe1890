// SPDX-License-Identifier: GPL-2.0

//! Config words that a box can count, from Documentation/hardware/ivbep.rst (by way of
//! the catalogue) and the user's page.

use super::filters;
use super::reason::Reason;
use crate::fuzz::env::Pmu;
use uncore_e2e::catalogue::{BoxKind, Catalogue, Row, FIXED_EVENT};
use uncore_e2e::expect::{Filter, Setting};
use uncore_e2e::formats::{bits, fields, INTERVAL};

/// COUNTER0_OCCUPANCY of the C-Box.
const COUNTER0_OCCUPANCY: u8 = 0x1f;

/// The occupancies that COUNTER0_OCCUPANCY can show.
const OCCUPANCIES: [u8; 2] = [0x11, 0x36];

/// Events of the C-Box's TOR, of which only the listed sub-events are valid.
const TOR: [u8; 2] = [0x35, 0x36];

/// Events of the C-Box's ingress, whose umasks for rejected requests cannot be combined.
const INGRESS: [u8; 2] = [0x11, 0x13];
const REJECTED: u8 = 0x02;

/// Greatest value of the PCU's occupancy sub-counters, which have four bits (U-34).
const MOST_CORES: u32 = 15;

/// Bits of the event select, its extension included.
const SELECT: u64 = 0x20_00ff;

/// Request of config words to a box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) kind: BoxKind,
    /// Instance of the box; for an IRP, the set.
    pub(super) instance: u8,
    /// Programming of the counter.
    pub(super) setting: Setting,
    /// True for one of the PCU's counters that always run.
    residency: bool,
    words: [u64; 5],
    interval: u64,
}

impl Asked {
    /// Parses the words; `residencies` are the codes of the PCU's residency events, which
    /// are in no catalogue.
    pub(super) fn new(pmu: &Pmu, words: [u64; 5], residencies: [u64; 2]) -> Self {
        let kind = pmu.kind;
        let instance = match kind {
            BoxKind::Irp => u8::from(words[0] >> 32 & 1 == 1),
            _ => pmu.instance,
        };
        let setting = Setting {
            event: byte(words[0]),
            ext: takes_extended(kind) && words[0] >> 21 & 1 == 1,
            umask: match kind {
                BoxKind::Pcu => byte(words[0] >> 8) & 0xc0,
                _ => byte(words[0] >> 8),
            },
            thresh: byte(words[0] >> 24) & thresh_mask(kind),
            edge: words[0] >> 18 & 1 == 1,
            invert: false,
            occ_invert: kind == BoxKind::Pcu && words[0] >> 30 & 1 == 1,
            occ_edge: kind == BoxKind::Pcu && words[0] >> 31 & 1 == 1,
            filter: Filter::default(),
        };
        Self {
            kind,
            instance,
            setting: setting.filtered(filters::read(kind, &setting, &words)),
            residency: kind == BoxKind::Pcu && residencies.contains(&(words[0] & SELECT)),
            words,
            interval: if has_interval(kind) {
                words[0] >> 32
            } else {
                0
            },
        }
    }

    /// Returns the fixed counter of the event, by its event select.
    pub(super) fn fixed(&self) -> Option<u64> {
        let select = self.words[0] & SELECT;
        let fixed = self.kind.has_fixed() && self.setting.event == FIXED_EVENT;
        (fixed || self.residency).then_some(select)
    }

    pub(super) fn is_view(&self) -> bool {
        self.kind == BoxKind::Cbox && self.setting.event == COUNTER0_OCCUPANCY
    }

    pub(super) fn is_viewed(&self) -> bool {
        self.kind == BoxKind::Cbox && OCCUPANCIES.contains(&self.setting.event)
    }

    /// Returns whether the event needs registers that may be in a function of their own.
    pub(super) fn uses_filters(&self) -> bool {
        self.kind == BoxKind::Qpi && filters::counts_packets(&self.setting)
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
        object(self.interval != 0, Reason::Interval);
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
        object(beyond && !self.setting.occ_invert, Reason::Threshold);
        object(self.has_wrong_edge(), Reason::Edge);
        reasons.extend(filters::objections(self.kind, &self.setting, &self.words));
        reasons
    }

    fn rows(&self) -> Vec<&'static Row> {
        let Setting { ext, event, .. } = self.setting;
        let rows = Catalogue::get().of(self.kind);
        rows.filter(|row| (row.ext, row.code) == (Some(ext), event))
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
        let event = if self.residency { SELECT } else { 0xff };
        let more = if has_interval(self.kind) {
            config & 0xffff_ffff
        } else {
            config
        };
        more & !event != 0 || rest != [0; 4]
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
        let cbox = self.kind == BoxKind::Cbox;
        if cbox && TOR.contains(&code) {
            return false;
        }
        if cbox && INGRESS.contains(&code) && umask & REJECTED != 0 {
            return false;
        }
        let within = rows.iter().filter(|row| row.umask & !umask == 0);
        within.fold(0, |sum, row| sum | row.umask) == umask
    }

    /// Returns the greatest increment of a cycle, as far as it is known.
    fn reach(&self, rows: &[&Row]) -> u32 {
        let printed = rows.iter().filter_map(|row| row.max_inc).max();
        let largest = largest_increment(self.kind);
        match printed {
            Some(most) if self.kind == BoxKind::Pcu && most > 1 => MOST_CORES,
            Some(most) => most.clamp(1, largest),
            None => largest,
        }
    }

    fn has_wrong_edge(&self) -> bool {
        let Setting {
            edge,
            occ_edge,
            occ_invert,
            thresh,
            ..
        } = self.setting;
        let occupancy = self.kind == BoxKind::Pcu && self.setting.event & 0x80 != 0;
        if occupancy {
            edge || (occ_edge || occ_invert) && thresh == 0
        } else {
            occ_edge || occ_invert || edge && thresh == 0
        }
    }
}

fn byte(word: u64) -> u8 {
    u8::try_from(word & 0xff).unwrap_or(0)
}

fn takes_extended(kind: BoxKind) -> bool {
    matches!(kind, BoxKind::Pcu | BoxKind::Qpi)
}

fn thresh_mask(kind: BoxKind) -> u8 {
    match kind {
        BoxKind::Pcu | BoxKind::Ubox => 0x1f,
        _ => 0xff,
    }
}

/// Returns the greatest increment of a cycle in a box (Documentation/hardware/ivbep.rst,
/// section 1). The UBox has no documented limit, but its threshold is narrow.
fn largest_increment(kind: BoxKind) -> u32 {
    match kind {
        BoxKind::Cbox => 20,
        BoxKind::Sbox => 12,
        BoxKind::Pcu => MOST_CORES,
        BoxKind::R2pcie | BoxKind::Ubox => 31,
        BoxKind::Ha | BoxKind::Imc | BoxKind::Irp | BoxKind::Qpi | BoxKind::R3qpi => 255,
    }
}

fn has_interval(kind: BoxKind) -> bool {
    fields(kind).contains(&INTERVAL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::env::Env;
    use uncore_e2e::fixture::probe::{Probe, Words};

    /// Returns the reasons to refuse these words.
    fn wrong(kind: BoxKind, words: &[u64]) -> Vec<Reason> {
        let env = Env::example();
        let pmu = env.pmus.iter().find(|pmu| pmu.kind == kind);
        let mut all = [0; 5];
        all[..words.len()].copy_from_slice(words);
        Asked::new(pmu.expect("a PMU"), all, env.residencies).objections()
    }

    #[test]
    fn every_name_is_legal_with_the_filters_it_needs() {
        let filter = Filter {
            opc: 0x182,
            nid: 1,
            bands: [1; 4],
            ..Filter::default()
        };
        for row in Catalogue::get().rows() {
            let Some(probe) = Probe::of_row(row, 0, &filter) else {
                continue;
            };
            let Words(words) = probe.words();
            assert_eq!(wrong(row.kind, &words), [], "{row:?}");
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
    fn sub_events_are_those_listed_or_several_of_them() {
        let is = |words: &[u64]| wrong(BoxKind::Cbox, words).is_empty();
        assert!(is(&[0x0734]), "two kinds of lookup");
        assert!(is(&[0x4334, 1 << 32]), "and for a node");
        assert!(!is(&[0x0134]), "no kind of lookup");
        assert!(is(&[0x0513]), "two queues");
        assert!(!is(&[0x0713]), "rejected ones stand for themselves");
        assert!(!is(&[0x0c35]), "the TOR has listed ones only");
        assert!(!is(&[0x011e]), "half of a direction");
    }
}
