// SPDX-License-Identifier: GPL-2.0

//! A package: its boxes, the CPU that counts for it, and the timer that reads its counters.
//!
//! One CPU of each package is *designated*: events count there, whatever CPU of the package they
//! were opened for, and the timer fires there. The timer is armed when an event starts on a counter
//! that does not interrupt when it overflows, and rearms itself as long as one is counting; its
//! interval comes from the tables, by [`super::count`]. Of the other counters [`super::overflow`]
//! takes care.

use super::{
    absence::Absence,
    box_type::{
        BoxType,
        Platform, //
    },
    count,
    counter_box::Attention,
    name::BoxName,
    overflow::Overflow,
    pmus::Alarm,
    seat::Seat,
    Options, //
};
use crate::linux::{
    context::IrqsOff,
    hrtimer::{
        Again,
        Expire,
        Timer, //
    },
    topology::{
        self,
        Cpu, //
    },
};
use core::{
    num::NonZeroU64,
    sync::atomic::{
        AtomicU32,
        Ordering, //
    },
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// A CPU or none, changed and read on any CPU.
struct CpuCell(AtomicU32);

impl CpuCell {
    const NONE: u32 = u32::MAX;

    const fn new() -> Self {
        Self(AtomicU32::new(Self::NONE))
    }

    fn get(&self) -> Option<Cpu> {
        match self.0.load(Ordering::Relaxed) {
            Self::NONE => None,
            number => Cpu::new(number),
        }
    }

    fn set(&self, cpu: Option<Cpu>) {
        let number = cpu.map_or(Self::NONE, Cpu::number);
        self.0.store(number, Ordering::Relaxed);
    }
}

/// A package of the machine.
pub(super) struct Package {
    /// The kernel's number of it.
    pub(super) number: u32,
    /// All its seats, type by type in the table's order.
    pub(super) seats: KVec<Arc<Seat>>,
    /// How the overflows of those counters are noticed that can interrupt.
    pub(super) overflow: Arc<Overflow>,
    designated: CpuCell,
    timer: Pin<KBox<Timer<Poll>>>,
}

impl Package {
    /// A package with no box and no CPU yet.
    pub(super) fn new(
        platform: &'static Platform,
        number: u32,
        options: &Options,
        alarm: &Arc<Alarm>,
    ) -> Result<Self> {
        let mut seats = KVec::new();
        let mut polled = KVec::new();
        for &kind in platform.box_types {
            for index in 0..kind.max_boxes {
                let name = BoxName { kind, index };
                let seat = Arc::pin_init(Seat::new(name, unseen(kind)), GFP_KERNEL)?;
                polled.push(seat.clone(), GFP_KERNEL)?;
                seats.push(seat, GFP_KERNEL)?;
            }
        }
        let overflow = Overflow::new(platform, number, &seats, options, alarm)?;
        let overflow = Arc::new(overflow, GFP_KERNEL)?;
        let poll = Poll {
            package: number,
            seats: polled,
            overflow: overflow.clone(),
            intervals: [false, true].map(|told| count::shortest_poll_ns(platform, told)),
            armed: CpuCell::new(),
            alarm: alarm.clone(),
        };
        Ok(Self {
            number,
            seats,
            overflow,
            designated: CpuCell::new(),
            timer: KBox::pin_init(Timer::new(poll), GFP_KERNEL)?,
        })
    }

    /// The CPU that counts for the package, if any of it is online.
    pub(super) fn designated(&self) -> Option<Cpu> {
        self.designated.get()
    }

    /// Has another CPU count for the package. Its events are still to be moved, and arm the timer
    /// there.
    pub(super) fn designate(&self, cpu: Option<Cpu>) {
        self.timer.cancel();
        self.timer.armed.set(None);
        self.designated.set(cpu);
    }

    /// The hardware's number of the package, where a CPU of it has been seen.
    pub(super) fn physical(&self) -> Option<u32> {
        let mut cpus = topology::possible_cpus();
        let cpu = cpus.find(|cpu| cpu.logical_package() == Some(self.number))?;
        Some(cpu.physical_package())
    }

    /// An online CPU of the package other than this one.
    pub(super) fn another(&self, cpu: Cpu) -> Option<Cpu> {
        topology::online_cpus()
            .find(|&other| other != cpu && other.logical_package() == Some(self.number))
    }

    /// Whether there is a CPU of the package to which events can be moved for a moment, so that
    /// those that have ended are left out and all others go on.
    pub(super) fn has_refuge(&self) -> bool {
        let refuge = self.designated().and_then(|cpu| self.another(cpu));
        refuge.is_some()
    }

    /// The seats of a box type, in index order.
    pub(super) fn seats_of(&self, kind: &'static BoxType) -> impl Iterator<Item = &Arc<Seat>> {
        let seats = self.seats.iter();
        seats.filter(move |seat| core::ptr::eq(seat.name.kind, kind))
    }

    /// Has done what a box needs so that none of its overflows is missed, as an event counts now.
    /// For the designated CPU.
    pub(super) fn attend(&self, here: &IrqsOff, attention: Attention) {
        let cpu = Some(here.cpu());
        if attention.poll && self.timer.armed.get() != cpu {
            self.timer.armed.set(cpu);
            self.timer.start(here, self.timer.interval().get());
        }
        if let Some(wrap_ns) = attention.watch {
            self.overflow.attend(here, wrap_ns);
        }
    }
}

/// What to say of a box nobody has looked for yet.
fn unseen(kind: &BoxType) -> Absence {
    match kind.access {
        super::box_type::Access::Msr { .. } => Absence::Offline,
        super::box_type::Access::Pci { .. } => Absence::Unseen,
    }
}

/// What the timer of a package does.
struct Poll {
    package: u32,
    seats: KVec<Arc<Seat>>,
    overflow: Arc<Overflow>,
    /// How often counters are read: all of them, and only those that cannot interrupt.
    intervals: [NonZeroU64; 2],
    /// Where the timer is armed.
    armed: CpuCell,
    alarm: Arc<Alarm>,
}

impl Poll {
    /// How often counters are read.
    fn interval(&self) -> NonZeroU64 {
        let [all, few] = self.intervals;
        if self.overflow.interrupts() {
            few
        } else {
            all
        }
    }
}

impl Expire for Poll {
    /// Reads the counters that count and do not interrupt. A timer whose CPU went offline can fire
    /// elsewhere, where these registers are another package's.
    fn expire(&self, here: &IrqsOff) -> Again {
        self.armed.set(None);
        if here.cpu().logical_package() != Some(self.package) {
            return Again::Never;
        }
        let mut counting = false;
        for seat in &self.seats {
            let polled = seat.with(|counters, bus| counters.poll(bus));
            counting |= polled.result;
            if polled.alarming {
                self.alarm.schedule();
            }
        }
        if !counting {
            return Again::Never;
        }
        self.overflow.polled();
        self.armed.set(Some(here.cpu()));
        Again::After(self.interval())
    }
}

/// The designated CPUs of the packages whose seat has a box, in ascending order.
pub(super) fn ascending<'a, I>(places: I) -> impl Iterator<Item = Cpu> + use<'a, I>
where
    I: Iterator<Item = (&'a Package, &'a Arc<Seat>)> + Clone,
{
    let present = places.filter(|(_, seat)| seat.absence().is_none());
    let cpus = present.filter_map(|(package, _)| package.designated());
    let mut last = None;
    core::iter::from_fn(move || {
        let next = cpus.clone().filter(|&cpu| Some(cpu) > last).min();
        last = next.or(last);
        next
    })
}
