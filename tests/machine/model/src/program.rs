// SPDX-License-Identifier: GPL-2.0

//! Turns the control and filter registers of a box into the waveforms of its
//! counters.
//!
//! Takes register values, gives a [`Waveform`] or the catalogue's rules that the
//! values break. Documentation/hardware/ivbep.rst sections 6, 7 and 9;
//! traffic.rst for what counts.

use uncore_catalogue::Weights;

use crate::catalogue::{BoxType, Event};
use crate::filter::Filter;
use crate::layout::{BoxLayout, Request, FILTERS, FIXED};
use crate::readings::Readings;
use crate::traffic::{Blocks, EventSelect, Shape, Signal, Source, Waveform, UMASK_ZERO};
use crate::violation::{Finding, Rule};

/// The C-Box event that shows counter 0's occupancy on counters 1 to 3.
const COUNTER0_OCCUPANCY: u8 = 0x1f;

/// The C-Box events it can show.
const OCCUPANCIES: [u8; 2] = [0x11, 0x36];

/// `edge_det` of every control register.
pub(crate) const EDGE_DET: u32 = 1 << 18;

/// `tid_en` of a C-Box.
pub(crate) const TID_EN: u32 = 1 << 19;

/// `occ_edge_det` of the PCU's.
pub(crate) const OCC_EDGE_DET: u32 = 1 << 31;

/// `occ_invert` of the PCU's.
pub(crate) const OCC_INVERT: u32 = 1 << 30;

/// The registers of a box that define the waveforms of its counters.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) layout: &'static BoxLayout,
    pub(crate) source: Source,
    pub(crate) controls: [u32; FIXED + 1],
    pub(crate) filters: [u32; FILTERS],
    /// Attributes of transactions that no filter looks at, by a defect.
    pub(crate) passed: Vec<&'static str>,
    /// The traffic is *server*.
    pub(crate) flows: bool,
    /// Largest increment of the event, if it is not that of the catalogue.
    pub(crate) max_inc: Option<u32>,
    /// The points with another reading than the first.
    pub(crate) readings: Readings,
}

impl Program {
    /// Returns the waveform of a counter, which is silent if the counter is not
    /// enabled.
    pub(crate) fn waveform(&self, counter: usize) -> Waveform {
        if !self.enables(counter) {
            return Waveform::Silent;
        }
        if counter == FIXED {
            return Waveform::Clock(CLOCK);
        }
        let Some(event) = self.event(counter) else {
            return Waveform::Silent;
        };
        if !self.allows(counter, event) {
            return Waveform::Silent;
        }
        if self.is_silenced(counter, event) {
            return Waveform::Silent;
        }
        if event.is_clock {
            return Waveform::Clock(self.shape(counter, event));
        }
        self.blocks(counter)
    }

    fn blocks(&self, counter: usize) -> Waveform {
        let Some(shown) = self.shown_by(counter) else {
            return Waveform::Silent;
        };
        let Some(event) = self.event(shown) else {
            return Waveform::Silent;
        };
        let select = self.select(shown);
        let carried = self.carried(select);
        let mut selection = (self.layout.select)(&Request {
            event,
            select: carried,
            umask: self.umask(shown),
            control: self.controls[shown],
            filters: &self.filters,
            readings: self.readings,
        });
        if let Some(signals) = self.signals_of_all(shown, event) {
            selection.signals = signals;
        }
        let conditions = &mut selection.conditions;
        conditions.retain(|condition| !self.passed.contains(&condition.attribute));
        let source = self.source_of(shown);
        let shape = self.shape(counter, event);
        // Blocks are as many by any reading of the largest increment.
        let gain = Shape {
            peak: event.peak,
            ..shape
        }
        .gain();
        if self.flows {
            if let Some(signal) = self.request(shown, gain) {
                let flows = ["miss", "local", "nid"];
                conditions.retain(|condition| !flows.contains(&condition.attribute));
                let filter = Filter::new(selection.conditions);
                return Waveform::Blocks(Blocks::new(vec![signal], shape, filter));
            }
        }
        let make = |source, select, number| {
            if self.flows {
                let umask = if number == UMASK_ZERO {
                    0
                } else {
                    1_u8 << number
                };
                let weights = self.weights(select, umask);
                let of = (select, number);
                Signal::of_flow(source, of, weights, gain, self.layout.clock)
            } else {
                Signal::new(source, select, number)
            }
        };
        let sent = selection.sender.and_then(|sender| self.sent(sender));
        let signals = (0..=8).filter(|signal| selection.signals >> signal & 1 == 1);
        let others = selection.others.into_iter();
        let others = others.map(|(select, signal)| make(source, select, signal));
        let signals = signals.map(|signal| match sent {
            Some((sender, sent)) if sent >> signal & 1 == 1 => {
                make(source.other_end(), sender, signal)
            }
            _ => make(source, carried, signal),
        });
        let filter = Filter::new(selection.conditions);
        Waveform::Blocks(Blocks::new(signals.chain(others).collect(), shape, filter))
    }

