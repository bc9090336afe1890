// SPDX-License-Identifier: GPL-2.0

//! The emulator as a child process, and the files it writes.
//!
//! The process ends when this one does, and its files are removed with the [`Emulator`].

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::config::{Config, Parts};
use crate::error::Error;
use crate::faults::Faults;
use crate::log::Log;
use crate::process;
use crate::qemu::{command_line, Console, Files, DISK, SLEEP};
use crate::sleep;
use crate::splat::splats;
use crate::workspace;

/// Interval at which the process is checked.
const TICK: Duration = Duration::from_millis(5);

/// Size of the guest's disk. The file has holes where nothing was written.
const DISK_BYTES: u64 = 512 << 20;

/// A running emulator.
pub(crate) struct Emulator {
    pub(crate) child: Child,
    config: Config,
    console: Console,
    directory: TempDir,
    files: Files,
    pub(crate) kernel_log: Log,
    violations: Log,
    messages: Log,
}

impl Emulator {
    pub(crate) fn start(config: &Config, console: &Console) -> Result<Self, Error> {
        check_parts(&config.parts)?;
        let directory = workspace::create().map_err(Error::system("the guest's files"))?;
        let inside = |name: &str| directory.path().join(name);
        let files = Files {
            initrd: inside("initrd"),
            disk: inside("disk"),
            monitor: inside("monitor"),
            kernel_log: inside("kernel.log"),
            violations: inside("violations"),
        };
        join(&config.parts.initrds, &files.initrd)?;
        if config.has(DISK) {
            make_disk(&files.disk).map_err(Error::system("the guest's disk"))?;
        }
        let messages = inside("qemu.log");
        Ok(Self {
            child: start(config, console, &files, &messages)?,
            config: config.clone(),
            console: console.clone(),
            directory,
            kernel_log: Log::new(files.kernel_log.clone()),
            violations: Log::new(files.violations.clone()),
            messages: Log::new(messages),
            files,
        })
    }

    /// Starts the machine again after its end: with its disk, and with nothing else that
    /// it had.
    pub(crate) fn restart(&mut self) -> Result<(), Error> {
        // The last process has left its socket.
        let _ = std::fs::remove_file(&self.files.monitor);
        let messages = self.directory.path().join("qemu.log");
        self.child = start(&self.config, &self.console, &self.files, &messages)?;
        Ok(())
    }

    /// Returns the complaints since the last call.
    pub(crate) fn news(&mut self) -> Faults {
        let violations = self.violations.news();
        Faults {
            log: splats(self.kernel_log.news().lines()),
            violations: violations.lines().map(str::to_owned).collect(),
        }
    }

    /// Removes the initramfs, unless a second boot needs it: the guest has it in memory,
    /// and no other file is as large.
    pub(crate) fn drop_initrd(&self) {
        if !self.config.has(DISK) {
            // If this fails, the file stays as long as the directory.
            let _ = std::fs::remove_file(&self.files.initrd);
        }
    }

    /// Returns the last lines of the logs, for error messages.
    pub(crate) fn tail(&self) -> String {
        let ends = [
            ("the emulator's messages", self.messages.tail()),
            ("the end of the kernel's log", self.kernel_log.tail()),
        ];
        let ends = ends.iter().filter(|(_, text)| !text.is_empty());
        let show = |(title, text): &(&str, String)| {
            format!("{title}:\n  {}\n", text.replace('\n', "\n  "))
        };
        ends.map(show).collect()
    }

    /// Waits for the emulator's end; returns `None` if it takes too long.
    pub(crate) fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            std::thread::sleep(TICK);
        }
        None
    }

    pub(crate) fn kill(&mut self) {
        // Either the process runs and is killed here, or it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        self.kill();
    }
}

fn check_parts(parts: &Parts) -> Result<(), Error> {
    let files = [
        ("kernel", "UNCORE_KERNEL", Some(&parts.kernel)),
        ("initramfs", "UNCORE_INITRD", parts.initrds.first()),
        ("emulator", "UNCORE_QEMU", Some(&parts.qemu)),
        ("plugin", "UNCORE_PLUGIN", Some(&parts.plugin)),
    ];
    for (what, variable, path) in files {
        let named = path.filter(|path| !path.as_os_str().is_empty());
        let path = named.ok_or(Error::Unnamed { what, variable })?;
        if !path.exists() {
            let path = path.clone();
            return Err(Error::Missing { what, path });
        }
    }
    Ok(())
}

/// Joins archives that the kernel unpacks in turn; each ends on a multiple of four.
fn join(parts: &[PathBuf], whole: &Path) -> Result<(), Error> {
    let name = |path: &Path| path.display().to_string();
    let mut whole_file = File::create(whole).map_err(Error::system(name(whole)))?;
    let mut length = 0;
    for part in parts {
        let mut file = File::open(part).map_err(Error::system(name(part)))?;
        let copied = io::copy(&mut file, &mut whole_file);
        length += copied.map_err(Error::system(name(whole)))?;
        length = length.next_multiple_of(4);
        let padded = whole_file
            .set_len(length)
            .and_then(|()| io::Seek::seek(&mut whole_file, io::SeekFrom::End(0)).map(drop));
        padded.map_err(Error::system(name(whole)))?;
    }
    Ok(())
}

fn make_disk(path: &Path) -> io::Result<()> {
    File::create(path)?.set_len(DISK_BYTES)
}

fn start(
    config: &Config,
    console: &Console,
    files: &Files,
    messages: &Path,
) -> Result<Child, Error> {
    let line = command_line(config, console, files)?;
    let name = messages.display().to_string();
    let messages = File::create(messages).map_err(Error::system(name))?;
    let mut command = Command::new(&line[0]);
    command.args(&line[1..]).stderr(messages);
    if *console == Console::Agent {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
    }
    let child = process::spawn(command).map_err(Error::system(line[0].clone()))?;
    if config.has(SLEEP) {
        sleep::keep_waking(files.monitor.clone());
    }
    Ok(child)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn archives_are_padded_between() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = |name: &str| directory.path().join(name);
        fs::write(path("a"), "12345").expect("written");
        fs::write(path("b"), "6").expect("written");
        join(&[path("a"), path("b")], &path("whole")).expect("joined");
        let whole = fs::read(path("whole")).expect("readable");
        assert_eq!(whole, b"12345\0\0\x006\0\0\0");
    }
}
