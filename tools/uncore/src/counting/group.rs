// SPDX-License-Identifier: GPL-2.0

//! Groups of events on one box of one package, through `perf_event_open`.
//!
//! A group is opened stopped. Its counts can be read at any time.

use std::io;
use std::time::Duration;

use perf_event::events::{Event, Software};
use perf_event::{Builder, Counter, ReadFormat};
use perf_event_open_sys::bindings::{
    perf_event_attr, perf_event_attr__bindgen_ty_3, perf_event_attr__bindgen_ty_4,
};
use rustix::thread::{sched_getaffinity, sched_setaffinity, CpuSet};

use crate::error::Error;
use crate::system::{Pmu, Word, Words};

/// First `perf_event_paranoid` at which Debian's kernels ask for CAP_SYS_ADMIN. Other kernels take it
/// for 2.
pub(crate) const RESTRICTED: i64 = 3;

fn level() -> Option<i64> {
    let text = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").ok()?;
    text.trim().parse().ok()
}

/// Returns whether the kernel lets this process count for all processes.
pub(crate) fn is_allowed() -> bool {
    let counter = Builder::new(Software::DUMMY).any_pid().one_cpu(0).build();
    counter.is_ok()
}

/// Pins this thread to a CPU until it is dropped. Counters of that CPU are then opened
/// and read without interrupting other CPUs. Without the pin this only takes longer.
pub(crate) struct CpuPin {
    /// CPUs on which this thread ran before.
    home: Option<CpuSet>,
}

impl CpuPin {
    /// Pins this thread to a CPU.
    pub(crate) fn to(cpu: u32) -> Self {
        let home = sched_getaffinity(None).ok();
        let mut there = CpuSet::new();
        if let (Some(_), Ok(cpu @ 0..CpuSet::MAX_CPU)) = (&home, usize::try_from(cpu)) {
            there.set(cpu);
            let _ = sched_setaffinity(None, &there);
        }
        Self { home }
    }
}

impl Drop for CpuPin {
    fn drop(&mut self) {
        if let Some(home) = &self.home {
            let _ = sched_setaffinity(None, home);
        }
    }
}

/// Events that count together on a box of a package.
#[derive(Debug)]
pub(crate) struct Group {
    leader: Counter,
    members: Vec<Counter>,
}

/// Counts of a group since it was opened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Count of each event, in the group's order.
    pub(crate) values: Vec<u64>,
    /// Time for which the group was started.
    pub(crate) enabled: Duration,
    /// Part of that time in which the group counted.
    pub(crate) running: Duration,
}

/// Ways to open an event that the driver must refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// For sampling.
    Sampling,
    /// For one process, on any CPU.
    OfProcess,
    /// Without user space.
    WithoutUser,
}

/// Tries to open an event in this manner.
pub(crate) fn opens(pmu: &Pmu, cpu: u32, words: Words, manner: Manner) -> io::Result<()> {
    let mut builder = builder(pmu, cpu, words)?;
    builder.enabled(false);
    match manner {
        Manner::Sampling => builder.sample_period(100_000),
        Manner::OfProcess => builder.observe_self().any_cpu(),
        Manner::WithoutUser => builder.exclude_user(true),
    };
    builder.build().map(drop)
}

/// Time for which a group has its counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hold {
    /// It takes turns with others, of this program or another.
    InTurns,
    /// All of the time, or not at all. If it cannot count, the kernel ends it with an error, until it
    /// is started again.
    Always,
}

/// Refusal of a group by the kernel.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// Index of the refused event in the group.
    pub(crate) member: usize,
    /// Error of the kernel.
    pub(crate) source: io::Error,
}

impl Group {
    /// Opens a group that takes turns with others, without starting it.
    pub(crate) fn open(pmu: &Pmu, cpu: u32, events: &[Words]) -> Result<Self, Refusal> {
        Self::with(pmu, cpu, events, Hold::InTurns)
    }

    /// Opens an event of a PMU that is not the module's, without starting it.
    pub(crate) fn of_kind(kind: u32, cpu: u32, words: Words) -> io::Result<Self> {
        Ok(Self {
            leader: builder_of(kind, cpu, words)?.enabled(false).build()?,
            members: Vec::new(),
        })
    }

