// SPDX-License-Identifier: GPL-2.0

//! Which of the module's source lines ran, and which ways of its branches.
//!
//! The machine records instructions (`recording`). [`Code`] is the module's file, which
//! says where they belong: the guest's kernel puts the module wherever it likes, so it is
//! found by content (`place`). Its debug information says of which lines they are
//! (`lines`), the sources of which functions (`source`). Conditional jumps lead from line to
//! line (`ways`). [`Report`] is what comes of it,
//! [`page()`] how it is told, with the gaps that can be explained (`known`).

mod code;
mod known;
mod lines;
mod page;
mod place;
mod recording;
mod report;
mod source;
mod ways;

pub use code::Code;
pub use page::page;
pub use report::Report;

use recording::What;
use std::collections::BTreeSet;
use std::path::Path;

/// What ran, by addresses of [`Code`].
#[derive(Debug, Default)]
pub struct Ran {
    /// Instructions.
    instructions: BTreeSet<u64>,
    /// Conditional jumps that jumped.
    jumped: BTreeSet<u64>,
    /// Conditional jumps that did not.
    passed: BTreeSet<u64>,
    /// Guests that ran the module.
    guests: usize,
}

impl Ran {
    /// What all recordings in a directory have of the module.
    ///
    /// # Errors
    ///
    /// One cannot be read, or is none.
    pub fn read(directory: &Path, code: &Code) -> Result<Self, String> {
        let mut ran = Self::default();
        let wrong =
            |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let entries = std::fs::read_dir(directory).map_err(|error| wrong(directory, &error))?;
        for entry in entries {
            let path = entry.map_err(|error| wrong(directory, &error))?.path();
            let text = std::fs::read_to_string(&path).map_err(|error| wrong(&path, &error))?;
            ran.add(code, &text).map_err(|error| wrong(&path, &error))?;
        }
        Ok(ran)
    }

    /// Whether a conditional jump jumped, and whether it did not.
    fn ways(&self, address: u64) -> [bool; 2] {
        [&self.jumped, &self.passed].map(|set| set.contains(&address))
    }

    /// What one recording has of it.
    fn add(&mut self, code: &Code, text: &str) -> Result<(), String> {
        let marks = recording::parse(text)?;
        let bases = place::find(code, &marks);
        self.guests += usize::from(!bases.is_empty());
        for mark in &marks {
            let here = bases.iter().filter_map(|base| base.locate(code, mark));
            let set = match mark.what {
                What::Ran => &mut self.instructions,
                What::Jumped => &mut self.jumped,
                What::Passed => &mut self.passed,
            };
            set.extend(here);
        }
        Ok(())
    }
}
