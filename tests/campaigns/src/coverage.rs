// SPDX-License-Identifier: GPL-2.0

//! Coverage of the module: source lines, functions and branches that ran.
//!
//! The machine records instructions (`recording`). [`Code`] is the code in the module's
//! file. The guest's kernel chooses the addresses of the module, so the module is located
//! by its content (`place`). The debug information maps instructions to lines and
//! functions (`lines`). [`Report`] is the result.

mod code;
mod lines;
mod place;
mod recording;
mod report;

pub use code::Code;
pub use report::Report;

use recording::What;
use std::collections::BTreeSet;
use std::path::Path;

/// Recorded instructions and jumps, by addresses of [`Code`].
#[derive(Debug, Default)]
pub struct Ran {
    /// Instructions that ran.
    instructions: BTreeSet<u64>,
    /// Conditional jumps that were taken at least once.
    jumped: BTreeSet<u64>,
    /// Conditional jumps that were not taken at least once.
    passed: BTreeSet<u64>,
}

impl Ran {
    /// Reads from all recordings in a directory the marks that belong to the module.
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

    /// Returns whether a conditional jump was taken, and whether it was not taken.
    fn ways(&self, address: u64) -> [bool; 2] {
        [&self.jumped, &self.passed].map(|set| set.contains(&address))
    }

    /// Adds the marks of one recording that belong to the module.
    fn add(&mut self, code: &Code, text: &str) -> Result<(), String> {
        let marks = recording::parse(text)?;
        let bases = place::find(code, &marks);
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
