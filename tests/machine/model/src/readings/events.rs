// SPDX-License-Identifier: GPL-2.0

//! What the readings change in what a counter counts.

use crate::catalogue::{BoxType, Event};
use crate::layout::{Request, FIXED, INVERT};
use crate::program::{Program, EDGE_DET, OCC_EDGE_DET, OCC_INVERT, TID_EN};
use crate::readings::Reading;
use crate::traffic::{EventSelect, UMASK_ZERO};

/// `occ_sel` of a PCU control register that chooses cores in C0.
const CORES_C0: u8 = 0x40;

/// POWER_STATE_OCCUPANCY of the PCU.
const POWER_STATE_OCCUPANCY: u8 = 0x80;

/// ARB_WINS of the C-Box.
const ARB_WINS: u8 = 0x09;

/// Occupancies of the ARB.
const TRK_OCCUPANCY: u8 = 0x80;
const COH_TRK_OCCUPANCY: u8 = 0x83;

/// The R2S and B2S rings of the S-Box of the first E7, and the codes of the events that the Xeon 7500
/// has there: R2S and B2S take turns.
const RINGS: [u8; 6] = [0x2a, 0x2b, 0x2c, 0x2d, 0x2e, 0x2f];
const RINGS_OF_NEHALEM: [u8; 6] = [0x2a, 0x2d, 0x2b, 0x2e, 0x2c, 0x2f];

/// Events that other counters can count by a reading: bit k for counter k.
#[rustfmt::skip]
const COUNTERS: &[(Reading, BoxType, &[u8], u8)] = &[
    (Reading::ConflictsOnAll, BoxType::Ha, &[CONFLICT_CYCLES], 0b1111),
    // IOT_BACKPRESSURE, IOT_CTS_EAST_LO, IOT_CTS_WEST_LO, IOT_CTS_HI.
    (Reading::BackpressureOnAll, BoxType::Ha, &[0x61, 0x62, 0x64, 0x65], 0b1111),
    // FAST_ASSERTED.
    (Reading::FastOnCounter0, BoxType::Cbox, &[0x09], 0b0001),
    // CLOCKTICKS.
    (Reading::LinkClocksOnTwo, BoxType::R3qpi, &[0x01], 0b011),
    // TxR_CYCLES_NE, TxR_INSERTS, TxR_CYCLES_FULL.
    (Reading::EgressOnTwo, BoxType::R2pcie, &[0x23, 0x24, 0x25], 0b0011),
    // TxR_STARVED, RING_SINK_STARVED, RxR_INT_STARVED.
    (Reading::StarvedOnAll, BoxType::Cbox, &[0x03, 0x06, 0x14], 0b1111),
    // SBO0_CREDIT_OCCUPANCY, SBO1_CREDIT_OCCUPANCY.
    (Reading::CreditsOnAll, BoxType::R3qpi, &[0x2a, 0x2b], 0b111),
];

/// Events that have the extended bit the other way by a reading: CTO_COUNT, RxL_STALLS,
/// DEMOTIONS_CORE0.
const OTHER_EXT: &[(Reading, BoxType, u8)] = &[
    (Reading::PacketsWithoutExt, BoxType::Qpi, 0x38),
    (Reading::StallsWithExt, BoxType::Qpi, 0x35),
    (Reading::DemotionsWithExt, BoxType::Pcu, 0x1e),
];

/// Events of the home agent that are said not to work: DIRECTORY_LOOKUP, DIRECTORY_UPDATE,
/// DIRECT2CORE_COUNT, _CYCLES_DISABLED and _TXN_OVERRIDE.
const BROKEN: [u8; 5] = [0x0c, 0x0d, 0x11, 0x12, 0x13];

/// Events of BDX.
const CONFLICT_CYCLES: u8 = 0x0b;
const BT_OCCUPANCY: u8 = 0x43;
const POWER_CKE_CYCLES: u8 = 0x83;

/// The ring events of R2PCIe and R3QPI.
const RING_EVENTS: std::ops::RangeInclusive<u8> = 0x07..=0x0a;

