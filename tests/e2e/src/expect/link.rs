// SPDX-License-Identifier: GPL-2.0

//! The counters of a QPI port that always run (traffic.rst, "QPI: free-running
//! counters").

use crate::catalogue::BoxKind;
use crate::platform::Processor;

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// LINK_IDLE.
    Idle,
    /// LINK_LLR.
    Retry,
}

impl Link {
    /// Returns those of the platform.
    pub fn all() -> &'static [Self] {
        Processor::current().description().links
    }

    /// The event of that name.
    pub fn event(self) -> &'static str {
        match self {
            Self::Idle => "link_idle",
            Self::Retry => "link_llr",
        }
    }

    /// Returns the count that a burst of `uclk` cycles adds on a port of a package.
    pub fn count(self, port: u8, package: u8, uclk: u64) -> u64 {
        let share = 8 * u64::from(port) + u64::from(package) + 1;
        let of_1024 = match self {
            Self::Idle => 512 + share,
            Self::Retry => share,
        };
        BoxKind::Qpi.cycles(uclk) * of_1024 / 1024
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::Platform;

    #[test]
    fn each_port_has_its_own_share() {
        Platform::Bdx.on(|| {
            assert_eq!(Link::all().len(), 2);
            // 833,333 cycles of the port's clock.
            assert_eq!(Link::Idle.count(0, 0, 1_000_000), 417_480);
            assert_eq!(Link::Retry.count(0, 0, 1_000_000), 813);
            assert_eq!(Link::Retry.count(2, 1, 1_000_000), 14_648);
        });
    }
}
