// SPDX-License-Identifier: GPL-2.0

//! Points of Ivy Bridge-EP.

use super::{interrupt, nothing, run, Point, NAMES, NO_ADDRESS, SETTLED};
use crate::{counts, interrupts, overflows, registers};

/// Those of Documentation/hardware/uncertain.rst, in its order, but for U-10, U-23 and U-65, whose
/// results others need.
#[rustfmt::skip]
pub(super) const IVBEP: &[Point] = &[
    run("U-78", "Writes to counters", "counter-writes", registers::writes_to_counters, &[
        ('a', "they are kept"),
        ('b', "they are ignored"),
        ('c', "they fault"),
    ]),
    run("U-1", "C-Box overflow enable", "cbox-overflow-enable", overflows::enable_of_cbox, &[
        ('a', "there is none"),
        ('b', "bit 20 is one, as elsewhere"),
    ]),
    run("U-10", "Overflow status without overflow enable", "status-without-enable", overflows::status_without_enable, &[
        ('a', "every overflow sets its bit"),
        ('b', "only one with ov_en sets it"),
    ]),
    run("U-2", "C-Box box status register", "cbox-status", overflows::status_of_cbox, &[
        ('a', "0xD15 + 0x20 n is no status"),
        ('b', "0xD15 + 0x20 n is the status of C-Box n"),
        ('c', "0xD15 + 0x20 n faults"),
    ]),
    run("U-3", "Width of the UCLK fixed counter", "uclk-width", registers::width_of_uclk, &[
        ('a', "48 bits"),
        ('b', "44 bits"),
    ]),
    run("U-4", "C-Box filter bits \"link\" and \"c6\"", "cbox-link-c6", registers::link_and_c6, &[
        ('a', "they do not keep what is written"),
        ('b', "they keep what is written"),
    ]),
    run("U-5", "Bit 15 of C-Box FILTER1", "cbox-node-15", registers::node_15, &[
        ('a', "a bit of nid"),
        ('b', "reserved"),
    ]),
    run("U-6", "C-Box FILTER0.state, bit 22 (M')", "cbox-modified-state", counts::modified_state, &[
        ('a', "bit 22 alone chooses M'"),
        ('b', "bits 22 and 20 together choose M'"),
    ]),
    run("U-7", "C-Box FILTER0.tid", "cbox-tid", registers::thread_filter, &[
        ('a', "five bits that read as written"),
        ('b', "it reads 0"),
    ]),
    run("U-8", "Bits 17:16 of the box control register", "box-enables", registers::box_enables, &[
        ('a', "they read as written and do nothing; R2PCIe and R3QPI lack them"),
        ('b', "they read 0"),
        ('c', "without bit 16 a box obeys no freeze"),
        ('d', "R2PCIe and R3QPI have them as well"),
    ]),
    run("U-9", "Box freeze and global freeze", "freezes", registers::freezes, &[
        ('a', "each freeze has its own release, and frz reads 0"),
        ('b', "frz reads 1 while the box is frozen by it"),
        ('c', "frz reads 1 while the box is frozen by it or with the package"),
        ('d', "a box that is released counts although the package is frozen"),
        ('e', "unfrz_all releases boxes that frz has frozen"),
    ]),
    run("U-11", "Bits of the iMC box status", "imc-status", overflows::status_of_imc, &[
        ('a', "bit 0 is the fixed counter, bit k + 1 counter k"),
        ('b', "bit k is counter k"),
    ]),
    run("U-12", "Overflow bit of the UBox fixed counter", "uclk-status", overflows::status_of_uclk, &[
        ('a', "only the global bit"),
        ('b', "bit 2 of the box status, too"),
    ]),
    run("U-13", "Number of C-Boxes", "num-c", registers::number_of_cboxes, &[
        ('a', "num_c is 8, its reset value"),
        ('b', "num_c is the number of C-Boxes"),
        ('c', "num_c is 0"),
    ]),
    run("U-14", "Umask of events without sub-events", "umask-of-all", counts::umask_of_all, &[
        ('a', "0 counts"),
        ('b', "only bit 0 counts"),
    ]),
    run("U-15", "COUNTER0_OCCUPANCY without a threshold", "counter0-occupancy", counts::shown_occupancy, &[
        ('a', "it adds the full value"),
        ('b', "it adds 1 at most"),
    ]),
    nothing("U-16", "UBox events FILTER_MATCH.ENABLE and .U2C_ENABLE", NO_ADDRESS),
    run("U-17", "Event select 0x00 of the UBox general counters", "ubox-event-0", counts::event_zero, &[
        ('a', "it counts the clock"),
        ('b', "it counts nothing"),
    ]),
    interrupt("U-18", "Core numbers in pmi_core_sel, effect of wk_on_pmi", "core-select", interrupts::core_select, &[
        ('a', "bit k is core slot k, and only the cores of the mask are interrupted"),
        ('b', "bit k is another core than slot k"),
        ('c', "with wk_on_pmi all cores are interrupted"),
    ]),
    run("U-19", "Edge detection without a threshold", "edge-without-threshold", counts::edge_without_threshold, &[
        ('a', "it counts edges"),
        ('b', "it has no effect"),
    ]),
    run("U-20", "32-bit MSRs written with bits 63:32 set", "high-half", registers::high_half, &[
        ('a', "the upper bits are ignored"),
        ('b', "the write faults"),
    ]),
    run("U-21", "Several events with different filters on one C-Box", "two-filters", counts::two_criteria, &[
        ('a', "both count"),
        ('b', "only one of them counts"),
    ]),
    run("U-23", "Polarity of the QPI mask, direction of the match", "packet-mask", counts::polarity, &[
        ('a', "1 compares, and the packets are received"),
        ('b', "1 ignores"),
        ('c', "1 compares, and the packets are sent"),
    ]),
    run("U-22", "Remote node ID in the packet match of QPI", "remote-node", counts::remote_node, &[
        ('a', "it is not compared"),
        ('b', "it is compared"),
    ]),
    run("U-24", "QPI response data state of other packets", "data-state", counts::data_state, &[
        ('a', "it is 0 in packets without data"),
        ('b', "packets without data pass"),
    ]),
    run("U-25", "Opcode match of the home agent", "opcode-match", counts::opcode_match, &[
        ('a', "each of OPC, AD, BL and AK applies it, on its ring"),
        ('b', "only OPC applies it"),
        ('c', "it finds nothing on the BL and AK rings"),
    ]),
    run("U-26", "Low bits of the home agent's address match", "address-match", counts::address_match, &[
        ('a', "bits 45:6 are compared"),
        ('b', "the low 12 bits are ignored"),
    ]),
    run("U-27", "Filter of DEMOTIONS_COREx of the PCU", "demotions", counts::demotions, &[
        ('a', "the filter must equal the reason"),
        ('b', "the filter has no effect"),
    ]),
    run("U-28", "Frequency bands of the PCU", "frequency-bands", counts::bands, &[
        ('a', "a new band acts at once"),
        ('b', "a new band acts after a change of frequency"),
    ]),
    run("U-65", "Bits 19:16 of the PCU control register", "pcu-control-bits", registers::bits_of_pcu, &[
        ('a', "18 is edge_det, 19 and 16 are reserved"),
        ('b', "19 and 16 keep what is written, too"),
        ('c', "18 is reserved"),
    ]),
    run("U-29", "occ_sel 0, and the two edge bits on occupancies", "occupancy-bits", counts::occupancy_bits, &[
        ('a', "occ_sel 0 counts nothing, and either edge bit acts"),
        ('b', "occ_sel 0 counts"),
        ('c', "bit 18 has no effect"),
        ('d', "bit 31 has no effect"),
    ]),
    nothing("U-30", "SOURCE and ORDERINGQ sub-events of the IRP", NO_ADDRESS),
    run("U-31", "MSRs 0x3FC and 0x3FD", "residency", counts::residency, &[
        ('a', "of the core that reads"),
        ('b', "of the package"),
    ]),
    run("U-32", "Counters of the ring events of R2PCIe and R3QPI", "ring-counters", counts::ring_counters, &[
        ('a', "all counters"),
        ('b', "those of the notes only"),
    ]),
    run("U-33", "Width and sets of the IRP counters", "irp-width", registers::width_of_irp, &[
        ('a', "48 bits"),
        ('b', "44 bits"),
    ]),
    run("U-34", "Largest value of POWER_STATE_OCCUPANCY", "most-cores", counts::most_cores, &[
        ('a', "8"),
        ('b', "more than 8"),
    ]),
    run("U-35", "Code of FREQ_MIN_PERF_P_CYCLES", "min-perf", counts::min_perf, &[
        ('a', "0x02 with the extended bit"),
        ('b', "0x62 without it"),
    ]),
    run("U-36", "PKG_C_STATE_RESIDENCY_C0, C2, C3 and C6_CYCLES", "package-states", counts::package_states, &[
        ('a', "they count with and without the extended bit"),
        ('b', "they count with the extended bit only"),
        ('c', "they count without the extended bit only"),
    ]),
    nothing("U-37", "QPI packets that only the lists name", NAMES),
    run("U-38", "Packet match of QPI port 2", "match-of-port-2", registers::match_of_port_2, &[
        ('a', "its device ID is 0e46"),
        ('b', "its device ID is 0e47"),
    ]),
    nothing("U-39", "Bytes of a QPI data flit", "no counter tells it: it is the unit of a count"),
    run("U-40", "Place of HA1", "ha1-place", registers::place_of_ha1, &[
        ('a', "D28:F1"),
        ('b', "D30:F1"),
    ]),
    run("U-41", "Events and names that only the public lists have", "list-events", counts::events_of_lists, &[
        ('a', "they count"),
        ('b', "they count nothing"),
    ]),
    run("U-42", "Maxima that cannot be", "maxima", counts::maxima, &[
        ('a', "TxL_OCCUPANCY adds 1 at most, POWER_CKE_CYCLES more"),
        ('b', "TxL_OCCUPANCY adds more than 1, POWER_CKE_CYCLES 1 at most"),
    ]),
    interrupt("U-43", "Threads that get the overflow interrupt", "threads", interrupts::threads, &[
        ('a', "both threads of a core"),
        ('b', "one thread of a core"),
    ]),
    interrupt("U-44", "When a core sleeps, so that it needs wk_on_pmi", "sleeping-cores", interrupts::sleeping_core, &[
        ('a', "an idle core sleeps"),
        ('b', "an idle core gets a PMI without wk_on_pmi"),
    ]),
    interrupt("U-45", "A PMI while LVTPC is masked, or the core asleep and not woken", "masked", interrupts::masked, &[
        ('a', "it is lost"),
        ('b', "one that finds LVTPC masked comes when that is unmasked"),
        ('c', "one that finds the core asleep comes when that wakes"),
    ]),
    interrupt("U-46", "Bit 13 of IA32_DEBUGCTL", "debugctl", interrupts::enable_bit, &[
        ('a', "PMIs come without it"),
        ('b', "PMIs come only with it"),
        ('c', "the processor has no such bit"),
    ]),
    run("U-47", "Global overflow bits of QPI ports and R3QPI links", "port-bits", overflows::bits_of_ports, &[
        ('a', "ports 0 and 1 share one"),
        ('b', "each port has its own"),
    ]),
    run("U-48", "Two counters of the PCU that work together", "joined-counters", counts::joined_counters, &[
        ('a', "each counts for itself"),
        ('b', "counter 1 counts only while the occupancy on counter 0 holds"),
    ]),
    nothing("U-49", "Thread filter of UBox events", NO_ADDRESS),
    nothing("U-50", "Configuration space of the boxes in memory (ECAM)", "not surveyed: no step reads through ports. Where memory shows no counters the module has no box of a PCI function; count with pci=nommconf then"),
    nothing("U-51", "Extended select bit", SETTLED),
    run("U-52", "Opcode of SnpDataMigratory", "migratory-snoops", counts::migratory_snoops, &[
        ('a', "1010"),
        ('b', "1110"),
    ]),
    nothing("U-53", "Number of R3QPI links", SETTLED),
    nothing("U-54", "Counters of R2PCIe events", SETTLED),
    nothing("U-55", "Counters of C-Box events", SETTLED),
    nothing("U-56", "PCU events with the extended select bit", SETTLED),
    nothing("U-57", "QPI events with the extended select bit", SETTLED),
    nothing("U-58", "Invert bit", SETTLED),
    nothing("U-59", "occ_edge of the PCU", SETTLED),
    nothing("U-60", "q_occ_rst and the packet filters of the home agent", SETTLED),
    nothing("U-61", "Numbers of the iMC channels", SETTLED),
    nothing("U-62", "Reset bit of the iMC fixed counter", SETTLED),
    nothing("U-63", "Metric of parallel reads in the event files", SETTLED),
    nothing("U-64", "Place of QPI port 2", SETTLED),
    run("U-66", "Largest increment where none is stated", "ubox-increment", counts::large_ubox_events, &[
        ('a', "1 for events of the UBox"),
        ('b', "more than 1 for events of the UBox"),
    ]),
    nothing("U-67", "Highest clock frequencies", "nothing depends on the exact value"),
    nothing("U-68", "Bits of the C-Boxes in GLOBAL_STATUS", SETTLED),
    nothing("U-69", "Sub-events that do not fit their text", NAMES),
    run("U-70", "What resets and freezes reach", "resets", registers::resets, &[
        ('a', "resets include the fixed counter, not the filters; frz_all wins"),
        ('b', "resets leave the fixed counter"),
        ('c', "rst_ctrl clears the filters"),
        ('d', "unfrz_all wins"),
    ]),
    run("U-71", "Access types and reset values", "reset-values", registers::reset_values, &[
        ('a', "bits without a meaning read 0, and QPI shows its rate"),
        ('b', "reserved bits of controls and filters read 1"),
        ('c', "reserved bits of status registers read 1"),
        ('d', "bits above a counter read 1"),
        ('e', "QPI shows 6.4 GT/s"),
    ]),
    run("U-72", "Skid after an overflow", "skid", overflows::skid, &[
        ('a', "the box of the overflow stops at once"),
        ('b', "the box of the overflow counts on"),
    ]),
    run("U-73", "Enable bits when read", "enable-bits", registers::enable_bits, &[
        ('a', "they read as written"),
        ('b', "en reads 0"),
        ('c', "ov_en reads 0"),
    ]),
    run("U-74", "Occupancies of the home agent that move", "queue-reset", counts::queue_reset, &[
        ('a', "they count without q_occ_rst"),
        ('b', "they count nothing until q_occ_rst is written"),
    ]),
    run("U-75", "Thread filter of clocks", "clock-threads", counts::thread_of_clocks, &[
        ('a', "CLOCKTICKS ignores tid_en"),
        ('b', "CLOCKTICKS counts nothing with tid_en"),
    ]),
    run("U-76", "Match registers written after the control register", "late-match", counts::late_match, &[
        ('a', "they act at once"),
        ('b', "they act from the next write of a control register on"),
    ]),
    run("U-77", "Requests that filter_opc sees", "opcode-filter", counts::opcodes_of_all, &[
        ('a', "all"),
        ('b', "some only"),
    ]),
];
