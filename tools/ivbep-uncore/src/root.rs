// SPDX-License-Identifier: GPL-2.0

//! Files of the running system, or of a recorded one: the only reader of both.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::error::Error;

/// A file of sysfs is not longer: it is read at once, and not in ever larger pieces.
const USUAL: usize = 4096;
/// No file of sysfs, debugfs or proc that matters is longer.
const LONGEST: u64 = 4 << 20;

/// A directory that stands for `/`.
#[derive(Debug, Clone)]
pub struct Root {
    directory: PathBuf,
}

impl Root {
    /// The one at `directory`.
    ///
    /// # Errors
    ///
    /// If there is no such directory.
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

    /// Whether it is the running system.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.directory == Path::new("/")
    }

    /// Where a file is.
    #[must_use]
    pub fn path(&self, relative: &str) -> PathBuf {
        self.directory.join(relative)
    }

    /// What is in a file, without the white space at its end.
    ///
    /// What is no UTF-8 is replaced.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn text(&self, relative: &str) -> Result<String, Error> {
        let path = self.path(relative);
        let mut bytes = Vec::with_capacity(USUAL);
        let read = File::open(&path).and_then(|file| file.take(LONGEST).read_to_end(&mut bytes));
        match read {
            Ok(_) => Ok(String::from_utf8_lossy(&bytes).trim_end().to_owned()),
            Err(source) => {
                let remedy = remedy(relative, &source);
                Err(Error::Read {
                    path,
                    source,
                    remedy,
                })
            }
        }
    }

    /// The same, or nothing if there is no such file.
    ///
    /// # Errors
    ///
    /// If it is there and cannot be read.
    pub fn optional(&self, relative: &str) -> Result<Option<String>, Error> {
        match self.text(relative) {
            Ok(text) => Ok(Some(text)),
            Err(Error::Read { source, .. }) if is_absence(&source) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether there is a file or directory.
    #[must_use]
    pub fn has(&self, relative: &str) -> bool {
        self.path(relative).exists()
    }

    /// The names in a directory, sorted; none if there is no such directory.
    ///
    /// # Errors
    ///
    /// If it is there and cannot be read.
    pub fn names(&self, relative: &str) -> Result<Vec<String>, Error> {
        let path = self.path(relative);
        let entries = match fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(source) if is_absence(&source) => return Ok(Vec::new()),
            Err(source) => {
                let remedy = remedy(relative, &source);
                return Err(Error::Read {
                    path,
                    source,
                    remedy,
                });
            }
        };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<String> = names.collect();
        names.sort_unstable();
        Ok(names)
    }

    /// The last part of what a symbolic link points to.
    #[must_use]
    pub fn link_name(&self, relative: &str) -> Option<String> {
        let target = self.link(relative)?;
        Some(target.file_name()?.to_str()?.to_owned())
    }

    /// What a symbolic link points to.
    #[must_use]
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

fn remedy(relative: &str, error: &io::Error) -> Option<&'static str> {
    match error.kind() {
        io::ErrorKind::PermissionDenied => Some("try as root"),
        io::ErrorKind::NotFound if relative.starts_with("sys/kernel/debug") => {
            Some("load the module, and mount debugfs: mount -t debugfs none /sys/kernel/debug")
        }
        _ => None,
    }
}
