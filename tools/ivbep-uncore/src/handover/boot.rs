// SPDX-License-Identifier: GPL-2.0

//! The file that says which driver is loaded at the next boot.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::PathBuf;

use crate::error::Error;
use crate::root::Root;

/// Where it is.
pub const FILE: &str = "etc/modprobe.d/ivbep-uncore.conf";

/// Until it is complete; modprobe heeds names that end in .conf only.
const UNFINISHED: &str = "etc/modprobe.d/ivbep-uncore.conf.new";

/// What is in it.
///
/// An alias of the processor would keep all other modules away that udev loads
/// for the processor, such as `coretemp` and `kvm_intel`: `modprobe` does not
/// look further than its configuration if that has an alias. No other module
/// wants the UBox.
const TEXT: &str = "\
# Written by \"ivbep-uncore enable\", removed by \"ivbep-uncore disable\".
#
# ivbep_uncore has the uncore counters in place of intel_uncore, and is loaded
# for the UBox of Xeon E5 v2 and E7 v2, PCI device 8086:0e1e.
blacklist intel_uncore
alias pci:v00008086d00000E1Esv*sd*bc*sc*i* ivbep_uncore
";

/// Whether the file is there, and as it should be.
pub(super) fn is_written(root: &Root) -> bool {
    let text = root.optional(FILE).ok().flatten();
    text.is_some_and(|text| text == TEXT.trim_end())
}

/// Whether there is one, of whatever text.
pub(super) fn is_there(root: &Root) -> bool {
    root.has(FILE)
}

/// The file, complete but not in its place; it goes if it is not put there.
#[derive(Debug)]
pub(super) struct Draft {
    unfinished: PathBuf,
    file: PathBuf,
}

impl Draft {
    /// Writes it.
    pub(super) fn new(root: &Root) -> Result<Self, Error> {
        let draft = Self {
            unfinished: root.path(UNFINISHED),
            file: root.path(FILE),
        };
        match draft.write() {
            Ok(()) => Ok(draft),
            Err(source) => Err(Error::Write {
                path: draft.file.clone(),
                source,
            }),
        }
    }

    fn write(&self) -> io::Result<()> {
        if let Some(directory) = self.file.parent() {
            fs::create_dir_all(directory)?;
        }
        let mut file = File::create(&self.unfinished)?;
        file.write_all(TEXT.as_bytes())?;
        file.sync_all()
    }

    /// Puts it in its place.
    pub(super) fn publish(self) -> Result<(), Error> {
        fs::rename(&self.unfinished, &self.file).map_err(|source| Error::Write {
            path: self.file.clone(),
            source,
        })
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Once it is in its place, it is not here any more.
        let _ = fs::remove_file(&self.unfinished);
    }
}

/// Removes the file, if it is there.
pub(super) fn remove(root: &Root) -> Result<(), Error> {
    let path = root.path(FILE);
    match fs::remove_file(&path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(Error::Write { path, source })
        }
        _ => Ok(()),
    }
}
