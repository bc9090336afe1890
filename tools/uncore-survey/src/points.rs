// SPDX-License-Identifier: GPL-2.0

//! The points of the hardware references, each with its readings and the experiment that tells
//! which of them holds. This is the only list of experiments; `tests/data/readings.csv` is that of
//! points and readings.

use crate::lab::{Lab, Outcome};
use crate::platform::{described, Description};
use std::sync::LazyLock;
use uncore_catalogue::{readings, Reading};

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
pub(crate) type Listed = (&'static str, How);

/// Returns the points of a processor, by its name in the list of readings; none if the survey does not
/// know it.
pub fn points(name: &str) -> &'static [Point] {
    static ALL: LazyLock<Vec<(&str, Vec<Point>)>> =
        LazyLock::new(|| described().map(of_processor).collect());
    let found = ALL.iter().find(|(known, _)| *known == name);
    found.map_or(&[], |(_, points)| points)
}

fn of_processor((name, description): (&'static str, &Description)) -> (&'static str, Vec<Point>) {
    let list = description.points;
    let settled = readings().iter().filter(|line| line.letter == Some('-'));
    let settled = settled.filter(|line| list.iter().all(|(name, _)| *name != line.point));
    let settled = settled.map(|line| (&*line.point, How::Nothing(&line.words)));
    let all = list.iter().copied().chain(settled);
    let points = all.filter_map(|(point, how)| of_list(name, description, point, how));
    (name, points.collect())
}

/// Returns a point, if the platform has it: one of its own, or one with another reading there.
fn of_list(
    processor: &str,
    Description { own, like, .. }: &Description,
    name: &'static str,
    how: How,
) -> Option<Point> {
    let mut lines: Vec<_> = readings()
        .iter()
        .filter(|line| line.point == name)
        .collect();
    let is_here = |line: &Reading| line.is_of_like(processor, like.unwrap_or_default());
    let mut others = lines
        .iter()
        .filter(|line| line.letter.is_some() && !line.takes.is_empty())
        .peekable();
    let has = match others.peek() {
        None => name.starts_with(*own),
        Some(_) => others.any(|line| is_here(line)),
    };
    let title: &'static str = &lines.iter().find(|line| line.letter.is_none())?.words;
    let mut readings = Vec::new();
    // What another platform has under a letter is better than nothing.
    lines.sort_by_key(|line| !is_here(line));
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

pub(crate) const fn run(name: &'static str, code: fn(&mut Lab) -> Outcome) -> How {
    How::Run(Experiment { name, code })
}

/// Reason for which points about interrupts stay open.
pub(crate) const NO_INTERRUPT: &str =
    "not surveyed: it needs overflows that interrupt cores, and user space takes no interrupts";

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use uncore_catalogue::Facts;

    /// Start of the reason for which no experiment tells a point.
    const NOT_SURVEYED: &str = "not surveyed: ";

    /// The points of pages: name, title, the experiment that it names, or [`NOT_SURVEYED`] if it says
    /// why there is none.
    fn of_pages(pages: &str, own: char) -> Vec<(&str, &str, Option<&str>)> {
        let mut points: Vec<(&str, &str, Option<&str>)> = Vec::new();
        let mut before = "";
        for line in pages.lines() {
            let heading = before.split_once(": ");
            let heading = heading.filter(|(name, _)| name.starts_with(&format!("{own}-")));
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
        let page = |name: &str| {
            let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Documentation/hardware");
            std::fs::read_to_string(format!("{root}/{name}.rst")).expect("a page")
        };
        let mut known = BTreeSet::new();
        for facts in Facts::all() {
            let pages = page("uncertain") + &page(facts.name);
            let names: Vec<&str> = facts.processors.iter().map(|one| &*one.name).collect();
            let mut of_platform: Vec<_> = described()
                .filter(|(name, _)| names.contains(name))
                .collect();
            // A processor can have several models.
            of_platform.dedup_by_key(|(name, _)| *name);
            assert_eq!(of_platform.len(), names.len());
            let own = of_platform[0].1.own;
            let mut all: Vec<&Point> = of_platform
                .iter()
                .flat_map(|(name, _)| points(name))
                .collect();
            all.retain(|point| point.name.starts_with(own));
            all.sort_by_key(|point| point.number());
            all.dedup_by_key(|point| point.name);
            known.extend(all.iter().map(|point| point.name));
            let of_table: Vec<_> = all
                .iter()
                .map(|point| {
                    let experiment = match point.how {
                        How::Run(experiment) => Some(experiment.name),
                        How::Nothing(why) => why.starts_with(NOT_SURVEYED).then_some(NOT_SURVEYED),
                    };
                    (point.name, point.title, experiment)
                })
                .collect();
            assert_eq!(of_pages(&pages, own), of_table);
        }
        let of_file: BTreeSet<&str> = readings().iter().map(|line| &*line.point).collect();
        assert_eq!(known, of_file);
    }
}
