// SPDX-License-Identifier: GPL-2.0

//! Result of a command, and its report as JSON.

use std::fmt::Write as _;

use crate::error::Error;
use crate::system::System;

/// Result of a command that could do its work.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Text for standard output.
    pub text: String,
    /// Words that the user looked for in a text that may be long.
    pub sought: Option<Vec<String>>,
    /// Lines for standard error.
    pub notes: Vec<String>,
    /// True if the command found something wrong.
    pub trouble: bool,
}

impl Outcome {
    /// Returns a success that prints this text.
    pub(crate) fn said(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// Returns a success that prints nothing but these notes.
    pub(crate) fn noted(notes: Vec<String>) -> Self {
        Self {
            notes,
            ..Self::default()
        }
    }

    /// Returns the same outcome as a finding if `trouble` is true.
    pub(crate) fn with_trouble(mut self, trouble: bool) -> Self {
        self.trouble = trouble;
        self
    }

    /// Adds a note for each file of the PMUs that has invalid contents.
    pub(crate) fn with_defects(mut self, system: &System) -> Self {
        let notes = system.defects().map(|defect| format!("left out: {defect}"));
        self.notes.extend(notes);
        self
    }
}

/// Returns a report as JSON, with a line end.
pub(crate) fn json(report: &impl serde::Serialize) -> Result<String, Error> {
    let mut text = serde_json::to_string_pretty(report)?;
    let _ = writeln!(text);
    Ok(text)
}
