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
    context::IrqsOff,
    topology::Cpu, //
};
use core::{
    cell::UnsafeCell,
    sync::atomic::{
        AtomicU32,
        Ordering, //
    },
};
use kernel::{
    prelude::*,
    str::CStr,
    sync::LockClassKey,
    types::Opaque, //
};
use pin_init::Wrapper as _;

/// Value of `holder` while no CPU holds the lock.
const NO_CPU: u32 = u32::MAX;

/// Data behind a raw spinlock.
///
/// # Invariants
///
/// - `raw` is initialised.
/// - `holder` is the number of the CPU that holds the lock, or [`NO_CPU`]; only the holder writes
///   it.
#[pin_data]
pub(crate) struct RawSpinLock<T> {
    #[pin]
    raw: Opaque<bindings::raw_spinlock_t>,
    holder: AtomicU32,
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
        // INVARIANT: `raw` is initialised below and no CPU holds it.
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
            holder: AtomicU32::new(NO_CPU),
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
        // SAFETY: This CPU has just taken the lock.
        let result = unsafe { self.hold(here.cpu(), |data| f(&here, data)) };
        // SAFETY: This CPU took the lock above, with `flags`.
        unsafe { bindings::helper_raw_spin_unlock_irqrestore(self.raw.get(), flags) };
        result
    }

    /// Calls `f` like [`with`](Self::with); returns `None` if this CPU holds the lock already.
    ///
    /// A BPF program on a kprobe or tracepoint in the critical section may read an event. Waiting
    /// for the lock there would be a deadlock.
    #[inline(always)]
    pub(crate) fn with_unless_held<R>(
        &self,
        here: &IrqsOff,
        f: impl FnOnce(&mut T) -> R,
    ) -> Option<R> {
        let cpu = here.cpu();
        if self.is_held_by(cpu) {
            return None;
        }
        // SAFETY: `raw` is initialised by the type invariant, and interrupts are off.
        unsafe { bindings::helper_raw_spin_lock(self.raw.get()) };
        // SAFETY: This CPU has just taken the lock.
        let result = unsafe { self.hold(cpu, f) };
        // SAFETY: This CPU took the lock above.
        unsafe { bindings::helper_raw_spin_unlock(self.raw.get()) };
        Some(result)
    }

    /// Calls `f` with the data as the holder of the lock.
    ///
    /// # Safety
    ///
    /// `cpu` must be this CPU. It must hold the lock until this returns.
    #[inline(always)]
    unsafe fn hold<R>(&self, cpu: Cpu, f: impl FnOnce(&mut T) -> R) -> R {
        // INVARIANT: This CPU holds the lock.
        self.holder.store(cpu.number(), Ordering::Relaxed);
        // SAFETY: This CPU holds the lock, so no other code uses the data.
        let result = f(unsafe { &mut *self.data.get() });
        // INVARIANT: This CPU is the holder and releases the lock next.
        self.holder.store(NO_CPU, Ordering::Relaxed);
        result
    }

    /// Returns whether `cpu` holds the lock; reliable only on that CPU with interrupts off.
    fn is_held_by(&self, cpu: Cpu) -> bool {
        self.holder.load(Ordering::Relaxed) == cpu.number()
    }
}

/// Makes the initialiser of a [`RawSpinLock`] with a lock class of its own.
macro_rules! new_raw_spinlock {
    ($data:expr, $name:literal) => {
        $crate::linux::lock::RawSpinLock::new($data, $name, ::kernel::static_lock_class!())
    };
}
pub(crate) use new_raw_spinlock;
