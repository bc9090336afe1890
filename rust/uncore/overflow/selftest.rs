// SPDX-License-Identifier: GPL-2.0

//! Self-test of a package's overflow interrupt: does it come, and which cores does it interrupt?
//!
//! A counter is preset to overflow soon while nothing else counts, and the core select routes its
//! interrupt. The first bit tested has the number of the target's core. It is the right one if the
//! hardware numbers the cores as the kernel does. If the target gets no interrupt, all bits together
//! tell whether any core gets one, and then each bit alone which cores it interrupts. Hardware may
//! ignore the core select while cores sleep, so that one bit can interrupt several cores.
//!
//! A bit that stands for no core costs its whole timeout. Timeouts are fractions of a second and
//! more, where hardware takes microseconds: an emulated CPU can be late, and a package that fails the
//! test is polled as long as a CPU of it is online.
//!
//! The counter and the registers are behind the trait [`PmiTest`] so that KUnit runs this algorithm
//! without hardware. `selftest_rig.rs` has those of the hardware. In process context.

use crate::uncore::{
    overflow_mode::PollReason,
    table::field::{
        low_half,
        mask, //
    }, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

const MILLISECOND: u64 = 1_000_000;

/// Time after which a counter that has not counted is taken for stopped.
const COUNT_TIMEOUT_NS: u64 = 100 * MILLISECOND;

/// Time in which a counter that counts overflows.
const OVERFLOW_TIMEOUT_NS: u64 = 2000 * MILLISECOND;

/// Longest time from an overflow to its interrupt, where one is expected.
const PMI_TIMEOUT_NS: u64 = 2000 * MILLISECOND;

/// Longest time from an overflow to its interrupt, where bits are tested one after the other.
const SEARCH_TIMEOUT_NS: u64 = 500 * MILLISECOND;

/// Largest number of bits of a core select.
const MOST_BITS: usize = 32;

/// Counter and registers that a self-test uses. KUnit has others.
pub(crate) trait PmiTest {
    /// Routes PMIs to the cores of these bits of the core select, and starts the counter shortly
    /// before its overflow.
    fn trigger(&self, bits: u32) -> Result<(), PollReason>;

    /// Returns what has happened since the counter was started.
    fn status(&self) -> Result<TestStatus, PollReason>;

    /// Waits a millisecond or so.
    fn wait(&self);

    /// Returns the time in nanoseconds.
    fn now(&self) -> u64;

    /// Stops the counter, and forgets its overflow.
    fn reset(&self) -> Result<(), PollReason>;

    /// Enables PMIs on all CPUs of the package, not only the target, and returns their cores.
    fn enable_all(&self) -> Cores;
}

/// Events since the counter was started.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct TestStatus {
    /// The counter has counted.
    pub(crate) counted: bool,
    /// The counter has overflowed.
    pub(crate) overflowed: bool,
    /// Cores that the overflow has interrupted.
    pub(crate) interrupted: Cores,
}

/// Cores of a package, as a bit mask of their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Cores(pub(crate) u64);

impl Cores {
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
        self.0 & Self::single(core).0 != 0
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

    /// Returns a bit, of so many `bits`, that interrupts a core: the one with the core's number if
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

/// Finds out which cores each bit of a core select of so many `bits` interrupts, as far as is
/// needed to interrupt the core `target`.
pub(crate) fn run<T: PmiTest>(rig: &T, target: u32, bits: u8) -> Result<CoreMap, PollReason> {
    let has_target = |cores: Cores| cores.contains(target);
    let has_any = |cores: Cores| !cores.is_empty();
    if let Some(bit) = CoreMap::IDENTITY.bit_for(target, bits) {
        let cores = cores_interrupted(rig, bit_mask(bit), PMI_TIMEOUT_NS, has_target)?;
        if has_target(cores) {
            return Ok(CoreMap::IDENTITY);
        }
    }
    let enabled = rig.enable_all();
    let all_bits = low_half(mask(bits));
    if cores_interrupted(rig, all_bits, PMI_TIMEOUT_NS, has_any)?.is_empty() {
        return Err(PollReason::Unheard);
    }
    let mut map = [Cores::default(); MOST_BITS];
    let mut found = Cores::default();
    for (bit, cores) in (0..bits).zip(&mut map) {
        *cores = cores_interrupted(rig, bit_mask(bit), SEARCH_TIMEOUT_NS, has_any)?;
        found = found.union(*cores);
        if found == enabled {
            // The other bits stand for cores that do not exist.
            break;
        }
    }
    let map = CoreMap(map);
    match map.bit_for(target, bits) {
        Some(_) => Ok(map),
        None => Err(PollReason::NoBit),
    }
}

/// Mask of one bit of the core select.
pub(crate) fn bit_mask(bit: u8) -> u32 {
    1_u32.checked_shl(u32::from(bit)).unwrap_or(0)
}

/// Returns the cores that an overflow interrupts if PMIs are routed to the cores of `bits`. Stops
/// waiting once `is_enough` is true of them.
fn cores_interrupted<T: PmiTest>(
    rig: &T,
    bits: u32,
    timeout: u64,
    is_enough: impl Fn(Cores) -> bool,
) -> Result<Cores, PollReason> {
    let cores = rig
        .trigger(bits)
        .and_then(|()| await_interrupt(rig, timeout, is_enough));
    // The counter is reset after a failure, too; the first failure is reported.
    let reset = rig.reset();
    let cores = cores?;
    reset.map(|()| cores)
}

/// Waits for the overflow and then for its interrupt, each at most until its timeout.
fn await_interrupt<T: PmiTest>(
    rig: &T,
    timeout: u64,
    is_enough: impl Fn(Cores) -> bool,
) -> Result<Cores, PollReason> {
    let start = rig.now();
    let mut overflow = None;
    loop {
        rig.wait();
        // Before the status, so that an interrupt that comes while it is read counts as in time.
        let now = rig.now();
        let status = rig.status()?;
        if is_enough(status.interrupted) {
            // The interrupts of other cores may come a moment later.
            rig.wait();
            return rig.status().map(|status| status.interrupted);
        }
        if status.overflowed && overflow.is_none() {
            overflow = Some(now);
        }
        let waited = now.saturating_sub(start);
        match overflow {
            Some(overflow) if now.saturating_sub(overflow) >= timeout => {
                return Ok(status.interrupted)
            }
            Some(_) => {}
            None if !status.counted && waited >= COUNT_TIMEOUT_NS => return Err(PollReason::Still),
            None if waited >= OVERFLOW_TIMEOUT_NS => return Err(PollReason::NoOverflow),
            None => {}
        }
    }
}
