// SPDX-License-Identifier: GPL-2.0

//! The trial of a package's overflow interrupt: does it come, and who hears of it?
//!
//! A counter is set to overflow soon while nothing else counts, and the core select decides which
//! cores are interrupted. The bit with the number of the target's core is tried first: that is
//! what the manual says, if its cores are numbered as the kernel numbers them. If the target does
//! not hear of it, all bits together tell whether anybody does, and then each bit alone which cores
//! it has interrupted: it is not certain that there is one, where cores sleep.
//!
//! A bit that stands for no core costs its whole patience. All that is measured in fractions of
//! a second, where hardware takes microseconds: an emulated CPU can be late, and one taken for
//! deaf would be polled for ever.
//!
//! Process context; knows of registers only what [`Bench`] says.

use super::{
    super::{
        count::mask,
        field::low_half, //
    },
    mode::Why, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

const MILLISECOND: u64 = 1_000_000;

/// A counter that has not moved for so long will not.
const STILL_NS: u64 = 100 * MILLISECOND;

/// A counter that moves has overflowed by then.
const OVERFLOW_NS: u64 = 2000 * MILLISECOND;

/// An interrupt comes within this time of the overflow, if it is expected to come.
const EXPECTED_NS: u64 = 2000 * MILLISECOND;

/// The same where bits are tried one after the other.
const TRIED_NS: u64 = 500 * MILLISECOND;

/// Core selects have no more bits.
const MOST_BITS: usize = 32;

/// What a trial is made with.
pub(super) trait Bench {
    /// Has the counter overflow soon, and the cores of these bits interrupted.
    fn provoke(&self, cores: u32) -> Result<(), Why>;

    /// Looks what has happened since.
    fn look(&self) -> Result<Seen, Why>;

    /// Lets a moment pass.
    fn wait(&self);

    /// What time it is, in nanoseconds.
    fn now(&self) -> u64;

    /// Stops the counter, and forgets that it has overflowed.
    fn tidy(&self) -> Result<(), Why>;

    /// Has all cores listen, not only the target, and tells which those are.
    fn listen_everywhere(&self) -> Cores;
}

/// What has happened since the counter was set.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Seen {
    /// It counts.
    pub(super) moved: bool,
    /// It has overflowed.
    pub(super) overflowed: bool,
    /// The cores that were interrupted.
    pub(super) heard: Cores,
}

/// Cores of a package, as a bit mask of their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Cores(pub(super) u64);

impl Cores {
    /// One core; none if its number is too large.
    pub(super) fn one(core: u32) -> Self {
        Self(1_u64.checked_shl(core).unwrap_or(0))
    }

    /// Those and these.
    pub(super) fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Whether there are none.
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a core is among them.
    fn have(self, core: u32) -> bool {
        self.0 & Self::one(core).0 != 0
    }
}

/// Which cores each bit of the core select has interrupted, as far as is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Map([Cores; MOST_BITS]);

impl Map {
    /// The one with its number.
    #[expect(clippy::indexing_slicing, reason = "done when the module is compiled")]
    pub(super) const EQUAL: Self = {
        let mut cores = [Cores(0); MOST_BITS];
        let mut bit = 0;
        while bit < MOST_BITS {
            cores[bit] = Cores(1 << bit);
            bit += 1;
        }
        Self(cores)
    };

    /// The bit, of so many, by which a core is interrupted; the one with its number if it can be.
    pub(super) fn bit(&self, core: u32, bits: u8) -> Option<u8> {
        let reaches = |bit: &u8| {
            let cores = self.0.get(usize::from(*bit));
            cores.is_some_and(|cores| cores.have(core))
        };
        let equal = u8::try_from(core).ok().filter(|&bit| bit < bits);
        equal.filter(reaches).or_else(|| (0..bits).find(reaches))
    }
}

/// Finds out which cores each bit, of so many, has interrupted, as far as that is needed to
/// interrupt the core `target`.
pub(super) fn run<B: Bench>(bench: &B, target: u32, bits: u8) -> Result<Map, Why> {
    let is_target = |heard: Cores| heard.have(target);
    let is_any = |heard: Cores| !heard.is_empty();
    if let Some(bit) = Map::EQUAL.bit(target, bits) {
        if is_target(hears(bench, one(bit), EXPECTED_NS, is_target)?) {
            return Ok(Map::EQUAL);
        }
    }
    let listening = bench.listen_everywhere();
    if hears(bench, low_half(mask(bits)), EXPECTED_NS, is_any)?.is_empty() {
        return Err(Why::Unheard);
    }
    let mut cores = [Cores::default(); MOST_BITS];
    let mut found = Cores::default();
    for (bit, heard) in (0..bits).zip(&mut cores) {
        *heard = hears(bench, one(bit), TRIED_NS, is_any)?;
        found = found.and(*heard);
        if found == listening {
            // The rest stand for cores that are not there.
            break;
        }
    }
    let map = Map(cores);
    match map.bit(target, bits) {
        Some(_) => Ok(map),
        None => Err(Why::NoBit),
    }
}

/// One bit of the core select.
pub(super) fn one(bit: u8) -> u32 {
    1_u32.checked_shl(u32::from(bit)).unwrap_or(0)
}

/// The cores that hear of an overflow if those of these bits are interrupted; it is not waited for
/// others once they are `enough`.
fn hears<B: Bench>(
    bench: &B,
    cores: u32,
    patience: u64,
    enough: impl Fn(Cores) -> bool,
) -> Result<Cores, Why> {
    let heard = bench
        .provoke(cores)
        .and_then(|()| await_interrupt(bench, patience, enough));
    // After a failure, too; the failure is what matters then.
    let tidied = bench.tidy();
    let heard = heard?;
    tidied.map(|()| heard)
}

/// Waits for the interrupt, but not for ever.
fn await_interrupt<B: Bench>(
    bench: &B,
    patience: u64,
    enough: impl Fn(Cores) -> bool,
) -> Result<Cores, Why> {
    let start = bench.now();
    let mut overflow = None;
    loop {
        bench.wait();
        // Before the look, so that one that takes long still counts.
        let now = bench.now();
        let seen = bench.look()?;
        if enough(seen.heard) {
            // Others may hear of it a moment later.
            bench.wait();
            return bench.look().map(|seen| seen.heard);
        }
        if seen.overflowed && overflow.is_none() {
            overflow = Some(now);
        }
        let waited = now.saturating_sub(start);
        match overflow {
            Some(overflow) if now.saturating_sub(overflow) >= patience => return Ok(seen.heard),
            Some(_) => {}
            None if !seen.moved && waited >= STILL_NS => return Err(Why::Still),
            None if waited >= OVERFLOW_NS => return Err(Why::NoOverflow),
            None => {}
        }
    }
}
