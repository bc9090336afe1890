// SPDX-License-Identifier: GPL-2.0

//! Kernel log of a package's interrupts, from process context: an interrupt handler must not print,
//! since printing may take a lock that the interrupted code holds.

use super::pmi::PackagePmi;
use crate::linux::{
    atomic::{
        AtomicBool,
        AtomicU64,
        Ordering, //
    },
    work::{
        Run,
        Work, //
    }, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// Message to the kernel log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Message {
    /// The driver notices overflows in another way now.
    Mode,
    /// The driver has paused the interrupts.
    Paused,
    /// The counters stood still while events counted.
    Level,
}

/// Messages of a package that are still to be printed.
pub(crate) struct DeferredLog {
    pmi: Arc<PackagePmi>,
    mode: AtomicBool,
    paused: AtomicBool,
    level: AtomicBool,
    /// Messages [`Message::Level`], printed or not.
    levels: AtomicU64,
}

impl DeferredLog {
    /// Creates the log of a package with no message pending.
    pub(crate) fn new(pmi: &Arc<PackagePmi>) -> Self {
        Self {
            pmi: pmi.clone(),
            mode: AtomicBool::new(false),
            paused: AtomicBool::new(false),
            level: AtomicBool::new(false),
            levels: AtomicU64::new(0),
        }
    }
}

impl Work<DeferredLog> {
    /// Queues a message. A message that is pending already is printed once.
    pub(crate) fn queue(&self, message: Message) {
        let pending = match message {
            Message::Mode => &self.mode,
            Message::Paused => &self.paused,
            Message::Level => &self.level,
        };
        pending.store(true, Ordering::Relaxed);
        self.schedule();
    }
}

impl Run for DeferredLog {
    fn run(&self) {
        let package = self.pmi.package;
        if self.mode.swap(false, Ordering::Relaxed) {
            pr_warn!(
                "package {package}: overflow mode changed: {}\n",
                self.pmi.mode()
            );
        }
        let times = self.pmi.nmi.stats.paused.get();
        // Prints the first, second, fourth, ... pause only, so that a storm of interrupts does not
        // flood the log.
        if self.paused.swap(false, Ordering::Relaxed) && times.is_power_of_two() {
            pr_warn!(
                "package {package}: overflow interrupts paused: they froze the counters for too \
                 long, or were too many ({times} times so far)\n"
            );
        }
        if self.level.swap(false, Ordering::Relaxed) {
            let before = self.levels.fetch_add(1, Ordering::Relaxed);
            let times = before.saturating_add(1);
            // A package that is often idle can lose the level many times a minute.
            if times.is_power_of_two() {
                pr_notice!(
                    "package {package}: a package sleep or another tool cleared the counter enable \
                     while events were counting; enabled it again ({times} times so far)\n"
                );
            }
        }
    }
}