/// PKG_C_STATE_RESIDENCY_C0_CYCLES to those of C6, of the PCU.
const PACKAGE_STATES: std::ops::RangeInclusive<u8> = 0x2a..=0x2d;

/// FREQ_MIN_PERF_P_CYCLES of the PCU, and what it is without the extended bit.
const MIN_PERF: EventSelect = select(true, 0x02);
const MIN_PERF_WITHOUT_EXT: EventSelect = select(false, 0x62);

const fn select(ext: bool, code: u8) -> EventSelect {
    EventSelect { ext, code }
}

/// Attributes by which a C-Box filters. The umask chooses the others.
const CRITERIA: [&str; 6] = ["state", "nid", "opc", "tid", "nc", "isoc"];

/// The occupancies of the home agent, whose queues have counters of their own.
const QUEUES: [u8; 4] = [0x28, 0x30, 0x34, 0x43];

impl Program {
    fn has(&self, reading: Reading) -> bool {
        self.readings.has(reading)
    }

    /// The event that stands for another one.
    pub(crate) fn meant(&self, select: EventSelect) -> Option<EventSelect> {
        if self.layout.kind != BoxType::Pcu || !self.has(Reading::MinPerfWithoutExt) {
            return Some(self.carried(select));
        }
        match select {
            MIN_PERF => None,
            MIN_PERF_WITHOUT_EXT => Some(MIN_PERF),
            other => Some(other),
        }
    }

    /// The event select that stands for another one, signals and all.
    pub(crate) fn carried(&self, select: EventSelect) -> EventSelect {
        let rings = RINGS.iter().zip(RINGS_OF_NEHALEM);
        let moved = self.layout.kind == BoxType::Sbox && self.has(Reading::RingsOfNehalem);
        let other = rings
            .filter(|_| moved)
            .find(|(code, _)| **code == select.code);
        let mut flipped = OTHER_EXT.iter();
        let flipped = flipped.any(|(reading, kind, code)| {
            self.has(*reading) && (*kind, *code) == (self.layout.kind, select.code)
        });
        let no_ext = self.layout.kind == BoxType::Pcu && self.has(Reading::NoExtOfPcu);
        EventSelect {
            code: match other {
                Some((_, code)) => code,
                None if self.joins_by(select.code) => select.code & 0x7f,
                None => select.code,
            },
            ext: (select.ext ^ flipped) && !no_ext,
        }
    }

    /// Tells if a counter counts nothing of its event.
    pub(crate) fn is_silenced(&self, counter: usize, event: &Event) -> bool {
        let EventSelect { ext, code } = self.select(counter);
        let of_lists = event.is_of_lists && self.has(Reading::NothingOfLists);
        let here = match self.layout.kind {
            BoxType::Ubox => code == 0 && self.has(Reading::NoEventZero),
            BoxType::Cbox => {
                let thread = self.controls[counter] & TID_EN != 0;
                let no_wins = code == ARB_WINS && self.has(Reading::NoWins);
                event.is_clock && thread && self.has(Reading::ClocksHaveNoThread)
                    || self.yields_criterion(counter)
                    || no_wins
            }
            BoxType::Ha if self.has(Reading::NothingOfBroken) => {
                BROKEN.contains(&code) || code == CONFLICT_CYCLES && self.umask(counter) == 1
            }
            BoxType::Ha => match code {
                CONFLICT_CYCLES | BT_OCCUPANCY => {
                    self.umask(counter) == 0 && self.has(Reading::NothingOfUmaskZero)
                        || code == CONFLICT_CYCLES && self.has(Reading::NoConflicts)
                }
                _ => false,
            },
            BoxType::Imc => {
                const BOTH: u32 = INVERT | EDGE_DET;
                let both = self.controls[counter] & BOTH == BOTH;
                code == POWER_CKE_CYCLES && both && self.has(Reading::NoInvertedEdges)
            }
            BoxType::Pcu => {
                let states = PACKAGE_STATES.contains(&code);
                let other = if ext {
                    Reading::PackageStatesWithoutExt
                } else {
                    Reading::PackageStatesWithExt
                };
                let on_0 = code == POWER_STATE_OCCUPANCY && counter == 0;
                // No event of this traffic has a cycle with cores in a state.
                let below = self.thresh(counter) > 0 && self.controls[counter] & OCC_INVERT != 0;
                self.joins(counter) && !below
                    || states && self.has(other)
                    || on_0 && self.has(Reading::NoOccupancyOnCounter0)
                    || self.is_joined(counter)
            }
            BoxType::R2pcie | BoxType::R3qpi => {
                let ring = RING_EVENTS.contains(&code) && self.has(Reading::RingCounters);
                ring && counter < 2
            }
            _ => false,
        };
        let inverts = self.controls[counter] & INVERT != 0 && self.thresh(counter) == 0;
        let inverted = inverts && self.has(Reading::NoInvertWithoutThreshold);
        of_lists || here || inverted || self.lacks_umask(counter, event)
    }

