// SPDX-License-Identifier: GPL-2.0

//! The clocks of the boxes and their fixed ratios to uclk.
//!
//! All time in the model is in cycles of uclk; this file converts it to cycles of a
//! box's own clock. Ratios: Documentation/development/traffic.rst, "Time".

use uncore_definition::server::TICKS;

/// A clock domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clock {
    /// Uncore clock, 2400 MHz.
    Uclk,
    /// Memory clock of DDR3-1866.
    Dclk,
    /// Link clock of QPI at 8 GT/s.
    Qfclk,
    /// Clock of QPI at 8 GT/s that is a quarter of the rate of the link.
    LinkQuarter,
    /// Clock of the power control unit.
    Pclk,
}

impl Clock {
    /// The clock of a name in the data about the platforms.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "uclk" => Self::Uclk,
            "dclk" => Self::Dclk,
            "qfclk" => Self::Qfclk,
            "quarter" => Self::LinkQuarter,
            "pclk" => Self::Pclk,
            _ => return None,
        })
    }

    /// Cycles per uclk cycle, as numerator and denominator.
    const fn ratio(self) -> (u128, u128) {
        match self {
            Self::Uclk => (1, 1),
            Self::Dclk => (7, 18),
            Self::Qfclk => (5, 12),
            Self::LinkQuarter => (5, 6),
            Self::Pclk => (1, 3),
        }
    }

    /// Ticks of the flows in a cycle of this clock.
    pub(crate) fn ticks(self) -> u64 {
        let (numerator, denominator) = self.ratio();
        u64::try_from(u128::from(TICKS) * denominator / numerator).unwrap_or(u64::MAX)
    }

    /// Whole cycles of this clock within `uclk` cycles.
    pub(crate) fn cycles(self, uclk: u64) -> u64 {
        let (numerator, denominator) = self.ratio();
        let cycles = u128::from(uclk) * numerator / denominator;
        u64::try_from(cycles).unwrap_or(u64::MAX)
    }

    /// The first uclk cycle by whose end `cycles` of this clock have passed.
    pub(crate) fn uclk_at(self, cycles: u64) -> u64 {
        let (numerator, denominator) = self.ratio();
        let uclk = (u128::from(cycles) * denominator).div_ceil(numerator);
        u64::try_from(uclk).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::Clock;

    #[test]
    fn uclk_at_is_the_first_moment() {
        for clock in [Clock::Dclk, Clock::Qfclk, Clock::LinkQuarter, Clock::Pclk] {
            for cycles in 1..100 {
                let at = clock.uclk_at(cycles);
                assert_eq!(
                    [at - 1, at].map(|uclk| clock.cycles(uclk)),
                    [cycles - 1, cycles]
                );
            }
        }
    }
}
