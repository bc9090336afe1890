// SPDX-License-Identifier: GPL-2.0

//! Bit 13 of `IA32_DEBUGCTL` as a gate for PMIs of the uncore.
//!
//! On a host of virtual machines a processor loses that register while it runs a guest:
//! the entry loads the guest's value, 0. Software of the host never reads that value,
//! because the hypervisor restores its own at the exit. A test says how often a PMI finds
//! the processor in a guest.

use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

/// The gate of all processors.
#[derive(Debug)]
pub(crate) struct Gate {
    /// False on a machine where bit 13 has no effect.
    exists: bool,
    guests: Mutex<Guests>,
}

/// Guests, and the number of PMIs that have come since they began to run.
#[derive(Debug, Default)]
struct Guests {
    share: Share,
    pmis: u64,
}

/// Of `of` PMIs the last `lost` come while a guest runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Share {
    lost: u64,
    of: u64,
}

impl Default for Share {
    /// No guest ever runs.
    fn default() -> Self {
        Self { lost: 0, of: 1 }
    }
}

impl FromStr for Share {
    type Err = ();

    /// Parses `N/M` with N of at most M, or `off`.
    fn from_str(word: &str) -> Result<Self, ()> {
        if word == "off" {
            return Ok(Self::default());
        }
        let (lost, of) = word.split_once('/').ok_or(())?;
        let number = |text: &str| text.parse().map_err(|_| ());
        let (lost, of) = (number(lost)?, number(of)?);
        (of > 0 && lost <= of)
            .then_some(Self { lost, of })
            .ok_or(())
    }
}

impl Gate {
    /// A gate without guests; or none, if bit 13 has no effect.
    pub(crate) fn new(exists: bool) -> Self {
        Self {
            exists,
            guests: Mutex::default(),
        }
    }

    /// Lets guests run for this share of PMIs. Fails if there is no gate.
    pub(crate) fn run_guests(&self, share: Share) -> Result<(), String> {
        if !self.exists {
            return Err("without pmi-gate=on a guest loses no interrupt".to_owned());
        }
        let mut guests = self.guests.lock().unwrap_or_else(PoisonError::into_inner);
        *guests = Guests { share, pmis: 0 };
        Ok(())
    }

    /// Tells if a PMI passes that comes to a processor; `bit`: its bit 13 while no
    /// guest runs.
    pub(crate) fn passes(&self, bit: bool) -> bool {
        if !self.exists || !bit {
            return !self.exists;
        }
        let mut guests = self.guests.lock().unwrap_or_else(PoisonError::into_inner);
        let Share { lost, of } = guests.share;
        let number = guests.pmis % of;
        guests.pmis += 1;
        number < of - lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bit_decides_if_there_is_a_gate() {
        for (exists, bit, passes) in [
            (false, false, true),
            (false, true, true),
            (true, false, false),
            (true, true, true),
        ] {
            assert_eq!(Gate::new(exists).passes(bit), passes, "{exists} {bit}");
        }
    }

    #[test]
    fn guests_take_their_share() {
        let gate = Gate::new(true);
        let passed = |gate: &Gate| (0..6).map(|_| gate.passes(true)).collect::<Vec<_>>();
        gate.run_guests("2/3".parse().expect("a share"))
            .expect("a gate");
        assert_eq!(passed(&gate), [true, false, false, true, false, false]);
        gate.run_guests("off".parse().expect("a share"))
            .expect("a gate");
        assert_eq!(passed(&gate), [true; 6]);
        assert!(Gate::new(false).run_guests(Share::default()).is_err());
    }

    #[test]
    fn mistakes_are_refused() {
        for word in ["", "on", "1", "3/2", "0/0", "-1/2", "1/2/3"] {
            assert_eq!(word.parse::<Share>(), Err(()), "{word}");
        }
    }
}
