// SPDX-License-Identifier: GPL-2.0

//! Contents of the files of a platform's folder.

use super::platforms::{Texts, TEXTS};
use super::{hex_of, parse, read, Metric, Row};
use serde::{Deserialize, Deserializer};
use std::sync::LazyLock;

/// Facts about the boxes of a platform.
#[derive(Debug)]
pub struct Facts {
    /// The name of the platform: that of its folder.
    pub name: &'static str,
    /// Its processors, the usual one first.
    pub processors: Vec<Processor>,
    /// The metrics of its manual, if that has any.
    pub metrics: Vec<Metric>,
    /// The box types.
    pub boxes: Vec<BoxRow>,
    /// Their registers.
    pub registers: Vec<Register>,
    /// Fields of the config words of their events.
    pub fields: Vec<Field>,
    /// Machines of other shapes than the usual one.
    pub machines: Vec<Machine>,
    /// Faults that `uncore check` must find.
    pub mutants: Vec<Mutant>,
}

impl Facts {
    /// All platforms.
    pub fn all() -> &'static [Self] {
        static ALL: LazyLock<Vec<Facts>> = LazyLock::new(|| {
            let all: Result<_, _> = TEXTS.iter().map(Facts::read).collect();
            all.expect("the files of all platforms are well formed")
        });
        &ALL
    }

    fn read(texts: &Texts) -> Result<Self, csv::Error> {
        let rows: Vec<Row> = parse(texts.events)?;
        let mut processors: Vec<Processor> = parse(texts.processors)?;
        for processor in &mut processors {
            let has = |row: &&Row| row.is_of(&processor.name);
            processor.rows = rows.iter().filter(has).cloned().collect();
        }
        Ok(Self {
            name: texts.name,
            processors,
            metrics: parse(texts.metrics)?,
            boxes: parse(texts.boxes)?,
            registers: parse(texts.registers)?,
            fields: parse(texts.fields)?,
            machines: parse(texts.machines)?,
            mutants: parse(texts.mutants)?,
        })
    }

    /// The facts of the platform of a processor. Panics if there is none of that name.
    pub fn of(processor: &str) -> &'static Self {
        let has = |facts: &&Self| facts.processors.iter().any(|own| own.name == processor);
        let found = Self::all().iter().find(has);
        found.unwrap_or_else(|| panic!("no folder has {processor}"))
    }

    /// A box type by its first column. Panics if there is none.
    pub fn box_of(&self, kind: &str) -> &BoxRow {
        let found = self.boxes.iter().find(|row| row.kind == kind);
        found.unwrap_or_else(|| panic!("{} has no {kind}", self.name))
    }

    /// The registers of a box type.
    pub fn registers_of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Register> {
        self.registers.iter().filter(move |row| row.kind == kind)
    }
}

/// One row of `processors.csv`: a processor that the machine can be.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Processor {
    /// Its name in options of the machine.
    pub name: String,
    /// The name that people call it by.
    pub title: String,
    /// Model, of family 6.
    pub model: u8,
    /// Stepping.
    pub stepping: u8,
    /// The emulator's name of such a processor.
    pub emulated: String,
    /// Class of its platform, by which end-to-end tests say where they hold.
    pub class: String,
    /// Properties of that beside model and stepping.
    pub properties: String,
    /// The processor whose flows and points it shares, if any.
    pub like: String,
    /// Its events.
    #[serde(skip)]
    pub rows: Vec<Row>,
}

impl Processor {
    /// The processor of a name. Panics if there is none.
    pub fn named(name: &str) -> &'static Self {
        let mut all = Facts::all().iter().flat_map(|facts| &facts.processors);
        let found = all.find(|processor| processor.name == name);
        found.unwrap_or_else(|| panic!("no processor {name}"))
    }
}

/// One row of `machines.csv`: a machine, and which boxes it has.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// Its processor.
    pub processor: String,
    /// Its options, with commas between them.
    pub options: String,
    /// Boxes that the options do not tell: those that are missing, each with a package, where `pci`
    /// are all that are functions; or all boxes of a machine that people have listed (`shape=`).
    pub boxes: String,
    /// The difference from other machines, in words.
    pub what: String,
}

