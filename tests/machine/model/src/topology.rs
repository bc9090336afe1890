// SPDX-License-Identifier: GPL-2.0

//! The shape of the machine: packages, cores, C-Boxes, bus numbers, node IDs.
//!
//! It is built from text, the same words the runner and the plugin take:
//! `packages=2,cores=4:2,cboxes=4,uncore-buses=7f:ff,iio-buses=00:80,nodes=1:0,part=ex,numc=6`.
//! A list holds one value per package, a single value serves all of them.
//! Bus numbers are hexadecimal, everything else is decimal.
//!
//! Limits: 1, 2 or 4 packages (the bus numbers of real machines are known for
//! these), 1 to 15 cores and C-Boxes, node IDs 0 to 7 (spec section 2).

use thiserror::Error;

/// The part of the family: EX has a third QPI port and R3QPI link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// E5 v2.
    Ep,
    /// E7 v2.
    Ex,
}

/// One package (socket) of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackageShape {
    /// Enabled cores; physical core numbers are 0 to `cores - 1`.
    pub cores: u8,
    /// C-Boxes that exist.
    pub cboxes: u8,
    /// Bus of the UBox and of everything but the IRP.
    pub uncore_bus: u8,
    /// Bus of the IRP.
    pub iio_bus: u8,
    /// CPUNODEID of the package.
    pub node: u8,
    /// Value of `GLOBAL_CONFIG.num_c` after reset.
    pub num_c: u8,
}

/// The whole machine; package numbers are indexes of `packages`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topology {
    /// The packages, physical number 0 first.
    pub packages: Vec<PackageShape>,
    /// EP or EX.
    pub part: Part,
}

/// Why an option string makes no machine.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TopologyError {
    /// No option of that name.
    #[error("unknown option '{0}'")]
    UnknownOption(String),
    /// An option without `=value`.
    #[error("option '{0}' has no value")]
    NoValue(String),
    /// The same option twice.
    #[error("option '{0}' is given twice")]
    Twice(String),
    /// A value that is no number of the wanted kind, or out of range.
    #[error("{option}: '{value}' is not {wanted}")]
    BadValue {
        /// The option.
        option: String,
        /// The offending word.
        value: String,
        /// What would be right.
        wanted: String,
    },
    /// A list whose length is neither 1 nor the number of packages.
    #[error("{option}: {got} values for {packages} packages")]
    BadCount {
        /// The option.
        option: String,
        /// Values given.
        got: usize,
        /// Packages of the machine.
        packages: usize,
    },
    /// Two packages with one bus or one node ID.
    #[error("{option}: {value} is used twice")]
    Duplicate {
        /// The option.
        option: String,
        /// The repeated value, as written.
        value: String,
    },
}

/// Reset value of `GLOBAL_CONFIG.num_c`, a constant of the register table (3.3).
const NUM_C_RESET: u8 = 8;

impl Default for Topology {
    /// Two EP packages of two cores and two C-Boxes each.
    fn default() -> Self {
        let package = |uncore_bus, iio_bus, node| PackageShape {
            cores: 2,
            cboxes: 2,
            uncore_bus,
            iio_bus,
            node,
            num_c: NUM_C_RESET,
        };
        Self {
            packages: vec![package(0x7f, 0x00, 0), package(0xff, 0x80, 1)],
            part: Part::Ep,
        }
    }
}

impl Topology {
    /// Reads the textual options; options left out take their defaults.
    ///
    /// # Errors
    ///
    /// The first option that is unknown, repeated, out of range or in conflict.
    pub fn parse(options: &str) -> Result<Self, TopologyError> {
        let options = Options::split(options)?;
        let count = options.package_count()?;
        let cores = options
            .list("cores", count, 10, 1..=15)?
            .unwrap_or(vec![2; count]);
        let cboxes = options
            .list("cboxes", count, 10, 1..=15)?
            .unwrap_or_else(|| cores.clone());
        let (uncore, iio) = options.buses(count)?;
        let nodes = options.list("nodes", count, 10, 0..=7)?;
        let nodes = nodes.unwrap_or_else(|| (0..=7).take(count).collect());
        refuse_duplicates("nodes", &nodes, |node| node.to_string())?;
        let num_c = options.list("numc", count, 10, 0..=15)?;
        let num_c = num_c.unwrap_or(vec![NUM_C_RESET; count]);
        let package = |i: usize| PackageShape {
            cores: cores[i],
            cboxes: cboxes[i],
            uncore_bus: uncore[i],
            iio_bus: iio[i],
            node: nodes[i],
            num_c: num_c[i],
        };
        Ok(Self {
            packages: (0..count).map(package).collect(),
            part: options.part()?,
        })
    }

