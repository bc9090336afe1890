// SPDX-License-Identifier: GPL-2.0

//! Where intervals come from: counters, or a recording; and where they are recorded.

use std::path::{Path, PathBuf};

use uncore_metrics::recording::Machine;
use uncore_metrics::{Catalogue, Interval, Scope};

use crate::cli::Top;
use crate::counting::{self, Hold};
use crate::error::Error;
use crate::outcome::Outcome;
use crate::replay::{self, Recorder, Recording};
use crate::root::Root;
use crate::sampler::{self, Sampler};
use crate::system::{self, System};

/// Source of intervals.
pub(super) struct Source {
    machine: Machine,
    notes: Vec<String>,
    kind: Kind,
    recording: Option<(PathBuf, Recorder)>,
}

enum Kind {
    Counted(Box<Counted>),
    Replayed(Box<Replay>),
}

/// Counters that are read.
struct Counted {
    sampler: Sampler,
    root: Root,
    /// True if anything was ever counted.
    found_any: bool,
    /// Says what found no counter in the last interval, and who may have it.
    uncounted: Option<[String; 2]>,
}

/// Recording that is read.
struct Replay {
    path: PathBuf,
    reader: Recording,
    /// Intervals that were read.
    read: u64,
}

impl Source {
    /// Opens the counters, or the recording that the user named.
    pub(super) fn open(root: &Path, arguments: &Top) -> Result<Self, Error> {
        if let Some(path) = &arguments.replay {
            let replay = Replay::open(path)?;
            return Ok(Self {
                machine: replay.reader.machine().clone(),
                notes: Vec::new(),
                kind: Kind::Replayed(Box::new(replay)),
                recording: None,
            });
        }
        let system = System::with_pmus(root)?;
        let cpus = arguments.cpu.as_ref().map(|cpus| cpus.0.as_slice());
        let places = counting::places_on(&system, cpus)?;
        let nodes = counting::own_nodes(&places);
        let metrics = Catalogue::overview(system.platform()?.name)?.metrics(&nodes)?;
        let sampler = Sampler::open(&system, &places, metrics, Hold::InTurns)?;
        let sampler = sampler.with_energy(&system, &places);
        let left_out = sampler.notes(false);
        let mut machine = system.machine()?;
        let is_counted = |number| places.iter().any(|place| place.package == number);
        machine
            .packages
            .retain(|package| is_counted(package.number));
        let written = Machine {
            notes: [machine.notes.clone(), left_out.clone()].concat(),
            ..machine.clone()
        };
        let recording = arguments.record.as_deref();
        let recording = recording
            .map(|path| replay::record(path, &written).map(|file| (path.to_owned(), file)));
        let recording = recording.transpose()?;
        let defects = system.defects().map(|defect| format!("left out: {defect}"));
        Ok(Self {
            notes: left_out.into_iter().chain(defects).collect(),
            machine,
            kind: Kind::Counted(Box::new(Counted {
                sampler,
                root: system.root.clone(),
                found_any: false,
                uncounted: None,
            })),
            recording,
        })
    }

    /// The machine.
    pub(super) const fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Returns the notes on what is not counted.
    pub(super) fn notes(&self) -> Vec<String> {
        let of_interval = match &self.kind {
            Kind::Counted(counted) => counted.uncounted.as_ref().map(|texts| texts.concat()),
            Kind::Replayed(_) => None,
        };
        self.notes.iter().cloned().chain(of_interval).collect()
    }

    /// Starts to count.
    pub(super) fn start(&mut self) -> Result<(), Error> {
        match &mut self.kind {
            Kind::Counted(counted) => counted.sampler.start(),
            Kind::Replayed(_) => Ok(()),
        }
    }

    /// Returns the interval that ends now, or the next one of a recording. `None` is the end.
    pub(super) fn next(&mut self) -> Result<Option<Interval>, Error> {
        let interval = match &mut self.kind {
            Kind::Replayed(replay) => return replay.next(),
            Kind::Counted(counted) => counted.next()?,
        };
        if let Some((path, writer)) = &mut self.recording {
            writer.write(&interval).map_err(Error::writing(path))?;
        }
        Ok(Some(interval))
    }

    /// Goes back in a recording. Returns all intervals before the last.
    pub(super) fn back(&mut self) -> Result<Vec<Interval>, Error> {
        match &mut self.kind {
            Kind::Replayed(replay) => replay.back(),
            Kind::Counted(_) => Ok(Vec::new()),
        }
    }

    /// The name of the recording that is read, and the place in it.
    pub(super) fn place(&self) -> Option<String> {
        match &self.kind {
            Kind::Replayed(replay) => {
                let name = replay.path.file_name().unwrap_or(replay.path.as_os_str());
                let name = name.to_string_lossy();
                Some(format!("{name}, interval {}", replay.read))
            }
            Kind::Counted(_) => None,
        }
    }

    /// Returns what the user must know at the end, and trouble if nothing was counted.
    pub(super) fn end(self) -> Outcome {
        let of_reading = match &self.kind {
            Kind::Replayed(replay) => replay.reader.note().map(str::to_owned),
            Kind::Counted(_) => None,
        };
        let is_blind = matches!(&self.kind, Kind::Counted(counted) if !counted.found_any);
        Outcome {
            notes: self.notes().into_iter().chain(of_reading).collect(),
            trouble: is_blind,
            ..Outcome::default()
        }
    }
}

impl Counted {
    fn next(&mut self) -> Result<Interval, Error> {
        self.sampler.read()?;
        self.found_any |= self.sampler.has_counted();
        let interval = self.sampler.interval(Scope::Box);
        let before = self.uncounted.take();
        self.uncounted = sampler::uncounted(&interval).map(|what| match before {
            // To look at all programs takes long.
            Some([same, holders]) if same == what => [same, holders],
            _ => [what, system::holders(&self.root)],
        });
        Ok(interval)
    }
}

impl Replay {
    fn open(path: &Path) -> Result<Self, Error> {
        Ok(Self {
            path: path.to_path_buf(),
            reader: replay::open(path)?,
            read: 0,
        })
    }

    fn next(&mut self) -> Result<Option<Interval>, Error> {
        let next = self.reader.next().transpose()?;
        self.read += u64::from(next.is_some());
        Ok(next)
    }

    fn back(&mut self) -> Result<Vec<Interval>, Error> {
        let kept = self.read.saturating_sub(1).max(1);
        *self = Self::open(&self.path)?;
        let mut intervals = Vec::new();
        while self.read < kept {
            match self.next()? {
                Some(interval) => intervals.push(interval),
                None => break,
            }
        }
        Ok(intervals)
    }
}
