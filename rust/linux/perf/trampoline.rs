// SPDX-License-Identifier: GPL-2.0

//! C callbacks of `struct pmu`: each converts its arguments and calls a method of [`Pmu`].
//!
//! # Contexts
//!
//! As in the table of [`super`].

use super::{
    driver,
    event,
    Event,
    Opening,
    Pmu, //
};
use crate::linux::{
    bindings,
    context::{
        IrqsOff,
        NoInterrupts, //
    },
    sysfs::{
        Groups,
        Owner, //
    }, //
};
use kernel::{
    error::from_result,
    ffi::{
        c_int,
        c_void, //
    },
    fmt,
    prelude::*, //
};

/// Capabilities: the PMU cannot sample and cannot tell user from kernel.
const CAPABILITIES: u32 = bindings::PERF_PMU_CAP_NO_INTERRUPT | bindings::PERF_PMU_CAP_NO_EXCLUDE;

/// Fills in a zeroed `struct pmu`.
pub(super) fn fill<T: Pmu>(
    pmu: &mut bindings::pmu,
    module: &'static ThisModule,
    groups: &Groups<T>,
) {
    pmu.module = module.as_ptr().cast();
    pmu.attr_groups = groups.as_ptr();
    pmu.task_ctx_nr = bindings::perf_event_task_context_perf_invalid_context;
    pmu.capabilities = CAPABILITIES as c_int;
    pmu.event_init = Some(event_init::<T>);
    pmu.add = Some(add::<T>);
    pmu.del = Some(del::<T>);
    pmu.start = Some(start::<T>);
    pmu.stop = Some(stop::<T>);
    pmu.read = Some(read::<T>);
    pmu.pmu_enable = Some(enable::<T>);
    pmu.pmu_disable = Some(disable);
}

// SAFETY: Perf makes a PMU the data of its device. Before the PMU is unregistered, perf removes the
// files and waits for readers.
unsafe impl<T: Pmu> Owner for T {
    type Attribute = <T as Pmu>::Attribute;

    unsafe fn of_device<'a>(data: *mut c_void) -> &'a Self {
        // SAFETY: By the function's contract the device is that of a registered PMU with files for
        // `T`.
        unsafe { driver(data.cast()) }
    }

    fn show(&self, attribute: &Self::Attribute, out: &mut dyn fmt::Write) -> fmt::Result {
        Pmu::show(self, attribute, out)
    }
}

/// Returns the driver of an event's PMU.
///
/// # Safety
///
/// `event` must be of a PMU registered for `T`, which stays registered for `'a`.
unsafe fn driver_of<'a, T: Pmu>(event: *mut bindings::perf_event) -> &'a T {
    // SAFETY: By the function's contract the event is valid.
    let pmu = unsafe { (*event).pmu };
    // SAFETY: By the function's contract the PMU is registered for `T` and stays so.
    unsafe { driver(pmu) }
}

/// Converts the arguments of a callback for an event.
///
/// # Safety
///
/// `event` must be of a PMU registered for `T`, have passed its `event_init`, and stay like that
/// for `'a`. Interrupts must be off, outside NMI, until the callback returns.
unsafe fn parts<'a, T: Pmu>(event: *mut bindings::perf_event) -> (&'a T, &'a Event<T>, IrqsOff) {
    // SAFETY: By the function's contract the event's PMU is registered for `T`.
    let driver = unsafe { driver_of(event) };
    // SAFETY: By the function's contract the event has passed its `event_init`.
    let event = unsafe { Event::from_raw(event) };
    // SAFETY: By the function's contract interrupts are off, outside NMI.
    let here = unsafe { IrqsOff::assume() };
    (driver, event, here)
}

/// # Safety
///
/// Called by perf as `pmu::event_init`.
unsafe extern "C" fn event_init<T: Pmu>(event: *mut bindings::perf_event) -> c_int {
    // SAFETY: Perf passes a valid event.
    if unsafe { !bindings::helper_perf_event_type_matches(event) } {
        return ENOENT.to_errno();
    }
    // SAFETY: Perf passes a valid event.
    if unsafe { bindings::helper_perf_only_reschedules(event) } {
        // `add` knows it by its lack of data.
        return 0;
    }
    from_result(|| {
        // SAFETY: Perf has set the event's PMU to the one it calls.
        let driver: &T = unsafe { driver_of(event) };
        // SAFETY: Perf holds the lock of the leader's context.
        let mut opening = unsafe { Opening::new(event) };
        let data = driver.event_init(&mut opening)?;
        // SAFETY: This is the event's `event_init`.
        unsafe { event::attach::<T>(event, data) };
        Ok(0)
    })
}

/// # Safety
///
/// Called by perf as `pmu::add`.
unsafe extern "C" fn add<T: Pmu>(event: *mut bindings::perf_event, flags: c_int) -> c_int {
    // SAFETY: Perf passes a valid event.
    if unsafe { (*event).pmu_private.is_null() } {
        return EAGAIN.to_errno();
    }
    // SAFETY: Perf passes an event of this PMU, interrupts off. It has data, as seen above.
    let (driver, event, here) = unsafe { parts::<T>(event) };
    let start = flags as u32 & bindings::PERF_EF_START != 0;
    from_result(|| driver.add(event, &here, start).map(|()| 0))
}

/// # Safety
///
/// Called by perf as `pmu::del`.
unsafe extern "C" fn del<T: Pmu>(event: *mut bindings::perf_event, _flags: c_int) {
    // SAFETY: Perf passes an event of this PMU that was added, interrupts off.
    let (driver, event, here) = unsafe { parts::<T>(event) };
    driver.del(event, &here);
}

/// # Safety
///
/// Called by perf as `pmu::start`.
unsafe extern "C" fn start<T: Pmu>(event: *mut bindings::perf_event, _flags: c_int) {
    // SAFETY: Perf passes an event of this PMU, interrupts off.
    let (driver, event, here) = unsafe { parts::<T>(event) };
    driver.start(event, &here);
}

/// # Safety
///
/// Called by perf as `pmu::stop`.
unsafe extern "C" fn stop<T: Pmu>(event: *mut bindings::perf_event, flags: c_int) {
    // SAFETY: Perf passes an event of this PMU, interrupts off.
    let (driver, event, here) = unsafe { parts::<T>(event) };
    let update = flags as u32 & bindings::PERF_EF_UPDATE != 0;
    driver.stop(event, &here, update);
}

/// # Safety
///
/// Called by perf as `pmu::read`.
unsafe extern "C" fn read<T: Pmu>(event: *mut bindings::perf_event) {
    // SAFETY: Perf passes an event of this PMU that has passed its `event_init`.
    let opened = unsafe { Event::<T>::from_raw(event) };
    // SAFETY: Perf has interrupts off, or this is an NMI.
    if T::read(opened, &unsafe { NoInterrupts::assume() }).is_err() {
        // SAFETY: The event is of this PMU, which stays registered.
        let driver: &T = unsafe { driver_of(event) };
        driver.read_failed();
    }
}

/// # Safety
///
/// Called by perf as `pmu::pmu_enable`.
unsafe extern "C" fn enable<T: Pmu>(pmu: *mut bindings::pmu) {
    // SAFETY: Perf passes this PMU.
    let driver: &T = unsafe { driver(pmu) };
    // SAFETY: Perf has interrupts off.
    driver.enable(&unsafe { IrqsOff::assume() });
}

/// Called by perf as `pmu::pmu_disable`. A driver learns of a batch of changes by the first of them.
extern "C" fn disable(_pmu: *mut bindings::pmu) {}
