// SPDX-License-Identifier: GPL-2.0

//! The registers that safe code may write, by the model of the processor.
//!
//! C header: [`arch/x86/include/asm/msr-index.h`](srctree/arch/x86/include/asm/msr-index.h)
//!
//! The number of a register means nothing without the model: 0xda0 is a control register of a C-Box
//! on one, and `IA32_XSS`, which decides what the kernel saves of a task, on another. So a window
//! names its models. A new model gets a window of its own, with its proof: on these models every
//! register of these ranges counts events or controls counters, and none has a part in how the
//! processor runs the kernel, whatever is written. At worst a counter interrupts, for which the
//! kernel has a handler.
//!
//! The engine compares the tables of a platform with its windows when the module is compiled.

use core::ops::RangeInclusive;

/// The registers that may be written on some models.
struct Window {
    /// Processors, each as [`intel`] gives it.
    models: &'static [u32],
    /// Ranges of registers.
    registers: &'static [RangeInclusive<u32>],
}

const WINDOWS: &[Window] = &[
    // Ivy Bridge-EP and -EX. Intel 329468-002 (Documentation/hardware/ivbep.rst has its tables)
    // gives these numbers to the counters of the UBox, the PCU and the C-Boxes. IA32_PQR_ASSOC
    // (0xc8f), IA32_XSS (0xda0) and others with numbers between them came with later models.
    Window {
        models: &[intel(6, 62)],
        registers: &[
            0xc00..=0xc01,
            0xc08..=0xc17,
            0xc24..=0xc24,
            0xc30..=0xc39,
            0xd04..=0xeda,
        ],
    },
    // Broadwell-EP and -EX, Broadwell-DE. Intel 334291-001 (T2-1, T1-2) gives these numbers to the
    // counters of the UBox, the PCU, the S-Boxes and the C-Boxes, and the last four of each C-Box's
    // sixteen to nothing. Left out are 0x702, the count of C-Boxes, 0x707, which has no meaning
    // there, and 0x3fc and 0x3fd, counters that are only read. The registers of RDT (0xc8d to
    // 0xd0f), which decide how tasks share the cache, are in none of the ranges.
    Window {
        models: &[intel(6, 79), intel(6, 86)],
        registers: &[
            0x700..=0x701,
            0x703..=0x706,
            0x708..=0x70a,
            0x710..=0x71a,
            0x720..=0x747,
            0xe00..=0xf7b,
        ],
    },
    // Sandy Bridge client. Intel's list of the model's registers (Documentation/hardware/snb.rst,
    // section 2) gives these numbers to the uncore's global control, to its fixed counter, and to
    // the counters of the ARB and of C-Boxes 0 to 3. Left out are 0x392, the overflow status, and
    // 0x396, the number of C-Boxes, which are only read, and the other registers of the C-Boxes,
    // that are not used. 0x38d to 0x390 and what follows the ARB (0x3f0 and on) count events of
    // cores, and belong to the kernel.
    Window {
        models: &[intel(6, 42)],
        registers: &[
            0x391..=0x391,
            0x394..=0x395,
            0x3b0..=0x3b3,
            0x700..=0x701,
            0x706..=0x707,
            0x710..=0x711,
            0x716..=0x717,
            0x720..=0x721,
            0x726..=0x727,
            0x730..=0x731,
            0x736..=0x737,
        ],
    },
];

/// Returns the number of a model of Intel's, as `VFM_MAKE` in C: vendor 0, family and model.
pub(crate) const fn intel(family: u8, model: u8) -> u32 {
    u32::from_be_bytes([0, 0, family, model])
}

/// Returns whether a register may be written on a model.
pub(crate) const fn contains(model: u32, register: u32) -> bool {
    let mut windows = WINDOWS;
    while let [window, others @ ..] = windows {
        if is_for(window, model) {
            return has(window, register);
        }
        windows = others;
    }
    false
}

/// Returns whether a window is that of a model.
const fn is_for(window: &Window, model: u32) -> bool {
    let mut models = window.models;
    while let [first, others @ ..] = models {
        if *first == model {
            return true;
        }
        models = others;
    }
    false
}

/// Returns whether a register is in a window.
const fn has(window: &Window, register: u32) -> bool {
    let mut ranges = window.registers;
    while let [range, others @ ..] = ranges {
        if *range.start() <= register && register <= *range.end() {
            return true;
        }
        ranges = others;
    }
    false
}
