// SPDX-License-Identifier: GPL-2.0

//! A machine that runs: from boot to power-off, command by command.
//!
//! The emulator is a child process that dies with us, its files lie in a
//! directory that goes when the [`Guest`] does. Once a guest failed to answer it
//! is of no use any more, and every further call says so at once.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use guest_tools::frame::{Frame, Kind};
use tempfile::TempDir;

use crate::agent::{Agent, Silence};
use crate::config::{Config, Parts};
use crate::error::Error;
use crate::log::{Log, MARK};
use crate::process;
use crate::qemu::{command_line, Console, Files};
use crate::splat::splats;

/// How often files and processes are looked at.
const TICK: Duration = Duration::from_millis(5);
/// How long a guest may take to switch off or to finish its log.
const PATIENCE: Duration = Duration::from_secs(30);

/// Which output of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// What a command did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Its exit status; from 128 on the signal that ended it.
    pub status: i32,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

/// What the kernel and the model complained about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Lines of the kernel's log that mean something went wrong.
    pub log: Vec<String>,
    /// Rules of the hardware that the guest broke.
    pub violations: Vec<String>,
}

impl Faults {
    /// Whether nobody complained.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.log.is_empty() && self.violations.is_empty()
    }

    /// Adds later ones.
    pub fn extend(&mut self, more: Self) {
        self.log.extend(more.log);
        self.violations.extend(more.violations);
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut list = |title: &str, lines: &[String]| match lines {
            [] => Ok(()),
            lines => write!(f, "{title}:\n  {}\n", lines.join("\n  ")),
        };
        list("the kernel complained", &self.log)?;
        list("rules of the hardware were broken", &self.violations)
    }
}

/// A running emulator.
struct Emulator {
    child: Child,
    _directory: TempDir,
    kernel_log: Log,
    violations: Log,
    messages: Log,
}

impl Emulator {
    fn start(config: &Config, console: &Console) -> Result<Self, Error> {
        check_parts(&config.parts)?;
        let directory = tempfile::Builder::new().prefix("ivbep-guest-").tempdir();
        let directory = directory.map_err(Error::system("a directory for the guest's files"))?;
        let inside = |name: &str| directory.path().join(name);
        let files = Files {
            kernel_log: inside("kernel.log"),
            violations: inside("violations"),
        };
        let initrd = inside("initrd");
        join(&config.parts.initrds, &initrd)?;
        let line = command_line(config, console, &initrd, &files)?;
        let messages = inside("qemu.log");
        let child = start(&line, console, &messages)?;
        Ok(Self {
            child,
            _directory: directory,
            kernel_log: Log::new(files.kernel_log),
            violations: Log::new(files.violations),
            messages: Log::new(messages),
        })
    }

    /// What was complained about since the last call.
    fn news(&mut self) -> Faults {
        let violations = self.violations.news();
        Faults {
            log: splats(self.kernel_log.news().lines()),
            violations: violations.lines().map(str::to_owned).collect(),
        }
    }

