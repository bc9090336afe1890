// SPDX-License-Identifier: GPL-2.0

//! Why a command cannot do its work, in sentences that name the file or the
//! event and what to do about it.

use std::io;
use std::path::PathBuf;

/// What ends a command.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read.
    #[error("{path} cannot be read: {source}{}", .remedy.map(|what| format!("; {what}")).unwrap_or_default())]
    Read {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
        /// What helps, if that is known.
        remedy: Option<&'static str>,
    },
    /// A file cannot be written.
    #[error("{path} cannot be written: {source}")]
    Write {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A program cannot be shown a report.
    #[error("the report cannot be put as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The module has no PMU here.
    #[error("there are no PMUs of ivbep_uncore in {0}: \"ivbep-uncore doctor\" tells why")]
    NoPmus(PathBuf),
    /// No PMU is called so.
    #[error("there is no PMU {name}{why}: there are {known}")]
    UnknownPmu {
        /// What it was called.
        name: String,
        /// What the module says about it.
        why: String,
        /// Those there are.
        known: String,
    },
    /// No event is called so.
    #[error(
        "no PMU has an event {name}: \"ivbep-uncore list {word}\" shows those that are like it"
    )]
    UnknownEvent {
        /// What it was called.
        name: String,
        /// What to search for.
        word: String,
    },
    /// Several PMUs have it.
    #[error("{name} is an event of {pmus}: say which, as in {example}")]
    AmbiguousEvent {
        /// The event.
        name: String,
        /// Who has it.
        pmus: String,
        /// One way to say it.
        example: String,
    },
    /// What should be an event is none.
    #[error("{text:?} is no event: {what}; write PMU/TERM,TERM=VALUE/, as perf does")]
    Syntax {
        /// What was given.
        text: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// An event is not opened.
    #[error("{event} cannot be counted on CPU {cpu}: {source}; {remedy}")]
    Open {
        /// Which, as perf takes it.
        event: String,
        /// Where.
        cpu: u32,
        /// What the kernel says.
        source: io::Error,
        /// What helps.
        remedy: &'static str,
    },
    /// Open events cannot be started, stopped or read.
    #[error(
        "{pmu} does not count any more: {source}; \"ivbep-uncore topology\" shows what is there"
    )]
    Count {
        /// Whose.
        pmu: String,
        /// What the kernel says.
        source: io::Error,
    },
    /// No metric is called so.
    #[error("there is no metric or kind of box {0}: \"ivbep-uncore stat --list\" shows them")]
    UnknownMetric(String),
    /// The data file of metrics is wrong.
    #[error("{0}")]
    Metrics(#[from] ivbep_metrics::CatalogueError),
    /// Nothing counts in a recorded system.
    #[error("{0} is a recorded system, in which nothing counts: leave --root out")]
    NotLive(PathBuf),
    /// A recorded system has no drivers.
    #[error("{0} is a recorded system, whose drivers cannot be changed: leave --root out")]
    RecordedDrivers(PathBuf),
    /// An ordinary user cannot do it.
    #[error("only root can load and unload modules: `sudo ivbep-uncore {0}`")]
    Privilege(&'static str),
    /// The module cannot run here.
    #[error("{finding}; {remedy}")]
    Obstacle {
        /// What keeps it from that.
        finding: String,
        /// What helps.
        remedy: String,
    },
    /// The other driver cannot be unloaded, ever.
    #[error(
        "intel_uncore is part of this kernel and cannot be unloaded: boot with \
         initcall_blacklist=intel_uncore_init, then `ivbep-uncore enable` again"
    )]
    BuiltIn,
    /// A driver cannot be unloaded now.
    #[error(
        "{module} cannot be unloaded while {events} of its events are open: end perf and other \
         programs that count, then try again"
    )]
    EventsOpen {
        /// Which.
        module: &'static str,
        /// How many.
        events: u32,
    },
    /// The running kernel has no module to load.
    #[error("there is no ivbep_uncore for Linux {release}: {reason}; {remedy}")]
    NoModule {
        /// The kernel.
        release: String,
        /// Why.
        reason: String,
        /// What helps.
        remedy: String,
    },
    /// A module was not loaded or unloaded.
    #[error("`{command}` failed: {said}; {remedy}")]
    Modprobe {
        /// How it was tried.
        command: String,
        /// What it said.
        said: String,
        /// What helps.
        remedy: String,
    },
    /// What was before a failure is not any more.
    #[error("{error}. That cannot be undone, because `{command}` failed, too: {said}; boot again")]
    NotUndone {
        /// The failure.
        error: String,
        /// What should have undone it.
        command: String,
        /// What it said.
        said: String,
    },
    /// A command cannot be run.
    #[error("{program} cannot be run: {source}")]
    Command {
        /// Its name.
        program: String,
        /// What the system says.
        source: io::Error,
    },
    /// Signals cannot be caught.
    #[error("signals cannot be caught: {0}")]
    Signals(io::Error),
    /// The data file of relations is wrong.
    #[error("{check}: {what}")]
    Relation {
        /// Which relation.
        check: String,
        /// What is wrong with it.
        what: String,
    },
}
