// SPDX-License-Identifier: GPL-2.0

//! One PMU for perf: the boxes with one index of one type, in all packages.
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
//! then either the mutex of the refused requests (`event_init` only) or the lock of one box
//! ([`UncoreBox`]). The locks of two boxes are never held at once.
//!
//! All callbacks except `event_init`, `show` and `read` run on the designated CPU of the event's
//! package, interrupts off, possibly from within a context switch: they never log. `read` runs on any
//! CPU of the package, or in an NMI, and takes no lock. If a box stops answering,
//! or another tool has modified its registers, they schedule an [`ErrorWork`].

pub(crate) mod debugfs;
pub(crate) mod registry;
pub(crate) mod sysfs;

use self::sysfs::Attribute;
use super::{
    absence::MissingReason,
    counter_box::{
        bus::BoxAccess,
        counters::BoxCounters,
        open_event::OpenEvent,
        uncore_box::UncoreBox, //
    },
    error_work::ErrorWork,
    machine::{
        package::Package,
        Machine, //
    },
    options::Names,
    request::{
        check_manner,
        compat::cleaned,
        group,
        name::BoxName,
        parser::Parser,
        reject::{
            faults::GroupFault,
            RejectReason, //
        },
        Counters,
        Request, //
    },
    table::box_type::Role, //
};
use crate::linux::{
    context::{
        IrqsOff,
        NoInterrupts, //
    },
    perf::{
        Event,
        Link,
        Member,
        Opening,
        Pmu, //
    },
    smp,
    topology::Cpu, //
};
use kernel::{
    fmt,
    prelude::*,
    sync::{
        Arc,
        UniqueArc, //
    }, //
};

pub(crate) struct UncorePmu {
    pub(crate) name: BoxName,
    pub(crate) machine: Arc<Machine>,
    /// The box of each package, indexed by logical package number.
    boxes: KVec<Arc<UncoreBox>>,
    parser: Parser,
    errors: Arc<ErrorWork>,
}

impl UncorePmu {
    /// Makes the PMU of the boxes with a name, which are at this position in each package.
    pub(crate) fn new(
        name: BoxName,
        position: usize,
        parser: Parser,
        machine: &Arc<Machine>,
        errors: &Arc<ErrorWork>,
    ) -> Result<Self> {
        let mut boxes = KVec::with_capacity(machine.packages.len(), GFP_KERNEL)?;
        for uncore_box in machine.boxes_at(position) {
            boxes.push_within_capacity(uncore_box.clone())?;
        }
        Ok(Self {
            name,
            machine: machine.clone(),
            boxes,
            parser,
            errors: errors.clone(),
        })
    }

    /// Returns the packages with their boxes of this PMU, present or not.
    pub(crate) fn boxes(&self) -> impl Iterator<Item = (&Package, &Arc<UncoreBox>)> {
        self.machine.packages.iter().zip(&self.boxes)
    }

    /// Returns the box of a package, present or not.
    fn uncore_box(&self, package: u32) -> Option<&Arc<UncoreBox>> {
        self.boxes.get(usize::try_from(package).ok()?)
    }

    /// Checks an event that a user opens; returns it with the CPU on which it counts.
    ///
    /// The order of the checks is that of the variants of [`RejectReason`].
    ///
    /// # Errors
    ///
    /// That of the first check that fails; [`ENOMEM`].
    fn accept(&self, opening: &Opening<'_, Self>) -> Result<(Arc<OpenEvent>, Cpu)> {
        let refuse = |reason| self.machine.refuse(self.name, opening.attr().words, reason);
        let (request, package, uncore_box, cpu) = self.find(opening).map_err(refuse)?;
        // In its place at once, as it is large.
        let reach = uncore_box.reach().clone();
        let kind = self.name.kind;
        let event = OpenEvent::new(opening.id(), request, package, kind, reach);
        let event: Arc<OpenEvent> = UniqueArc::new(event, GFP_KERNEL)?.into();
        self.check(opening, &event, uncore_box, cpu)
            .map_err(refuse)?;
        Ok((event, cpu))
    }

