// SPDX-License-Identifier: GPL-2.0

//! The common part of all experiments: registers of a package, counts, overflows, evidence.
//!
//! An experiment leaves the boxes stopped, and the package unfrozen. The session restores the rest.

use std::collections::BTreeMap;
use std::io;

use crate::bench::{Answer, Bench, LinkRegister, Refusal};
use crate::machine::of_tables;
use crate::names::GlobalRegister;
use crate::platform::{find, platform_of, Description, Xeon};
use crate::uncore::table::box_type::{BoxType, Platform, Run};

/// Enable and overflow enable of event control registers.
pub(crate) const EN: u64 = 1 << 22;
pub(crate) const OV_EN: u64 = 1 << 20;
/// Edge detection of event control registers.
pub(crate) const EDGE: u64 = 1 << 18;

/// Values of box controls: released, and frozen. Bits 17:16 must be 1.
pub(crate) const RELEASED: u64 = 0x3_0000;
pub(crate) const FROZEN: u64 = 0x3_0100;

/// Values of the global control: all counters of the package frozen, and released.
pub(crate) const FREEZE_ALL: u64 = 1 << 31;
pub(crate) const RELEASE_ALL: u64 = 1 << 29;

/// Bits of counters that counts of an experiment can reach.
pub(crate) const COUNT: u64 = (1 << 44) - 1;

/// Distance of a preset counter from its overflow.
pub(crate) const BEFORE: u64 = 1000;

/// Time in which a clock counts that far, in microseconds, however slow the machine.
pub(crate) const WRAP_TIME: u64 = 1000;

/// Result of an experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// The reading of the point that holds, by its letter.
    Reading(char),
    /// No reading was seen to hold, for this reason.
    Open(String),
}

/// The reading that an experiment found, or why it found none.
pub(crate) type Outcome = Result<char, Stop>;

/// The reason why an experiment found no reading.
#[derive(Debug)]
pub(crate) enum Stop {
    /// No reading was seen to hold, for this reason.
    Open(String),
    /// The survey cannot go on.
    Error(io::Error),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Step(why) => Self::Open(format!("the survey refuses {why}")),
            Refusal::Error(error) => Self::Error(error),
        }
    }
}

/// Returns whether a step writes a counter.
fn writes_counter(step: &str) -> bool {
    let mut words = step.split(' ').skip(2);
    let register = words.next().unwrap_or_default();
    (register.starts_with("ctr") || register.starts_with("fixed_ctr")) && words.next().is_some()
}

/// Returns that a point stays open.
pub(crate) fn open<T>(why: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Open(why.into()))
}

/// Values that bits read as after they were written 1, and after they were written 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    /// As written.
    Written,
    /// 0 both times.
    Zero,
    /// Neither of these.
    Other,
}

/// The package on which experiments run.
#[derive(Clone, Default)]
pub struct Site {
    /// The kernel's number of it.
    pub package: String,
    /// Its boxes: `cbox_0`, `ubox`.
    pub boxes: Vec<String>,
    /// Location of each box.
    pub locations: BTreeMap<String, String>,
    /// A CPU of each core.
    pub cores: Vec<u32>,
    /// What is known of its platform.
    pub(crate) platform: Option<(&'static Platform, &'static Description)>,
    /// Device IDs of the functions of its bus, by place: `14.0`.
    pub functions: BTreeMap<String, u16>,
}

/// The registers of a package, the evidence so far and the readings found before.
pub(crate) struct Lab<'a> {
    bench: &'a mut dyn Bench,
    pub(crate) site: &'a Site,
    evidence: Vec<String>,
    known: BTreeMap<&'static str, char>,
    /// Counters are known not to keep what is written.
    pub(crate) only_reads: bool,
}

impl Site {
    /// Returns a package that has all boxes of the tables of a processor, and these cores.
    pub fn of_tables(processor: (u8, u8), cores: Vec<u32>) -> Option<Self> {
        let (platform, _) = platform_of(processor)?;
        let (boxes, locations, functions) = of_tables(platform);
        Some(Self {
            package: "0".to_owned(),
            boxes,
            locations,
            cores,
            platform: Some((platform, find(platform.name)?)),
            functions,
        })
    }
}

impl<'a> Lab<'a> {
    pub(crate) fn new(bench: &'a mut dyn Bench, site: &'a Site) -> Self {
        Self {
            bench,
            site,
            evidence: Vec::new(),
            known: BTreeMap::new(),
            only_reads: false,
        }
    }

