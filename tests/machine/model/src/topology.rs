// SPDX-License-Identifier: GPL-2.0

//! The shape of the machine: packages, cores, C-Boxes, bus numbers, node IDs, and
//! functions that firmware hides.
//!
//! Bus numbers are those of real machines for 1, 2 and 4 packages
//! (Documentation/hardware/ivbep.rst section 2); 8 packages continue that
//! pattern. From text: `options.rs`.

use crate::boxes::of_other_parts;
use crate::catalogue::BoxType;
use crate::core_map::CoreMap;
use crate::global::GlobalLayout;
use crate::layout::{BoxLayout, Bus};
use crate::package::instances;
use crate::platform::PciSide;
use crate::readings::{Reading, Readings};
use crate::traffic::Source;
use crate::{Function, Platform};

/// The part of the family: EX has a third QPI port and R3QPI link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// E5 v2.
    Ep,
    /// E7 v2.
    Ex,
}

/// The memory channels of a package, all with memory.
pub(crate) const ALL_CHANNELS: u32 = 0xff;

/// Shares of the memory channel that has more of the traffic than the others.
const HOT: u32 = 7;

/// The PCI buses of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Buses {
    /// Bus of the UBox and of everything but the IRP.
    pub uncore: u8,
    /// Bus of the IRP.
    pub iio: u8,
}

impl Buses {
    /// The number of a bus.
    pub(crate) fn number(self, bus: Bus) -> u8 {
        match bus {
            Bus::Uncore => self.uncore,
            Bus::Iio => self.iio,
        }
    }
}

/// One package (socket) of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackageShape {
    /// Enabled cores; physical core numbers are 0 to `cores - 1`.
    pub cores: u8,
    /// Bit n: C-Box n exists.
    pub cbox_mask: u32,
    /// Number of S-Boxes: none or four.
    pub sboxes: u8,
    /// Number of home agents, each with a memory controller.
    pub home_agents: u8,
    /// Bit k: memory channel k has memory, and so a clock.
    pub channels: u32,
    /// Its buses, if the uncore has PCI functions.
    pub buses: Option<Buses>,
    /// CPUNODEID of the package.
    pub node: u8,
    /// GIDNIDMAP of the package.
    pub group_map: u32,
    /// Number of C-Boxes that the global registers tell after reset.
    pub num_c: u8,
    /// The cores behind the bits of `GLOBAL_CTL.pmi_core_sel`.
    pub core_map: CoreMap,
}

/// The whole machine; package numbers are indexes of `packages`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topology {
    /// The platform.
    pub platform: Platform,
    /// The packages, physical number 0 first.
    pub packages: Vec<PackageShape>,
    /// EP or EX.
    pub part: Part,
    /// Each package is two NUMA nodes: cores below this number are in the first one. No
    /// register tells.
    pub divided_at: Option<u8>,
    /// The points for which the machine takes another reading than the first.
    pub readings: Readings,
    /// Functions that are not there until a test shows them.
    pub hidden: Vec<Function>,
    /// The address of the memory controller's registers as the host bridge gives it, if the
    /// bridge is that of the platform.
    pub memory_registers: Option<u64>,
    /// The device and vendor ID of that bridge.
    pub bridge_id: u32,
    /// The traffic of the free-running mode is *server*, else that of a burst.
    pub flows: bool,
}

impl Topology {
    /// The box types.
    pub(crate) fn layouts(&self) -> impl Iterator<Item = &'static BoxLayout> + '_ {
        let layouts = self.platform.description().layouts.iter();
        let more = self.readings.has(Reading::R3qpiOfDe);
        let others = more.then(of_other_parts).flatten();
        layouts
            .copied()
            .chain(others)
            .map(|layout| match layout.other {
                Some((reading, other)) if self.readings.has(reading) => other,
                _ => layout,
            })
    }

