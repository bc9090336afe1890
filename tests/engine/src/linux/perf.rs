// SPDX-License-Identifier: GPL-2.0

//! Perf: PMUs, and events that count on a CPU.
//!
//! Each CPU has a context for each PMU: groups in the order in which they were opened. When a group
//! comes, all groups of the context are scheduled out and in again, each group as a whole or not at
//! all, as perf does it for events of this kind.
//!
//! A PMU stays known to perf while a thread opens an event or a tracepoint: unregistering waits
//! until each of them is done (SRCU).

use super::{
    context::{IrqsOff, NoInterrupts, Pinned},
    sysfs::{Groups, Owner},
    topology::Cpu,
};
use crate::host::{host, on_by_perf as on, plain, RegisteredPmu};
use kernel::{
    error::Error,
    fmt,
    init::{closure, shared},
    prelude::*,
    str::CString, //
};
use std::{
    any::Any,
    ops::Deref,
    sync::{
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed},
        Arc, Mutex as Plain, OnceLock, Weak,
    },
};

/// The CPU of an event that is not added.
const NO_CPU: u32 = u32::MAX;

/// The words of `struct perf_event_attr` to which a PMU gives the meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ConfigWords {
    /// `config`.
    pub(crate) config: u64,
    /// `config1`.
    pub(crate) config1: u64,
    /// `config2`.
    pub(crate) config2: u64,
    /// `config3`.
    pub(crate) config3: u64,
    /// `config4`.
    pub(crate) config4: u64,
}

/// The attributes that the user set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Attr {
    /// The `config` words.
    pub(crate) words: ConfigWords,
    /// A sample period or frequency is set.
    pub(crate) sampling: bool,
    /// `precise_ip`.
    pub(crate) precise_ip: u8,
    /// Samples with the last branches are requested.
    pub(crate) branches: bool,
    /// `exclude_*` bits.
    pub(crate) exclude: Exclude,
    /// The event follows a task.
    pub(crate) task: bool,
    /// CPU on which the event counts.
    pub(crate) cpu: Option<Cpu>,
}

/// The `exclude_*` bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Exclude {
    /// `exclude_user`.
    pub(crate) user: bool,
    /// `exclude_kernel`.
    pub(crate) kernel: bool,
    /// `exclude_hv`.
    pub(crate) hypervisor: bool,
    /// `exclude_idle`.
    pub(crate) idle: bool,
    /// `exclude_host`.
    pub(crate) host: bool,
    /// `exclude_guest`.
    pub(crate) guest: bool,
}

/// An event in the group that the new event joins.
pub(crate) enum Member<'a, T: Pmu> {
    /// An event of the same PMU.
    Ours(&'a Event<T>),
    /// A software event, which needs no counter.
    Software,
    /// An event of another hardware PMU.
    Foreign,
}

/// An event in its `event_init`.
pub(crate) struct Opening<'a, T: Pmu> {
    id: u64,
    attr: Attr,
    on_package: bool,
    group: &'a [Arc<Event<T>>],
}

impl<'a, T: Pmu> Opening<'a, T> {
    /// Returns the ID of the event.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// Returns the attributes that the user set.
    pub(crate) fn attr(&self) -> &Attr {
        &self.attr
    }

    /// Returns whether the user has `CAP_PERFMON` or `CAP_SYS_ADMIN`.
    pub(crate) fn is_perfmon_capable(&self) -> bool {
        host().perfmon_capable.load(Relaxed)
    }

    /// Returns whether the user may count what the kernel does: `perf_event_paranoid` is 2.
    pub(crate) fn may_count_kernel(&self) -> bool {
        self.is_perfmon_capable()
    }

    /// Changes the CPU on which the event counts.
    pub(crate) fn set_cpu(&mut self, cpu: Cpu) {
        self.attr.cpu = Some(cpu);
    }

    /// Lets perf read the event on any CPU of its package.
    pub(crate) fn set_read_on_package(&mut self) {
        self.on_package = true;
    }

    /// Returns the events of the group, leader first.
    pub(crate) fn members(&self) -> impl Iterator<Item = Member<'a, T>> + Clone + use<'a, '_, T> {
        self.group.iter().map(|event| Member::Ours(event))
    }
}

/// An open event.
pub(crate) struct Event<T: Pmu> {
    data: kernel::sync::Arc<T::Event>,
    /// Any CPU of the package can read the event.
    on_package: bool,
    count: AtomicU64,
    /// The event is added to its PMU.
    active: AtomicBool,
    /// The CPU on which it is added, or [`NO_CPU`]: what a BPF program looks at.
    oncpu: AtomicU32,
    stopped: AtomicBool,
    /// The user has not disabled the event.
    enabled: AtomicBool,
}