/// One row of `boxes.csv`: a box type.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoxRow {
    /// Box type, as in the file of the events.
    #[serde(rename = "box")]
    pub kind: String,
    /// Its name in the names of PMUs.
    pub unit: String,
    /// The name of a PMU has the number of its box.
    #[serde(deserialize_with = "yes")]
    pub numbered: bool,
    /// General counters, of all sets.
    pub counters: u8,
    /// Sets of counters, each of which sees traffic of its own.
    pub sets: u8,
    /// Bits of the general counters.
    pub width: u32,
    /// Bits of them on which all sources agree.
    pub sure: u32,
    /// The largest increment of a cycle.
    pub largest: u32,
    /// The clock: `uclk`, `dclk`, `pclk`, `qfclk`, or `quarter` of the rate of a link.
    pub clock: String,
    /// Where its boxes are.
    #[serde(deserialize_with = "places")]
    pub at: Places,
    /// How many boxes with MSRs a package has: `one`, `two`, `cboxes`, `sboxes`.
    pub present: String,
    /// The second function of each box, which has registers and no counters.
    #[serde(deserialize_with = "places")]
    pub second: Places,
    /// First and last address of the registers, if others between them fault.
    #[serde(deserialize_with = "block")]
    pub block: Option<(u16, u16)>,
}

/// The places of the boxes of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Places {
    /// MSRs at `base + stride * n`.
    Stride {
        /// The first MSR of box 0.
        base: u32,
        /// What the others are behind it.
        stride: u32,
    },
    /// The first MSR of each box.
    Bases(Vec<u32>),
    /// The PCI function of each box.
    Functions(Vec<Place>),
}

/// A PCI function of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// It is on the bus of the I/O devices.
    pub io: bool,
    /// Device number.
    pub device: u8,
    /// Function number.
    pub function: u8,
    /// Device ID.
    pub id: u16,
    /// What a package must have for it to be there: `ex` three links, `ha1` a second home agent.
    pub needs: String,
}

impl Places {
    /// The PCI functions.
    pub fn functions(&self) -> &[Place] {
        match self {
            Self::Functions(places) => places,
            _ => &[],
        }
    }
}

/// What a register is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// Control of the box.
    Box,
    /// Overflows of the counters.
    Status,
    /// Clears overflows.
    Clear,
    /// Control of each counter.
    Ctl,
    /// Each counter.
    Ctr,
    /// Control of the fixed counter.
    FixedCtl,
    /// The fixed counter.
    FixedCtr,
    /// A filter or match register.
    Filter,
    /// A counter of 32 bits that nothing stops.
    Free,
    /// None, but it answers.
    Silent,
    /// A register by another source: here it answers and keeps nothing.
    Other,
}

/// One row of `registers.csv`: a register of each box of a type, or one of each counter.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Register {
    /// The box type; behind a `/` the point of which this is another reading.
    #[serde(rename = "box")]
    pub kind: String,
    /// What it is there for.
    pub what: What,
    /// The manual's name, without the box.
    #[serde(rename = "register")]
    pub name: String,
    /// Its address.
    #[serde(deserialize_with = "address")]
    pub at: Address,
    /// Bits.
    pub size: Option<u32>,
    /// Bits that are stored.
    #[serde(deserialize_with = "mask")]
    pub rw: u64,
    /// Bits that act when they are written, and read 0.
    #[serde(deserialize_with = "mask")]
    pub wo: u64,
    /// Bits that a 1 clears.
    #[serde(deserialize_with = "mask")]
    pub w1c: u64,
    /// Bits that can only be read.
    #[serde(deserialize_with = "mask")]
    pub ro: u64,
    /// Bits that must be written as 0.
    #[serde(deserialize_with = "mask")]
    pub zero: u64,
    /// Bits that must be written as 1; they are stored, too.
    #[serde(deserialize_with = "mask")]
    pub one: u64,
    /// Reserved bits without a rule of their own.
    #[serde(deserialize_with = "mask")]
    pub reserved: u64,
    /// Where the platform's page tells the bits.
    pub source: String,
}

/// The address of a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// Behind the first MSR, or in the function, of the box: the first one, or that of each
    /// counter, and what the next one is behind the last.
    Of(Vec<u32>, u32),
    /// The MSR of each box.
    Each(Vec<u32>),
    /// In the second function.
    Second(u32),
}

impl Address {
    /// Returns what the register of a counter, or one that is not the counters', is behind the first
    /// MSR or in the function of its box.
    pub fn own(&self, counter: u8) -> Option<u32> {
        match self {
            Self::Of(all, step) => Some(match all.get(usize::from(counter)) {
                Some(at) => *at,
                None => all[0] + step * u32::from(counter),
            }),
            Self::Each(_) | Self::Second(_) => None,
        }
    }
}

/// A register of one box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At<'a> {
    /// An MSR.
    Msr(u32),
    /// Function and offset.
    Config(&'a Place, u32),
}