    /// Runs an experiment, and returns what it found with the evidence.
    pub(crate) fn find(
        &mut self,
        point: &'static str,
        experiment: fn(&mut Self) -> Outcome,
    ) -> io::Result<(Finding, Vec<String>)> {
        self.evidence.clear();
        let found = self.settle().and_then(|()| experiment(self));
        let finding = match found {
            Ok(letter) => {
                self.known.insert(point, letter);
                Finding::Reading(letter)
            }
            Err(Stop::Open(why)) => Finding::Open(why),
            Err(Stop::Error(error)) => return Err(error),
        };
        Ok((finding, std::mem::take(&mut self.evidence)))
    }

    /// Returns whether an earlier experiment has found this reading of a point.
    pub(crate) fn holds(&self, point: &str, letter: char) -> bool {
        self.known.get(point) == Some(&letter)
    }

    /// Returns whether a box has a status of its own.
    pub(crate) fn has_status(&self, unit: &str) -> bool {
        self.kind(unit).is_some_and(|kind| kind.status.is_some())
    }

    /// Returns the bits of a control register that enable its counter, and its overflow.
    pub(crate) fn enables(&self, unit: &str) -> u64 {
        let control = self.kind(unit).map(|kind| &kind.control);
        let overflow = control.map_or(Some(0), |control| control.overflow_enable);
        EN | u64::from(overflow.unwrap_or_default())
    }

    /// Returns what differs among Xeon E5.
    pub(crate) fn xeon(&self) -> Xeon {
        let known = self.description().and_then(|known| known.xeon);
        known.unwrap_or_default()
    }

