// SPDX-License-Identifier: GPL-2.0

//! Reads the files `readings.csv`: the points that the sources leave open, and their readings.

use crate::{parse, platforms::TEXTS};
use serde::Deserialize;
use std::sync::OnceLock;

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// The point, as in `U-3`.
    pub point: String,
    /// The letter of a reading; none for the point itself, `-` if it has one reading only.
    pub letter: Option<char>,
    /// The platforms that have it, as the machine's option names them.
    pub platforms: String,
    /// `start` if it holds from the start of the machine to its end.
    pub start: String,
    /// The differences from the first reading, as the machine's model names them.
    pub takes: String,
    /// The heading of the point, what holds by the reading, or why there is one only.
    pub words: String,
}

impl Reading {
    /// Returns its name, as in `U-3:b`.
    pub fn name(&self) -> String {
        format!("{}:{}", self.point, self.letter.unwrap_or_default())
    }

    /// Tells if a platform has it.
    pub fn is_of(&self, platform: &str) -> bool {
        self.platforms.split(' ').any(|own| own == platform)
    }
}

/// All lines, in the order of the platforms and their files.
pub fn readings() -> &'static [Reading] {
    static ALL: OnceLock<Vec<Reading>> = OnceLock::new();
    ALL.get_or_init(|| {
        let lines = |text: &str| parse::<Reading>(text).expect("readings.csv is well formed");
        TEXTS
            .iter()
            .flat_map(|texts| lines(texts.readings))
            .collect()
    })
}

/// Returns the names of a processor's readings with a difference, as the machine's model names it.
pub fn readings_with(difference: &str, processor: &str) -> Vec<String> {
    let own = readings().iter().filter(|line| line.is_of(processor));
    let having = own.filter(|line| line.takes.split(' ').any(|taken| taken == difference));
    having.map(Reading::name).collect()
}
