// SPDX-License-Identifier: GPL-2.0

//! Self-test of a package's overflow interrupt: does it come, and which cores does it interrupt?
//!
//! A counter is preset to overflow soon, and the core select routes its interrupt. Only an NMI that
//! finds this overflow in the global status counts: others, such as those of `perf record`, prove
//! nothing. The first bit tested has the number of the target's core. It is the right one if the
//! hardware numbers the cores as the kernel does. If the target gets no interrupt, all bits together
//! tell whether any core gets one, and then each bit alone which cores it interrupts. Hardware may
//! ignore the core select while cores sleep, so that one bit can interrupt several cores.
//!
//! A bit is believed if it interrupts the target [`TIMES`] times of as many, and if no core is
//! interrupted while none is selected. An NMI of another source can find the status by chance. So
//! an overflow that was found on other cores only is repeated, [`TRIES`] times in all; so is one
//! that was found while no core is selected. The latter is waited for [`QUIET_TIMES`] as long as the
//! interrupts took: if these were samples of `perf record`, one comes in that time, too.
//!
//! The package is frozen from each overflow until [`PmiTest::overflow`] returns. A bit that stands
//! for no core costs a whole timeout, while counters run. Timeouts are a tenth of a second, where
//! hardware takes microseconds: an emulated CPU can be late.
//!
//! The counter and the registers are behind the trait [`PmiTest`] so that KUnit runs this algorithm
//! without hardware. `selftest_rig.rs` has those of the hardware. In process context.

