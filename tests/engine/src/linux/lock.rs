// SPDX-License-Identifier: GPL-2.0

//! A raw spinlock around data.

use super::context::IrqsOff;
use crate::host::{self, in_nmi};
use kernel::{
    init::{closure, value},
    prelude::*,
    sync::host::Mutex,
};
use std::{
    convert::Infallible,
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

const NO_CPU: u32 = u32::MAX;

/// Data behind a raw spinlock.
pub(crate) struct RawSpinLock<T> {
    data: Mutex<T>,
    /// CPU that holds the lock.
    holder: AtomicU32,
}

impl<T: Unpin> RawSpinLock<T> {
    /// Makes a lock; used by `new_raw_spinlock!`.
    pub(crate) fn new(data: impl PinInit<T>, _name: &'static CStr) -> impl PinInit<Self> {
        closure(move || -> Result<_, Infallible> {
            Ok(Self {
                data: Mutex::new(value(data)?),
                holder: AtomicU32::new(NO_CPU),
            })
        })
    }

    /// Calls `f` with the data, the lock held and interrupts off.
    pub(crate) fn with<R>(&self, f: impl FnOnce(&IrqsOff, &mut T) -> R) -> R {
        host::here(|here| {
            let cpu = here.cpu().number();
            assert_ne!(
                self.holder.load(Relaxed),
                cpu,
                "the holder of a lock waits for it"
            );
            self.hold(cpu, |data| f(here, data))
        })
    }

    fn hold<R>(&self, cpu: u32, f: impl FnOnce(&mut T) -> R) -> R {
        assert!(!in_nmi(), "a lock in an NMI");
        let mut data = self.data.lock().expect("no holder panicked");
        self.holder.store(cpu, Relaxed);
        let result = f(&mut data);
        self.holder.store(NO_CPU, Relaxed);
        result
    }
}

/// Makes the initialiser of a [`RawSpinLock`].
macro_rules! new_raw_spinlock {
    ($data:expr, $name:literal) => {
        $crate::linux::lock::RawSpinLock::new($data, $name)
    };
}
pub(crate) use new_raw_spinlock;
