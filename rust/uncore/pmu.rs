// SPDX-License-Identifier: GPL-2.0

//! One PMU: the boxes with one index of one type, in all packages.
//!
//! ```text
//!             event_init              add                start
//!   attr ---> parse, group check ---> counter, filters ---> counting
//!               | refused: log         |      ^              |   | read, poll: count so far
//!               v                      | busy | move         v   v
//!             errno                    v      |            stop, del: count, counter free
//!                                    not counted for now
//! ```
//!
//! Locks, outermost first: perf's own (a context's mutex in `event_init`, its raw lock elsewhere),
//! then either the log's mutex (`event_init` only) or one box's lock ([`super::seat`]); never two
//! boxes'. All callbacks but `event_init` and `show` run on the designated CPU of the event's
//! package, interrupts off, possibly from within a context switch: they never log. A box that
//! stops answering, or whose registers somebody has changed, is left to [`super::pmus::Alarm`].

use super::{
    absence::Absence,
    box_type::Role,
    bus::Access,
    counter_box::{
        Attention,
        CounterBox, //
    },
    event::{
        check_manner,
        parse,
        words,
        Counters,
        Request, //
    },
    field::Words,
    group,
    machine::Machine,
    name::BoxName,
    overflow::Mode,
    package::Package,
    pmus::Alarm,
    reject::{
        GroupFault,
        Rejection, //
    },
    seat::Seat,
    sysfs::{
        self,
        Attribute, //
    },
};
use crate::linux::{
    context::IrqsOff,
    perf::{
        Event,
        Member,
        Opening,
        Pmu, //
    },
    topology::Cpu, //
};
use core::sync::atomic::{
    AtomicBool,
    Ordering, //
};
use kernel::{
    fmt,
    prelude::*,
    sync::Arc, //
};

/// A PMU.
pub(super) struct UncorePmu {
    /// Which boxes it has.
    pub(super) name: BoxName,
    /// The machine.
    pub(super) machine: Arc<Machine>,
    /// One per package.
    seats: KVec<Arc<Seat>>,
    alarm: Arc<Alarm>,
}

/// An open event.
pub(super) struct Counted {
    request: Request,
    package: u32,
    seat: Arc<Seat>,
    /// Whether it is in a group with other events of the box, or was.
    grouped: AtomicBool,
    /// Whether it has ended because a register was changed.
    tampered: AtomicBool,
}

impl Counted {
    /// Notes that it is in a group.
    fn join(&self) {
        self.grouped.store(true, Ordering::Relaxed);
    }
}

impl UncorePmu {
    /// The PMU of some boxes.
    pub(super) fn new(name: BoxName, machine: &Arc<Machine>, alarm: &Arc<Alarm>) -> Result<Self> {
        let mut seats = KVec::new();
        for package in &machine.packages {
            let mut of_kind = package.seats_of(name.kind);
            let seat = of_kind.find(|seat| seat.name.index == name.index);
            seats.push(seat.ok_or(ENODEV)?.clone(), GFP_KERNEL)?;
        }
        Ok(Self {
            name,
            machine: machine.clone(),
            seats,
            alarm: alarm.clone(),
        })
    }

    /// The packages with their seats for the boxes of this PMU.
    pub(super) fn places(&self) -> impl Iterator<Item = (&Package, &Arc<Seat>)> + Clone {
        self.machine.packages.iter().zip(&self.seats)
    }

    /// The seat of a package.
    fn seat(&self, package: u32) -> Option<&Arc<Seat>> {
        self.seats.get(usize::try_from(package).ok()?)
    }

    /// Accepts an event, and the CPU it is to count on, or says why not.
    fn accept(
        &self,
        opening: &Opening<'_, Self>,
        words: &Words,
    ) -> Result<(Counted, Cpu), Rejection> {
        let attr = opening.attr();
        check_manner(attr)?;
        let package = attr.cpu.and_then(Cpu::logical_package);
        let (package, seat, cpu) = self.place(package.ok_or(Rejection::Task)?)?;
        let counted = Counted {
            request: parse(self.name.kind, words)?,
            package,
            seat,
            grouped: AtomicBool::new(false),
            tampered: AtomicBool::new(false),
        };
        self.check_interval(&counted)?;
        self.check_filters(&counted)?;
        self.check_counter(&counted)?;
        self.check_group(opening, &counted)?;
        Ok((counted, cpu))
    }

