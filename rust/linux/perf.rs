// SPDX-License-Identifier: GPL-2.0

//! Registers a PMU with perf that counts system-wide and does not sample.
//!
//! C header: [`include/linux/perf_event.h`](srctree/include/linux/perf_event.h)
//!
//! # Contexts
//!
//! | callback | when | where | may sleep |
//! |---|---|---|---|
//! | [`Pmu::event_init`] | `perf_event_open` | any CPU, process context | yes |
//! | [`Pmu::add`], [`Pmu::del`] | the event is scheduled in, out | its CPU, interrupts off | no |
//! | [`Pmu::start`], [`Pmu::stop`] | counting pauses, while added | same | no |
//! | [`Pmu::read`] | a count is wanted, while added | same; NMI; see below | no |
//! | [`Pmu::enable`] | after a batch of the above | same | no |
//! | [`Pmu::show`] | a sysfs file is read | any CPU, process context | yes |
//!
//! Perf reads an event on any CPU of the package if [`Opening::set_read_on_package`] allows that. A
//! BPF program that reads an event there may do so while any other callback runs, and shortly after
//! the event was deleted.
//!
//! Perf also calls those with interrupts off in the middle of a context switch, with the run queue
//! locked. They may not wake a task, and so may not print either. They can schedule a
//! [`super::work`].
//!
//! # Lifetime
//!
//! Dropping a [`Registration`] unregisters the PMU. Perf first stops and frees events that are still
//! open. When the drop returns, the sysfs files are removed and no callback runs any more. An open
//! event holds a reference to the module, so a module is not unloaded while it has open events.

mod event;
mod link;
mod opening;
mod trampoline;

pub(crate) use self::{
    event::Event,
    link::Link,
    opening::{
        Attr,
        ConfigWords,
        Exclude,
        Member,
        Opening, //
    }, //
};
use super::{
    bindings,
    context::{
        IrqsOff,
        NoInterrupts, //
    },
    sysfs::Groups,
    topology::Cpu, //
};
use core::{
    ops::Deref,
    sync::atomic::{
        AtomicU32,
        Ordering, //
    }, //
};
use kernel::{
    container_of,
    error::to_result,
    fmt,
    prelude::*,
    str::CString,
    sync::Arc,
    types::Opaque, //
};

/// The callbacks of a PMU's driver.
pub(crate) trait Pmu: Send + Sync + Sized + 'static {
    /// Data of the driver for each event, which perf's event refers to from `event_init` until it
    /// is freed.
    type Event: Send + Sync + 'static;

    /// Data of the driver for each sysfs file.
    type Attribute: Copy + Send + Sync + 'static;

    /// Accepts or refuses an event that a user opens.
    ///
    /// The type of the event is that of this PMU. Perf itself refuses sampling, exclude bits and
    /// tasks afterwards, but gives no reason. A driver that wants to give a reason refuses them here.
    /// The driver may change the event's CPU with [`Opening::set_cpu`].
    ///
    /// The group does not change while this runs.
    fn event_init(&self, opening: &mut Opening<'_, Self>) -> Result<Arc<Self::Event>>;

    /// Returns the link to perf's event in the driver's data of an event: one for each event, and
    /// no other event's.
    fn link(event: &Self::Event) -> &Link;

    /// Assigns a counter to the event, and starts it if `start`.
    fn add(&self, event: &Event<Self>, here: &IrqsOff, start: bool) -> Result;

    /// Stops the event, updates its count and frees its counter, now or when the batch of changes
    /// [ends](Self::enable). [`Event::of`] finds the event then.
    fn del(&self, event: &Event<Self>, here: &IrqsOff);

    /// Starts an added event.
    fn start(&self, event: &Event<Self>, here: &IrqsOff);

    /// Stops an added event, and updates its count if `update`.
    fn stop(&self, event: &Event<Self>, here: &IrqsOff, update: bool);

    /// Updates the count of an event that is, or was until just now, added.
    ///
    /// # Errors
    ///
    /// Any, to have [`Self::read_failed`] called.
    fn read(event: &Event<Self>, here: &NoInterrupts) -> Result;

    /// Does what is to be done when a read has failed.
    fn read_failed(&self);

    /// Ends a batch of changes on this CPU: of all calls above but [`event_init`](Self::event_init)
    /// and [`read`](Self::read) since it was called last.
    fn enable(&self, _here: &IrqsOff) {}

    /// Prints a sysfs file, final newline included.
    fn show(&self, attribute: &Self::Attribute, out: &mut dyn fmt::Write) -> fmt::Result;
}

/// A registered PMU.
///
/// # Invariants
///
/// - `raw` is registered with perf and has the callbacks of `trampoline` for `T`, so that every
///   pointer to it in a callback is to this `raw`.
/// - `name` and `groups` are those that `raw` points to.
#[pin_data(PinnedDrop)]
pub(crate) struct Registration<T: Pmu> {
    #[pin]
    driver: T,
    name: CString,
    groups: Arc<Groups<T>>,
    /// Number of events.
    events: AtomicU32,
    // Last, so that all fields that a callback uses are initialised before it is registered.
    #[pin]
    raw: Opaque<bindings::pmu>,
}

// SAFETY: C's part may be unregistered by any thread, and `T` may be sent.
unsafe impl<T: Pmu> Send for Registration<T> {}

