// SPDX-License-Identifier: GPL-2.0

//! Log of the last refusals, for debugfs.
//!
//! The log is a ring of fixed size that is allocated once, so that any number of refused requests
//! needs no more memory. It is printed with one line for each refusal, the newest last:
//!
//! ```text
//! [   12.345678] cbox_3: there is no event 0x77 [EINVAL config=0x77 config1=0x0 config2=0x0]
//! ```
//!
//! A request that is repeated at once, and refused in the same words, shares the line, which ends
//! with the number of times.

use super::RejectReason;
use crate::{
    linux::text::write_char,
    uncore::{
        request::name::BoxName,
        table::field::Words, //
    }, //
};
use kernel::{
    fmt,
    prelude::*, //
};

/// Number of refusals that the log holds.
pub(crate) const CAPACITY: usize = 64;

/// A refused request.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    /// Time of the refusal, in nanoseconds since boot.
    pub(crate) ns: u64,
    /// The box that the request was for.
    pub(crate) name: BoxName,
    /// The words of the request.
    pub(crate) words: Words,
    /// The reason of the refusal.
    pub(crate) rejection: RejectReason,
    /// Number of times in a row.
    pub(crate) times: u32,
}

impl Entry {
    /// Returns `true` if both are one request, refused in the same words.
    fn is_like(&self, other: &Self) -> bool {
        let same_request = self.name.is(&other.name) && self.words == other.words;
        same_request && Digest::of(&self.rejection) == Digest::of(&other.rejection)
    }
}

/// Hash of a sentence.
#[derive(PartialEq, Eq)]
struct Digest(u64);

impl Digest {
    #[inline(never)]
    fn of(rejection: &RejectReason) -> Self {
        let mut digest = Self(0);
        // Writing to it cannot fail.
        let _ = fmt::Write::write_fmt(&mut digest, fmt!("{rejection}"));
        digest
    }
}

impl fmt::Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            // A step of the FNV-1 hash, with its prime.
            self.0 = self.0.wrapping_mul(0x0100_0000_01b3) ^ u64::from(byte);
        }
        Ok(())
    }

    fn write_char(&mut self, character: char) -> fmt::Result {
        write_char(self, character)
    }
}

/// The last [`CAPACITY`] refused requests.
pub(crate) struct Ring {
    entries: KVec<Entry>,
    /// Index of the oldest entry in a full ring, which the next entry replaces.
    next: usize,
}

impl Ring {
    /// An empty ring.
    pub(crate) fn new() -> Result<Self> {
        Ok(Self {
            entries: KVec::with_capacity(CAPACITY, GFP_KERNEL)?,
            next: 0,
        })
    }

    /// Adds an entry, or counts it in the newest one if both are alike.
    pub(crate) fn push(&mut self, entry: Entry) {
        match self.newest() {
            Some(newest) if newest.is_like(&entry) => {
                let times = newest.times.saturating_add(1);
                *newest = Entry { times, ..entry };
            }
            _ => self.append(entry),
        }
    }

    /// The entry that was added last.
    fn newest(&mut self) -> Option<&mut Entry> {
        let count = self.entries.len();
        let before = self.next.checked_sub(1).or(count.checked_sub(1))?;
        self.entries.get_mut(before)
    }

    /// Adds an entry, in place of the oldest one if the ring is full.
    fn append(&mut self, entry: Entry) {
        if self.entries.len() < CAPACITY {
            // Cannot fail: the capacity was reserved.
            let _ = self.entries.push_within_capacity(entry);
            return;
        }
        if let Some(oldest) = self.entries.get_mut(self.next) {
            *oldest = entry;
        }
        self.next = self.next.saturating_add(1) % CAPACITY;
    }

    /// All entries, oldest first.
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
