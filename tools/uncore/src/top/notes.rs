// SPDX-License-Identifier: GPL-2.0

//! What there is to say of the rows: what is hidden, what the marks mean, what is not counted.

use super::digest::{Amount, Digest, Load};
use super::glyphs::{Glyphs, BARELY, PARTLY};
use super::texts;
use super::view::View;
use crate::table::counted;

/// From this height there is room for more notes.
const TALL: usize = 30;

/// Returns a line for each note, as far as there is room. The filter hides so many rows.
pub(super) fn lines(
    view: &View,
    digest: Option<&Digest>,
    hidden: usize,
    (width, height): (usize, usize),
) -> Vec<String> {
    let glyphs = Glyphs::of(view.look.has_unicode);
    let filter = (hidden > 0).then(|| {
        let rows = counted(hidden, "row", "rows");
        format!(
            "{rows} hidden by the filter \"{}\"",
            view.state.filter.trim()
        )
    });
    let marks = digest.and_then(|digest| marks(digest, glyphs));
    let rest = view.notes.iter().chain(&view.machine.notes);
    let notes: Vec<String> = filter
        .into_iter()
        .chain(marks)
        .chain(rest.cloned())
        .collect();
    let most = if height < TALL { 2 } else { 6 };
    let kept = if notes.len() > most {
        most - 1
    } else {
        notes.len()
    };
    let more = notes.len() - kept;
    let more =
        (more > 0).then(|| format!("{}: ? shows them", counted(more, "more note", "more notes")));
    let kept = notes.iter().take(kept);
    kept.map(|note| glyphs.fit(note, width))
        .chain(more)
        .collect()
}

/// Says what the marks of amounts mean, if there are any.
fn marks(digest: &Digest, glyphs: &Glyphs) -> Option<String> {
    let sockets = digest.sockets.iter();
    let parts = sockets.flat_map(|socket| &socket.parts);
    let loads = parts.flat_map(|part| part.boxes.iter().map(|(_, load)| load).chain([&part.sum]));
    let amounts: Vec<&Amount> = loads.flat_map(Load::all).collect();
    let worst = |mark: char| {
        let marked = amounts
            .iter()
            .filter(|one| texts::mark(one, glyphs) == Some(mark));
        let shares = marked.map(|one| one.counted);
        shares.reduce(f64::min).map(|share| 100.0 * share)
    };
    let partly =
        worst(PARTLY).map(|worst| format!("{PARTLY} counted {worst:.0} % of the time or more"));
    let barely = worst(BARELY)
        .map(|worst| format!("{BARELY} counted {worst:.0} % or more, too short to rely on"));
    let marks: Vec<String> = [partly, barely].into_iter().flatten().collect();
    (!marks.is_empty()).then(|| marks.join("; "))
}
