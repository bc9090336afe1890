// SPDX-License-Identifier: GPL-2.0

//! `export`: counts the overview for Prometheus.
//!
//! The way of a scrape: [`server`] reads a request, [`collector`] reads the counters, [`state`]
//! adds what they say to the sums and makes [`family`]s of all that is known, whose names follow
//! the rules of [`names`], and [`text`] writes them in the format that [`accept`] chooses.

mod accept;
mod collector;
mod dashboard;
mod family;
#[cfg(test)]
mod grammar;
mod names;
pub(crate) mod server;
mod signals;
mod state;
mod text;
mod textfile;
mod totals;

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::cli::Export;
use crate::error::Error;
use crate::Outcome;
use collector::{say, Collector};
use server::{Listener, Reply, Request, Server};
use signals::Signals;
pub(crate) use signals::{RELEASE, RESUME};
use text::Format;

/// Time between two looks whether the counters can be taken again.
const LOOK: Duration = Duration::from_secs(1);

/// Exports until a signal ends it.
pub fn run(root: &Path, arguments: &Export) -> Result<Outcome, Error> {
    if arguments.dashboard {
        return dashboard::of(root).map(Outcome::said);
    }
    let addresses = arguments.addresses();
    let listeners = addresses.iter().map(|address| {
        let listening = Listener::new(address);
        listening.map_err(|source| Error::Listen {
            address: address.to_string(),
            source,
        })
    });
    let mut server = Server::new(listeners.collect::<Result<_, _>>()?);
    let signals = Signals::catch().map_err(Error::Signals)?;
    let mut collector = Collector::new(root, arguments.all_counters)?;
    collector.notes.iter().for_each(|note| say(note));
    let step = arguments.step();
    if arguments.once {
        thread::sleep(step);
        let text = page(&mut collector);
        return match &arguments.textfile {
            Some(path) => write(path, &text).map(|()| Outcome::default()),
            None => Ok(Outcome::said(text)),
        };
    }
    let file = arguments.textfile.as_deref();
    let mut due = file.map(|_| Instant::now() + step);
    while !signals.ends() {
        if let Some(path) = file.filter(|_| due.is_some_and(|due| due <= Instant::now())) {
            // A full disk, as an example, may have room again later.
            if let Err(error) = write(path, &page(&mut collector)) {
                say(&error.to_string());
            }
            due = Some(Instant::now() + step);
        }
        let look = (!collector.is_counting()).then(|| Instant::now() + LOOK);
        let deadline = due.into_iter().chain(look).min();
        server
            .turn(signals.wake(), deadline, &mut |request| {
                answer(&mut collector, request)
            })
            .map_err(Error::Serve)?;
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

/// Returns a page in the format that files have.
fn page(collector: &mut Collector) -> String {
    collector.scrape();
    Format::Prometheus.text(&collector.state.families())
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    textfile::write(path, text).map_err(Error::writing(path))
}

fn answer(collector: &mut Collector, request: &Request) -> Reply {
    match request.path.as_str() {
        "/metrics" => {
            collector.scrape();
            let format = accept::format(&request.accept);
            Reply {
                status: "200 OK",
                content_type: format.content_type(),
                body: format.text(&collector.state.families()),
            }
        }
        "/" => Reply {
            body: front(collector),
            ..Reply::line("200 OK")
        },
        _ => Reply::line("404 Not Found"),
    }
}

/// The page for people who look what is here.
fn front(collector: &Collector) -> String {
    let mut text = format!(
        "uncore {}: the metrics are at /metrics\n",
        env!("CARGO_PKG_VERSION")
    );
    for note in collector.notes.iter().chain(&collector.lost) {
        text.push_str(note);
        text.push('\n');
    }
    text
}
