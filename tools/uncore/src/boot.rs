// SPDX-License-Identifier: GPL-2.0

//! The files that decide which driver the next boot loads: one of modprobe, and one of
//! modules-load.d on processors whose uncore is no PCI device.

mod parameter;
mod programs;

pub(crate) use parameter::Place;
pub use parameter::GRUB_FILE;
pub use parameter::PARAMETER;
pub(crate) use programs::Failure;
pub use programs::Programs;

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::PathBuf;

use crate::error::Error;
use crate::platform::{Platform, PLATFORMS};
use crate::root::Root;
use crate::system::{Absence, Driver, Host, Kernel, FORMER_FILE, IN_TREE, MODULE};

/// Path of the file of modprobe.
pub const FILE: &str = "etc/modprobe.d/uncore-rs.conf";

/// Path of the file that loads the module where udev sees no device of it.
pub const LOAD_FILE: &str = "etc/modules-load.d/uncore-rs.conf";

/// End of the name of a file while it is written; the files are read by names that end in
/// .conf only. The packages leave the file of modprobe under this name until they are
/// configured.
const UNFINISHED: &str = ".new";

/// Head of all files.
pub(crate) const HEAD: &str = "\
# Written by \"uncore enable\", removed by \"uncore disable\".
#
";

/// Purpose of the file of modprobe.
const PURPOSE: &str = "\
# uncore_rs has the uncore counters in place of intel_uncore. Where uncore_rs is
# missing or does not load, as after an update of the kernel, intel_uncore is
# loaded; not from an initramfs, though, which may lack uncore_rs alone.
";

/// Purpose of the aliases in it.
const ALIAS_PURPOSE: &str = "\
# uncore_rs is loaded for the UBox, a PCI device, of these processors:
";

/// Purpose of the other file.
const LOAD_PURPOSE: &str = "\
# The uncore of this processor is no PCI device for which uncore_rs could be loaded.
";

/// Command for loading intel_uncore, which udev loads for the processor.
///
/// A second line for `uncore_rs` would make a circle. The kernel's log names the driver once for a
/// boot, though udev runs this for each CPU. The first of the two files is in an initramfs of dracut,
/// the other in one of initramfs-tools.
pub const INSTALL: &str = "install intel_uncore /sbin/modprobe -q uncore_rs || \
     [ -e /etc/initrd-release ] || [ -e /conf/initramfs.conf ] || \
     { ! mkdir /run/uncore-rs-missing 2>/dev/null || \
     echo uncore_rs is not loaded: intel_uncore has the uncore counters >/dev/kmsg; \
     /sbin/modprobe --ignore-install intel_uncore $CMDLINE_OPTS; }";

/// Begin of that line in any version.
const INSTALL_ANY: &str = "install intel_uncore ";

/// Line in its place up to version 0.2.0. It left a kernel without the module without a driver.
const BLACKLIST: &str = "blacklist intel_uncore";

/// Returns the contents of the file of modprobe, with the user's lines of the present one.
fn text(root: &Root) -> String {
    let mut text = format!("{HEAD}{PURPOSE}{INSTALL}\n{ALIAS_PURPOSE}");
    let ours = PLATFORMS.iter();
    let ours = ours.filter_map(|platform| Some((platform.processors(), platform.ubox?)));
    let ours: Vec<(String, u16)> = ours.collect();
    for (processors, ubox) in &ours {
        let _ = writeln!(text, "# 8086:{ubox:04x}  {processors}");
    }
    for (_, ubox) in &ours {
        let _ = writeln!(text, "{}", alias(*ubox));
    }
    for line in lines(root, FILE).iter().filter(|line| is_of_user(line)) {
        let _ = writeln!(text, "{line}");
    }
    text
}

fn lines(root: &Root, file: &str) -> Vec<String> {
    let text = root.text(file).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Returns whether no version of `enable` wrote a line.
fn is_of_user(line: &str) -> bool {
    let is_alias = line.starts_with("alias ") && line.ends_with(MODULE);
    let is_ours = is_alias || line == BLACKLIST || line.starts_with(INSTALL_ANY);
    !is_ours && !line.is_empty() && !line.starts_with('#')
}

/// Returns the line that has the module loaded for the UBox of a platform.
///
/// An alias of the processor would prevent all other modules that udev loads for
/// the processor, such as `coretemp` and `kvm_intel`: once `modprobe` finds an
/// alias in its configuration, it looks no further. No other module needs the
/// UBox.
fn alias(ubox: u16) -> String {
    format!("alias pci:v00008086d{ubox:08X}sv*sd*bc*sc*i* {MODULE}")
}

/// The line that decides between the two drivers at the next boot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    /// Line of this version: the other driver where one is missing.
    Fallback,
    /// Line of the user, or of another version.
    Foreign,
    /// Line of version 0.2.0 or before: never intel_uncore.
    Blacklist,
}

impl Choice {
    /// Reads the file of modprobe.
    pub(crate) fn read(root: &Root) -> Option<Self> {
        let lines = lines(root, FILE);
        let has = |is: fn(&str) -> bool| lines.iter().any(|line| is(line));
        if has(|line| line == BLACKLIST) {
            Some(Self::Blacklist)
        } else if has(|line| line == INSTALL) {
            Some(Self::Fallback)
        } else {
            has(|line| line.starts_with(INSTALL_ANY)).then_some(Self::Foreign)
        }
    }
}

/// Returns whether the next boot of a machine is as `enable` wants it.
pub(crate) fn is_written(root: &Root, machine: Option<&Platform>) -> bool {
    !root.has(FORMER_FILE)
        && Choice::read(root) == Some(Choice::Fallback)
        && is_named(root, machine)
}