    /// For error messages.
    fn tail(&self) -> String {
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

    /// Waits for the emulator's end; nothing if it takes too long.
    fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            std::thread::sleep(TICK);
        }
        None
    }

    fn kill(&mut self) {
        // Either it runs and can be killed, or it has ended: both are what we want.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A machine that has booted.
pub struct Guest {
    emulator: Emulator,
    agent: Agent,
    limit: Duration,
    marks: u32,
    driver_failure: Option<String>,
    gone: Option<String>,
}

impl Guest {
    /// Boots a machine and loads the driver.
    ///
    /// # Errors
    ///
    /// A part is missing, the guest does not come up, the driver does not load.
    pub fn boot(config: &Config) -> Result<Self, Error> {
        let mut emulator = Emulator::start(config, &Console::Agent)?;
        let pipes = (emulator.child.stdin.take(), emulator.child.stdout.take());
        let (Some(commands), Some(answers)) = pipes else {
            let gone = io::Error::other("it has no input or output");
            return Err(Error::system("the emulator")(gone));
        };
        let mut guest = Self {
            emulator,
            agent: Agent::new(commands, answers),
            limit: config.command_timeout(),
            marks: 0,
            driver_failure: None,
            gone: None,
        };
        let ready = guest.expect(Kind::Ready, "boot", config.boot_timeout())?;
        let reason = String::from_utf8_lossy(&ready.payload).into_owned();
        if !reason.is_empty() && !config.may_fail {
            let log = guest.emulator.tail();
            return Err(Error::Driver { reason, log });
        }
        guest.driver_failure = Some(reason).filter(|reason| !reason.is_empty());
        Ok(guest)
    }

    /// Why the driver did not load, if it did not.
    #[must_use]
    pub fn driver_failure(&self) -> Option<&str> {
        self.driver_failure.as_deref()
    }

    /// Runs a shell command.
    ///
    /// # Errors
    ///
    /// The guest does not answer. A command that fails is no error.
    pub fn run(&mut self, command: &str) -> Result<Output, Error> {
        self.run_timeout(command, self.limit)
    }

    /// Runs a shell command that may take so long.
    ///
    /// # Errors
    ///
    /// As for [`Self::run`].
    pub fn run_timeout(&mut self, command: &str, limit: Duration) -> Result<Output, Error> {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let status = self.stream(command, limit, |stream, bytes| match stream {
            Stream::Out => out.extend(bytes),
            Stream::Err => err.extend(bytes),
        })?;
        Ok(Output {
            status,
            stdout: String::from_utf8_lossy(&out).into_owned(),
            stderr: String::from_utf8_lossy(&err).into_owned(),
        })
    }

    /// Runs a shell command, gives its output away piece by piece, returns its
    /// status.
    ///
    /// # Errors
    ///
    /// As for [`Self::run`].
    pub fn stream(
        &mut self,
        command: &str,
        limit: Duration,
        mut sink: impl FnMut(Stream, &[u8]),
    ) -> Result<i32, Error> {
        let deadline = Instant::now() + limit;
        let what = format!("finish `{}`", shorten(command));
        self.send(Kind::Run, command)?;
        loop {
            let frame = self.receive(deadline, &what, limit)?;
            match frame.kind {
                Kind::Stdout => sink(Stream::Out, &frame.payload),
                Kind::Stderr => sink(Stream::Err, &frame.payload),
                _ => {
                    let status = frame.to_status();
                    return status.ok_or_else(|| self.out_of_step(frame.kind));
                }
            }
        }
    }

    /// All that the kernel and the model complained about since the last call,
    /// whatever the last command caused included.
    ///
    /// # Errors
    ///
    /// The guest does not answer.
    pub fn faults(&mut self) -> Result<Faults, Error> {
        self.marks += 1;
        let mark = format!("{MARK}{}", self.marks);
        self.send(Kind::Mark, &mark)?;
        self.expect(Kind::Marked, "write to its log", self.limit)?;
        let deadline = Instant::now() + PATIENCE;
        while !self.emulator.kernel_log.has(&mark) {
            if Instant::now() >= deadline {
                return Err(self.late("finish its log", PATIENCE));
            }
            std::thread::sleep(TICK);
        }
        Ok(self.emulator.news())
    }

    /// The same as an error, if there was anything.
    ///
    /// # Errors
    ///
    /// Somebody complained, or the guest does not answer.
    pub fn check(&mut self) -> Result<(), Error> {
        let faults = self.faults()?;
        if faults.is_empty() {
            Ok(())
        } else {
            Err(Error::Faults(faults))
        }
    }

    /// The kernel's log so far.
    #[must_use]
    pub fn kernel_log(&self) -> String {
        self.emulator.kernel_log.text()
    }

    /// Switches the guest off and gives what was complained about since the last
    /// call of [`Self::faults`].
    ///
    /// # Errors
    ///
    /// It does not switch off.
    pub fn power_off(mut self) -> Result<Faults, Error> {
        let mut faults = self.faults()?;
        self.send(Kind::PowerOff, "")?;
        if self.emulator.wait(PATIENCE.max(self.limit)).is_none() {
            return Err(self.late("switch off", PATIENCE.max(self.limit)));
        }
        faults.extend(self.emulator.news());
        Ok(faults)
    }

    fn send(&mut self, kind: Kind, text: &str) -> Result<(), Error> {
        if let Some(reason) = &self.gone {
            let (reason, log) = (reason.clone(), String::new());
            return Err(Error::Gone { reason, log });
        }
        let sent = self.agent.send(kind, text);
        sent.map_err(|silence| self.silent(silence, "listen", self.limit))
    }

    /// A frame of one kind, within the limit.
    fn expect(&mut self, kind: Kind, what: &str, limit: Duration) -> Result<Frame, Error> {
        let frame = self.receive(Instant::now() + limit, what, limit)?;
        if frame.kind == kind {
            Ok(frame)
        } else {
            Err(self.out_of_step(frame.kind))
        }
    }

    fn receive(&mut self, deadline: Instant, what: &str, limit: Duration) -> Result<Frame, Error> {
        let frame = self.agent.receive(deadline);
        frame.map_err(|silence| self.silent(silence, what, limit))
    }

    fn silent(&mut self, silence: Silence, what: &str, limit: Duration) -> Error {
        match silence {
            Silence::Late => self.late(what, limit),
            Silence::Gone(reason) => {
                // Its last words come with its end.
                self.emulator.wait(Duration::from_secs(1));
                self.give_up(reason.clone());
                let log = self.emulator.tail();
                Error::Gone { reason, log }
            }
        }
    }

    fn late(&mut self, what: &str, limit: Duration) -> Error {
        self.give_up(format!("it did not {what} in time"));
        Error::Timeout {
            what: what.to_owned(),
            limit,
            log: self.emulator.tail(),
        }
    }

    fn out_of_step(&mut self, kind: Kind) -> Error {
        let reason = format!("its agent sent {kind:?} out of turn");
        self.give_up(reason.clone());
        let log = self.emulator.tail();
        Error::Gone { reason, log }
    }

    fn give_up(&mut self, reason: String) {
        self.emulator.kill();
        self.gone = Some(reason);
    }
}

/// Boots a machine with a shell on the terminal and waits for its end.
///
/// # Errors
///
/// A part is missing, or the emulator fails.
pub fn shell(config: &Config, console: &Console) -> Result<Faults, Error> {
    let mut emulator = Emulator::start(config, console)?;
    let status = emulator.child.wait();
    let status = status.map_err(Error::system("the emulator"))?;
    if !status.success() {
        let (reason, log) = (format!("the emulator ended: {status}"), emulator.tail());
        return Err(Error::Gone { reason, log });
    }
    Ok(emulator.news())
}

fn check_parts(parts: &Parts) -> Result<(), Error> {
    let files = [
        ("kernel", "IVBEP_KERNEL", Some(&parts.kernel)),
        ("initramfs", "IVBEP_INITRD", parts.initrds.first()),
        ("emulator", "IVBEP_QEMU", Some(&parts.qemu)),
        ("plugin", "IVBEP_PLUGIN", Some(&parts.plugin)),
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

/// Archives for the kernel to unpack in turn; each ends on a multiple of four.
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

fn start(line: &[String], console: &Console, messages: &Path) -> Result<Child, Error> {
    let name = messages.display().to_string();
    let messages = File::create(messages).map_err(Error::system(name))?;
    let mut command = Command::new(&line[0]);
    command.args(&line[1..]).stderr(messages);
    if *console == Console::Agent {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
    }
    process::spawn(command).map_err(Error::system(line[0].clone()))
}

/// The beginning of a command, for a message.
fn shorten(command: &str) -> String {
    const LONG: usize = 100;
    let short: String = command.chars().take(LONG).collect();
    if short.len() < command.len() {
        short + "..."
    } else {
        short
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_part_that_was_not_named_is_asked_for() {
        let error = check_parts(&Parts::default()).expect_err("nothing was named");
        assert!(error.to_string().contains("IVBEP_KERNEL"), "{error}");
    }

    #[test]
    fn a_part_that_is_not_there_is_named() {
        let parts = Parts {
            kernel: "/nowhere/bzImage".into(),
            ..Parts::default()
        };
        let error = check_parts(&parts).expect_err("not there");
        assert_eq!(error.to_string(), "there is no kernel at /nowhere/bzImage");
    }

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

    #[test]
    fn faults_are_shown_under_their_titles() {
        let faults = Faults {
            log: vec!["BUG: x".to_owned()],
            violations: vec!["0xd10 bit 23".to_owned()],
        };
        assert_eq!(
            faults.to_string(),
            "the kernel complained:\n  BUG: x\nrules of the hardware were broken:\n  0xd10 bit 23\n"
        );
        assert_eq!(Faults::default().to_string(), "");
    }

    #[test]
    fn long_commands_are_cut_for_messages() {
        assert_eq!(shorten("ls"), "ls");
        assert_eq!(shorten(&"x".repeat(200)).len(), 103);
    }

    #[test]
    fn guests_can_be_handed_from_thread_to_thread() {
        fn is_send<T: Send>() {}
        is_send::<Guest>();
    }
}
