// SPDX-License-Identifier: GPL-2.0

//! A package: its boxes, its designated CPU, and the poll timer that reads its counters.
//!
//! One CPU of each package is *designated*. All events of the package count there, whichever CPU of
//! the package the user asked for, and the poll timer fires there.
//!
//! The timer is armed when an event starts on a counter that does not interrupt when it overflows.
//! It rearms itself while such a counter counts. Its interval comes from the tables, by [`count`].
//! [`Overflow`] takes care of counters that interrupt.

use crate::{
    linux::{
        context::IrqsOff,
        hrtimer::{
            Again,
            Expire,
            Timer, //
        },
        topology::{
            self,
            Cpu, //
        }, //
    },
    uncore::{
        absence::MissingReason,
        counter_box::{
            count,
            overflow::WatchNeeds,
            uncore_box::UncoreBox, //
        },
        cpu_cell::CpuCell,
        error_work::ErrorWork,
        options::Options,
        overflow::Overflow,
        request::name::BoxName,
        table::box_type::{
            Access,
            BoxType,
            Platform, //
        }, //
    }, //
};
use core::num::NonZeroU64;
use kernel::{
    prelude::*,
    sync::{
        Arc,
        UniqueArc, //
    }, //
};

/// A package of the machine.
pub(crate) struct Package {
    /// Logical package number, as the kernel counts packages.
    pub(crate) number: u32,
    /// All boxes that the tables allow, present or not, in the order of the tables.
    pub(crate) boxes: KVec<Arc<UncoreBox>>,
    /// Overflow handling of the counters that can interrupt.
    pub(crate) overflow: Arc<Overflow>,
    designated: CpuCell,
    timer: Pin<KBox<Timer<PollTimer>>>,
}

impl Package {
    /// Makes a package without a designated CPU, all its boxes absent.
    pub(crate) fn new(
        platform: &'static Platform,
        number: u32,
        options: &Options,
        errors: &Arc<ErrorWork>,
    ) -> Result<Self> {
        let mut boxes = KVec::new();
        let mut polled = KVec::new();
        for &kind in platform.box_types {
            for index in 0..kind.max_boxes {
                let name = BoxName { kind, index };
                let uncore_box = Arc::pin_init(
                    UncoreBox::new(name, initial_absence(kind), options.tamper),
                    GFP_KERNEL,
                )?;
                polled.push(uncore_box.clone(), GFP_KERNEL)?;
                boxes.push(uncore_box, GFP_KERNEL)?;
            }
        }
        let overflow = Overflow::new(platform, number, &boxes, options, errors)?;
        let overflow: Arc<Overflow> = UniqueArc::new(overflow, GFP_KERNEL)?.into();
        let poll = PollTimer {
            package: number,
            boxes: polled,
            overflow: overflow.clone(),
            interval: count::shortest_poll_ns(platform),
            armed: CpuCell::new(),
            errors: errors.clone(),
        };
        Ok(Self {
            number,
            boxes,
            overflow,
            designated: CpuCell::new(),
            timer: KBox::pin_init(Timer::new(poll), GFP_KERNEL)?,
        })
    }

    /// Returns the CPU that counts for the package; `None` while no CPU of the package is online.
    pub(crate) fn designated(&self) -> Option<Cpu> {
        self.designated.get()
    }

    /// Changes the designated CPU and cancels the poll timer.
    ///
    /// The caller then moves the events to that CPU, where they arm the timer again.
    pub(crate) fn designate(&self, cpu: Option<Cpu>) {
        self.timer.cancel();
        self.timer.armed.set(None);
        self.designated.set(cpu);
    }

    /// Returns the hardware's number of the package; `None` if none of its CPUs was ever online.
    pub(crate) fn physical_number(&self) -> Option<u32> {
        topology::possible_cpus()
            .find(|cpu| cpu.logical_package() == Some(self.number))
            .map(Cpu::physical_package)
    }

    /// Returns an online CPU of the package other than `cpu`.
    pub(crate) fn sibling_of(&self, cpu: Cpu) -> Option<Cpu> {
        topology::online_cpus()
            .find(|&other| other != cpu && other.logical_package() == Some(self.number))
    }

    /// Returns whether an online CPU of the package exists besides the designated one.
    ///
    /// To reschedule events they are moved there and back: perf drops those that cannot count any
    /// more, all others go on.
    pub(crate) fn has_sibling_cpu(&self) -> bool {
        self.designated()
            .and_then(|cpu| self.sibling_of(cpu))
            .is_some()
    }

    /// Returns the boxes of a type, present or not, in index order.
    pub(crate) fn boxes_of(&self, kind: &'static BoxType) -> impl Iterator<Item = &Arc<UncoreBox>> {
        self.boxes
            .iter()
            .filter(move |uncore_box| core::ptr::eq(uncore_box.name.kind, kind))
    }

    /// Returns the box with a name, present or not.
    pub(crate) fn box_named(&self, name: BoxName) -> Option<&Arc<UncoreBox>> {
        self.boxes_of(name.kind)
            .find(|uncore_box| uncore_box.name.index == name.index)
    }

    /// Arms the poll timer or the watchdog that a newly started event needs.
    ///
    /// Runs on the designated CPU.
    pub(crate) fn arm(&self, here: &IrqsOff, watch_needs: WatchNeeds) {
        let cpu = Some(here.cpu());
        if watch_needs.poll && self.timer.armed.get() != cpu {
            self.timer.armed.set(cpu);
            self.timer.start(here, self.timer.interval.get());
        }
        if let Some(wrap_ns) = watch_needs.wrap_ns {
            self.overflow.arm(here, wrap_ns);
        }
    }
}

/// Returns why a box is absent before the driver has looked for it.
fn initial_absence(kind: &BoxType) -> MissingReason {
    match kind.access {
        Access::Msr { .. } => MissingReason::Offline,
        Access::Pci(_) => MissingReason::Unseen,
    }
}

/// Reads the counters of a package before they wrap twice.
struct PollTimer {
    package: u32,
    boxes: KVec<Arc<UncoreBox>>,
    overflow: Arc<Overflow>,
    /// Poll interval in ns.
    interval: NonZeroU64,
    /// CPU on which the timer is armed.
    armed: CpuCell,
    errors: Arc<ErrorWork>,
}

impl Expire for PollTimer {
    /// Reads the running counters that do not interrupt.
    ///
    /// A timer whose CPU went offline can fire on a CPU of another package. There the same register
    /// numbers are those of the other package, so this does nothing.
    fn expire(&self, here: &IrqsOff) -> Again {
        self.armed.set(None);
        if here.cpu().logical_package() != Some(self.package) {
            return Again::Never;
        }
        let mut counting = false;
        for uncore_box in &self.boxes {
            let polled = uncore_box.with(|counters, bus| counters.poll(bus));
            counting |= polled.result;
            if polled.needs_handling {
                self.errors.schedule();
            }
        }
        if !counting {
            return Again::Never;
        }
        self.overflow.count_poll();
        self.armed.set(Some(here.cpu()));
        Again::After(self.interval)
    }
}

/// Returns the designated CPUs of some packages in ascending order.
pub(crate) fn designated_cpus<'a, I>(boxes: I) -> impl Iterator<Item = Cpu> + use<'a, I>
where
    I: Iterator<Item = (&'a Package, &'a Arc<UncoreBox>)> + Clone,
{
    let cpus = boxes.filter_map(|(package, _)| package.designated());
    let mut last = None;
    core::iter::from_fn(move || {
        let next = cpus.clone().filter(|&cpu| Some(cpu) > last).min();
        last = next.or(last);
        next
    })
}
