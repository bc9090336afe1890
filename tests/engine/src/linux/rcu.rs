// SPDX-License-Identifier: GPL-2.0

//! A pointer to a shared value, which readers follow without a lock. A reader that uses a value after
//! its grace period fails the test.

use super::context::Pinned;
use crate::host::{host, plain, step};
use std::{
    ops::Deref,
    sync::{
        atomic::{AtomicBool, Ordering::Relaxed},
        Arc, Mutex as Plain,
    },
};

/// A value, and whether its grace period is over.
struct Shared<T> {
    value: kernel::sync::Arc<T>,
    gone: AtomicBool,
}

/// A pointer to a shared value, or to none.
pub(crate) struct Published<T>(Plain<Option<Arc<Shared<T>>>>);

impl<T> Published<T> {
    /// Makes a pointer to no value.
    pub(crate) fn none() -> Self {
        Self(Plain::new(None))
    }

    /// Returns the value.
    pub(crate) fn get<'a>(&self, _here: &'a impl Pinned) -> Option<impl Deref<Target = T> + 'a>
    where
        T: 'a,
    {
        step();
        plain(&self.0).clone().map(Reader)
    }

    /// Replaces the value, and returns the one before.
    pub(crate) fn replace(&self, new: Option<kernel::sync::Arc<T>>) -> Retired<T> {
        step();
        let new = new.map(|value| {
            Arc::new(Shared {
                value,
                gone: AtomicBool::new(false),
            })
        });
        Retired(std::mem::replace(&mut *plain(&self.0), new))
    }
}

/// A reader's view of a value.
struct Reader<T>(Arc<Shared<T>>);

impl<T> Deref for Reader<T> {
    type Target = T;

    fn deref(&self) -> &T {
        assert!(!self.0.gone.load(Relaxed), "a value after its grace period");
        &self.0.value
    }
}

/// A value that was replaced.
pub(crate) struct Retired<T>(Option<Arc<Shared<T>>>);

impl<T> Drop for Retired<T> {
    /// Waits for a grace period, if there was a value.
    fn drop(&mut self) {
        if let Some(shared) = self.0.take() {
            host().synchronize();
            shared.gone.store(true, Relaxed);
        }
    }
}
