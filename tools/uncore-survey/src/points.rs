// SPDX-License-Identifier: GPL-2.0

//! The points of the hardware references, each with its readings and the experiment that tells
//! which of them holds. This is the only list of experiments.

mod bdx;
mod ivbep;
mod nhmex;
mod snb;

use crate::lab::{Lab, Outcome};
use bdx::BDX;
use ivbep::IVBEP;
use nhmex::{NHMEX, WSMEX};
use snb::SNB;

/// An experiment.
#[derive(Debug, Clone, Copy)]
pub struct Experiment {
    /// Name, as in `uclk-width`.
    pub name: &'static str,
    pub(crate) code: fn(&mut Lab) -> Outcome,
}

/// Way to settle a point.
#[derive(Debug, Clone, Copy)]
pub enum How {
    /// An experiment.
    Run(Experiment),
    /// An experiment that interrupts CPUs.
    Interrupt(Experiment),
    /// Nothing here, for this reason.
    Nothing(&'static str),
}

/// A point that the sources leave open.
#[derive(Debug, Clone, Copy)]
pub struct Point {
    /// Number, as in `U-3`.
    pub name: &'static str,
    /// Heading.
    pub title: &'static str,
    /// Way to settle it.
    pub how: How,
    /// Letters with what each means. The first is what the driver takes.
    pub readings: &'static [(char, &'static str)],
}

impl Point {
    /// The digits of its number.
    pub fn number(&self) -> u32 {
        let digits = self.name.rsplit('-').next().unwrap_or_default();
        digits.parse().unwrap_or(u32::MAX)
    }

    /// Returns the meaning of a reading.
    pub fn meaning(&self, letter: char) -> &'static str {
        let mut found = self.readings.iter().filter(|(known, _)| *known == letter);
        found.next().map_or("", |(_, meaning)| meaning)
    }
}

/// Returns the points of a platform, by its name; none if the survey does not know it.
pub fn points(name: &str) -> &'static [Point] {
    match name {
        "ivbep" => IVBEP,
        "bdx" => BDX,
        "snb" => SNB,
        "nhmex" => NHMEX,
        "wsmex" => WSMEX,
        _ => &[],
    }
}

const fn point(
    name: &'static str,
    title: &'static str,
    how: How,
    readings: &'static [(char, &'static str)],
) -> Point {
    Point {
        name,
        title,
        how,
        readings,
    }
}

const fn run(
    name: &'static str,
    title: &'static str,
    experiment: &'static str,
    code: fn(&mut Lab) -> Outcome,
    readings: &'static [(char, &'static str)],
) -> Point {
    let how = How::Run(Experiment {
        name: experiment,
        code,
    });
    point(name, title, how, readings)
}

const fn interrupt(
    name: &'static str,
    title: &'static str,
    experiment: &'static str,
    code: fn(&mut Lab) -> Outcome,
    readings: &'static [(char, &'static str)],
) -> Point {
    let how = How::Interrupt(Experiment {
        name: experiment,
        code,
    });
    point(name, title, how, readings)
}

const fn nothing(name: &'static str, title: &'static str, why: &'static str) -> Point {
    point(name, title, How::Nothing(why), &[])
}

const NO_ADDRESS: &str = "no software can notice: the register has no public address";
const SETTLED: &str = "settled by the sources";
const NAMES: &str = "no software can notice: it is about names and texts";
/// Reason why no counter sends its overflow on Sandy Bridge and Nehalem-EX.
const NO_INTERRUPT: &str = "not surveyed: it needs overflows that interrupt cores, and the module takes no interrupts here";

/// Returns a point that a platform shares with another one.
const fn shared(all: &[Point], name: &str) -> Point {
    let mut index = 0;
    while index < all.len() {
        if is_same(all[index].name.as_bytes(), name.as_bytes()) {
            return all[index];
        }
        index += 1;
    }
    panic!("no such point")
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut index = 0;
    while index < one.len() && index < other.len() {
        if one[index] != other[index] {
            return false;
        }
        index += 1;
    }
    one.len() == other.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = include_str!("../../../Documentation/hardware/uncertain.rst");
    const OF_BDX: &str = include_str!("../../../Documentation/hardware/bdx.rst");
    const OF_SNB: &str = include_str!("../../../Documentation/hardware/snb.rst");
    const OF_NHMEX: &str = include_str!("../../../Documentation/hardware/nhmex.rst");

    /// Start of the reason for which no experiment tells a point.
    const NOT_SURVEYED: &str = "not surveyed: ";

    /// The points of a page: name, title, the experiment that it names, or [`NOT_SURVEYED`] if it says
    /// why there is none.
    fn of_page(
        page: &'static str,
        prefix: &str,
    ) -> Vec<(&'static str, &'static str, Option<&'static str>)> {
        let mut points: Vec<(&str, &str, Option<&str>)> = Vec::new();
        let mut before = "";
        for line in page.lines() {
            let heading = before.split_once(": ");
            let heading = heading.filter(|(name, _)| name.starts_with(prefix));
            match (heading, line.strip_prefix(":Survey: ``"), points.last_mut()) {
                (Some((name, title)), ..) if line.starts_with("---") => {
                    points.push((name, title, None));
                }
                (_, Some(named), Some((.., survey))) => *survey = named.strip_suffix("``"),
                (_, None, Some((.., survey))) if line.starts_with(":Not surveyed: ") => {
                    *survey = Some(NOT_SURVEYED);
                }
                _ => {}
            }
            before = line;
        }
        points
    }

    #[test]
    fn the_pages_have_the_points_and_their_experiments_or_why_there_is_none() {
        let of_nhmex = [NHMEX, WSMEX].concat();
        for (page, prefix, table) in [
            (PAGE, "U-", IVBEP),
            (OF_BDX, "B-", BDX),
            (OF_SNB, "S-", SNB),
            (OF_NHMEX, "X-", &of_nhmex),
        ] {
            let own = table.iter().filter(|point| point.name.starts_with(prefix));
            let mut all: Vec<&Point> = own.collect();
            all.sort_by_key(|point| point.number());
            all.dedup_by_key(|point| point.name);
            let of_table: Vec<_> = all
                .iter()
                .map(|point| {
                    let experiment = match point.how {
                        How::Run(experiment) | How::Interrupt(experiment) => Some(experiment.name),
                        How::Nothing(why) => why.starts_with(NOT_SURVEYED).then_some(NOT_SURVEYED),
                    };
                    (point.name, point.title, experiment)
                })
                .collect();
            assert_eq!(of_page(page, prefix), of_table);
        }
    }

    #[test]
    fn readings_have_letters_in_order() {
        for point in [IVBEP, BDX, SNB, NHMEX, WSMEX].into_iter().flatten() {
            let letters = point.readings.iter().map(|(letter, _)| *letter);
            assert!(letters.is_sorted(), "{}", point.name);
        }
    }
}
