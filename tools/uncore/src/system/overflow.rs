// SPDX-License-Identifier: GPL-2.0

//! Overflow detection: the file `overflow` in debugfs, and `caps/overflow` of a PMU.

use std::collections::BTreeMap;

/// Reasons to poll for which a machine has no fault.
const NO_FAULT: [&str; 3] = [
    "the box has no overflow interrupt",
    "chosen with overflow=poll",
    "no running event needs interrupts",
];

/// Returns whether a mode is polling because interrupts do not work.
pub(crate) fn lacks_interrupts(mode: &str) -> bool {
    mode.contains("poll: ") && !NO_FAULT.iter().any(|reason| mode.contains(reason))
}

/// Returns the number of events of each package whose registers were found changed.
pub(crate) fn tampered(packages: &[Overflow]) -> BTreeMap<u32, u64> {
    let tally = |one: &Overflow| Some((one.package.parse().ok()?, one.tally("tampered")));
    packages.iter().filter_map(tally).collect()
}

/// Overflow detection of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overflow {
    /// Number of the package.
    pub package: String,
    /// `pmi: …` or `poll: …`.
    pub mode: String,
    /// Statistics, by name.
    pub tallies: Vec<(String, u64)>,
}

impl Overflow {
    pub(crate) fn parse(text: &str) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for line in text.lines() {
            if let Some(head) = line.strip_prefix("package ") {
                let (package, mode) = head.split_once(": ").unwrap_or((head, ""));
                all.push(Self {
                    package: package.to_owned(),
                    mode: mode.to_owned(),
                    tallies: Vec::new(),
                });
            } else if let (Some(package), Some((name, value))) =
                (all.last_mut(), line.trim().split_once(' '))
            {
                let tally = value.trim().parse().map(|value| (name.to_owned(), value));
                package.tallies.extend(tally);
            }
        }
        all
    }

    /// Returns whether interrupts stand still for a while, as they froze the counters for too long.
    pub fn is_paused(&self) -> bool {
        self.mode.contains("go on soon")
    }

    /// One of the tallies; 0 if the module does not keep it.
    pub fn tally(&self, name: &str) -> u64 {
        let found = self.tallies.iter().find(|(known, _)| known == name);
        found.map_or(0, |(_, value)| *value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_packages() {
        let text = "  stray 1\npackage 0: pmi: bit 0\n  taken 25\n  late x\npackage 1\n  polls 2\n";
        let all = Overflow::parse(text);
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].mode, "pmi: bit 0");
        assert_eq!((all[0].tally("taken"), all[0].tally("late")), (25, 0));
        assert_eq!((all[1].mode.as_str(), all[1].tally("polls")), ("", 2));
    }
}
