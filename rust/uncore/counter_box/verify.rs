// SPDX-License-Identifier: GPL-2.0

//! Verification: finds registers that another tool or firmware has modified, and ends the events
//! that depend on them, or warns of them.
//!
//! The driver is not alone: other tools, firmware and every user who may write MSRs reach these
//! registers. Verification reads back the control, filter and box control registers that the given
//! events depend on; for an event that counts what a source event selects, also those of the
//! source. [`ReadbackMask`] says which bits are compared. The hardware changes counter registers: one
//! is modified if it cannot have counted from the last value to the present one
//! ([`reading`](super::reading)).
//!
//! Counts since the last verification are *unverified*. If verification finds a modified register:
//!
//! - All events that need the register end. Their control registers become 0, and they cannot start
//!   again.
//! - Their unverified counts are discarded, except those that perf has read meanwhile.
//! - Registers that other events may need are restored.
//! - Each ended event is recorded with the modified register, to be logged later in process context.
//!
//! That is [`Tamper::End`]. With [`Tamper::Warn`] all modified registers are restored, control
//! registers too, and the events count on: what they count from then on is what the user asked for.
//! Their unverified counts are kept. An event is recorded once. With [`Tamper::Off`] no register is
//! tried or verified.
//!
//! The driver verifies when a timer reads the counters, and before it writes anything that would
//! hide a modification: when an event stops, moves, or has its interrupt switched, when a box is
//! frozen, and when a filter register changes. It does not verify when perf reads an event: a read
//! costs one access to the counter and nothing more.

use super::{
    box_io::{
        BoxIo,
        ControlWrite, //
    },
    bus::Bus,
    filters::{
        self,
        FilterBank, //
    },
    modified::{
        Cause,
        ModifiedEvent,
        ModifiedEvents,
        ModifiedRegister,
        Register,
        LONGEST_UNVERIFIED_MS, //
    },
    readback::ReadbackMask,
    slot::Slot,
    slots::{
        SlotSet,
        Slots, //
    }, //
};
use crate::uncore::{
    options::Tamper,
    table::box_type::BoxType, //
};
use kernel::prelude::*;

/// Verification state of a box.
#[derive(Default)]
pub(crate) struct Verifier {
    /// Bits to compare; none with [`Tamper::Off`].
    masks: ReadbackMask,
    /// Events with a modified register to log.
    pub(crate) modified: ModifiedEvents,
    tamper: Tamper,
    /// Time in milliseconds at which the box control was last verified, or written to unfreeze the
    /// box.
    box_checked_at_ms: Option<u64>,
    /// Time in milliseconds for which events counted that were not verified when they stopped.
    unverified_ms: u64,
}

impl Verifier {
    /// Sets the treatment of events whose registers another tool modified.
    pub(crate) fn set_tamper(&mut self, tamper: Tamper) {
        self.tamper = tamper;
    }

    /// Sets which register bits can be verified. Nothing counts yet.
    pub(crate) fn set_masks(&mut self, masks: ReadbackMask) {
        if self.tamper != Tamper::Off {
            self.masks = masks;
        }
    }

    /// Verifies filter registers whose PCI function has appeared, from now on.
    pub(crate) fn add_filters(&mut self, kind: &BoxType) {
        if self.tamper != Tamper::Off {
            self.masks.add_filters(kind);
        }
    }

    /// Verifies the registers that the `wanted` events depend on, of those that run. Their counters
    /// were just read.
    ///
    /// # Errors
    ///
    /// Errors of the accesses.
    pub(crate) fn verify<B: Bus>(
        &mut self,
        io: &BoxIo<'_, B>,
        slots: &mut Slots,
        filters: &mut FilterBank,
        wanted: SlotSet,
    ) -> Result {
        let verified = wanted & slots.set_of(|slot| slot.is_running());
        if verified == 0 {
            return Ok(());
        }
        let needs_source = slots.of_set(verified).any(|slot| slot.uses_source());
        let sources = if needs_source {
            slots.set_of(Slot::is_source)
        } else {
            0
        };
        let needed = (verified | sources) & slots.set_of(Slot::is_programmed);
        let found = self.verify_controls(io, slots, needed)?
            | self.verify_filters(io, slots, filters, needed)?
            | self.verify_box_control(io, slots, needed)?;
        if found {
            self.treat_modified(io, slots)?;
        }
        let now_ms = io.bus.now_ms();
        slots
            .of_set(verified)
            .filter(|slot| slot.is_running())
            .for_each(|slot| slot.mark_verified(now_ms));
        Ok(())
    }

