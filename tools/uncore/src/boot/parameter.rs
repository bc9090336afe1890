// SPDX-License-Identifier: GPL-2.0

//! The boot parameter that keeps out an intel_uncore which is part of the kernel. Each boot loader
//! has a place of its own for it.

use std::fs;

use super::{Failure, Programs, StagedFile, HEAD};
use crate::error::Error;
use crate::root::Root;
use crate::system::{module_is_built_in, IN_TREE};

/// The boot parameter.
pub const PARAMETER: &str = "initcall_blacklist=intel_uncore_init";

/// Drop-in of Debian's GRUB.
pub const GRUB_FILE: &str = "etc/default/grub.d/uncore-rs.cfg";

/// Command line of the kernels that Proxmox VE boots without GRUB. It has no drop-ins.
const CMDLINE: &str = "etc/kernel/cmdline";

/// Copy of that file before it was changed.
const CMDLINE_COPY: &str = "etc/kernel/cmdline.uncore-rs";

/// Partitions that Proxmox VE keeps its boot loader on.
const PROXMOX: &str = "etc/kernel/proxmox-boot-uuids";

/// The firmware's variable in which systemd-boot says its name.
const LOADER: &str = "sys/firmware/efi/efivars/LoaderInfo-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f";

/// Where the boot parameter is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Drop-in of GRUB, on Debian and what is made of it.
    Grub,
    /// Entries that grubby edits, on Fedora and RHEL.
    Grubby,
    /// The kernel's command line of Proxmox VE with systemd-boot.
    Proxmox,
}

impl Place {
    /// Returns the place on a system, if its boot loader is known.
    pub(crate) fn of(root: &Root) -> Option<Self> {
        let loader = root.text(LOADER).unwrap_or_default();
        let is_systemd_boot = loader.replace('\0', "").contains("systemd-boot");
        let has = |program: &str| root.has(&format!("usr/sbin/{program}"));
        if is_systemd_boot && root.has(PROXMOX) && root.has(CMDLINE) {
            Some(Self::Proxmox)
        } else if has("update-grub") {
            Some(Self::Grub)
        } else {
            has("grubby").then_some(Self::Grubby)
        }
    }

    /// Returns whether `enable` has set the parameter, as far as that can be seen.
    pub(crate) fn is_set(self, root: &Root) -> bool {
        match self {
            Self::Grub => root.has(GRUB_FILE),
            Self::Grubby => false,
            Self::Proxmox => root.has(CMDLINE_COPY),
        }
    }

    /// Returns whether there is something to take back. What grubby edits does not show who set the
    /// parameter.
    pub(crate) fn may_be_set(self, root: &Root, release: &str) -> bool {
        self.is_set(root) || self == Self::Grubby && module_is_built_in(root, release, IN_TREE)
    }

    /// Shows what [`Place::set`] does.
    pub(crate) fn plan(self, root: &Root) -> Result<String, Error> {
        let commands = self.commands(root, true).join("`, `");
        Ok(match self {
            Self::Grub => format!("/{GRUB_FILE}, and `{commands}`:\n  {}", grub_line()),
            Self::Grubby => format!("`{commands}`"),
            Self::Proxmox => format!(
                "/{CMDLINE}, with a copy in /{CMDLINE_COPY}, and `{commands}`:\n  {}",
                with_parameter(&root.text(CMDLINE)?)
            ),
        })
    }

    /// Sets the parameter for the next boot. If that fails, nothing has changed.
    pub(crate) fn set(self, root: &Root, programs: &Programs) -> Result<(), Error> {
        match self {
            Self::Grub => {
                let text = format!(
                    "{HEAD}# intel_uncore is part of the kernel.\n{}\n",
                    grub_line()
                );
                StagedFile::new(root, GRUB_FILE, &text)?.publish()?;
            }
            Self::Grubby => {}
            Self::Proxmox => {
                let text = root.text(CMDLINE)?;
                StagedFile::new(root, CMDLINE_COPY, &format!("{text}\n"))?.publish()?;
                let text = format!("{}\n", with_parameter(&text));
                StagedFile::new(root, CMDLINE, &text)?.publish()?;
            }
        }
        self.run(root, programs, true).or_else(|failure| {
            self.remove_files(root)?;
            Err(failure.into_error("nothing was changed"))
        })
    }

    /// Takes the parameter back for the next boot.
    pub(crate) fn take_back(self, root: &Root, programs: &Programs) -> Result<(), Error> {
        self.remove_files(root)?;
        let run = self.run(root, programs, false);
        run.map_err(|failure| failure.into_error("run it again: the next boot has the parameter"))
    }

    fn remove_files(self, root: &Root) -> Result<(), Error> {
        let remove = |file: &str| {
            let path = root.path(file);
            fs::remove_file(&path).map_err(Error::writing(&path))
        };
        match self {
            Self::Grub => remove(GRUB_FILE),
            Self::Grubby => Ok(()),
            Self::Proxmox => {
                let text = root.text(CMDLINE)?;
                let words = text.split(' ').filter(|word| *word != PARAMETER);
                let text = words.collect::<Vec<_>>().join(" ");
                StagedFile::new(root, CMDLINE, &format!("{text}\n"))?.publish()?;
                remove(CMDLINE_COPY)
            }
        }
    }

    /// Returns the commands after which the boot loader has the parameter, or no longer has it.
    fn commands(self, root: &Root, sets: bool) -> Vec<String> {
        let refresh = "proxmox-boot-tool refresh".to_owned();
        let change = if sets { "args" } else { "remove-args" };
        match self {
            Self::Grub if root.has(PROXMOX) => vec!["update-grub".to_owned(), refresh],
            Self::Grub => vec!["update-grub".to_owned()],
            Self::Grubby => vec![format!("grubby --update-kernel=ALL --{change}={PARAMETER}")],
            Self::Proxmox => vec![refresh],
        }
    }

    fn run(self, root: &Root, programs: &Programs, sets: bool) -> Result<(), Failure> {
        self.commands(root, sets).iter().try_for_each(|command| {
            let words: Vec<&str> = command.split(' ').collect();
            words.split_first().map_or(Ok(()), |(program, arguments)| {
                programs.run(program, arguments)
            })
        })
    }
}

fn grub_line() -> String {
    format!("GRUB_CMDLINE_LINUX=\"$GRUB_CMDLINE_LINUX {PARAMETER}\"")
}

fn with_parameter(line: &str) -> String {
    format!("{} {PARAMETER}", line.trim_end())
}
