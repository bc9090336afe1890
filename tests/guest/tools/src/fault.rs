// SPDX-License-Identifier: GPL-2.0

//! Allocations of the kernel that fail, one after the other.
//!
//! A kernel with CONFIG_FAULT_INJECTION counts a thread's allocations and makes the
//! n-th fail. An action is repeated with its first allocation failing, then with
//! its second, until there is none left to fail.

use std::fmt::Display;
use std::fs::{read_dir, File};
use std::io::Error;
use std::os::unix::fs::FileExt as _;

/// File in a thread's directory of `/proc`: number of the allocation that is to
/// fail. It is 0 after the failure, or if none is to fail.
const FILE: &str = "fail-nth";
/// Switch that spares allocations that may wait; it is on by default.
const SPARED: &str = "/sys/kernel/debug/failslab/ignore-gfp-wait";
/// Amount of log text for each failure.
const VERBOSE: &str = "/sys/kernel/debug/failslab/verbose";

/// Switch that restricts failures to marked caches, and the directory of the marks.
const FILTERED: &str = "/sys/kernel/debug/failslab/cache-filter";
const CACHES: &str = "/sys/kernel/slab";
/// The caches of the leak detector, which has an allocation for each of others'.
const DETECTOR: &str = "kmemleak_";

/// The kernel's log, and a text for it that marks the following messages as wanted:
/// some messages about failed allocations look like a bug of the kernel.
const LOG: &str = "/dev/kmsg";
const ASKED: &str = "FAULT_INJECTION: asked for";

/// The result of an action whose n-th allocation failed.
#[derive(Debug, PartialEq, Eq)]
pub struct Step<E> {
    /// Number of the failed allocation, from 1.
    pub position: u32,
    /// Result of the action.
    pub outcome: Result<(), E>,
}

/// The range of failing allocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walk {
    /// The first one.
    pub first: u32,
    /// The last one.
    pub last: u32,
    /// Distance from one to the next.
    pub stride: u32,
}

/// All allocations.
pub const EVERY: Walk = Walk {
    first: 1,
    last: u32::MAX,
    stride: 1,
};

impl Walk {
    /// Repeats an action over the allocations of this thread, and undoes it after each
    /// success. In the last step nothing failed, unless the walk ends before. Fails if
    /// the kernel does not inject failures, or the action cannot be undone.
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

    /// Repeats an action over the allocations of another thread, given by its directory
    /// in `/proc`. Calls `after` with the result of each step. Fails if the kernel does
    /// not inject failures, or `after` fails.
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

/// Takes an action whose n-th allocation fails, and tells if there was one.
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

/// Makes the allocations of all caches fail, but for those of the leak detector.
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