    fn description(&self) -> Option<&'static Description> {
        self.site.platform.map(|(_, description)| description)
    }

    /// Returns the device ID of the function at a place of the package's bus, and notes it.
    pub(crate) fn function(&mut self, place: &str) -> Option<u16> {
        let id = self.site.functions.get(place).copied();
        match id {
            Some(id) => self.note(format!("the function at {place} is {id:04x}")),
            None => self.note(format!("there is no function at {place}")),
        }
        id
    }

    /// Adds a line of evidence.
    pub(crate) fn note(&mut self, text: impl Into<String>) {
        self.evidence.push(text.into());
    }

    /// Returns the boxes of a unit.
    pub(crate) fn boxes(&self, unit: &str) -> Vec<String> {
        let boxes = self.site.boxes.iter();
        let is_of = |name: &&String| {
            let number = name.strip_prefix(unit).map(|rest| rest.strip_prefix('_'));
            match number {
                Some(Some(number)) => number.parse::<u8>().is_ok(),
                Some(None) => name.as_str() == unit,
                None => false,
            }
        };
        boxes.filter(is_of).cloned().collect()
    }

    /// Returns the first box of a unit.
    pub(crate) fn first(&self, unit: &str) -> Result<String, Stop> {
        let first = self.boxes(unit).into_iter().next();
        first.ok_or_else(|| Stop::Open(format!("this machine has no {unit}")))
    }

    /// Returns the step that reads a register.
    pub(crate) fn get(&self, unit: &str, register: &str) -> String {
        format!("{unit} {} {register}", self.site.package)
    }

    /// Returns the step that writes a register.
    pub(crate) fn set(&self, unit: &str, register: &str, value: u64) -> String {
        format!("{unit} {} {register} {value:#x}", self.site.package)
    }

    /// Returns the steps that write filter registers.
    pub(crate) fn set_filters(&self, unit: &str, filters: &[(usize, u64)]) -> Vec<String> {
        let filters = filters.iter();
        filters
            .map(|(filter, value)| self.set(unit, &format!("filter{filter}"), *value))
            .collect()
    }

    /// Runs steps in their order, and returns the result of each. None runs if one of them writes a
    /// counter that does not keep it.
    pub(crate) fn run(&mut self, steps: &[String]) -> Result<Vec<Answer>, Stop> {
        if self.only_reads && steps.iter().any(|step| writes_counter(step)) {
            return open("counters do not keep what is written");
        }
        Ok(self.bench.run(steps)?)
    }

    /// Runs steps, and returns the values of the first that read, with 0 for each that is missing. No
    /// access may fault.
    pub(crate) fn values<const N: usize>(&mut self, steps: &[String]) -> Result<[u64; N], Stop> {
        let mut values = Vec::new();
        for (step, answer) in steps.iter().zip(self.run(steps)?) {
            match answer {
                Answer::Value(value) => values.push(value),
                Answer::Done => {}
                Answer::Fault => return open(format!("{step} is refused")),
            }
        }
        Ok(std::array::from_fn(|index| {
            values.get(index).copied().unwrap_or(0)
        }))
    }

    /// Runs steps that read whole counters, as [`values`](Self::values) does, and returns the counts.
    pub(crate) fn counts<const N: usize>(&mut self, steps: &[String]) -> Result<[u64; N], Stop> {
        Ok(self.values(steps)?.map(|value| value & COUNT))
    }

    /// Runs steps as [`counts`](Self::counts) does, until nothing has held up an access: what is counted
    /// between two of them is little then. The steps can be repeated.
    pub(crate) fn prompt_counts<const N: usize>(
        &mut self,
        steps: &[String],
    ) -> Result<[u64; N], Stop> {
        for _ in 0..TRIES {
            let counts = self.counts(steps)?;
            if self.bench.times().access <= COUNT_TIME / 16 {
                return Ok(counts);
            }
        }
        open("other programs or interrupts held up each try: run it again on an idle machine")
    }

    /// Runs steps that count while they wait, as [`prompt_counts`](Self::prompt_counts) does, and
    /// returns what was counted in `time` microseconds, however long the waits took.
    fn counts_in<const N: usize>(&mut self, time: u64, steps: &[String]) -> Result<[u64; N], Stop> {
        let counts = self.prompt_counts(steps)?;
        let waited = self.bench.times().waits.max(time);
        Ok(counts.map(|count| {
            let count = u128::from(count) * u128::from(time);
            // One that was seen stays one.
            u64::try_from(count.div_ceil(waited.into())).unwrap_or(u64::MAX)
        }))
    }

    /// Reads a register.
    pub(crate) fn read(&mut self, unit: &str, register: &str) -> Result<u64, Stop> {
        let step = self.get(unit, register);
        let [value] = self.values(&[step])?;
        Ok(value)
    }

    /// Reads a register of the first link that has the function.
    pub(crate) fn of_link(&mut self, register: &LinkRegister) -> Option<u32> {
        let links = self.boxes("qpi");
        let mut places = links
            .iter()
            .filter_map(|link| self.site.locations.get_key_value(link));
        places.find_map(|(link, place)| self.bench.of_link(link, place, register))
    }

    /// Writes a register.
    pub(crate) fn write(&mut self, unit: &str, register: &str, value: u64) -> Result<(), Stop> {
        let step = self.set(unit, register, value);
        self.values::<0>(&[step]).map(drop)
    }

    /// Lets the counters of the package run, and clears the global status.
    pub(crate) fn settle(&mut self) -> Result<(), Stop> {
        let mut steps = Vec::new();
        if let Some(status) = self.global_status() {
            steps.push(self.set("global", "status", status));
        }
        steps.extend(self.hold_all(false));
        self.values::<0>(&steps).map(drop)
    }

    /// Finds out whether bits of a register keep what is written, beside bits that are always
    /// written 1. Leaves only those.
    pub(crate) fn keeps(
        &mut self,
        unit: &str,
        register: &str,
        always: u64,
        bits: u64,
    ) -> Result<Kept, Stop> {
        let steps = [
            self.set(unit, register, always | bits),
            self.get(unit, register),
            self.set(unit, register, always),
            self.get(unit, register),
        ];
        let [ones, zeros] = self.values(&steps)?;
        self.note(format!(
            "{unit} {register}: wrote {:#x}, read {ones:#x}; wrote {always:#x}, read {zeros:#x}",
            always | bits
        ));
        Ok(match (ones & bits, zeros & bits) {
            (ones, 0) if ones == bits => Kept::Written,
            (0, 0) => Kept::Zero,
            _ => Kept::Other,
        })
    }

    /// Returns the first letter if bits of a register keep what is written, else the second.
    pub(crate) fn kept(
        &mut self,
        unit: &str,
        register: &str,
        bits: u64,
        letters: [char; 2],
    ) -> Outcome {
        match self.keeps(unit, register, 0, bits)? {
            Kept::Written => Ok(letters[0]),
            Kept::Zero | Kept::Other => Ok(letters[1]),
        }
    }

    /// Returns whether one of some steps faults, and notes for `what` that it does, or `otherwise`.
    pub(crate) fn faults(
        &mut self,
        steps: &[String],
        what: &str,
        otherwise: &str,
    ) -> Result<bool, Stop> {
        let faults = self.run(steps)?.contains(&Answer::Fault);
        let word = if faults { "faults" } else { otherwise };
        self.note(format!("{what} {word}"));
        Ok(faults)
    }

    /// Returns the step that stops a box or lets it run, some by the whole package. There is none for
    /// a box that only its control registers stop.
    pub(crate) fn hold(&self, unit: &str, stopped: bool) -> Option<String> {
        let control = self.kind(unit).and_then(|kind| kind.box_control.as_ref());
        match (control, stopped) {
            (Some(control), true) => Some(self.set(unit, "box_ctl", control.freeze.into())),
            (Some(control), false) => Some(self.set(unit, "box_ctl", control.unfreeze.into())),
            (None, _) => self.hold_all(stopped),
        }
    }

    /// Returns the steps that write an event control register. On later parts some take an event
    /// select only from two writes.
    fn start(&self, unit: &str, ctl: &str, control: u64) -> Vec<String> {
        let first = self
            .xeon()
            .is_late
            .then(|| self.set(unit, ctl, control & !EN));
        first
            .into_iter()
            .chain([self.set(unit, ctl, control)])
            .collect()
    }

    /// Counts events of a box for so many microseconds, all at the same time, and returns the counts.
    /// `filters` are values of filter registers, `events` counters with their control registers.
    pub(crate) fn count<const N: usize>(
        &mut self,
        unit: &str,
        filters: &[(usize, u64)],
        events: &[(usize, u64); N],
        time: u64,
    ) -> Result<[u64; N], Stop> {
        let enable = self
            .kind(unit)
            .map_or(EN, |kind| kind.control.enable.into());
        let mut steps: Vec<String> = self.hold(unit, true).into_iter().collect();
        steps.extend(self.set_filters(unit, filters));
        for (counter, control) in events {
            steps.push(self.set(unit, &format!("ctl{counter}"), 0));
            steps.push(self.set(unit, &format!("ctr{counter}"), 0));
            steps.extend(self.start(unit, &format!("ctl{counter}"), control | enable));
        }
        steps.extend(self.hold(unit, false));
        steps.push(wait(time));
        steps.extend(self.hold(unit, true));
        for (counter, _) in events {
            steps.push(self.get(unit, &format!("ctr{counter}")));
        }
        for (counter, _) in events {
            steps.push(self.set(unit, &format!("ctl{counter}"), 0));
        }
        for (filter, _) in filters {
            steps.push(self.set(unit, &format!("filter{filter}"), 0));
        }
        steps.extend(self.hold(unit, false));
        self.counts_in(time, &steps)
    }

    /// Counts one event on counter 0, and notes the count.
    pub(crate) fn count_one(
        &mut self,
        unit: &str,
        filters: &[(usize, u64)],
        control: u64,
    ) -> Result<u64, Stop> {
        self.count_on(unit, filters, 0, control)
    }

    /// Counts one event on counter 0 while the global control has this value, and notes the count.
    pub(crate) fn count_by(&mut self, unit: &str, run: u64, control: u64) -> Result<u64, Stop> {
        let mut steps: Vec<String> = self.hold_all(true).into_iter().collect();
        steps.extend([
            self.set(unit, "ctr0", 0),
            self.set(unit, "ctl0", control | EN),
            self.set("global", "ctl", run),
            wait(COUNT_TIME),
        ]);
        steps.extend(self.hold_all(true));
        steps.extend([self.get(unit, "ctr0"), self.set(unit, "ctl0", 0)]);
        let [count] = self.counts_in(COUNT_TIME, &steps)?;
        self.settle()?;
        self.note(format!(
            "{unit} ctl0={control:#x} with a global ctl of {run:#x}: counted {count}"
        ));
        Ok(count)
    }

    /// Counts one event, and notes the count.
    pub(crate) fn count_on(
        &mut self,
        unit: &str,
        filters: &[(usize, u64)],
        counter: usize,
        control: u64,
    ) -> Result<u64, Stop> {
        let [count] = self.count(unit, filters, &[(counter, control)], COUNT_TIME)?;
        let with = with_filters(filters);
        self.note(format!(
            "{unit} ctl{counter}={control:#x}{with}: counted {count}"
        ));
        Ok(count)
    }

    /// Returns the table of a box.
    fn kind(&self, unit: &str) -> Option<&'static BoxType> {
        let (platform, _) = self.site.platform?;
        let mut kinds = platform.box_types.iter().copied();
        kinds.find(|kind| kind.name == name_of_unit(unit))
    }

    /// Returns the bits of the global status, if it is cleared by writing 1.
    fn global_status(&self) -> Option<u64> {
        let (platform, _) = self.site.platform?;
        Some(GlobalRegister::find(platform, "status")?.bits)
    }

    /// Returns the step that stops the counters of the package or lets them run, if a register does.
    fn hold_all(&self, stopped: bool) -> Option<String> {
        let (platform, description) = self.site.platform?;
        let value = match platform.global.as_ref()?.run {
            _ if stopped => description.hold,
            Run::Command(bits) | Run::Level(bits) => bits.into(),
        };
        Some(self.set("global", "ctl", value))
    }

    /// Returns the control register that counts the clock of a box.
    pub(crate) fn clock(&self, unit: &str) -> u64 {
        let clocks = self.description().map_or(&[][..], |known| known.clocks);
        let mut clocks = clocks
            .iter()
            .filter(|(known, _)| *known == name_of_unit(unit));
        clocks.next().map_or(0, |(_, clock)| *clock)
    }

    /// Returns the value from which a general counter of a box overflows soon.
    pub(crate) fn before_overflow(&self, unit: &str) -> u64 {
        let width = self.kind(unit).map_or(44, |kind| kind.width);
        (1 << width) - BEFORE
    }

    /// Lets a general counter overflow that counts the clock of its box, with these bits of its
    /// control register set beside.
    pub(crate) fn wrap(&mut self, unit: &str, counter: usize, bits: u64) -> Result<Wrapped, Stop> {
        let [ctl, ctr] = ["ctl", "ctr"].map(|name| format!("{name}{counter}"));
        let start = self.before_overflow(unit);
        let clock = self.clock(unit);
        self.overflow(unit, [&ctl, &ctr], start, clock | EN | bits)
    }

    /// Lets a counter overflow, with this start value and control register.
    pub(crate) fn overflow(
        &mut self,
        unit: &str,
        [ctl, ctr]: [&str; 2],
        start: u64,
        control: u64,
    ) -> Result<Wrapped, Stop> {
        self.settle()?;
        let mut steps = vec![self.set(unit, ctl, 0), self.set(unit, ctr, start)];
        let has_status = unit != "cbox" && !unit.starts_with("cbox_");
        steps.push(self.get("global", "status"));
        if has_status {
            steps.push(self.get(unit, "box_status"));
        }
        steps.extend(self.start(unit, ctl, control));
        steps.push(wait(WRAP_TIME));
        steps.push(self.get("global", "status"));
        if has_status {
            steps.push(self.get(unit, "box_status"));
        }
        steps.push(self.get(unit, ctr));
        steps.push(self.set(unit, ctl, 0));
        let [global, status, global_after, status_after, count] = if has_status {
            self.values(&steps)?
        } else {
            let [global, global_after, count] = self.values(&steps)?;
            [global, 0, global_after, 0, count]
        };
        let wrapped = Wrapped {
            global: global_after & !global,
            status: status_after & !status,
            counter: count & COUNT,
        };
        if has_status {
            let clear = self.set(unit, "box_status", wrapped.status);
            self.values::<0>(&[clear])?;
        }
        self.settle()?;
        self.note(format!(
            "{unit} {ctl}={control:#x} {ctr}={start:#x}: then {ctr}={:#x}, new bits of box_status \
             {:#x}, of global status {:#x}",
            wrapped.counter, wrapped.status, wrapped.global
        ));
        if wrapped.counter >= start & COUNT {
            return open(format!(
                "{unit} {ctr} did not overflow in {WRAP_TIME} microseconds"
            ));
        }
        Ok(wrapped)
    }
}

/// Number of times that steps are run until nothing holds them up.
const TRIES: u32 = 200;

/// Time for which events are counted, in microseconds.
pub(crate) const COUNT_TIME: u64 = 2000;

/// Registers after an overflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wrapped {
    /// Bits that it has set in the global status.
    pub(crate) global: u64,
    /// Bits that it has set in the box status.
    pub(crate) status: u64,
    /// The counter.
    pub(crate) counter: u64,
}

/// Returns the unit of a box: `cbox` of `cbox_0`.
fn name_of_unit(name: &str) -> &str {
    name.split('_').next().unwrap_or(name)
}

/// Returns the values of filter registers, as they stand behind an event in a note.
pub(crate) fn with_filters(filters: &[(usize, u64)]) -> String {
    let texts = filters.iter();
    let texts = texts.map(|(filter, value)| format!(" filter{filter}={value:#x}"));
    texts.collect()
}

/// Returns the step that waits.
pub(crate) fn wait(microseconds: u64) -> String {
    format!("wait {microseconds}")
}
