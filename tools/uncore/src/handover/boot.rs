// SPDX-License-Identifier: GPL-2.0

//! The file of modprobe that decides which driver the next boot loads.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::PathBuf;

use crate::error::Error;
use crate::platform::{Platform, PLATFORMS};
use crate::root::Root;
use crate::system::MODULE;

/// Path of the file.
pub const FILE: &str = "etc/modprobe.d/uncore-rs.conf";

/// Path of the file while it is written; modprobe reads names that end in .conf
/// only. The packages leave the file under this name until they are configured.
const UNFINISHED: &str = "etc/modprobe.d/uncore-rs.conf.new";

/// Path of the file before version 0.2.0.
pub const FORMER_FILE: &str = "etc/modprobe.d/ivbep-uncore.conf";

/// Head of the file.
const HEAD: &str = "\
# Written by \"uncore enable\", removed by \"uncore disable\".
#
# uncore_rs has the uncore counters in place of intel_uncore, and is loaded
# for the UBox, a PCI device, of these processors:
";

/// Line that keeps intel_uncore from being loaded.
const BLACKLIST: &str = "blacklist intel_uncore";

/// Returns the contents of the file.
fn text() -> String {
    let mut text = String::from(HEAD);
    for platform in &PLATFORMS {
        let _ = writeln!(
            text,
            "# 8086:{:04x}  {}",
            platform.ubox,
            platform.processors()
        );
    }
    let _ = writeln!(text, "{BLACKLIST}");
    for platform in &PLATFORMS {
        let _ = writeln!(text, "{}", alias(platform));
    }
    text
}

/// Returns the line that has the module loaded for the UBox of a platform.
///
/// An alias of the processor would prevent all other modules that udev loads for
/// the processor, such as `coretemp` and `kvm_intel`: once `modprobe` finds an
/// alias in its configuration, it looks no further. No other module needs the
/// UBox.
fn alias(platform: &Platform) -> String {
    format!(
        "alias pci:v00008086d{:08X}sv*sd*bc*sc*i* {MODULE}",
        platform.ubox
    )
}

/// Returns whether the next boot of a machine loads the module, as `enable` wants it. The
/// user may have added lines to the file, and an older version may have written it, with
/// fewer platforms.
pub(super) fn is_written(root: &Root, machine: Option<&Platform>) -> bool {
    let text = root.optional(FILE).ok().flatten().unwrap_or_default();
    let has = |setting: &str| text.lines().any(|line| line == setting);
    !root.has(FORMER_FILE) && has(BLACKLIST) && machine.is_none_or(|ours| has(&alias(ours)))
}

/// Returns whether there is any file to remove.
pub(super) fn is_there(root: &Root) -> bool {
    [FILE, UNFINISHED, FORMER_FILE]
        .iter()
        .any(|file| root.has(file))
}

/// The complete file under its unfinished name. Dropping it removes the file,
/// unless it was published.
#[derive(Debug)]
pub(super) struct StagedFile {
    unfinished: PathBuf,
    file: PathBuf,
}

impl StagedFile {
    /// Writes the file.
    pub(super) fn new(root: &Root) -> Result<Self, Error> {
        let staged = Self {
            unfinished: root.path(UNFINISHED),
            file: root.path(FILE),
        };
        match staged.write() {
            Ok(()) => Ok(staged),
            Err(source) => Err(Error::Write {
                path: staged.file.clone(),
                source,
            }),
        }
    }

    fn write(&self) -> io::Result<()> {
        if let Some(directory) = self.file.parent() {
            fs::create_dir_all(directory)?;
        }
        let mut file = File::create(&self.unfinished)?;
        file.write_all(text().as_bytes())?;
        file.sync_all()
    }

    /// Renames the file to its final name.
    pub(super) fn publish(self) -> Result<(), Error> {
        fs::rename(&self.unfinished, &self.file).map_err(|source| Error::Write {
            path: self.file.clone(),
            source,
        })
    }
}

impl Drop for StagedFile {
    fn drop(&mut self) {
        // Fails after `publish`, when there is nothing to remove.
        let _ = fs::remove_file(&self.unfinished);
    }
}

/// Removes the file under all its names.
pub(super) fn remove(root: &Root) -> Result<(), Error> {
    remove_file(root, FILE)?;
    remove_file(root, UNFINISHED)?;
    remove_former(root)
}

/// Removes the file of versions before 0.2.0.
pub(super) fn remove_former(root: &Root) -> Result<(), Error> {
    remove_file(root, FORMER_FILE)
}

fn remove_file(root: &Root, file: &str) -> Result<(), Error> {
    let path = root.path(file);
    match fs::remove_file(&path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(Error::Write { path, source })
        }
        _ => Ok(()),
    }
}
