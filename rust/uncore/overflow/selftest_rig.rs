// SPDX-License-Identifier: GPL-2.0

//! Counter and registers of the self-test: the first counter of the tables that is fixed,
//! interrupts, and is reached by MSR.
//!
//! Events of the package count on meanwhile, but for the moments from an overflow to its NMI. The
//! counter is reserved, so that no event has it. It is looked at again and again until it has
//! overflowed, with interrupts on in between. Its pace before tells when that was.

use super::{
    pmi::{
        EnabledPmi,
        PackagePmi, //
    },
    selftest::{
        Cores,
        PmiTest, //
    }, //
};
use crate::{
    linux::{
        clock,
        context::IrqsOff,
        smp,
        topology::{
            online_cpus,
            Cpu, //
        }, //
    },
    uncore::{
        counter_box::{
            bus::{
                BoxAccess,
                Bus,
                FilterLocation,
                Registers, //
            },
            probe::{
                self,
                fixed_widths,
                COUNT_TIMEOUT_NS,
                LOOK_NS, //
            }, //
        },
        overflow_mode::PollReason,
        request::interval::Period,
        table::{
            box_type::{
                self,
                *, //
            },
            field::index_bit, //
        }, //
    }, //
};
use core::cell::Cell;
use kernel::{
    prelude::*,
    time::{
        delay::fsleep,
        Delta, //
    }, //
};

/// Number of clocks until the counter overflows: a tenth of a millisecond.
const CLOCKS: u64 = 1 << 18;

/// Time in which a counter that counts overflows.
const OVERFLOW_TIMEOUT_NS: u64 = 10_000_000;

/// Time between two looks at what has been interrupted, in milliseconds.
const WAIT_MS: i64 = 1;

/// Longest time for which the package stays frozen to see an NMI wake its CPU.
const WAKE_TIMEOUT_NS: u64 = 10_000_000;

/// Counter of the self-test, and the registers of its box.
pub(crate) struct TestCounter {
    /// Type of the box.
    pub(crate) kind: &'static BoxType,
    /// Number of the fixed counter.
    pub(crate) index: u8,
    fixed: &'static Fixed,
    control: &'static FixedControl,
    overflow_enable: u32,
    registers: Registers,
}

impl TestCounter {
    /// Finds the first counter of a platform that is fit for the self-test.
    pub(crate) fn find(platform: &'static Platform) -> Option<Self> {
        platform.interrupt()?;
        platform.box_types.iter().find_map(|kind| {
            let box_type::Access::Msr { bases, .. } = kind.access else {
                return None;
            };
            let &base = bases.first()?;
            (0..u8::MAX).zip(kind.fixed).find_map(|(index, fixed)| {
                let control = fixed.control.as_ref()?;
                Some(Self {
                    kind,
                    index,
                    fixed,
                    control,
                    overflow_enable: control.overflow_enable?,
                    registers: Registers::of_msrs(kind, base, 0),
                })
            })
        })
    }

    /// Returns whether the counter counts, and leaves it stopped. Without its clock, nothing counts
    /// in the package. In process context, for a CPU of the package, while no event has the counter.
    ///
    /// # Errors
    ///
    /// Errors of the accesses.
    pub(crate) fn counts(&self, cpu: Cpu) -> Result<bool> {
        let write = |at, word| smp::on_cpu(cpu, |here| self.bus(here).write(at, word))?;
        let read = |at, bits| smp::on_cpu(cpu, |here| self.bus(here).read_counter(at, bits))?;
        probe::counts(self.fixed, self.control, write, read)
    }

    /// Returns access to the registers of the box.
    fn bus<'a>(&'a self, here: &'a IrqsOff) -> BoxAccess<'a> {
        BoxAccess::new(Some(&self.registers), &FilterLocation::Own, here)
    }

    /// Stops the counter at a value from which it overflows soon, and returns that.
    fn preset(&self, bus: &BoxAccess<'_>) -> Result<u64> {
        bus.write(self.control.offset, 0)?;
        bus.write_counter(self.fixed.counter, self.fixed.bits(), self.start(bus))?;
        self.read(bus)
    }

    /// Lets the counter count from `start` until it overflows, and routes the PMI by these bits of the
    /// core select. Returns what it has counted.
    fn restart(
        &self,
        pmi: &PackagePmi,
        here: &IrqsOff,
        bus: &BoxAccess<'_>,
        bits: u32,
        start: u64,
    ) -> Result<CountPace> {
        pmi.nmi.forget(here);
        pmi.select_cores(here, bits);
        let enable = self.control.enable | self.overflow_enable;
        bus.write(self.control.offset, enable)?;
        let begin = clock::monotonic_ns();
        let mut pace = CountPace {
            start,
            begin,
            counted: 0,
            counting_at: begin,
        };
        pace.note(clock::monotonic_ns(), self.read(bus)?);
        Ok(pace)
    }

    /// Reads the counter.
    fn read(&self, bus: &BoxAccess<'_>) -> Result<u64> {
        bus.read_counter(self.fixed.counter, self.fixed.bits())
    }

