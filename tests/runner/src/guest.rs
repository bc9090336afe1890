// SPDX-License-Identifier: GPL-2.0

//! A machine that runs: from boot to power-off, command by command.
//!
//! The emulator is a child process that ends when this process does. Its files are in a
//! directory that is removed with the [`Guest`]. A guest that failed to answer cannot be
//! used any more: every further call fails at once.

use std::io;
use std::time::{Duration, Instant};

use guest_tools::frame::{Frame, Kind};

use crate::agent::{Agent, Silence};
use crate::config::Config;
use crate::emulator::Emulator;
use crate::error::Error;
use crate::faults::Faults;
use crate::log::MARK;
use crate::qemu::Console;

/// Interval at which files and processes are checked.
const TICK: Duration = Duration::from_millis(5);
/// Time limit for switching off and for finishing the log.
const PATIENCE: Duration = Duration::from_secs(30);

/// Output stream of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// Result of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Exit status; from 128 on, the signal that ended the command.
    pub status: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// A machine that has booted.
pub struct Guest {
    emulator: Emulator,
    agent: Agent,
    limit: Duration,
    boot_limit: Duration,
    marks: u32,
    gone: Option<String>,
}

impl Guest {
    /// Boots a machine and loads the driver.
    pub fn boot(config: &Config) -> Result<Self, Error> {
        let mut emulator = Emulator::start(config, &Console::Agent)?;
        let mut guest = Self {
            agent: agent(&mut emulator)?,
            emulator,
            limit: config.command_timeout(),
            boot_limit: config.boot_timeout(),
            marks: 0,
            gone: None,
        };
        let ready = guest.expect(Kind::Ready, "boot", config.boot_timeout())?;
        let reason = String::from_utf8_lossy(&ready.payload).into_owned();
        if !reason.is_empty() && !config.may_fail {
            let log = guest.emulator.tail();
            return Err(Error::Driver { reason, log });
        }
        guest.emulator.drop_initrd();
        Ok(guest)
    }

    /// Returns all that kernels of the guest have logged.
    pub fn kernel_log(&self) -> String {
        self.emulator.kernel_log.text()
    }

    /// Sets the time limit of further commands.
    pub fn set_limit(&mut self, limit: Duration) {
        self.limit = limit;
    }

    /// Runs a shell command. A command that fails is no error.
    pub fn run(&mut self, command: &str) -> Result<Output, Error> {
        self.send(Kind::Run, command)?;
        self.finish(command, self.limit)
    }

    /// Runs a shell command, passes its output on piece by piece, and returns its status.
    pub fn stream(
        &mut self,
        command: &str,
        limit: Duration,
        sink: impl FnMut(Stream, &[u8]),
    ) -> Result<i32, Error> {
        self.send(Kind::Run, command)?;
        self.follow(command, limit, sink)
    }

    /// Runs a shell command in which the guest hibernates and switches itself off. Then
    /// boots a new machine with its disk, in which the command goes on. The output is that
    /// of the second part.
    pub fn run_over_hibernation(&mut self, command: &str) -> Result<Output, Error> {
        self.send(Kind::Run, command)?;
        if self.emulator.wait(self.limit).is_none() {
            return Err(self.late("hibernate", self.limit));
        }
        self.emulator.restart()?;
        self.agent = agent(&mut self.emulator)?;
        self.finish(command, self.boot_limit + self.limit)
    }

    /// Runs a shell command that starts another kernel in place of the guest's, and waits
    /// until that listens.
    pub fn start_next_kernel(&mut self, command: &str) -> Result<(), Error> {
        self.send(Kind::Run, command)?;
        let deadline = Instant::now() + self.boot_limit;
        loop {
            let frame = self.receive(deadline, "start the next kernel", self.boot_limit)?;
            match frame.kind {
                Kind::Ready => return Ok(()),
                Kind::Stdout | Kind::Stderr => {}
                other => return Err(self.out_of_step(other)),
            }
        }
    }

    /// Returns the result of a command that runs.
    fn finish(&mut self, command: &str, limit: Duration) -> Result<Output, Error> {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let status = self.follow(command, limit, |stream, bytes| match stream {
            Stream::Out => out.extend(bytes),
            Stream::Err => err.extend(bytes),
        })?;
        Ok(Output {
            status,
            stdout: String::from_utf8_lossy(&out).into_owned(),
            stderr: String::from_utf8_lossy(&err).into_owned(),
        })
    }

    /// Passes on the output of a command that runs, and returns its status.
    fn follow(
        &mut self,
        command: &str,
        limit: Duration,
        mut sink: impl FnMut(Stream, &[u8]),
    ) -> Result<i32, Error> {
        let deadline = Instant::now() + limit;
        let what = format!("finish `{}`", shorten(command));
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

    /// Returns all complaints of the kernel and the model since the last call, including
    /// those that the last command caused.
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

    /// Switches the guest off and returns the complaints since the last call of
    /// [`Self::faults`].
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
            return Err(Error::Gone {
                reason: reason.clone(),
                faults: Faults::default(),
                log: String::new(),
            });
        }
        let sent = self.agent.send(kind, text);
        sent.map_err(|silence| self.silent(silence, "listen", self.limit))
    }

    /// Waits for a frame of one kind, within the limit.
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
                // The emulator's last messages come with its end.
                self.emulator.wait(Duration::from_secs(1));
                self.lost(reason)
            }
        }
    }

    fn late(&mut self, what: &str, limit: Duration) -> Error {
        self.give_up(format!("it did not {what} in time"));
        Error::Timeout {
            what: what.to_owned(),
            limit,
            faults: self.emulator.news(),
            log: self.emulator.tail(),
        }
    }

    fn out_of_step(&mut self, kind: Kind) -> Error {
        self.lost(format!("its agent sent {kind:?} out of turn"))
    }

    fn lost(&mut self, reason: String) -> Error {
        self.give_up(reason.clone());
        Error::Gone {
            reason,
            faults: self.emulator.news(),
            log: self.emulator.tail(),
        }
    }

    fn give_up(&mut self, reason: String) {
        self.emulator.kill();
        self.gone = Some(reason);
    }
}

/// Connects to the agent of a machine.
fn agent(emulator: &mut Emulator) -> Result<Agent, Error> {
    let pipes = (emulator.child.stdin.take(), emulator.child.stdout.take());
    let (Some(commands), Some(answers)) = pipes else {
        let gone = io::Error::other("it has no input or output");
        return Err(Error::system("the emulator")(gone));
    };
    Ok(Agent::new(commands, answers))
}

/// Boots a machine with a shell on the terminal and waits for its end.
pub fn shell(config: &Config, console: &Console) -> Result<Faults, Error> {
    let mut emulator = Emulator::start(config, console)?;
    let status = emulator.child.wait();
    let status = status.map_err(Error::system("the emulator"))?;
    if !status.success() {
        return Err(Error::Gone {
            reason: format!("the emulator ended: {status}"),
            faults: emulator.news(),
            log: emulator.tail(),
        });
    }
    Ok(emulator.news())
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
