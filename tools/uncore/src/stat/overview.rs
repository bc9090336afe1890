// SPDX-License-Identifier: GPL-2.0

//! The overview of an interval, for people: what moved in each socket, against what could.

use uncore_metrics::Interval;

use crate::overview::{parts, share, Impossible, Value, BY_BOX};
use crate::table;

/// Width of a terminal.
const WIDTH: usize = 80;

/// Formats an interval. `boxes` has the values of the same interval for each box.
pub(super) fn text(packages: &Interval, boxes: &Interval) -> String {
    let mut text = format!(
        "interval of {:.3} s, ended at {:.3} s\n",
        packages.seconds, packages.end
    );
    let mut sockets: Vec<_> = packages.outcomes.iter().map(|one| one.package).collect();
    sockets.sort_unstable();
    sockets.dedup();
    for socket in sockets {
        let number = socket.map_or(String::new(), |number| number.to_string());
        let (sums, each) = (values(packages, socket), values(boxes, socket));
        let (mut head, mut body) = (format!("socket {number}"), String::new());
        for part in parts(&sums) {
            let sums: Vec<_> = sums.iter().filter(|value| value.part == part).collect();
            let each: Vec<_> = each.iter().filter(|value| value.part == part).collect();
            let by_box = BY_BOX.iter().find(|(name, _)| *name == part);
            match (by_box, sums.as_slice()) {
                (Some((_, with_sum)), _) => body.push_str(&boxes_of(part, &sums, &each, *with_sum)),
                (None, [clock]) if clock.is_peak() => {
                    head = format!("{head}   {part} {} {}", clock.what, clock.text());
                }
                _ => body.push_str(&line(part, &sums)),
            }
        }
        text.extend(["\n", &head, "\n", &body]);
    }
    text.push('\n');
    text
}

/// Returns the values of a socket.
fn values(interval: &Interval, socket: Option<u32>) -> Vec<Value<'_>> {
    let own = interval.outcomes.iter();
    own.filter(|outcome| outcome.package == socket)
        .filter_map(Value::new)
        .collect()
}

/// Formats a part in one line: its rates, or the shares of its clock.
fn line(part: &str, values: &[&Value]) -> String {
    let peak = values.iter().find(|value| value.is_peak());
    let shared = peak.filter(|_| values.len() > 1);
    let shown = values
        .iter()
        .filter(|value| shared.is_none() || !value.is_peak());
    let cells = shown.map(|value| {
        let amount = match shared {
            Some(peak) => share(value.rate, peak.rate),
            None => value.text(),
        };
        format!("{} {amount}", value.what)
    });
    let mut lines = table::wrapped(&format!("  {part:<8}"), cells, WIDTH).join("\n");
    lines.push('\n');
    lines
}

/// Formats a part as a table with a row for each box, and one for their sum.
fn boxes_of(part: &str, sums: &[&Value], each: &[&Value], with_sum: bool) -> String {
    let mut boxes: Vec<_> = each.iter().map(|value| value.box_name).collect();
    boxes.sort_by_key(|name| name.map(|name| (name.len(), name)));
    boxes.dedup();
    let has_peak = sums.iter().any(|value| value.is_peak());
    let mut head = vec![format!("{part:<8}")];
    let columns = sums.iter().map(|value| value.what.as_str());
    let columns = columns.chain(has_peak.then_some("used"));
    head.extend(columns.map(|column| format!("{column:>9}")));
    let mut rows = vec![head];
    let mut impossible = Vec::new();
    for &name in &boxes {
        let own: Vec<_> = each.iter().filter(|value| value.box_name == name).collect();
        let name = name.unwrap_or_default();
        rows.push(row(name, sums, &own, has_peak));
        impossible.extend(used(&own).and_then(Impossible::of).map(|how| (how, name)));
    }
    if with_sum && boxes.len() > 1 {
        let all: Vec<_> = sums.iter().collect();
        rows.push(row("all", sums, &all, has_peak));
    }
    let mut text = table::aligned(&rows, "  ", |column| column > 0);
    for how in Impossible::ALL {
        let those = impossible.iter().filter(|(is, _)| *is == how);
        let names: Vec<String> = those.map(|(_, name)| (*name).to_owned()).collect();
        if !names.is_empty() {
            let head = format!("  impossible, {}:", how.words());
            let lines = table::wrapped(&head, names.into_iter(), WIDTH);
            for line in &lines {
                text.extend([line, "\n"]);
            }
        }
    }
    text
}

/// Returns the share of its peak that a box uses.
fn used(own: &[&&Value]) -> Option<f64> {
    let peak = own.iter().find(|value| value.is_peak())?.rate?;
    let loads = own.iter().filter(|value| !value.is_peak());
    let load: Option<f64> = loads.map(|value| value.rate).sum();
    Some(load? / peak).filter(|share| share.is_finite())
}

/// Returns a row: what each column's metric says of a box, and the share of the peak.
fn row(name: &str, columns: &[&Value], own: &[&&Value], has_peak: bool) -> Vec<String> {
    let mut row = vec![name.to_owned()];
    for column in columns {
        let value = own.iter().find(|value| value.what == column.what);
        row.push(value.map(|value| value.text()).unwrap_or_default());
    }
    if has_peak {
        row.push(share(used(own), Some(1.0)));
    }
    row
}

#[cfg(test)]
mod tests;
