// SPDX-License-Identifier: GPL-2.0

//! A file for the textfile collector of node_exporter, which must see it as a whole at any time.

use std::ffi::OsString;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Everybody may read it.
const MODE: u32 = 0o644;

/// Writes the file anew, by a temporary one beside it.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    let temporary = temporary(path)?;
    // Left by another process with our number, which has ended.
    let _ = fs::remove_file(&temporary);
    let written = fill(&temporary, text).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn fill(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.set_permissions(Permissions::from_mode(MODE))?;
    file.write_all(text.as_bytes())
}

/// A name that the collector does not read: it does not end with `.prom`.
fn temporary(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}", std::process::id()));
    Ok(path.with_file_name(hidden))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_replaced_as_a_whole() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("uncore.prom");
        for text in ["first\n", "second\n"] {
            write(&path, text).expect("a file");
            assert_eq!(fs::read_to_string(&path).expect("a file"), text);
        }
        let mode = fs::metadata(&path).expect("a file").permissions().mode();
        assert_eq!(mode & 0o7777, MODE);
        let files = fs::read_dir(directory.path()).expect("a directory");
        assert_eq!(files.count(), 1, "no temporary file stays");
    }

    #[test]
    fn nothing_stays_of_a_failure() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("uncore.prom");
        fs::create_dir(&path).expect("a directory in the way");
        assert!(write(&path, "x").is_err());
        assert!(write(&directory.path().join("none/uncore.prom"), "x").is_err());
        assert!(write(Path::new("/"), "x").is_err());
        let files = fs::read_dir(directory.path()).expect("a directory");
        assert_eq!(files.count(), 1);
    }

    /// The collector reads all that ends with `.prom`.
    #[test]
    fn the_temporary_file_is_beside_it_and_not_read() {
        let temporary = temporary(Path::new("/var/lib/uncore.prom")).expect("a name");
        assert_eq!(temporary.parent(), Some(Path::new("/var/lib")));
        assert!(temporary.extension().is_some_and(|end| end != "prom"));
    }
}
