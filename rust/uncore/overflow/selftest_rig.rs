// SPDX-License-Identifier: GPL-2.0

//! Counter and registers of the self-test: the first counter of the tables that is fixed,
//! interrupts, and is reached by MSR.
//!
//! For a package in which no event counts: the self-test freezes and unfreezes all its boxes.

use super::{
    pmi::PackagePmi,
    pmi_state::SavedPmiState,
    selftest::{
        Cores,
        PmiTest,
        TestStatus, //
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
                Access,
                Bus,
                FilterLocation,
                Registers, //
            },
            probe::fixed_widths, //
        },
        overflow_mode::PollReason,
        request::interval::Period,
        table::{
            box_type::{
                self,
                *, //
            },
            field::mask, //
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

/// Number of clocks until the counter overflows: a fraction of a millisecond.
const CLOCKS: u64 = 1 << 20;

/// Time between two readings of the status, in milliseconds.
const WAIT_MS: i64 = 1;

/// Counter of the self-test, and the registers of its box.
pub(crate) struct TestCounter {
    kind: &'static BoxType,
    index: usize,
    fixed: &'static Fixed,
    control: &'static FixedControl,
    overflow_enable: u32,
    registers: Registers,
}

impl TestCounter {
    /// Finds the first counter of a platform that is fit for the self-test.
    pub(crate) fn find(platform: &'static Platform) -> Option<Self> {
        platform.global.as_ref()?;
        platform.box_types.iter().find_map(|kind| {
            let box_type::Access::Msr { base, .. } = kind.access else {
                return None;
            };
            kind.fixed.iter().enumerate().find_map(|(index, fixed)| {
                let control = fixed.control.as_ref()?;
                Some(Self {
                    kind,
                    index,
                    fixed,
                    control,
                    overflow_enable: control.overflow_enable?,
                    registers: Registers::Msr { base, name: base },
                })
            })
        })
    }

    /// Value from which the stopped counter overflows after [`CLOCKS`].
    fn start<B: Bus>(&self, bus: &B) -> u64 {
        let widths = fixed_widths(bus, self.kind);
        let measured = widths.get(self.index).copied().flatten();
        let width = measured.unwrap_or(self.fixed.width);
        Period::new(CLOCKS).map_or(0, |period| period.start(width))
    }
}

/// Self-test of a package, with the CPU that is to be interrupted. Dropping it ends the test.
pub(crate) struct TestRig<'a> {
    pmi: &'a PackagePmi,
    target: Cpu,
    counter: &'a TestCounter,
    /// Value from which the counter started.
    start: Cell<u64>,
    /// Largest number of NMIs that one overflow has sent.
    most_nmis: Cell<u32>,
    /// Other CPUs on which PMIs are enabled, and their registers as they were before.
    others: Cell<KVec<(Cpu, SavedPmiState)>>,
}

impl<'a> TestRig<'a> {
    /// Begins the self-test. PMIs are already enabled on the target.
    pub(crate) fn new(pmi: &'a PackagePmi, target: Cpu, counter: &'a TestCounter) -> Self {
        pmi.nmi.set_target(Some(target.core()));
        pmi.nmi.set_testing(true);
        Self {
            pmi,
            target,
            counter,
            start: Cell::new(0),
            most_nmis: Cell::new(0),
            others: Cell::new(KVec::new()),
        }
    }

    /// Returns the largest number of NMIs that one overflow has sent.
    pub(crate) fn most_nmis(&self) -> u32 {
        self.most_nmis.get()
    }

    /// Calls `f` on the target with the registers of the counter's box.
    fn on_target<R: Send>(
        &self,
        f: impl FnOnce(&IrqsOff, &Access<'_>) -> Result<R> + Send,
    ) -> Result<R, PollReason> {
        let registers = &self.counter.registers;
        let done = smp::on_cpu(self.target, |here| {
            f(
                here,
                &Access::new(Some(registers), &FilterLocation::Own, here),
            )
        });
        done.and_then(|result| result)
            .map_err(|_| PollReason::Unreachable)
    }

    /// Number of clocks that the counter has counted.
    fn counted(&self, now: u64) -> u64 {
        now.wrapping_sub(self.start.get()) & mask(self.counter.fixed.width)
    }
}

impl PmiTest for TestRig<'_> {
    fn trigger(&self, bits: u32) -> Result<(), PollReason> {
        let (pmi, counter) = (self.pmi, self.counter);
        let start = self.on_target(|here, bus| {
            let (fixed, control) = (counter.fixed, counter.control);
            pmi.freeze(here);
            pmi.nmi.forget(here);
            bus.write(control.offset, 0)?;
            bus.write_counter(fixed.counter, counter.start(bus))?;
            let start = bus.read_counter(fixed.counter)?;
            bus.write(control.offset, control.enable | counter.overflow_enable)?;
            pmi.select_cores(here, bits);
            pmi.release(here);
            Ok(start)
        })?;
        self.start.set(start);
        Ok(())
    }

    fn status(&self) -> Result<TestStatus, PollReason> {
        let (pmi, counter) = (self.pmi, self.counter);
        let (now, overflowed) = self.on_target(|here, bus| {
            let now = bus.read_counter(counter.fixed.counter)?;
            Ok((now, pmi.nmi.has_overflowed(here)))
        })?;
        let interrupted = pmi.nmi.cores_interrupted();
        self.most_nmis
            .set(self.most_nmis.get().max(pmi.nmi.test_nmis()));
        Ok(TestStatus {
            counted: self.counted(now) != 0,
            overflowed: overflowed || !interrupted.is_empty(),
            interrupted,
        })
    }

    fn wait(&self) {
        fsleep(Delta::from_millis(WAIT_MS));
    }

    fn now(&self) -> u64 {
        clock::monotonic_ns()
    }

    fn reset(&self) -> Result<(), PollReason> {
        let (pmi, counter) = (self.pmi, self.counter);
        self.on_target(|here, bus| {
            pmi.freeze(here);
            pmi.select_cores(here, 0);
            let stopped = bus.write(counter.control.offset, 0);
            let cleared = bus.write_counter(counter.fixed.counter, 0);
            pmi.nmi.forget(here);
            pmi.release(here);
            stopped.and(cleared)
        })
    }

    fn enable_all(&self) -> Cores {
        let mut cores = Cores::single(self.target.core());
        let package = self.target.logical_package();
        let is_other = |cpu: &Cpu| *cpu != self.target && cpu.logical_package() == package;
        let mut others = self.others.take();
        for cpu in online_cpus().filter(is_other) {
            if let Ok(saved) = smp::on_cpu(cpu, SavedPmiState::enable) {
                cores = cores.union(Cores::single(cpu.core()));
                // Without memory to restore the CPU later, restore it now.
                if others.push((cpu, saved), GFP_KERNEL).is_err() {
                    let _ = smp::on_cpu(cpu, |here| saved.restore(here));
                }
            }
        }
        self.others.set(others);
        cores
    }
}

impl Drop for TestRig<'_> {
    fn drop(&mut self) {
        for (cpu, saved) in self.others.take() {
            // A CPU that is offline already has lost these registers.
            let _ = smp::on_cpu(cpu, |here| saved.restore(here));
        }
        self.pmi.nmi.set_testing(false);
        self.pmi.nmi.set_target(None);
    }
}