impl<T: Pmu> Event<T> {
    /// Calls `f` with the event that has this data.
    pub(crate) fn of(data: &T::Event, f: impl FnOnce(&Self)) {
        let event = T::link(data).0.get().and_then(Weak::upgrade);
        if let Some(event) = event {
            f(event.downcast_ref().expect("an event of this PMU"));
        }
    }

    /// Returns the driver's data of the event.
    pub(crate) fn data(&self) -> &T::Event {
        &self.data
    }

    /// Returns another reference to the driver's data of the event.
    pub(crate) fn share(&self) -> kernel::sync::Arc<T::Event> {
        self.data.clone()
    }

    /// Returns the count that users read.
    pub(crate) fn count(&self, _here: &impl Pinned) -> u64 {
        self.count.load(Relaxed)
    }

    /// Adds to the count that users read.
    pub(crate) fn add_count(&self, _here: &impl Pinned, delta: u64) {
        self.count.fetch_add(delta, Relaxed);
    }

    /// Marks the event as stopped, or as counting.
    pub(crate) fn set_stopped(&self, _here: &IrqsOff, stopped: bool) {
        self.stopped.store(stopped, Relaxed);
    }

    /// Updates the page of users who mapped the event: there are none.
    pub(crate) fn update_user_page(&self, _here: &IrqsOff) {}
}

/// Refers to perf's event.
pub(crate) struct Link(OnceLock<Weak<dyn Any + Send + Sync>>);

impl Link {
    /// Makes a link to no event.
    pub(crate) fn none() -> Self {
        Self(OnceLock::new())
    }
}

/// The callbacks of a PMU's driver.
pub(crate) trait Pmu: Send + Sync + Sized + 'static {
    /// Data of the driver for each event.
    type Event: Send + Sync + 'static;

    /// Data of the driver for each sysfs file.
    type Attribute: Send + Sync + 'static;

    /// Accepts or refuses an event that a user opens.
    fn event_init(&self, opening: &mut Opening<'_, Self>)
        -> Result<kernel::sync::Arc<Self::Event>>;

    /// Returns the link to perf's event in the driver's data of an event.
    fn link(event: &Self::Event) -> &Link;

    /// Assigns a counter to the event, and starts it if `start`.
    fn add(&self, event: &Event<Self>, here: &IrqsOff, start: bool) -> Result;

    /// Stops the event, updates its count and frees its counter, now or when the batch ends.
    fn del(&self, event: &Event<Self>, here: &IrqsOff);

    /// Starts an added event.
    fn start(&self, event: &Event<Self>, here: &IrqsOff);

    /// Stops an added event, and updates its count if `update`.
    fn stop(&self, event: &Event<Self>, here: &IrqsOff, update: bool);

    /// Updates the count of an added event.
    fn read(event: &Event<Self>, here: &NoInterrupts) -> Result;

    /// Does what is to be done when a read has failed.
    fn read_failed(&self);

    /// Ends a batch of changes on this CPU.
    fn enable(&self, _here: &IrqsOff) {}

    /// Prints a sysfs file.
    fn show(&self, attribute: &Self::Attribute, out: &mut dyn fmt::Write) -> fmt::Result;
}

impl<T: Pmu> Owner for T {
    type Attribute = <T as Pmu>::Attribute;
}

/// A group of events; the leader is the first.
type Group<T> = Arc<Plain<Vec<Arc<Event<T>>>>>;

/// A PMU that perf knows.
pub(crate) struct Known<T: Pmu> {
    driver: Arc<T>,
    name: CString,
    groups: kernel::sync::Arc<Groups<T>>,
    /// Number of open events.
    open: AtomicU32,
    /// The groups of each CPU.
    contexts: Vec<Plain<Vec<Group<T>>>>,
}

impl<T: Pmu> Known<T> {
    /// The groups of a CPU.
    fn context(&self, cpu: u32) -> &Plain<Vec<Group<T>>> {
        &self.contexts[usize::try_from(cpu).expect("32 bits fit")]
    }

    /// Schedules all groups of a CPU out, changes them, and schedules them in again.
    fn reschedule(&self, here: &IrqsOff, change: impl FnOnce(&mut Vec<Group<T>>)) {
        let cpu = here.cpu().number();
        let groups = plain(self.context(cpu)).clone();
        groups
            .iter()
            .for_each(|group| self.schedule_out(here, group));
        let groups = {
            let mut groups = plain(self.context(cpu));
            change(&mut groups);
            groups.clone()
        };
        groups
            .iter()
            .for_each(|group| self.schedule_in(here, group));
        self.driver.enable(here);
    }

