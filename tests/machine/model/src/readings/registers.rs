// SPDX-License-Identifier: GPL-2.0

//! What the readings change in the registers of a box.

use crate::catalogue::BoxType;
use crate::layout::{BoxLayout, FIXED};
use crate::pmon::PmonBox;
use crate::readings::{Reading, Readings};

/// Bits that counters of the IRP and of the UBox have by the other reading.
const NARROW: u32 = 44;

impl PmonBox {
    /// Takes readings, and the layout that goes with them.
    pub(super) fn take(&mut self, layout: &'static BoxLayout, readings: Readings) {
        self.layout = layout;
        self.readings = readings;
        self.deadline = None;
        self.forget_waves();
        self.trim();
    }

    /// Bits of a counter, if no defect makes it narrower.
    pub(crate) fn sound_width(&self, counter: usize) -> u32 {
        let narrow = match self.layout.kind {
            BoxType::Ubox => counter == FIXED && self.readings.has(Reading::NarrowUclk),
            BoxType::Irp => self.readings.has(Reading::NarrowIrp),
            _ => false,
        };
        if narrow {
            NARROW
        } else {
            self.layout.width_of(counter)
        }
    }

    /// The bits of a counter, if no defect makes it narrower.
    pub(crate) fn counter_mask(&self, counter: usize) -> u64 {
        (1 << self.sound_width(counter)) - 1
    }
}
