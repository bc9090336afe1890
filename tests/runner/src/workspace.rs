// SPDX-License-Identifier: GPL-2.0

//! Directories for the files of running guests.
//!
//! A guest's directory is removed with the guest, unless this process is killed. So the
//! directory's name has the process ID, and the next process removes the directories of
//! dead ones.

use std::fs;
use std::io;
use std::path::Path;

use tempfile::{Builder, TempDir};

/// Prefix of the names; a process ID and a dash follow.
const PREFIX: &str = "uncore-guest-";

/// Creates a new directory.
pub(crate) fn create() -> io::Result<TempDir> {
    let root = std::env::temp_dir();
    sweep(&root);
    let prefix = format!("{PREFIX}{}-", std::process::id());
    Builder::new().prefix(&prefix).tempdir_in(root)
}

/// Removes the directories of dead processes. A directory that cannot be removed stays.
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

/// Returns the ID of the process that a directory belongs to.
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
            &"uncore-guest-x".to_owned(),
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
