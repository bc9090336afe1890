// SPDX-License-Identifier: GPL-2.0

//! A share of interrupts that are lost, as in `1/4`.

use std::str::FromStr;

/// Of each `of` interrupts the last `lost` are lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    lost: u64,
    of: u64,
}

impl Share {
    /// None.
    pub const NONE: Self = Self { lost: 0, of: 1 };
    /// All.
    pub const ALL: Self = Self { lost: 1, of: 1 };

    /// Tells if an interrupt is lost; `number` of them have come before it.
    pub fn loses(self, number: u64) -> bool {
        number % self.of >= self.of - self.lost
    }
}

impl FromStr for Share {
    type Err = ();

    /// Parses `N/M` with N of at most M.
    fn from_str(word: &str) -> Result<Self, ()> {
        let (lost, of) = word.split_once('/').ok_or(())?;
        let number = |text: &str| text.parse().map_err(|_| ());
        let (lost, of) = (number(lost)?, number(of)?);
        (of > 0 && lost <= of)
            .then_some(Self { lost, of })
            .ok_or(())
    }
}