    /// What a signal counts of the flows.
    fn weights(&self, select: EventSelect, umask: u8) -> Option<Weights> {
        self.layout
            .catalogue
            .weights(self.layout.kind, select, umask)
    }

    /// The requests of a C-Box that a TOR event counts: misses and those of one package are flows of
    /// their own.
    fn request(&self, counter: usize, gain: u32) -> Option<Signal> {
        const NID: u8 = 0x40;
        let select = self.select(counter);
        let is_tor = self.layout.kind == BoxType::Cbox && self.layout.quirks.shows_counter_0;
        if !is_tor || !matches!(select.code, 0x35 | 0x36) {
            return None;
        }
        let (umask, source) = (self.umask(counter), self.source_of(counter));
        let mut weights = self.weights(select, umask & !NID)?;
        if umask & NID != 0 && !self.passed.contains(&"nid") {
            // The node of a package is its number.
            let has = |node: u8| i64::from(self.filters[1] >> node & 1);
            weights.local *= has(source.package);
            weights.out *= has(source.peer);
        }
        let (of, clock) = ((select, 0), self.layout.clock);
        Some(Signal::of_flow(source, of, Some(weights), gain, clock))
    }

    /// An event at the other end of the link with the signals it has; idle flits are not among them.
    fn sent(&self, sender: EventSelect) -> Option<(EventSelect, u16)> {
        const FLITS: EventSelect = EventSelect {
            ext: false,
            code: 0x00,
        };
        let event = self.layout.catalogue.event(self.layout.kind, sender)?;
        Some((sender, event.signals & !u16::from(sender == FLITS)))
    }

    /// The counter whose event this one shows: itself, or counter 0.
    fn shown_by(&self, counter: usize) -> Option<usize> {
        if !self.shows_counter_0(counter) {
            return Some(counter);
        }
        OCCUPANCIES.contains(&self.select(0).code).then_some(0)
    }

    pub(crate) fn shows_counter_0(&self, counter: usize) -> bool {
        self.layout.quirks.shows_counter_0
            && self.select(counter).code == COUNTER0_OCCUPANCY
            && self.event(counter).is_some()
    }

    /// Tells if an enabled counter shows an occupancy that counter 0 does not
    /// count.
    pub(crate) fn lacks_occupancy(&self, counter: usize) -> bool {
        let enabled = counter != FIXED && self.enables(counter);
        enabled && self.shown_by(counter).is_none()
    }

    /// The catalogue's rules that the control register of a counter breaks.
    pub(crate) fn judge(&self, counter: usize) -> Vec<Finding> {
        if counter == FIXED || !self.enables(counter) {
            return Vec::new();
        }
        let select = self.select(counter);
        let code = u64::from(select.code) | u64::from(select.ext) << 21;
        let by_first = || self.layout.catalogue.event(self.layout.kind, select);
        let Some(event) = self.event(counter).or_else(by_first) else {
            return vec![Finding::new(Rule::UnknownEvent, code)];
        };
        let umask = self.umask(counter);
        let listed = (self.layout.lists)(event, select, umask)
            || umask == 1 && self.takes_umask_of_all(event);
        let fits = self.allows(counter, event);
        let asks_edge = self.controls[counter] & EDGE_DET != 0;
        let needs_thresh = self.layout.fields.need_thresh
            && (asks_edge || self.edge(counter) || self.invert(counter));
        let misplaced = self.misplaced_occupancy_bits(counter);
        let rules = [
            (!listed, Finding::new(Rule::UnknownUmask, umask)),
            (!fits, Finding::new(Rule::WrongCounter, code)),
            (
                needs_thresh && self.thresh(counter) == 0,
                Finding::new(Rule::NoThreshold, 0_u32),
            ),
            (misplaced != 0, Finding::new(Rule::OccupancyOnly, misplaced)),
        ];
        let broken = rules.into_iter().filter(|(broken, _)| *broken);
        broken.map(|(_, finding)| finding).collect()
    }

