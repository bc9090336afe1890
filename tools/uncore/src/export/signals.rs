// SPDX-License-Identifier: GPL-2.0

//! Signals that end the exporter, or make it let go of the counters or take them again.

use std::io::{self, Read as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use rustix::process::Signal;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::{flag, low_level::pipe};

/// Lets go of the counters.
pub(crate) const RELEASE: Signal = Signal::USR1;
/// Takes them again.
pub(crate) const RESUME: Signal = Signal::USR2;

/// Requests that signals have made.
#[derive(Debug)]
pub(super) struct Signals {
    /// Readable after a signal.
    wake: UnixStream,
    ends: Arc<AtomicBool>,
    releases: Arc<AtomicBool>,
    resumes: Arc<AtomicBool>,
}

impl Signals {
    /// Catches the signals from now on.
    pub(super) fn catch() -> io::Result<Self> {
        let (wake, sender) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        let signals = Self {
            wake,
            ends: Arc::default(),
            releases: Arc::default(),
            resumes: Arc::default(),
        };
        for (signal, flag) in [
            (SIGINT, &signals.ends),
            (SIGTERM, &signals.ends),
            (SIGHUP, &signals.ends),
            (RELEASE.as_raw(), &signals.releases),
            (RESUME.as_raw(), &signals.resumes),
        ] {
            flag::register(signal, Arc::clone(flag))?;
            pipe::register(signal, sender.try_clone()?)?;
        }
        Ok(signals)
    }

    /// Becomes readable when a signal comes.
    pub(super) fn wake(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }

    /// Forgets that signals came. What they asked for is still to be taken.
    pub(super) fn clear(&self) {
        let mut bytes = [0; 64];
        while (&self.wake).read(&mut bytes).is_ok_and(|length| length > 0) {}
    }

    /// The exporter shall end.
    pub(super) fn ends(&self) -> bool {
        self.ends.load(Ordering::SeqCst)
    }

    /// The counters shall be let go.
    pub(super) fn take_release(&self) -> bool {
        self.releases.swap(false, Ordering::SeqCst)
    }

    /// The counters shall be taken again.
    pub(super) fn take_resume(&self) -> bool {
        self.resumes.swap(false, Ordering::SeqCst)
    }
}
