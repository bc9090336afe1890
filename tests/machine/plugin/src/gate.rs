// SPDX-License-Identifier: GPL-2.0

//! Bit 13 of `IA32_DEBUGCTL` as a gate for PMIs of the uncore, by reading U-46:b.
//!
//! On a host of virtual machines a processor loses that register while it runs a guest:
//! the entry loads the guest's value, 0. Software of the host never reads that value,
//! because the hypervisor restores its own at the exit. A test says how often a PMI finds
//! the processor in a guest.

use std::sync::{Mutex, PoisonError};

use uncore_machine::{Gate, Share};

/// The guests that processors run, for which they lose bit 13.
#[derive(Debug, Default)]
pub(crate) struct Gatekeeper {
    guests: Mutex<Guests>,
}

/// Guests, and the number of PMIs that have come since they began to run.
#[derive(Debug)]
struct Guests {
    share: Share,
    pmis: u64,
}

impl Default for Guests {
    /// No guest ever runs.
    fn default() -> Self {
        Self {
            share: Share::NONE,
            pmis: 0,
        }
    }
}

impl Gatekeeper {
    /// Lets guests run for this share of PMIs. Fails if bit 13 has no effect.
    pub(crate) fn run_guests(&self, gate: Gate, share: Share) -> Result<(), String> {
        if gate != Gate::ByBit {
            return Err("without reading U-46:b a guest loses no interrupt".to_owned());
        }
        let mut guests = self.guests.lock().unwrap_or_else(PoisonError::into_inner);
        *guests = Guests { share, pmis: 0 };
        Ok(())
    }

    /// Tells if a PMI passes that comes to a processor; `bit`: its bit 13 while no
    /// guest runs.
    pub(crate) fn passes(&self, gate: Gate, bit: bool) -> bool {
        if gate != Gate::ByBit || !bit {
            return gate != Gate::ByBit;
        }
        let mut guests = self.guests.lock().unwrap_or_else(PoisonError::into_inner);
        let lost = guests.share.loses(guests.pmis);
        guests.pmis += 1;
        !lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guests_take_their_share() {
        let keeper = Gatekeeper::default();
        let passed = || -> Vec<bool> { (0..6).map(|_| keeper.passes(Gate::ByBit, true)).collect() };
        let share = "2/3".parse().expect("a share");
        assert_eq!(keeper.run_guests(Gate::ByBit, share), Ok(()));
        assert_eq!(passed(), [true, false, false, true, false, false]);
        assert_eq!(keeper.run_guests(Gate::ByBit, Share::NONE), Ok(()));
        assert_eq!(passed(), [true; 6]);
        for gate in [Gate::Open, Gate::Missing] {
            assert!(keeper.run_guests(gate, share).is_err());
        }
    }
}