    /// Finds the box of an event and the CPU on which it counts, and parses its words.
    fn find(
        &self,
        opening: &Opening<'_, Self>,
    ) -> Result<(Request, u32, &UncoreBox, Cpu), RejectReason> {
        let attr = opening.attr();
        check_manner(attr).map_err(|reason| match reason {
            RejectReason::Excluded(name) if !opening.may_count_kernel() => {
                RejectReason::MayNotCount(name)
            }
            reason => reason,
        })?;
        let asked = attr.cpu.ok_or(RejectReason::Task)?;
        let package = asked.logical_package();
        let package = package.ok_or(RejectReason::AbsentCpu(asked))?;
        let (package, uncore_box, cpu) = self.find_box(package)?;
        let kind = self.name.kind;
        let compat_words;
        let words = match self.machine.names {
            Names::Native => &attr.words,
            Names::Compat => {
                compat_words = cleaned(kind, &attr.words);
                &compat_words
            }
        };
        Ok((self.parser.parse(words)?, package, uncore_box, cpu))
    }

    /// Checks an event that was parsed.
    fn check(
        &self,
        opening: &Opening<'_, Self>,
        event: &OpenEvent,
        uncore_box: &UncoreBox,
        cpu: Cpu,
    ) -> Result<(), RejectReason> {
        self.check_privilege(opening, event)?;
        self.check_filters(event, uncore_box)?;
        check_bits(event, uncore_box, cpu)?;
        self.check_counter(event, uncore_box)?;
        self.check_group(opening, event)
            .map_err(RejectReason::Group)?;
        self.check_interval(opening, event, uncore_box, cpu)
    }

    /// Returns the box of a package and the designated CPU, or [`RejectReason::NoBox`].
    fn find_box(&self, number: u32) -> Result<(u32, &UncoreBox, Cpu), RejectReason> {
        let no_box = |absence| RejectReason::NoBox(number, absence);
        let uncore_box = self
            .uncore_box(number)
            .ok_or(no_box(MissingReason::Offline))?;
        if let Some(absence) = uncore_box.absence() {
            return Err(no_box(absence));
        }
        let cpu = self
            .machine
            .package(number)
            .and_then(Package::designated)
            .ok_or(no_box(MissingReason::Offline))?;
        Ok((number, uncore_box, cpu))
    }

    /// Checks that the user may use all fields of the event, or returns
    /// [`RejectReason::NotPermitted`].
    fn check_privilege(
        &self,
        opening: &Opening<'_, Self>,
        event: &OpenEvent,
    ) -> Result<(), RejectReason> {
        match event.request.privileged_field(self.name.kind) {
            Some(field) if !opening.is_perfmon_capable() => Err(RejectReason::NotPermitted(field)),
            _ => Ok(()),
        }
    }

    /// Checks that counters of the box can be preset and those of the package can interrupt if the
    /// event has an interval, or returns [`RejectReason::NoPreset`] or [`RejectReason::NoInterrupt`].
    /// The first such event has the interrupt tested, so this comes last.
    fn check_interval(
        &self,
        opening: &Opening<'_, Self>,
        event: &OpenEvent,
        uncore_box: &UncoreBox,
        cpu: Cpu,
    ) -> Result<(), RejectReason> {
        if event.request.interval == 0 {
            return Ok(());
        }
        let (Some(field), Some(package)) = (
            self.name.kind.field(Role::Interval),
            self.machine.package(event.package),
        ) else {
            return Ok(());
        };
        if !uncore_box.look(|of| of.setup.presets) {
            return Err(RejectReason::NoPreset(field, event.package));
        }
        let allowed = match opening.members().next() {
            None => package.overflow.allow_intervals(cpu),
            Some(_) => package
                .overflow
                .allow_intervals_soon(|| self.errors.schedule()),
        };
        allowed.map_err(|reason| RejectReason::NoInterrupt(field, event.package, reason))
    }

    /// Checks that the filters of the event are present, or returns [`RejectReason::NoFilters`].
    fn check_filters(&self, event: &OpenEvent, uncore_box: &UncoreBox) -> Result<(), RejectReason> {
        let request = &event.request;
        if request.filters.is_empty() {
            return Ok(());
        }
        let Some(absence) = uncore_box.filter_absence() else {
            return Ok(());
        };
        match request.name(self.name.kind) {
            Some(name) => Err(RejectReason::NoFilters(name, event.package, absence)),
            None => Ok(()),
        }
    }

    /// Checks that the fixed counter of the event can be read, or returns
    /// [`RejectReason::NoFixed`].
    fn check_counter(&self, event: &OpenEvent, uncore_box: &UncoreBox) -> Result<(), RejectReason> {
        let Counters::Fixed(index) = event.request.on else {
            return Ok(());
        };
        match self.name.kind.fixed.get(usize::from(index)) {
            Some(fixed) if uncore_box.look(|of| of.lacks_fixed(index)) => {
                Err(RejectReason::NoFixed(fixed, event.package))
            }
            _ => Ok(()),
        }
    }