    /// The box in a package and the CPU that counts for it; reason 4 if there is none.
    fn place(&self, number: u32) -> Result<(u32, Arc<Seat>, Cpu), Rejection> {
        let lacks = |absence| Rejection::NoBox(number, absence);
        let seat = self.seat(number).ok_or(lacks(Absence::Offline))?;
        if let Some(absence) = seat.absence() {
            return Err(lacks(absence));
        }
        let package = self.machine.package(number);
        let cpu = package.and_then(Package::designated);
        Ok((number, seat.clone(), cpu.ok_or(lacks(Absence::Offline))?))
    }

    /// Whether the package tells when an interval is over, if that is wanted; reason 19.
    fn check_interval(&self, counted: &Counted) -> Result<(), Rejection> {
        if counted.request.interval == 0 {
            return Ok(());
        }
        let mode = self.machine.package(counted.package);
        let mode = mode.map(|package| package.overflow.mode());
        match (mode, self.name.kind.field(Role::Interval)) {
            (Some(Mode::Poll(why)), Some(field)) => {
                Err(Rejection::NoInterrupt(field, counted.package, why))
            }
            _ => Ok(()),
        }
    }

    /// Whether the filters of the event are there; reason 20.
    fn check_filters(&self, counted: &Counted) -> Result<(), Rejection> {
        let request = &counted.request;
        if request.filters.is_empty() {
            return Ok(());
        }
        let Some(absence) = counted.seat.filter_absence() else {
            return Ok(());
        };
        match request.name(self.name.kind) {
            Some(name) => Err(Rejection::NoFilters(name, counted.package, absence)),
            None => Ok(()),
        }
    }

    /// Whether the counter that only this event has is there; reason 21.
    fn check_counter(&self, counted: &Counted) -> Result<(), Rejection> {
        let Counters::Fixed(index) = counted.request.on else {
            return Ok(());
        };
        match self.name.kind.fixed.get(usize::from(index)) {
            Some(fixed) if counted.seat.lacks_fixed(index) => {
                Err(Rejection::NoFixed(fixed, counted.package))
            }
            _ => Ok(()),
        }
    }

    /// Tries whether the event fits its group; reasons 22 to 25.
    fn check_group(&self, opening: &Opening<'_, Self>, counted: &Counted) -> Result<(), Rejection> {
        for member in opening.members() {
            match member {
                Member::Ours(event) if event.data().package != counted.package => {
                    let package = event.data().package;
                    return Err(Rejection::Group(GroupFault::OtherPackage(package)));
                }
                Member::Foreign => return Err(Rejection::Group(GroupFault::Foreign)),
                Member::Ours(_) | Member::Software => {}
            }
        }
        let members = opening.members().filter_map(|member| match member {
            Member::Ours(event) => Some(event.data().request),
            Member::Foreign | Member::Software => None,
        });
        group::check(self.name.kind, Iterator::chain(members, [counted.request]))
    }

    /// Notes of the event and those that it joins that they are a group.
    fn join_group(opening: &Opening<'_, Self>, counted: &Counted) {
        for member in opening.members() {
            if let Member::Ours(event) = member {
                event.data().join();
                counted.join();
            }
        }
    }

