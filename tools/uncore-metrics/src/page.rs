// SPDX-License-Identifier: GPL-2.0

//! The page of the documentation that lists the metrics: `Documentation/tools/metrics.rst`.

use crate::catalogue::rows;
use crate::catalogue::Catalogue;
use crate::catalogue::CatalogueError;
use crate::catalogue::Row;
use crate::layout::folded;
use crate::platform::Manual;
use crate::platform::Platform;

const WIDTH: usize = 79;

/// Questions, and the metrics of all platforms that answer them.
const QUESTIONS: &str = include_str!("../metrics/questions.csv");

const HEAD: &str = "\
.. SPDX-License-Identifier: GPL-2.0

=======
Metrics
=======

Metrics derived from uncore counts: for each platform those of ``uncore stat``
without arguments, which give an overview of the machine, and those of Intel's
manual. Each metric has its unit, its meaning, and its formula over events.
The events have the names in ``events/`` of the box's PMU. This page is made
from ``tools/uncore-metrics/metrics`` by ``cargo run -p uncore-metrics``.

``{...}`` sets fields of the event. ``my_node`` is the mask of the package's
own node, ``other_nodes`` the mask of all other nodes, ``all_nodes`` of all.
``cache_line`` is 64 bytes, ``flit`` 8 bytes (data in a data flit of QPI at
full width), ``ring_slot`` 32 bytes (data in a slot of the BL ring).
``seconds`` is the length of the interval. ``<x>`` stands for each of several
numbers. A name without an event of that name is another metric of the same
box.

The manuals' sample interval is the box's own ``clockticks``, counted together
with the events that are divided by them. A value in % is 100 times the
formula. A metric that divides by zero has no value.

The lists of a platform begin with questions and the metrics that answer them,
as ``BOX.NAME``, which is what ``uncore stat -M`` takes.

A metric marked *package* is also computed for all boxes of a package: its
formula is applied to the sums of each event over the boxes.

Values
======

The terms of a metric are counted in one group if the box has the counters and
filters for it. Otherwise they are counted at different times, and the table
says so (``apart`` in CSV and JSON). If there are more groups than the box can
count at once, the groups take turns. ``counted`` is then the share of the
interval in which the metric was counted, and counts are scaled up by it.

The table shows four significant digits, but at most nine decimals, and all
digits before the point. Whole numbers have no decimals. Values that were not
counted all of the time have fewer digits. Bytes are in B, kB, MB, GB or TB,
powers of 1000. CSV and JSON have the exact values. Values that grow with the
interval (counts, cycles, requests, ns, B, MB) are also shown per second.
";

/// Returns the whole page.
pub fn page() -> Result<String, CatalogueError> {
    let lists = Platform::ALL.iter().map(list);
    let lists: String = lists.collect::<Result<_, _>>()?;
    Ok(format!("{HEAD}{lists}"))
}

/// Returns the lists of a platform.
fn list(platform: &Platform) -> Result<String, CatalogueError> {
    let Platform {
        name,
        processors,
        manual,
        ..
    } = platform;
    let title = format!("{processors}: {name}");
    let mut parts = vec![heading(&title, "=")];
    if let Some(other) = platform.like.and_then(Platform::named) {
        parts.extend(of_other(platform, &other)?);
        return Ok(parts.concat());
    }
    parts.push(heading(&format!("Questions to {name}"), "-"));
    parts.extend(answers(platform)?);
    parts.push(heading(&format!("Overview of {name}"), "-"));
    parts.extend(Catalogue::overview(name)?.rows().iter().map(metric));
    if let Some(manual) = manual {
        parts.extend(of_manual(name, manual)?);
    }
    Ok(parts.concat())
}