    fn schedule_out(&self, here: &IrqsOff, group: &Group<T>) {
        let members = plain(group).clone();
        for event in members.iter().rev() {
            if event.active.swap(false, Relaxed) {
                self.driver.del(event, here);
                event.oncpu.store(NO_CPU, Relaxed);
            }
        }
    }

    fn schedule_in(&self, here: &IrqsOff, group: &Group<T>) {
        let members = plain(group).clone();
        let is_enabled = |event: &&Arc<Event<T>>| event.enabled.load(Relaxed);
        if !members.first().as_ref().is_some_and(is_enabled) {
            return;
        }
        for event in members.iter().filter(is_enabled) {
            event.oncpu.store(here.cpu().number(), Relaxed);
            if self.driver.add(event, here, true).is_err() {
                event.oncpu.store(NO_CPU, Relaxed);
                return self.schedule_out(here, group);
            }
            event.active.store(true, Relaxed);
        }
    }

    /// Opens an event: alone, or in the group of `leader`.
    ///
    /// # Errors
    ///
    /// That of `event_init`; [`ENODEV`] if the CPU has gone offline.
    pub(crate) fn open(self: &Arc<Self>, attr: &Attr, leader: Option<&Open<T>>) -> Result<Open<T>> {
        self.accept(attr, leader)?.install()
    }

    /// Begins to open an event: the driver accepts it, and no CPU has it yet.
    ///
    /// # Errors
    ///
    /// That of `event_init`.
    pub(crate) fn accept(
        self: &Arc<Self>,
        attr: &Attr,
        leader: Option<&Open<T>>,
    ) -> Result<Accepted<T>> {
        let host = host();
        let members = leader.map(|leader| plain(&leader.group).clone());
        let mut opening = Opening {
            id: host.next_event.fetch_add(1, Relaxed),
            attr: *attr,
            on_package: false,
            group: members.as_deref().unwrap_or_default(),
        };
        let data = {
            let _known = host.pmus_srcu.read().expect("no callback panicked");
            let is_known = plain(&host.pmus)
                .iter()
                .any(|pmu| std::ptr::addr_eq(Arc::as_ptr(pmu), Arc::as_ptr(self)));
            if !is_known {
                return Err(ENOENT);
            }
            self.driver.event_init(&mut opening)?
        };
        let cpu = opening.attr.cpu.ok_or(EINVAL)?.number();
        let event = Arc::new(Event {
            on_package: opening.on_package,
            data,
            count: AtomicU64::new(0),
            active: AtomicBool::new(false),
            oncpu: AtomicU32::new(NO_CPU),
            stopped: AtomicBool::new(true),
            enabled: AtomicBool::new(true),
        });
        let weak = Arc::downgrade(&event);
        assert!(T::link(&event.data).0.set(weak).is_ok(), "one event");
        self.open.fetch_add(1, Relaxed);
        let group = leader.map_or_else(Group::default, |leader| leader.group.clone());
        let open = Open {
            pmu: self.clone(),
            group,
            event,
        };
        Ok(Accepted { open, cpu })
    }

    /// Lets the next group of a CPU come first, as perf does when not all can count.
    pub(crate) fn rotate(&self, cpu: u32) {
        on(cpu, |here| {
            self.reschedule(here, |groups| {
                if !groups.is_empty() {
                    groups.rotate_left(1);
                }
            });
        });
    }

    /// The CPU whose context has a group.
    fn cpu_of(&self, group: &Group<T>) -> Option<u32> {
        let has = |context: &Plain<Vec<Group<T>>>| {
            plain(context).iter().any(|other| Arc::ptr_eq(other, group))
        };
        let index = self.contexts.iter().position(has)?;
        u32::try_from(index).ok()
    }

    /// Removes the groups of a CPU, scheduled out.
    fn take_groups(&self, cpu: u32) -> Vec<Group<T>> {
        let mut taken = Vec::new();
        on(cpu, |here| {
            self.reschedule(here, |groups| taken = std::mem::take(groups));
        });
        taken
    }

    /// Returns the content of a sysfs file.
    pub(crate) fn show(&self, group: Option<&CStr>, name: &str) -> Option<String> {
        let attribute = self.groups.attribute(group, name)?;
        let mut text = String::new();
        self.driver.show(attribute, &mut text).ok()?;
        Some(text)
    }
}

