// SPDX-License-Identifier: GPL-2.0

//! All that a screen shows: the machine, the last minutes, and what the user chose.

use std::collections::VecDeque;
use std::time::Duration;

use uncore_metrics::Interval;

/// All that a screen shows.
#[derive(Debug)]
pub(crate) struct View {
    /// The machine that is counted, or that was.
    pub(crate) machine: Machine,
    /// The last minutes.
    pub(crate) history: History,
    /// What the user chose.
    pub(crate) state: State,
    /// What this run could not do, such as count on a box that another program holds.
    pub(crate) notes: Vec<String>,
    /// What the terminal can show.
    pub(crate) look: Look,
}

/// A machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Machine {
    /// Name of the platform, as in the names of its PMUs.
    pub(crate) platform: String,
    /// Packages.
    pub(crate) packages: Vec<Package>,
    /// What is not counted, and anything else the user must know.
    pub(crate) notes: Vec<String>,
}

/// A package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Package {
    /// The kernel's number.
    pub(crate) number: u32,
    /// Names of its boxes.
    pub(crate) boxes: Vec<String>,
    /// Boxes that it lacks.
    pub(crate) missing: Vec<Missing>,
}

/// Boxes that are not there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Missing {
    /// `cbox_3-14`.
    pub(crate) boxes: String,
    /// Reason.
    pub(crate) reason: String,
}

/// The intervals of the last minutes.
#[derive(Debug, Default)]
pub(crate) struct History {
    intervals: VecDeque<Interval>,
}

/// What the user chose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct State {
    /// Order of the rows.
    pub(crate) order: Order,
    /// Words that a row must have; all rows are shown without any.
    pub(crate) filter: String,
    /// Text that the user is typing.
    pub(crate) prompt: Option<Prompt>,
    /// True if the screen stands still. The caller goes on counting and adds no interval.
    pub(crate) paused: bool,
    /// True if the help is shown.
    pub(crate) help: bool,
    /// Rows that are scrolled away above. More than there are shows the last ones.
    pub(crate) scroll: usize,
    /// Time between two intervals.
    pub(crate) delay: Duration,
    /// Name of the recording that is shown again, and the place in it; `None` if counted live.
    pub(crate) replay: Option<String>,
}

/// Order of the rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Order {
    /// As the machine is built: socket by socket.
    #[default]
    Machine,
    /// The row that is closest to its roof first.
    Used,
    /// The row that moves most first.
    Amount,
}

/// Text that the user is typing, up to now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Prompt {
    /// A filter.
    Filter(String),
    /// A delay, in seconds.
    Delay(String),
}

/// What the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    /// Colours. No screen needs them.
    pub(crate) has_colour: bool,
    /// Letters other than ASCII.
    pub(crate) has_unicode: bool,
}

impl View {
    /// Begins to show a machine of which nothing is counted yet.
    pub(crate) fn new(machine: Machine, look: Look) -> Self {
        Self {
            machine,
            history: History::default(),
            state: State::default(),
            notes: Vec::new(),
            look,
        }
    }
}

impl History {
    /// Seconds that are kept.
    pub(crate) const SECONDS: f64 = 300.0;

    /// Adds an interval and drops those that are too old.
    pub(crate) fn push(&mut self, interval: Interval) {
        let oldest = interval.end - Self::SECONDS;
        while self.intervals.front().is_some_and(|one| one.end <= oldest) {
            self.intervals.pop_front();
        }
        self.intervals.push_back(interval);
    }

    /// Forgets all, and with it the lowest and highest values.
    pub(crate) fn clear(&mut self) {
        self.intervals.clear();
    }

    /// The last interval.
    pub(crate) fn last(&self) -> Option<&Interval> {
        self.intervals.back()
    }
}

impl Order {
    /// Returns the order after this one.
    pub(crate) const fn next(self) -> Self {
        match self {
            Self::Machine => Self::Used,
            Self::Used => Self::Amount,
            Self::Amount => Self::Machine,
        }
    }
}

impl Look {
    /// Finds out what the terminal can show, from the variables of the environment: no colour
    /// if NO_COLOR is set, ASCII unless the locale is in UTF-8.
    pub(crate) fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let value = |name| variable(name).filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(value);
        let locale = locale.unwrap_or_default().to_ascii_lowercase();
        Self {
            has_colour: value("NO_COLOR").is_none()
                && value("TERM").is_none_or(|terminal| terminal != "dumb"),
            has_unicode: locale.contains("utf-8") || locale.contains("utf8"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(variables: &[(&str, &str)]) -> Look {
        Look::of(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_locale_and_no_color_are_heeded() {
        let is_unicode = |variables: &[_]| look(variables).has_unicode;
        assert!(!is_unicode(&[]));
        assert!(is_unicode(&[("LANG", "de_DE.UTF-8")]));
        assert!(is_unicode(&[("LANG", "C"), ("LC_CTYPE", "C.utf8")]));
        assert!(!is_unicode(&[("LANG", "C.UTF-8"), ("LC_ALL", "C")]));
        assert!(is_unicode(&[("LANG", "C.UTF-8"), ("LC_ALL", "")]));
        assert!(look(&[]).has_colour);
        assert!(look(&[("NO_COLOR", "")]).has_colour);
        assert!(!look(&[("NO_COLOR", "1")]).has_colour);
        assert!(!look(&[("TERM", "dumb")]).has_colour);
    }

    #[test]
    fn what_is_too_old_is_dropped() {
        let mut history = History::default();
        for end in [1.0, 2.0, 301.5] {
            history.push(Interval {
                end,
                seconds: 1.0,
                outcomes: Vec::new(),
            });
        }
        assert_eq!(history.intervals.len(), 2);
        assert_eq!(history.last().map(|one| one.end), Some(301.5));
        history.clear();
        assert!(history.last().is_none());
    }
}