    /// Treats the events whose counters were modified, as reads have found, as the user chose.
    ///
    /// # Errors
    ///
    /// Errors of the accesses.
    pub(crate) fn treat_counters<B: Bus>(
        &mut self,
        io: &BoxIo<'_, B>,
        slots: &mut Slots,
    ) -> Result {
        let is_new = |slot: &&mut Slot| {
            let event = slot.binding.event();
            event.is_some_and(|event| !event.is_modified())
        };
        for slot in slots.iter_mut().filter(is_new) {
            let modified = slot.verification.modified;
            if let Some(register) = modified.filter(ModifiedRegister::is_counter) {
                self.treat(io, slot, register)?;
            }
        }
        Ok(())
    }

    /// Returns whether an event that stops must be verified, after it has counted for this number of
    /// milliseconds since it was started or verified. Events that take turns count for a few at a
    /// time, so the times are added up.
    #[inline]
    pub(crate) fn is_due_at_stop(&mut self, unverified_ms: u64) -> bool {
        let sum = self.unverified_ms.saturating_add(unverified_ms);
        let is_due = sum >= LONGEST_UNVERIFIED_MS;
        self.unverified_ms = if is_due { 0 } else { sum };
        is_due
    }

    /// Returns whether the box control may be other than the driver has written it: it was neither
    /// written nor verified just before.
    pub(crate) fn may_be_frozen(&self, now_ms: u64) -> bool {
        self.box_checked_at_ms.is_none_or(|checked_at_ms| {
            now_ms.saturating_sub(checked_at_ms) >= LONGEST_UNVERIFIED_MS
        })
    }

    /// Notes that the box control may hold anything.
    pub(crate) fn forget_box_control(&mut self) {
        self.box_checked_at_ms = None;
    }

    /// Notes that the box control was verified, or written to unfreeze the box.
    pub(crate) fn note_box_control(&mut self, now_ms: u64) {
        self.box_checked_at_ms = Some(now_ms);
    }

    /// Verifies the box control register for all events, before it is written.
    ///
    /// # Errors
    ///
    /// Errors of the accesses.
    pub(crate) fn verify_before_freeze<B: Bus>(
        &mut self,
        io: &BoxIo<'_, B>,
        slots: &mut Slots,
    ) -> Result {
        let programmed = slots.set_of(Slot::is_programmed);
        if self.verify_box_control(io, slots, programmed)? {
            self.treat_modified(io, slots)?;
        }
        Ok(())
    }

    /// Verifies the control registers of the events that are `needed`. Returns whether one is
    /// modified.
    fn verify_controls<B: Bus>(
        &self,
        io: &BoxIo<'_, B>,
        slots: &mut Slots,
        needed: SlotSet,
    ) -> Result<bool> {
        let mut any = false;
        for slot in slots.of_set(needed) {
            let mask = self.masks.of_control(slot.binding.counter);
            if let Some(ControlWrite { register, word }) = slot.programmed().filter(|_| mask != 0) {
                let found = io.bus.read(register)?;
                let name = Register::Control(register);
                slot.verification.modified =
                    ModifiedRegister::compare(name, word.into(), found.into(), mask.into());
                any |= slot.verification.modified.is_some();
            }
        }
        Ok(any)
    }