    /// Does something with an event's box, and has it seen to if need be.
    fn with<R>(&self, event: &Event<Self>, f: impl FnOnce(&mut CounterBox, &Access<'_>) -> R) -> R {
        let used = event.data().seat.with(f);
        if used.alarming {
            self.alarm.schedule();
        }
        used.result
    }

    /// Does something with this package's box.
    fn with_local(&self, here: &IrqsOff, f: impl FnOnce(&mut CounterBox, &Access<'_>)) {
        let package = here.cpu().logical_package();
        if let Some(seat) = package.and_then(|package| self.seat(package)) {
            if seat.with(f).alarming {
                self.alarm.schedule();
            }
        }
    }

    /// Has the overflows of the event's box noticed.
    fn attend(&self, event: &Event<Self>, here: &IrqsOff, attention: Attention) {
        if let Some(package) = self.machine.package(event.data().package) {
            package.attend(here, attention);
        }
    }
}

impl Pmu for UncorePmu {
    type Event = Counted;
    type Attribute = Attribute;

    fn event_init(&self, opening: &mut Opening<'_, Self>) -> Result<KBox<Counted>> {
        let words = words(opening.attr());
        match self.accept(opening, &words) {
            Ok((counted, cpu)) => {
                Self::join_group(opening, &counted);
                opening.set_cpu(cpu);
                Ok(KBox::new(counted, GFP_KERNEL)?)
            }
            Err(rejection) => Err(self.machine.refuse(self.name, words, rejection)),
        }
    }

    fn add(&self, event: &Event<Self>, here: &IrqsOff, start: bool) -> Result {
        let counted = event.data();
        if here.cpu().logical_package() != Some(counted.package) {
            return Err(ENODEV);
        }
        if counted.tampered.load(Ordering::Relaxed) {
            return Err(EIO);
        }
        let id = event.id();
        let grouped = counted.grouped.load(Ordering::Relaxed);
        let before = event.count(here);
        let attention = self.with(event, |counters, bus| {
            counters.add(bus, id, &counted.request, grouped)?;
            counters.credit(id, before);
            let started = match start {
                true => counters.start(bus, id),
                false => Ok(()),
            };
            if started.is_err() {
                counters.remove(bus, id);
            }
            started.map(|()| counters.attention(bus))
        })?;
        event.set_stopped(here, !start);
        if start {
            self.attend(event, here, attention);
        }
        Ok(())
    }

    fn del(&self, event: &Event<Self>, here: &IrqsOff) {
        let id = event.id();
        let (count, tampered) = self.with(event, |counters, bus| {
            counters.stop(bus, id);
            let tampered = counters.is_tampered(id);
            (counters.free(bus, id), tampered)
        });
        if tampered {
            event.data().tampered.store(true, Ordering::Relaxed);
        }
        event.add_count(here, count);
        event.set_stopped(here, true);
        event.update_user_page(here);
    }

    fn start(&self, event: &Event<Self>, here: &IrqsOff) {
        let id = event.id();
        let attention = self.with(event, |counters, bus| {
            // What cannot count any more is ended by the alarm.
            let _ = counters.start(bus, id);
            counters.attention(bus)
        });
        event.set_stopped(here, false);
        self.attend(event, here, attention);
    }

    fn stop(&self, event: &Event<Self>, here: &IrqsOff, update: bool) {
        let id = event.id();
        let count = self.with(event, |counters, bus| {
            counters.stop(bus, id);
            match update {
                true => counters.read(bus, id),
                false => 0,
            }
        });
        event.add_count(here, count);
        event.set_stopped(here, true);
    }

    /// This is what users do most: all of it is one function but for what a counter in
    /// configuration space takes.
    #[inline]
    fn read(&self, event: &Event<Self>, here: &IrqsOff) {
        let read = event.data().seat.read(here, event.id());
        if let Some(read) = read {
            event.add_count(here, read.result);
            if read.alarming {
                self.alarm.schedule();
            }
        }
    }

    fn disable(&self, here: &IrqsOff) {
        self.with_local(here, |counters, _| counters.begin());
    }

    fn enable(&self, here: &IrqsOff) {
        self.with_local(here, |counters, bus| counters.end(bus));
    }

    fn show(&self, attribute: &Attribute, out: &mut dyn fmt::Write) -> fmt::Result {
        sysfs::show(self, attribute, out)
    }
}
