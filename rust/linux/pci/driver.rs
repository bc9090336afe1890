// SPDX-License-Identifier: GPL-2.0

//! Registers a driver of PCI functions, by device ID.
//!
//! The IDs come from a table at run time and are not among the module's aliases. The user loads such
//! a module; the kernel must not load it because the machine has the functions.
//!
//! # Contexts
//!
//! Both callbacks run in process context.
//!
//! # Lifetime
//!
//! Dropping a [`Registration`] calls [`Driver::remove`] for every function that is still bound.

use super::{
    Function,
    VENDOR, //
};
use crate::linux::bindings;
use core::ops::Deref;
use kernel::{
    container_of,
    error::{
        from_result,
        to_result, //
    },
    ffi::c_int,
    prelude::*,
    types::Opaque, //
};

/// Subsystem ID that matches any.
const ANY: u32 = u32::MAX;

/// A driver of PCI functions.
pub(crate) trait Driver: Send + Sync + 'static {
    /// Binds a function.
    ///
    /// # Errors
    ///
    /// [`ENODEV`] leaves the function to other drivers; the PCI core logs any other error.
    fn probe(&self, function: Function) -> Result;

    /// Unbinds a function. It may be gone already, so accesses may fail.
    fn remove(&self, function: &Function);
}

/// A registered driver.
///
/// # Invariants
///
/// - `raw` is registered with the callbacks below for `D`, so that every pointer to it there is to
///   this `raw`.
/// - `_ids` ends with an entry of zeros and is what `raw` points to.
#[pin_data(PinnedDrop)]
pub(crate) struct Registration<D: Driver> {
    #[pin]
    driver: D,
    _ids: KVec<bindings::pci_device_id>,
    // Last, so that the driver is initialised before the first callback.
    #[pin]
    raw: Opaque<bindings::pci_driver>,
}

// SAFETY: Any thread may unregister, and `D` may be sent.
unsafe impl<D: Driver> Send for Registration<D> {}

// SAFETY: C's part locks for itself, and `D` may be shared.
unsafe impl<D: Driver> Sync for Registration<D> {}

impl<D: Driver> Registration<D> {
    /// Registers a driver of Intel's functions with the device IDs that `ids` gives. All functions
    /// present have been probed when this returns.
    ///
    /// # Errors
    ///
    /// [`EBUSY`] if there is a driver of that name.
    pub(crate) fn new<E>(
        name: &'static CStr,
        module: &'static ThisModule,
        ids: impl FnOnce(&mut dyn FnMut(u16) -> Result) -> Result,
        driver: impl PinInit<D, E>,
    ) -> impl PinInit<Self, Error>
    where
        Error: From<E>,
    {
        try_pin_init!(&this in Self {
            driver <- driver,
            _ids: table(ids)?,
            // INVARIANT: Filled in and registered here.
            raw <- Opaque::try_ffi_init(|raw: *mut bindings::pci_driver| {
                // SAFETY: The field is initialised.
                let ids = unsafe { (*this.as_ptr())._ids.as_ptr() };
                let driver = bindings::pci_driver {
                    name: name.as_char_ptr(),
                    id_table: ids,
                    probe: Some(probe::<D>),
                    remove: Some(remove::<D>),
                    ..bindings::pci_driver::default()
                };
                // SAFETY: `raw` is memory for a driver.
                unsafe { raw.write(driver) };
                // SAFETY: `raw` is complete and, as the table, stays where it is until it is
                // unregistered on drop; the names are static.
                to_result(unsafe {
                    bindings::__pci_register_driver(
                        raw,
                        module.as_ptr().cast(),
                        name.as_char_ptr(),
                    )
                })
            }),
        }? Error)
    }
}

/// Makes the table for the PCI core of the IDs that `ids` gives to its argument.
fn table(
    ids: impl FnOnce(&mut dyn FnMut(u16) -> Result) -> Result,
) -> Result<KVec<bindings::pci_device_id>> {
    let mut table = KVec::new();
    ids(&mut |id| {
        let entry = bindings::pci_device_id {
            vendor: VENDOR,
            device: u32::from(id),
            subvendor: ANY,
            subdevice: ANY,
            ..bindings::pci_device_id::default()
        };
        Ok(table.push(entry, GFP_KERNEL)?)
    })?;
    table.push(bindings::pci_device_id::default(), GFP_KERNEL)?;
    Ok(table)
}

impl<D: Driver> Deref for Registration<D> {
    type Target = D;

    fn deref(&self) -> &D {
        &self.driver
    }
}

#[pinned_drop]
impl<D: Driver> PinnedDrop for Registration<D> {
    fn drop(self: Pin<&mut Self>) {
        // SAFETY: `raw` is registered by the type invariant.
        unsafe { bindings::pci_unregister_driver(self.raw.get()) };
    }
}

/// Returns the driver of a bound function, and a reference to the function.
///
/// # Safety
///
/// `function` must be valid and bound to, or being bound to, the driver of a `Registration<D>`
/// which stays registered for `'a`.
unsafe fn parts<'a, D: Driver>(function: *mut bindings::pci_dev) -> Result<(&'a D, Function)> {
    // SAFETY: By the function's contract the function is valid and has a driver.
    let raw = unsafe { (*function).driver };
    let raw = Opaque::cast_from(raw).cast_mut();
    // SAFETY: By the function's contract that driver is in a `Registration<D>`.
    let registration = unsafe { container_of!(raw, Registration<D>, raw) };
    // SAFETY: By the function's contract it stays registered; `driver` was initialised before.
    let driver = unsafe { &(*registration).driver };
    // SAFETY: By the function's contract the function is valid.
    let function = unsafe { bindings::pci_dev_get(function) };
    // SAFETY: The call above took the reference.
    let function = unsafe { Function::from_raw(function) };
    Ok((driver, function.ok_or(ENODEV)?))
}

/// # Safety
///
/// Called by the PCI core as `pci_driver::probe` of a `Registration<D>`.
unsafe extern "C" fn probe<D: Driver>(
    function: *mut bindings::pci_dev,
    _id: *const bindings::pci_device_id,
) -> c_int {
    from_result(|| {
        // SAFETY: By the function's contract; the core sets the function's driver before it calls.
        let (driver, function) = unsafe { parts::<D>(function) }?;
        driver.probe(function).map(|()| 0)
    })
}

/// # Safety
///
/// Called by the PCI core as `pci_driver::remove` of a `Registration<D>`.
unsafe extern "C" fn remove<D: Driver>(function: *mut bindings::pci_dev) {
    // SAFETY: By the function's contract; the core clears the function's driver afterwards.
    if let Ok((driver, function)) = unsafe { parts::<D>(function) } {
        driver.remove(&function);
    }
}
