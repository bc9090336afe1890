// SPDX-License-Identifier: GPL-2.0

//! The overview of an interval, for people: what moved in each socket, against what could. It is a
//! line for each socket, or a page with each box.

use std::fmt::Write as _;

use uncore_metrics::{Digits, Interval, Prefixes, Unit};

use crate::overview::{share, Impossible};
use crate::table;
use crate::top::digest::{Amount, Digest, Load, Part, Socket, SHARES};

/// Width of a terminal.
const WIDTH: usize = 80;

/// Lines after which the head is written again.
const LINES: usize = 20;

/// Widths of the columns of time and socket, and least widths of those of amounts, shares and times.
const TIME: usize = 8;
const SOCKET: usize = 3;
const AMOUNT: usize = 9;
const SHARE: usize = 5;
const SHORT: usize = 6;

/// Mark of a share that no box can have.
const MARK: char = '!';

/// Formats intervals as lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    prefixes: Prefixes,
    /// Lines since the head.
    written: usize,
    /// True if a line has a mark.
    is_marked: bool,
}

impl Lines {
    /// Begins to write lines.
    pub(super) fn new(prefixes: Prefixes) -> Self {
        Self {
            prefixes,
            ..Self::default()
        }
    }

    /// Formats an interval with the values of boxes, a line for each socket.
    pub(super) fn text(&mut self, interval: &Interval) -> String {
        let digest = Digest::of(interval);
        let mut text = String::new();
        for socket in &digest.sockets {
            let cells = cells(socket, self.prefixes);
            if self.written % LINES == 0 && text.is_empty() {
                text = format!("{:>TIME$} {:<SOCKET$}", "seconds", "");
                for (name, _, width) in &cells {
                    let _ = write!(text, " {name:>width$}");
                }
                text.push('\n');
            }
            self.written += 1;
            let mut line = format!("{:>TIME$.3} s{:<2}", interval.end, socket.number);
            for (_, cell, width) in &cells {
                self.is_marked |= cell.ends_with(MARK);
                let _ = write!(line, " {cell:>width$}");
            }
            text.extend([line.trim_end(), "\n"]);
        }
        text
    }

    /// Says what the mark means, if a line has one.
    pub(super) fn note(&self) -> Option<String> {
        let note = "is impossible: more than the clock allows, or less than nothing";
        self.is_marked.then(|| format!("what {MARK} marks {note}"))
    }
}

/// Returns what a line says of a socket: names, values and widths.
fn cells(socket: &Socket, prefixes: Prefixes) -> Vec<(String, String, usize)> {
    let text = |amount: &Amount| amount.text(prefixes, Digits::Three);
    let mut cells = Vec::new();
    for part in &socket.parts {
        let load = &part.sum;
        if part.is_of_socket() {
            let amounts = load.amounts.iter();
            cells.extend(amounts.map(|one| (one.what.clone(), text(one), AMOUNT)));
            cells.extend(
                load.peak
                    .iter()
                    .map(|_| ("used".to_owned(), used(load), SHARE)),
            );
        } else if part.is_by_box() {
            let known = part.boxes.iter().filter(|(_, load)| load.used().is_some());
            let fullest = known.max_by(|(_, a), (_, b)| {
                a.used()
                    .partial_cmp(&b.used())
                    .unwrap_or(std::cmp::Ordering::Equal)
            });
            let fullest = fullest.map_or_else(|| "-".to_owned(), |(_, load)| used(load));
            cells.push((part.name.clone(), fullest, SHARE));
        } else if load.peak.is_none() {
            let mut shares = SHARES.iter().filter(|(name, ..)| *name == part.name);
            if let Some((_, what, _)) = shares.next() {
                let (short, _) = what.split_once(' ').unwrap_or((what, ""));
                let share = part.share_of(what).unwrap_or_default();
                cells.push((short.to_owned(), share, SHORT));
                let times = load
                    .amounts
                    .iter()
                    .filter(|one| one.unit == Unit::Nanoseconds);
                cells.extend(times.map(|one| (one.what.clone(), text(one), SHORT)));
            } else if let Some(all) = load.total_amount() {
                let width = if all.unit == Unit::Bytes {
                    AMOUNT
                } else {
                    SHORT
                };
                cells.push((part.name.clone(), text(&all), width));
            }
        }
    }
    let wider = usize::from(prefixes == Prefixes::Iec);
    let cells = cells.into_iter().map(|(name, cell, width)| {
        let more = if width == AMOUNT { wider } else { 0 };
        let width = name.chars().count().max(width + more);
        (name, cell, width)
    });
    cells.collect()
}

