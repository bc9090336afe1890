// SPDX-License-Identifier: GPL-2.0

//! The machine's shape from text, in the words that the runner and the plugin take:
//! `packages=2,cores=4:2,cboxes=4,uncore-buses=7f:ff,iio-buses=00:80,nodes=1:0,part=ex,numc=6`.
//!
//! A list holds one value per package, a single value serves all of them. Bus
//! numbers, GIDNIDMAP, masks and functions are hexadecimal, everything else is decimal.
//! Description of each option: Documentation/development/machine.rst.
//!
//! Limits: 1, 2, 4 or 8 packages, as many cores and C-Boxes as the platform allows, node
//! IDs 0 to 7 (the discovery registers have three bits for one,
//! Documentation/hardware/ivbep.rst section 2). Node IDs may be wrong on purpose; buses may
//! not.

use std::fmt::{self, LowerHex};
use std::ops::RangeInclusive;

use thiserror::Error;

use crate::core_map::CoreMap;
use crate::host_bridge::ENABLE;
use crate::machine::Machine;
use crate::platform::Description;
use crate::readings::{Reading, Readings};
use crate::shapes::RealShape;
use crate::topology::{group_map, usual_buses, Buses, PackageShape, Part, Topology, ALL_CHANNELS};
use crate::{Function, Platform};

/// Reason to refuse an option string, with the option.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct TopologyError(String);

type Parsed<T> = Result<T, TopologyError>;

impl Topology {
    /// Reads the textual options; options left out take their defaults. The error is
    /// the first option that is unknown, repeated, out of range or in conflict.
    pub fn parse(options: &str) -> Result<Self, TopologyError> {
        let options = Options::split(options)?;
        let platform = options.platform()?;
        let description = platform.description();
        options.refuse_others(description)?;
        let part = options.part()?;
        let count = options.package_count(description)?;
        let some = Wanted::up_to(1, description.most_cores);
        let cores = options.list_or("cores", &some, vec![2; count])?;
        let cboxes = options.list_or("cboxes", &some, cores.clone())?;
        let masks = cboxes.iter().map(|count| (1 << count) - 1).collect();
        // A bit for each C-Box.
        let some = Wanted::hexadecimal(1..=(1 << description.most_cores) - 1, 6);
        let masks = options.list_or("cbox-mask", &some, masks)?;
        let channels = options.list_or("dimms", &CHANNELS, vec![description.channels; count])?;
        let sboxes = options.sboxes(description, part, count)?;
        let most = description.most_home_agents;
        let agents = options.list_or("home-agents", &Wanted::up_to(1, most), vec![most; count])?;
        let buses = options.buses(description, count)?;
        let readings = options.readings(platform)?;
        let few_are_none = readings.has(Reading::NoSboxes);
        let divided_at = options.cluster_on_die(&cores, &agents)?;
        let halves = divided_at.is_some() && readings.has(Reading::NodesOfHalves);
        let usual = (0..=7).map(|package| if halves { package * 2 % 8 } else { package });
        let nodes = options.list_or("nodes", &NODE, usual.take(count).collect())?;
        let map = if halves && readings.has(Reading::MapOfHalves) {
            group_map(&[0, 1, 2, 3, 4, 5, 6, 7])
        } else {
            group_map(&nodes)
        };
        let maps = options.list_or("gidnidmap", &MAP, vec![map; count])?;
        let wanted = Wanted::up_to(0, description.global.most_num_c());
        let num_c = masks
            .iter()
            .map(|mask: &u32| (description.global.num_c)(mask.count_ones()));
        let num_c = options.list_or("numc", &wanted, num_c.collect())?;
        let core_maps = options.core_maps(&cores)?;
        let graphics = if readings.has(Reading::GraphicsSlice) {
            1 << description.most_cores
        } else {
            0
        };
        let package = |i: usize| PackageShape {
            cores: cores[i],
            cbox_mask: masks[i] | graphics,
            sboxes: if few_are_none && sboxes[i] < description.sboxes {
                0
            } else {
                sboxes[i]
            },
            home_agents: agents[i],
            channels: channels[i],
            buses: buses[i],
            node: nodes[i],
            group_map: maps[i],
            num_c: num_c[i],
            core_map: core_maps[i],
        };
        let mut topology = Self {
            platform,
            packages: (0..count).map(package).collect(),
            part,
            divided_at,
            readings,
            hidden: Vec::new(),
            memory_registers: options.memory_registers(description)?,
            bridge_id: options.bridge_id(description)?,
            flows: options.flows()?,
        };
        topology.hidden = options.hidden(&topology)?;
        Ok(topology)
    }
}

