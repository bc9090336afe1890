// SPDX-License-Identifier: GPL-2.0

//! `struct perf_event_attr` as numbered words, valid or not.

use std::collections::BTreeMap;

/// Size of the kernel's own structure, which is of the ninth version.
pub(super) const SIZE: u32 = 144;

/// Size of the first version; a size field of 0 has this meaning.
pub(super) const FIRST_SIZE: u32 = 64;

/// Bits of a word: the word's index, the lowest bit, the number of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field(pub(super) usize, u32, u32);

pub(super) const CONFIG: Field = Field(1, 0, 64);
pub(super) const PERIOD: Field = Field(2, 0, 64);
pub(super) const SAMPLE_TYPE: Field = Field(3, 0, 64);
pub(super) const READ_FORMAT: Field = Field(4, 0, 64);
pub(super) const FLAGS: Field = Field(5, 0, 64);
pub(super) const CONFIG1: Field = Field(7, 0, 64);
pub(super) const CONFIG2: Field = Field(8, 0, 64);
pub(super) const BRANCHES: Field = Field(9, 0, 64);
pub(super) const USER_REGISTERS: Field = Field(10, 0, 64);
pub(super) const USER_STACK: Field = Field(11, 0, 32);
pub(super) const CLOCK: Field = Field(11, 32, 32);
pub(super) const KERNEL_REGISTERS: Field = Field(12, 0, 64);
pub(super) const MAX_STACK: Field = Field(13, 32, 16);
pub(super) const RESERVED2: Field = Field(13, 48, 16);
pub(super) const AUX_SAMPLE_SIZE: Field = Field(14, 0, 32);
pub(super) const AUX_ACTION: Field = Field(14, 32, 3);
pub(super) const RESERVED3: Field = Field(14, 35, 29);
pub(super) const CONFIG3: Field = Field(16, 0, 64);
pub(super) const CONFIG4: Field = Field(17, 0, 64);

/// The words that select the event.
pub(super) const CONFIGS: [Field; 5] = [CONFIG, CONFIG1, CONFIG2, CONFIG3, CONFIG4];

/// Bits of [`FLAGS`].
pub(super) mod flag {
    pub(in crate::fuzz) const DISABLED: u64 = 1 << 0;
    pub(in crate::fuzz) const INHERIT: u64 = 1 << 1;
    pub(in crate::fuzz) const PINNED: u64 = 1 << 2;
    pub(in crate::fuzz) const EXCLUSIVE: u64 = 1 << 3;
    pub(in crate::fuzz) const FREQ: u64 = 1 << 10;
    pub(in crate::fuzz) const ENABLE_ON_EXEC: u64 = 1 << 12;
    /// Precision of a sample.
    pub(in crate::fuzz) const PRECISE: u64 = 0x3 << 15;
    pub(in crate::fuzz) const USE_CLOCK: u64 = 1 << 25;
    pub(in crate::fuzz) const BACKWARD: u64 = 1 << 27;
    pub(in crate::fuzz) const AUX_OUTPUT: u64 = 1 << 31;
    pub(in crate::fuzz) const INHERIT_THREAD: u64 = 1 << 35;
    pub(in crate::fuzz) const REMOVE_ON_EXEC: u64 = 1 << 36;
    pub(in crate::fuzz) const SIGTRAP: u64 = 1 << 37;
    /// The modes that can be excluded: user, kernel, hv, idle, host, guest.
    pub(in crate::fuzz) const EXCLUDED: u64 = 0xf << 4 | 0x3 << 19;
    /// Bits without a meaning yet.
    pub(in crate::fuzz) const RESERVED: u64 = !0 << 40;
}

/// Bits of [`SAMPLE_TYPE`].
pub(super) mod sample {
    pub(in crate::fuzz) const TID: u64 = 1 << 1;
    pub(in crate::fuzz) const READ: u64 = 1 << 4;
    pub(in crate::fuzz) const CALLCHAIN: u64 = 1 << 5;
    pub(in crate::fuzz) const BRANCHES: u64 = 1 << 11;
    pub(in crate::fuzz) const USER_REGISTERS: u64 = 1 << 12;
    pub(in crate::fuzz) const USER_STACK: u64 = 1 << 13;
    pub(in crate::fuzz) const WEIGHT: u64 = 1 << 14;
    pub(in crate::fuzz) const KERNEL_REGISTERS: u64 = 1 << 18;
    pub(in crate::fuzz) const CGROUP: u64 = 1 << 21;
    pub(in crate::fuzz) const WEIGHTS: u64 = 1 << 24;
    pub(in crate::fuzz) const ALL: u64 = (1 << 25) - 1;
}

