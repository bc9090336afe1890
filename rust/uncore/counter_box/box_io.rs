// SPDX-License-Identifier: GPL-2.0

//! The registers of a box for one operation: where those of a counter are, and what is written to
//! them for an event.

use super::{
    bus::{
        write_control,
        Bus, //
    },
    probe::FixedWidths, //
};
use crate::uncore::{
    overflow_mode::Interrupts,
    request::{
        filter_units::UsedUnit,
        group::CounterIndex,
        interval::Period,
        Counters,
        Request, //
    },
    table::{
        box_type::{
            BoxType,
            Field,
            Misread,
            Role,
            Word, //
        },
        field::{
            low_half,
            mask,
            Words, //
        }, //
    }, //
};
use kernel::prelude::*;

/// State of a box that tells how its registers are programmed.
pub(crate) struct BoxSetup {
    /// Type of the box: the reading of the tables that answers.
    pub(crate) kind: &'static BoxType,
    /// Counters that interrupt on overflow.
    pub(crate) interrupts: Interrupts,
    /// Tells whether the driver has frozen the box.
    pub(crate) frozen: bool,
    /// Measured widths of the fixed counters.
    pub(crate) widths: FixedWidths,
    /// Bits of control and filter registers that the box lacks, or has not tried.
    pub(crate) lacking: Words,
    /// Tells whether the counters keep what is written.
    pub(crate) presets: bool,
}

impl BoxSetup {
    /// Begins with a box that was just reset: none of its counters interrupts.
    pub(crate) fn new(kind: &'static BoxType) -> Self {
        Self {
            kind,
            interrupts: Interrupts::Off,
            frozen: false,
            widths: FixedWidths::default(),
            lacking: Words {
                config1: u64::MAX,
                config2: u64::MAX,
                ..Words::default()
            },
            presets: true,
        }
    }

    /// Returns a field of an event that needs bits that the box lacks, and these bits of it.
    pub(crate) fn lacks_bits_of(&self, request: &Request) -> Option<(&'static Field, u64)> {
        let Self { kind, lacking, .. } = self;
        let in_filter = |used: UsedUnit| {
            let unit = kind.filter_units.get(usize::from(used.unit))?;
            let bits = used.value & lacking.get(unit.word);
            field_with(kind.unit_fields(used.unit), bits)
        };
        let in_control = || {
            let is_of_control =
                |field: &&Field| !matches!(field.role, Role::Filter(_) | Role::View);
            let in_config = |field: &&Field| field.word == Word::Config && is_of_control(field);
            let bits = request.config & lacking.get(Word::Config);
            match request.on {
                Counters::General(_) => field_with(kind.fields.iter().filter(in_config), bits),
                Counters::Fixed(_) => None,
            }
        };
        request
            .filters
            .iter()
            .find_map(in_filter)
            .or_else(in_control)
    }

    /// Returns access to the registers for one operation.
    pub(crate) fn io<'a, B>(&'a self, bus: &'a B) -> BoxIo<'a, B> {
        BoxIo { bus, setup: self }
    }
}

/// Returns the first of some fields that has one of these bits of its word, and the bits of it.
fn field_with(
    fields: impl Iterator<Item = &'static Field>,
    bits: u64,
) -> Option<(&'static Field, u64)> {
    let mut fields = fields.map(|field| (field, field.of_word(bits)));
    fields.find(|(_, bits)| *bits != 0)
}

/// The registers of a box and how to program them, for one operation.
pub(crate) struct BoxIo<'a, B> {
    /// Access to the registers.
    pub(crate) bus: &'a B,
    pub(crate) setup: &'a BoxSetup,
}

/// A control register with its word.
#[derive(Clone, Copy)]
pub(crate) struct ControlWrite {
    pub(crate) register: u16,
    pub(crate) word: u32,
}

/// The registers of a counter, as an event programs them.
pub(crate) struct CounterRegisters {
    /// The control register, with the word of the running counter; `None` if the counter always
    /// runs.
    pub(crate) control: Option<ControlWrite>,
    /// Tells whether the counter interrupts on overflow.
    pub(crate) interrupts: bool,
    /// The counter register.
    pub(crate) counter: u16,
    /// Width of the counter in bits.
    pub(crate) width: u8,
    /// A defect of the counter.
    misread: Option<Misread>,
}

impl<B> BoxIo<'_, B> {
    /// Returns the registers of an event's counter.
    ///
    /// # Errors
    ///
    /// [`ENODEV`] if the box has no such counter.
    pub(crate) fn registers(
        &self,
        request: &Request,
        counter: CounterIndex,
    ) -> Result<CounterRegisters> {
        let kind = self.setup.kind;
        let overflow_enable = request.overflow_enable(kind, self.setup.interrupts);
        match counter {
            CounterIndex::General(index) => {
                let at = kind.counters.get(usize::from(index)).ok_or(ENODEV)?;
                let lacking = low_half(self.setup.lacking.get(Word::Config));
                let word = request.enabled(kind) & !lacking;
                Ok(CounterRegisters {
                    control: Some(ControlWrite {
                        register: at.control,
                        word: word | overflow_enable.unwrap_or(0),
                    }),
                    interrupts: overflow_enable.is_some(),
                    counter: at.counter,
                    width: kind.width,
                    misread: kind.misread,
                })
            }
            CounterIndex::Fixed(index) => {
                let at = kind.fixed.get(usize::from(index)).ok_or(ENODEV)?;
                let control = at.control.as_ref().map(|control| ControlWrite {
                    register: control.offset,
                    word: control.enable | overflow_enable.unwrap_or(0),
                });
                let measured = self.setup.widths.get(usize::from(index)).copied().flatten();
                Ok(CounterRegisters {
                    control,
                    interrupts: overflow_enable.is_some(),
                    counter: at.counter,
                    width: measured.unwrap_or(at.width),
                    misread: kind.misread,
                })
            }
        }
    }

    /// Returns whether the counter of an event interrupts on overflow.
    pub(crate) fn interrupts_on_overflow(&self, request: &Request) -> bool {
        let enable = request.overflow_enable(self.setup.kind, self.setup.interrupts);
        enable.is_some()
    }
}

impl<B: Bus> BoxIo<'_, B> {
    /// Writes the control register of a counter.
    #[inline(always)]
    pub(super) fn write_control(&self, at: u16, value: u32) -> Result {
        write_control(self.bus, &self.setup.kind.control, at, value)
    }
}

impl CounterRegisters {
    /// Returns the bits of the counter.
    pub(super) fn bits(&self) -> u64 {
        mask(self.width)
    }

    /// Presets the counter to overflow when the interval ends, and returns the value read back.
    pub(super) fn preset<B: Bus>(&self, bus: &B, period: &Period) -> Result<u64> {
        bus.write_counter(self.counter, self.bits(), period.start(self.width))?;
        bus.read_counter(self.counter, self.bits())
    }

    /// Returns the value of the stopped counter. A value that may be misread is replaced, if the
    /// counter `presets`.
    pub(super) fn settle<B: Bus>(&self, bus: &B, presets: bool) -> Result<u64> {
        let read = bus.read_counter(self.counter, self.bits())?;
        match self.misread {
            Some(misread) if misread.is_unclear(read) && presets => {
                bus.write_counter(self.counter, self.bits(), misread.clear())?;
                bus.read_counter(self.counter, self.bits())
            }
            // What is below that which the defect adds was read right.
            Some(misread) if read >= misread.added() => Ok(misread.corrected(read, self.bits())),
            _ => Ok(read),
        }
    }
}