/// Returns the share of its peak that a load uses, with a mark if that is impossible.
fn used(load: &Load) -> String {
    let mut text = share(load.used(), Some(1.0));
    if load.used().and_then(Impossible::of).is_some() {
        text = format!("{}{MARK}", text.trim_end_matches(" %"));
    }
    text
}

/// Formats an interval with the values of boxes as a page.
pub(super) fn page(interval: &Interval, prefixes: Prefixes) -> String {
    let mut text = format!(
        "interval of {:.3} s, ended at {:.3} s\n",
        interval.seconds, interval.end
    );
    for socket in Digest::of(interval).sockets {
        let (mut head, mut body) = (format!("socket {}", socket.number), String::new());
        for part in &socket.parts {
            let load = &part.sum;
            if part.is_by_box() {
                body.push_str(&boxes_of(part, prefixes));
            } else if let (Some(clock), true) = (&load.peak, load.amounts.is_empty()) {
                let rate = clock.text(prefixes, Digits::All);
                head = format!("{head}   {} {} {rate}", part.name, clock.what);
            } else {
                body.push_str(&line(part, prefixes));
            }
        }
        text.extend(["\n", &head, "\n", &body]);
    }
    text.push('\n');
    text
}

/// Formats a part in one line: its rates, or the shares of its clock.
fn line(part: &Part, prefixes: Prefixes) -> String {
    let load = &part.sum;
    let cells = load.amounts.iter().map(|amount| {
        let text = match load.peak {
            Some(_) => share(load.share(amount.rate), Some(1.0)),
            None => amount.text(prefixes, Digits::All),
        };
        format!("{} {text}", amount.what)
    });
    let mut lines = table::wrapped(&format!("  {:<8}", part.name), cells, WIDTH).join("\n");
    lines.push('\n');
    lines
}

/// Formats a part as a table with a row for each box, and one for their sum.
fn boxes_of(part: &Part, prefixes: Prefixes) -> String {
    let all = |load: &Load| load.all().cloned().collect::<Vec<Amount>>();
    let columns = all(&part.sum);
    let mut head = vec![format!("{:<8}", part.name)];
    let names = columns.iter().map(|amount| amount.what.as_str());
    let names = names.chain(part.sum.peak.is_some().then_some("used"));
    head.extend(names.map(|name| format!("{name:>9}")));
    let mut rows = vec![head];
    let row = |name: &str, load: &Load| {
        let own = all(load);
        let cell = |column: &Amount| {
            let amount = own.iter().find(|amount| amount.what == column.what);
            amount.map_or(String::new(), |amount| amount.text(prefixes, Digits::All))
        };
        let cells = columns.iter().map(cell);
        let used = part
            .sum
            .peak
            .as_ref()
            .map(|_| share(load.used(), Some(1.0)));
        [name.to_owned()]
            .into_iter()
            .chain(cells)
            .chain(used)
            .collect()
    };
    rows.extend(part.boxes.iter().map(|(name, load)| row(name, load)));
    if part.is_of_socket() && part.boxes.len() > 1 {
        rows.push(row("all", &part.sum));
    }
    let mut text = table::aligned(&rows, "  ", |column| column > 0);
    for how in Impossible::ALL {
        let is_it = |load: &Load| load.used().and_then(Impossible::of) == Some(how);
        let those = part.boxes.iter().filter(|(_, load)| is_it(load));
        let names: Vec<String> = those.map(|(name, _)| name.clone()).collect();
        if !names.is_empty() {
            let head = format!("  impossible, {}:", how.words());
            for line in &table::wrapped(&head, names.into_iter(), WIDTH) {
                text.extend([line, "\n"]);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests;
