// SPDX-License-Identifier: GPL-2.0

//! The screen: title, verdict, notes, rows, keys.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::Frame;

use super::bars::Columns;
use super::digest::Digest;
use super::glyphs::Glyphs;
use super::rows::{self, Room, Row};
use super::view::{Order, Prompt, State, View};
use super::{help, missing, notes, shot, verdict};
use crate::table::{self, counted};

/// The smallest screen.
const LEAST: (usize, usize) = (60, 10);

const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
const DIM: Style = Style::new().add_modifier(Modifier::DIM);

/// Draws a view.
pub(crate) fn draw(frame: &mut Frame, view: &View) {
    let area = frame.area();
    let screen = Screen::new(view, area, true);
    screen.render(area, frame.buffer_mut());
    if let Some(column) = screen.cursor {
        frame.set_cursor_position((area.x + column, area.bottom().saturating_sub(1)));
    }
}

/// Returns a view as text, without the keys.
pub(crate) fn text(view: &View, width: u16, height: u16) -> String {
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    Screen::new(view, area, false).render(area, &mut buffer);
    let rows = (0..height).map(|y| {
        let cells = (0..width).filter_map(|x| buffer.cell((x, y)));
        let row: String = cells.map(ratatui::buffer::Cell::symbol).collect();
        row.trim_end().to_owned()
    });
    let text = rows.collect::<Vec<_>>().join("\n");
    text.trim_end().to_owned() + "\n"
}

/// Returns a view as a picture with all of its rows, without the keys.
pub(super) fn picture(view: &View, width: u16, height: u16) -> String {
    let area = Rect::new(0, 0, width, height);
    let hidden = Screen::new(view, area, false).hidden;
    let height = height.saturating_add(u16::try_from(hidden).unwrap_or(u16::MAX));
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    Screen::new(view, area, false).render(area, &mut buffer);
    let title = format!("uncore top on {}", view.machine.platform);
    shot::picture(&buffer, &title, &described(view))
}

