// SPDX-License-Identifier: GPL-2.0

//! A PMU's sysfs files.

use super::perf::Pmu;
use kernel::prelude::*;
use std::sync::Arc;

/// One file.
struct File<T: Pmu> {
    group: Option<&'static CStr>,
    name: String,
    attribute: T::Attribute,
}

/// The files of PMUs of one kind.
pub(crate) struct Groups<T: Pmu>(Vec<File<T>>);

impl<T: Pmu> Groups<T> {
    /// Returns the attribute of a file, by the name of its group, if it has one, and its own.
    pub(crate) fn attribute(&self, group: Option<&CStr>, name: &str) -> Option<&T::Attribute> {
        let file = self
            .0
            .iter()
            .find(|file| file.group == group && file.name == name);
        file.map(|file| &file.attribute)
    }
}

/// Collects files, group by group.
pub(crate) struct Builder<T: Pmu> {
    files: Vec<File<T>>,
    group: Option<&'static CStr>,
}

impl<T: Pmu> Builder<T> {
    /// Makes a builder, and opens its first group.
    pub(crate) fn new(first: Option<&'static CStr>) -> Result<Self> {
        Ok(Self {
            files: Vec::new(),
            group: first,
        })
    }

    /// Opens a group.
    pub(crate) fn group(&mut self, name: Option<&'static CStr>) -> Result {
        self.group = name;
        Ok(())
    }

    /// Adds a file to the group opened last.
    pub(crate) fn file(
        &mut self,
        stem: &str,
        leaf: &str,
        end: &str,
        attribute: T::Attribute,
    ) -> Result {
        let dot = if leaf.is_empty() { "" } else { "." };
        self.files.push(File {
            group: self.group,
            name: [stem, dot, leaf, end].concat(),
            attribute,
        });
        Ok(())
    }

    /// Adds a file for each row of a table that is `wanted`.
    pub(crate) fn rows<'a, R>(
        &mut self,
        rows: &'a [R],
        wanted: impl Fn(&'a R) -> bool,
        mut file: impl FnMut(u16, &'a R) -> (&'a str, &'a str, T::Attribute),
    ) -> Result {
        for (index, row) in (0..u16::MAX).zip(rows).filter(|(_, row)| wanted(row)) {
            let (stem, leaf, attribute) = file(index, row);
            self.file(stem, leaf, "", attribute)?;
        }
        Ok(())
    }

    /// Completes the files.
    pub(crate) fn finish(self) -> Result<Arc<Groups<T>>> {
        Ok(Arc::new(Groups(self.files)))
    }
}
