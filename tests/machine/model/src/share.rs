// SPDX-License-Identifier: GPL-2.0

//! A share of interrupts that are lost, as in `1/4`.

/// Of each `of` interrupts the last `lost` are lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Share {
    lost: u64,
    of: u64,
}

impl Share {
    /// All.
    pub(crate) const ALL: Self = Self { lost: 1, of: 1 };

    /// Parses `N/M` with N of at most M.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        let (lost, of) = word.split_once('/')?;
        let (lost, of) = (lost.parse().ok()?, of.parse().ok()?);
        (of > 0 && lost <= of).then_some(Self { lost, of })
    }

    /// Tells if an interrupt is lost; `number` of them have come before it.
    pub(crate) fn loses(self, number: u64) -> bool {
        number % self.of >= self.of - self.lost
    }
}
