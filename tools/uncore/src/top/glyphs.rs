// SPDX-License-Identifier: GPL-2.0

//! Letters that bars and curves are made of.

/// Letters of a terminal.
pub(super) struct Glyphs {
    /// Parts of a bar, one for each amount.
    pub(super) fills: [char; 3],
    /// Rest of a bar.
    pub(super) free: char,
    /// Levels of a curve.
    pub(super) ramp: [char; 8],
    /// Mark of an amount that is larger, since not all of it is counted.
    pub(super) at_least: char,
    /// End of a text that is cut.
    pub(super) cut: &'static str,
}

/// Mark of a value that was counted a part of the time.
pub(super) const PARTLY: char = '~';
/// Mark of a value that was counted for too short a time.
pub(super) const BARELY: char = '?';

const UNICODE: Glyphs = Glyphs {
    fills: ['█', '▒', '▚'],
    free: '·',
    ramp: ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
    at_least: '≥',
    cut: "…",
};

const ASCII: Glyphs = Glyphs {
    fills: ['#', '=', '%'],
    free: '.',
    ramp: ['_', '.', ':', '-', '=', '+', '*', '#'],
    at_least: '>',
    cut: "...",
};

impl Glyphs {
    pub(super) const fn of(has_unicode: bool) -> &'static Self {
        if has_unicode {
            &UNICODE
        } else {
            &ASCII
        }
    }

    /// Returns a bar of so many cells, of shares of its peak.
    pub(super) fn bar(&self, shares: &[f64], width: usize) -> Vec<String> {
        let mut parts = Vec::new();
        let (mut sum, mut filled) = (0.0, 0);
        for (share, fill) in shares.iter().zip(self.fills) {
            sum += share;
            let end = cells(sum, width).max(filled);
            parts.push(fill.to_string().repeat(end - filled));
            filled = end;
        }
        parts.push(self.free.to_string().repeat(width - filled));
        parts
    }

    /// Returns a curve of levels, of which `top` is the highest. One that is not known is blank.
    pub(super) fn curve(&self, levels: &[Option<f64>], top: f64) -> String {
        let letter = |level: &Option<f64>| {
            let Some(level) = level else { return ' ' };
            let share = if top > 0.0 { level / top } else { 0.0 };
            let step = cells(share, self.ramp.len()).max(1);
            self.ramp.get(step - 1).copied().unwrap_or(' ')
        };
        levels.iter().map(letter).collect()
    }

    /// Cuts a text to so many letters.
    pub(super) fn fit(&self, text: &str, width: usize) -> String {
        let has_room = text.chars().count() <= width;
        if has_room {
            return text.to_owned();
        }
        let kept = width.saturating_sub(self.cut.chars().count());
        let begin: String = text.chars().take(kept).collect();
        format!("{}{}", begin.trim_end(), self.cut)
    }
}

/// Returns the cells that a share fills.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "the width of a screen, and a share that is limited to it"
)]
fn cells(share: f64, width: usize) -> usize {
    ((share * width as f64).round().max(0.0) as usize).min(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_keep_their_width() {
        let bar = |shares: &[f64]| ASCII.bar(shares, 8).concat();
        assert_eq!(bar(&[]), "........");
        assert_eq!(bar(&[0.5, 0.25]), "####==..");
        assert_eq!(bar(&[0.7, 0.7]), "######==");
        assert_eq!(bar(&[9.0, 1.0]), "########");
        assert_eq!(bar(&[-1.0, f64::NAN]), "........");
    }

    #[test]
    fn curves_leave_out_what_is_not_known() {
        let levels = [Some(0.0), None, Some(0.5), Some(1.0), Some(2.0)];
        assert_eq!(ASCII.curve(&levels, 1.0), "_ -##");
        assert_eq!(ASCII.curve(&levels[..1], 0.0), "_");
    }

    #[test]
    fn long_texts_end_with_a_mark() {
        assert_eq!(UNICODE.fit("four", 4), "four");
        assert_eq!(UNICODE.fit("a four", 3), "a…");
        assert_eq!(ASCII.fit("letters", 6), "let...");
    }
}
