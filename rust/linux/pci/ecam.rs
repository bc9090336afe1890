// SPDX-License-Identifier: GPL-2.0

//! Config space in memory (ECAM): a second way to read it, without ports and without a lock.
//!
//! C headers: [`include/acpi/acpixf.h`](srctree/include/acpi/acpixf.h),
//! [`arch/x86/include/asm/io.h`](srctree/arch/x86/include/asm/io.h)
//!
//! On x86 the PCI core reads the first 256 bytes of a function through two ports, under a lock of
//! the whole machine, even where it has all config space in memory as well. Here the 4 KiB of a
//! function are mapped once more.
//!
//! Writes stay with the PCI core: one through a port has reached the function when the next
//! instruction begins, a store to memory may still be on its way.
//!
//! What the firmware says about memory is not believed. A function gets a [`Window`] if
//!
//! - the PCI core can access config space above the first 256 bytes on this bus, for which it has
//!   such memory itself, and has checked it; `pci=nommconf` keeps it from that;
//! - the firmware's table MCFG has the bus, at an address that no RAM has;
//! - what is read there is what the PCI core reads.
//!
//! # Contexts
//!
//! Reads in any context but NMI; all else, dropping a window as well, in process context.

use super::{
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
    ffi::c_void,
    prelude::*,
    sync::Arc, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

/// What the table begins with: the header of all of ACPI's tables, and 8 reserved bytes.
const HEADER: usize = 44;

/// The size of each of its entries.
const ENTRY: usize = 16;

/// As many entries are looked at. There is one for each PCI segment, rarely more.
const MOST_ENTRIES: usize = 256;

/// The memory of a bus.
const BUS: u64 = 1 << 20;

/// The memory of a function.
const FUNCTION: u16 = 1 << 12;

/// The first offset that the PCI core cannot access through ports.
const EXTENDED: u16 = 0x100;

/// What both ways must read alike: ID, class, header type, and a dword that the PCI core reads
/// from memory too.
const COMPARED: [u16; 4] = [0x00, 0x08, 0x0c, EXTENDED];

/// The config space of some buses of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Region {
    /// Where that of bus 0 is or would be.
    base: u64,
    segment: u16,
    first: u8,
    last: u8,
}

impl Region {
    /// What an entry of the table says, unless it makes no sense.
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

    /// The physical address of a function's config space, if it is here.
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

/// The entries of the table, none if it is not one.
fn entries(table: &[u8]) -> &[u8] {
    let Some((header, entries)) = table.split_first_chunk::<HEADER>() else {
        return &[];
    };
    let [b'M', b'C', b'F', b'G', l0, l1, l2, l3, ..] = *header else {
        return &[];
    };
    let length = u32::from_le_bytes([l0, l1, l2, l3]);
    let honest = usize::try_from(length) == Ok(table.len());
    match honest && entries.len() % ENTRY == 0 {
        true => entries,
        false => &[],
    }
}

/// What the table says.
fn regions(table: &[u8]) -> impl Iterator<Item = Region> + '_ {
    let mut rest = entries(table);
    let entries = core::iter::from_fn(move || {
        let (entry, after) = rest.split_first_chunk::<ENTRY>()?;
        rest = after;
        Some(entry)
    });
    entries.take(MOST_ENTRIES).filter_map(Region::parse)
}

/// The firmware's table MCFG.
///
/// # Invariants
///
/// The pointer is to a table of ACPI's, which is there until it is put back, and the number is the
/// length that its header has.
struct Table(NonNull<u8>, usize);

impl Table {
    /// The table, if there is one.
    fn get() -> Option<Self> {
        let mut length = 0;
        // SAFETY: `length` is valid for the write.
        let table = unsafe { bindings::helper_acpi_get_mcfg(&raw mut length) };
        // INVARIANT: As C gives it.
        NonNull::new(table).map(|table| Self(table, length))
    }

    /// Its bytes.
    fn bytes(&self) -> &[u8] {
        // SAFETY: By the type invariant; ACPI has all of a table mapped, and nobody writes to it.
        unsafe { core::slice::from_raw_parts(self.0.as_ptr(), self.1) }
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        // SAFETY: It was got by the type invariant and is put back once.
        unsafe { bindings::helper_acpi_put_table(self.0.as_ptr()) };
    }
}

/// Where config space is in memory.
pub(crate) struct Ecam {
    regions: KVec<Region>,
    /// Whether it was said that it is not where it should be.
    told: AtomicBool,
}

impl Ecam {
    /// What the firmware says, which may be nothing.
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
            told: AtomicBool::new(false),
        })
    }

    /// The config space of a function as it can be read, if it can.
    pub(super) fn window(&self, function: &Function) -> Option<Arc<Window>> {
        let at = function.address();
        let mut regions = self.regions.iter();
        let physical = regions.find_map(|region| region.address(at))?;
        function.read_raw(EXTENDED).ok()?;
        let window = Window::new(physical)?;
        if window.shows(function).ok()? {
            return Arc::new(window, GFP_KERNEL).ok();
        }
        if !self.told.swap(true, Ordering::Relaxed) {
            pr_notice!(
                "config space in memory is not used: {at} is not where the firmware's table MCFG \
                 has it\n"
            );
        }
        None
    }
}

/// The mapped config space of a function.
///
/// # Invariants
///
/// The pointer is to the [`FUNCTION`] bytes that `ioremap` has mapped, which nothing else unmaps.
pub(super) struct Window(NonNull<c_void>);

// SAFETY: The mapping is the kernel's, not a thread's or a CPU's.
unsafe impl Send for Window {}

// SAFETY: Reads of the memory need no lock.
unsafe impl Sync for Window {}

impl Window {
    /// Maps it, unless that is no place for it.
    fn new(physical: u64) -> Option<Self> {
        let size = usize::from(FUNCTION);
        // SAFETY: Has no requirements.
        if !unsafe { bindings::helper_is_device_memory(physical, size) } {
            return None;
        }
        // SAFETY: No RAM, and the CPU can address it. What a read of it does otherwise, the PCI
        // core has tried before.
        let mapped = unsafe { bindings::ioremap(physical, size) };
        // INVARIANT: Just mapped.
        NonNull::new(mapped).map(Self)
    }

    /// Whether it is that of this function.
    ///
    /// # Errors
    ///
    /// Those of [`Function::read`].
    fn shows(&self, function: &Function) -> Result<bool> {
        for offset in COMPARED {
            let value = function.read(offset)?;
            if self.read(function, offset) != Some(value) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads a dword of the function that this is the config space of; `None` if its window has no
    /// such dword.
    ///
    /// All ones if nobody answers or the kernel knows that the function is gone.
    pub(super) fn read(&self, function: &Function, offset: u16) -> Option<u32> {
        if offset >= FUNCTION || offset % 4 != 0 {
            return None;
        }
        // SAFETY: The dword is inside the mapping.
        let at = unsafe { self.0.as_ptr().byte_add(usize::from(offset)) };
        // SAFETY: The function is valid by its type invariant, `at` is mapped and aligned.
        Some(unsafe { bindings::helper_pci_read_mapped(function.0.as_ptr(), at) })
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // SAFETY: It was mapped by the type invariant and nobody reads it any more.
        unsafe { bindings::iounmap(self.0.as_ptr()) };
    }
}