/// Returns what differs from the lists of another platform.
fn of_other(platform: &Platform, other: &Platform) -> Result<Vec<String>, CatalogueError> {
    let [own, others] = [platform, other].map(all);
    let others = others?;
    let own = own?.into_iter().filter(|row| !others.contains(row));
    let known = answers(other)?;
    let answers = answers(platform)?.into_iter();
    let differs = format!(
        "All lists of {} hold, but for these questions and metrics.",
        other.name
    );
    let parts = [format!("\n{}", folded("", &differs, WIDTH))].into_iter();
    let parts = parts.chain(answers.filter(|answer| !known.contains(answer)));
    let text = |row: Row| match row.left_out.as_str() {
        "" => metric(&row),
        _ => missing(&row),
    };
    Ok(parts.chain(own.map(text)).collect())
}

/// Returns the rows of a platform, those of the overview first.
fn all(platform: &Platform) -> Result<Vec<Row>, CatalogueError> {
    let mut rows = Catalogue::overview(platform.name)?.rows().to_vec();
    if platform.manual.is_some() {
        rows.extend_from_slice(Catalogue::of(platform.name)?.rows());
    }
    Ok(rows)
}

/// Returns each question and the metrics of a platform that answer it.
fn answers(platform: &Platform) -> Result<Vec<String>, CatalogueError> {
    let rows = all(platform)?;
    let is_there = |name: &&str| {
        let mut there = rows.iter().filter(|row| row.left_out.is_empty());
        there.any(|row| format!("{}.{}", row.box_type, row.metric) == **name)
    };
    let mut answers = Vec::new();
    for (question, metrics) in questions()? {
        let found = metrics.split(' ').filter(is_there);
        let found: Vec<String> = found.map(|name| format!("``{name}``")).collect();
        if !found.is_empty() {
            let found = folded("    ", &found.join(", "), WIDTH);
            answers.push(format!("\n{question}\n{found}"));
        }
    }
    Ok(answers)
}

/// Returns each question and the names of metrics, `BOX.NAME`, with blanks between.
pub fn questions() -> Result<Vec<(String, String)>, CatalogueError> {
    rows(QUESTIONS.as_bytes())
}

/// Returns the list of a manual's metrics.
fn of_manual(platform: &str, manual: &Manual) -> Result<Vec<String>, CatalogueError> {
    let title = format!("Manual {} of {platform}", manual.number);
    let mut parts = vec![heading(&title, "-")];
    let catalogue = Catalogue::of(platform)?;
    let (metrics, left_out): (Vec<_>, Vec<_>) = catalogue
        .rows()
        .iter()
        .partition(|row| row.left_out.is_empty());
    for of_type in metrics.chunk_by(|a, b| a.box_type == b.box_type) {
        let name = of_type.first().map_or("", |row| &row.box_type);
        parts.push(heading(name, "~"));
        parts.extend(of_type.iter().map(|row| metric(row)));
    }
    parts.push(heading("Left out", "~"));
    parts.extend(left_out.into_iter().map(missing));
    Ok(parts)
}

fn heading(text: &str, line: &str) -> String {
    format!("\n{text}\n{}\n", line.repeat(text.len()))
}

fn missing(row: &Row) -> String {
    let Row {
        metric,
        box_type,
        section,
        ..
    } = row;
    let reason = folded("    ", &format!("{}.", row.left_out), WIDTH);
    let section = match section.as_str() {
        "" => String::new(),
        section => format!(", section {section}"),
    };
    format!("\n``{metric}`` ({box_type}{section})\n{reason}")
}

fn metric(row: &Row) -> String {
    let Row {
        metric,
        box_type,
        unit,
        section,
        ..
    } = row;
    let source = match section.as_str() {
        "" => format!("; {box_type}"),
        section => format!("; section {section}"),
    };
    let level = match row.level.as_str() {
        "package" => ", *package*",
        _ => "",
    };
    let each = match row.each.as_str() {
        "" => String::new(),
        "x=nodes" => ", <x> each node".to_owned(),
        range => format!(
            ", <x> {}",
            range.trim_start_matches("x=").replace('-', " to ")
        ),
    };
    let mut text = format!("\n``{metric}`` ({unit}{level}{each}{source})\n");
    text.push_str(&folded("    ", &format!("{}::", row.description), WIDTH));
    text.push('\n');
    text.push_str(&folded("      ", &row.formula, WIDTH));
    text
}
