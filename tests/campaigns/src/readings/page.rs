// SPDX-License-Identifier: GPL-2.0

//! The page that tells for each point of Ivy Bridge-EP what the driver does under each reading
//! (Documentation/hardware/uncertain-table.rst).
//!
//! Its rows follow from lists: the readings of the machine, the effects, and the texts of the
//! points. A campaign over every reading writes it if all of that is true.

use super::effects::{self, Effect};
use super::list::{one_reading, readings, Reading};
use std::fmt::Write as _;

/// The texts of the points.
const POINTS: &str = include_str!("../../../../Documentation/hardware/uncertain.rst");

/// Name of the field of a point that names the experiment of `uncore survey`.
const SURVEY: &str = ":Survey: ";

/// Widths of the columns but the last.
const WIDTHS: [usize; 3] = [5, 7, 68];

/// Returns the page, with a sentence about the campaign that wrote it.
pub fn page(campaign: &str) -> String {
    const TITLE: &str = "What the driver does under each reading";
    let line = "=".repeat(TITLE.len());
    let mut page = format!(".. SPDX-License-Identifier: GPL-2.0\n\n{line}\n{TITLE}\n{line}\n\n");
    page.push_str(
        "The points are those of Documentation/hardware/uncertain.rst, the readings those of\n\
         Documentation/development/readings.rst. ``make readings ALONE=all`` tries each and writes\n\
         this page; the tests ``readings::`` of ``make test`` try each with some events.\n\n",
    );
    let _infallible = writeln!(page, "{campaign}\n");
    page.push_str(
        "*To settle* is the experiment of ``uncore survey``, or *by hand*: the text of the point\n\
         tells what to do.\n\n",
    );
    page.push_str(&rows());
    page
}

/// Returns the table: a row for each reading, and for each point with one reading.
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
        if let Some(why) = one_reading(point) {
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
    let effects = effects::of(reading.name).map(|row| {
        let events = row.events();
        match row.effect {
            Effect::Refused(_) => format!("refuses {events}"),
            Effect::Meaning => format!("keeps the meaning of a: {events}"),
            Effect::NotTried => format!("not tried: {events}"),
        }
    });
    let mut effects: Vec<String> = effects.collect();
    if effects.is_empty() {
        effects.push("counts exactly".to_owned());
    }
    [letter.to_owned(), format!("{when}{}", effects.join("; "))]
}

/// Returns the names of the points, in order.
fn points() -> impl Iterator<Item = &'static str> {
    let lines = POINTS.lines().zip(POINTS.lines().skip(1));
    let headings = lines.filter(|(_, below)| below.starts_with("---"));
    headings.filter_map(|(heading, _)| Some(heading.split_once(": ")?.0))
}

/// Returns the way to settle a point.
fn settle(point: &str) -> &'static str {
    let heading = format!("{point}: ");
    let lines = POINTS
        .lines()
        .skip_while(|line| !line.starts_with(&heading));
    let own = lines.skip(1).take_while(|line| !line.starts_with("U-"));
    let found = own.filter_map(|line| match line.strip_prefix(SURVEY) {
        Some(experiment) => Some(experiment),
        None if line.starts_with(":To settle:") => Some("by hand"),
        None if line.starts_with(":Settled:") => Some("settled"),
        None => None,
    });
    found.last().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = include_str!("../../../../Documentation/hardware/uncertain-table.rst");

    #[test]
    fn the_page_has_the_rows_of_the_lists() {
        assert!(
            PAGE.ends_with(&rows()),
            "the page lacks these rows:\n{}",
            rows()
        );
    }

    #[test]
    fn each_point_has_a_row_and_a_way_to_settle_it() {
        let rows = rows();
        assert!(points().count() > 0);
        for point in points() {
            let begins = format!("\n{point} ");
            assert!(rows.contains(&begins), "{point}");
            assert!(!settle(point).is_empty(), "{point}");
        }
    }

    #[test]
    fn each_effect_is_of_a_reading() {
        use uncore_e2e::prelude::Platform;
        let all = Platform::ALL.map(|platform| platform.on(readings)).concat();
        for row in effects::ROWS {
            assert!(
                all.iter().any(|reading| reading.name == row.reading),
                "{row:?}"
            );
        }
    }
}