use crate::uncore::{
    overflow_mode::PollReason,
    table::field::{
        index_bit,
        low_half,
        mask, //
    }, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

const MILLISECOND: u64 = 1_000_000;

/// Longest time from an overflow to its interrupt.
const PMI_TIMEOUT_NS: u64 = 100 * MILLISECOND;

/// Shortest time in which no interrupt must come while no core is selected.
const QUIET_NS: u64 = 10 * MILLISECOND;

/// Shortest such time, as a multiple of the average time from an overflow to its interrupt.
const QUIET_TIMES: u64 = 20;

/// Number of overflows that must interrupt the target.
const TIMES: u32 = 3;

/// Largest number of overflows for one answer.
const TRIES: u32 = 5;

/// Largest number of bits of a core select.
const MOST_BITS: usize = 32;

/// Counter and registers that a self-test uses. KUnit has others.
pub(crate) trait PmiTest {
    /// Routes PMIs to the cores of these bits of the core select, or to none, and lets the counter
    /// overflow once. Counters run again when this returns; the PMI may still be on its way.
    fn overflow(&self, bits: u32) -> Result<(), PollReason>;

    /// Returns the cores on which an NMI has found the overflow.
    fn interrupted(&self) -> Cores;

    /// Returns the average time in nanoseconds from an overflow to the NMI that found it.
    fn latency(&self) -> u64;

    /// Waits a millisecond or so.
    fn wait(&self);

    /// Returns the time in nanoseconds.
    fn now(&self) -> u64;

    /// Forgets the overflow.
    fn forget(&self) -> Result<(), PollReason>;

    /// Enables PMIs on all CPUs of the package, not only the target, and returns their cores.
    fn enable_all(&self) -> Cores;
}

/// Cores of a package, as a bit mask of their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Cores(pub(crate) u64);

impl Cores {
    /// All cores that a package can have.
    const ALL: Self = Self(u64::MAX);

    /// Returns the set of one core; it is empty if the number is too large.
    pub(crate) fn single(core: u32) -> Self {
        Self(1_u64.checked_shl(core).unwrap_or(0))
    }

    /// Returns the union of two sets.
    pub(crate) fn union(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Returns whether the set is empty.
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether the set contains a core.
    fn contains(self, core: u32) -> bool {
        self.has_any(Self::single(core))
    }

    /// Returns whether the set contains one of these cores.
    fn has_any(self, cores: Self) -> bool {
        self.0 & cores.0 != 0
    }
}

/// Cores that each bit of the core select interrupts, as far as is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CoreMap([Cores; MOST_BITS]);

impl CoreMap {
    /// The map in which each bit interrupts the core with its number.
    #[expect(clippy::indexing_slicing, reason = "done when the module is compiled")]
    pub(crate) const IDENTITY: Self = {
        let mut cores = [Cores(0); MOST_BITS];
        let mut bit = 0;
        while bit < MOST_BITS {
            cores[bit] = Cores(1 << bit);
            bit += 1;
        }
        Self(cores)
    };

    /// Returns one of this number of `bits`, which interrupts a core: the one with the core's number if
    /// that does.
    pub(crate) fn bit_for(&self, core: u32, bits: u8) -> Option<u8> {
        let interrupts = |bit: &u8| {
            let cores = self.0.get(usize::from(*bit));
            cores.is_some_and(|cores| cores.contains(core))
        };
        u8::try_from(core)
            .ok()
            .filter(|&bit| bit < bits)
            .filter(interrupts)
            .or_else(|| (0..bits).find(interrupts))
    }
}

/// Finds out which cores each bit of a core select of this number of `bits` interrupts, as far as is
/// needed to interrupt the core `target`.
pub(crate) fn run<T: PmiTest>(rig: &T, target: u32, bits: u8) -> Result<CoreMap, PollReason> {
    if let Some(bit) = CoreMap::IDENTITY.bit_for(target, bits) {
        if interrupts(rig, bit, target)? {
            return confirm(rig, CoreMap::IDENTITY, target, bits);
        }
    }
    let enabled = rig.enable_all();
    let all_bits = low_half(mask(bits));
    if cores_interrupted(rig, all_bits, PMI_TIMEOUT_NS, Cores::ALL)?.is_empty() {
        return Err(PollReason::Unheard);
    }
    let mut map = [Cores::default(); MOST_BITS];
    let mut found = Cores::default();
    for (bit, cores) in (0..bits).zip(&mut map) {
        *cores = cores_interrupted(rig, index_bit(bit), PMI_TIMEOUT_NS, Cores::ALL)?;
        found = found.union(*cores);
        if found == enabled {
            // The other bits stand for cores that do not exist.
            break;
        }
    }
    confirm(rig, CoreMap(map), target, bits)
}

/// Returns the map if its bit for the target interrupts it each time, and no core is interrupted
/// while none is selected.
fn confirm<T: PmiTest>(
    rig: &T,
    map: CoreMap,
    target: u32,
    bits: u8,
) -> Result<CoreMap, PollReason> {
    let bit = map.bit_for(target, bits).ok_or(PollReason::NoBit)?;
    // It has interrupted the target once.
    for _ in 1..TIMES {
        if !interrupts(rig, bit, target)? {
            return Err(PollReason::Unreliable);
        }
    }
    let quiet_ns = rig.latency().saturating_mul(QUIET_TIMES).max(QUIET_NS);
    for _ in 0..TRIES {
        if cores_interrupted(rig, 0, quiet_ns, Cores::ALL)?.is_empty() {
            return Ok(map);
        }
    }
    Err(PollReason::Unselected)
}

/// Returns whether an overflow interrupts a core if this bit is selected.
fn interrupts<T: PmiTest>(rig: &T, bit: u8, core: u32) -> Result<bool, PollReason> {
    let awaited = Cores::single(core);
    for _ in 0..TRIES {
        let cores = cores_interrupted(rig, index_bit(bit), PMI_TIMEOUT_NS, awaited)?;
        if cores.is_empty() || cores.has_any(awaited) {
            return Ok(!cores.is_empty());
        }
    }
    Ok(false)
}

/// Returns the cores that an overflow interrupts if PMIs are routed to the cores of `bits`. Stops
/// waiting once one of the `awaited` cores is among them.
fn cores_interrupted<T: PmiTest>(
    rig: &T,
    bits: u32,
    timeout: u64,
    awaited: Cores,
) -> Result<Cores, PollReason> {
    let overflowed = rig.overflow(bits);
    if overflowed.is_ok() {
        let start = rig.now();
        // The time first, so that an interrupt that comes meanwhile counts as in time.
        while rig.now().saturating_sub(start) < timeout && !rig.interrupted().has_any(awaited) {
            rig.wait();
        }
        // The interrupts of other cores may come a moment later.
        rig.wait();
    }
    let cores = rig.interrupted();
    // The counter is reset after a failure, too; the first failure is reported.
    let forgotten = rig.forget();
    overflowed.and(forgotten).map(|()| cores)
}