/// The numbers an option takes.
struct Wanted<T> {
    radix: u32,
    range: RangeInclusive<T>,
    /// Digits of a hexadecimal number in messages.
    digits: usize,
}

const NODE: Wanted<u8> = Wanted::up_to(0, 7);
const BUS: Wanted<u8> = Wanted::hexadecimal(0..=0xff, 2);
/// A bit for each memory channel.
const CHANNELS: Wanted<u32> = Wanted::hexadecimal(0..=ALL_CHANNELS, 2);
/// Eight fields of three bits.
const MAP: Wanted<u32> = Wanted::hexadecimal(0..=0xff_ffff, 6);

impl Wanted<u8> {
    const fn up_to(least: u8, most: u8) -> Self {
        Self {
            radix: 10,
            range: least..=most,
            digits: 0,
        }
    }
}

impl<T> Wanted<T> {
    const fn hexadecimal(range: RangeInclusive<T>, digits: usize) -> Self {
        Self {
            radix: 16,
            range,
            digits,
        }
    }
}

impl<T: PartialOrd + TryFrom<u32> + LowerHex + fmt::Display> Wanted<T> {
    /// Describes these numbers.
    fn words(&self) -> String {
        let (least, most, digits) = (self.range.start(), self.range.end(), self.digits);
        match self.radix {
            16 => format!("a hexadecimal number from {least:0digits$x} to {most:0digits$x}"),
            _ => format!("a number from {least} to {most}"),
        }
    }

    fn read(&self, option: &str, word: &str) -> Parsed<T> {
        let value = u32::from_str_radix(word, self.radix).ok();
        let value = value.and_then(|value| T::try_from(value).ok());
        let value = value.filter(|value| self.range.contains(value));
        value.ok_or_else(|| bad_value(option, word, &self.words()))
    }
}

/// The options of every platform; its description has the others.
const OF_ALL: [&str; 9] = [
    "shape", "platform", "packages", "cores", "cboxes", "numc", "reading", "core-map", "traffic",
];

