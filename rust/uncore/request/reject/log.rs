// SPDX-License-Identifier: GPL-2.0

//! Log of the last refusals, for root in debugfs and for each user in sysfs.
//!
//! The log has a fixed size and is allocated once, so that any number of refused requests needs no
//! more memory. A full one loses the oldest refusal of the user who has the most, so that no user can
//! make it lose those of others. It is printed with one line for each refusal, the newest last:
//!
//! ```text
//! [   12.345678] cbox_3: there is no event 0x77 [EINVAL config=0x77 config1=0x0 config2=0x0]
//! ```
//!
//! A request that its user repeats at once, and that is refused in equal words, shares the line,
//! which ends with the number of times.

use super::RejectReason;
use crate::{
    linux::{
        text::write_char,
        user::User, //
    },
    uncore::{
        request::name::BoxName,
        table::field::Words, //
    }, //
};
use core::cmp::Reverse;
use kernel::{
    fmt,
    prelude::*, //
};

/// Number of refusals that the log holds.
pub(crate) const CAPACITY: usize = 64;

/// Largest number of refusals that a user is shown.
const SHOWN: usize = 16;

/// Largest number of bytes of them: a file in sysfs has a page.
const ROOM: usize = 4096;

/// A refused request.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    /// Time of the refusal, in nanoseconds since boot.
    pub(crate) ns: u64,
    /// The user who made the request.
    pub(crate) user: User,
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
    /// Returns `true` if both are one request, refused in equal words.
    fn is_like(&self, other: &Self) -> bool {
        let same_request = self.name.is(&other.name) && self.words == other.words;
        same_request && Digest::of(&self.rejection) == Digest::of(&other.rejection)
    }
}

/// Hash and length of a text.
#[derive(Default, PartialEq, Eq)]
struct Digest {
    hash: u64,
    length: usize,
}

impl Digest {
    #[inline(never)]
    fn of(text: &dyn fmt::Display) -> Self {
        let mut digest = Self::default();
        // Writing to it cannot fail.
        let _ = fmt::Write::write_fmt(&mut digest, fmt!("{text}"));
        digest
    }
}

impl fmt::Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            // A step of the FNV-1 hash, with its prime.
            self.hash = self.hash.wrapping_mul(0x0100_0000_01b3) ^ u64::from(byte);
        }
        self.length = self.length.saturating_add(text.len());
        Ok(())
    }

    fn write_char(&mut self, character: char) -> fmt::Result {
        write_char(self, character)
    }
}

/// The last [`CAPACITY`] refused requests, oldest first.
pub(crate) struct Log(KVec<Entry>);

impl Log {
    /// An empty log.
    pub(crate) fn new() -> Result<Self> {
        Ok(Self(KVec::with_capacity(CAPACITY, GFP_KERNEL)?))
    }

    /// Adds an entry, or counts it in the newest one of its user if both are alike.
    pub(crate) fn push(&mut self, mut entry: Entry) {
        let is_own = |other: &Entry| other.user == entry.user;
        let newest = self.0.iter().rposition(is_own);
        let like = newest.and_then(|index| Some((index, self.0.get(index)?)));
        if let Some((index, newest)) = like.filter(|(_, newest)| newest.is_like(&entry)) {
            entry.times = newest.times.saturating_add(1);
            let _ = self.0.remove(index);
        } else if self.0.len() >= CAPACITY {
            let _ = self.0.remove(self.superfluous());
        }
        // Cannot fail: there is room.
        let _ = self.0.push_within_capacity(entry);
    }

    /// The index of the oldest entry of the user who has the most.
    fn superfluous(&self) -> usize {
        let of_user = |user| self.0.iter().filter(move |entry| entry.user == user);
        let count = |entry: &Entry| of_user(entry.user).count();
        let entries = self.0.iter().enumerate();
        let oldest = entries.max_by_key(|(index, entry)| (count(entry), Reverse(*index)));
        oldest.map_or(0, |(index, _)| index)
    }

    /// All entries.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.0.iter()
    }

    /// The entries of a user, and of what perf tries by itself only the newest of each kind: with many
    /// events there are as many.
    fn telling(&self, user: User) -> impl DoubleEndedIterator<Item = &Entry> {
        let entries = self.0.iter().enumerate();
        let tells = entries.filter(move |(index, entry)| self.tells(user, *index, entry));
        tells.map(|(_, entry)| entry)
    }

    /// Returns whether the entry with this index is one of them.
    #[inline(never)]
    fn tells(&self, user: User, index: usize, entry: &Entry) -> bool {
        let attempt = entry.rejection.perf_attempt();
        let is_like =
            |later: &Entry| later.user == user && later.rejection.perf_attempt() == attempt;
        let mut later = self.0.iter().skip(index.saturating_add(1));
        entry.user == user && (attempt.is_none() || !later.any(is_like))
    }

    /// The last [telling](Self::telling) entries of a user, at most [`SHOWN`] and as many as have
    /// [`ROOM`] with a newline each.
    pub(crate) fn last_of(&self, user: User) -> impl Iterator<Item = &Entry> {
        let mut room = ROOM;
        let mut fits = |entry: &&Entry| {
            let length = Digest::of(entry).length.saturating_add(1);
            let left = room.checked_sub(length);
            room = left.unwrap_or(0);
            left.is_some()
        };
        let last = self.telling(user).rev().take(SHOWN);
        let shown = last.take_while(&mut fits).count();
        let hidden = self.telling(user).count().saturating_sub(shown);
        self.telling(user).skip(hidden)
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