    /// Tells if a counter can count its event.
    pub(crate) fn allows(&self, counter: usize, event: &Event) -> bool {
        let listed = event.counters >> self.set_index(counter) & 1 == 1;
        let EventSelect { ext, code } = self.select(counter);
        let mut others = COUNTERS.iter().filter(|(reading, kind, codes, _)| {
            self.has(*reading) && self.layout.kind == *kind && !ext && codes.contains(&code)
        });
        if let Some((.., counters)) = others.next() {
            return counters >> counter & 1 == 1;
        }
        match self.layout.kind {
            BoxType::Cbox if self.has(Reading::FourCounters) => true,
            BoxType::Arb if code == TRK_OCCUPANCY && self.thresh(counter) > 0 => {
                listed || self.has(Reading::OccupancyOnCounter1)
            }
            _ => listed,
        }
    }

    /// Tells if an event needs bit 0 of the umask, and has it not.
    fn lacks_umask(&self, counter: usize, event: &Event) -> bool {
        self.takes_umask_of_all(event) && self.umask(counter) & 1 == 0
    }

    /// Tells if bit 0 of the umask is what an event without sub-events needs.
    pub(crate) fn takes_umask_of_all(&self, event: &Event) -> bool {
        let whole = event.signals == 1 << UMASK_ZERO && !event.is_clock;
        whole && self.layout.fields.umask & 1 == 1 && self.has(Reading::UmaskOfAll)
    }

    /// The signals of an event without sub-events whose umask is not 0.
    pub(crate) fn signals_of_all(&self, counter: usize, event: &Event) -> Option<u16> {
        let all = self.takes_umask_of_all(event) && self.umask(counter) & 1 == 1;
        all.then_some(event.signals)
    }

    /// Tells if a counter of the PCU counts only while the occupancy on counter 0 holds, which
    /// the events of this traffic never do together.
    fn is_joined(&self, counter: usize) -> bool {
        let holds = self.enables(0) && self.is_occupancy(0) && self.thresh(0) > 0;
        counter == 1 && holds && !self.is_occupancy(1) && self.has(Reading::CountersJoin)
    }

    /// Tells if a lower counter of a C-Box filters by other fields.
    fn yields_criterion(&self, counter: usize) -> bool {
        if !self.has(Reading::OneCriterion) {
            return false;
        }
        let own = self.criteria(counter);
        let mut lower = (0..counter).map(|other| self.criteria(other));
        let first = lower.find(|other| !other.is_empty());
        !own.is_empty() && first.is_some_and(|first| first != own)
    }