    /// Checks that the event can count together with its group.
    fn check_group(
        &self,
        opening: &Opening<'_, Self>,
        opened: &OpenEvent,
    ) -> Result<(), GroupFault> {
        if opening.members().next().is_none() {
            return group::check_alone(self.name.kind, &opened.request);
        }
        for member in opening.members() {
            match member {
                Member::Ours(event) if event.data().package != opened.package => {
                    let package = event.data().package;
                    return Err(GroupFault::OtherPackage(package));
                }
                Member::Foreign => return Err(GroupFault::Foreign),
                Member::Ours(_) | Member::Software => {}
            }
        }
        let members = opening.members().filter_map(|member| match member {
            Member::Ours(event) => Some(&event.data().request),
            Member::Foreign | Member::Software => None,
        });
        let requests = Iterator::chain(members, [&opened.request]);
        group::check(self.name.kind, self.machine.criteria, requests)
    }

    /// Marks the event and the members of its group as grouped.
    fn join_group(opening: &Opening<'_, Self>, opened: &OpenEvent) {
        for member in opening.members() {
            if let Member::Ours(event) = member {
                event.data().set_grouped();
                opened.set_grouped();
            }
        }
    }

    /// Calls `f` with the box of an event locked. What it freezes stays so until perf's batch of
    /// changes [ends](Pmu::enable).
    ///
    /// # Errors
    ///
    /// [`ENODEV`] if there is no such box, which is so for no event that was accepted.
    fn with_box<R>(
        &self,
        event: &Event<Self>,
        f: impl FnOnce(&mut BoxCounters, &BoxAccess<'_>) -> R,
    ) -> Result<R> {
        let uncore_box = self.uncore_box(event.data().package).ok_or(ENODEV)?;
        Ok(uncore_box.in_batch(f))
    }

    /// Ends the batch of changes of the box of this CPU's package.
    #[inline(never)]
    fn end_batch(&self, here: &IrqsOff, uncore_box: &UncoreBox) {
        let frozen_ns = uncore_box.end_batch(|opened| Self::settle(opened, here));
        if frozen_ns > 0 {
            // A group has frozen the box.
            if let Some(package) = self.machine.package_of(here.cpu()) {
                package.overflow.note_frozen(frozen_ns);
            }
        }
    }

    /// Gives perf the last counts of an event that it has deleted.
    fn settle(opened: &OpenEvent, here: &IrqsOff) {
        Event::<Self>::of(opened, |event| {
            event.add_count(here, opened.reading.take());
            event.set_stopped(here, true);
            event.update_user_page(here);
        });
    }

    /// Lets the events of a package stay on their counters while `migrate` moves them from a CPU that
    /// is online to another one of the package. In process context.
    fn keep_counting(&self, from: Cpu, migrate: impl FnOnce()) {
        let package = from.logical_package();
        let Some(uncore_box) = package.and_then(|package| self.uncore_box(package)) else {
            return;
        };
        uncore_box.begin_move();
        migrate();
        // Events that go are dropped here.
        let _ = smp::on_cpu(from, |_| uncore_box.end_move());
    }

    /// Returns whether an event goes on counting that perf has deleted in this batch.
    fn takes_back(&self, opened: &OpenEvent) -> bool {
        let uncore_box = self.uncore_box(opened.package);
        uncore_box.is_some_and(|uncore_box| uncore_box.takes_back(opened))
    }

    /// Starts an event with `start`; its package then reads the counter in time, or interrupts.
    fn start_with<R>(&self, event: &Event<Self>, here: &IrqsOff, start: impl FnOnce() -> R) -> R {
        let (kind, request) = (self.name.kind, &event.data().request);
        let package = self.machine.package(event.data().package);
        if let Some(package) = package {
            package.overflow.before_start(here, kind, request);
        }
        let result = start();
        if let Some(package) = package {
            package.overflow.after_start(here, request.pace.poll_ns);
        }
        result
    }
}

/// Checks that the box has all bits of its registers that the event needs, or returns
/// [`RejectReason::NoBits`]. Bits that it has not tried are tried on `cpu`.
fn check_bits(event: &OpenEvent, uncore_box: &UncoreBox, cpu: Cpu) -> Result<(), RejectReason> {
    let (request, lacks) = (&event.request, || uncore_box.lacks_bits_of(&event.request));
    if lacks().is_some() {
        let try_bits = |of: &mut BoxCounters, bus: &BoxAccess<'_>| of.try_bits_of(bus, request);
        let _ = smp::on_cpu(cpu, |_| uncore_box.with(try_bits));
    }
    match lacks() {
        Some((field, bits)) => Err(RejectReason::NoBits(field, bits, event.package)),
        None => Ok(()),
    }
}

impl Pmu for UncorePmu {
    type Event = OpenEvent;
    type Attribute = Attribute;

