// SPDX-License-Identifier: GPL-2.0

//! A PMU as perf sees it: one that counts system-wide and does not sample.
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
//! | [`Pmu::read`] | a count is wanted, while added | same | no |
//! | [`Pmu::disable`], [`Pmu::enable`] | around a batch of the above | same | no |
//! | [`Pmu::show`] | a sysfs file is read | any CPU, process context | yes |
//!
//! Those with interrupts off are also called from the middle of a context switch, the run queue
//! locked: nothing there may wake a task, and printing can. [`super::work`] is for that.
//!
//! # Lifetime
//!
//! Dropping a [`Registration`] takes the PMU out of perf: events still open are stopped and freed
//! first, sysfs files are gone and no callback runs any more when it returns. An open event holds a
//! reference to the module, so that unloading waits for the user, and only a hot removal meets
//! open events.

mod event;
mod opening;
mod trampoline;

pub(crate) use self::event::Event;
pub(crate) use self::opening::{
    Attr,
    Exclude,
    Member,
    Opening, //
};
pub(super) use self::trampoline::driver;
use super::{
    bindings,
    context::IrqsOff,
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
    error::to_result,
    fmt,
    prelude::*,
    str::CString,
    sync::Arc,
    types::Opaque, //
};

/// What a driver of a PMU does.
pub(crate) trait Pmu: Send + Sync + Sized + 'static {
    /// What the driver keeps with each event, from `event_init` until the event is freed.
    type Event: Send + Sync + 'static;

    /// What tells the driver which sysfs file is being read.
    type Attribute: Send + Sync + 'static;

    /// Looks at an event somebody wants to open.
    ///
    /// The event is for this PMU by its type. Whatever this lets pass (sampling, exclude bits,
    /// a task) perf itself refuses afterwards, without a word: refuse first to give a reason.
    /// The event's CPU may be changed here with [`Opening::set_cpu`].
    ///
    /// While this runs the group cannot change.
    fn event_init(&self, opening: &mut Opening<'_, Self>) -> Result<KBox<Self::Event>>;

    /// Gives the event its place in the hardware; counting starts if `start`.
    fn add(&self, event: &Event<Self>, here: &IrqsOff, start: bool) -> Result;

    /// Stops the event, brings its count up to date, frees its place.
    fn del(&self, event: &Event<Self>, here: &IrqsOff);

    /// Lets an added event count.
    fn start(&self, event: &Event<Self>, here: &IrqsOff);

    /// Stops an added event; its count is brought up to date if `update`.
    fn stop(&self, event: &Event<Self>, here: &IrqsOff, update: bool);

    /// Brings the count of an added event up to date.
    fn read(&self, event: &Event<Self>, here: &IrqsOff);

    /// A batch of changes on this CPU begins.
    fn disable(&self, _here: &IrqsOff) {}

    /// The batch of changes on this CPU is over.
    fn enable(&self, _here: &IrqsOff) {}

    /// Prints a sysfs file, final newline included.
    fn show(&self, attribute: &Self::Attribute, out: &mut dyn fmt::Write) -> fmt::Result;
}

/// A PMU that is known to perf.
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
    /// How many events are open.
    events: AtomicU32,
    // Last, so that all that a callback may use is in place when perf gets to know it.
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
                // SAFETY: `raw` is memory for a `struct pmu`.
                unsafe { raw.write(pin_init::zeroed()) };
                // SAFETY: The fields above are initialised, and nothing else refers to them.
                let this = unsafe { this.as_ref() };
                // SAFETY: `raw` is valid, and nobody knows it yet.
                trampoline::fill::<T>(unsafe { &mut *raw }, module, &this.groups);
                // SAFETY: `raw` is complete, stays where it is until it is unregistered on drop,
                // and so do the name and the groups; -1 asks for any type number.
                to_result(unsafe {
                    bindings::perf_pmu_register(raw, this.name.as_char_ptr(), -1)
                })
            }),
        }? Error)
    }

    /// Moves all events from one CPU to another.
    ///
    /// Each is deleted on `from` and added on `to`. For process context; `from` may be on its way
    /// out, `to` must be online.
    ///
    /// Up to Linux 7.2 perf removes the events of a CPU while it walks the tree they are in, and
    /// so moves no more than the first group at a time. A call that finds nothing left to move
    /// returns at once.
    pub(crate) fn migrate(&self, from: Cpu, to: Cpu) {
        let [from, to] = [from, to].map(Cpu::signed);
        for _ in 0..self.events.load(Ordering::Relaxed) {
            // SAFETY: `raw` is registered by the type invariant, and both CPUs have per-CPU data.
            unsafe { bindings::perf_pmu_migrate_context(self.raw.get(), from, to) };
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
