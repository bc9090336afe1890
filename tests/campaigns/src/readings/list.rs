// SPDX-License-Identifier: GPL-2.0

//! The readings that a processor's machine can take, as Documentation/development/readings.rst
//! lists them. A test of the model holds that page to its table.

use uncore_e2e::platform::Processor;

const PAGE: &str = include_str!("../../../../Documentation/development/readings.rst");

/// Words behind the name of a reading that only an option of the machine chooses.
const AT_START: &str = " (at the start)";

/// Words before the names of other processors that have a reading.
const OTHERS: &str = ", also ";

/// A reading of a point other than the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The point, such as `U-3`.
    pub(super) point: &'static str,
    /// The name, such as `U-3:b`.
    pub name: &'static str,
    /// Behaviour of the machine, in one clause.
    pub(super) says: &'static str,
    /// It holds from the start of the machine to its end.
    pub at_start: bool,
}

/// Titles of lists, and the processor whose list each is.
const TITLES: [(&str, &str); 6] = [
    ("Ivy Bridge-EP", "ivbep"),
    ("Broadwell-EP", "bdx"),
    ("Broadwell-DE", "bdx-de"),
    ("Sandy Bridge client", "snb"),
    ("Nehalem-EX and Westmere-EX", "nhmex"),
    ("Westmere-EX", "wsmex"),
];

/// Returns the processors that a campaign takes: those of the platform, or the one that was asked
/// for if it is not the usual one.
pub fn processors() -> Vec<Processor> {
    let current = Processor::current();
    let all: Vec<Processor> = current.platform().processors().collect();
    if all.first() == Some(&current) {
        all
    } else {
        vec![current]
    }
}

/// Returns the readings of the current processor.
pub fn readings() -> Vec<Reading> {
    let processor = Processor::current().name();
    let lists = TITLES.into_iter().flat_map(|(title, first)| {
        let own = list(title).into_iter();
        own.map(move |(others, reading)| {
            (first == processor || others.contains(&processor), reading)
        })
    });
    lists
        .filter_map(|(is_own, reading)| is_own.then_some(reading))
        .collect()
}

/// Returns the readings below a title, each with the names of the other processors that have it.
fn list(title: &str) -> Vec<(Vec<&'static str>, Reading)> {
    let mut lines = PAGE.lines().skip_while(|line| *line != title).skip(3);
    let mut all = Vec::new();
    while let (Some(name), Some(says)) = (lines.next(), lines.next()) {
        let Some(says) = says.strip_prefix("  ") else {
            break;
        };
        let (name, at_start) = match name.strip_suffix(AT_START) {
            Some(name) => (name, true),
            None => (name, false),
        };
        let (name, others) = name.split_once(OTHERS).unwrap_or((name, ""));
        let (point, _) = name.split_once(':').unwrap_or((name, ""));
        let reading = Reading {
            point,
            name,
            says,
            at_start,
        };
        all.push((others.split(", ").collect(), reading));
    }
    all
}

/// Returns the reason why a point has one reading only, if it has.
pub(super) fn one_reading(point: &str) -> Option<&'static str> {
    let mut lines = PAGE.lines().skip_while(|line| *line != ".. one reading");
    lines.find(|line| *line == point)?;
    lines.next()?.strip_prefix("  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_found() {
        let all = readings();
        let first = all.first().expect("a reading");
        assert_eq!(
            (first.point, first.name, first.at_start),
            ("U-1", "U-1:b", false)
        );
        assert!(first.says.starts_with("bit 20 of "));
        let links = all.iter().find(|reading| reading.name == "U-38:b");
        assert!(links.is_some_and(|reading| reading.at_start));
        let of_clients = Processor::Snb.on(readings);
        assert!(of_clients.iter().any(|reading| reading.name == "S-1:b"));
        assert!(of_clients.iter().all(|reading| reading.name != "U-38:b"));
        let why = one_reading("U-39");
        assert_eq!(why, Some("the unit of a count, not the count"));
        assert_eq!(one_reading("U-1"), None);
        for processor in Processor::ALL {
            assert!(!processor.on(readings).is_empty(), "{processor:?}");
        }
        let has = |processor: Processor, name| {
            let all = processor.on(readings);
            all.iter().any(|reading| reading.name == name)
        };
        for (processor, other, own, common) in [
            (Processor::BdxDe, Processor::Bdx, "B-21:b", "B-1:b"),
            (Processor::Wsmex, Processor::Nhmex, "X-7:b", "X-1:b"),
        ] {
            assert!(has(processor, own) && !has(other, own), "{own}");
            assert!(has(processor, common) && has(other, common), "{common}");
        }
        assert!(!has(Processor::BdxDe, "B-3:b") && !has(Processor::Wsmex, "X-16:b"));
    }

    #[test]
    fn a_processor_that_is_asked_for_is_the_only_one() {
        assert_eq!(
            Processor::Bdx.on(processors),
            [Processor::Bdx, Processor::BdxDe]
        );
        assert_eq!(Processor::BdxDe.on(processors), [Processor::BdxDe]);
        assert_eq!(Processor::Snb.on(processors), [Processor::Snb]);
    }
}