    /// Returns the attributes by which the event of a counter is filtered.
    fn criteria(&self, counter: usize) -> Vec<&'static str> {
        let enabled = counter != FIXED && self.enables(counter);
        let Some(event) = self.event(counter).filter(|_| enabled) else {
            return Vec::new();
        };
        let selection = (self.layout.select)(&Request {
            event,
            select: self.select(counter),
            umask: self.umask(counter),
            control: self.controls[counter],
            filters: &self.filters,
            readings: self.readings,
        });
        let names = selection
            .conditions
            .iter()
            .map(|condition| condition.attribute);
        names.filter(|name| CRITERIA.contains(name)).collect()
    }

    /// The largest value of a cycle.
    pub(crate) fn peak(&self, counter: usize, event: &Event) -> u32 {
        let known = self.peak_of(counter, event);
        let other = counter > 0 && !self.shows_counter_0(counter);
        if event.is_of_lists && self.has(Reading::LargeEventsOfLists) {
            self.layout.catalogue.largest(self.layout.kind)
        } else if event.is_unknown && self.has(Reading::LargeUnknown) {
            u8::MAX.into()
        } else if self.layout.kind == BoxType::Cbox && other && self.has(Reading::OneBesideCounter0)
        {
            1
        } else {
            known
        }
    }

    fn peak_of(&self, counter: usize, event: &Event) -> u32 {
        let EventSelect { ext, code } = self.select(counter);
        let no_thresh = self.thresh(counter) == 0;
        match self.layout.kind {
            BoxType::Cbox
                if no_thresh
                    && self.shows_counter_0(counter)
                    && self.has(Reading::OneOfCounter0) =>
            {
                1
            }
            BoxType::Pcu if code == POWER_STATE_OCCUPANCY && self.has(Reading::FifteenCores) => 15,
            BoxType::Qpi if (ext, code) == (false, 0x07) && self.has(Reading::OtherMaxima) => 128,
            BoxType::Imc if code == 0x83 && self.has(Reading::OtherMaxima) => 1,
            BoxType::Ubox if !event.is_clock && self.has(Reading::LargeUboxEvents) => 31,
            BoxType::Arb if code == TRK_OCCUPANCY || code == COH_TRK_OCCUPANCY => {
                if self.has(Reading::LargeOccupancies) {
                    31
                } else {
                    event.peak
                }
            }
            _ => event.peak,
        }
    }

    /// The bits of a control register that detect edges.
    pub(crate) fn edge_bits(&self, counter: usize) -> u32 {
        let (mut usual, mut of_occupancy) = (EDGE_DET, 0);
        if self.is_occupancy(counter) {
            of_occupancy = OCC_EDGE_DET;
            if self.has(Reading::NoEdgeOfOccupancies) {
                usual = 0;
            }
            if self.has(Reading::NoOccupancyEdge) {
                of_occupancy = 0;
            }
        }
        let nothing = self.thresh(counter) == 0 && self.has(Reading::NoEdgeWithoutThreshold);
        if nothing {
            0
        } else {
            usual | of_occupancy
        }
    }

    /// The bits of a control register that invert.
    pub(crate) fn invert_bits(&self, counter: usize) -> u32 {
        let is_cbox = self.layout.kind == BoxType::Cbox;
        let lacks = is_cbox && self.has(Reading::NoInvertOfCboxes);
        let usual = if self.layout.fields.has_invert && !lacks {
            INVERT
        } else {
            0
        };
        match (
            self.is_occupancy(counter),
            self.has(Reading::NoInvertOfOccupancies),
        ) {
            (false, _) => usual,
            (true, false) => usual | OCC_INVERT,
            (true, true) => OCC_INVERT,
        }
    }

    /// The umask that acts for the one in a control register.
    pub(crate) fn acting_umask(&self, counter: usize, umask: u8) -> u8 {
        let zero = umask == 0 && self.is_occupancy(counter);
        if zero && self.has(Reading::OccupancyZero) {
            CORES_C0
        } else {
            umask
        }
    }

    /// Tells if a counter of the home agent shows the occupancy of a queue.
    pub(crate) fn shows_queue(&self, counter: usize) -> bool {
        let queue = QUEUES.contains(&self.select(counter).code);
        self.layout.kind == BoxType::Ha && queue && self.has(Reading::OccupancyAwaitsReset)
    }
}
