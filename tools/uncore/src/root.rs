// SPDX-License-Identifier: GPL-2.0

//! Reader of the files of the running system or of a recorded one.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Usual maximum length of a file in sysfs, which is then read at once.
const USUAL: usize = 4096;
/// Maximum length that is read of any file.
const LONGEST: u64 = 4 << 20;

/// A directory that stands for `/`.
#[derive(Debug, Clone)]
pub struct Root {
    directory: PathBuf,
}

impl Root {
    /// Opens the system below `directory`.
    pub fn new(directory: &Path) -> Result<Self, Error> {
        let root = Self {
            directory: directory.to_owned(),
        };
        match fs::read_dir(directory) {
            Ok(_) => Ok(root),
            Err(source) => Err(Error::Read {
                path: directory.to_owned(),
                source,
                remedy: Some("--root takes a directory that has sys and proc in it"),
            }),
        }
    }

    /// Returns whether this is the running system.
    pub fn is_live(&self) -> bool {
        self.directory == Path::new("/")
    }

    /// Returns the path of a file.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.directory.join(relative)
    }

    /// Returns the text of a file, without the white space at its end.
    ///
    /// Bytes that are not UTF-8 are replaced.
    pub fn text(&self, relative: &str) -> Result<String, Error> {
        let mut bytes = Vec::with_capacity(USUAL);
        let file = File::open(self.path(relative));
        let read = file.and_then(|file| file.take(LONGEST).read_to_end(&mut bytes));
        read.map_err(|source| self.unreadable(relative, source))?;
        Ok(String::from_utf8_lossy(&bytes).trim_end().to_owned())
    }

    /// Returns the text of a file, or `None` if there is no such file.
    pub fn optional(&self, relative: &str) -> Result<Option<String>, Error> {
        match self.text(relative) {
            Ok(text) => Ok(Some(text)),
            Err(Error::Read { source, .. }) if is_absence(&source) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns whether a file or directory exists.
    pub fn has(&self, relative: &str) -> bool {
        self.path(relative).exists()
    }

    /// Returns the sorted names in a directory; none if there is no such directory.
    pub fn names(&self, relative: &str) -> Result<Vec<String>, Error> {
        let entries = match fs::read_dir(self.path(relative)) {
            Err(source) if is_absence(&source) => return Ok(Vec::new()),
            entries => entries.map_err(|source| self.unreadable(relative, source))?,
        };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<String> = names.collect();
        names.sort_unstable();
        Ok(names)
    }

    fn unreadable(&self, relative: &str, source: io::Error) -> Error {
        let remedy = match source.kind() {
            io::ErrorKind::PermissionDenied => Some("try as root"),
            io::ErrorKind::NotFound if relative.starts_with("sys/kernel/debug") => {
                Some("load the module, and mount debugfs: mount -t debugfs none /sys/kernel/debug")
            }
            _ => None,
        };
        Error::Read {
            path: self.path(relative),
            source,
            remedy,
        }
    }

    /// Returns the last part of a symbolic link's target.
    pub fn link_name(&self, relative: &str) -> Option<String> {
        let target = self.link(relative)?;
        Some(target.file_name()?.to_str()?.to_owned())
    }

    /// Returns the target of a symbolic link.
    pub fn link(&self, relative: &str) -> Option<PathBuf> {
        fs::read_link(self.path(relative)).ok()
    }
}

fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}
