// SPDX-License-Identifier: GPL-2.0

//! Directories for the files of running guests.
//!
//! A guest's directory goes with it, unless we are killed. So its name tells the
//! process it belongs to, and whoever comes next sweeps up after the dead.

use std::fs;
use std::io;
use std::path::Path;

use tempfile::{Builder, TempDir};

/// What the names begin with; a process ID and a dash follow.
const PREFIX: &str = "ivbep-guest-";

/// A new directory.
pub(crate) fn create() -> io::Result<TempDir> {
    let root = std::env::temp_dir();
    sweep(&root);
    let prefix = format!("{PREFIX}{}-", std::process::id());
    Builder::new().prefix(&prefix).tempdir_in(root)
}

/// Removes what dead processes left. What cannot be removed stays.
fn sweep(root: &Path) {
    let Ok(entries) = fs::read_dir(root) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name
            .to_str()
            .and_then(owner)
            .is_some_and(|id| !is_alive(id))
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// The process a directory belongs to.
fn owner(name: &str) -> Option<u32> {
    let (id, _) = name.strip_prefix(PREFIX)?.split_once('-')?;
    id.parse().ok()
}

fn is_alive(id: u32) -> bool {
    Path::new(&format!("/proc/{id}")).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_directories_of_the_dead_are_swept() {
        let root = tempfile::tempdir().expect("a directory");
        let dead = format!("{PREFIX}{}-x", u32::MAX);
        let ours = format!("{PREFIX}{}-x", std::process::id());
        for name in [
            &dead,
            &ours,
            &"ivbep-guest-x".to_owned(),
            &"other".to_owned(),
        ] {
            fs::create_dir(root.path().join(name)).expect("created");
            fs::write(root.path().join(name).join("file"), "").expect("written");
        }
        sweep(root.path());
        let left = fs::read_dir(root.path()).expect("readable").count();
        assert!(!root.path().join(dead).exists());
        assert_eq!(left, 3);
    }

    #[test]
    fn a_new_directory_tells_its_owner() {
        let directory = create().expect("created");
        let name = directory.path().file_name().and_then(|name| name.to_str());
        assert_eq!(name.and_then(owner), Some(std::process::id()));
    }
}
