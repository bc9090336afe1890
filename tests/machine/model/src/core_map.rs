// SPDX-License-Identifier: GPL-2.0

//! The core behind each bit of `GLOBAL_CTL.pmi_core_sel`;
//! Documentation/hardware/ivbep.rst section 3.1.
//!
//! Bit k is core k unless a test sets another map. The manual does not tell if hardware
//! counts slots or enabled cores, so software has to find out; the reading of that (U-18)
//! is in `overflow.rs`.

/// Bits of pmi_core_sel, on the platform with the most.
const BITS: usize = 24;

/// The core slot behind each bit of pmi_core_sel, if any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoreMap([Option<u8>; BITS]);

impl CoreMap {
    /// Bit k is the k-th of these cores; further bits mean none.
    pub(crate) fn from_cores(cores: impl IntoIterator<Item = u8>) -> Self {
        let mut map = [None; BITS];
        for (bit, core) in map.iter_mut().zip(cores) {
            *bit = Some(core);
        }
        Self(map)
    }

    /// The mask of core slots for a value of pmi_core_sel.
    pub(crate) fn cores(self, selected: u32) -> u32 {
        let bits = self.0.iter().enumerate();
        let chosen = bits.filter(|(bit, _)| selected >> bit & 1 == 1);
        chosen
            .filter_map(|(_, core)| *core)
            .fold(0, |cores, core| cores | 1 << core)
    }
}
