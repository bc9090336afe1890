// SPDX-License-Identifier: GPL-2.0

//! Reads the files `readings.csv`: the points that the sources leave open, and their readings.

use crate::{parse, platforms::TEXTS, Processor};
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
    /// The platforms that have it, as the machine's option names them. One that is like them has it,
    /// too. In the row of a point: the platform that has it in place of others.
    pub platforms: String,
    /// `start` if it holds from the start of the machine to its end.
    pub start: String,
    /// The differences from the first reading, as the machine's model names them. In the row of a
    /// point: the points of the platform that this one is like, in whose place it is.
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
        self.is_of_like(platform, &Processor::named(platform).like)
    }

    /// Tells the same of a platform that is like another one, if that has a name: for a program
    /// without the other files.
    pub fn is_of_like(&self, platform: &str, like: &str) -> bool {
        let names = |list: &str, name: &str| list.split(' ').any(|own| own == name);
        let replaces = |line: &Self| {
            line.letter.is_none() && line.platforms == platform && names(&line.takes, &self.point)
        };
        let is_like = !like.is_empty() && names(&self.platforms, like);
        names(&self.platforms, platform) || is_like && !readings().iter().any(replaces)
    }
}

/// The files alone: a program that reads them has no other ones in it.
const READINGS: [&str; TEXTS.len()] = {
    let mut all = [""; TEXTS.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = TEXTS[at].readings;
        at += 1;
    }
    all
};

/// All lines, in the order of the platforms and their files.
pub fn readings() -> &'static [Reading] {
    static ALL: OnceLock<Vec<Reading>> = OnceLock::new();
    ALL.get_or_init(|| {
        let lines = |text: &str| parse::<Reading>(text).expect("readings.csv is well formed");
        READINGS.into_iter().flat_map(lines).collect()
    })
}

/// Returns the names of a processor's readings with a difference, as the machine's model names it.
pub fn readings_with(difference: &str, processor: &str) -> Vec<String> {
    let own = readings().iter().filter(|line| line.is_of(processor));
    let having = own.filter(|line| line.takes.split(' ').any(|taken| taken == difference));
    having.map(Reading::name).collect()
}