    pub(crate) fn enables(&self, counter: usize) -> bool {
        self.controls[counter] & self.layout.enable_of(counter) != 0
    }

    pub(crate) fn event(&self, counter: usize) -> Option<&'static Event> {
        let meant = self.meant(self.select(counter))?;
        self.layout.catalogue.event(self.layout.kind, meant)
    }

    /// Returns the source of a counter's signals: each set of counters has its own.
    fn source_of(&self, counter: usize) -> Source {
        let set = u8::try_from(counter / self.layout.counters_per_set).unwrap_or(0);
        Source {
            instance: self.source.instance + set,
            ..self.source
        }
    }

    /// The counter's number as the catalogue has it.
    pub(crate) fn set_index(&self, counter: usize) -> usize {
        counter % self.layout.counters_per_set
    }

    pub(crate) fn select(&self, counter: usize) -> EventSelect {
        self.layout
            .fields
            .coding
            .select(counter, self.controls[counter])
    }

    pub(crate) fn umask(&self, counter: usize) -> u8 {
        if self.joins(counter) {
            // It is of the occupancy.
            return 0;
        }
        let umask = (self.controls[counter] >> 8 & 0xff) as u8 & self.layout.fields.umask;
        self.acting_umask(counter, umask)
    }

    pub(crate) fn thresh(&self, counter: usize) -> u32 {
        self.controls[counter] >> 24 & self.layout.fields.thresh
    }

    /// Tells if bits 31:30 act: for events of the PCU that use an occupancy.
    pub(crate) fn is_occupancy(&self, counter: usize) -> bool {
        self.layout.fields.has_occupancy && self.controls[counter] & 0x80 != 0
    }

    /// Tells if an event counts while an occupancy holds.
    pub(crate) fn joins(&self, counter: usize) -> bool {
        self.joins_by((self.controls[counter] & 0xff) as u8)
    }

    /// Tells if an event select has an event and an occupancy.
    pub(crate) fn joins_by(&self, code: u8) -> bool {
        self.layout.quirks.joins_occupancy && code > 0x80
    }

    /// Bits 31:30 of an event that uses no occupancy.
    fn misplaced_occupancy_bits(&self, counter: usize) -> u32 {
        if self.layout.fields.has_occupancy && !self.is_occupancy(counter) {
            self.controls[counter] & (OCC_EDGE_DET | OCC_INVERT)
        } else {
            0
        }
    }

    /// SPEC: edge_det and occ_edge_det do the same to an occupancy (U-29).
    fn edge(&self, counter: usize) -> bool {
        self.controls[counter] & self.edge_bits(counter) != 0
    }

    /// SPEC: where both exist, invert and occ_invert do the same to an occupancy (B-17).
    fn invert(&self, counter: usize) -> bool {
        self.controls[counter] & self.invert_bits(counter) != 0
    }

    fn shape(&self, counter: usize, event: &Event) -> Shape {
        // Beside an event all this is of the occupancy.
        let own = !self.joins(counter);
        Shape {
            peak: self.max_inc.unwrap_or_else(|| self.peak(counter, event)),
            thresh: if own { self.thresh(counter) } else { 0 },
            edge: own && self.edge(counter),
            invert: own && self.invert(counter),
            flows: self.flows,
        }
    }
}

/// The shape of a fixed counter.
const CLOCK: Shape = Shape {
    peak: 1,
    thresh: 0,
    edge: false,
    invert: false,
    flows: false,
};
