// SPDX-License-Identifier: GPL-2.0

//! The programs that load, unload and build modules.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Command;

use crate::error::Error;

/// Where programs are looked for.
#[derive(Debug, Clone)]
pub struct Programs {
    path: OsString,
}

impl Programs {
    /// Those on PATH, and where Debian keeps `modprobe`: su leaves that out.
    #[must_use]
    pub fn on_path() -> Self {
        const ALSO: &str = "/usr/sbin:/sbin";
        let path = match std::env::var_os("PATH") {
            Some(mut path) if !path.is_empty() => {
                path.push(":");
                path.push(ALSO);
                path
            }
            _ => ALSO.into(),
        };
        Self { path }
    }

    /// Those in a directory, before all others.
    #[must_use]
    pub fn in_directory(directory: &Path) -> Self {
        let mut path = directory.as_os_str().to_owned();
        path.push(":");
        path.push(Self::on_path().path);
        Self { path }
    }

    /// Loads a module.
    pub(super) fn load(&self, module: &str) -> Result<(), Failure> {
        self.modprobe(&[module])
    }

    /// Unloads a module.
    pub(super) fn unload(&self, module: &str) -> Result<(), Failure> {
        self.modprobe(&["-r", module])
    }

    fn modprobe(&self, arguments: &[&str]) -> Result<(), Failure> {
        let failed = |said| Failure {
            command: format!("modprobe {}", arguments.join(" ")),
            said,
        };
        let output = self.command("modprobe").args(arguments).output();
        let output = output.map_err(|error| failed(error.to_string()))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(failed(if said.is_empty() {
            output.status.to_string()
        } else {
            said
        }))
    }

    /// Has DKMS build what it has for a kernel, and say so on our streams.
    ///
    /// How it went is seen by what is there afterwards.
    pub(super) fn build(&self, release: &str) -> Result<(), Error> {
        let mut command = self.command("dkms");
        match command.args(["autoinstall", "-k", release]).status() {
            Err(source) if source.kind() != io::ErrorKind::NotFound => Err(Error::Command {
                program: "dkms".to_owned(),
                source,
            }),
            _ => Ok(()),
        }
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("PATH", &self.path);
        command
    }
}

/// A command that did not do what it should.
#[derive(Debug)]
pub(super) struct Failure {
    /// With its arguments.
    pub(super) command: String,
    /// On its standard error, mostly.
    pub(super) said: String,
}

impl Failure {
    /// As what ends ours.
    pub(super) fn into_error(self, remedy: impl Into<String>) -> Error {
        Error::Modprobe {
            command: self.command,
            said: self.said,
            remedy: remedy.into(),
        }
    }
}
