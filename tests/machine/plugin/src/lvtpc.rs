// SPDX-License-Identifier: GPL-2.0

//! The local APIC's entry for performance monitoring interrupts, one per vCPU.
//!
//! QEMU keeps the register but never sets its mask bit, which the processor does
//! on each delivery. So it is shadowed here: writes are observed, reads answered.
//! Any thread may deliver.

use std::sync::atomic::{AtomicU32, Ordering};

/// The interrupt is held back.
const MASKED: u32 = 1 << 16;
/// Delivery mode and vector, as in the data of a message-signalled interrupt.
const MESSAGE: u32 = 0x7ff;

/// The entry.
pub(crate) struct Lvtpc(AtomicU32);

impl Default for Lvtpc {
    fn default() -> Self {
        Self(AtomicU32::new(MASKED))
    }
}

impl Lvtpc {
    /// Returns the register's value.
    pub(crate) fn read(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }

    /// Writes the register for the guest; reserved and read-only bits stay 0. True
    /// if the write unmasks the entry.
    pub(crate) fn write(&self, value: u32) -> bool {
        let before = self.0.swap(value & (MASKED | MESSAGE), Ordering::SeqCst);
        before & !value & MASKED != 0
    }

    /// Tells if the entry holds interrupts back.
    pub(crate) fn is_masked(&self) -> bool {
        self.read() & MASKED != 0
    }

    /// The processor starts anew.
    pub(crate) fn reset(&self) {
        self.0.store(MASKED, Ordering::SeqCst);
    }

    /// Delivers one interrupt: sets the mask and gives the message to send, or
    /// nothing if it was masked. Of several deliveries at once only one gets it.
    pub(crate) fn deliver(&self) -> Option<u32> {
        let before = self.0.fetch_or(MASKED, Ordering::SeqCst);
        (before & MASKED == 0).then_some(before & MESSAGE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_bits_read_zero() {
        let lvtpc = Lvtpc::default();
        lvtpc.write(u32::MAX);
        assert_eq!(lvtpc.read(), 0x1_07ff);
        lvtpc.reset();
        assert_eq!(lvtpc.read(), 0x1_0000);
    }
}
