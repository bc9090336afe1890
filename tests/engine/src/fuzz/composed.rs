// SPDX-License-Identifier: GPL-2.0

//! Boxes whose events are composed of a control register and of registers that counters share:
//! the B-, M- and R-Box (sections 6, 7 and 12 to 15 of their page in Documentation/hardware). Of the
//! catalogue they have the events and the registers that each needs.

mod bbox;
mod mbox;
mod rbox;

use crate::fuzz::rng::Rng;
use uncore_catalogue::{rows_of, Row};
use uncore_e2e::catalogue::BoxKind;
use uncore_e2e::platform::Platform;

/// config, config1 and config2.
pub(super) type Words = [u64; 3];

/// A type of such boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Composed {
    Bbox,
    Mbox,
    Rbox,
}

/// Resources of its box that an event takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Event {
    /// Counters that can count it, bit k for counter k.
    pub(super) counters: u8,
    /// Bits of the words that have a meaning for it.
    pub(super) uses: Words,
    /// Bits that must not all be 0, or no bits.
    pub(super) needs: Words,
    /// True if bits that it uses have no effect in this request.
    pub(super) useless: bool,
    /// Values in registers that counters share.
    pub(super) shares: Vec<Share>,
}

/// A register, or a part of one, with its port if each port has one, and the value it must have.
pub(super) type Share = ((&'static str, u64), Words);

/// Values that several events of a case have in common.
pub(super) struct Taste([u64; 2]);

impl Taste {
    pub(super) fn new(rng: &mut Rng) -> Self {
        Self([rng.number(), rng.number()])
    }

    /// Returns one of the values.
    fn value(&self, rng: &mut Rng) -> u64 {
        *rng.pick(&self.0)
    }

    /// Returns one of the rows, often one of a few.
    fn row<'a>(&self, rng: &mut Rng, rows: &[&'a Row]) -> &'a Row {
        let index = rng.index(rows.len());
        if rng.chance(50) {
            return rows[index];
        }
        let some = self.0[0] >> (8 * rng.below(3)) & 0xff;
        let some = usize::try_from(some).unwrap_or(index);
        rows[some % rows.len()]
    }
}

impl Composed {
    const ALL: [Self; 3] = [Self::Bbox, Self::Mbox, Self::Rbox];

    /// Returns the type of a PMU, `None` if it is another.
    pub(super) fn of_pmu(pmu: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|composed| pmu.starts_with(&Platform::current().pmu(composed.unit())))
    }

    fn unit(self) -> &'static str {
        match self {
            Self::Bbox => "bbox_",
            Self::Mbox => "mbox_",
            Self::Rbox => "rbox_",
        }
    }

    /// Returns its rows of the catalogue.
    fn rows(self) -> Vec<&'static Row> {
        let column = match self {
            Self::Bbox => "BBOX",
            Self::Mbox => "MBOX",
            Self::Rbox => "RBOX",
        };
        let platform = Platform::with(BoxKind::Mbox);
        let rows = rows_of(platform.name()).iter();
        rows.filter(|row| row.kind == column).collect()
    }

    /// Returns the bits of the words that some event may set.
    pub(super) fn owned(self) -> Words {
        match self {
            Self::Bbox => bbox::OWNED,
            Self::Mbox => mbox::OWNED,
            Self::Rbox => rbox::OWNED,
        }
    }

    /// Returns the event that the words select, `None` if there is none.
    pub(super) fn event(self, words: &Words) -> Option<Event> {
        match self {
            Self::Bbox => bbox::event(words),
            Self::Mbox => mbox::event(words),
            Self::Rbox => rbox::event(words),
        }
    }

    /// Returns the words of an event with what it needs.
    pub(super) fn words(self, rng: &mut Rng, taste: &Taste) -> Words {
        let row = taste.row(rng, &self.rows());
        let [config, rest @ ..] = match self {
            Self::Bbox => bbox::words(rng, taste, row),
            Self::Mbox => mbox::words(rng, taste, row),
            Self::Rbox => rbox::words(rng, row),
        };
        let [config1, config2] = if rng.chance(3) { [0; 2] } else { rest };
        [config, config1, config2]
    }
}

/// Returns the registers that a row needs, each with its value if the row has one.
fn registers(row: &Row) -> impl Iterator<Item = (&str, u64)> {
    let all = row.filter.split('+').filter(|one| !one.is_empty());
    all.map(|one| {
        let (name, value) = one.split_once("=0x").unwrap_or((one, "0"));
        (name, u64::from_str_radix(value, 16).unwrap_or(0))
    })
}

/// Returns the bits of the words in a mask.
fn masked(words: &Words, mask: &Words) -> Words {
    std::array::from_fn(|word| words[word] & mask[word])
}

/// Returns the bits of both.
fn joined(some: &Words, more: &Words) -> Words {
    std::array::from_fn(|word| some[word] | more[word])
}
