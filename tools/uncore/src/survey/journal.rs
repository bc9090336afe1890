// SPDX-License-Identifier: GPL-2.0

//! The journal of a survey, and the signals that end one.
//!
//! The journal is in `/run`, which a boot clears as it does the registers. Its first line names the
//! boot.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use signal_hook::consts::{FORBIDDEN, SIGCHLD, SIGCONT, SIGURG, SIGWINCH};
use signal_hook::{flag, low_level};
use uncore_survey::Surroundings;

use crate::error::Error;
use crate::root::Root;

/// Path of the journal.
pub(crate) const JOURNAL: &str = "run/uncore-survey.journal";

/// Signals that end no program.
const HARMLESS: [i32; 4] = [SIGCHLD, SIGCONT, SIGURG, SIGWINCH];

/// Highest number of a signal.
const LAST_SIGNAL: i32 = 64;

/// The journal of a running survey.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    /// Number of the first signal that ends the survey; 0 without one.
    signal: Arc<AtomicUsize>,
}

impl Journal {
    /// Makes an empty journal, and catches signals from now on.
    pub(super) fn new(root: &Root) -> Result<Self, Error> {
        let path = root.path(JOURNAL);
        let mut options = OpenOptions::new();
        let options = options.write(true).create_new(true).mode(0o600);
        let file = options.open(&path).map_err(Error::writing(&path))?;
        let signal = Arc::default();
        catch(&signal).map_err(Error::Signals)?;
        let mut journal = Self { path, file, signal };
        let stored = journal.store(&format!("{}\n", boot(root)?));
        stored.map_err(Error::writing(&journal.path))?;
        Ok(journal)
    }

    /// Removes the journal.
    pub(super) fn remove(self) -> Result<(), Error> {
        fs::remove_file(&self.path).map_err(Error::writing(&self.path))
    }
}

impl Surroundings for Journal {
    fn store(&mut self, text: &str) -> io::Result<()> {
        self.file.write_all(text.as_bytes())?;
        self.file.sync_all()
    }

    fn ended(&mut self) -> Option<String> {
        match i32::try_from(self.signal.load(Ordering::Relaxed)) {
            Ok(0) | Err(_) => None,
            Ok(signal) => Some(low_level::signal_name(signal).map_or_else(
                || format!("signal {signal} has ended it"),
                |name| format!("{name} has ended it"),
            )),
        }
    }
}

/// Catches all signals that end or stop a program and that can be caught.
fn catch(signal: &Arc<AtomicUsize>) -> io::Result<()> {
    for number in 1..=LAST_SIGNAL {
        if HARMLESS.contains(&number) {
            continue;
        }
        let value = usize::try_from(number).unwrap_or(0);
        if !FORBIDDEN.contains(&number) {
            // The C library keeps some for itself.
            let _ = flag::register_usize(number, signal.clone(), value);
        } else if ![libc::SIGKILL, libc::SIGSTOP].contains(&number) {
            catch_fault(number, value, signal.clone())?;
        }
    }
    Ok(())
}

/// Catches a signal of a fault, if another program sends it.
#[expect(unsafe_code, reason = "registers a handler of a fault")]
fn catch_fault(number: i32, value: usize, signal: Arc<AtomicUsize>) -> io::Result<()> {
    let action = move |info: &libc::siginfo_t| {
        if info.si_code > 0 {
            // A fault of our own: the handler must not return to it.
            let _ = low_level::emulate_default_handler(number);
        } else {
            signal.store(value, Ordering::Relaxed);
        }
    };
    // SAFETY: The action is safe in a handler: it stores a number, or ends the process. It never
    // returns to a fault.
    unsafe { signal_hook_registry::register_unchecked(number, action) }.map(drop)
}

/// Returns the kernel's name of this boot.
fn boot(root: &Root) -> Result<String, Error> {
    root.text("proc/sys/kernel/random/boot_id")
}

/// Returns the registers of a journal that a survey of this boot has left, if there are any.
pub(super) fn left(root: &Root) -> Result<Option<String>, Error> {
    let Some(text) = root.optional(JOURNAL)? else {
        return Ok(None);
    };
    // The reader takes the white space at the end away, which tells a whole line.
    let path = root.path(JOURNAL);
    let whole = fs::read_to_string(&path).unwrap_or(text);
    match whole.split_once('\n') {
        Some((first, registers)) if first == boot(root)? => Ok(Some(registers.to_owned())),
        _ => {
            fs::remove_file(&path).map_err(Error::writing(&path))?;
            Ok(None)
        }
    }
}
