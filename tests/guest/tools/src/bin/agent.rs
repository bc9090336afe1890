// SPDX-License-Identifier: GPL-2.0

//! `agent [REASON]`: executes the host's commands until told to end.
//!
//! Commands come over a virtio port (`frame`), one at a time. A command ends when
//! its shell does; what its background children write later is lost. REASON says
//! why the driver could not be loaded, and is passed on to the host.
//!
//! The port does not survive a suspension of the machine. The program that suspends
//! it unbinds the port's driver before and binds it again afterwards; then the port
//! is opened again.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::Duration;

use guest_tools::frame::{Frame, Kind, PORT};
use guest_tools::report;
use rustix::event::{poll, PollFd, PollFlags};
use rustix::fs::{fcntl_getfl, fcntl_setfl, OFlags};
use rustix::io::Errno;
use rustix::process::{pidfd_open, Pid, PidfdFlags};

/// Directory in which the kernel lists virtio ports.
const PORTS: &str = "/sys/class/virtio-ports";
/// Number of searches for the port, and the time between two of them. Together they
/// last longer than the kernel tries to freeze programs before it gives a
/// suspension up.
const LOOKS: (u32, Duration) = (1200, Duration::from_millis(50));

fn main() -> ExitCode {
    let failure = std::env::args().nth(1).unwrap_or_default();
    report::exit("agent", serve(&failure))
}

/// The port.
struct Port(File);

impl Read for Port {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.0.read(room)
    }
}

impl Write for Port {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.write(bytes) {
            Err(error) if error.raw_os_error() == Some(Errno::NODEV.raw_os_error()) => {
                self.0 = open_port()?;
                self.0.write(bytes)
            }
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn serve(failure: &str) -> io::Result<()> {
    let mut port = Port(open_port()?);
    Frame::new(Kind::Ready, failure).write(&mut port)?;
    loop {
        let frame = Frame::read(&mut port)?;
        match frame.kind {
            Kind::Run => run(&frame.payload, &mut port)?,
            Kind::Mark => mark(&frame.payload, &mut port)?,
            Kind::PowerOff => return Ok(()),
            other => {
                let text = format!("the host sent {other:?}");
                return Err(io::Error::new(io::ErrorKind::InvalidData, text));
            }
        }
    }
}

fn open_port() -> io::Result<File> {
    for _ in 0..LOOKS.0 {
        if let Some(path) = find_port(Path::new(PORTS))? {
            return OpenOptions::new().read(true).write(true).open(path);
        }
        std::thread::sleep(LOOKS.1);
    }
    let text = format!("the machine has no virtio port '{PORT}'");
    Err(io::Error::new(io::ErrorKind::NotFound, text))
}

fn find_port(ports: &Path) -> io::Result<Option<PathBuf>> {
    for entry in fs::read_dir(ports)? {
        let entry = entry?;
        let name = fs::read_to_string(entry.path().join("name")).unwrap_or_default();
        if name.trim_end() == PORT {
            return Ok(Some(Path::new("/dev").join(entry.file_name())));
        }
    }
    Ok(None)
}

/// The log is in order, so a mark in it has all before it. Without its newline
/// the kernel would hold the message back, to be continued.
fn mark(text: &[u8], port: &mut Port) -> io::Result<()> {
    let mut log = OpenOptions::new().write(true).open("/dev/kmsg")?;
    log.write_all(&[text, b"\n"].concat())?;
    Frame::new(Kind::Marked, "").write(port)
}

fn run(command: &[u8], port: &mut impl Write) -> io::Result<()> {
    let command = String::from_utf8_lossy(command).into_owned();
    let spawned = Command::new("sh")
        .args(["-c", &command])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let status = match spawned {
        Ok(child) => number(stream(child, port)?),
        Err(error) => {
            Frame::new(Kind::Stderr, format!("agent: sh: {error}\n")).write(port)?;
            127
        }
    };
    Frame::status(status).write(port)
}

/// Converts a status as shells do: signals count from 128.
fn number(status: ExitStatus) -> i32 {
    let signal = status.signal().map_or(1, |signal| 128 + signal);
    status.code().unwrap_or(signal)
}

/// Passes on what the child writes until it ends.
fn stream(mut child: Child, port: &mut impl Write) -> io::Result<ExitStatus> {
    let ended = watch(&child)?;
    let mut pipes = Vec::new();
    if let Some(pipe) = child.stdout.take() {
        pipes.push(Pipe::new(Kind::Stdout, pipe.into())?);
    }
    if let Some(pipe) = child.stderr.take() {
        pipes.push(Pipe::new(Kind::Stderr, pipe.into())?);
    }
    while !wait(&ended, &pipes)? {
        forward(&mut pipes, port)?;
    }
    // All output before its end is in the pipes by now.
    forward(&mut pipes, port)?;
    child.wait()
}

fn watch(child: &Child) -> io::Result<OwnedFd> {
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let id = id.ok_or_else(|| io::Error::other("the child has no process ID"))?;
    Ok(pidfd_open(id, PidfdFlags::empty())?)
}

/// Waits for output or the end; true at the end.
fn wait(ended: &OwnedFd, pipes: &[Pipe]) -> io::Result<bool> {
    let descriptors = pipes.iter().map(|pipe| pipe.file.as_fd());
    let descriptors = std::iter::once(ended.as_fd()).chain(descriptors);
    let watched = descriptors.map(|file| PollFd::from_borrowed_fd(file, PollFlags::IN));
    let mut watched: Vec<_> = watched.collect();
    poll(&mut watched, None)?;
    Ok(!watched[0].revents().is_empty())
}

/// Sends on all that is in the pipes and drops those that are closed.
fn forward(pipes: &mut Vec<Pipe>, port: &mut impl Write) -> io::Result<()> {
    let mut open = Vec::new();
    for mut pipe in pipes.drain(..) {
        if pipe.forward(port)? {
            open.push(pipe);
        }
    }
    *pipes = open;
    Ok(())
}

/// The reading end of one of the child's outputs.
struct Pipe {
    kind: Kind,
    file: File,
}

impl Pipe {
    fn new(kind: Kind, descriptor: OwnedFd) -> io::Result<Self> {
        fcntl_setfl(&descriptor, fcntl_getfl(&descriptor)? | OFlags::NONBLOCK)?;
        Ok(Self {
            kind,
            file: descriptor.into(),
        })
    }