    fn event_init(&self, opening: &mut Opening<'_, Self>) -> Result<Arc<OpenEvent>> {
        let (event, cpu) = self.accept(opening)?;
        Self::join_group(opening, &event);
        opening.set_cpu(cpu);
        if event.request.is_of_package(self.name.kind) {
            opening.set_read_on_package();
        }
        Ok(event)
    }

    fn link(event: &OpenEvent) -> &Link {
        &event.link
    }

    fn add(&self, event: &Event<Self>, here: &IrqsOff, start: bool) -> Result {
        let opened = event.data();
        if here.cpu().logical_package() != Some(opened.package) {
            return Err(ENODEV);
        }
        if opened.is_modified() {
            return Err(EIO);
        }
        let left = opened.come_back();
        if left && start && self.takes_back(opened) {
            event.set_stopped(here, false);
            return Ok(());
        }
        let package = self.machine.package(opened.package);
        let settle = |opened: &OpenEvent| Self::settle(opened, here);
        let moved = || package.and_then(Package::designated) == Some(here.cpu());
        // Returns whether the event counts on, on the counter that it had.
        let place = |counters: &mut BoxCounters, bus: &BoxAccess<'_>| -> Result<bool> {
            let counts = (left || counters.is_moving())
                && counters.take_back(bus, opened, left, moved, settle);
            if !counts {
                counters.add(bus, event.share(), settle)?;
                counters.credit(opened, event.count(here));
            }
            Ok(counts)
        };
        let start_placed = |counters: &mut BoxCounters, bus: &BoxAccess<'_>| {
            counters.start(bus, opened).inspect_err(|_| {
                counters.remove(bus, opened);
            })
        };
        let (kind, request) = (self.name.kind, &opened.request);
        let prepares = start && package.is_some_and(|of| of.overflow.prepares_start(kind, request));
        let counts = self.with_box(event, |counters, bus| -> Result<bool> {
            let counts = place(counters, bus)?;
            if !start {
                counters.stop(bus, opened);
            } else if !(counts || prepares) {
                start_placed(counters, bus)?;
            }
            Ok(counts)
        })??;
        if prepares {
            self.start_with(event, here, || match counts {
                true => Ok(Ok(())),
                false => self.with_box(event, start_placed),
            })??;
        } else if let Some(package) = package.filter(|_| start) {
            package.overflow.after_start(here, request.pace.poll_ns);
        }
        event.set_stopped(here, !start);
        Ok(())
    }

    /// The event counts on until the batch ends, as perf may add it again in it.
    fn del(&self, event: &Event<Self>, here: &IrqsOff) {
        let opened = event.data();
        if let Some(uncore_box) = self.uncore_box(opened.package) {
            uncore_box.note_deleted(opened, here);
        }
    }

    fn start(&self, event: &Event<Self>, here: &IrqsOff) {
        self.start_with(event, here, || {
            // An event that cannot count any more ends in `handle_errors`.
            let _ = self.with_box(event, |counters, bus| counters.start(bus, event.data()));
        });
        event.set_stopped(here, false);
    }

    fn stop(&self, event: &Event<Self>, here: &IrqsOff, update: bool) {
        let opened = event.data();
        let _ = self.with_box(event, |counters, bus| counters.stop(bus, opened));
        if update {
            event.add_count(here, opened.reading.take());
        }
        event.set_stopped(here, true);
    }

    /// Hot path. Inlines into one function, and takes no lock.
    #[inline(always)]
    fn read(event: &Event<Self>, here: &NoInterrupts) -> Result {
        if let Some(count) = event.data().read(here)? {
            event.add_count(here, count);
        }
        Ok(())
    }

    #[cold]
    fn read_failed(&self) {
        self.errors.schedule();
    }

    fn enable(&self, here: &IrqsOff) {
        // A look at all packages is cheaper than to find out which one this is. No other package has a
        // box that is unfinished here.
        let cpu = here.cpu();
        let is_unfinished = |uncore_box: &&Arc<UncoreBox>| uncore_box.is_unfinished(cpu);
        if let Some(uncore_box) = self.boxes.iter().find(is_unfinished) {
            self.end_batch(here, uncore_box);
        }
    }

    fn show(&self, attribute: &Attribute, out: &mut dyn fmt::Write) -> fmt::Result {
        sysfs::show(&self.machine, self.name, *attribute, out)
    }
}
