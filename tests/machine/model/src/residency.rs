// SPDX-License-Identifier: GPL-2.0

//! The residency MSRs of the cores: 0x3FC for C3, 0x3FD for C6.
//!
//! Documentation/hardware/ivbep.rst section 7.6 (tables 2-118, 2-124, 2-125).
//! They are outside PMON: nothing enables, freezes or resets them. At which rate
//! they run: traffic.rst, "PCU residency".
//! SPEC: each core has its own (U-31).

/// The MSRs, C3 first.
pub(crate) const RESIDENCY_MSRS: std::ops::RangeInclusive<u32> = 0x3fc..=0x3fd;

/// The state of a package's residency MSRs.
#[derive(Debug)]
pub(crate) struct Residency {
    package: u8,
    /// C3 and C6 of each core slot.
    values: Vec<[u64; 2]>,
    /// The uclk cycle of the endless axis up to which they have run.
    settled: u64,
}

impl Residency {
    /// The MSRs of a package of so many core slots that gets its power in this cycle of the endless
    /// axis.
    pub(crate) fn at_reset(package: u8, cores: u8, now: u64) -> Self {
        Self {
            package,
            values: vec![[0; 2]; cores.into()],
            settled: now,
        }
    }

    /// Runs them up to cycle `now` of the endless axis.
    pub(crate) fn settle(&mut self, now: u64) {
        self.run(self.settled, now);
        self.settled = now;
    }

    /// Puts them at their reset values in this cycle of the endless axis.
    pub(crate) fn reset(&mut self, now: u64) {
        self.values.fill([0; 2]);
        self.settled = now;
    }

    /// Lets a burst of `uclk` cycles pass.
    pub(crate) fn burst(&mut self, uclk: u64) {
        self.run(0, uclk);
    }

    /// The value of a core's MSR, 0 for C3 and 1 for C6; `None` if there is no
    /// such core.
    pub(crate) fn value(&mut self, core: u8, index: usize) -> Option<&mut u64> {
        self.values.get_mut(usize::from(core))?.get_mut(index)
    }

    fn run(&mut self, from: u64, to: u64) {
        let first = u64::from(self.package) * self.values.len() as u64 + 1;
        for (share, [c3, c6]) in (first..).zip(&mut self.values) {
            let gain = in_c3(to, share) - in_c3(from, share);
            *c3 = c3.wrapping_add(gain);
            *c6 = c6.wrapping_add(2 * gain);
        }
    }
}

/// Cycles in C3 of the first `uclk` cycles, `share` of 1024.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the share is below 1024, so the result is below uclk"
)]
fn in_c3(uclk: u64, share: u64) -> u64 {
    (u128::from(uclk) * u128::from(share) / 1024) as u64
}