    /// Opens a group, without starting it.
    pub(crate) fn with(pmu: &Pmu, cpu: u32, events: &[Words], hold: Hold) -> Result<Self, Refusal> {
        let pinned = hold == Hold::Always;
        let mut leader: Option<Counter> = None;
        let mut members = Vec::new();
        for (member, words) in events.iter().enumerate() {
            let opened = builder(pmu, cpu, *words).and_then(|mut builder| match &mut leader {
                None => {
                    leader = Some(builder.pinned(pinned).enabled(false).build()?);
                    Ok(())
                }
                Some(leader) => {
                    members.push(builder.enabled(true).build_with_group(leader)?);
                    Ok(())
                }
            });
            opened.map_err(|source| Refusal { member, source })?;
        }
        let none = || io::Error::new(io::ErrorKind::InvalidInput, "a group without events");
        let leader = leader.ok_or_else(none);
        let leader = leader.map_err(|source| Refusal { member: 0, source })?;
        Ok(Self { leader, members })
    }

    /// Starts all of its events at once.
    pub(crate) fn start(&mut self) -> io::Result<()> {
        self.leader.enable_group()
    }

    /// Stops all of its events at once.
    pub(crate) fn stop(&mut self) -> io::Result<()> {
        self.leader.disable_group()
    }

    /// Reads the counts. The error is `UnexpectedEof` if the kernel has ended a pinned group.
    pub(crate) fn read(&mut self) -> io::Result<Counts> {
        let data = self.leader.read_group()?;
        let values: Vec<u64> = data.iter().map(|entry| entry.value()).collect();
        if values.len() != self.members.len() + 1 {
            return Err(io::Error::other(
                "the kernel returned values of other events than were opened",
            ));
        }
        Ok(Counts {
            values,
            enabled: data.time_enabled().unwrap_or_default(),
            running: data.time_running().unwrap_or_default(),
        })
    }
}

impl Refusal {
    /// Returns whether other events may still be opened.
    pub(crate) fn is_about_the_event(&self) -> bool {
        let about = [libc::EINVAL, libc::ENODEV, libc::EOPNOTSUPP];
        about.contains(&self.source.raw_os_error().unwrap_or_default())
    }

    /// Converts the refusal into an error for the user.
    pub(crate) fn of(self, pmu: &Pmu, cpu: u32, event: &str) -> Error {
        Error::Open {
            event: format!("{}/{event}/", pmu.name),
            cpu,
            remedy: remedy(&self.source),
            source: self.source,
        }
    }
}

pub(crate) fn remedy(error: &io::Error) -> &'static str {
    match error.raw_os_error().unwrap_or_default() {
        libc::EACCES | libc::EPERM if level().is_some_and(|level| level >= RESTRICTED) => {
            "at perf_event_paranoid 3 Debian's kernels let only root and CAP_SYS_ADMIN count; at 2 \
             CAP_PERFMON is enough, at 0 no privilege is needed"
        }
        libc::EACCES | libc::EPERM => {
            "counting for all processes needs root, CAP_PERFMON or perf_event_paranoid 0; an \
             interval or an address needs root or CAP_PERFMON"
        }
        libc::EMFILE | libc::ENFILE => "raise the limit of open files with ulimit -n",
        libc::EINVAL => "\"uncore explain\" shows the fault",
        libc::ENODEV => "the box is gone: \"uncore topology\" shows the boxes that are there",
        _ => "\"uncore doctor\" looks for the reason",
    }
}

fn builder(pmu: &Pmu, cpu: u32, words: Words) -> io::Result<Builder<'static>> {
    let unknown = || io::Error::other(format!("sysfs has no type of {}", pmu.name));
    builder_of(pmu.kind.ok_or_else(unknown)?, cpu, words)
}

fn builder_of(kind: u32, cpu: u32, words: Words) -> io::Result<Builder<'static>> {
    let mut builder = Builder::new(Request { kind, words });
    let cpu = usize::try_from(cpu).map_err(io::Error::other)?;
    builder
        .any_pid()
        .one_cpu(cpu)
        .exclude_kernel(false)
        .exclude_hv(false)
        .read_format(
            ReadFormat::GROUP | ReadFormat::TOTAL_TIME_ENABLED | ReadFormat::TOTAL_TIME_RUNNING,
        );
    Ok(builder)
}

/// Event by its config words.
struct Request {
    kind: u32,
    words: Words,
}

impl Event for Request {
    fn update_attrs(self, attr: &mut perf_event_attr) {
        let word = |name| Word::of(name).map_or(0, |word| self.words.get(word));
        attr.type_ = self.kind;
        attr.config = word("config");
        attr.__bindgen_anon_3 = perf_event_attr__bindgen_ty_3 {
            config1: word("config1"),
        };
        attr.__bindgen_anon_4 = perf_event_attr__bindgen_ty_4 {
            config2: word("config2"),
        };
        attr.config3 = word("config3");
    }
}