/// Returns whether a file has the module loaded on a machine. The user may have added lines to the
/// files, and an older version may have written them, with fewer platforms.
pub(crate) fn is_named(root: &Root, machine: Option<&Platform>) -> bool {
    let has = |file, setting: &str| lines(root, file).iter().any(|line| line == setting);
    machine.is_none_or(|machine| match machine.ubox {
        Some(ubox) => has(FILE, &alias(ubox)),
        None => has(LOAD_FILE, MODULE),
    })
}

/// Names the files that a machine needs.
pub(crate) fn files(machine: Option<&Platform>) -> String {
    match machine {
        Some(Platform { ubox: None, .. }) => format!("/{FILE} and /{LOAD_FILE}"),
        _ => format!("/{FILE}"),
    }
}

/// Returns all names of files to remove.
fn all() -> Vec<String> {
    let finished = [FILE, LOAD_FILE, FORMER_FILE].map(str::to_owned);
    let unfinished = [FILE, LOAD_FILE].map(|file| format!("{file}{UNFINISHED}"));
    finished.into_iter().chain(unfinished).collect()
}

/// Returns whether there is any file to remove.
pub(crate) fn is_there(root: &Root) -> bool {
    all().iter().any(|file| root.has(file))
}

/// The complete files under their unfinished names. Dropping them removes those that were
/// not published.
#[derive(Debug)]
pub(crate) struct StagedFiles {
    load: Option<StagedFile>,
    modprobe: StagedFile,
}

impl StagedFiles {
    /// Writes the files that a machine needs.
    pub(crate) fn new(root: &Root, machine: Option<&Platform>) -> Result<Self, Error> {
        let load = match machine {
            Some(Platform { ubox: None, .. }) => {
                let text = format!("{HEAD}{LOAD_PURPOSE}{MODULE}\n");
                Some(StagedFile::new(root, LOAD_FILE, &text)?)
            }
            _ => None,
        };
        Ok(Self {
            load,
            modprobe: StagedFile::new(root, FILE, &text(root))?,
        })
    }

    /// Renames the files to their final names, all or none.
    pub(crate) fn publish(self, root: &Root) -> Result<(), Error> {
        if let Some(load) = self.load {
            load.publish()?;
        }
        self.modprobe.publish().or_else(|error| {
            remove_file(root, LOAD_FILE)?;
            Err(error)
        })
    }
}

/// One complete file under its unfinished name.
#[derive(Debug)]
pub(crate) struct StagedFile {
    unfinished: PathBuf,
    file: PathBuf,
}

impl StagedFile {
    pub(crate) fn new(root: &Root, file: &str, text: &str) -> Result<Self, Error> {
        let staged = Self {
            unfinished: root.path(&format!("{file}{UNFINISHED}")),
            file: root.path(file),
        };
        staged.write(text).map_err(Error::writing(&staged.file))?;
        Ok(staged)
    }

    fn write(&self, text: &str) -> io::Result<()> {
        if let Some(directory) = self.file.parent() {
            fs::create_dir_all(directory)?;
        }
        let mut file = File::create(&self.unfinished)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    }

    pub(crate) fn publish(self) -> Result<(), Error> {
        fs::rename(&self.unfinished, &self.file).map_err(Error::writing(&self.file))
    }
}

impl Drop for StagedFile {
    fn drop(&mut self) {
        // Fails after `publish`, when there is nothing to remove.
        let _ = fs::remove_file(&self.unfinished);
    }
}

/// Removes all files.
pub(crate) fn remove(root: &Root) -> Result<(), Error> {
    all().iter().try_for_each(|file| remove_file(root, file))
}

/// Removes a file, if it is there.
pub(crate) fn remove_file(root: &Root, file: &str) -> Result<(), Error> {
    let path = root.path(file);
    match fs::remove_file(&path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(Error::Write { path, source })
        }
        _ => Ok(()),
    }
}

/// Tells why the module does not have the counters, though `enable` handed them over.
pub(crate) fn why_not(root: &Root, host: &Host) -> Option<Absence> {
    let choice = Choice::read(root)?;
    if Driver::read(root, MODULE).is_some() {
        return None;
    }
    let theirs = Driver::read(root, IN_TREE);
    let kernel = Kernel::read(root, host.release.clone().unwrap_or_default());
    let mut absence = match (kernel.module, theirs) {
        (
            _,
            Some(Driver {
                is_built_in: true, ..
            }),
        ) => Absence {
            reason: format!("{IN_TREE} is part of this kernel, and no boot parameter keeps it out"),
            remedy: Some(if Place::of(root).is_some_and(|place| place.is_set(root)) {
                "reboot: the parameter is set for the next boot".to_owned()
            } else {
                "`uncore enable` sets it".to_owned()
            }),
        },
        (Err(absence), _) => Absence {
            reason: format!(
                "Linux {} has no {MODULE}: {}",
                kernel.release, absence.reason
            ),
            remedy: absence.remedy.map(|remedy| {
                format!("{remedy}; {MODULE} is used from the next boot, or by `uncore enable` now")
            }),
        },
        (Ok(_), Some(_)) => Absence {
            reason: format!("{MODULE} did not load, or was not there when {IN_TREE} was loaded"),
            remedy: Some(format!(
                "`uncore enable` loads it, or tells why it cannot; if an initramfs has {IN_TREE}, \
                 make it again (`update-initramfs -u`)"
            )),
        },
        (Ok(_), None) => Absence {
            reason: "it is not loaded".to_owned(),
            remedy: Some(format!(
                "`modprobe {MODULE}`; if that fails, `dmesg | grep {MODULE}` shows the reason"
            )),
        },
    };
    if theirs.is_none() && choice == Choice::Blacklist {
        let file = format!("; /{FILE} of an older version keeps {IN_TREE} out");
        absence.reason.push_str(&file);
    }
    Some(absence)
}
