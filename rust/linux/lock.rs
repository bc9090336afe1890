// SPDX-License-Identifier: GPL-2.0

//! A raw spinlock around data.
//!
//! C header: [`include/linux/spinlock.h`](srctree/include/linux/spinlock.h)
//!
//! Perf calls a PMU with interrupts off and raw locks held. A `spinlock_t` may not be taken there:
//! it sleeps on PREEMPT_RT, and lockdep reports it on all kernels. The kernel crate has no raw
//! spinlock.
//!
//! Each use of [`new_raw_spinlock!`](crate::linux::lock::new_raw_spinlock) is a lock class of its own
//! for lockdep.
//!
//! # Contexts
//!
//! Any but NMI. Interrupts are off in the critical section, and restored after it.

use super::{
    bindings,
    context::IrqsOff, //
};
use core::cell::UnsafeCell;
use kernel::{
    prelude::*,
    sync::LockClassKey,
    types::Opaque, //
};
use pin_init::Wrapper as _;

/// Data behind a raw spinlock.
///
/// # Invariants
///
/// `raw` is initialised.
#[pin_data]
pub(crate) struct RawSpinLock<T> {
    #[pin]
    raw: Opaque<bindings::raw_spinlock_t>,
    #[pin]
    data: UnsafeCell<T>,
}

// SAFETY: Sending the lock sends the data, and C's lock has no owner thread while unlocked.
unsafe impl<T: Send> Send for RawSpinLock<T> {}

// SAFETY: Only one CPU at a time has access to the data.
unsafe impl<T: Send> Sync for RawSpinLock<T> {}

/// `with` gives out `&mut T`, through which the data may be moved, so `T` must be `Unpin`.
impl<T: Unpin> RawSpinLock<T> {
    /// Makes a lock; use [`new_raw_spinlock!`](crate::linux::lock::new_raw_spinlock).
    pub(crate) fn new(
        data: impl PinInit<T>,
        name: &'static CStr,
        key: Pin<&'static LockClassKey>,
    ) -> impl PinInit<Self> {
        // INVARIANT: `raw` is initialised below.
        pin_init!(Self {
            raw <- Opaque::ffi_init(|slot| {
                // SAFETY: `slot` is memory for a lock that will not move; `name` and `key` are
                // static, and `key` was reserved for lockdep.
                unsafe {
                    bindings::helper_raw_spin_lock_init(
                        slot,
                        name.as_char_ptr(),
                        key.as_ptr().cast(),
                    )
                }
            }),
            data <- UnsafeCell::pin_init(data),
        })
    }

    /// Calls `f` with the data, the lock held and interrupts off.
    ///
    /// `f` must neither sleep nor log. Critical sections nest by construction, so interrupts are
    /// restored at the end of the outermost one.
    pub(crate) fn with<R>(&self, f: impl FnOnce(&IrqsOff, &mut T) -> R) -> R {
        // SAFETY: `raw` is initialised by the type invariant.
        let flags = unsafe { bindings::helper_raw_spin_lock_irqsave(self.raw.get()) };
        // SAFETY: The call above disabled interrupts. They stay off until the lock is released
        // below, after the last use of `here`. Raw spinlocks are not taken in NMI context.
        let here = unsafe { IrqsOff::assume() };
        // SAFETY: This CPU holds the lock, so no other code uses the data.
        let result = f(&here, unsafe { &mut *self.data.get() });
        // SAFETY: This CPU took the lock above, with `flags`.
        unsafe { bindings::helper_raw_spin_unlock_irqrestore(self.raw.get(), flags) };
        result
    }
}

/// Makes the initialiser of a [`RawSpinLock`] with a lock class of its own.
macro_rules! new_raw_spinlock {
    ($data:expr, $name:literal) => {
        $crate::linux::lock::RawSpinLock::new($data, $name, ::kernel::static_lock_class!())
    };
}
pub(crate) use new_raw_spinlock;
