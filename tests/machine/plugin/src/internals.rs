// SPDX-License-Identifier: GPL-2.0

//! Functions and variables of QEMU that its plugin API lacks.
//!
//! They are looked up by name, which a QEMU that was built without modules does not show.

#![expect(unsafe_code, reason = "looks up and calls functions of QEMU")]

use std::ffi::{c_char, c_void, CStr};
use std::sync::OnceLock;

/// `RTLD_DEFAULT`.
const ANY: *mut c_void = std::ptr::null_mut();

type RestoreState = unsafe extern "C" fn(*mut c_void, usize) -> bool;

extern "C" {
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// Returns the address of a name in any library: for a variable of the thread, in this thread.
fn symbol(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: a string, and a place that is always there.
    let found = unsafe { dlsym(ANY, name.as_ptr()) };
    Some(found).filter(|found| !found.is_null())
}

/// Returns the processor that this thread runs.
fn processor() -> Option<*mut c_void> {
    thread_local! {
        static CURRENT: Option<*mut c_void> = symbol(c"current_cpu");
    }
    let current = CURRENT.with(|current| *current)?;
    // SAFETY: a pointer in QEMU, which lives as long as this thread.
    let processor = unsafe { *current.cast::<*mut c_void>() };
    Some(processor).filter(|processor| !processor.is_null())
}

/// Restores the flags of the processor that runs, and the number of instructions it has
/// executed, before a jump out of its callback. `from` is the callback's return address: QEMU
/// computes flags when they are read, and keeps for each place in translated code how.
pub(crate) fn restore_state(from: usize) {
    static RESTORE: OnceLock<Option<RestoreState>> = OnceLock::new();
    let restore = RESTORE.get_or_init(|| {
        // SAFETY: a function of QEMU 11.1 with this type; `entry` checks the version.
        symbol(c"cpu_restore_state")
            .map(|found| unsafe { std::mem::transmute::<*mut c_void, RestoreState>(found) })
    });
    if let (Some(restore), Some(processor)) = (restore, processor()) {
        // SAFETY: the processor that runs, and a place in its translated code.
        unsafe { restore(processor, from) };
    }
}
