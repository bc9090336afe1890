// SPDX-License-Identifier: GPL-2.0

//! A raw spinlock around data.
//!
//! C header: [`include/linux/spinlock.h`](srctree/include/linux/spinlock.h)
//!
//! Perf calls a PMU with interrupts off and raw locks held; a `spinlock_t` inside would be a wait
//! in the wrong context (it sleeps on PREEMPT_RT, and lockdep says so everywhere). The kernel crate
//! has no raw one.
//!
//! Each call of [`new_raw_spinlock!`](crate::linux::lock::new_raw_spinlock) is a lock class of its
//! own to lockdep.
//!
//! # Contexts
//!
//! Any but NMI. Interrupts are off in the section, and as before after it.

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

/// No CPU holds the lock.
const NOBODY: u32 = u32::MAX;

/// Data behind a raw spinlock.
///
/// # Invariants
///
/// - `raw` is initialised.
/// - `holder` is the number of the CPU that holds the lock, or [`NOBODY`]; only the holder writes
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

// SAFETY: The lock lets one CPU at a time at the data.
unsafe impl<T: Send> Sync for RawSpinLock<T> {}

/// The data is given out as `&mut T`, and so may be moved out of the lock.
impl<T: Unpin> RawSpinLock<T> {
    /// Use [`new_raw_spinlock!`](crate::linux::lock::new_raw_spinlock).
    pub(crate) fn new(
        data: impl PinInit<T>,
        name: &'static CStr,
        key: Pin<&'static LockClassKey>,
    ) -> impl PinInit<Self> {
        // INVARIANT: `raw` is initialised below and nobody holds it.
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
            holder: AtomicU32::new(NOBODY),
            data <- UnsafeCell::pin_init(data),
        })
    }

    /// Does something with the data, the lock held and interrupts off.
    ///
    /// Nothing may be done in there that sleeps or logs. Sections nest by construction, so that
    /// interrupts come back on with the end of the outermost.
    pub(crate) fn with<R>(&self, f: impl FnOnce(&IrqsOff, &mut T) -> R) -> R {
        // SAFETY: `raw` is initialised by the type invariant.
        let flags = unsafe { bindings::helper_raw_spin_lock_irqsave(self.raw.get()) };
        // SAFETY: The call above disabled interrupts; they are off until the lock is released
        // below, when `here` is not used any more. Raw spinlocks are not taken in NMI context.
        let here = unsafe { IrqsOff::assume() };
        // SAFETY: This CPU has just taken the lock.
        let result = unsafe { self.hold(here.cpu(), |data| f(&here, data)) };
        // SAFETY: This CPU took the lock above, with `flags`.
        unsafe { bindings::helper_raw_spin_unlock_irqrestore(self.raw.get(), flags) };
        result
    }

    /// The same, unless this CPU holds the lock already.
    ///
    /// Perf can be asked for a count from inside the section: a BPF program on a kprobe or
    /// tracepoint there reads the event. To wait would be to wait for oneself.
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

    /// Does something with the data as the holder of the lock.
    ///
    /// # Safety
    ///
    /// `cpu` must be this one, have taken the lock and keep it until this returns.
    #[inline(always)]
    unsafe fn hold<R>(&self, cpu: Cpu, f: impl FnOnce(&mut T) -> R) -> R {
        // INVARIANT: This CPU holds the lock.
        self.holder.store(cpu.number(), Ordering::Relaxed);
        // SAFETY: This CPU holds the lock, so that nobody else uses the data.
        let result = f(unsafe { &mut *self.data.get() });
        // INVARIANT: Still the holder, about to let go.
        self.holder.store(NOBODY, Ordering::Relaxed);
        result
    }

    /// Whether `cpu` holds the lock; certain only on that CPU itself with interrupts off.
    fn is_held_by(&self, cpu: Cpu) -> bool {
        self.holder.load(Ordering::Relaxed) == cpu.number()
    }
}

/// Makes an initialiser of a [`RawSpinLock`] with a lock class of its own.
macro_rules! new_raw_spinlock {
    ($data:expr, $name:literal) => {
        $crate::linux::lock::RawSpinLock::new($data, $name, ::kernel::static_lock_class!())
    };
}
pub(crate) use new_raw_spinlock;