impl Register {
    /// Where the register of a counter is in a box of this type, or one that is not the counters'.
    pub fn place<'a>(&self, row: &'a BoxRow, instance: u8, counter: u8) -> At<'a> {
        let (number, instance) = (u32::from(instance), usize::from(instance));
        let own = match &self.at {
            Address::Each(all) => return At::Msr(all[instance]),
            Address::Second(at) => return At::Config(&row.second.functions()[instance], *at),
            own @ Address::Of(..) => own.own(counter).unwrap_or_default(),
        };
        match &row.at {
            Places::Stride { base, stride } => At::Msr(base + stride * number + own),
            Places::Bases(all) => At::Msr(all[instance] + own),
            Places::Functions(all) => At::Config(&all[instance], own),
        }
    }
}

/// One row of `fields.csv`: a field of the config words.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// The box type.
    #[serde(rename = "box")]
    pub kind: String,
    /// The name of its file in `format`.
    #[serde(rename = "field")]
    pub name: String,
    /// What the file says.
    pub bits: String,
    /// It shows bits of other fields and has none of its own.
    #[serde(deserialize_with = "yes")]
    pub view: bool,
    /// The only model that has it, if it is not all.
    pub model: String,
}

/// One row of `mutants.csv`: a fault of the machine, which stands for one of hardware or driver.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mutant {
    /// Description of the fault in hardware or driver.
    pub fault: String,
    /// Command that gives the machine the fault.
    pub command: String,
    /// Part of `uncore check` that finds it.
    pub part: String,
    /// Test in that part.
    pub test: String,
    /// It shows only while the driver loads.
    #[serde(deserialize_with = "yes")]
    pub load: bool,
}

fn yes<'de, D: Deserializer<'de>>(cell: D) -> Result<bool, D::Error> {
    read(cell, |text| match text {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    })
}

fn mask<'de, D: Deserializer<'de>>(cell: D) -> Result<u64, D::Error> {
    read(cell, |text| match text {
        "" => Some(0),
        text => hex_of(text),
    })
}

fn block<'de, D: Deserializer<'de>>(cell: D) -> Result<Option<(u16, u16)>, D::Error> {
    read(cell, |text| match text {
        "" => Some(None),
        text => {
            let (first, last) = text.split_once('-')?;
            let number = |text| hex_of(text)?.try_into().ok();
            Some(Some((number(first)?, number(last)?)))
        }
    })
}

/// Reads `0xd00+0x20`, `0xc20 0xc60` or `io:05.6=0e39 18.2=0e3a@ex`.
fn places<'de, D: Deserializer<'de>>(cell: D) -> Result<Places, D::Error> {
    read(cell, |text| {
        let words = text.split_whitespace();
        if let Some((base, stride)) = text.split_once('+') {
            let (base, stride) = (number(base)?, number(stride)?);
            return Some(Places::Stride { base, stride });
        }
        if text.starts_with("0x") {
            return words.map(number).collect::<Option<_>>().map(Places::Bases);
        }
        words
            .map(place)
            .collect::<Option<_>>()
            .map(Places::Functions)
    })
}

fn place(text: &str) -> Option<Place> {
    let (io, text) = match text.strip_prefix("io:") {
        Some(text) => (true, text),
        None => (false, text),
    };
    let (text, needs) = text.split_once('@').unwrap_or((text, ""));
    let (at, id) = text.split_once('=')?;
    let (device, function) = at.split_once('.')?;
    Some(Place {
        io,
        device: u8::from_str_radix(device, 16).ok()?,
        function: function.parse().ok()?,
        id: u16::from_str_radix(id, 16).ok()?,
        needs: needs.to_owned(),
    })
}

/// Reads `0x04`, `0x10+1`, `0xa0 0xb0`, `=0xe45 0xe4d` or `2:0x228`.
fn address<'de, D: Deserializer<'de>>(cell: D) -> Result<Address, D::Error> {
    read(cell, |text| {
        let list = |text: &str| text.split(' ').map(number).collect::<Option<Vec<_>>>();
        if let Some(text) = text.strip_prefix("2:") {
            return number(text).map(Address::Second);
        }
        if let Some(text) = text.strip_prefix('=') {
            return list(text).map(Address::Each);
        }
        let (text, step) = text.split_once('+').unwrap_or((text, "0"));
        Some(Address::Of(list(text)?, step.parse().ok()?))
    })
}

fn number(text: &str) -> Option<u32> {
    hex_of(text)?.try_into().ok()
}
