// SPDX-License-Identifier: GPL-2.0

//! A server of HTTP for one answer at a time: one thread, and a limit on everything that a
//! client can make it keep.
//!
//! * A request is at most [`request::LONGEST`] bytes long, and must be there within [`PATIENCE`].
//!   So must the client have taken its answer.
//! * At most [`MOST`] clients are connected. One more takes the place of the one that has been
//!   there longest: an honest client needs milliseconds.
//! * An answer ends its connection.

mod connection;
mod listener;
mod request;

pub(super) use listener::Listener;
pub(super) use request::{Reply, Request};

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use rustix::event::{poll, PollFd, PollFlags, Timespec};

use connection::Connection;

/// Number of connections.
const MOST: usize = 64;
/// Time for a request, and again for its answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// Pause after a connection could not be accepted, as with too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// The server.
#[derive(Debug)]
pub(super) struct Server {
    listeners: Vec<Listener>,
    /// The one that has been there longest is first.
    connections: Vec<Connection>,
    paused: Option<Instant>,
}

impl Server {
    /// A server that listens at these places.
    pub(super) fn new(listeners: Vec<Listener>) -> Self {
        Self {
            listeners,
            connections: Vec::new(),
            paused: None,
        }
    }

    /// Serves what is ready, or waits until something is. Returns whether `wake` is readable.
    pub(super) fn turn(
        &mut self,
        wake: BorrowedFd<'_>,
        answer: &mut dyn FnMut(&Request) -> Reply,
    ) -> io::Result<bool> {
        let now = Instant::now();
        let paused = self.paused.filter(|until| *until > now);
        let mut waiting = vec![PollFd::from_borrowed_fd(wake, PollFlags::IN)];
        for listener in &self.listeners {
            let events = if paused.is_some() {
                PollFlags::empty()
            } else {
                PollFlags::IN
            };
            waiting.push(PollFd::from_borrowed_fd(listener.as_fd(), events));
        }
        for connection in &self.connections {
            let events = connection.awaits();
            waiting.push(PollFd::from_borrowed_fd(connection.as_fd(), events));
        }
        let ends = self.connections.iter().map(Connection::deadline);
        let first = ends.chain(paused).min();
        wait(&mut waiting, first)?;
        let is_ready: Vec<bool> = waiting
            .iter()
            .map(|one| !one.revents().is_empty())
            .collect();
        drop(waiting);
        let (listening, talking) = is_ready
            .get(1..)
            .unwrap_or_default()
            .split_at(self.listeners.len());
        let mut talking = talking.iter();
        let now = Instant::now();
        self.connections.retain_mut(|connection| {
            let is_ready = talking.next().is_some_and(|ready| *ready);
            let goes_on = !is_ready || connection.go_on(now, answer);
            goes_on && connection.deadline() > now
        });
        for (place, _) in listening.iter().enumerate().filter(|(_, ready)| **ready) {
            self.accept(place, now);
        }
        Ok(is_ready.first().is_some_and(|ready| *ready))
    }

    /// Accepts the connections that wait at a listener, up to the number that is kept.
    fn accept(&mut self, place: usize, now: Instant) {
        let Some(listener) = self.listeners.get(place) else {
            return;
        };
        for _ in 0..MOST {
            match listener.accept() {
                Ok(stream) => {
                    if self.connections.len() >= MOST {
                        self.connections.remove(0);
                    }
                    self.connections
                        .push(Connection::new(stream, now + PATIENCE));
                }
                Err(error) => {
                    let is_over = error.kind() == io::ErrorKind::WouldBlock;
                    self.paused = (!is_over).then_some(now + PAUSE);
                    return;
                }
            }
        }
    }
}

/// Waits until one of these is ready, a signal comes, or the time is reached.
pub(super) fn wait(waiting: &mut [PollFd<'_>], until: Option<Instant>) -> io::Result<()> {
    let left = until.map(|until| until.saturating_duration_since(Instant::now()));
    let left = left.map(|left| Timespec {
        tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: left.subsec_nanos().into(),
    });
    match poll(waiting, left.as_ref()) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests;