    /// Verifies the filter registers of the events that are `needed`. Returns whether one is
    /// modified.
    fn verify_filters<B: Bus>(
        &self,
        io: &BoxIo<'_, B>,
        slots: &mut Slots,
        filters: &mut FilterBank,
        needed: SlotSet,
    ) -> Result<bool> {
        if needed & slots.set_of(filters::is_filtered) == 0 {
            return Ok(false);
        }
        let mut any = false;
        let registers = io.setup.kind.filters.iter().zip(&self.masks.filters);
        for (index, (at, &mask)) in registers.enumerate() {
            let mask = mask | at.on_request & at.tried(&io.setup.lacking);
            if mask == 0 || self.tamper == Tamper::Off {
                continue;
            }
            let users =
                slots.set_of(|slot| filters::uses(io.setup.kind, slot.binding.request(), at));
            if needed & users == 0 {
                continue;
            }
            match filters.verify(io, index, at, mask) {
                Ok(None) => {}
                Ok(modified) => {
                    any = true;
                    slots
                        .of_set(users)
                        .for_each(|slot| slot.record_modified(modified));
                }
                Err(_) if filters.is_separate() => {
                    filters.fail();
                    filters::stop_filtered(io, slots)?;
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(any)
    }

    /// Verifies the box control register if an event is `needed`. In a box that the driver has
    /// frozen, the register was verified before it was written.
    ///
    /// A register that still reads as before after it was written anew was not modified: it may
    /// show that the whole package is frozen, for example. Returns whether it was modified.
    fn verify_box_control<B: Bus>(
        &mut self,
        io: &BoxIo<'_, B>,
        slots: &mut Slots,
        needed: SlotSet,
    ) -> Result<bool> {
        let Some(at) = &io.setup.kind.box_control else {
            return Ok(false);
        };
        let mask = self.masks.box_control;
        if io.setup.frozen || mask == 0 || needed == 0 {
            return Ok(false);
        }
        let (written, found) = (at.unfreeze & mask, io.bus.read(at.offset)? & mask);
        let name = Register::BoxControl(at.offset);
        let modified = ModifiedRegister::compare(name, written.into(), found.into(), mask.into());
        self.note_box_control(io.bus.now_ms());
        if modified.is_none() {
            return Ok(false);
        }
        io.bus.write(at.offset, at.unfreeze)?;
        if io.bus.read(at.offset)? & mask == found {
            return Ok(false);
        }
        slots
            .iter_mut()
            .for_each(|slot| slot.record_modified(modified));
        Ok(true)
    }

    /// Programs a counter again whose control register was cleared, as the package has slept: that of
    /// the next slot from `first` on. Counts what it holds, unless it is lost. Returns the slot to go
    /// on with, if there was one.
    ///
    /// # Errors
    ///
    /// Errors of the accesses.
    pub(crate) fn restore_next_cleared<B: Bus>(
        &mut self,
        io: &BoxIo<'_, B>,
        slots: &mut Slots,
        first: usize,
    ) -> Result<Option<usize>> {
        let mut restored = None;
        for (index, slot) in slots.iter_mut().enumerate().skip(first) {
            let Some(ControlWrite { register, word }) = slot.programmed() else {
                continue;
            };
            let found = io.bus.read(register)?;
            if found != 0 {
                continue;
            }
            let is_modified = slot.collect(io.bus)?;
            slot.restore(io)?;
            let register = ModifiedRegister {
                register: Register::Control(register),
                written: word.into(),
                found: found.into(),
            };
            self.note(slot, register, Cause::Sleep);
            restored = Some((index, is_modified));
            break;
        }
        let Some((index, is_modified)) = restored else {
            return Ok(None);
        };
        if is_modified {
            self.treat_counters(io, slots)?;
        }
        Ok(Some(index.saturating_add(1)))
    }

    /// Notes an event with a modified register that is to be logged, once.
    fn note(&mut self, slot: &Slot, register: ModifiedRegister, cause: Cause) {
        if let Some(event) = slot.binding.event() {
            let was_noted = match cause {
                Cause::Tool { ended } => event.note_modified(ended),
                Cause::Sleep => event.note_cleared(),
            };
            if !was_noted {
                self.modified.record(ModifiedEvent {
                    config: event.request.config,
                    register,
                    cause,
                });
            }
        }
    }

    /// Treats the events that need a modified register, and the dependent events of a source that
    /// needs one, as the user chose.
    fn treat_modified<B: Bus>(&mut self, io: &BoxIo<'_, B>, slots: &mut Slots) -> Result {
        let source_register = slots
            .iter()
            .filter(|slot| slot.is_programmed() && slot.is_source())
            .find_map(|slot| slot.verification.modified);
        for slot in slots.iter_mut().filter(|slot| slot.is_programmed()) {
            if slot.uses_source() {
                slot.record_modified(source_register);
            }
            if let Some(register) = slot.verification.modified {
                self.treat(io, slot, register)?;
            }
        }
        Ok(())
    }

    /// Treats an event that needs a modified register as the user chose.
    fn treat<B: Bus>(
        &mut self,
        io: &BoxIo<'_, B>,
        slot: &mut Slot,
        register: ModifiedRegister,
    ) -> Result {
        let ended = self.tamper == Tamper::End;
        if self.tamper != Tamper::Off {
            self.note(slot, register, Cause::Tool { ended });
        }
        if ended {
            return slot.discard_unverified(io);
        }
        slot.verification.modified = None;
        register.restore_control(io.bus, &io.setup.kind.control)
    }
}
