// SPDX-License-Identifier: GPL-2.0

//! Points of Broadwell.

use super::ivbep::IVBEP;
use super::{interrupt, nothing, run, shared, Point};
use crate::{broadwell, counts, interrupts, overflows, registers};

/// Those of section 22 of Documentation/hardware/bdx.rst, and those of Ivy Bridge-EP that hold for
/// its registers, too.
#[rustfmt::skip]
pub(super) const BDX: &[Point] = &[
    run("B-24", "Writes to counters", "counter-writes", registers::writes_to_counters, &[
        ('a', "they are kept"),
        ('b', "they are ignored"),
        ('c', "they fault"),
    ]),
    shared(IVBEP, "U-73"),
    shared(IVBEP, "U-1"),
    shared(IVBEP, "U-10"),
    shared(IVBEP, "U-4"),
    shared(IVBEP, "U-5"),
    shared(IVBEP, "U-7"),
    run("U-8", "Bits 17:16 of the box control register", "box-enables", registers::box_enables, &[
        ('a', "they read as written, and without bit 16 a box obeys no freeze"),
        ('b', "they read 0"),
        ('d', "R2PCIe and R3QPI have them as well"),
        ('e', "they read as written and do nothing"),
    ]),
    shared(IVBEP, "U-9"),
    shared(IVBEP, "U-11"),
    shared(IVBEP, "U-12"),
    run("U-13", "Number of C-Boxes", "num-c", registers::number_of_cboxes, &[
        ('a', "num_c is 18, its reset value"),
        ('b', "num_c is the number of C-Boxes"),
        ('c', "num_c is 0"),
        ('d', "num_c is 24"),
    ]),
    shared(IVBEP, "U-14"),
    shared(IVBEP, "U-15"),
    shared(IVBEP, "U-18"),
    shared(IVBEP, "U-19"),
    shared(IVBEP, "U-20"),
    shared(IVBEP, "U-21"),
    shared(IVBEP, "U-23"),
    shared(IVBEP, "U-22"),
    shared(IVBEP, "U-24"),
    shared(IVBEP, "U-25"),
    run("B-14", "Bands of the PCU", "frequency-bands", counts::bands_and_controls, &[
        ('a', "a new band acts at once"),
        ('b', "a new band acts after a change of frequency"),
        ('c', "all registers act after a change of frequency"),
    ]),
    shared(IVBEP, "U-29"),
    shared(IVBEP, "U-32"),
    shared(IVBEP, "U-34"),
    shared(IVBEP, "U-42"),
    interrupt("B-5", "wk_on_pmi", "wake-all", interrupts::wakes_all, &[
        ('a', "the cores of the mask are interrupted"),
        ('b', "all cores are interrupted"),
    ]),
    shared(IVBEP, "U-43"),
    shared(IVBEP, "U-44"),
    shared(IVBEP, "U-45"),
    shared(IVBEP, "U-46"),
    shared(IVBEP, "U-48"),
    shared(IVBEP, "U-52"),
    shared(IVBEP, "U-70"),
    shared(IVBEP, "U-71"),
    shared(IVBEP, "U-72"),
    shared(IVBEP, "U-75"),
    shared(IVBEP, "U-76"),
    shared(IVBEP, "U-77"),
    run("B-1", "Device IDs of memory channels", "channel-ids", broadwell::ids_of_channels, &[
        ('a', "channels 0 and 1 of a controller have the lower IDs"),
        ('b', "channels 2 and 3 of a controller have the lower IDs"),
    ]),
    run("B-2", "Offsets of the IRP's counters", "irp-places", registers::places_of_irp, &[
        ('a', "as the manual has them"),
        ('b', "as the kernel's own driver has them"),
    ]),
    run("B-3", "Bits of GLOBAL_STATUS for R3QPI", "link-bits", overflows::bits_of_links, &[
        ('a', "its own bit and bit 35"),
        ('b', "bit 35 only"),
        ('c', "its own bit only"),
    ]),
    run("B-4", "pmi_core_sel", "core-select-width", broadwell::width_of_core_select, &[
        ('a', "18 bits"),
        ('b', "24 bits"),
    ]),
    run("B-6", "Match and mask for sent packets", "sent-packets", counts::sent_packets, &[
        ('a', "CTO_COUNT counts received packets only"),
        ('b', "CTO_COUNT counts sent packets, too"),
    ]),
    run("B-7", "The event select after one write", "one-write", broadwell::one_write, &[
        ('a', "it is the old one"),
        ('b', "it is the new one"),
    ]),
    run("B-8", "One write that resets an S-Box", "sbox-reset", broadwell::reset_at_once, &[
        ('a', "the write faults"),
        ('b', "the write resets it"),
    ]),
    run("B-9", "rst of QPI when read", "qpi-reset", registers::reset_of_qpi, &[
        ('a', "it reads 1 while it holds the counter"),
        ('b', "it reads 0"),
    ]),
    run("B-10", "NID filter of C-Box retries", "retry-nodes", broadwell::nodes_of_retries, &[
        ('a', "WB_CREDITS counts all nodes"),
        ('b', "WB_CREDITS counts the nodes of FILTER1 only"),
        ('c', "no retry looks at the nodes of FILTER1"),
    ]),
    run("B-11", "tid of PCIe requests", "pcie-thread", broadwell::thread_of_pcie, &[
        ('a', "0x3E"),
        ('b', "0x3F"),
        ('c', "0x1E"),
    ]),
    run("B-12", "Increments of the C-Box", "cbox-increments", counts::increments_of_cbox, &[
        ('a', "counters 1 to 3 add 2, too"),
        ('b', "counters 1 to 3 add 1 at most"),
    ]),
    run("B-13", "POWER_STATE_OCCUPANCY on counter 0", "occupancy-on-counter-0", counts::occupancy_on_counter_0, &[
        ('a', "it counts"),
        ('b', "it counts nothing"),
    ]),
    run("B-15", "Counters beside the PMON block of QPI", "link-counters", broadwell::counters_of_links, &[
        ('a', "they are in the function of the counters, and nothing stops or clears them"),
        ('b', "they are in the function with match and mask"),
        ('c', "frz of the box stops them"),
        ('d', "rst_ctrs of the box clears them"),
    ]),
    run("B-16", "Residency MSRs", "residency", counts::residency, &[
        ('a', "of the core that reads"),
        ('b', "of the package"),
    ]),
    run("B-17", "invert of an occupancy of the PCU", "inverted-occupancy", counts::inverted_occupancy, &[
        ('a', "bit 23 inverts"),
        ('b', "bit 23 has no effect"),
    ]),
    run("B-18", "Events of the lists only", "list-events", broadwell::events_of_lists, &[
        ('a', "they add 1 at most"),
        ('b', "they count nothing"),
        ('c', "they add more than 1"),
    ]),
    run("B-19", "CONFLICT_CYCLES and BT_OCCUPANCY of the home agent", "conflict-cycles", broadwell::conflicts, &[
        ('a', "they count with an umask of 0, CONFLICT_CYCLES on counter 1"),
        ('b', "they count nothing with an umask of 0"),
        ('c', "CONFLICT_CYCLES counts on all counters"),
        ('d', "CONFLICT_CYCLES counts nothing"),
    ]),
    run("B-20", "POWER_CKE_CYCLES", "inverted-edges", counts::inverted_edges, &[
        ('a', "it counts with invert and edge_det"),
        ('b', "it counts nothing with invert and edge_det"),
    ]),
    nothing("B-21", "What Broadwell-DE has", "not surveyed: the module has no R3QPI there, and reads its fuses once; `lspci -nn` and 0x94 and 0x98 of D30:F3 tell it"),
    nothing("B-22", "Node IDs with cluster-on-die", "not surveyed: it takes a boot with cluster-on-die and one without; 0x40 and 0x54 of D16:F5 tell it"),
    run("B-23", "Width of IRP and R3QPI", "irp-and-r3qpi-width", broadwell::widths, &[
        ('a', "48 bits"),
        ('b', "those of the IRP have 44 bits"),
        ('c', "those of R3QPI have 44 bits"),
    ]),
];
