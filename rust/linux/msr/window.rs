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
            // First those that are written most.
            0xd04..=0xeda,
            0xc00..=0xc01,
            0xc08..=0xc17,
            0xc24..=0xc24,
            0xc30..=0xc39,
        ],
    },
    // Sandy Bridge-EP. Intel 327043-001 and its list of the model's registers
    // (Documentation/hardware/jkt.rst, sections 7.1, 7.2 and 7.6) give these numbers to the counters of
    // the UBox, the PCU and C-Boxes 0 to 7, and those between the registers of a C-Box to nothing. Left
    // out are 0xc00, 0xc01 and 0xc06, which no source has on this model, and 0xc15 and 0xc35, the box
    // status of UBox and PCU on the next one.
    Window {
        models: &[intel(6, 45)],
        registers: &[
            0xd04..=0xdf9,
            0xc08..=0xc09,
            0xc10..=0xc11,
            0xc16..=0xc17,
            0xc24..=0xc24,
            0xc30..=0xc34,
            0xc36..=0xc39,
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
    // Haswell-EP and -EX. Intel's list of the model's registers, the in-tree driver and others
    // (Documentation/hardware/hsx.rst, section 2.1) give these numbers to the same counters as on
    // Broadwell-EP, of 18 C-Boxes at most, and 0x707 to the filter of the UBox. Left out is 0x702.
    Window {
        models: &[intel(6, 63)],
        registers: &[
            0x700..=0x701,
            0x703..=0x70a,
            0x710..=0x71a,
            0x720..=0x747,
            0xe00..=0xf1b,
        ],
    },
    // Clients from Sandy Bridge to Broadwell. Intel's list of the first model's registers
    // (Documentation/hardware/snb.rst, section 2) gives these numbers to the uncore's global
    // control, to its fixed counter, and to the counters of the ARB and of C-Boxes 0 to 3. The list
    // of Haswell has the same, and in-tree they are written on all models. Left out are 0x392, the
    // overflow status, and 0x396, the number of C-Boxes, which are only read, and the other
    // registers of the C-Boxes, that are not used. 0x38d to 0x390 and what follows the ARB (0x3f0
    // and on) count events of cores, and belong to the kernel.
    Window {
        models: &[
            intel(6, 42),
            intel(6, 58),
            intel(6, 60),
            intel(6, 69),
            intel(6, 70),
            intel(6, 61),
            intel(6, 71),
        ],
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
    // Nehalem-EX and Westmere-EX. Intel 323535-001, its list of the model's registers and the
    // in-tree driver (Documentation/hardware/nhmex.rst, section 3) give these numbers to the global
    // control, to the fixed counter of the W-Box, to box controls, counters and their controls, and
    // to the registers for matches and sub-events. Left out are the overflow status and its clear
    // register of each box, and the time stamp of the M-Box (0xca4 and 0xce4), that are not used.
    // 0x38d to 0x390 count events of cores, and belong to the kernel.
    Window {
        models: &[intel(6, 46), intel(6, 47)],
        registers: &[
            // Fixed counter; U, B0, S0, B1, W.
            0x394..=0x395,
            0xc00..=0xc00,
            0xc10..=0xc11,
            0xc20..=0xc20,
            0xc30..=0xc37,
            0xc40..=0xc40,
            0xc50..=0xc57,
            0xc60..=0xc60,
            0xc70..=0xc77,
            0xc80..=0xc80,
            0xc90..=0xc97,
            // M0, S1, M1.
            0xca0..=0xca0,
            0xca5..=0xcab,
            0xcb0..=0xcbb,
            0xcc0..=0xcc0,
            0xcd0..=0xcd7,
            0xce0..=0xce0,
            0xce5..=0xceb,
            0xcf0..=0xcfb,
            // C0 to C7, by address.
            0xd00..=0xd00,
            0xd10..=0xd1b,
            0xd20..=0xd20,
            0xd30..=0xd3b,
            0xd40..=0xd40,
            0xd50..=0xd5b,
            0xd60..=0xd60,
            0xd70..=0xd7b,
            0xd80..=0xd80,
            0xd90..=0xd9b,
            0xda0..=0xda0,
            0xdb0..=0xdbb,
            0xdc0..=0xdc0,
            0xdd0..=0xddb,
            0xde0..=0xde0,
            0xdf0..=0xdfb,
            // R0 and R1, their IPERF and QLX registers.
            0xe00..=0xe00,
            0xe04..=0xe20,
            0xe24..=0xe3f,
            // Matches of B0, S0, M0, B1, S1, M1.
            0xe45..=0xe46,
            0xe48..=0xe4a,
            0xe4d..=0xe4e,
            0xe54..=0xe56,
            0xe58..=0xe5a,
            0xe5c..=0xe5e,
            // Matches of the ports of R0 and R1.
            0xe60..=0xe62,
            0xe64..=0xe66,
            0xe68..=0xe6a,
            0xe6c..=0xe6e,
            0xe70..=0xe72,
            0xe74..=0xe76,
            0xe78..=0xe7a,
            0xe7c..=0xe7e,
            0xe80..=0xe82,
            0xe84..=0xe86,
            0xe88..=0xe8a,
            0xe8c..=0xe8e,
            0xe90..=0xe92,
            0xe94..=0xe96,
            0xe98..=0xe9a,
            0xe9c..=0xe9e,
        ],
    },
    // Westmere-EX has two C-Boxes more.
    Window {
        models: &[intel(6, 47)],
        registers: &[0xf40..=0xf40, 0xf50..=0xf5b, 0xfc0..=0xfc0, 0xfd0..=0xfdb],
    },
];

/// Returns the number of a model of Intel's, as `VFM_MAKE` in C: vendor 0, family and model.
pub(crate) const fn intel(family: u8, model: u8) -> u32 {
    u32::from_be_bytes([0, 0, family, model])
}

/// Returns whether a register may be written on a model.
pub(crate) const fn contains(model: u32, register: u32) -> bool {
    range_of(model, register).is_some()
}

/// Returns the range with a register, if the register may be written on a model.
pub(crate) const fn range_of(model: u32, register: u32) -> Option<&'static RangeInclusive<u32>> {
    let mut windows = WINDOWS;
    while let [window, others @ ..] = windows {
        if is_for(window, model) {
            let range = range_in(window, register);
            if range.is_some() {
                return range;
            }
        }
        windows = others;
    }
    None
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

/// Returns the range of a window with a register.
const fn range_in(window: &Window, register: u32) -> Option<&'static RangeInclusive<u32>> {
    let mut ranges = window.registers;
    while let [range, others @ ..] = ranges {
        if *range.start() <= register && register <= *range.end() {
            return Some(range);
        }
        ranges = others;
    }
    None
}