    /// Sends on the available output; false if there will be no more.
    fn forward(&mut self, port: &mut impl Write) -> io::Result<bool> {
        let mut chunk = [0; 1 << 14];
        loop {
            match self.file.read(&mut chunk) {
                Ok(0) => return Ok(false),
                Ok(length) => Frame::new(self.kind, &chunk[..length]).write(port)?,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(true),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the contents of a command's frames: standard output, standard error,
    /// status.
    fn outcome(command: &str) -> (String, String, Option<i32>) {
        let mut stream = Vec::new();
        run(command.as_bytes(), &mut stream).expect("a shell");
        let mut stream = stream.as_slice();
        let (mut out, mut err, mut status) = (Vec::new(), Vec::new(), None);
        while let Ok(frame) = Frame::read(&mut stream) {
            match frame.kind {
                Kind::Stdout => out.extend(&frame.payload),
                Kind::Stderr => err.extend(&frame.payload),
                _ => status = frame.to_status(),
            }
        }
        let text = |bytes| String::from_utf8(bytes).expect("text");
        (text(out), text(err), status)
    }

    #[test]
    fn long_output_arrives_whole() {
        let (out, _, status) =
            outcome("i=0; while [ $i -lt 30000 ]; do echo line $i; i=$((i+1)); done");
        assert_eq!(out.lines().count(), 30_000);
        assert!(out.ends_with("line 29999\n"));
        assert_eq!(status, Some(0));
    }

    #[test]
    fn a_signal_counts_from_128() {
        assert_eq!(outcome("kill -9 $$").2, Some(137));
    }

    #[test]
    fn background_children_are_not_waited_for() {
        let start = std::time::Instant::now();
        let (out, _, status) = outcome("sleep 30 & echo started");
        assert_eq!((out.as_str(), status), ("started\n", Some(0)));
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}
