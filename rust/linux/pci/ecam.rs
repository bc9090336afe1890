// SPDX-License-Identifier: GPL-2.0

//! Reads config space through memory (ECAM), without ports and without a lock.
//!
//! C headers: [`include/acpi/acpixf.h`](srctree/include/acpi/acpixf.h),
//! [`arch/x86/include/asm/io.h`](srctree/arch/x86/include/asm/io.h)
//!
//! On x86 the PCI core reads the first 256 bytes of a function through two ports, under a lock of
//! the whole machine, even if all of config space is mapped in memory as well. Here the 4 KiB of a
//! function are mapped a second time.
//!
//! Writes use the PCI core: a write through a port has reached the function before the next
//! instruction, but a store to memory may not.
//!
//! Firmware's description of that memory is checked. A function gets a [`Window`] if
//!
//! - the PCI core can access config space above the first 256 bytes on this bus, for which it uses
//!   such memory itself, after checks of its own (`pci=nommconf` disables that);
//! - firmware's table MCFG has the bus, at an address that is no RAM;
//! - reads of some registers give equal values there and through the PCI core.
//!
//! # Contexts
//!
//! Reads of a window in any context; other functions and dropping a window in process context.

use super::{
    window::Window,
    Address,
    Function, //
};
use crate::linux::bindings;
use core::{
    ptr::NonNull,
    sync::atomic::{
        AtomicBool,
        Ordering, //
    },
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

/// Size of the table's head: the header of all ACPI tables, and 8 reserved bytes.
const HEADER: usize = 44;

/// Size of an entry of the table.
const ENTRY: usize = 16;

/// Number of entries that are read. Usually there is one for each PCI segment.
const MOST_ENTRIES: usize = 256;

/// Size of a bus's config space.
const BUS: u64 = 1 << 20;

/// Size of a function's config space.
const FUNCTION: u16 = 1 << 12;

/// First offset that the PCI core cannot access through ports.
const EXTENDED: u16 = 0x100;

/// Offsets of the dwords that must read alike both ways: ID, class, header type, and one that the
/// PCI core itself reads through memory.
const COMPARED: [u16; 4] = [0x00, 0x08, 0x0c, EXTENDED];

/// The config space of some buses of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Region {
    /// Physical address of bus 0, in the region or not.
    base: u64,
    segment: u16,
    first: u8,
    last: u8,
}

impl Region {
    /// Parses an entry of the table; returns `None` if its values are impossible.
    fn parse(entry: &[u8; ENTRY]) -> Option<Self> {
        let [base @ .., low, high, first, last, _, _, _, _] = *entry;
        let base = u64::from_le_bytes(base);
        let sound = base != 0 && base % BUS == 0 && first <= last;
        sound.then_some(Self {
            base,
            segment: u16::from_le_bytes([low, high]),
            first,
            last,
        })
    }

    /// Returns the physical address of a function's config space, if the region has it.
    fn address(&self, at: Address) -> Option<u64> {
        let segment = u32::from(self.segment);
        if at.domain != segment || !(self.first..=self.last).contains(&at.bus) {
            return None;
        }
        let [bus, device, function] = [at.bus, at.device, at.function].map(u64::from);
        self.base
            .checked_add(bus << 20 | device << 15 | function << 12)
    }
}

/// Returns the bytes of the table's entries; none if it is no valid table.
fn entries(table: &[u8]) -> &[u8] {
    let Some((header, entries)) = table.split_first_chunk::<HEADER>() else {
        return &[];
    };
    let [b'M', b'C', b'F', b'G', l0, l1, l2, l3, ..] = *header else {
        return &[];
    };
    let length = u32::from_le_bytes([l0, l1, l2, l3]);
    if usize::try_from(length) != Ok(table.len()) || entries.len() % ENTRY != 0 {
        return &[];
    }
    entries
}

/// Returns the regions of the table.
fn regions(table: &[u8]) -> impl Iterator<Item = Region> + '_ {
    let mut rest = entries(table);
    core::iter::from_fn(move || {
        let (entry, after) = rest.split_first_chunk::<ENTRY>()?;
        rest = after;
        Some(entry)
    })
    .take(MOST_ENTRIES)
    .filter_map(Region::parse)
}

/// Firmware's table MCFG, mapped by ACPI.
///
/// # Invariants
///
/// The pointer is to a table that ACPI keeps mapped until it is put. The number is the length in its
/// header.
struct Table(NonNull<u8>, usize);

impl Table {
    /// Gets the table, if there is one.
    fn get() -> Option<Self> {
        let mut length = 0;
        // SAFETY: `length` is valid for the write.
        let table = unsafe { bindings::helper_acpi_get_mcfg(&raw mut length) };
        // INVARIANT: C returns null, or a mapped table and its length.
        NonNull::new(table).map(|table| Self(table, length))
    }

    /// Returns the bytes of the table.
    fn bytes(&self) -> &[u8] {
        // SAFETY: By the type invariant ACPI keeps all of the table mapped; no code writes to it.
        unsafe { core::slice::from_raw_parts(self.0.as_ptr(), self.1) }
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        // SAFETY: The table is mapped by the type invariant, and is put once.
        unsafe { bindings::helper_acpi_put_table(self.0.as_ptr()) };
    }
}

/// The config space in memory that firmware describes.
pub(crate) struct Ecam {
    regions: KVec<Region>,
    /// A wrong address was logged.
    reported: AtomicBool,
}

impl Ecam {
    /// Reads firmware's table, if there is one.
    ///
    /// # Errors
    ///
    /// [`ENOMEM`].
    pub(crate) fn new() -> Result<Self> {
        let mut known = KVec::new();
        if let Some(table) = Table::get() {
            for region in regions(table.bytes()) {
                known.push(region, GFP_KERNEL)?;
            }
        }
        Ok(Self {
            regions: known,
            reported: AtomicBool::new(false),
        })
    }

    /// Maps the config space of a function, if its memory passes the checks.
    pub(super) fn window(&self, function: &Function) -> Option<Arc<Window>> {
        let at = function.address();
        let physical = self.regions.iter().find_map(|region| region.address(at))?;
        function.read_raw(EXTENDED).ok()?;
        let window = Window::new(physical, FUNCTION)?;
        if matches(&window, function).ok()? {
            return Arc::new(window, GFP_KERNEL).ok();
        }
        if !self.reported.swap(true, Ordering::Relaxed) {
            pr_notice!(
                "not using memory-mapped config space: {at} does not answer at the address in \
                 firmware's MCFG table\n"
            );
        }
        None
    }
}

/// Returns whether a window shows the config space of a function.
///
/// # Errors
///
/// Errors of [`Function::read`].
fn matches(window: &Window, function: &Function) -> Result<bool> {
    for offset in COMPARED {
        let value = function.read(offset)?;
        if window.read(function, offset) != Some(value) {
            return Ok(false);
        }
    }
    Ok(true)
}
