// SPDX-License-Identifier: GPL-2.0

//! All that a screen shows: the machine, the last minutes, and what the user chose.

use std::time::Duration;

use uncore_metrics::recording::Machine;
use uncore_metrics::Catalogue;

pub(crate) use super::history::History;
use crate::overview;

/// All that a screen shows.
#[derive(Debug)]
pub(crate) struct View {
    /// The machine that is counted, or that was.
    pub(crate) machine: Machine,
    /// The last minutes.
    pub(crate) history: History,
    /// Choices of the user.
    pub(crate) state: State,
    /// Notes on what this run could not do, such as count on a box that another program holds.
    pub(crate) notes: Vec<String>,
    /// Abilities of the terminal.
    pub(crate) look: Look,
    /// Types of the boxes that have a row each, with the parts that they are of.
    by_box: Vec<(String, String)>,
}

/// Choices of the user.
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
    /// The row that is closest to its peak first.
    Used,
    /// The row that moves most first.
    Amount,
}

/// Text that the user is typing, up to now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Prompt {
    /// A filter.
    Filter(String),
    /// A delay, with its unit.
    Delay(String),
}

/// Abilities of the terminal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Look {
    /// Colours. No screen needs them.
    pub(crate) has_colour: bool,
    /// Letters other than ASCII.
    pub(crate) has_unicode: bool,
}

impl View {
    /// Begins to show a machine of which nothing is counted yet.
    pub(crate) fn new(machine: Machine, look: Look) -> Self {
        let rows = Catalogue::overview(&machine.platform);
        let rows = rows.map_or(Vec::new(), |catalogue| catalogue.rows().to_vec());
        let mut by_box: Vec<(String, String)> = Vec::new();
        for row in rows {
            let (part, _) = overview::split(&row.metric).unwrap_or_default();
            let own = (row.box_type, part.to_owned());
            let is_by_box = overview::BY_BOX.iter().any(|(known, _)| *known == part);
            if is_by_box && !by_box.contains(&own) {
                by_box.push(own);
            }
        }
        Self {
            by_box,
            machine,
            history: History::default(),
            state: State::default(),
            notes: Vec::new(),
            look,
        }
    }

    /// Returns the part of which boxes such as `imc_1` or `imc_4-7` have a row each.
    pub(super) fn part_of(&self, boxes: &str) -> Option<&str> {
        let kind = overview::kind(boxes);
        let found = self.by_box.iter().find(|(known, _)| known == kind);
        found.map(|(_, part)| part.as_str())
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
}
