// SPDX-License-Identifier: GPL-2.0

//! The last minutes: the last interval, and how full each box was before.

use std::collections::{BTreeMap, VecDeque};

use uncore_metrics::Interval;

use super::digest::{Digest, Load};

/// The last minutes.
#[derive(Debug, Default)]
pub(crate) struct History {
    last: Option<Interval>,
    /// Begin and end of each interval.
    times: VecDeque<(f64, f64)>,
    /// The newest levels are at the same places in all tracks.
    tracks: BTreeMap<Key, Track>,
}

/// Levels over time: shares of the peak, or rates where there is no peak.
type Track = VecDeque<Option<f64>>;

/// Subject of a track: a part of a box, of a socket, or of the machine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    /// `None` for all sockets.
    pub(super) socket: Option<u32>,
    pub(super) part: String,
    /// `None` for all boxes.
    pub(super) box_name: Option<String>,
}

impl History {
    /// Seconds that are kept.
    pub(crate) const SECONDS: f64 = 300.0;

    /// Adds an interval and drops those that are too old. One that ended before the last did
    /// begins a new history.
    pub(crate) fn push(&mut self, interval: Interval) {
        let is_earlier = |last: &Interval| interval.end < last.end;
        if self.last.as_ref().is_some_and(is_earlier) {
            self.clear();
        }
        let oldest = interval.end - Self::SECONDS;
        while self.times.front().is_some_and(|(_, end)| *end <= oldest) {
            self.times.pop_front();
        }
        self.times
            .push_back((interval.end - interval.seconds, interval.end));
        let mut levels = levels(&Digest::of(&interval));
        for (key, track) in &mut self.tracks {
            track.push_back(levels.remove(key).flatten());
            while track.len() > self.times.len() {
                track.pop_front();
            }
        }
        let new = levels.into_iter();
        let new = new.map(|(key, level)| (key, Track::from([level])));
        self.tracks.extend(new);
        self.last = Some(interval);
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Forgets all but the last interval, and with it the lowest and highest levels.
    pub(crate) fn reset(&mut self) {
        let last = self.last.take();
        self.clear();
        if let Some(last) = last {
            self.push(last);
        }
    }

    /// The last interval.
    pub(crate) fn last(&self) -> Option<&Interval> {
        self.last.as_ref()
    }

    /// Returns the seconds from the begin of the first interval to the end of the last.
    pub(super) fn seconds(&self) -> f64 {
        let ends = self.times.front().zip(self.times.back());
        ends.map_or(0.0, |((begin, _), (_, end))| end - begin)
    }

    /// Returns the highest levels of so many stretches of the same length, the newest last.
    /// There are fewer as long as there are fewer intervals.
    pub(super) fn highs(&self, key: &Key, count: usize) -> Vec<Option<f64>> {
        let all = self.times.len();
        let Some(track) = self.tracks.get(key).filter(|_| count > 0) else {
            return Vec::new();
        };
        if all <= count {
            return track.iter().copied().collect();
        }
        let mut highs = vec![None; count];
        for (place, level) in (all - track.len()..).zip(track) {
            if let Some(high) = highs.get_mut(place * count / all) {
                *high = [*high, *level].into_iter().flatten().reduce(f64::max);
            }
        }
        highs
    }

    /// Returns the lowest and the highest level, if there is any.
    pub(super) fn range(&self, key: &Key) -> Option<(f64, f64)> {
        let levels = self.tracks.get(key)?.iter().flatten();
        levels.fold(None, |range: Option<(f64, f64)>, level| {
            let (low, high) = range.unwrap_or((*level, *level));
            Some((low.min(*level), high.max(*level)))
        })
    }
}

/// Returns all that has a bar, with its level.
fn levels(digest: &Digest) -> BTreeMap<Key, Option<f64>> {
    let mut levels = BTreeMap::new();
    let mut add = |socket, part: &str, box_name: Option<&str>, load: &Load| {
        let key = Key {
            socket,
            part: part.to_owned(),
            box_name: box_name.map(str::to_owned),
        };
        levels.insert(key, load.level());
    };
    for part in digest.machine.iter().filter(|part| part.is_by_box()) {
        add(None, &part.name, None, &part.sum);
    }
    for socket in &digest.sockets {
        for part in socket.parts.iter().filter(|part| part.is_by_box()) {
            let number = Some(socket.number);
            add(number, &part.name, None, &part.sum);
            for (name, load) in &part.boxes {
                add(number, &part.name, Some(name), load);
            }
        }
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{self, exact, machine};

    fn interval(end: f64, read: Option<f64>) -> Interval {
        let amounts = |_, _: &str, metric: &str| match metric {
            "memory_read_bytes" => exact(read.unwrap_or_default()),
            "memory_capacity_bytes" => exact(100.0),
            _ => exact(0.0),
        };
        let boxes = read.map_or(0, |_| 1);
        scene::interval(&machine("ivbep", 1, &[("imc", boxes)]), end, &amounts)
    }

    fn key() -> Key {
        Key {
            socket: Some(0),
            part: "memory".to_owned(),
            box_name: Some("imc_0".to_owned()),
        }
    }

    #[test]
    fn what_is_too_old_is_dropped() {
        let mut history = History::default();
        for (end, read) in [(1.0, 90.0), (2.0, 10.0), (301.5, 20.0)] {
            history.push(interval(end, Some(read)));
        }
        assert_eq!(history.range(&key()), Some((0.1, 0.2)));
        assert_eq!(history.highs(&key(), 9), [Some(0.1), Some(0.2)]);
        assert!((history.seconds() - 300.5).abs() < 1e-9);
        history.reset();
        assert_eq!(history.range(&key()), Some((0.2, 0.2)));
        history.push(interval(1.0, Some(50.0)));
        assert_eq!(history.range(&key()), Some((0.5, 0.5)));
        history.clear();
        assert!(history.last().is_none() && history.range(&key()).is_none());
    }

    #[test]
    fn stretches_keep_their_highs_and_gaps() {
        let mut history = History::default();
        let levels = [None, None, Some(10.0), Some(70.0), None, Some(20.0)];
        for (end, level) in (1_u8..).zip(levels) {
            history.push(interval(f64::from(end), level));
        }
        assert_eq!(history.highs(&key(), 3), [None, Some(0.7), Some(0.2)]);
        let each = history.highs(&key(), 10);
        assert_eq!(each, [Some(0.1), Some(0.7), None, Some(0.2)]);
        assert!(history.highs(&key(), 0).is_empty());
        let other = Key {
            socket: None,
            ..key()
        };
        assert!(history.highs(&other, 3).is_empty());
    }
}
