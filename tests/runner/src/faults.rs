// SPDX-License-Identifier: GPL-2.0

//! Complaints: of the kernel in its log, of the model in its list of violations.

use std::fmt;

/// Complaints of the kernel and the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Lines of the kernel's log that mean something went wrong.
    pub log: Vec<String>,
    /// Rules of the hardware that the guest broke.
    pub violations: Vec<String>,
}

impl Faults {
    /// Returns true if there are no complaints.
    pub fn is_empty(&self) -> bool {
        self.log.is_empty() && self.violations.is_empty()
    }

    /// Adds later complaints.
    pub fn extend(&mut self, more: Self) {
        self.log.extend(more.log);
        self.violations.extend(more.violations);
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut list = |title: &str, lines: &[String]| match lines {
            [] => Ok(()),
            lines => write!(f, "{title}:\n  {}\n", lines.join("\n  ")),
        };
        list("the kernel complained", &self.log)?;
        list(
            "rules of the hardware were broken",
            &counted(&self.violations),
        )
    }
}

/// Returns each line once, in order, with the number of its occurrences.
fn counted(lines: &[String]) -> Vec<String> {
    let mut counts: Vec<(&String, u32)> = Vec::new();
    for line in lines {
        match counts.iter_mut().find(|(known, _)| *known == line) {
            Some((_, count)) => *count += 1,
            None => counts.push((line, 1)),
        }
    }
    let show = |(line, count): (&String, u32)| match count {
        1 => line.clone(),
        _ => format!("{line} ({count} times)"),
    };
    counts.into_iter().map(show).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_shown_under_their_titles() {
        let faults = Faults {
            log: vec!["BUG: x".to_owned()],
            violations: ["bit 23", "bit 16", "bit 23"].map(str::to_owned).to_vec(),
        };
        assert_eq!(
            faults.to_string(),
            "the kernel complained:\n  BUG: x\n\
             rules of the hardware were broken:\n  bit 23 (2 times)\n  bit 16\n"
        );
        assert_eq!(Faults::default().to_string(), "");
    }
}