impl<T: Pmu> RegisteredPmu for Known<T> {
    fn exit_cpu(&self, cpu: u32) {
        let host = host();
        let _contexts = host.contexts.lock().expect("no callback panicked");
        drop(self.take_groups(cpu));
    }

    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

/// An event that the driver has accepted for a CPU.
pub(crate) struct Accepted<T: Pmu> {
    open: Open<T>,
    cpu: u32,
}

impl<T: Pmu> Accepted<T> {
    /// Gives the event to its CPU.
    ///
    /// # Errors
    ///
    /// [`ENODEV`] if the CPU has gone offline.
    pub(crate) fn install(self) -> Result<Open<T>> {
        let Self { open, cpu } = self;
        let host = host();
        let _contexts = host.contexts.lock().expect("no callback panicked");
        on(cpu, |here| {
            open.pmu.reschedule(here, |groups| {
                let mut members = plain(&open.group);
                if members.is_empty() {
                    groups.push(open.group.clone());
                }
                members.push(open.event.clone());
            });
        })
        .ok_or(ENODEV)?;
        Ok(open)
    }
}

/// An open event; dropping it closes it.
pub(crate) struct Open<T: Pmu> {
    pmu: Arc<Known<T>>,
    group: Group<T>,
    event: Arc<Event<T>>,
}

impl<T: Pmu> Open<T> {
    /// Reads the count.
    pub(crate) fn read(&self) -> u64 {
        if let Some(cpu) = self.pmu.cpu_of(&self.group) {
            on(cpu, |here| {
                if self.event.active.load(Relaxed) {
                    self.update(&NoInterrupts::at(here.cpu().number()));
                }
            });
        }
        self.event.count.load(Relaxed)
    }

    /// Reads the count with a BPF program on a CPU of the package, which takes no lock of perf's;
    /// returns `None` if that CPU cannot read it.
    pub(crate) fn read_on(&self, cpu: u32) -> Option<u64> {
        on(cpu, |_| self.read_in_section(cpu)).flatten()
    }

    /// Reads the count with a BPF program in a section, or in an NMI, of a CPU.
    pub(crate) fn read_in_section(&self, cpu: u32) -> Option<u64> {
        let package = |cpu: u32| host().place(cpu).package;
        let of_event = self.event.oncpu.load(Relaxed);
        if of_event != NO_CPU {
            let reaches = self.event.on_package && package(of_event) == package(cpu);
            if of_event != cpu && !reaches {
                return None;
            }
            self.update(&NoInterrupts::at(cpu));
        }
        Some(self.event.count.load(Relaxed))
    }

    /// Has the driver update the count.
    fn update(&self, here: &NoInterrupts) {
        if T::read(&self.event, here).is_err() {
            self.pmu.driver.read_failed();
        }
    }

    /// Returns whether the event is on a counter.
    pub(crate) fn is_active(&self) -> bool {
        self.event.active.load(Relaxed)
    }

    /// The CPU on which the event counts; `None` if it was lost.
    pub(crate) fn cpu(&self) -> Option<u32> {
        self.pmu.cpu_of(&self.group)
    }

    /// Stops the event, which keeps its counter, as perf does to throttle it.
    pub(crate) fn stop(&self) {
        self.on_counter(|driver, here| driver.stop(&self.event, here, true));
    }

    /// Starts a stopped event.
    pub(crate) fn start(&self) {
        self.on_counter(|driver, here| driver.start(&self.event, here));
    }

    /// Disables the event, which leads a group or is alone: perf schedules the group out.
    pub(crate) fn disable(&self) {
        self.event.enabled.store(false, Relaxed);
        if let Some(cpu) = self.cpu() {
            on(cpu, |here| {
                self.pmu.schedule_out(here, &self.group);
                self.pmu.driver.enable(here);
            });
        }
    }

    /// Enables the event: perf schedules all groups of the CPU out and in again.
    pub(crate) fn enable(&self) {
        self.event.enabled.store(true, Relaxed);
        if let Some(cpu) = self.cpu() {
            on(cpu, |here| self.pmu.reschedule(here, |_| ()));
        }
    }

    /// Returns whether perf sees the event as stopped.
    pub(crate) fn is_stopped(&self) -> bool {
        self.event.stopped.load(Relaxed)
    }