// SAFETY: The methods call C functions that lock for themselves, and `T` may be shared.
unsafe impl<T: Pmu> Sync for Registration<T> {}

impl<T: Pmu> Registration<T> {
    /// Registers a PMU; events can be opened before this returns.
    ///
    /// # Errors
    ///
    /// [`EEXIST`] if there is a PMU of that name, [`ENOMEM`].
    pub(crate) fn new<E>(
        name: CString,
        module: &'static ThisModule,
        groups: Arc<Groups<T>>,
        driver: impl PinInit<T, E>,
    ) -> impl PinInit<Self, Error>
    where
        Error: From<E>,
    {
        try_pin_init!(&this in Self {
            driver <- driver,
            name,
            groups,
            events: AtomicU32::new(0),
            // INVARIANT: Filled in with `trampoline::fill` before it is registered.
            raw <- Opaque::try_ffi_init(|raw: *mut bindings::pmu| {
                // SAFETY: `raw` is memory for a `struct pmu`, which may be all zeros.
                unsafe { raw.write_bytes(0, 1) };
                // SAFETY: The fields above are initialised, and nothing else refers to them.
                let this = unsafe { this.as_ref() };
                // SAFETY: `raw` is valid, and no other code refers to it yet.
                trampoline::fill::<T>(unsafe { &mut *raw }, module, &this.groups);
                // SAFETY: `raw` is complete and does not move before it is unregistered on drop, nor
                // do the name and the groups; -1 requests any type number.
                to_result(unsafe {
                    bindings::perf_pmu_register(raw, this.name.as_char_ptr(), -1)
                })
            }),
        }? Error)
    }

    /// Returns whether the PMU has an event, of any CPU.
    pub(crate) fn has_events(&self) -> bool {
        self.events.load(Ordering::Relaxed) > 0
    }

    /// Moves all events from one CPU to another.
    ///
    /// Each is deleted on `from` and added on `to`. For process context; `from` may be about to go
    /// offline, `to` must be online.
    ///
    /// Up to Linux 7.2 perf removes the events of a CPU from a tree while it walks that tree, so one
    /// call moves only the first group. Hence one call for each event; a call that finds no event
    /// returns at once.
    pub(crate) fn migrate(&self, from: Cpu, to: Cpu) {
        let [from, to] = [from, to].map(Cpu::signed);
        for _ in 0..self.events.load(Ordering::Relaxed) {
            // SAFETY: `raw` is registered by the type invariant, and both CPUs have per-CPU data.
            unsafe { bindings::perf_pmu_migrate_context(self.raw.get(), from, to) };
        }
    }

    /// Makes perf delete the events of the CPU on which an event counts, and add those again that the
    /// driver takes.
    ///
    /// Perf tries a flexible event that is refused again and again. A pinned one gets into error
    /// state. An event that its user has disabled stays so. For process context. Without memory
    /// nothing happens.
    pub(crate) fn reschedule(&self, event: &T::Event) {
        let mut cpu = None;
        T::link(event).visit(|event| {
            // SAFETY: The event is valid while it is visited.
            cpu = unsafe { event::cpu(event) };
        });
        if let Some(cpu) = cpu {
            // SAFETY: `raw` is registered by the type invariant, and perf has an event on the CPU.
            unsafe { bindings::helper_perf_reschedule(self.raw.get(), cpu) };
        }
    }
}

impl<T: Pmu> Deref for Registration<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.driver
    }
}

#[pinned_drop]
impl<T: Pmu> PinnedDrop for Registration<T> {
    fn drop(self: Pin<&mut Self>) {
        // SAFETY: `raw` is registered by the type invariant. With no `event_unmapped` callback
        // perf never refuses.
        unsafe { bindings::helper_perf_pmu_unregister(self.raw.get()) };
    }
}

/// Returns the registration of a PMU.
///
/// # Safety
///
/// `pmu` must be that of a `Registration<T>`.
unsafe fn registration<T: Pmu>(pmu: *mut bindings::pmu) -> *const Registration<T> {
    let raw = Opaque::cast_from(pmu).cast_mut();
    // SAFETY: By the function's contract `pmu` is in a `Registration<T>`.
    unsafe { container_of!(raw, Registration<T>, raw) }
}

/// Returns the driver of a PMU.
///
/// # Safety
///
/// `pmu` must be that of a `Registration<T>` which stays registered for `'a`.
unsafe fn driver<'a, T: Pmu>(pmu: *mut bindings::pmu) -> &'a T {
    // SAFETY: By the function's contract `pmu` is that of a `Registration<T>`.
    let registration = unsafe { registration::<T>(pmu) };
    // SAFETY: By the function's contract it stays registered. The driver was initialised before the
    // PMU was registered.
    unsafe { &(*registration).driver }
}

/// Returns the number of events of an event's PMU.
///
/// # Safety
///
/// `event` must be of a PMU registered for `T`, which stays registered for `'a`.
unsafe fn events_of<'a, T: Pmu>(event: *mut bindings::perf_event) -> &'a AtomicU32 {
    // SAFETY: By the function's contract the event is valid.
    let pmu = unsafe { (*event).pmu };
    // SAFETY: By the function's contract the PMU is registered for `T`.
    let registration = unsafe { registration::<T>(pmu) };
    // SAFETY: By the function's contract it stays registered. The field was initialised before the
    // PMU was registered.
    unsafe { &(*registration).events }
}