    /// The GIDNIDMAP register: field i is the node of package i. Fields of
    /// absent packages name the nodes left over, so that no node appears twice.
    #[must_use]
    pub fn group_map(&self) -> u32 {
        let used: Vec<u8> = self.packages.iter().map(|package| package.node).collect();
        let free = (0..=7).filter(|node| !used.contains(node));
        let fields = used.iter().copied().chain(free);
        fields
            .enumerate()
            .fold(0, |map, (group, node)| map | u32::from(node) << (3 * group))
    }
}

/// The names an option string may use.
const NAMES: [&str; 8] = [
    "packages",
    "cores",
    "cboxes",
    "uncore-buses",
    "iio-buses",
    "nodes",
    "part",
    "numc",
];

/// The option string, split but not yet understood.
struct Options<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Options<'a> {
    fn split(text: &'a str) -> Result<Self, TopologyError> {
        let mut options: Vec<(&str, &str)> = Vec::new();
        for word in text
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
        {
            let (name, value) = word
                .split_once('=')
                .ok_or_else(|| TopologyError::NoValue(word.to_owned()))?;
            if !NAMES.contains(&name) {
                return Err(TopologyError::UnknownOption(name.to_owned()));
            }
            if options.iter().any(|(known, _)| *known == name) {
                return Err(TopologyError::Twice(name.to_owned()));
            }
            options.push((name, value));
        }
        Ok(Self(options))
    }

    fn get(&self, name: &str) -> Option<&'a str> {
        let found = self.0.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| *value)
    }

    fn package_count(&self) -> Result<usize, TopologyError> {
        match self.get("packages") {
            None | Some("2") => Ok(2),
            Some("1") => Ok(1),
            Some("4") => Ok(4),
            Some(other) => Err(bad_value("packages", other, "1, 2 or 4")),
        }
    }

    fn part(&self) -> Result<Part, TopologyError> {
        match self.get("part") {
            None | Some("ep") => Ok(Part::Ep),
            Some("ex") => Ok(Part::Ex),
            Some(other) => Err(bad_value("part", other, "ep or ex")),
        }
    }

    /// A `:`-separated list with one value per package; one value serves all.
    fn list(
        &self,
        name: &str,
        count: usize,
        radix: u32,
        range: std::ops::RangeInclusive<u8>,
    ) -> Result<Option<Vec<u8>>, TopologyError> {
        let Some(text) = self.get(name) else {
            return Ok(None);
        };
        let mut values = Vec::new();
        for word in text.split(':') {
            let value = u8::from_str_radix(word, radix).ok();
            let value = value.filter(|value| range.contains(value));
            values.push(value.ok_or_else(|| bad_number(name, word, radix, &range))?);
        }
        match values.len() {
            1 => Ok(Some(vec![values[0]; count])),
            got if got == count => Ok(Some(values)),
            got => Err(TopologyError::BadCount {
                option: name.to_owned(),
                got,
                packages: count,
            }),
        }
    }

    /// Uncore and IIO buses; no bus may serve twice.
    fn buses(&self, count: usize) -> Result<(Vec<u8>, Vec<u8>), TopologyError> {
        let (uncore, iio): (&[u8], &[u8]) = match count {
            1 => (&[0x7f], &[0x00]),
            2 => (&[0x7f, 0xff], &[0x00, 0x80]),
            _ => (&[0x3f, 0x7f, 0xbf, 0xff], &[0x00, 0x40, 0x80, 0xc0]),
        };
        let any = 0..=0xff;
        let given = self.list("uncore-buses", count, 16, any.clone())?;
        let uncore = given.unwrap_or(uncore.to_vec());
        let given = self.list("iio-buses", count, 16, any)?;
        let iio = given.unwrap_or(iio.to_vec());
        let hex = |bus: u8| format!("{bus:02x}");
        refuse_duplicates("uncore-buses", &uncore, hex)?;
        let all: Vec<u8> = uncore.iter().chain(&iio).copied().collect();
        refuse_duplicates("iio-buses", &all, hex)?;
        Ok((uncore, iio))
    }
}

fn bad_value(option: &str, value: &str, wanted: &str) -> TopologyError {
    TopologyError::BadValue {
        option: option.to_owned(),
        value: value.to_owned(),
        wanted: wanted.to_owned(),
    }
}

fn bad_number(
    option: &str,
    value: &str,
    radix: u32,
    range: &std::ops::RangeInclusive<u8>,
) -> TopologyError {
    let (low, high) = (range.start(), range.end());
    let wanted = if radix == 16 {
        format!("a hexadecimal number from {low:02x} to {high:02x}")
    } else {
        format!("a number from {low} to {high}")
    };
    bad_value(option, value, &wanted)
}

fn refuse_duplicates(
    option: &str,
    values: &[u8],
    show: impl Fn(u8) -> String,
) -> Result<(), TopologyError> {
    for (i, value) in values.iter().enumerate() {
        if values[..i].contains(value) {
            return Err(TopologyError::Duplicate {
                option: option.to_owned(),
                value: show(*value),
            });
        }
    }
    Ok(())
}
