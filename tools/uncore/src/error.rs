// SPDX-License-Identifier: GPL-2.0

//! Errors that end a command. Each sentence names the file or event, and says
//! what to do.

use std::io;
use std::path::PathBuf;

/// Error that ends a command.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read.
    #[error("{path} cannot be read: {source}{}", .remedy.map(|what| format!("; {what}")).unwrap_or_default())]
    Read {
        /// File.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
        /// Remedy, if one is known.
        remedy: Option<&'static str>,
    },
    /// A file cannot be written.
    #[error("{path} cannot be written: {source}")]
    Write {
        /// File.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// A report cannot be written as JSON.
    #[error("the report cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The module has no PMU on this system.
    #[error("there are no PMUs of uncore_rs in {0}: \"uncore doctor\" shows the reason")]
    NoPmus(PathBuf),
    /// No PMU has this name.
    #[error("there is no PMU {name}{why}; the PMUs are {known}")]
    UnknownPmu {
        /// Name that the user wrote.
        name: String,
        /// Reason of the module, if it has one.
        why: String,
        /// Names of the PMUs.
        known: String,
    },
    /// No event has this name.
    #[error("no PMU has an event {name}: \"uncore list {word}\" lists similar ones")]
    UnknownEvent {
        /// Name that the user wrote.
        name: String,
        /// Word that finds similar events.
        word: String,
    },
    /// Several PMUs have the event.
    #[error("{name} is an event of {pmus}: name the PMU, as in {example}")]
    AmbiguousEvent {
        /// Name of the event.
        name: String,
        /// PMUs that have the event.
        pmus: String,
        /// Event with one of the PMUs.
        example: String,
    },
    /// The text is not an event.
    #[error("{text:?} is not an event: {what}; write PMU/TERM,TERM=VALUE/, as perf does")]
    Syntax {
        /// Text that the user wrote.
        text: String,
        /// Fault in the text.
        what: &'static str,
    },
    /// The kernel does not open an event.
    #[error("{event} cannot be counted on CPU {cpu}: {source}; {remedy}")]
    Open {
        /// Event in perf's form.
        event: String,
        /// CPU on which the event was opened.
        cpu: u32,
        /// Error of the kernel.
        source: io::Error,
        /// Remedy.
        remedy: &'static str,
    },
    /// Open events cannot be started, stopped or read.
    #[error(
        "{pmu} stopped counting: {source}; \"uncore topology\" shows the boxes that are there"
    )]
    Count {
        /// PMU of the events.
        pmu: String,
        /// Error of the kernel.
        source: io::Error,
    },
    /// No metric or kind of box has this name.
    #[error("there is no metric or kind of box {0}: \"uncore stat --list\" lists them")]
    UnknownMetric(String),
    /// The data file of metrics is wrong.
    #[error("{0}")]
    Metrics(#[from] uncore_metrics::CatalogueError),
    /// The command counts, but the system is a recorded one.
    #[error("{0} is a recorded system, in which nothing counts: leave --root out")]
    NotLive(PathBuf),
    /// The command changes drivers, but the system is a recorded one.
    #[error("{0} is a recorded system, whose drivers cannot be changed: leave --root out")]
    RecordedDrivers(PathBuf),
    /// The command needs root.
    #[error("only root can load and unload modules: run `sudo uncore {0}`")]
    Privilege(&'static str),
    /// The module cannot run on this machine or kernel.
    #[error("{finding}; {remedy}")]
    Obstacle {
        /// Reason.
        finding: String,
        /// Remedy.
        remedy: String,
    },
    /// intel_uncore is built into the kernel.
    #[error(
        "intel_uncore is part of this kernel and cannot be unloaded: boot with \
         initcall_blacklist=intel_uncore_init, then `uncore enable` again"
    )]
    BuiltIn,
    /// A driver has open events.
    #[error(
        "{module} cannot be unloaded while {events} of its events are open: end perf and other \
         programs that count, then try again"
    )]
    EventsOpen {
        /// Driver.
        module: &'static str,
        /// Number of open events.
        events: u32,
    },
    /// The running kernel has no module.
    #[error("there is no uncore_rs for Linux {release}: {reason}; {remedy}")]
    NoModule {
        /// Release of the kernel.
        release: String,
        /// Reason.
        reason: String,
        /// Remedy.
        remedy: String,
    },
    /// A module could not be loaded or unloaded.
    #[error("`{command}` failed: {said}; {remedy}")]
    Modprobe {
        /// Command that failed.
        command: String,
        /// Message of the command.
        said: String,
        /// Remedy.
        remedy: String,
    },
    /// The steps before a failure could not be undone.
    #[error("{error}. The earlier steps could not be undone, because `{command}` failed, too: {said}; reboot")]
    NotUndone {
        /// Failure of the step.
        error: String,
        /// Command that failed to undo the steps.
        command: String,
        /// Message of the command.
        said: String,
    },
    /// A program cannot be run.
    #[error("{program} cannot be run: {source}")]
    Command {
        /// Name of the program.
        program: String,
        /// Error of the system.
        source: io::Error,
    },
    /// Signals cannot be caught.
    #[error("signals cannot be caught: {0}")]
    Signals(io::Error),
    /// The data file of relations is wrong.
    #[error("{check}: {what}")]
    Relation {
        /// Name of the relation.
        check: String,
        /// Fault of the relation.
        what: String,
    },
}
