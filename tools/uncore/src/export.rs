// SPDX-License-Identifier: GPL-2.0

//! `export`: counts the overview for Prometheus.
//!
//! The way of a scrape: in the [`child`], [`server`] reads a request, and [`accept`] chooses a
//! format. In its parent, [`collector`] reads the counters, [`state`] adds what they say to the sums
//! and makes [`family`]s of all that is known, whose names follow the rules of [`names`], and
//! [`text`] writes them.

mod accept;
mod child;
mod collector;
mod dashboard;
mod family;
mod names;
mod server;
mod signals;
mod state;
mod text;
mod textfile;
mod totals;

use std::os::fd::AsFd;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};

use crate::cli::Export;
use crate::error::Error;
use crate::outcome::Outcome;
use crate::terminal::say;
use child::{Child, Page};
use collector::Collector;
use signals::Signals;
pub(crate) use signals::{RELEASE, RESUME};
use text::Format;

/// Time between two looks whether the counters can be taken again.
const LOOK: Duration = Duration::from_secs(1);

/// Page that files have.
const FILE: Page = Page::Metrics(Format::Prometheus);

/// Exports until a signal ends it.
pub fn run(root: &Path, arguments: &Export) -> Result<Outcome, Error> {
    if arguments.dashboard {
        return dashboard::of(root, arguments.all_counters).map(Outcome::said);
    }
    let addresses = arguments.addresses();
    if arguments.answer {
        return child::answer(&addresses);
    }
    let signals = Signals::catch().map_err(Error::Signals)?;
    let child = (!addresses.is_empty()).then(|| Child::start(&addresses));
    let child = child.transpose()?;
    let waits = !arguments.once;
    let mut collector = Collector::new(root, arguments.all_counters, arguments.pause(), waits)?;
    collector.notes.iter().for_each(|note| say(note));
    let step = arguments.step();
    if arguments.once {
        thread::sleep(step);
        return match &arguments.textfile {
            Some(path) => write(path, &mut collector).map(|()| Outcome::default()),
            None => Ok(Outcome::said(text(&mut collector, FILE))),
        };
    }
    let file = arguments.textfile.as_deref();
    let mut due = file.map(|_| Instant::now() + step);
    while !signals.ends() {
        if let Some(path) = file.filter(|_| due.is_some_and(|due| due <= Instant::now())) {
            // A full disk, as an example, may have room again later.
            if let Err(error) = write(path, &mut collector) {
                say(&error.to_string());
            }
            due = Some(Instant::now() + step);
        }
        let look = (!collector.is_counting()).then(|| Instant::now() + LOOK);
        let deadline = due.into_iter().chain(look).min();
        let places = std::iter::once(signals.wake()).chain(child.as_ref().map(AsFd::as_fd));
        let mut waiting: Vec<PollFd> = places
            .map(|place| PollFd::from_borrowed_fd(place, PollFlags::IN))
            .collect();
        server::wait(&mut waiting, deadline).map_err(Error::Serve)?;
        let asks = waiting
            .get(1)
            .is_some_and(|child| !child.revents().is_empty());
        if let Some(child) = child.as_ref().filter(|_| asks) {
            let served = child.serve(|page| text(&mut collector, page));
            served.map_err(Error::Serve)?;
        }
        signals.clear();
        if signals.take_release() {
            collector.release();
        }
        if signals.take_resume() {
            collector.resume();
        }
        collector.look();
    }
    Ok(Outcome::default())
}

/// Returns a page, for which it reads the counters.
fn text(collector: &mut Collector, page: Page) -> String {
    match page {
        Page::Metrics(format) => {
            collector.scrape();
            format.text(&collector.state.families())
        }
        Page::Front => front(collector),
    }
}

/// Writes a page in the format that files have.
fn write(path: &Path, collector: &mut Collector) -> Result<(), Error> {
    let text = text(collector, FILE);
    textfile::write(path, &text).map_err(Error::writing(path))
}

/// The page for people who look what is here.
fn front(collector: &Collector) -> String {
    let mut text = format!(
        "uncore {}: the metrics are at /metrics\n",
        crate::version::VERSION
    );
    for note in collector.notes.iter().chain(&collector.lost) {
        text.push_str(note);
        text.push('\n');
    }
    text
}
