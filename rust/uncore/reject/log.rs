// SPDX-License-Identifier: GPL-2.0

//! The last refusals, for debugfs.
//!
//! A ring of fixed size that is allocated once, so that any number of refused requests costs no
//! more memory. Printed newest last, one line each:
//!
//! ```text
//! [   12.345678] cbox_3: there is no event 0x77 [EINVAL config=0x77 config1=0x0 config2=0x0]
//! ```
//!
//! A request that is repeated has one line, which says how often. And when perf is refused it
//! tries the same event for a task, several times, to find out which feature the kernel lacks:
//! that is no reason of its own and would bury the one that counts, so it gets no line.

use super::{
    super::{
        field::Words,
        name::BoxName, //
    },
    Rejection, //
};
use kernel::{
    fmt,
    prelude::*, //
};

/// How many refusals are kept.
pub(crate) const CAPACITY: usize = 64;

/// A refused request.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    /// When, in nanoseconds since boot.
    pub(crate) ns: u64,
    /// What it was for.
    pub(crate) name: BoxName,
    /// What was asked for.
    pub(crate) words: Words,
    /// Why it was refused.
    pub(crate) rejection: Rejection,
    /// How often, in a row.
    pub(crate) times: u32,
}

impl Entry {
    /// Whether it was the same request, for whatever reason.
    fn is_like(&self, other: &Self) -> bool {
        self.name.is(&other.name) && self.words == other.words
    }
}

/// The last [`CAPACITY`] refused requests.
pub(crate) struct Ring {
    entries: KVec<Entry>,
    /// Where the oldest is once the ring is full, and the next goes.
    next: usize,
}

impl Ring {
    /// An empty one.
    pub(crate) fn new() -> Result<Self> {
        Ok(Self {
            entries: KVec::with_capacity(CAPACITY, GFP_KERNEL)?,
            next: 0,
        })
    }

    /// Adds one, unless it is the like of another.
    pub(crate) fn push(&mut self, entry: Entry) {
        let probing = matches!(entry.rejection, Rejection::Task);
        let refused_before =
            |other: &Entry| other.is_like(&entry) && !matches!(other.rejection, Rejection::Task);
        if probing && self.iter().any(refused_before) {
            return;
        }
        match self.newest() {
            Some(newest) if newest.is_like(&entry) => {
                let times = newest.times.saturating_add(1);
                *newest = Entry { times, ..entry };
            }
            _ => self.append(entry),
        }
    }

    /// The last one that was added.
    fn newest(&mut self) -> Option<&mut Entry> {
        let count = self.entries.len();
        let before = self.next.checked_sub(1).or(count.checked_sub(1))?;
        self.entries.get_mut(before)
    }

    /// Adds one, in place of the oldest if there are too many.
    fn append(&mut self, entry: Entry) {
        if self.entries.len() < CAPACITY {
            // The capacity was reserved, so that this cannot fail.
            let _ = self.entries.push_within_capacity(entry);
            return;
        }
        if let Some(oldest) = self.entries.get_mut(self.next) {
            *oldest = entry;
        }
        self.next = self.next.saturating_add(1) % CAPACITY;
    }

    /// All, oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Entry> {
        let (newer, older) = self.entries.split_at_checked(self.next).unwrap_or_default();
        Iterator::chain(older.iter(), newer)
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let us = self.ns / 1000;
        write!(f, "[{:5}.{:06}] ", us / 1_000_000, us % 1_000_000)?;
        let (_, errno) = self.rejection.errno();
        f.write_fmt(fmt!("{}: {} [{errno}", self.name, self.rejection))?;
        let words = &self.words;
        write!(
            f,
            " config={:#x} config1={:#x}",
            words.config, words.config1
        )?;
        write!(f, " config2={:#x}", words.config2)?;
        for (name, word) in [("config3", words.config3), ("config4", words.config4)] {
            if word != 0 {
                write!(f, " {name}={word:#x}")?;
            }
        }
        f.write_str("]")?;
        match self.times {
            0 | 1 => Ok(()),
            times => write!(f, " {times} times"),
        }
    }
}
