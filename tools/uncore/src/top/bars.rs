// SPDX-License-Identifier: GPL-2.0

//! Rows with bars, in columns: name, bar, amounts, share of the peak, the last minutes.

use std::fmt::Write as _;

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use uncore_metrics::prefixed;

use super::digest::{Amount, Digest, Load};
use super::glyphs::Glyphs;
use super::history::History;
use super::rows::Bar;
use super::texts;
use super::verdict::FULL;
use super::view::View;
use crate::overview;

/// Minimum widths.
const LABEL: usize = 9;
const AMOUNT: usize = 11;
const USED: usize = 5;
const CURVE: usize = 10;
const RANGE: usize = 9;
/// From this width there is room for the last minutes.
const WIDE: usize = 80;

/// A curve goes up to the highest level of the last minutes, but at least to this share of the
/// peak, so that it does not magnify what is next to nothing.
const LEAST_TOP: f64 = 0.1;

/// Titles of the bars, the longest that fits.
const TITLES: [&str; 2] = ["share of the peak", "of peak"];

/// Colours of the amounts.
const COLOURS: [Color; 3] = [Color::Cyan, Color::Magenta, Color::Yellow];

/// Column of amounts.
struct Column {
    /// Names of the amounts, one for each kind of rows.
    names: Vec<String>,
    /// Names with the letter of their part of the bar.
    head: String,
    width: usize,
}

/// Columns of the rows with bars.
pub(super) struct Columns {
    label: usize,
    bar: usize,
    amounts: Vec<Column>,
    /// 0 if there is no room.
    curve: usize,
    range: usize,
}

impl Column {
    /// Returns the amount of a load that belongs here.
    fn of<'a>(&self, load: &'a Load) -> Option<&'a Amount> {
        self.names.iter().find_map(|name| load.amount(name))
    }
}