    /// The global registers.
    pub(crate) fn global(&self) -> &'static GlobalLayout {
        self.platform.description().global
    }

    /// The number of C-Boxes that the global registers of a package tell after reset.
    pub(crate) fn num_c(&self, package: u8) -> u8 {
        let shape = self.packages[usize::from(package)];
        let has = |reading| self.readings.has(reading);
        if has(Reading::NumberOfCboxes) || has(Reading::NumberWithoutGraphics) {
            u8::try_from(shape.cbox_mask.count_ones()).unwrap_or(u8::MAX)
        } else if has(Reading::NoNumber) {
            0
        } else if has(Reading::TwentyFourCboxes) {
            24
        } else {
            shape.num_c
        }
    }

    /// Lines that the cores of a package read in 10,000 cycles of uclk at full load (traffic.rst): the
    /// busiest memory channel is full by 95 percent then.
    fn lines(&self) -> u16 {
        let share = if self.packages.len() == 1 { 83 } else { 99 };
        let of = |package: &PackageShape| {
            let channels = match package.channels.count_ones() {
                0 if self.platform.has_memory_counters() => 1,
                0 => 4,
                channels => channels,
            };
            let cboxes = package.cbox_mask.count_ones();
            u16::try_from(((channels + HOT - 1) * share).min(cboxes * 462)).unwrap_or(u16::MAX)
        };
        self.packages.iter().map(of).min().unwrap_or(0)
    }

    /// Returns the place of a box in the traffic. One memory channel has more of it than the others.
    pub(crate) fn source(&self, package: u8, layout: &BoxLayout, instance: u8) -> Source {
        let shape = self.packages[usize::from(package)];
        let present = instances(layout, shape, self.part);
        let boxes = match layout.kind {
            BoxType::Imc => present & shape.channels,
            // Each is of a core.
            BoxType::Cbox if shape.buses.is_none() => present & ((1 << shape.cores) - 1),
            _ => present,
        };
        let number = boxes.count_ones().max(1);
        let place = (boxes & ((1 << instance) - 1)).count_ones();
        let is_hot = place == (2 + 3 * u32::from(package)) % number;
        let (own, all) = match layout.kind {
            BoxType::Imc if is_hot => (HOT, number + HOT - 1),
            BoxType::Imc => (1, number + HOT - 1),
            _ => (1, number),
        };
        let byte = |number: u32| u8::try_from(number).unwrap_or(u8::MAX);
        Source {
            instance,
            share: (byte(own), byte(all)),
            ..self.whole(package)
        }
    }

    /// Returns the place of what a package has once.
    pub(crate) fn whole(&self, package: u8) -> Source {
        Source {
            package,
            peer: self.linked_with(package),
            instance: 0,
            share: (1, 1),
            lines: self.lines(),
        }
    }

    /// The package at the other end of a package's QPI links (traffic.rst).
    pub(crate) fn linked_with(&self, package: u8) -> u8 {
        let other = package ^ 1;
        let exists = usize::from(other) < self.packages.len();
        if exists {
            other
        } else {
            package
        }
    }
}

impl Default for Topology {
    /// The machine without options: two IVB-EP packages of two cores and two C-Boxes each.
    fn default() -> Self {
        Self::parse("").expect("each option has a default")
    }
}

/// A GIDNIDMAP: field i is the node of package i. Fields of absent packages name
/// the nodes left over, so that no node appears twice if the packages' differ.
pub(crate) fn group_map(nodes: &[u8]) -> u32 {
    let free = (0..=7).filter(|node| !nodes.contains(node));
    let fields = nodes.iter().copied().chain(free).take(8);
    fields
        .enumerate()
        .fold(0, |map, (group, node)| map | u32::from(node) << (3 * group))
}

/// Returns the uncore and IIO buses of a machine of 1, 2, 4 or 8 packages: each has the last and the
/// first one of its part of all numbers.
pub(crate) fn usual_buses(pci: &PciSide, packages: usize) -> (Vec<u8>, Vec<u8>) {
    let first = (0..=u8::MAX).step_by(256 / packages);
    let last = first.clone().skip(1).map(|next| next - 1);
    let uncore = match packages {
        1 => vec![pci.lone_bus],
        _ => last.chain([u8::MAX]).collect(),
    };
    (uncore, first.collect())
}
