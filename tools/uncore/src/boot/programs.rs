// SPDX-License-Identifier: GPL-2.0

//! Programs that load, unload and build modules.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Command;

use crate::error::Error;
use crate::system::FORMER;

/// Directories in which programs are searched.
#[derive(Debug, Clone)]
pub struct Programs {
    path: OsString,
}

impl Programs {
    /// Searches PATH, and the directories of `modprobe` on Debian, which su leaves out.
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

    /// Searches a directory before all others.
    pub fn in_directory(directory: &Path) -> Self {
        let mut path = directory.as_os_str().to_owned();
        path.push(":");
        path.push(Self::on_path().path);
        Self { path }
    }

    pub(crate) fn load(&self, module: &str) -> Result<(), Failure> {
        self.run("modprobe", &[module])
    }

    /// Loads a module whatever our file says. The modprobe of busybox, which knows neither the option
    /// nor the line in the file, needs none.
    pub(crate) fn load_past_file(&self, module: &str) -> Result<(), Failure> {
        self.run("modprobe", &["--ignore-install", module])
    }

    pub(crate) fn unload(&self, module: &str) -> Result<(), Failure> {
        // modprobe takes the former name as an alias of the module.
        if module == FORMER {
            self.run("rmmod", &[module])
        } else {
            self.run("modprobe", &["-r", module])
        }
    }

    pub(crate) fn run(&self, program: &str, arguments: &[&str]) -> Result<(), Failure> {
        let failed = |said| Failure {
            command: [&[program], arguments].concat().join(" "),
            said,
        };
        let output = self.command(program).args(arguments).output();
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

    /// Runs DKMS to build its modules for a kernel, with its output on our streams.
    ///
    /// The caller looks for the module afterwards: the exit status is not used.
    pub(crate) fn build(&self, release: &str) -> Result<(), Error> {
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

/// Failure of a command.
#[derive(Debug)]
pub(crate) struct Failure {
    /// Command with its arguments.
    pub(crate) command: String,
    /// Text on its standard error, or its exit status.
    pub(crate) said: String,
}

impl Failure {
    /// Converts the failure into an error with a remedy.
    pub(crate) fn into_error(self, remedy: impl Into<String>) -> Error {
        Error::Modprobe {
            command: self.command,
            said: self.said,
            remedy: remedy.into(),
        }
    }
}
