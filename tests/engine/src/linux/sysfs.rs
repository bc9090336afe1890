// SPDX-License-Identifier: GPL-2.0

//! A PMU's sysfs files.

use kernel::{prelude::*, sync::Arc};

/// A PMU of a kind that has files.
pub(crate) trait Owner: 'static {
    /// Data of the driver for each file.
    type Attribute: Send + Sync + 'static;
}

/// One file.
struct File<T: Owner> {
    group: Option<&'static CStr>,
    name: String,
    attribute: T::Attribute,
}

/// The files of PMUs of one kind.
pub(crate) struct Groups<T: Owner>(Vec<File<T>>);

impl<T: Owner> Groups<T> {
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
pub(crate) struct Builder<T: Owner> {
    files: Vec<File<T>>,
    group: Option<&'static CStr>,
}

impl<T: Owner> Builder<T> {
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

    /// Completes the files.
    pub(crate) fn finish(self) -> Result<Arc<Groups<T>>> {
        Ok(Arc::new(Groups(self.files), GFP_KERNEL)?)
    }
}
