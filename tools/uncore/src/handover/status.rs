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

use crate::boot::{self, why_not, Choice, FILE};
use crate::error::Error;
use crate::system::{
    dkms_version, module_file, Absence, Driver, Host, Kernel, System, FORMER, FORMER_FILE, IN_TREE,
    MODULE,
};
use crate::table::{counted, paragraph};

/// Head of a remedy.
const REMEDY: &str = "           > ";

/// Drivers of the counters, and kernels that have the module.
#[derive(Debug)]
pub struct Status {
    ours: Option<Driver>,
    former: Option<Driver>,
    theirs: Option<Driver>,
    version: Option<String>,
    file: Option<PathBuf>,
    why: Option<Absence>,
    next: String,
    running: Option<String>,
    kernels: Vec<Kernel>,
}

impl Status {
    /// Reads the status of a system.
    pub fn new(system: &System) -> Result<Self, Error> {
        let root = &system.root;
        let host = Host::read(system)?;
        let (why, next) = (why_not(root, &host), next(system, &host));
        let running = host.release;
        let release = running.as_deref().unwrap_or_default();
        let version = root.text(&format!("sys/module/{MODULE}/version")).ok();
        Ok(Self {
            ours: Driver::read(root, MODULE),
            former: Driver::read(root, FORMER),
            theirs: Driver::read(root, IN_TREE),
            version: version.or_else(|| dkms_version(root, release)),
            file: module_file(root, release, MODULE),
            why,
            next,
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
        let drivers = if drivers.is_empty() {
            "no driver".to_owned()
        } else {
            drivers.join("; and ")
        };
        match &self.why {
            Some(why) => format!("{drivers}, and not {MODULE}: {}", why.reason),
            None => drivers,
        }
    }
}

/// Describes the driver that the next boot loads, if it boots this kernel.
fn next(system: &System, host: &Host) -> String {
    let (root, machine) = (&system.root, host.cpu.platform());
    let release = host.release.as_deref().unwrap_or_default();
    let has_theirs =
        Driver::read(root, IN_TREE).is_some() || module_file(root, release, IN_TREE).is_some();
    let files = boot::files(machine);
    let loads = match (Choice::read(root), boot::is_named(root, machine)) {
        (None, _) if root.has(FORMER_FILE) => format!("{FORMER}, by /{FORMER_FILE}"),
        (Some(Choice::Fallback), true) => {
            return format!("{MODULE}, by {files}; {IN_TREE} where {MODULE} does not load")
        }
        (Some(Choice::Foreign), _) => {
            return format!("{MODULE}, by a line in /{FILE} that `uncore enable` did not write")
        }
        (Some(Choice::Blacklist), true) => format!(
            "{MODULE}, by {files} of an older version, which leaves kernels without {MODULE} \
             without a driver"
        ),
        (Some(Choice::Blacklist), false) => {
            format!("no driver: /{FILE} keeps {IN_TREE} out, and nothing loads {MODULE}")
        }
        (Some(Choice::Fallback), false) if has_theirs => {
            format!("{MODULE}, by /{FILE}, but not where {IN_TREE} is part of the kernel")
        }
        (None, _) if has_theirs => IN_TREE.to_owned(),
        _ => "no driver".to_owned(),
    };
    format!("{loads}; `uncore enable` changes that")
}

/// Describes the open events of a driver.
fn events(driver: Driver) -> String {
    match (driver.events, driver.is_built_in) {
        (_, true) => "built into the kernel".to_owned(),
        (None, _) => "loaded".to_owned(),
        (Some(0), _) => "no event open".to_owned(),
        (Some(events), _) => format!("{} open", counted(events, "event", "events")),
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&paragraph("now        ", &self.now()))?;
        if let Some(remedy) = self.why.as_ref().and_then(|why| why.remedy.as_ref()) {
            f.write_str(&paragraph(REMEDY, remedy))?;
        }
        f.write_str(&paragraph("next boot  ", &self.next))?;
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
                f.write_str(&paragraph(REMEDY, remedy))?;
            }
        }
        Ok(())
    }
}
