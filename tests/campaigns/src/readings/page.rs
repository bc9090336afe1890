// SPDX-License-Identifier: GPL-2.0

//! The page that tells for each point of each processor what the driver does under each reading
//! (Documentation/hardware/uncertain-table.rst).
//!
//! Its rows follow from lists: the readings of the machine, the effects, and the texts of the
//! points. A campaign over every reading of a processor writes the section of the processor if all
//! of that is true.

use super::effects::{self, Effect};
use super::list::{one_reading, readings, Reading};
use std::fmt::Write as _;
use uncore_e2e::prelude::Processor;

/// The texts of the points of the Xeon E5, and of each platform's own.
const COMMON: &str = include_str!("../../../../Documentation/hardware/uncertain.rst");
const BDX: &str = include_str!("../../../../Documentation/hardware/bdx.rst");
const SNB: &str = include_str!("../../../../Documentation/hardware/snb.rst");
const NHMEX: &str = include_str!("../../../../Documentation/hardware/nhmex.rst");

/// Name of the field of a point that names the experiment of `uncore survey`.
const SURVEY: &str = ":Survey: ";

/// Widths of the columns but the last.
const WIDTHS: [usize; 3] = [5, 7, 69];

const TITLE: &str = "What the driver does under each reading";

const INTRODUCTION: &str = "\
The points are those of Documentation/hardware/uncertain.rst, and of bdx.rst, snb.rst and nhmex.rst
beside it, the readings those of Documentation/development/readings.rst. ``make readings ALONE=all``
tries each of the processor of ``PLATFORM=`` and writes its section; the tests ``readings::`` of
``make test`` try each with some events.

*To settle* is the experiment of ``uncore survey``, or *by hand*: the text of the point tells what to
do. A reading whose events add more or less counts exactly if the driver counts that.
";

/// Returns the page after a campaign on the current processor: its section is new, with a sentence
/// about the campaign, the others are those of the page before.
pub fn page(before: &str, campaign: &str) -> String {
    let line = "=".repeat(TITLE.len());
    let mut page =
        format!(".. SPDX-License-Identifier: GPL-2.0\n\n{line}\n{TITLE}\n{line}\n\n{INTRODUCTION}");
    for processor in Processor::ALL {
        let heading = heading(processor);
        let section = if processor == Processor::current() {
            format!("\n{campaign}\n\n{}", rows())
        } else {
            section(before, processor).unwrap_or_default().to_owned()
        };
        if !section.is_empty() {
            page.push_str(&heading);
            page.push_str(&section);
        }
    }
    page
}

/// Returns the heading of a processor's section.
fn heading(processor: Processor) -> String {
    let title = match processor {
        Processor::Ivbep => "Ivy Bridge-EP",
        Processor::Bdx => "Broadwell-EP",
        Processor::BdxDe => "Broadwell-DE",
        Processor::Snb => "Sandy Bridge client",
        Processor::Nhmex => "Nehalem-EX",
        Processor::Wsmex => "Westmere-EX",
    };
    format!("\n{title}\n{}\n", "=".repeat(title.len()))
}

/// Returns the section of a processor, without its heading, up to the next one.
fn section(page: &str, processor: Processor) -> Option<&str> {
    let (_, section) = page.split_once(&heading(processor))?;
    let others = Processor::ALL.map(heading);
    let ends = others.iter().filter_map(|heading| section.find(heading));
    section.get(..ends.min().unwrap_or(section.len()))
}

/// Returns the table of the current processor: a row for each reading, and for each point with one
/// reading.
pub(super) fn rows() -> String {
    let edge = edge();
    let mut text = format!(
        "{edge}\n{}\n{edge}\n",
        row(["point", "reading", "driver"], "to settle")
    );
    let all = readings();
    for point in points() {
        let settle = settle(point);
        let of_point = all.iter().filter(|reading| reading.point == point);
        let mut lines: Vec<[String; 2]> = of_point.map(of_reading).collect();
        if let Some(why) = one_reading(point).filter(|_| is_own(point)) {
            lines.push(["one".to_owned(), why.to_owned()]);
        }
        for [reading, driver] in lines {
            let _infallible = writeln!(text, "{}", row([point, &reading, &driver], settle));
        }
    }
    text.push_str(&edge);
    text.push('\n');
    text
}

fn edge() -> String {
    let columns = WIDTHS.map(|width| "=".repeat(width));
    format!("{}  {}", columns.join("  "), "=".repeat("to settle".len()))
}

fn row(cells: [&str; 3], settle: &str) -> String {
    let mut cells = cells.into_iter().zip(WIDTHS);
    let line = cells.try_fold(String::new(), |mut line, (cell, width)| {
        write!(line, "{cell:width$}  ").map(|()| line)
    });
    format!("{}{settle}", line.unwrap_or_default())
        .trim_end()
        .to_owned()
}

/// Returns the cells of a reading: its letter, and what the driver does.
fn of_reading(reading: &Reading) -> [String; 2] {
    let (_, letter) = reading.name.split_once(':').unwrap_or(("", reading.name));
    let when = if reading.at_start {
        "from the start: "
    } else {
        ""
    };
    let own = effects::of_processor().filter(|row| row.reading == reading.name);
    let effects = own.filter_map(|row| {
        let (with, events) = (row.beside, row.events());
        let beside = if with.is_empty() {
            String::new()
        } else {
            format!("beside {with} ")
        };
        match row.effect {
            Effect::Refused(_) => Some(format!("{beside}refuses {events}")),
            Effect::Meaning => Some(format!("{beside}keeps the meaning of a: {events}")),
            Effect::Adds(_) => None,
            Effect::TestOfItsOwn => Some(format!("{events} (a test of its own)")),
        }
    });
    let mut effects: Vec<String> = effects.collect();
    if effects.is_empty() {
        effects.push("counts exactly".to_owned());
    }
    [letter.to_owned(), format!("{when}{}", effects.join("; "))]
}

