// SPDX-License-Identifier: GPL-2.0

//! Installed kernels, and the module that each of them can load.

use std::path::PathBuf;

use super::distribution::{self, Distribution};
use super::MODULE;
use crate::error::Error;
use crate::root::Root;

/// Oldest kernel that the module builds for.
pub const OLDEST: (u32, u32) = (5, 10);

/// Kernels that the module is tested with.
pub const TESTED: [(u32, u32); 4] = [(6, 1), (6, 12), (7, 2), (7, 3)];

/// DKMS's directory of the module.
const DKMS: &str = "var/lib/dkms/uncore-rs";

/// A kernel in `/lib/modules`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// Release, as of `uname -r`.
    pub release: String,
    /// Path of the module, or the reason why it is missing.
    pub module: Result<PathBuf, Absence>,
}

/// Reason why a kernel has no module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absence {
    /// Reason.
    pub reason: String,
    /// Remedy; `None` if this kernel can never have the module.
    pub remedy: Option<String>,
}

impl Kernel {
    /// Reads all installed kernels.
    pub fn all(root: &Root) -> Result<Vec<Self>, Error> {
        let names = root.names("lib/modules")?.into_iter();
        let is_kernel = |release: &String| {
            ["kernel", "modules.builtin"]
                .iter()
                .any(|part| root.has(&format!("lib/modules/{release}/{part}")))
        };
        let kernels = names.filter(is_kernel);
        Ok(kernels.map(|release| Self::read(root, release)).collect())
    }

    /// Reads the kernel of a release, which need not be installed.
    pub fn read(root: &Root, release: String) -> Self {
        let module = module_file(root, &release, MODULE).ok_or_else(|| Absence::of(root, &release));
        Self { release, module }
    }
}

impl Absence {
    fn of(root: &Root, release: &str) -> Self {
        if version(release).is_some_and(|version| version < OLDEST) {
            let (major, minor) = OLDEST;
            return Self::for_good(format!("it is older than {major}.{minor}"));
        }
        if let Some(noted) = skipped(root, release) {
            return noted;
        }
        let distribution = Distribution::read(root, release);
        let (has_headers, is_in_dkms) =
            (build_directory(root, release).is_some(), is_in_dkms(root));
        let headers = (!has_headers).then(|| distribution.to_install("headers", release));
        let build = if is_in_dkms {
            vec![format!("`dkms autoinstall -k {release}`")]
        } else {
            let compilers = distribution.to_install("compilers", release);
            vec![
                compilers,
                "`make dkms-install` in the module's source".to_owned(),
            ]
        };
        let reason = match (has_headers, is_in_dkms) {
            (false, _) => "its headers are not installed",
            (true, true) => "DKMS has not built it",
            (true, false) => "the module is not installed for this kernel",
        };
        let steps: Vec<String> = headers.into_iter().chain(build).collect();
        Self::mendable(reason, steps.join(", then "))
    }

    fn for_good(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            remedy: None,
        }
    }

    fn mendable(reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            remedy: Some(remedy.into()),
            ..Self::for_good(reason)
        }
    }

    /// Parses the line `KERNEL: REASON > REMEDY` of the scripts that DKMS runs.
    fn parse(line: &str, release: &str) -> Option<Self> {
        let rest = line.strip_prefix(release)?.strip_prefix(": ")?;
        Some(match rest.split_once(" > ") {
            Some((what, remedy)) => Self::mendable(what, whole_remedy(remedy, release)),
            None => Self::for_good(rest),
        })
    }
}

/// Completes a remedy, which is a command or a sentence: after a command that installs
/// a package, DKMS must build again.
fn whole_remedy(remedy: &str, release: &str) -> String {
    if distribution::is_command(remedy) && !remedy.contains("dkms autoinstall") {
        format!("`{remedy}`, then `dkms autoinstall -k {release}`")
    } else {
        remedy.to_owned()
    }
}

/// Returns the path at which `modprobe` finds a module, from the list of depmod.
pub fn module_file(root: &Root, release: &str, module: &str) -> Option<PathBuf> {
    let directory = format!("lib/modules/{release}");
    let list = root.text(&format!("{directory}/modules.dep")).ok()?;
    let mut files = list
        .lines()
        .filter_map(|line| Some(line.split_once(':')?.0));
    let file = files.find(|file| is_file_of(file, module))?;
    Some(PathBuf::from("/").join(directory).join(file))
}

/// Returns whether a kernel contains a module.
pub fn module_is_built_in(root: &Root, release: &str, module: &str) -> bool {
    let list = root.text(&format!("lib/modules/{release}/modules.builtin"));
    let list = list.unwrap_or_default();
    list.lines().any(|file| is_file_of(file, module))
}

/// Returns whether a file is that of a module, compressed or not.
pub(super) fn is_file_of(file: &str, module: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let Some((name, packing)) = name.split_once(".ko") else {
        return false;
    };
    ["", ".gz", ".xz", ".zst"].contains(&packing) && name.replace('-', "_") == module
}

/// Returns the first two numbers of a release.
pub(super) fn version(release: &str) -> Option<(u32, u32)> {
    let mut parts = release.split(|letter: char| !letter.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// Returns the directory that modules are built against, if it exists.
fn build_directory(root: &Root, release: &str) -> Option<String> {
    let link = format!("lib/modules/{release}/build");
    let target = root.link(&link).filter(|target| target.is_absolute());
    let directory = match &target {
        Some(target) => target.to_str()?.trim_start_matches('/').to_owned(),
        None => link,
    };
    root.has(&directory).then_some(directory)
}

/// Returns whether DKMS has the source of the module, or can be given it.
pub(crate) fn is_in_dkms(root: &Root) -> bool {
    let sources = root.names("usr/src").unwrap_or_default();
    let is_ours = |name: &String| {
        name.starts_with("uncore-rs-") && root.has(&format!("usr/src/{name}/dkms.conf"))
    };
    !root.names(DKMS).unwrap_or_default().is_empty() || sources.iter().any(is_ours)
}

/// Returns the version of the module that DKMS has built for a kernel.
pub(crate) fn dkms_version(root: &Root, release: &str) -> Option<String> {
    let versions = root.names(DKMS).ok()?.into_iter().rev();
    let mut built = versions.filter(|version| root.has(&format!("{DKMS}/{version}/{release}")));
    built.next()
}

/// Returns why DKMS skipped a kernel, for the newest version of the module.
fn skipped(root: &Root, release: &str) -> Option<Absence> {
    let versions = root.names(DKMS).ok()?.into_iter().rev();
    let mut notes = versions.filter_map(|version| {
        let note = format!("{DKMS}/{version}/skipped.{release}");
        Absence::parse(&root.text(&note).ok()?, release)
    });
    notes.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_file_of_a_module() {
        for file in [
            "updates/dkms/uncore_rs.ko",
            "extra/uncore-rs.ko.zst",
            "uncore_rs.ko.xz",
        ] {
            assert!(is_file_of(file, MODULE), "{file}");
        }
        for file in ["x/uncore_rs.ko.old", "x/not_uncore_rs.ko", "uncore_rs"] {
            assert!(!is_file_of(file, MODULE), "{file}");
        }
    }
}
