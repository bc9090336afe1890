// SPDX-License-Identifier: GPL-2.0

//! The process that clients talk to, a child of the one that counts.
//!
//! Events are opened again long after the start: when the counters come back from a handover, when
//! the module is loaded anew, when CPUs come back. That may need CAP_SYS_ADMIN each time, at
//! `perf_event_paranoid` 3 of Debian's kernels. So the process that counts keeps its capabilities,
//! and reads nothing that a client has sent. The child gives up all capabilities before it takes
//! a connection, and gets a whole page for one byte.

use std::io::{self, Read as _, Write as _};
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{self, Command, Stdio};
use std::time::Duration;

use rustix::thread::{self, CapabilitySet, CapabilitySets};

use super::accept;
use super::server::{Listener, Reply, Request, Server};
use super::signals::Signals;
use super::text::Format;
use crate::cli::Address;
use crate::error::Error;
use crate::outcome::Outcome;

/// What the child sends when it listens. Else it sends an error's text.
const READY: u8 = 0;

/// Time for the child to take a page.
const PATIENCE: Duration = Duration::from_secs(2);

/// Page that the child may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Page {
    Metrics(Format),
    /// The page for people who look what is here.
    Front,
}

impl Page {
    const ALL: [(u8, Self); 3] = [
        (b'p', Self::Metrics(Format::Prometheus)),
        (b'o', Self::Metrics(Format::OpenMetrics)),
        (b'f', Self::Front),
    ];

    fn of(byte: u8) -> Option<Self> {
        let mut all = Self::ALL.iter();
        all.find(|(own, _)| *own == byte).map(|(_, page)| *page)
    }

    fn byte(self) -> u8 {
        let mut all = Self::ALL.iter();
        all.find(|(_, page)| *page == self)
            .map_or(0, |(own, _)| *own)
    }
}

/// The child, seen from its parent.
#[derive(Debug)]
pub(super) struct Child {
    process: process::Child,
    channel: UnixStream,
}

impl Child {
    /// Starts it. Fails if it cannot listen at these places.
    pub(super) fn start(addresses: &[Address]) -> Result<Self, Error> {
        let (channel, process) = Self::spawn(addresses).map_err(Error::Serve)?;
        let child = Self { process, channel };
        match child.first() {
            Ok(None) => Ok(child),
            Ok(Some(fault)) => Err(Error::Child(fault)),
            Err(source) => Err(Error::Serve(source)),
        }
    }

    fn spawn(addresses: &[Address]) -> io::Result<(UnixStream, process::Child)> {
        let (channel, own) = UnixStream::pair()?;
        channel.set_write_timeout(Some(PATIENCE))?;
        let mut command = Command::new(std::env::current_exe()?);
        command.arg0("uncore").args(["export", "--answer"]);
        for address in addresses {
            command.arg("--listen").arg(address.to_string());
        }
        command.stdin(OwnedFd::from(own)).stdout(Stdio::null());
        Ok((channel, command.spawn()?))
    }

    /// Waits until it listens, and returns its fault if it cannot.
    fn first(&self) -> io::Result<Option<String>> {
        let mut text = vec![READY];
        (&self.channel).read_exact(&mut text)?;
        if text == [READY] {
            return Ok(None);
        }
        (&self.channel).read_to_end(&mut text)?;
        Ok(Some(String::from_utf8_lossy(&text).into_owned()))
    }

    /// Gives it the page that it asks for. Fails if it has ended.
    pub(super) fn serve(&self, page: impl FnOnce(Page) -> String) -> io::Result<()> {
        let mut channel = &self.channel;
        let mut byte = [0];
        channel.read_exact(&mut byte)?;
        let [byte] = byte;
        let page = Page::of(byte).map(page).unwrap_or_default();
        channel.write_all(&page.len().to_le_bytes())?;
        channel.write_all(page.as_bytes())
    }
}

/// Readable when the child asks for a page, or has ended.
impl AsFd for Child {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.channel.as_fd()
    }
}

impl Drop for Child {
    /// Ends it, and waits until its sockets are gone.
    fn drop(&mut self) {
        let _ = self.channel.shutdown(Shutdown::Both);
        let _ = self.process.wait();
    }
}

/// Answers clients until the parent ends: what the child does.
pub(super) fn answer(addresses: &[Address]) -> Result<Outcome, Error> {
    let channel = io::stdin().as_fd().try_clone_to_owned();
    let channel = UnixStream::from(channel.map_err(Error::Serve)?);
    let begun = begin(addresses);
    let first = match &begun {
        Ok(_) => vec![READY],
        Err(error) => error.to_string().into_bytes(),
    };
    (&channel).write_all(&first).map_err(Error::Serve)?;
    if let Ok((mut server, _signals)) = begun {
        let mut answer = |request: &Request| reply(&channel, request);
        // Between two answers the parent sends nothing: it has ended.
        while !server
            .turn(channel.as_fd(), &mut answer)
            .map_err(Error::Serve)?
        {}
    }
    Ok(Outcome::default())
}

/// Listens, and gives up all privileges. The signals are the parent's business, who ends the child;
/// the child catches them to outlive them.
fn begin(addresses: &[Address]) -> Result<(Server, Signals), Error> {
    let signals = Signals::catch().map_err(Error::Signals)?;
    let listeners = addresses.iter().map(|address| {
        let listening = Listener::new(address);
        listening.map_err(|source| Error::Listen {
            address: address.to_string(),
            source,
        })
    });
    let server = Server::new(listeners.collect::<Result<_, _>>()?);
    give_up_privileges().map_err(|error| Error::Serve(error.into()))?;
    Ok((server, signals))
}

/// Gives up all capabilities, for good. This process has one thread.
fn give_up_privileges() -> rustix::io::Result<()> {
    thread::set_no_new_privs(true)?;
    for capability in CapabilitySet::all() {
        // This needs CAP_SETPCAP. Without it no program that is started gains anything, either.
        let _ = thread::remove_capability_from_bounding_set(capability);
    }
    // The kernel clears the ambient set with the inheritable one.
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    thread::set_capabilities(None, none)
}

fn reply(channel: &UnixStream, request: &Request) -> Reply {
    let (page, reply) = match request.path.as_str() {
        "/metrics" => {
            let format = accept::format(&request.accept);
            let reply = Reply {
                content_type: format.content_type(),
                ..Reply::line("200 OK")
            };
            (Page::Metrics(format), reply)
        }
        "/" => (Page::Front, Reply::line("200 OK")),
        _ => return Reply::line("404 Not Found"),
    };
    match ask(channel, page) {
        Ok(body) => Reply { body, ..reply },
        Err(_) => Reply::line("503 Service Unavailable"),
    }
}

fn ask(mut channel: &UnixStream, page: Page) -> io::Result<String> {
    channel.write_all(&[page.byte()])?;
    let mut length = [0; size_of::<usize>()];
    channel.read_exact(&mut length)?;
    let mut body = String::new();
    let length = u64::try_from(usize::from_le_bytes(length)).map_err(io::Error::other)?;
    channel.take(length).read_to_string(&mut body)?;
    Ok(body)
}
