// SPDX-License-Identifier: GPL-2.0

//! The page that tells for each point of each processor what the driver does under each reading
//! (Documentation/hardware/uncertain-table.rst). A run in which `effects` proves true writes it.

use super::{
    effects::{self, Effect},
    Tally,
};
use std::fmt::Write as _;
use uncore_e2e::prelude::{Platform, Processor};
use uncore_machine::{rows_of, Row};
use uncore_survey::{points, How, Point};

const PAGE: &str = include_str!("../../../../../Documentation/hardware/uncertain-table.rst");

const INTRODUCTION: &str = "\
.. SPDX-License-Identifier: GPL-2.0

=======================================
What the driver does under each reading
=======================================

The points are those of Documentation/hardware/uncertain.rst and of the other platforms' pages
beside it, the readings those of Documentation/development/readings.rst. ``make readings`` runs the
driver on the emulated machine under each of them with every event, and writes this page;
``make test`` tries each with some events.

*To settle* is the experiment of ``uncore survey``, or *by hand*: the text of the point tells what to
do. A reading whose events add more or less counts exactly if the driver counts that.
";

const EDGE: &str =
    "=====  =======  =====================================================================  =========";

/// Returns the first letter of the current processor's own points, whose lines are the last.
fn own_letter() -> char {
    let name = Processor::current().name();
    let mut lines = uncore_catalogue::readings().iter();
    let last = lines.rfind(|line| line.is_of(name));
    let letter = last.and_then(|line| line.point.chars().next());
    letter.expect("points")
}

/// Returns the readings of the current processor.
pub(super) fn readings() -> impl Iterator<Item = &'static Row> {
    let name = Processor::current().name();
    let mut all = uncore_machine::Platform::ALL.into_iter();
    let (_, platform) = all.find(|(known, _)| *known == name).expect("it is known");
    rows_of(platform)
}

/// Writes the page to the file of `UNCORE_PAGE`, or holds that its tables are those of this run.
pub(super) fn hold_or_write(tallies: &[(Processor, Tally)]) {
    let mut page = INTRODUCTION.to_owned();
    let target = std::env::var_os("UNCORE_PAGE");
    for (processor, tally) in tallies {
        let title = &uncore_catalogue::Processor::named(processor.name()).title;
        let Tally {
            readings,
            exact,
            refused,
            otherwise,
            ..
        } = tally;
        let table = processor.on(table);
        let is_old = target.is_none() && !PAGE.contains(&table);
        assert!(!is_old, "run `make readings`:\n{table}");
        let _infallible = write!(
            page,
            "\n{title}\n{}\n\n{readings} runs: {exact} counts were exact, {refused} events were \
             refused, {otherwise} counted otherwise.\n\n{table}",
            "=".repeat(title.len())
        );
    }
    if let Some(target) = target {
        std::fs::write(target, page).expect("a page");
    }
}

/// Returns the table of the current processor: a row for each reading, and for each of its own
/// points with one reading.
fn table() -> String {
    let own = own_letter();
    let mut rows: Vec<[String; 3]> = readings().map(of_reading).collect();
    let one = uncore_catalogue::readings().iter();
    let one = one.filter(|line| line.letter == Some('-') && line.point.starts_with(own));
    rows.extend(one.map(|line| [&line.point, "one", &line.words].map(str::to_owned)));
    let number = |point: &str| point[2..].parse::<u32>().ok();
    // U-n are the first, those of the processor's own page the last.
    rows.sort_by_key(|[point, ..]| {
        (
            point.starts_with(own),
            !point.starts_with('U'),
            number(point),
        )
    });
    let header = ["point", "reading", "driver"].map(str::to_owned);
    let mut text = format!("{EDGE}\n{}\n{EDGE}\n", line(&header, "to settle"));
    for cells in rows {
        let _infallible = writeln!(text, "{}", line(&cells, &settle(&cells[0])));
    }
    text + EDGE + "\n"
}

fn line([point, reading, driver]: &[String; 3], settle: &str) -> String {
    format!("{point:5}  {reading:7}  {driver:69}  {settle}")
}

/// Returns the cells of a reading: its point, its letter, and what the driver does.
fn of_reading(row: &Row) -> [String; 3] {
    let name = row.name();
    let own = effects::ROWS.iter();
    let own = own.filter(|row| row.reading.split('+').next() == Some(&name));
    let effects = own.filter_map(|row| {
        let (events, beside) = (row.events(), row.reading.split_once('+'));
        let beside = beside.map_or(String::new(), |(_, other)| format!("beside {other} "));
        match row.effect {
            Effect::Refused(_) => Some(format!("{beside}refuses {events}")),
            Effect::Meaning => Some(format!("{beside}keeps the meaning of a: {events}")),
            Effect::Adds(_) | Effect::AddsOfBox => None,
            Effect::TestOfItsOwn => Some(format!("{events} (a test of its own)")),
        }
    });
    let mut effects: Vec<String> = effects.collect();
    if effects.is_empty() {
        effects.push("counts exactly".to_owned());
    }
    let start = if row.at_start { "from the start: " } else { "" };
    let driver = format!("{start}{}", effects.join("; "));
    [row.point.to_owned(), row.letter.to_string(), driver]
}

/// Returns the way to settle a point.
fn settle(point: &str) -> String {
    let mut all = Processor::ALL
        .into_iter()
        .flat_map(|processor| points(processor.name()));
    match all
        .find(|known| known.name == point)
        .map(|point: &Point| point.how)
    {
        Some(How::Run(experiment)) => {
            format!("``{}``", experiment.name)
        }
        Some(How::Nothing(why)) if why.starts_with("settled") => "settled".to_owned(),
        _ => "by hand".to_owned(),
    }
}

#[test]
fn what_may_mean_something_else_is_marked_as_uncertain() {
    for platform in Platform::ALL {
        let file = |name: &str| {
            std::fs::read_to_string(format!("../../tools/uncore/src/doubts/{name}.csv"))
        };
        // A platform that is like another has the doubts of both, and some of its own.
        let mut known = uncore_metrics::Platform::ALL.into_iter();
        let like = known.find(|known| known.name == platform.name());
        let like = like.and_then(|known| known.like);
        let mut doubts = file(like.unwrap_or(platform.name())).expect("the doubts of a platform");
        doubts += &file(&format!("{}-alone", platform.name())).unwrap_or_default();
        let rows = doubts.lines().filter(|line| !line.starts_with('#')).skip(1);
        let marked = rows.filter_map(|row| row.split(',').nth(1));
        let marked: std::collections::BTreeSet<&str> = marked.collect();
        let readings = platform.processors().map(|processor| {
            let names: Vec<String> = processor.on(|| readings().map(Row::name).collect());
            names.join("+")
        });
        let readings: Vec<String> = readings.collect();
        let kept = readings.iter().flat_map(|names| effects::of(names));
        let kept = kept.filter(|row| row.effect == Effect::Meaning);
        let points = kept.filter_map(|row| row.reading.split(':').next());
        assert_eq!(marked, points.collect(), "{platform:?}");
    }
}
