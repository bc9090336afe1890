// SPDX-License-Identifier: GPL-2.0

//! Errors that end a command. Each sentence names the file or event, and says
//! what to do.

use std::io;
use std::path::{Path, PathBuf};

/// Error that ends a command.
#[derive(Debug, thiserror::Error)]
#[expect(
    missing_docs,
    reason = "the message of a variant says what its fields are"
)]
pub enum Error {
    /// A file cannot be read.
    #[error("{path} cannot be read: {source}{}", .remedy.map(|what| format!("; {what}")).unwrap_or_default())]
    Read {
        path: PathBuf,
        source: io::Error,
        remedy: Option<&'static str>,
    },
    /// A file cannot be written.
    #[error("{path} cannot be written: {source}")]
    Write { path: PathBuf, source: io::Error },
    /// A recording is wrong.
    #[error("{0}")]
    Recording(#[from] uncore_metrics::recording::ReadError),
    /// A report cannot be written as JSON.
    #[error("the report cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The module has no PMU on this system.
    #[error("there are no PMUs of uncore_rs in {0}: \"uncore doctor\" shows the reason")]
    NoPmus(PathBuf),
    /// The module has not added all its PMUs yet.
    #[error("uncore_rs is being loaded: try again")]
    Loading,
    /// The module removes its PMUs.
    #[error("uncore_rs is being unloaded")]
    Unloading,
    /// No PMU has this name.
    #[error("there is no PMU {name}{why}; the PMUs are {known}")]
    UnknownPmu {
        name: String,
        why: String,
        known: String,
    },
    /// No event has this name.
    #[error("no PMU has an event {name}{similar}")]
    UnknownEvent { name: String, similar: String },
    /// Several PMUs have the event.
    #[error("{name} is an event of {pmus}: name the PMU, as in {example}")]
    AmbiguousEvent {
        name: String,
        pmus: String,
        example: String,
    },
    /// The text is not an event.
    #[error("{text:?} is not an event: {what}; write PMU/TERM,TERM=VALUE/, as perf does")]
    Syntax { text: String, what: &'static str },
    /// A term of the event is wrong.
    #[error("{text}: {fault}")]
    Event { text: String, fault: String },
    /// No package has one of the CPUs.
    #[error("no counted package has CPU {0}: \"uncore topology\" shows the packages")]
    UnknownCpu(u32),
    /// The kernel does not open an event.
    #[error("{event} cannot be counted on CPU {cpu}: {source}; {remedy}")]
    Open {
        event: String,
        cpu: u32,
        source: io::Error,
        remedy: &'static str,
    },
    /// Open events cannot be started, stopped or read.
    #[error(
        "{pmu} stopped counting: {source}; \"uncore topology\" shows the boxes that are there"
    )]
    Count { pmu: String, source: io::Error },
    /// No metric or kind of box has this name.
    #[error("there is no metric or kind of box {0}: \"uncore stat --list\" lists them")]
    UnknownMetric(String),
    /// The data file of metrics is wrong.
    #[error("{0}")]
    Metrics(#[from] uncore_metrics::CatalogueError),
    /// The command counts, but the system is a recorded one.
    #[error("{0} is a recorded system, in which nothing counts: leave --root out")]
    NotLive(PathBuf),
    /// The experiments cannot go on, or registers could not be restored.
    #[error(
        "{0}; `uncore survey --restore` restores what a survey has left, once that does not keep \
         it from it"
    )]
    Survey(io::Error),
    /// The experiments ended early, and all registers are as before.
    #[error("the survey found nothing: {0}; all registers are as they were")]
    SurveyEnded(io::Error),
    /// No point has this name.
    #[error("there is no point {0}: \"uncore survey --dry-run\" lists them")]
    UnknownPoint(String),
    /// There is nothing to draw on.
    #[error("input and output must be a terminal: --batch and --once print screens without one")]
    NoTerminal,
    /// The command changes drivers, but the system is a recorded one.
    #[error("{0} is a recorded system, whose drivers cannot be changed: leave --root out")]
    RecordedDrivers(PathBuf),
    /// The command needs root.
    #[error("only root can load and unload modules: run `sudo uncore {0}`")]
    Privilege(&'static str),
    /// The module cannot run on this machine or kernel.
    #[error("{finding}; {remedy}")]
    Obstacle { finding: String, remedy: String },
    /// intel_uncore is built into the kernel.
    #[error(
        "intel_uncore is part of this kernel and cannot be unloaded: boot with \
         initcall_blacklist=intel_uncore_init, then `uncore enable` again"
    )]
    BuiltIn,
    /// The user did not agree to a boot parameter.
    #[error("nothing was changed; `uncore enable --yes` would do this:\n{0}")]
    NotAgreed(String),
    /// A driver has open events.
    #[error(
        "{module} cannot be unloaded while {events} of its events are open: end perf and other \
         programs that count, then try again"
    )]
    EventsOpen { module: &'static str, events: u32 },
    /// The running kernel has no module.
    #[error("there is no uncore_rs for Linux {release}: {reason}; {remedy}")]
    NoModule {
        release: String,
        reason: String,
        remedy: String,
    },
    /// A module could not be loaded or unloaded.
    #[error("`{command}` failed: {said}; {remedy}")]
    Modprobe {
        command: String,
        said: String,
        remedy: String,
    },
    /// The steps before a failure could not be undone.
    #[error("{error}. The earlier steps could not be undone, because `{command}` failed, too: {said}; reboot")]
    NotUndone {
        error: String,
        command: String,
        said: String,
    },
    /// A program cannot be run.
    #[error("{program} cannot be run: {source}")]
    Command { program: String, source: io::Error },
    /// Signals cannot be caught.
    #[error("signals cannot be caught: {0}")]
    Signals(io::Error),
    /// The exporter cannot listen.
    #[error("cannot listen at {address}: {source}")]
    Listen { address: String, source: io::Error },
    /// The exporter's child cannot listen, or not give up its privileges.
    #[error("{0}")]
    Child(String),
    /// Other programs have all counters of some boxes, which the exporter has named.
    #[error("{0} of the boxes cannot be counted: end the programs that have their counters")]
    Held(usize),
    /// The exporter cannot wait for requests.
    #[error("cannot wait for requests: {0}")]
    Serve(io::Error),
    /// The data file of relations is wrong.
    #[error("{check}: {what}")]
    Relation { check: String, what: String },
}

impl Error {
    /// Returns the function that makes the error of a file that cannot be written.
    pub(crate) fn writing(path: impl AsRef<Path>) -> impl FnOnce(io::Error) -> Self {
        let path = path.as_ref().to_path_buf();
        move |source| Self::Write { path, source }
    }
}
