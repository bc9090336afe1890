// SPDX-License-Identifier: GPL-2.0

//! Position of an event's fields in the words that perf passes to the kernel.

use std::fmt;

/// One of the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Word(usize);

const NAMES: [&str; 5] = ["config", "config1", "config2", "config3", "config4"];

impl Word {
    /// The one with this name.
    pub fn of(name: &str) -> Option<Self> {
        NAMES.iter().position(|known| *known == name).map(Self)
    }

    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..NAMES.len()).map(Self)
    }

    /// Name of the field.
    pub fn name(self) -> &'static str {
        NAMES.get(self.0).copied().unwrap_or_default()
    }
}

/// `config` to `config4` of `perf_event_attr`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Words([u64; 5]);

impl Words {
    /// One of them.
    pub fn get(&self, word: Word) -> u64 {
        self.0.get(word.0).copied().unwrap_or_default()
    }

    /// Sets one.
    pub fn set(&mut self, word: Word, value: u64) {
        if let Some(place) = self.0.get_mut(word.0) {
            *place = value;
        }
    }

    /// Returns the words that are not zero, and `config`.
    pub fn shown(&self) -> impl Iterator<Item = (Word, u64)> + '_ {
        let all = Word::all().map(|word| (word, self.get(word)));
        all.filter(|(word, value)| word.0 == 0 || *value != 0)
    }
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (word, value)) in self.shown().enumerate() {
            let separator = if place == 0 { "" } else { "," };
            write!(f, "{separator}{}={value:#x}", word.name())?;
        }
        Ok(())
    }
}

/// A field: its name and its bits, the lowest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Format {
    /// Returns the name of the word as a term.
    pub name: String,
    /// The word it is in.
    pub word: Word,
    bits: Vec<u32>,
}

impl Format {
    /// Reads `config1:0-4,21`. The error is a sentence about what is wrong.
    pub fn parse(name: &str, text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not where a field is, such as \"config1:0-4,21\"");
        let (word, ranges) = text.trim().split_once(':').ok_or_else(wrong)?;
        let word = Word::of(word).ok_or_else(wrong)?;
        let mut bits: Vec<u32> = Vec::new();
        for range in ranges.split(',') {
            let (from, to) = range.split_once('-').unwrap_or((range, range));
            let end = |text: &str| text.parse().ok().filter(|bit| *bit < u64::BITS);
            let (from, to) = (end(from).ok_or_else(wrong)?, end(to).ok_or_else(wrong)?);
            if from > to || bits.iter().any(|bit| (from..=to).contains(bit)) {
                return Err(wrong());
            }
            bits.extend(from..=to);
        }
        Ok(Self {
            name: name.to_owned(),
            word,
            bits,
        })
    }

    /// Returns the bits of the field in its word.
    pub fn mask(&self) -> u64 {
        self.bits.iter().fold(0, |mask, bit| mask | 1 << bit)
    }

    /// The largest value.
    pub fn largest(&self) -> u64 {
        let width = u32::try_from(self.bits.len()).unwrap_or(u64::BITS);
        u64::MAX.checked_shr(u64::BITS - width).unwrap_or(0)
    }

    /// Returns the value of the field in these words.
    pub fn value(&self, words: &Words) -> u64 {
        let word = words.get(self.word);
        let bits = self.bits.iter().enumerate();
        bits.fold(0, |value, (place, bit)| value | (word >> bit & 1) << place)
    }

    /// Puts a value in, over what is there, as perf does. The error is the largest
    /// value, if this one is larger.
    pub fn put(&self, words: &mut Words, value: u64) -> Result<(), u64> {
        if value > self.largest() {
            return Err(self.largest());
        }
        let bits = self.bits.iter().enumerate();
        let placed = bits.fold(0, |word, (place, bit)| word | (value >> place & 1) << bit);
        words.set(self.word, words.get(self.word) | placed);
        Ok(())
    }
}

/// Writes the field as sysfs does.
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.word.name())?;
        let mut rest = self.bits.as_slice();
        let mut separator = ':';
        while let Some(&from) = rest.first() {
            let run = rest
                .iter()
                .zip(from..)
                .take_while(|(bit, next)| *bit == next);
            let length = run.count();
            match rest.get(length - 1) {
                Some(&to) if to != from => write!(f, "{separator}{from}-{to}")?,
                _ => write!(f, "{separator}{from}")?,
            }
            rest = rest.get(length..).unwrap_or_default();
            separator = ',';
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(text: &str) -> Format {
        Format::parse("field", text).expect("a field")
    }

    #[test]
    fn reads_what_it_prints() {
        for text in ["config:0-7,21", "config1:63", "config2:0-63", "config4:5,7"] {
            assert_eq!(format(text).to_string(), text);
        }
    }

    #[test]
    fn takes_no_nonsense() {
        let bad = [
            "",
            "config",
            "config:",
            "config:64",
            "config:7-0",
            "config:0-7,3",
            "confix:0",
            "config9:0",
            "config:-1",
            "config:0-7-9",
            "config:0-7,",
            "config:0-99999999999",
        ];
        for text in bad {
            assert!(Format::parse("field", text).is_err(), "{text}");
        }
    }

    #[test]
    fn splits_values_over_bits() {
        let event = format("config:0-7,21");
        let mut words = Words::default();
        event.put(&mut words, 0x138).expect("fits");
        assert_eq!(words.get(event.word), 0x20_0038);
        assert_eq!(event.value(&words), 0x138);
        assert_eq!(event.put(&mut words, 0x200), Err(0x1ff));
    }

    #[test]
    fn takes_all_64_bits() {
        let all = format("config1:0-63");
        let mut words = Words::default();
        all.put(&mut words, u64::MAX).expect("fits");
        assert_eq!(all.value(&words), u64::MAX);
        assert_eq!(all.mask(), u64::MAX);
    }
}
