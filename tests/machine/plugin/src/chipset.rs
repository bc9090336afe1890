// SPDX-License-Identifier: GPL-2.0

//! Two registers of the chipset, at I/O ports.
//!
//! A write of PM1 control can begin a sleep. NMI status and control (NMI_SC) shows from
//! where an external NMI comes; each source can be turned off there, which clears its
//! status.

use std::sync::atomic::{AtomicU8, Ordering};

/// Port of PM1 control, where the firmware of q35 puts it.
const PM1_CONTROL: u16 = 0x604;
/// SLP_TYP and SLP_EN of PM1 control.
const SLEEP: u32 = 0b111 << 10 | 1 << 13;
/// SLP_TYP as the firmware of q35 defines it for S3, with SLP_EN.
const S3: u32 = 1 << 10 | 1 << 13;

/// Port of NMI_SC.
pub(crate) const NMI_SC: u16 = 0x61;

/// Tells if a write to a port puts the machine into S3.
pub(crate) fn begins_s3(port: u16, value: u32) -> bool {
    port == PM1_CONTROL && value & SLEEP == S3
}

/// A source of external NMIs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// SERR#: a PCI device reports a system error.
    Serr,
    /// IOCHK#: a device of the ISA bus reports an error.
    Iochk,
}

impl Source {
    const ALL: [Self; 2] = [Self::Serr, Self::Iochk];

    /// Its bit in the status.
    fn status(self) -> u8 {
        match self {
            Self::Serr => 1 << 7,
            Self::Iochk => 1 << 6,
        }
    }

    /// The bit that turns it off.
    fn off(self) -> u8 {
        match self {
            Self::Serr => 1 << 2,
            Self::Iochk => 1 << 3,
        }
    }
}

/// NMI_SC. The emulator has the other bits of the port, for the speaker and a timer; they
/// read 0 while one of these is set.
#[derive(Debug, Default)]
pub(crate) struct NmiStatus(AtomicU8);

impl NmiStatus {
    /// Returns the register's value; nothing if no bit is set.
    pub(crate) fn read(&self) -> Option<u8> {
        Some(self.0.load(Ordering::SeqCst)).filter(|value| *value != 0)
    }

    /// Writes the register.
    pub(crate) fn write(&self, value: u8) {
        let change = |old| {
            let change = |new, source: Source| match value & source.off() {
                0 => new & !source.off(),
                _ => new & !source.status() | source.off(),
            };
            Some(Source::ALL.into_iter().fold(old, change))
        };
        let _always = self
            .0
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, change);
    }

    /// A source reports an error; false if it is turned off.
    pub(crate) fn report(&self, source: Source) -> bool {
        let change = |old| (old & source.off() == 0).then_some(old | source.status());
        let changed = self
            .0
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, change);
        changed.is_ok()
    }

    /// The machine starts anew.
    pub(crate) fn reset(&self) {
        self.0.store(0, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s3_is_one_of_the_sleeps() {
        assert!(begins_s3(0x604, 0x2401));
        assert!(!begins_s3(0x604, 0x0401), "not yet");
        assert!(!begins_s3(0x604, 0x2001), "soft off");
        assert!(!begins_s3(0x604, 0x2800), "S4");
        assert!(!begins_s3(0x600, 0x2400), "another register");
    }
}