/// Returns what a screen says, in sentences.
fn described(view: &View) -> String {
    let Some(digest) = view.history.last().map(Digest::of) else {
        return String::new();
    };
    let verdict = verdict::verdict(&digest, missing::has_gaps(view), &verdict::NOW);
    let rows = rows::machine(&digest).into_iter().map(Row::Bar);
    let rows = rows.chain(List::new(view, &digest, Room::Scarce, usize::MAX).rows);
    let sentences = rows.filter_map(|row| row.described());
    [verdict]
        .into_iter()
        .chain(sentences)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns the number of rows that can be scrolled away on a screen of this size.
pub(crate) fn last_scroll(view: &View, width: u16, height: u16) -> usize {
    Screen::new(view, Rect::new(0, 0, width, height), true).hidden
}

/// Lines of a screen.
struct Screen {
    top: Vec<Line<'static>>,
    /// The last line.
    bottom: Option<Line<'static>>,
    /// Column of the cursor in the last line.
    cursor: Option<u16>,
    /// Number of rows for which there is no room.
    hidden: usize,
}

impl Screen {
    fn new(view: &View, area: Rect, has_keys: bool) -> Self {
        let size = (usize::from(area.width), usize::from(area.height));
        let mut screen = Self {
            top: Vec::new(),
            bottom: None,
            cursor: None,
            hidden: 0,
        };
        if size.0 < LEAST.0 || size.1 < LEAST.1 {
            let text = format!(
                "This screen needs {} columns and {} lines. The terminal has {} and {}.",
                LEAST.0, LEAST.1, size.0, size.1
            );
            screen.fold(&text, size.0, Style::new());
        } else if view.state.help {
            screen.help(view, size);
        } else {
            screen.all(view, size, has_keys);
        }
        screen
    }

    fn render(&self, area: Rect, buffer: &mut Buffer) {
        for (y, line) in (area.y..area.bottom()).zip(&self.top) {
            buffer.set_line(area.x, y, line, area.width);
        }
        if let (Some(line), Some(y)) = (&self.bottom, area.bottom().checked_sub(1)) {
            buffer.set_line(area.x, y, line, area.width);
        }
    }

    /// Adds a text in as many lines as it needs.
    fn fold(&mut self, text: &str, width: usize, style: Style) {
        let folded = table::folded("", text, width);
        let lines = folded
            .lines()
            .map(|line| Line::styled(line.to_owned(), style));
        self.top.extend(lines);
    }

    /// Shows the help.
    fn help(&mut self, view: &View, (width, height): (usize, usize)) {
        let lines = help::lines(view, width);
        let room = height - 2;
        self.hidden = lines.len().saturating_sub(room);
        let first = view.state.scroll.min(self.hidden);
        self.top.push(Line::styled("uncore top: help", BOLD));
        let shown = lines.into_iter().skip(first).take(room).map(|line| {
            let is_head = !line.starts_with(' ');
            Line::styled(line, if is_head { BOLD } else { Style::new() })
        });
        self.top.extend(shown);
        let place = if self.hidden > 0 {
            format!(
                "lines {}-{} of {}",
                first + 1,
                first + room,
                self.hidden + room
            )
        } else {
            String::new()
        };
        let text = both("? back  q quit", &place, width);
        self.bottom = Some(Line::styled(text, DIM));
    }

    /// Shows the rows, and what there is to say of them.
    fn all(&mut self, view: &View, (width, height): (usize, usize), has_keys: bool) {
        self.top.push(Line::styled(title(view, width), BOLD));
        let Some(interval) = view.history.last() else {
            let delay = view.state.delay.as_secs_f64();
            let text = format!("Nothing is counted yet. The first interval ends after {delay} s.");
            self.fold(&text, width, Style::new());
            let notes = notes::lines(view, None, 0, (width, height));
            self.top.extend(notes.into_iter().map(Line::raw));
            return;
        };
        let digest = Digest::of(interval);
        let verdict = verdict::verdict(&digest, missing::has_gaps(view), &verdict::NOW);
        self.fold(&verdict, width, BOLD);
        let machine = rows::machine(&digest);
        // Title, verdict, head, the line of the machine and the last line are always there.
        let fixed = self.top.len() + 1 + usize::from(machine.is_some()) + 1;
        let list = |room| List::new(view, &digest, room, width);
        let notes = |list: &List| notes::lines(view, Some(&digest), list.filtered, (width, height));
        let fits = |list: &List| fixed + notes(list).len() + list.rows.len() <= height;
        let list = Some(list(Room::Ample))
            .filter(fits)
            .unwrap_or_else(|| list(Room::Scarce));
        self.top.extend(notes(&list).into_iter().map(Line::raw));
        let bars = list.rows.iter().filter_map(|row| match row {
            Row::Bar(bar) => Some(bar),
            _ => None,
        });
        let glyphs = Glyphs::of(view.look.has_unicode);
        let columns = Columns::new(&digest, bars.chain(&machine), glyphs, width);
        self.top
            .push(Line::styled(columns.head(&view.history), DIM));
        self.top.extend(machine.map(|bar| columns.row(&bar, view)));
        let room = height.saturating_sub(self.top.len() + 1);
        self.hidden = list.rows.len().saturating_sub(room);
        let first = view.state.scroll.min(self.hidden);
        let shown = list
            .rows
            .iter()
            .skip(first)
            .take(room)
            .map(|row| match row {
                Row::Bar(bar) => columns.row(bar, view),
                Row::Text(_, text) => Line::raw(text.clone()),
                Row::Space => Line::default(),
            });
        self.top.extend(shown);
        let place = if self.hidden > 0 {
            format!("rows {}-{} of {}", first + 1, first + room, list.rows.len())
        } else {
            String::new()
        };
        self.last_line(view, &place, width, has_keys);
    }

    /// Adds the last line: what the user is typing, or the keys.
    fn last_line(&mut self, view: &View, place: &str, width: usize, has_keys: bool) {
        let prompt = view.state.prompt.as_ref().map(|prompt| match prompt {
            Prompt::Filter(typed) => format!("show only rows with these words: {typed}"),
            Prompt::Delay(typed) => format!("time between two intervals, as 500ms or 2s: {typed}"),
        });
        if let Some(prompt) = prompt {
            let column = prompt.chars().count().min(width.saturating_sub(1));
            self.cursor = u16::try_from(column).ok();
            self.bottom = Some(Line::styled(prompt, BOLD));
            return;
        }
        let order = order(view.state.order);
        let all = format!("? help  q quit  s {order}  / filter  d delay  p pause");
        let few = format!("? help  q quit  s {order}");
        let fits = |keys: &String| has_keys && keys.len() + 2 + place.len() <= width;
        let keys = [all, few].into_iter().find(fits).unwrap_or_default();
        self.bottom = Some(Line::styled(both(&keys, place, width), DIM));
    }
}

/// The rows that are shown.
struct List {
    rows: Vec<Row>,
    /// Number of those that the filter hides.
    filtered: usize,
}

impl List {
    fn new(view: &View, digest: &Digest, room: Room, width: usize) -> Self {
        let mut rows = rows::all(view, digest, room, width);
        let is_row = |row: &&Row| !matches!(row, Row::Space);
        let all = rows.iter().filter(is_row).count();
        rows.retain(|row| rows::has_words(row, &view.state.filter));
        let filtered = all - rows.iter().filter(is_row).count();
        Self { rows, filtered }
    }
}

/// Returns the first line.
fn title(view: &View, width: usize) -> String {
    let State {
        paused,
        delay,
        replay,
        ..
    } = &view.state;
    let sockets = counted(view.machine.packages.len(), "socket", "sockets");
    let left = format!("uncore top  {}, {sockets}", view.machine.platform);
    let end = view.history.last().map(|last| last.end);
    let end = end.map_or(String::new(), |end| format!("at {end:.1} s"));
    let source = match replay {
        Some(name) => format!("replay of {name}"),
        None => format!("every {} s", delay.as_secs_f64()),
    };
    let paused = if *paused { "PAUSED" } else { "" };
    let right = [paused, &source, &end].map(str::to_owned);
    let right: Vec<String> = right.into_iter().filter(|text| !text.is_empty()).collect();
    both(&left, &right.join(", "), width)
}

/// Returns a line with a text at the left and one at the right.
fn both(left: &str, right: &str, width: usize) -> String {
    let room = width.saturating_sub(left.chars().count());
    if right.chars().count() + 2 > room {
        return format!("{left}  {right}").trim_end().to_owned();
    }
    format!("{left}{right:>room$}").trim_end().to_owned()
}

/// Returns the name of an order.
const fn order(order: Order) -> &'static str {
    match order {
        Order::Machine => "by socket",
        Order::Used => "fullest first",
        Order::Amount => "busiest first",
    }
}

#[cfg(test)]
mod tests;
