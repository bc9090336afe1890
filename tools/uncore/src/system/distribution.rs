// SPDX-License-Identifier: GPL-2.0

//! The distribution, and the names of packages on it.

use super::value;
use crate::root::Root;

/// Commands by distribution. The file explains its form.
const PACKAGES: &str = include_str!("../../../dkms/packages.list");

/// Programs that install packages.
const INSTALLERS: [&str; 4] = ["apt-get ", "dnf ", "pacman ", "zypper "];

/// Distribution of a system.
#[derive(Debug)]
pub struct Distribution {
    /// Name for people, if it has one.
    pub name: Option<String>,
    /// Names in the list of packages, best first.
    keys: Vec<String>,
}

impl Distribution {
    /// Reads the distribution of a system that runs this kernel.
    pub fn read(root: &Root, release: &str) -> Self {
        let files = ["etc/os-release", "usr/lib/os-release"];
        let mut texts = files.iter().filter_map(|file| root.text(file).ok());
        let text = texts.next().unwrap_or_default();
        let get = |name| value(&text, name, '=').map(|value| value.trim_matches('"'));
        let id = get("ID").unwrap_or_default();
        let version = get("VERSION_ID").unwrap_or_default();
        let alike = get("ID_LIKE").unwrap_or_default().split_whitespace();
        // Proxmox VE calls itself Debian.
        let proxmox = release.ends_with("-pve").then(|| "proxmox".to_owned());
        let keys = proxmox.into_iter().chain([format!("{id}:{version}")]);
        let others = [id].into_iter().chain(alike).chain(["any"]);
        Self {
            name: get("PRETTY_NAME").map(str::to_owned),
            keys: keys.chain(others.map(str::to_owned)).collect(),
        }
    }

    /// Returns what to do to have `headers` or `compilers` for a kernel.
    pub fn to_install(&self, what: &str, release: &str) -> String {
        let lines = PACKAGES.lines().map(|line| line.splitn(3, ' '));
        let lines: Vec<Vec<&str>> = lines.map(Iterator::collect).collect();
        let line = |key: &String| {
            let is_it = |line: &&Vec<&str>| line.starts_with(&[key.as_str(), what]);
            lines.iter().find(is_it)?.get(2).copied()
        };
        let found = self.keys.iter().find_map(line).unwrap_or_default();
        quoted(&found.replace("KERNEL", release))
    }
}

/// Returns whether a remedy is a command that installs packages.
pub(super) fn is_command(remedy: &str) -> bool {
    INSTALLERS.iter().any(|name| remedy.starts_with(name))
}

/// Marks a command as such.
fn quoted(remedy: &str) -> String {
    if is_command(remedy) {
        format!("`{remedy}`")
    } else {
        remedy.to_owned()
    }
}