    /// Value from which the stopped counter overflows after [`CLOCKS`].
    fn start<B: Bus>(&self, bus: &B) -> u64 {
        let widths = fixed_widths(bus, self.kind);
        let measured = widths.get(usize::from(self.index)).copied().flatten();
        let width = measured.unwrap_or(self.fixed.width);
        Period::new(CLOCKS).map_or(0, |period| period.start(width))
    }
}

/// How fast the counter counts towards its overflow.
#[derive(Clone, Copy)]
struct CountPace {
    /// The value from which it counts.
    start: u64,
    begin: u64,
    /// What it had counted when it was last read.
    counted: u64,
    /// Time of that, in nanoseconds.
    counting_at: u64,
}

impl CountPace {
    /// Notes a value of the counter.
    fn note(&mut self, now: u64, value: u64) {
        self.counted = value.saturating_sub(self.start);
        self.counting_at = now;
    }

    /// Returns the time in nanoseconds at which the counter overflows, if it goes on like this.
    fn overflow_at(&self) -> u64 {
        let elapsed = self.counting_at.saturating_sub(self.begin);
        let whole = elapsed.saturating_mul(CLOCKS).checked_div(self.counted);
        self.begin.saturating_add(whole.unwrap_or(elapsed))
    }
}

/// Self-test of a package, with the CPU that is to be interrupted. Dropping it ends the test.
pub(crate) struct TestRig<'a> {
    pmi: &'a PackagePmi,
    target: Cpu,
    counter: &'a TestCounter,
    /// Largest number of NMIs that one overflow has sent.
    most_nmis: Cell<u32>,
    /// Time of the last overflow; `None` if no core is selected.
    overflow_at: Cell<Option<u64>>,
    /// Time in nanoseconds in which the counter counted before that.
    counted_ns: Cell<u64>,
    /// Time in nanoseconds for which the last overflow froze the package.
    frozen_ns: Cell<u64>,
    /// Average time in nanoseconds from an overflow to the NMI.
    latency: Cell<Option<u64>>,
    /// Other CPUs on which PMIs are enabled.
    others: Cell<KVec<EnabledPmi>>,
}

impl<'a> TestRig<'a> {
    /// Begins the self-test. PMIs are already enabled on the target.
    pub(crate) fn new(pmi: &'a PackagePmi, target: Cpu, counter: &'a TestCounter) -> Self {
        let bits = counter.kind.global_status.first();
        pmi.nmi.set_testing(bits.copied().unwrap_or(0));
        pmi.nmi.set_target(Some(target.core()));
        Self {
            pmi,
            target,
            counter,
            most_nmis: Cell::new(0),
            overflow_at: Cell::new(None),
            counted_ns: Cell::new(0),
            frozen_ns: Cell::new(0),
            latency: Cell::new(None),
            others: Cell::new(KVec::new()),
        }
    }

    /// Returns the largest number of NMIs that one overflow has sent.
    pub(crate) fn most_nmis(&self) -> u32 {
        self.most_nmis.get()
    }

    /// Measures the time from an overflow to its NMI while the target has nothing to do, routed by
    /// this bit of the core select. It includes the time to wake the target, which the other
    /// overflows keep awake. The longer time counts.
    pub(crate) fn measure_wakeup(&self, bit: u8) -> Result<(), PollReason> {
        let before = self.latency();
        let latency = self.wake(bit);
        let forgotten = self.forget();
        self.latency.set(Some(before.max(latency.unwrap_or(0))));
        latency.and(forgotten)
    }

    /// Lets the counter overflow, waits for the NMI, and unfreezes the package. Returns the time
    /// from the one to the other in nanoseconds.
    fn wake(&self, bit: u8) -> Result<u64, PollReason> {
        let (pmi, counter) = (self.pmi, self.counter);
        let start = self.on_target(|_, bus| counter.preset(bus))?;
        let bits = index_bit(bit);
        let pace = self.on_target(|here, bus| counter.restart(pmi, here, bus, bits, start))?;
        let overflow_at = pace.begin.saturating_add(self.counted_ns.get());
        self.overflow_at.set(Some(overflow_at));
        let found_at = loop {
            self.wait();
            let now = clock::monotonic_ns();
            match pmi.nmi.test_found_at() {
                Some(at) => break at,
                None if now.saturating_sub(overflow_at) >= WAKE_TIMEOUT_NS => break now,
                None => {}
            }
        };
        let frozen_ns = self.on_target(|here, _| {
            pmi.release(here);
            let now = clock::monotonic_ns();
            let frozen_ns = now.saturating_sub(overflow_at);
            pmi.nmi.add_frozen(now, frozen_ns);
            Ok(frozen_ns)
        })?;
        self.frozen_ns.set(frozen_ns);
        Ok(found_at.saturating_sub(overflow_at))
    }

    /// Measures the time from an overflow to its NMI, if there was one. With no core selected, the
    /// NMI was of another source.
    fn measure_latency(&self) {
        if let (Some(at), Some(from)) = (self.pmi.nmi.test_found_at(), self.overflow_at.get()) {
            let latency = at.saturating_sub(from);
            let before = self.latency.get().unwrap_or(latency);
            self.latency.set(Some(before.midpoint(latency)));
        }
    }

