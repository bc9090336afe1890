// SPDX-License-Identifier: GPL-2.0

//! Parts that have no bars, as text.

use uncore_metrics::{Digits, Unit};

use super::digest::{Amount, Load, Part, Rate, SHARES};
use super::glyphs::{Glyphs, BARELY, PARTLY};
use crate::{overview, table};

/// Space between two cells.
const SPACE: &str = "  ";
/// Width of the name of a part.
const NAME: usize = 8;

/// Returns a part in full.
pub(super) fn lines(part: &Part, glyphs: &Glyphs, width: usize) -> Vec<String> {
    let load = &part.sum;
    let cells: Vec<String> = match (reason(load), &load.peak) {
        (Some(reason), _) => vec![reason],
        (None, Some(clock)) if load.amounts.is_empty() => {
            vec![format!("{} {}", clock.what, rate(clock, glyphs))]
        }
        (None, Some(_)) => shares_of_peak(load),
        (None, None) => {
            let amounts = load.amounts.iter().map(|amount| {
                let share = part.share_of(&amount.what);
                let share = share.map_or(String::new(), |share| format!(" ({share})"));
                format!("{} {}{share}", amount.what, rate(amount, glyphs))
            });
            amounts.collect()
        }
    };
    table::wrapped(&format!("{:NAME$}", part.name), cells.into_iter(), width)
}

/// Returns a part in few words.
pub(super) fn cell(part: &Part, glyphs: &Glyphs) -> String {
    let load = &part.sum;
    if let Some(reason) = reason(load) {
        return format!("{} {reason}", part.name);
    }
    let mut cells = vec![part.name.clone()];
    let shares = SHARES.iter().filter(|(name, ..)| *name == part.name);
    let mut shares = shares.peekable();
    match &load.peak {
        Some(clock) if load.amounts.is_empty() => cells.push(short(clock, glyphs)),
        Some(_) => cells.extend(shares_of_peak(load)),
        None if shares.peek().is_none() => {
            let amounts = load.amounts.iter();
            cells.extend(amounts.map(|one| format!("{} {}", one.what, short(one, glyphs))));
        }
        None => {
            let mut kind = "";
            for (_, what, of) in shares {
                if let [whole] = of {
                    cells.extend(load.amount(whole).map(|amount| short(amount, glyphs)));
                }
                // `remote read 2 % write 4 %`.
                let (first, rest) = what.split_once(' ').unwrap_or(("", what));
                let name = if first == kind { rest } else { what };
                kind = first;
                let share = part.share_of(what).unwrap_or_else(|| "-".to_owned());
                cells.push(format!("{name} {share}"));
            }
            let times = load.amounts.iter();
            let times = times.filter(|one| one.unit == Unit::Nanoseconds);
            cells.extend(times.map(|one| format!("{} {}", one.what, short(one, glyphs))));
        }
    }
    cells.join(" ")
}

/// Puts cells in as few lines as they need, each cell into the first line with room for it.
pub(super) fn packed(cells: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for cell in cells {
        let length = SPACE.len() + cell.chars().count();
        let has_room = |line: &&mut String| line.chars().count() + length <= width;
        match lines.iter_mut().find(has_room) {
            Some(line) => line.extend([SPACE, cell]),
            None => lines.push(cell.clone()),
        }
    }
    lines
}

/// Returns a rate with all its digits, marked if not all of it was counted.
pub(super) fn rate(amount: &Amount, glyphs: &Glyphs) -> String {
    marked(amount, Digits::of_share(amount.counted), glyphs)
}

/// Returns a rate with three digits at most.
fn short(amount: &Amount, glyphs: &Glyphs) -> String {
    let digits = match Digits::of_share(amount.counted) {
        Digits::All => Digits::Three,
        fewer => fewer,
    };
    marked(amount, digits, glyphs)
}

fn marked(amount: &Amount, digits: Digits, glyphs: &Glyphs) -> String {
    let Some(rate) = amount.rate.known() else {
        return "-".to_owned();
    };
    let text = overview::per_second(rate, amount.unit, digits);
    match mark(amount, glyphs) {
        Some(mark) => format!("{mark}{text}"),
        None => text,
    }
}

/// Returns the mark of an amount that is not known for all boxes and all of the time.
pub(super) fn mark(amount: &Amount, glyphs: &Glyphs) -> Option<char> {
    match (amount.rate, Digits::of_share(amount.counted)) {
        (Rate::Unknown(_), _) | (Rate::Exact(_), Digits::All) => None,
        (Rate::AtLeast(_), _) => Some(glyphs.at_least),
        (_, Digits::One) => Some(BARELY),
        _ => Some(PARTLY),
    }
}

/// Returns the reason why nothing is known of a load.
pub(super) fn reason(load: &Load) -> Option<String> {
    let mut all = load.all();
    let first = match all.next()?.rate {
        Rate::Unknown(reason) => reason.to_string(),
        _ => return None,
    };
    all.all(|amount| amount.rate.known().is_none())
        .then_some(first)
}

/// Returns the share of the peak of each amount.
fn shares_of_peak(load: &Load) -> Vec<String> {
    let shares = load.amounts.iter().map(|amount| {
        let share = load.share(amount.rate);
        format!("{} {}", amount.what, overview::share(share, Some(1.0)))
    });
    shares.collect()
}
