// SPDX-License-Identifier: GPL-2.0

//! The access log: one line per access of the guest, while it is on.
//!
//! `rdmsr PKG MSR VALUE`, `wrmsr PKG MSR VALUE`, `cfgr BUS:DEV.FN OFFSET SIZE
//! VALUE`, `cfgw BUS:DEV.FN OFFSET SIZE VALUE`, with `#GP` for the value or behind
//! it if the access faulted; `power lost`. Limit: the newest [`CAPACITY`] lines are kept.

use std::collections::VecDeque;
use std::fmt::Write as _;

/// Lines kept until taken.
const CAPACITY: usize = 1 << 16;

#[derive(Debug, Default)]
pub(crate) struct AccessLog {
    pub(crate) on: bool,
    lines: VecDeque<String>,
    lost: u64,
}

impl AccessLog {
    /// Adds a line; it is made only if the log is on.
    pub(crate) fn add(&mut self, line: impl FnOnce() -> String) {
        if !self.on {
            return;
        }
        if self.lines.len() == CAPACITY {
            self.lines.pop_front();
            self.lost += 1;
        }
        self.lines.push_back(line());
    }

    /// Returns all lines since the last call.
    pub(crate) fn take(&mut self) -> String {
        let mut text = String::new();
        if self.lost > 0 {
            let _infallible = writeln!(text, "({} older lines lost)", self.lost);
        }
        self.lost = 0;
        let lines: Vec<String> = self.lines.drain(..).collect();
        text.push_str(&lines.join("\n"));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn off_costs_nothing_and_full_forgets_the_oldest() {
        let mut log = AccessLog::default();
        log.add(|| unreachable!("the log is off"));
        log.on = true;
        for i in 0..CAPACITY + 2 {
            log.add(|| format!("line {i}"));
        }
        let text = log.take();
        assert!(text.starts_with("(2 older lines lost)\nline 2\n"));
        assert_eq!(log.take(), "");
    }
}
