// SPDX-License-Identifier: GPL-2.0

//! Says what has become of a package's interrupts, which interrupts cannot do themselves: printing
//! may need locks that they have interrupted.

use super::line::Line;
use crate::linux::work::{
    Run,
    Work, //
};
use core::sync::atomic::{
    AtomicBool,
    Ordering, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// Something to say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum News {
    /// Overflows are noticed in another way now.
    Mode,
    /// There were too many interrupts.
    Storm,
}

/// What is to be said.
pub(in super::super) struct Herald {
    line: Arc<Line>,
    mode: AtomicBool,
    storm: AtomicBool,
}

impl Herald {
    /// Of a package, nothing.
    pub(super) fn new(line: &Arc<Line>) -> Self {
        Self {
            line: line.clone(),
            mode: AtomicBool::new(false),
            storm: AtomicBool::new(false),
        }
    }
}

impl Work<Herald> {
    /// Has something said, soon.
    pub(super) fn announce(&self, news: News) {
        let flag = match news {
            News::Mode => &self.mode,
            News::Storm => &self.storm,
        };
        flag.store(true, Ordering::Relaxed);
        self.schedule();
    }
}

impl Run for Herald {
    fn run(&self) {
        let package = self.line.package;
        if self.mode.swap(false, Ordering::Relaxed) {
            pr_warn!(
                "package {package}: overflows are now noticed by {}\n",
                self.line.mode()
            );
        }
        let storms = self.line.stats.throttled.get();
        // The first, the second, the fourth, ...: a storm of interrupts is not to become one of
        // messages.
        if self.storm.swap(false, Ordering::Relaxed) && storms.is_power_of_two() {
            pr_warn!(
                "package {package}: too many overflow interrupts, its counters have a rest \
                 ({storms} times so far)\n"
            );
        }
    }
}
