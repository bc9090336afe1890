// SPDX-License-Identifier: GPL-2.0

//! Allocations of the kernel that fail, one after the other.
//!
//! A kernel with CONFIG_FAULT_INJECTION counts the allocations that a thread makes in
//! it, and has the n-th fail. So an action is walked: taken with its first allocation
//! failing, then with its second, until there is none left to fail.

use std::fmt::Display;
use std::fs::{read_dir, File};
use std::io::Error;
use std::os::unix::fs::FileExt as _;

/// In a thread's directory of `/proc`: which allocation of it is to fail; 0 once one has,
/// or none is.
const FILE: &str = "fail-nth";
/// Whether allocations that may wait are spared, as they are by default.
const SPARED: &str = "/sys/kernel/debug/failslab/ignore-gfp-wait";
/// How much is logged of each failure.
const VERBOSE: &str = "/sys/kernel/debug/failslab/verbose";

/// Whether only marked caches have allocations fail, and where each is marked.
const FILTERED: &str = "/sys/kernel/debug/failslab/cache-filter";
const CACHES: &str = "/sys/kernel/slab";
/// The caches of the leak detector, which has an allocation for each of others'.
const DETECTOR: &str = "kmemleak_";

/// The kernel's log, and what it is told there: some of what the kernel says of memory
/// that it cannot have looks like a mistake of its own.
const LOG: &str = "/dev/kmsg";
const ASKED: &str = "FAULT_INJECTION: asked for";

/// What became of an action whose n-th allocation failed.
#[derive(Debug, PartialEq, Eq)]
pub struct Step<E> {
    /// Which failed, from 1.
    pub position: u32,
    /// What the action came to.
    pub outcome: Result<(), E>,
}

/// Which allocations fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walk {
    /// The first one.
    pub first: u32,
    /// None after this one.
    pub last: u32,
    /// From one to the next.
    pub stride: u32,
}

/// All of them.
pub const EVERY: Walk = Walk {
    first: 1,
    last: u32::MAX,
    stride: 1,
};

impl Walk {
    /// Walks an action over the allocations of this thread, and undoes it each time it
    /// succeeds; the last step is the one in which nothing failed, unless the walk ends
    /// before.
    ///
    /// # Errors
    ///
    /// If the kernel has no allocations fail, or the action cannot be undone.
    pub fn take<E: Display>(
        self,
        action: impl FnMut() -> Result<(), E>,
        undo: impl Fn() -> Result<(), E>,
    ) -> Result<Vec<Step<E>>, String> {
        let after = |outcome: &Result<(), E>| match outcome {
            Ok(()) => undo(),
            Err(_) => Ok(()),
        };
        self.take_in("thread-self", action, after)
    }

    /// Walks an action over the allocations of another thread, by its directory in
    /// `/proc`, and does something `after` each step, told what that came to.
    ///
    /// # Errors
    ///
    /// If the kernel has no allocations fail, or what is done after a step fails.
    pub fn take_in<E: Display>(
        self,
        thread: &str,
        mut action: impl FnMut() -> Result<(), E>,
        after: impl Fn(&Result<(), E>) -> Result<(), E>,
    ) -> Result<Vec<Step<E>>, String> {
        set(SPARED, "N")?;
        set(VERBOSE, "0")?;
        set(LOG, ASKED)?;
        spare_detector()?;
        let path = format!("/proc/{thread}/{FILE}");
        let file = File::options().read(true).write(true).open(&path);
        let file = file.map_err(|error| format!("{path}: {error}"))?;
        let mut steps = Vec::new();
        let mut position = self.first;
        while position <= self.last {
            let (outcome, failed) = nth(&file, position, &mut action)?;
            after(&outcome)
                .map_err(|error| format!("allocation {position}: it cannot be undone: {error}"))?;
            steps.push(Step { position, outcome });
            if !failed {
                break;
            }
            position = position.saturating_add(self.stride);
        }
        Ok(steps)
    }
}

/// Takes an action whose n-th allocation fails, and whether there was one.
fn nth<T>(file: &File, position: u32, action: impl FnOnce() -> T) -> Result<(T, bool), String> {
    let said = |error: Error| format!("{FILE}: {error}");
    let text = position.to_string();
    // From here on nothing may be allocated but by the action.
    file.write_all_at(text.as_bytes(), 0).map_err(said)?;
    let outcome = action();
    let mut left = [0; 16];
    let length = file.read_at(&mut left, 0).map_err(said)?;
    file.write_all_at(b"0", 0).map_err(said)?;
    let left = String::from_utf8_lossy(&left[..length]);
    Ok((outcome, left.trim() == "0"))
}

/// Has all caches' allocations fail but the leak detector's.
fn spare_detector() -> Result<(), String> {
    let said = |error: Error| format!("{CACHES}: {error}");
    for cache in read_dir(CACHES).map_err(said)? {
        let path = cache.map_err(said)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !name.starts_with(DETECTOR) {
            set(&path.join("failslab").to_string_lossy(), "1")?;
        }
    }
    set(FILTERED, "Y")
}

fn set(file: &str, text: &str) -> Result<(), String> {
    std::fs::write(file, text).map_err(|error| format!("{file}: {error}"))
}