/// The option string, split but not yet understood.
struct Options<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Options<'a> {
    fn split(text: &'a str) -> Parsed<Self> {
        let mut options: Vec<(&str, &str)> = Vec::new();
        for word in text
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
        {
            let (name, value) = word
                .split_once('=')
                .ok_or_else(|| TopologyError(format!("option '{word}' has no value")))?;
            if options.iter().any(|(known, _)| *known == name) {
                return Err(TopologyError(format!("option '{name}' is given twice")));
            }
            options.push((name, value));
        }
        let mut options = Self(options);
        options.take_shape()?;
        Ok(options)
    }

    /// Adds the options of `shape` that are not given.
    fn take_shape(&mut self) -> Parsed<()> {
        let Some(name) = self.get("shape") else {
            return Ok(());
        };
        let shape = RealShape::named(name);
        let shape = shape.ok_or_else(|| bad_value("shape", name, &RealShape::names()))?;
        for (name, value) in shape.options {
            if self.get(name).is_none() {
                self.0.push((name, value));
            }
        }
        Ok(())
    }

    fn get(&self, name: &str) -> Option<&'a str> {
        let found = self.0.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| *value)
    }

    fn package_count(&self, platform: &Description) -> Parsed<usize> {
        let most = usize::from(platform.most_packages);
        let Some(word) = self.get("packages") else {
            return Ok(most.min(2));
        };
        let (counts, wanted): (&[usize], _) = match most {
            1 => (&[1], "1 (this platform has no more)"),
            _ => (&[1, 2, 4, 8], "1, 2, 4 or 8"),
        };
        let count = word.parse().ok().filter(|count| counts.contains(count));
        count.ok_or_else(|| bad_value("packages", word, wanted))
    }

    fn platform(&self) -> Parsed<Platform> {
        let Some(name) = self.get("platform") else {
            return Ok(Platform::default());
        };
        Platform::named(name)
            .ok_or_else(|| bad_value("platform", name, &format!("one of {}", Platform::names())))
    }

    /// Refuses options that the platform does not have.
    fn refuse_others(&self, platform: &Description) -> Parsed<()> {
        let known = |name| OF_ALL.contains(name) || platform.options.contains(name);
        let mut names = self.0.iter().map(|(name, _)| name);
        match names.find(|name| !known(name)) {
            None => Ok(()),
            Some(name) => Err(TopologyError(format!("unknown option '{name}'"))),
        }
    }

    /// S-Boxes of each package; the fuses of a part with three links say that it has some.
    fn sboxes(&self, platform: &Description, part: Part, count: usize) -> Parsed<Vec<u8>> {
        let numbers = match part {
            Part::Ep => &[platform.fewest_sboxes, platform.sboxes][..],
            Part::Ex => &[platform.sboxes],
        };
        let words: Vec<String> = numbers.iter().map(u8::to_string).collect();
        let Some(given) = self.words("sboxes", count)? else {
            return Ok(vec![platform.sboxes; count]);
        };
        let read = |word: &&str| {
            let mut all = numbers.iter().zip(&words);
            let found = all.find(|(_, known)| known == word);
            let found = found.map(|(number, _)| *number);
            found.ok_or_else(|| bad_value("sboxes", word, &words.join(" or ")))
        };
        given.iter().map(read).collect()
    }

    /// The first core of the second NUMA node of each package, if there are two: the one
    /// whose number has the highest bit that core numbers have here. A node needs a core
    /// and a home agent.
    fn cluster_on_die(&self, cores: &[u8], agents: &[u8]) -> Parsed<Option<u8>> {
        const NAME: &str = "cluster-on-die";
        let most = cores.iter().copied().max().unwrap_or(1);
        let half = most.next_power_of_two() / 2;
        let divisible = half > 0 && cores.iter().all(|cores| *cores > half);
        match self.get(NAME) {
            None | Some("off") => Ok(None),
            Some("on") if divisible && agents.iter().all(|agents| *agents > 1) => Ok(Some(half)),
            Some("on") => {
                let wanted = "possible here: a node would have no core or no home agent";
                Err(bad_value(NAME, "on", wanted))
            }
            Some(other) => Err(bad_value(NAME, other, "on or off")),
        }
    }

    /// The points with another reading than the first.
    fn readings(&self, platform: Platform) -> Parsed<Readings> {
        let names = self.get("reading").into_iter();
        let names = names.flat_map(|text| text.split('+'));
        let readings = Readings::parse(names, platform);
        readings.map_err(|error| TopologyError(format!("reading: {error}")))
    }

    /// The address of the memory controller's registers as the host bridge gives it.
    fn memory_registers(&self, platform: &Description) -> Parsed<Option<u64>> {
        let Some(bridge) = platform.host_bridge else {
            return Ok(None);
        };
        match self.get("imc") {
            None | Some("on") => Ok(Some(bridge.base | ENABLE)),
            Some("disabled") => Ok(Some(bridge.base)),
            Some("unset") => Ok(Some(0)),
            Some("off") => Ok(None),
            Some(other) => Err(bad_value("imc", other, "on, disabled, unset or off")),
        }
    }

    /// The ID of the host bridge, by its index.
    fn bridge_id(&self, platform: &Description) -> Parsed<u32> {
        let ids = platform.host_bridge.map_or(&[0][..], |bridge| bridge.ids);
        let index = self.get("bridge").unwrap_or("0");
        let found = index.parse().ok().and_then(|index: usize| ids.get(index));
        let found = found.ok_or_else(|| bad_value("bridge", index, "the index of an ID"));
        found.copied()
    }

    /// Tells if free-running traffic is *server*.
    fn flows(&self) -> Parsed<bool> {
        match self.get("traffic") {
            None | Some("server") => Ok(true),
            Some("burst") => Ok(false),
            Some(other) => Err(bad_value("traffic", other, "server or burst")),
        }
    }

    fn part(&self) -> Parsed<Part> {
        match self.get("part") {
            None | Some("ep") => Ok(Part::Ep),
            Some("ex") => Ok(Part::Ex),
            Some(other) => Err(bad_value("part", other, "ep or ex")),
        }
    }

    /// A `:`-separated list with one word per package; one word serves all.
    fn words(&self, name: &str, count: usize) -> Parsed<Option<Vec<&'a str>>> {
        let Some(text) = self.get(name) else {
            return Ok(None);
        };
        let words: Vec<&str> = text.split(':').collect();
        match words[..] {
            [word] => Ok(Some(vec![word; count])),
            _ if words.len() == count => Ok(Some(words)),
            _ => {
                let got = words.len();
                let text = format!("{name}: {got} values for {count} packages");
                Err(TopologyError(text))
            }
        }
    }

    /// Parses a list of numbers.
    fn list_or<T>(&self, name: &str, wanted: &Wanted<T>, default: Vec<T>) -> Parsed<Vec<T>>
    where
        T: PartialOrd + TryFrom<u32> + LowerHex + fmt::Display,
    {
        let Some(words) = self.words(name, default.len())? else {
            return Ok(default);
        };
        words.iter().map(|word| wanted.read(name, word)).collect()
    }

    /// The numbering of the cores in pmi_core_sel.
    fn core_maps(&self, cores: &[u8]) -> Parsed<Vec<CoreMap>> {
        const WANTED: &str = "slot, reversed or a list of all cores, as in 1+0+2";
        let words = self.words("core-map", cores.len())?;
        let words = words.unwrap_or_else(|| vec!["slot"; cores.len()]);
        let maps = words.iter().zip(cores).map(|(word, cores)| {
            let map = core_map(word, *cores);
            map.ok_or_else(|| bad_value("core-map", word, WANTED))
        });
        maps.collect()
    }

    /// Uncore and IIO buses of each package; no bus may serve twice.
    fn buses(&self, platform: &Description, count: usize) -> Parsed<Vec<Option<Buses>>> {
        let Some(pci) = &platform.pci else {
            return Ok(vec![None; count]);
        };
        let (uncore, iio) = usual_buses(pci, count);
        let uncore = self.list_or("uncore-buses", &BUS, uncore)?;
        let iio = self.list_or("iio-buses", &BUS, iio)?;
        refuse_duplicates("uncore-buses", &uncore)?;
        let all: Vec<u8> = uncore.iter().chain(&iio).copied().collect();
        refuse_duplicates("iio-buses", &all)?;
        let both = uncore.into_iter().zip(iio);
        Ok(both
            .map(|(uncore, iio)| Some(Buses { uncore, iio }))
            .collect())
    }

    /// The functions of `hidden`, each of which must be the machine's.
    fn hidden(&self, topology: &Topology) -> Parsed<Vec<Function>> {
        let mut hidden = Vec::new();
        let Some(text) = self.get("hidden") else {
            return Ok(hidden);
        };
        let machine = Machine::new(topology.clone());
        let buses = topology.packages.iter().filter_map(|package| package.buses);
        let buses = buses.flat_map(|buses| [buses.uncore, buses.iio]);
        for word in text.split('+') {
            let before = hidden.len();
            let words = buses.clone().map(|bus| format!("{bus:02x}:{word}"));
            let named = words.chain([word.to_owned()]);
            let named = named.filter_map(|word| Function::parse(&word));
            hidden.extend(named.filter(|function| machine.find(*function).is_some()));
            if hidden.len() == before {
                let wanted = "a function of this machine (DEV.FN or BUS:DEV.FN)";
                return Err(bad_value("hidden", word, wanted));
            }
        }
        Ok(hidden)
    }
}

/// One package's `core-map`; a list must hold each core once.
fn core_map(word: &str, cores: u8) -> Option<CoreMap> {
    let list: Vec<u8> = match word {
        "slot" => return Some(CoreMap::from_cores(0..24)),
        "reversed" => (0..cores).rev().collect(),
        _ => {
            let list = word.split('+').map(|core| core.parse().ok());
            list.collect::<Option<_>>()?
        }
    };
    let mut sorted = list.clone();
    sorted.sort_unstable();
    let is_whole = sorted.into_iter().eq(0..cores);
    is_whole.then(|| CoreMap::from_cores(list))
}

fn bad_value(option: &str, value: &str, wanted: &str) -> TopologyError {
    TopologyError(format!("{option}: '{value}' is not {wanted}"))
}

fn refuse_duplicates(option: &str, buses: &[u8]) -> Parsed<()> {
    for (i, bus) in buses.iter().enumerate() {
        if buses[..i].contains(bus) {
            let text = format!("{option}: {bus:02x} is used twice");
            return Err(TopologyError(text));
        }
    }
    Ok(())
}
