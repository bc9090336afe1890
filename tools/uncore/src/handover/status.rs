// SPDX-License-Identifier: GPL-2.0

//! `status`: shows which driver has the counters.
//!
//! ```text
//! $ uncore status
//! now        uncore_rs 0.1.0, no event open
//! next boot  uncore_rs, by /etc/modprobe.d/uncore-rs.conf
//! ```

use std::fmt;
use std::path::PathBuf;

use super::boot::{FILE, FORMER_FILE};
use crate::error::Error;
use crate::system::{
    dkms_version, module_file, Driver, Host, Kernel, System, FORMER, IN_TREE, MODULE,
};
use crate::table::{counted, paragraph};

/// Drivers of the counters, and kernels that have the module.
#[derive(Debug)]
pub struct Status {
    ours: Option<Driver>,
    former: Option<Driver>,
    theirs: Option<Driver>,
    version: Option<String>,
    file: Option<PathBuf>,
    is_next: bool,
    is_former_next: bool,
    has_theirs: bool,
    running: Option<String>,
    kernels: Vec<Kernel>,
}

impl Status {
    /// Reads the status of a system.
    pub fn new(system: &System) -> Result<Self, Error> {
        let root = &system.root;
        let running = Host::read(system)?.release;
        let release = running.as_deref().unwrap_or_default();
        let version = root.optional(&format!("sys/module/{MODULE}/version"));
        let theirs = Driver::read(root, IN_TREE);
        Ok(Self {
            ours: Driver::read(root, MODULE),
            former: Driver::read(root, FORMER),
            theirs,
            version: version
                .ok()
                .flatten()
                .or_else(|| dkms_version(root, release)),
            file: module_file(root, release, MODULE),
            is_next: root.has(FILE),
            is_former_next: root.has(FORMER_FILE),
            has_theirs: theirs.is_some() || module_file(root, release, IN_TREE).is_some(),
            kernels: Kernel::all(root)?,
            running,
        })
    }

    fn now(&self) -> String {
        let mut drivers = Vec::new();
        if let Some(driver) = self.ours {
            let version = self.version.iter().map(|version| format!(" {version}"));
            let file = self
                .file
                .iter()
                .map(|file| format!(" of {}", file.display()));
            let facts: String = version.chain(file).collect();
            drivers.push(format!("{MODULE}{facts}, {}", events(driver)));
        }
        if let Some(driver) = self.former {
            let events = events(driver);
            drivers.push(format!("{FORMER} (before version 0.2.0), {events}"));
        }
        if let Some(driver) = self.theirs {
            drivers.push(format!("{IN_TREE}, {}", events(driver)));
        }
        if drivers.is_empty() {
            "no driver".to_owned()
        } else {
            drivers.join("; and ")
        }
    }

    fn next(&self) -> String {
        match (self.is_next, self.has_theirs) {
            (false, _) if self.is_former_next => {
                format!("{FORMER}, by /{FORMER_FILE}; `uncore enable` changes that")
            }
            (true, _) => format!("{MODULE}, by /{FILE}"),
            (false, true) => format!("{IN_TREE}; `uncore enable` changes that"),
            (false, false) => "no driver; `uncore enable` changes that".to_owned(),
        }
    }
}

/// Describes the open events of a driver.
fn events(driver: Driver) -> String {
    match (driver.events, driver.is_built_in) {
        (_, true) => "built into the kernel".to_owned(),
        (None, _) => "loaded".to_owned(),
        (Some(0), _) => "no event open".to_owned(),
        (Some(events), _) => format!("{} open", counted(events as usize, "event", "events")),
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&paragraph("now        ", &self.now()))?;
        f.write_str(&paragraph("next boot  ", &self.next()))?;
        for kernel in &self.kernels {
            let running = if self.running.as_ref() == Some(&kernel.release) {
                " (running)"
            } else {
                ""
            };
            let head = format!("Linux {}{running}: ", kernel.release);
            let text = match &kernel.module {
                Ok(file) => format!("has {}", file.display()),
                Err(absence) => format!("no module: {}", absence.reason),
            };
            f.write_str(&paragraph("kernel     ", &(head + &text)))?;
            if let Err(Some(remedy)) = kernel.module.as_ref().map_err(|absence| &absence.remedy) {
                f.write_str(&paragraph(&format!("{:11}> ", ""), remedy))?;
            }
        }
        Ok(())
    }
}
