// SPDX-License-Identifier: GPL-2.0

//! The bench on which a package's interrupt is tried out: the first counter of the tables that
//! needs no event, interrupts, and is behind MSRs.
//!
//! For a package in which nothing counts: all its boxes are frozen and let run again meanwhile.

use super::{
    super::{
        box_type::{
            self,
            BoxType,
            Fixed,
            FixedControl,
            Platform, //
        },
        bus::{
            Access,
            Bus,
            FilterRegisters,
            Registers, //
        },
        count::mask,
        counter_box::measure, //
    },
    line::Line,
    mode::Why,
    period::Period,
    target::Before,
    trial::{
        Bench,
        Cores,
        Seen, //
    },
};
use crate::linux::{
    clock,
    context::IrqsOff,
    smp,
    topology::{
        online_cpus,
        Cpu, //
    },
};
use core::cell::Cell;
use kernel::{
    prelude::*,
    time::{
        delay::fsleep,
        Delta, //
    },
};

/// After how many clocks the counter overflows: a fraction of a millisecond.
const CLOCKS: u64 = 1 << 20;

/// How long to wait before looking again, in milliseconds.
const MOMENT: i64 = 1;

/// A counter that can be tried, and where its box is.
pub(super) struct Specimen {
    kind: &'static BoxType,
    index: usize,
    fixed: &'static Fixed,
    control: &'static FixedControl,
    overflow_enable: u32,
    registers: Registers,
}

impl Specimen {
    /// The first of a platform.
    pub(super) fn find(platform: &'static Platform) -> Option<Self> {
        platform.global.as_ref()?;
        let mut kinds = platform.box_types.iter();
        kinds.find_map(|kind| {
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

    /// Where it starts, once it stands still.
    fn start<B: Bus>(&self, bus: &B) -> u64 {
        let widths = measure(bus, self.kind);
        let width = widths.get(self.index).copied().flatten();
        let width = width.unwrap_or(self.fixed.width);
        Period::new(CLOCKS).map_or(0, |period| period.start(width))
    }
}

/// A package, a CPU of it that is to be interrupted, and a counter.
pub(super) struct Stand<'a> {
    line: &'a Line,
    target: Cpu,
    specimen: &'a Specimen,
    /// Where the counter started.
    start: Cell<u64>,
    /// Most NMIs that an overflow has sent.
    audience: Cell<u32>,
    /// The other CPUs that have been made to take interrupts, and what they had before.
    others: Cell<KVec<(Cpu, Before)>>,
}

impl<'a> Stand<'a> {
    /// The target takes interrupts already.
    pub(super) fn new(line: &'a Line, target: Cpu, specimen: &'a Specimen) -> Self {
        line.listen(Some(target.core()));
        line.set_trying(true);
        Self {
            line,
            target,
            specimen,
            start: Cell::new(0),
            audience: Cell::new(0),
            others: Cell::new(KVec::new()),
        }
    }

    /// Most NMIs that an overflow has sent.
    pub(super) fn audience(&self) -> u32 {
        self.audience.get()
    }

    /// Does something with the counter's box, on the target.
    fn on_target<R: Send>(
        &self,
        f: impl FnOnce(&IrqsOff, &Access<'_>) -> Result<R> + Send,
    ) -> Result<R, Why> {
        let registers = &self.specimen.registers;
        let done = smp::on_cpu(self.target, |here| {
            f(
                here,
                &Access::new(Some(registers), &FilterRegisters::Own, here),
            )
        });
        done.and_then(|result| result).map_err(|_| Why::Unreachable)
    }

    /// How far the counter has come.
    fn distance(&self, now: u64) -> u64 {
        now.wrapping_sub(self.start.get()) & mask(self.specimen.fixed.width)
    }
}

impl Bench for Stand<'_> {
    fn provoke(&self, cores: u32) -> Result<(), Why> {
        let (line, specimen) = (self.line, self.specimen);
        let start = self.on_target(|here, bus| {
            let (fixed, control) = (specimen.fixed, specimen.control);
            line.freeze(here);
            line.forget(here);
            bus.write(control.offset, 0)?;
            bus.write_counter(fixed.counter, specimen.start(bus))?;
            let start = bus.read_counter(fixed.counter)?;
            bus.write(control.offset, control.enable | specimen.overflow_enable)?;
            line.select(here, cores);
            line.release(here);
            Ok(start)
        })?;
        self.start.set(start);
        Ok(())
    }

    fn look(&self) -> Result<Seen, Why> {
        let (line, specimen) = (self.line, self.specimen);
        let (now, overflowed) = self.on_target(|here, bus| {
            let now = bus.read_counter(specimen.fixed.counter)?;
            Ok((now, line.has_overflowed(here)))
        })?;
        let heard = line.heard();
        self.audience.set(self.audience.get().max(line.answers()));
        Ok(Seen {
            moved: self.distance(now) != 0,
            overflowed: overflowed || !heard.is_empty(),
            heard,
        })
    }

    fn wait(&self) {
        fsleep(Delta::from_millis(MOMENT));
    }

    fn now(&self) -> u64 {
        clock::monotonic_ns()
    }

    fn tidy(&self) -> Result<(), Why> {
        let (line, specimen) = (self.line, self.specimen);
        self.on_target(|here, bus| {
            line.freeze(here);
            line.select(here, 0);
            let stopped = bus.write(specimen.control.offset, 0);
            let cleared = bus.write_counter(specimen.fixed.counter, 0);
            line.forget(here);
            line.release(here);
            stopped.and(cleared)
        })
    }

    fn listen_everywhere(&self) -> Cores {
        let mut cores = Cores::one(self.target.core());
        let package = self.target.logical_package();
        let is_other = |cpu: &Cpu| *cpu != self.target && cpu.logical_package() == package;
        let mut others = self.others.take();
        for cpu in online_cpus().filter(is_other) {
            if let Ok(before) = smp::on_cpu(cpu, Before::take) {
                cores = cores.and(Cores::one(cpu.core()));
                // One that cannot be put back is not made to take any.
                if others.push((cpu, before), GFP_KERNEL).is_err() {
                    let _ = smp::on_cpu(cpu, |here| before.put_back(here));
                }
            }
        }
        self.others.set(others);
        cores
    }
}

impl Drop for Stand<'_> {
    fn drop(&mut self) {
        for (cpu, before) in self.others.take() {
            // A CPU that has gone has forgotten it.
            let _ = smp::on_cpu(cpu, |here| before.put_back(here));
        }
        self.line.set_trying(false);
        self.line.listen(None);
    }
}
