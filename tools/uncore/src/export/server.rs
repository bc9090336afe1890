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

pub(crate) use listener::Address;
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

    /// Serves what is ready, or waits until something is, or `wake` is readable, or the deadline
    /// is reached.
    pub(super) fn turn(
        &mut self,
        wake: BorrowedFd<'_>,
        deadline: Option<Instant>,
        answer: &mut dyn FnMut(&Request) -> Reply,
    ) -> io::Result<()> {
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
        let first = ends.chain(deadline).chain(paused).min();
        let left = first.map(|first| timespec(first.saturating_duration_since(now)));
        match poll(&mut waiting, left.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
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
        Ok(())
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

fn timespec(time: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: time.subsec_nanos().into(),
    }
}

#[cfg(test)]
mod tests;