impl Columns {
    /// Returns the columns for these rows on a screen of this width.
    pub(super) fn new<'a>(
        digest: &Digest,
        bars: impl Iterator<Item = &'a Bar>,
        glyphs: &Glyphs,
        width: usize,
    ) -> Self {
        let labels = bars.map(|bar| bar.label.chars().count());
        let label = labels.max().unwrap_or(0).max(LABEL);
        let amounts = amounts(digest, glyphs);
        let of_amounts: usize = amounts.iter().map(|column| 1 + column.width).sum();
        let (curve, range) = if width >= WIDE {
            (CURVE, RANGE)
        } else {
            (0, 0)
        };
        let past = if curve > 0 { 2 + curve + range } else { 0 };
        let taken = label + 1 + of_amounts + 1 + USED + past;
        let bar = width.saturating_sub(taken);
        // What is more than the minimum is shared.
        let more = if curve > 0 {
            width.saturating_sub(WIDE) / 2
        } else {
            0
        };
        Self {
            label,
            bar: bar.saturating_sub(more),
            amounts,
            curve: curve + more,
            range,
        }
    }

    /// Returns the line above the columns.
    pub(super) fn head(&self, history: &History) -> String {
        let title = TITLES.iter().find(|title| title.len() <= self.bar);
        let mut head = format!(
            "{:label$} {:bar$}",
            "",
            title.unwrap_or(&""),
            label = self.label,
            bar = self.bar
        );
        for Column {
            head: name, width, ..
        } in &self.amounts
        {
            let _ = write!(head, " {name:>width$}");
        }
        let _ = write!(head, " {:>USED$}", "used");
        if self.curve > 0 {
            let (past, range) = (past(history.seconds()), self.range);
            let _ = write!(head, " {past:>0$} {1:>range$}", self.curve, "low-high");
        }
        head
    }

    /// Returns a row.
    pub(super) fn row(&self, bar: &Bar, view: &View) -> Line<'static> {
        let glyphs = Glyphs::of(view.look.has_unicode);
        let is_full = bar.load.used().is_some_and(|used| used >= FULL);
        let strong = if is_full {
            Style::new().add_modifier(Modifier::BOLD)
        } else {
            Style::new()
        };
        let mut spans = vec![Span::styled(
            format!("{:1$} ", bar.label, self.label),
            strong,
        )];
        spans.extend(self.bar(&bar.load, view, glyphs));
        for column in &self.amounts {
            let amount = column.of(&bar.load);
            let text = amount.map_or(String::new(), |amount| texts::rate(amount, glyphs));
            spans.push(Span::raw(format!(" {text:>0$}", column.width)));
        }
        let used = match bar.load.peak {
            Some(_) => overview::share(bar.load.used(), Some(1.0)),
            None => String::new(),
        };
        let used_style = if is_full && view.look.has_colour {
            strong.fg(Color::Red)
        } else {
            strong
        };
        spans.push(Span::styled(format!(" {used:>USED$}"), used_style));
        if self.curve > 0 {
            let (curve, range) = self.past(bar, view, glyphs);
            spans.push(Span::raw(format!(
                " {curve:>0$} {range:>1$}",
                self.curve, self.range
            )));
        }
        Line::from(spans)
    }

    /// Returns the bar itself, or why there is none.
    fn bar(&self, load: &Load, view: &View, glyphs: &Glyphs) -> Vec<Span<'static>> {
        let words = match (texts::reason(load), &load.peak) {
            (Some(reason), _) => Some(reason),
            (None, None) => Some("no peak is counted".to_owned()),
            (None, Some(_)) if load.lacks_peak() => Some("peak not counted".to_owned()),
            (None, Some(_)) if load.used().is_none() => Some("not all counted".to_owned()),
            _ => None,
        };
        if let Some(words) = words {
            let words = glyphs.fit(&words, self.bar);
            return vec![Span::raw(format!("{words:0$}", self.bar))];
        }
        let shares = self.amounts.iter().map(|column| {
            let amount = column.of(load);
            amount.and_then(|one| load.share(one.rate)).unwrap_or(0.0)
        });
        let parts = glyphs.bar(&shares.collect::<Vec<_>>(), self.bar);
        let colours = COLOURS.into_iter().map(Some).chain(std::iter::repeat(None));
        let last = parts.len() - 1;
        let spans = parts.into_iter().zip(colours).enumerate();
        let spans = spans.map(|(place, (part, colour))| {
            let colour = colour.filter(|_| view.look.has_colour && place < last);
            Span::styled(
                part,
                colour.map_or(Style::new(), |colour| Style::new().fg(colour)),
            )
        });
        spans.collect()
    }

    /// Returns the curve of the last minutes, and the lowest and highest level.
    fn past(&self, bar: &Bar, view: &View, glyphs: &Glyphs) -> (String, String) {
        let range = view.history.range(&bar.key);
        let has_peak = bar.load.peak.is_some();
        let least = if has_peak { LEAST_TOP } else { 0.0 };
        let top = range.map_or(least, |(_, high)| high.max(least));
        let curve = glyphs.curve(&view.history.highs(&bar.key, self.curve), top);
        let level = |level: f64| {
            if has_peak {
                format!("{:.0}", 100.0 * level)
            } else {
                compact(level)
            }
        };
        let unit = if has_peak { " %" } else { "" };
        let range = range.map(|(low, high)| (level(low), level(high)));
        let range = match range {
            None => "-".to_owned(),
            Some((low, high)) if low == high => format!("{high}{unit}"),
            Some((low, high)) => format!("{low}-{high}{unit}"),
        };
        (curve, range)
    }
}

/// Returns the columns of the amounts: those that stand at the same place share one.
fn amounts(digest: &Digest, glyphs: &Glyphs) -> Vec<Column> {
    let mut columns: Vec<Vec<String>> = Vec::new();
    let parts = digest.machine.iter().filter(|part| part.is_by_box());
    for (place, amount) in parts.flat_map(|part| part.sum.amounts.iter().enumerate()) {
        if columns.len() <= place {
            columns.resize(place + 1, Vec::new());
        }
        if let Some(names) = columns.get_mut(place) {
            if !names.contains(&amount.what) {
                names.push(amount.what.clone());
            }
        }
    }
    let columns = columns.into_iter().zip(glyphs.fills);
    let columns = columns.map(|(names, fill)| {
        let head = format!("{fill} {}", names.join("|"));
        let width = head.chars().count().max(AMOUNT);
        Column { names, head, width }
    });
    columns.collect()
}

/// Formats the time that the curves show.
fn past(seconds: f64) -> String {
    if seconds < 100.0 {
        format!("last {seconds:.0} s")
    } else {
        format!("last {:.0} min", seconds / 60.0)
    }
}

/// Formats a rate in few letters: `1.2G`.
fn compact(rate: f64) -> String {
    let (scaled, prefix) = prefixed(rate);
    let decimals = usize::from(scaled < 9.95 && !prefix.is_empty());
    format!("{scaled:.decimals$}{prefix}")
}