/// Returns the pages with the points of the current processor, its own last.
fn pages() -> &'static [&'static str] {
    match Processor::current() {
        Processor::Ivbep => &[COMMON],
        Processor::Bdx | Processor::BdxDe => &[COMMON, BDX],
        Processor::Snb => &[SNB],
        Processor::Nhmex | Processor::Wsmex => &[NHMEX],
    }
}

/// Returns the names of the points, in order.
fn points() -> impl Iterator<Item = &'static str> {
    pages().iter().flat_map(|page| points_of(page))
}

fn points_of(page: &'static str) -> impl Iterator<Item = &'static str> {
    let lines = page.lines().zip(page.lines().skip(1));
    let headings = lines.filter(|(_, below)| below.starts_with("---"));
    headings.filter_map(|(heading, _)| Some(heading.split_once(": ")?.0))
}

/// Tells if a point is of the processor's own page.
fn is_own(point: &str) -> bool {
    let own = pages().last();
    own.is_some_and(|page| points_of(page).any(|own| own == point))
}

/// Returns the way to settle a point.
fn settle(point: &str) -> &'static str {
    let heading = format!("\n{point}: ");
    let after = |page: &&'static str| page.split_once(&heading).map(|(_, text)| text);
    let text = pages().iter().find_map(after).unwrap_or_default();
    let own = text.split("\n---").take(2).collect::<Vec<_>>();
    let lines = own.last().copied().unwrap_or_default().lines();
    let mut found = lines.filter_map(|line| match line.strip_prefix(SURVEY) {
        Some(experiment) => Some(experiment),
        None if line.starts_with(":To settle:") => Some("by hand"),
        None if line.starts_with(":Settled:") => Some("settled"),
        None => None,
    });
    found.next_back().unwrap_or("by hand")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use uncore_e2e::prelude::Platform;

    const PAGE: &str = include_str!("../../../../Documentation/hardware/uncertain-table.rst");

    #[test]
    fn the_page_has_the_rows_of_the_lists() {
        for processor in Processor::ALL {
            let rows = processor.on(rows);
            let section = section(PAGE, processor).unwrap_or_default();
            assert!(section.ends_with(&rows), "{processor:?} lacks:\n{rows}");
        }
    }

    #[test]
    fn a_campaign_replaces_the_section_of_its_processor() {
        for processor in Processor::ALL {
            let page = processor.on(|| page(PAGE, "A campaign."));
            for each in Processor::ALL {
                let [before, after] = [PAGE, &page].map(|page| section(page, each));
                let is_new = after.is_some_and(|it| it.starts_with("\nA campaign.\n\n====="));
                assert_eq!(is_new, each == processor, "{each:?}");
                assert_eq!(before != after, each == processor, "{each:?}");
            }
        }
    }

    #[test]
    fn each_reading_has_a_row_and_a_way_to_settle_it() {
        for processor in Processor::ALL {
            processor.on(|| {
                let rows = rows();
                for Reading { point, name, .. } in readings() {
                    let letter = name.rsplit(':').next().unwrap_or_default();
                    let begins = format!("\n{point:5}  {letter} ");
                    assert!(rows.contains(&begins), "{name}");
                    assert!(!settle(point).is_empty(), "{name}");
                }
                for reading in readings() {
                    let cells = of_reading(&reading).into_iter().zip(&WIDTHS[1..]);
                    for (cell, width) in cells {
                        assert!(cell.len() <= *width, "{}: {cell}", reading.name);
                    }
                }
            });
        }
        assert_eq!(settle("U-51"), "settled");
        assert_eq!(settle("U-50"), "by hand");
        assert_eq!(settle("U-3"), "``uclk-width``");
    }

    #[test]
    fn each_effect_is_of_a_reading() {
        let all = Processor::ALL
            .map(|processor| processor.on(readings))
            .concat();
        for row in effects::ROWS {
            let has = |name| all.iter().any(|reading| reading.name == name);
            assert!(has(row.reading), "{row:?}");
            assert!(row.beside.is_empty() || has(row.beside), "{row:?}");
        }
    }

    /// Doubts that `uncore explain` and `uncore doctor` tell, by platform.
    const DOUBTS: [(Platform, &str); 4] = [
        (
            Platform::Ivbep,
            include_str!("../../../../tools/uncore/src/doubts/ivbep.csv"),
        ),
        (
            Platform::Bdx,
            include_str!("../../../../tools/uncore/src/doubts/bdx.csv"),
        ),
        (
            Platform::Snb,
            include_str!("../../../../tools/uncore/src/doubts/snb.csv"),
        ),
        (
            Platform::Nhmex,
            include_str!("../../../../tools/uncore/src/doubts/nhmex.csv"),
        ),
    ];

    #[test]
    fn what_may_mean_something_else_is_marked_as_uncertain() {
        for (platform, doubts) in DOUBTS {
            let rows = doubts.lines().filter(|line| !line.starts_with('#')).skip(1);
            let marked = rows.filter_map(|row| row.split(',').nth(1));
            let marked: BTreeSet<&str> = marked.collect();
            let processors = platform.processors();
            let kept = processors.flat_map(|processor| processor.on(effects::of_processor));
            let kept = kept.filter(|row| row.effect == Effect::Meaning);
            let points = kept.filter_map(|row| row.reading.split(':').next());
            assert_eq!(marked, points.collect(), "{platform:?}");
        }
    }
}