    /// Waits until the counter has overflowed, with interrupts on, and notes its pace until then.
    fn await_overflow(&self, pace: &mut CountPace) -> Result<(), PollReason> {
        let (pmi, counter) = (self.pmi, self.counter);
        loop {
            let seen = self.on_target(|here, bus| {
                let now = clock::monotonic_ns();
                if pmi.nmi.has_overflowed(here) || !pmi.nmi.cores_interrupted().is_empty() {
                    return Ok(None);
                }
                Ok(Some((now, counter.read(bus)?)))
            })?;
            let Some((now, value)) = seen else {
                return Ok(());
            };
            // The counter may have overflowed since then.
            if value >= pace.start {
                pace.note(now, value);
            }
            match now.saturating_sub(pace.begin) {
                waited if pace.counted == 0 && waited >= COUNT_TIMEOUT_NS => {
                    return Err(PollReason::Still);
                }
                waited if waited >= OVERFLOW_TIMEOUT_NS => return Err(PollReason::NoOverflow),
                _ => fsleep(Delta::from_nanos(LOOK_NS)),
            }
        }
    }

    /// Waits after an overflow, so that the self-test as a whole keeps the limit of frozen time.
    fn rest(&self) {
        let rest_ns = self.pmi.nmi.rest_ns(self.frozen_ns.take());
        if let Ok(rest_ns @ 1..) = i64::try_from(rest_ns) {
            fsleep(Delta::from_nanos(rest_ns));
        }
    }

    /// Calls `f` on the target with the registers of the counter's box.
    fn on_target<R: Send>(
        &self,
        f: impl FnOnce(&IrqsOff, &BoxAccess<'_>) -> Result<R> + Send,
    ) -> Result<R, PollReason> {
        let counter = self.counter;
        let done = smp::on_cpu(self.target, |here| f(here, &counter.bus(here)));
        done.and_then(|result| result)
            .map_err(|_| PollReason::Unreachable)
    }
}

/// Returns the online CPUs in the package of a CPU.
pub(super) fn cpus_of_package(cpu: Cpu) -> impl Iterator<Item = Cpu> {
    let package = cpu.logical_package();
    online_cpus().filter(move |other| other.logical_package() == package)
}

impl PmiTest for TestRig<'_> {
    fn overflow(&self, bits: u32) -> Result<(), PollReason> {
        let (pmi, counter) = (self.pmi, self.counter);
        let start = self.on_target(|_, bus| counter.preset(bus))?;
        let mut pace = self.on_target(|here, bus| counter.restart(pmi, here, bus, bits, start))?;
        let overflowed = self.await_overflow(&mut pace);
        let now = self.on_target(|here, _| {
            pmi.release(here);
            Ok(clock::monotonic_ns())
        })?;
        overflowed?;
        let overflow_at = pace.overflow_at().max(pace.counting_at).min(now);
        let frozen_ns = now.saturating_sub(overflow_at);
        pmi.nmi.add_frozen(now, frozen_ns);
        self.overflow_at.set((bits != 0).then_some(overflow_at));
        self.counted_ns.set(overflow_at.saturating_sub(pace.begin));
        self.frozen_ns.set(frozen_ns);
        Ok(())
    }

    fn interrupted(&self) -> Cores {
        let nmis = self.most_nmis.get().max(self.pmi.nmi.test_nmis());
        self.most_nmis.set(nmis);
        self.pmi.nmi.cores_interrupted()
    }

    fn latency(&self) -> u64 {
        self.latency.get().unwrap_or(0)
    }

    fn wait(&self) {
        fsleep(Delta::from_millis(WAIT_MS));
    }

    fn now(&self) -> u64 {
        clock::monotonic_ns()
    }

    fn forget(&self) -> Result<(), PollReason> {
        self.measure_latency();
        let (pmi, counter) = (self.pmi, self.counter);
        let forgotten = self.on_target(|here, bus| {
            pmi.select_cores(here, 0);
            let stopped = bus.write(counter.control.offset, 0);
            let cleared = bus.write_counter(counter.fixed.counter, counter.fixed.bits(), 0);
            pmi.nmi.forget(here);
            stopped.and(cleared)
        });
        self.rest();
        forgotten
    }

    fn enable_all(&self) -> Cores {
        let mut cores = Cores::single(self.target.core());
        let is_other = |cpu: &Cpu| *cpu != self.target;
        let mut others = self.others.take();
        for cpu in cpus_of_package(self.target).filter(is_other) {
            if let Ok(enabled) = EnabledPmi::on(cpu) {
                cores = cores.union(Cores::single(cpu.core()));
                // Without memory to restore the CPU later, it is restored now.
                let _ = others.push(enabled, GFP_KERNEL);
            }
        }
        self.others.set(others);
        cores
    }
}

impl Drop for TestRig<'_> {
    fn drop(&mut self) {
        drop(self.others.take());
        // An NMI that is on its way is still claimed.
        self.wait();
        self.pmi.nmi.set_target(None);
        self.pmi.nmi.set_testing(0);
    }
}
