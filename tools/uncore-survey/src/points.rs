// SPDX-License-Identifier: GPL-2.0

//! The points of the hardware references, each with its readings and the experiment that tells
//! which of them holds. This is the only list of experiments; `tests/data/readings.csv` is that of
//! points and readings.

mod nhmex;
mod snb;
mod xeon;

use crate::lab::{Lab, Outcome};
use nhmex::NHMEX;
use snb::SNB;
use std::sync::LazyLock;
use uncore_catalogue::readings;
use xeon::XEON;

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
#[derive(Debug)]
pub struct Point {
    /// Number, as in `U-3`.
    pub name: &'static str,
    /// Heading.
    pub title: &'static str,
    /// Way to settle it.
    pub how: How,
    /// Letters with what each means. The first is what the driver takes.
    pub readings: Vec<(char, &'static str)>,
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

/// A point, and the way to settle it.
type Listed = (&'static str, How);

/// Platforms with the first letter of their own points, and the list with their points.
const PLATFORMS: [(&str, char, &[Listed]); 5] = [
    ("ivbep", 'U', XEON),
    ("bdx", 'B', XEON),
    ("snb", 'S', SNB),
    ("nhmex", 'X', NHMEX),
    ("wsmex", 'X', NHMEX),
];

/// Returns the points of a platform, by its name; none if the survey does not know it.
pub fn points(name: &str) -> &'static [Point] {
    static ALL: LazyLock<[Vec<Point>; 5]> = LazyLock::new(|| PLATFORMS.map(of_platform));
    let mut known = PLATFORMS.iter().zip(&*ALL);
    let found = known.find(|((known, ..), _)| *known == name);
    found.map_or(&[], |(_, points)| points)
}

fn of_platform((platform, own, list): (&str, char, &[Listed])) -> Vec<Point> {
    let settled = readings().iter().filter(|line| line.letter == Some('-'));
    let settled = settled.filter(|line| list.iter().all(|(name, _)| *name != line.point));
    let settled = settled.map(|line| (&*line.point, How::Nothing(&line.words)));
    let all = list.iter().copied().chain(settled);
    all.filter_map(|(name, how)| point(platform, own, name, how))
        .collect()
}

/// Returns a point, if the platform has it: one of its own, or one with another reading there.
fn point(platform: &str, own: char, name: &'static str, how: How) -> Option<Point> {
    let mut lines: Vec<_> = readings()
        .iter()
        .filter(|line| line.point == name)
        .collect();
    let is_here = |names: &str| {
        let mut names = names.split(' ');
        // Broadwell-DE is surveyed as Broadwell.
        names.any(|name| name.strip_suffix("-de").unwrap_or(name) == platform)
    };
    let mut others = lines
        .iter()
        .filter(|line| !line.takes.is_empty())
        .peekable();
    let has = match others.peek() {
        None => name.starts_with(own),
        Some(_) => others.any(|line| is_here(&line.platforms)),
    };
    let title: &'static str = &lines.iter().find(|line| line.letter.is_none())?.words;
    let mut readings = Vec::new();
    // What another platform has under a letter is better than nothing.
    lines.sort_by_key(|line| !is_here(&line.platforms));
    for line in lines {
        let letter = line.letter.filter(char::is_ascii_lowercase);
        let is_new = |letter: &char| readings.iter().all(|(known, _)| known != letter);
        readings.extend(letter.filter(is_new).map(|letter| (letter, &*line.words)));
    }
    readings.sort_unstable();
    has.then_some(Point {
        name,
        title,
        how,
        readings,
    })
}

const fn run(name: &'static str, code: fn(&mut Lab) -> Outcome) -> How {
    How::Run(Experiment { name, code })
}

const fn interrupt(name: &'static str, code: fn(&mut Lab) -> Outcome) -> How {
    How::Interrupt(Experiment { name, code })
}

/// Reason why no counter sends its overflow on Sandy Bridge and Nehalem-EX.
const NO_INTERRUPT: &str = "not surveyed: it needs overflows that interrupt cores, and the module takes no interrupts here";

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

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
        let mut known = BTreeSet::new();
        for (page, prefix, platforms) in [
            (PAGE, "U-", &["ivbep"][..]),
            (OF_BDX, "B-", &["bdx"]),
            (OF_SNB, "S-", &["snb"]),
            (OF_NHMEX, "X-", &["nhmex", "wsmex"]),
        ] {
            let all = platforms.iter().flat_map(|platform| points(platform));
            let mut all: Vec<&Point> = all.filter(|point| point.name.starts_with(prefix)).collect();
            all.sort_by_key(|point| point.number());
            all.dedup_by_key(|point| point.name);
            known.extend(all.iter().map(|point| point.name));
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
        let of_file: BTreeSet<&str> = readings().iter().map(|line| &*line.point).collect();
        assert_eq!(known, of_file);
    }
}