    /// Calls `f` on the CPU of the event, if the event is on a counter.
    fn on_counter(&self, f: impl FnOnce(&T, &IrqsOff)) {
        if let Some(cpu) = self.cpu() {
            on(cpu, |here| {
                if self.event.active.load(Relaxed) {
                    f(&self.pmu.driver, here);
                }
            });
        }
    }
}

impl<T: Pmu> Drop for Open<T> {
    fn drop(&mut self) {
        let host = host();
        let _contexts = host.contexts.lock().expect("no callback panicked");
        let remove = |groups: &mut Vec<Group<T>>| {
            let mut members = plain(&self.group);
            members.retain(|event| !Arc::ptr_eq(event, &self.event));
            if members.is_empty() {
                groups.retain(|group| !Arc::ptr_eq(group, &self.group));
            }
        };
        if let Some(cpu) = self.cpu() {
            on(cpu, |here| self.pmu.reschedule(here, remove));
        }
        self.pmu.open.fetch_sub(1, Relaxed);
    }
}

/// A registered PMU.
pub(crate) struct Registration<T: Pmu>(Arc<Known<T>>);

impl<T: Pmu> Registration<T> {
    /// Registers a PMU.
    pub(crate) fn new<E>(
        name: CString,
        _module: &'static ThisModule,
        groups: kernel::sync::Arc<Groups<T>>,
        driver: impl PinInit<T, E>,
    ) -> impl PinInit<Self, Error>
    where
        Error: From<E>,
    {
        closure(move || {
            let host = host();
            let taken = plain(&host.taken_name).map(str::as_bytes);
            if taken.is_some_and(|taken| name.to_bytes().starts_with(taken)) {
                return Err(EEXIST);
            }
            let known = Arc::new(Known {
                driver: shared(driver)?,
                name,
                groups,
                open: AtomicU32::new(0),
                contexts: (0..host.cpus()).map(|_| Plain::default()).collect(),
            });
            plain(&host.pmus).push(known.clone());
            Ok(Self(known))
        })
    }

    /// Returns whether the PMU has an event, of any CPU.
    pub(crate) fn has_events(&self) -> bool {
        self.0.open.load(Relaxed) > 0
    }

    /// Moves all events from one CPU to another. Perf loses those that come to a CPU that is
    /// offline.
    pub(crate) fn migrate(&self, from: Cpu, to: Cpu) {
        // Perf would wait for a mutex that it holds.
        assert_ne!(from, to, "events move to the CPU on which they are");
        let host = host();
        let _contexts = host.contexts.lock().expect("no callback panicked");
        let groups = self.0.take_groups(from.number());
        on(to.number(), |here| {
            self.0.reschedule(here, |context| context.extend(groups));
        });
    }
}

impl<T: Pmu> Registration<T> {
    /// Schedules all groups of the CPU on which an event counts out, and in again.
    pub(crate) fn reschedule(&self, event: &T::Event) {
        let host = host();
        let _contexts = host.contexts.lock().expect("no callback panicked");
        let is_wanted =
            |of: &Arc<Event<T>>| of.active.load(Relaxed) && std::ptr::eq(of.data(), event);
        for cpu in 0..host.cpus() {
            let groups = plain(self.0.context(cpu)).clone();
            if groups
                .iter()
                .any(|group| plain(group).iter().any(is_wanted))
            {
                on(cpu, |here| self.0.reschedule(here, |_| ()));
            }
        }
    }
}

impl<T: Pmu> Deref for Registration<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.driver
    }
}

impl<T: Pmu> Drop for Registration<T> {
    fn drop(&mut self) {
        let host = host();
        plain(&host.pmus).retain(|pmu| !std::ptr::addr_eq(Arc::as_ptr(pmu), Arc::as_ptr(&self.0)));
        drop(host.pmus_srcu.write().expect("no callback panicked"));
        for cpu in 0..host.cpus() {
            self.0.exit_cpu(cpu);
        }
    }
}

/// Returns the PMU with a name.
pub(crate) fn find<T: Pmu>(name: &str) -> Option<Arc<Known<T>>> {
    let pmus = plain(&host().pmus).clone();
    let typed = pmus
        .into_iter()
        .filter_map(|pmu| pmu.as_any().downcast::<Known<T>>().ok());
    let mut named = typed.filter(|pmu| pmu.name.to_bytes() == name.as_bytes());
    named.next()
}

/// Opens a tracepoint, which perf does in the list of PMUs, and which waits for CPU hotplug.
pub(crate) fn open_tracepoint() {
    let host = host();
    let _known = host.pmus_srcu.read().expect("no callback panicked");
    host.with_cpus_locked(|| ());
}
