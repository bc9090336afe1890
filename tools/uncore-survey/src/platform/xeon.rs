// SPDX-License-Identifier: GPL-2.0

//! What Ivy Bridge-EP and Broadwell have alike, and their points.

use super::{bdx, Description, Kind};
use crate::lab::{EN, FREEZE_ALL, FROZEN, RELEASED, RELEASE_ALL};
use crate::points::{run, How, Listed, NO_INTERRUPT};
use crate::{counts, overflows, power, registers};

pub(super) const DESCRIPTION: Description = Description {
    processors: &[],
    own: ' ',
    points: POINTS,
    kinds: &[],
    run: RELEASE_ALL,
    hold: FREEZE_ALL,
    has_status: true,
    status: 0,
    surveyed: &[],
};

/// A kind of box of a Xeon E5.
pub(super) const fn kind(unit: &'static str, clock: u64, width: u32) -> Kind {
    Kind {
        unit,
        clock,
        width,
        enable: EN,
        control: Some([RELEASED, FROZEN]),
    }
}

/// Those of Documentation/hardware/uncertain.rst and of section 22 of bdx.rst, in an order in which
/// results that others need come first.
#[rustfmt::skip]
const POINTS: &[Listed] = &[
    ("U-78", run("counter-writes", registers::writes_to_counters)),
    ("B-24", run("counter-writes", registers::writes_to_counters)),
    ("U-73", run("enable-bits", registers::enable_bits)),
    ("U-1", run("cbox-overflow-enable", overflows::enable_of_cbox)),
    ("U-10", run("status-without-enable", overflows::status_without_enable)),
    ("U-2", run("cbox-status", overflows::status_of_cbox)),
    ("U-3", run("uclk-width", registers::width_of_uclk)),
    ("U-4", run("cbox-link-c6", registers::link_and_c6)),
    ("U-5", run("cbox-node-15", registers::node_15)),
    ("U-6", run("cbox-modified-state", counts::modified_state)),
    ("U-7", run("cbox-tid", registers::thread_filter)),
    ("U-8", run("box-enables", registers::box_enables)),
    ("U-9", run("freezes", registers::freezes)),
    ("U-11", run("imc-status", overflows::status_of_imc)),
    ("U-12", run("uclk-status", overflows::status_of_uclk)),
    ("U-13", run("num-c", registers::number_of_cboxes)),
    ("U-14", run("umask-of-all", counts::umask_of_all)),
    ("U-15", run("counter0-occupancy", counts::shown_occupancy)),
    ("U-17", run("ubox-event-0", counts::event_zero)),
    ("U-18", How::Nothing(NO_INTERRUPT)),
    ("U-19", run("edge-without-threshold", counts::edge_without_threshold)),
    ("U-20", run("high-half", registers::high_half)),
    ("U-21", run("two-filters", counts::two_criteria)),
    ("U-23", run("packet-mask", counts::polarity)),
    ("U-22", run("remote-node", counts::remote_node)),
    ("U-24", run("data-state", counts::data_state)),
    ("U-25", run("opcode-match", counts::opcode_match)),
    ("U-26", run("address-match", counts::address_match)),
    ("U-27", run("demotions", power::demotions)),
    ("U-28", run("frequency-bands", power::bands)),
    ("B-14", run("frequency-bands", power::bands_and_controls)),
    ("U-65", run("pcu-control-bits", registers::bits_of_pcu)),
    ("U-29", run("occupancy-bits", power::occupancy_bits)),
    ("U-31", run("residency", power::residency)),
    ("U-32", run("ring-counters", counts::ring_counters)),
    ("U-33", run("irp-width", registers::width_of_irp)),
    ("U-34", run("most-cores", power::most_cores)),
    ("U-35", run("min-perf", power::min_perf)),
    ("U-36", run("package-states", power::package_states)),
    ("U-38", run("match-of-port-2", registers::match_of_port_2)),
    ("U-40", run("ha1-place", registers::place_of_ha1)),
    ("U-41", run("list-events", counts::events_of_lists)),
    ("U-42", run("maxima", counts::maxima)),
    ("B-5", How::Nothing(NO_INTERRUPT)),
    ("U-43", How::Nothing(NO_INTERRUPT)),
    ("U-44", How::Nothing(NO_INTERRUPT)),
    ("U-45", How::Nothing(NO_INTERRUPT)),
    ("U-46", How::Nothing(NO_INTERRUPT)),
    ("U-47", run("port-bits", overflows::bits_of_ports)),
    ("U-48", run("joined-counters", power::joined_counters)),
    ("U-50", How::Nothing("not surveyed: no step reads through ports. Where memory shows no counters the module has no box of a PCI function; count with pci=nommconf then")),
    ("U-52", run("migratory-snoops", counts::migratory_snoops)),
    ("U-66", run("ubox-increment", counts::large_ubox_events)),
    ("U-70", run("resets", registers::resets)),
    ("U-71", run("reset-values", registers::reset_values)),
    ("U-72", run("skid", overflows::skid)),
    ("U-74", run("queue-reset", counts::queue_reset)),
    ("U-75", run("clock-threads", counts::thread_of_clocks)),
    ("U-76", run("late-match", counts::late_match)),
    ("U-77", run("opcode-filter", counts::opcodes_of_all)),
    ("B-1", run("channel-ids", bdx::ids_of_channels)),
    ("B-2", run("irp-places", registers::places_of_irp)),
    ("B-3", run("link-bits", overflows::bits_of_links)),
    ("B-4", run("core-select-width", bdx::width_of_core_select)),
    ("B-6", run("sent-packets", counts::sent_packets)),
    ("B-7", run("one-write", bdx::one_write)),
    ("B-8", run("sbox-reset", bdx::reset_at_once)),
    ("B-9", run("qpi-reset", registers::reset_of_qpi)),
    ("B-10", run("retry-nodes", bdx::nodes_of_retries)),
    ("B-11", run("pcie-thread", bdx::thread_of_pcie)),
    ("B-12", run("cbox-increments", counts::increments_of_cbox)),
    ("B-13", run("occupancy-on-counter-0", power::occupancy_on_counter_0)),
    ("B-15", run("link-counters", bdx::counters_of_links)),
    ("B-16", run("residency", power::residency)),
    ("B-17", run("inverted-occupancy", power::inverted_occupancy)),
    ("B-18", run("list-events", bdx::events_of_lists)),
    ("B-19", run("conflict-cycles", bdx::conflicts)),
    ("B-20", run("inverted-edges", power::inverted_edges)),
    ("B-21", How::Nothing("not surveyed: the module has no R3QPI there, and reads its fuses once; `lspci -nn` and 0x94 and 0x98 of D30:F3 tell it")),
    ("B-22", How::Nothing("not surveyed: it takes a boot with cluster-on-die and one without; 0x40 and 0x54 of D16:F5 tell it")),
    ("B-23", run("irp-and-r3qpi-width", bdx::widths)),
];
