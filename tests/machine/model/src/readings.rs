// SPDX-License-Identifier: GPL-2.0

//! Which reading the machine takes of each point that the sources leave open.
//!
//! Without an option it takes the first reading of every point. The others are the rows of
//! [`TABLE`]; an option of the machine or a command names them as in `U-3:b`. What a
//! reading changes is where the machine does the thing; `readings/registers.rs` has what it
//! changes in the registers of a box.

mod events;
mod registers;
mod table;

use crate::layout::BoxLayout;
use crate::machine::Machine;
use crate::package::Package;
use crate::topology::Topology;
use crate::Platform;

pub(crate) use table::Reading;
pub use table::{Row, TABLE};

/// The readings other than the first that the machine takes, a bit for each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Readings([u64; 4]);

impl Row {
    /// The name in options and commands, as in `U-3:b`.
    pub fn name(&self) -> String {
        format!("{}:{}", self.point, self.letter)
    }

    /// Tells if a platform leaves the point open.
    pub fn is_of(&self, platform: Platform) -> bool {
        self.platforms.contains(&platform)
    }
}

/// The rows of a platform.
pub fn rows_of(platform: Platform) -> impl Iterator<Item = &'static Row> {
    TABLE.iter().filter(move |row| row.is_of(platform))
}

impl Readings {
    /// Reads names of readings. The error says which is wrong.
    pub(crate) fn parse<'a>(
        names: impl IntoIterator<Item = &'a str>,
        platform: Platform,
    ) -> Result<Self, String> {
        let (mut all, mut points) = (Self::default(), Vec::new());
        for name in names {
            let row = rows_of(platform).find(|row| row.name() == name);
            let row = row.ok_or_else(|| unknown(name, platform))?;
            if points.contains(&row.point) {
                return Err(format!("{} has two readings", row.point));
            }
            points.push(row.point);
            all = row.takes.iter().fold(all, |all, taken| all.with(*taken));
        }
        Ok(all)
    }

    /// Returns these and others, which are of other points.
    pub(crate) fn and(self, others: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] | others.0[word]))
    }

    /// Returns these, but the first of the points that others are of.
    pub(crate) fn without(self, others: Self, platform: Platform) -> Self {
        let points: Vec<&str> = others.rows(platform).map(|row| row.point).collect();
        let kept = self.rows(platform);
        let kept = kept.filter(|row| !points.contains(&row.point));
        let taken = kept.flat_map(|row| &row.takes);
        taken.fold(Self::default(), |all, reading| all.with(*reading))
    }

    fn with(mut self, reading: Reading) -> Self {
        let (word, bit) = place(reading);
        self.0[word] |= bit;
        self
    }

    /// Tells if the machine takes a reading.
    pub(crate) fn has(self, reading: Reading) -> bool {
        let (word, bit) = place(reading);
        self.0[word] & bit != 0
    }

    fn has_all_of(self, row: &Row) -> bool {
        row.takes.iter().all(|reading| self.has(*reading))
    }

    /// The rows in force: of each point the one that has the most of the readings.
    fn rows(self, platform: Platform) -> impl Iterator<Item = &'static Row> {
        let holds = move |row: &Row| self.has_all_of(row);
        rows_of(platform).filter(move |row| {
            let larger =
                |other: &Row| other.point == row.point && other.takes.len() > row.takes.len();
            holds(row) && !rows_of(platform).any(|other| larger(other) && holds(other))
        })
    }

    /// Their names, as an option takes them.
    pub(crate) fn names(self, platform: Platform) -> String {
        let names: Vec<String> = self.rows(platform).map(Row::name).collect();
        names.join(" ")
    }
}

/// The word and the bit of a reading.
fn place(reading: Reading) -> (usize, u64) {
    let number = reading as usize;
    (number / 64, 1 << (number % 64))
}

fn unknown(name: &str, platform: Platform) -> String {
    let names: Vec<String> = rows_of(platform).map(Row::name).collect();
    let names = names.join(", ");
    format!("'{name}' is not a reading of this machine, say {names}")
}

/// One line for each reading of a platform: its name and what it does.
pub(crate) fn lines(platform: Platform) -> String {
    let lines = rows_of(platform).map(|row| {
        let start = if row.at_start {
            " (at the start only)"
        } else {
            ""
        };
        format!("{} {}{start}", row.name(), row.says)
    });
    lines.collect::<Vec<_>>().join("\n")
}

impl Machine {
    /// Takes these readings, and the first of every other point. The error names one that cannot
    /// change.
    pub(crate) fn take(&mut self, readings: Readings) -> Result<(), String> {
        let platform = self.topology.platform;
        let before = self.topology.readings;
        let changes = |reading: &Reading| readings.has(*reading) != before.has(*reading);
        let is_fixed = |row: &&Row| row.at_start && row.takes.iter().any(changes);
        if let Some(row) = rows_of(platform).find(is_fixed) {
            let name = row.name();
            return Err(format!("'{name}' cannot change while the machine runs"));
        }
        self.topology.readings = readings;
        for package in &mut self.packages {
            package.take(&self.topology);
        }
        Ok(())
    }
}

impl Package {
    /// Takes the readings of the topology.
    fn take(&mut self, topology: &Topology) {
        self.settle_all();
        self.readings = topology.readings;
        let num_c = topology.num_c(self.number);
        self.global.take(topology.readings, num_c, self.cores);
        let layouts: Vec<_> = topology.layouts().collect();
        let in_place_of = |old: &'static BoxLayout| {
            let mut layouts = layouts.iter().copied();
            let same = layouts.find(|layout| layout.kind == old.kind);
            same.unwrap_or(old)
        };
        for pmon in &mut self.boxes {
            pmon.take(in_place_of(pmon.layout), topology.readings);
        }
        for window in &mut self.windows {
            window.layout = in_place_of(window.layout);
        }
        self.enable_own_counters();
        self.forget_deadlines();
    }
}