/// Bits of [`READ_FORMAT`].
pub(super) mod format {
    pub(in crate::fuzz) const ENABLED: u64 = 1 << 0;
    pub(in crate::fuzz) const RUNNING: u64 = 1 << 1;
    pub(in crate::fuzz) const ID: u64 = 1 << 2;
    pub(in crate::fuzz) const GROUP: u64 = 1 << 3;
    pub(in crate::fuzz) const LOST: u64 = 1 << 4;
    pub(in crate::fuzz) const ALL: u64 = 0x1f;
}

/// An attribute without its type, which is a [`super::operation::Target`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Attr {
    /// Value of the size field.
    pub(super) size: u32,
    words: BTreeMap<usize, u64>,
}

impl Attr {
    /// Creates an attribute without any special request.
    pub(super) fn new() -> Self {
        Self {
            size: SIZE,
            words: BTreeMap::new(),
        }
    }

    /// Returns the number of bytes that the kernel takes.
    pub(super) fn taken(&self) -> u32 {
        if self.size == 0 {
            FIRST_SIZE
        } else {
            self.size
        }
    }

    /// Returns the value written to a word.
    pub(super) fn word(&self, place: usize) -> u64 {
        self.words.get(&place).copied().unwrap_or(0)
    }

    pub(super) fn set_word(&mut self, place: usize, value: u64) {
        if value == 0 {
            self.words.remove(&place);
        } else {
            self.words.insert(place, value);
        }
    }

    /// Returns the words that are not 0, each with its index.
    pub(super) fn words(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.words.iter().map(|(&place, &value)| (place, value))
    }

    /// Returns a field as the kernel sees it: 0 beyond the attribute's end.
    pub(super) fn get(&self, Field(place, shift, width): Field) -> u64 {
        let begin = u32::try_from(8 * place).unwrap_or(u32::MAX);
        let seen = match self.taken().saturating_sub(begin) {
            bytes @ 0..8 => (1 << (8 * bytes)) - 1,
            _ => !0,
        };
        (self.word(place) & seen) >> shift & (!0 >> (64 - width))
    }

    pub(super) fn set(&mut self, Field(place, shift, width): Field, value: u64) {
        let mask = (!0 >> (64 - width)) << shift;
        let word = self.word(place) & !mask | value << shift & mask;
        self.set_word(place, word);
    }

    /// Returns whether one of these flags is set.
    pub(super) fn has(&self, flags: u64) -> bool {
        self.get(FLAGS) & flags != 0
    }

    pub(super) fn add_flags(&mut self, flags: u64) {
        self.set(FLAGS, self.word(FLAGS.0) | flags);
    }

    /// Returns whether a byte beyond the kernel's own structure is not 0.
    pub(super) fn has_tail(&self) -> bool {
        let end = usize::try_from(SIZE / 8).unwrap_or(usize::MAX);
        let size = usize::try_from(self.taken()).unwrap_or(usize::MAX);
        self.words()
            .any(|(place, _)| place >= end && 8 * place < size)
    }

    /// Returns config, config1 and so on, as the kernel sees them.
    pub(super) fn configs(&self) -> [u64; 5] {
        CONFIGS.map(|config| self.get(config))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_where_they_were_put() {
        let mut attr = Attr::new();
        attr.set(CLOCK, 4);
        attr.set(USER_STACK, 8);
        assert_eq!(attr.word(11), 4 << 32 | 8);
        assert_eq!((attr.get(CLOCK), attr.get(USER_STACK)), (4, 8));
        attr.set(CLOCK, 0);
        attr.set(USER_STACK, 0);
        assert_eq!(attr, Attr::new());
    }

    #[test]
    fn what_is_behind_the_end_is_not_seen() {
        let mut attr = Attr::new();
        attr.set(CONFIG1, 0x1122);
        attr.set(CONFIG2, 0x33);
        for (size, config1, config2) in [
            (64, 0x1122, 0),
            (0, 0x1122, 0),
            (57, 0x22, 0),
            (72, 0x1122, 0x33),
        ] {
            attr.size = size;
            assert_eq!((attr.get(CONFIG1), attr.get(CONFIG2)), (config1, config2));
        }
    }

    #[test]
    fn a_tail_is_what_the_size_covers() {
        let mut attr = Attr::new();
        attr.set_word(18, 1);
        assert!(!attr.has_tail());
        attr.size = 152;
        assert!(attr.has_tail());
    }
}
