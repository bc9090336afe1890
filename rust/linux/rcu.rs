// SPDX-License-Identifier: GPL-2.0

//! A pointer to a shared value, which readers follow without a lock.
//!
//! C header: [`include/linux/rcupdate.h`](srctree/include/linux/rcupdate.h)
//!
//! Code that runs with interrupts off or in an NMI is a read-side section of RCU. A value that was
//! replaced is dropped after a grace period: when all sections have ended that may have seen it.
//!
//! The kernel crate has [`Revocable`](kernel::revocable::Revocable), which cannot be filled again.
//!
//! # Contexts
//!
//! [`Published::get`] with interrupts off or in an NMI, which the token shows. [`Published::replace`]
//! in any context. A [`Retired`] is dropped in process context, as it waits.

use super::{
    atomic::Ordering,
    bindings,
    context::Pinned, //
};
use core::{
    marker::PhantomData,
    ptr::{
        self,
        NonNull, //
    },
    sync::atomic::AtomicPtr, //
};
use kernel::sync::Arc;

/// A pointer to a shared value, or to none.
///
/// # Invariants
///
/// The pointer is null, or is of an `Arc<T>` whose reference this value owns. A reference that was
/// owned once is dropped after a grace period.
pub(crate) struct Published<T> {
    value: AtomicPtr<T>,
    _owned: PhantomData<Arc<T>>,
}

impl<T> Published<T> {
    /// Makes a pointer to no value.
    pub(crate) fn none() -> Self {
        // INVARIANT: Null.
        Self {
            value: AtomicPtr::new(ptr::null_mut()),
            _owned: PhantomData,
        }
    }

    /// Returns the value.
    #[inline]
    pub(crate) fn get<'a>(&'a self, _here: &'a impl Pinned) -> Option<&'a T> {
        let value = self.value.load(Ordering::Acquire);
        // SAFETY: A pointer that is not null was of an owned reference when it was loaded, by the
        // type invariant. That is dropped after a grace period, which waits for this code: until
        // `'a` ends it runs with interrupts off or in an NMI.
        unsafe { value.as_ref() }
    }

    /// Replaces the value, and returns the one before.
    pub(crate) fn replace(&self, new: Option<Arc<T>>) -> Retired<T> {
        let new = new.map_or(ptr::null(), Arc::into_raw);
        // INVARIANT: The pointer is null, or of an `Arc` whose reference becomes this value's. The
        // reference before is given to a `Retired`, which waits for a grace period.
        let old = self.value.swap(new.cast_mut(), Ordering::AcqRel);
        // INVARIANT: Replaced just now.
        Retired(NonNull::new(old).map(|old| {
            // SAFETY: By the type invariant the pointer was of an `Arc` whose reference this value
            // owned, and does no longer.
            unsafe { Arc::from_raw(old.as_ptr().cast_const()) }
        }))
    }
}

impl<T> Drop for Published<T> {
    /// Drops the value. No reader is left, as readers borrow the pointer.
    fn drop(&mut self) {
        if let Some(value) = NonNull::new(*self.value.get_mut()) {
            // SAFETY: By the type invariant the pointer is of an `Arc` whose reference this value
            // owns. It is not used any more.
            drop(unsafe { Arc::from_raw(value.as_ptr().cast_const()) });
        }
    }
}

/// A value that was replaced. Readers may still use it.
///
/// # Invariants
///
/// No reader finds the value any more, unless it was published once more.
#[must_use = "dropping it waits"]
pub(crate) struct Retired<T>(Option<Arc<T>>);

impl<T> Drop for Retired<T> {
    /// Waits for a grace period, if there was a value. Its reference is dropped after that.
    fn drop(&mut self) {
        if self.0.is_some() {
            // SAFETY: Has no requirements but process context.
            unsafe { bindings::synchronize_rcu_expedited() };
        }
    }
}
