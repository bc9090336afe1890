// SPDX-License-Identifier: GPL-2.0

//! A sleep in which the uncore loses its power, as in ACPI state S3.
//!
//! Every register has its reset value afterwards; messages and PMIs on their way are lost.
//! Registers that firmware sets (node IDs, num_c) are set again. What tests have
//! planted stays: locks, faults, defects and the rules for PMIs. A burst-through is over.

use crate::global::Global;
use crate::machine::Machine;
use crate::package::Package;
use crate::readings::Reading;

impl Machine {
    /// Puts all registers at their reset values.
    pub fn lose_power(&mut self) {
        for index in 0..self.packages.len() {
            self.lose_power_of(index);
        }
        self.interrupts.forget();
        self.log.add(|| "power lost".to_owned());
    }

    /// Puts the registers of a package at their reset values.
    pub(crate) fn lose_power_of(&mut self, index: usize) {
        let keeps = self.topology.readings.has(Reading::MemoryCountersStay);
        let package = &mut self.packages[index];
        package.lose_power(self.topology.num_c(package.number));
        if let Some(counters) = package.memory.as_mut().filter(|_| !keeps) {
            counters.reset(package.now);
        }
    }
}

impl Package {
    fn lose_power(&mut self, num_c: u8) {
        for pmon in &mut self.boxes {
            pmon.reset(self.now);
        }
        self.global = Global::at_reset(self.global.layout, num_c);
        self.global.take_readings(self.readings, self.cores);
        self.note_freeze(self.now);
        self.residency.reset(self.now);
        self.held.clear();
        self.through = 0;
    }
}
