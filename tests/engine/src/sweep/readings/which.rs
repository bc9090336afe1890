// SPDX-License-Identifier: GPL-2.0

//! Conditions of events that a reading has an effect on.

use std::ops::RangeInclusive;
use uncore_e2e::catalogue::EventFacts;
use uncore_e2e::formats::field;
use uncore_e2e::prelude::*;

/// States M' and M, as in `filter_state` of IVB-EP.
const MODIFIED: u64 = 0x20;
const MODIFIED_AND_FORWARD: u64 = 0x28;

/// Class and opcodes of snoops of data that migrates, and their places in a match.
const SNOOPS: u64 = 3 << 9;
const MIGRATORY: [u64; 2] = [0b1010 << 5, 0b1110 << 5];
const CLASS_AND_OPCODE: u64 = 0x1fe0;

/// Channel 3 of MC1.
const LAST_CHANNEL: u8 = 7;

/// Events of the TOR.
const TOR: RangeInclusive<u8> = 0x35..=0x36;

/// LLC_LOOKUP, the events of the TOR, and LLC_VICTIMS, whose nodes are no doubt.
const NOT_RETRIES: RangeInclusive<u8> = 0x34..=0x37;

/// RxR_ISMQ_RETRY, its umask of write-back credits, and the umask bit of nodes.
const ISMQ_RETRY: u8 = 0x33;
const WB_CREDITS: u8 = 0x80;
const OF_NODES: u8 = 0x40;

/// Nodes that are all.
const ALL_NODES: u64 = 0xffff;

/// TRK_OCCUPANCY and COH_TRK_OCCUPANCY of a client.
const TRACKED: [u8; 2] = [0x80, 0x83];

/// Events of rings of the S-Box that have other codes on the Xeon 7500.
const OTHER_RINGS: RangeInclusive<u8> = 0x2b..=0x2e;

/// Events of the M-Box with `thr`, and with `pld`.
const TRIPS: [u8; 2] = [0x04, 0x05];
const DRAM_CMD: u8 = 0x0a;
const RETRIES: u8 = 0x0b;

/// The extended bit and the select of the event of QPI that has match and mask.
const CTO_COUNT: (bool, u8) = (true, 0x38);

/// Returns the facts of an event; none for a fixed counter.
fn facts(probe: &Probe) -> Option<&'static EventFacts> {
    let Setting { ext, event, .. } = probe.setting;
    Catalogue::get().facts(probe.kind, ext, event)
}

pub(super) fn has_node_15(probe: &Probe) -> bool {
    probe.value("filter_nid") & 0x8000 != 0
}

pub(super) fn has_modified_alone(probe: &Probe) -> bool {
    probe.value("filter_state") & MODIFIED_AND_FORWARD == MODIFIED
}

pub(super) fn is_whole(probe: &Probe) -> bool {
    let whole = |facts: &EventFacts| facts.umask_bits == 0 && !facts.clock;
    field(probe.kind, "umask").is_some() && facts(probe).is_some_and(whole)
}

pub(super) fn shows_a_sum(probe: &Probe) -> bool {
    probe.name() == "counter0_occupancy" && probe.setting.thresh == 0
}

pub(super) fn compares_remote_node(probe: &Probe) -> bool {
    let compared = |field| {
        let of_registers = ["match", "mask"].map(|register| format!("{register}_{field}"));
        let [value, mask] = of_registers.map(|name| probe.value(&name));
        value & mask != 0
    };
    compared("rnid4") || compared("rnid30")
}

pub(super) fn tells_migratory(probe: &Probe) -> bool {
    let Setting {
        config1, config2, ..
    } = probe.setting;
    let [is_one, is_other] =
        MIGRATORY.map(|opcode| (SNOOPS | opcode ^ config1) & config2 & CLASS_AND_OPCODE == 0);
    probe.kind == BoxKind::Qpi && is_one != is_other
}

pub(super) fn is_of_lists(probe: &Probe) -> bool {
    facts(probe).is_some_and(|facts| facts.of_lists)
}

pub(super) fn is_in_function(probe: &Probe) -> bool {
    probe.kind.function(probe.instance).is_some()
}

pub(super) fn is_last_channel(probe: &Probe) -> bool {
    probe.kind == BoxKind::Imc && probe.instance == LAST_CHANNEL
}

pub(super) fn matches_on_port_2(probe: &Probe) -> bool {
    let Setting { ext, event, .. } = probe.setting;
    (probe.kind, probe.instance) == (BoxKind::Qpi, 2) && (ext, event) == CTO_COUNT
}

pub(super) fn is_of_pcu(probe: &Probe) -> bool {
    probe.kind == BoxKind::Pcu
}

pub(super) fn is_edge_of_pcu(probe: &Probe) -> bool {
    is_of_pcu(probe) && probe.setting.edge
}

pub(super) fn is_of_ubox(probe: &Probe) -> bool {
    probe.kind == BoxKind::Ubox && facts(probe).is_some_and(|facts| !facts.clock)
}

pub(super) fn is_clock_of_thread(probe: &Probe) -> bool {
    probe.setting.tid_en && facts(probe).is_some_and(|facts| facts.clock)
}

pub(super) fn is_of_opcode(probe: &Probe) -> bool {
    let Setting { event, umask, .. } = probe.setting;
    probe.kind == BoxKind::Cbox && TOR.contains(&event) && umask & 1 != 0
}

pub(super) fn is_credit_of_nodes(probe: &Probe) -> bool {
    let Setting { event, umask, .. } = probe.setting;
    let credits = event == ISMQ_RETRY && umask & (WB_CREDITS | OF_NODES) == WB_CREDITS;
    probe.kind == BoxKind::Cbox && credits && probe.value("filter_nid") != ALL_NODES
}

pub(super) fn is_retry_of_nodes(probe: &Probe) -> bool {
    let Setting { event, umask, .. } = probe.setting;
    let retry = probe.kind == BoxKind::Cbox && !NOT_RETRIES.contains(&event);
    retry && umask & OF_NODES != 0 && probe.value("filter_nid") != ALL_NODES
}

pub(super) fn is_of_thread(probe: &Probe, threads: &[u64]) -> bool {
    let compares = probe.setting.tid_en && threads.contains(&probe.value("filter_tid"));
    compares && !is_clock_of_thread(probe)
}

pub(super) fn is_occupancy_of_arb(probe: &Probe) -> bool {
    probe.kind == BoxKind::Arb && TRACKED.contains(&probe.setting.event)
}

pub(super) fn is_packet_of_sbox(probe: &Probe) -> bool {
    probe.kind == BoxKind::Sbox && probe.setting.event == 0
}

pub(super) fn is_packet_of_any_node(probe: &Probe) -> bool {
    is_packet_of_sbox(probe) && probe.setting.config2 & 1 != 0
}

/// Tells if a C-Box may be above the number of cores: any but the first.
pub(super) fn is_of_home_ring(probe: &Probe) -> bool {
    ["ad", "bl", "ak"]
        .map(|ring| format!("addr_opc_match.{ring}"))
        .contains(&probe.name().to_owned())
}

pub(super) fn is_extended_of_pcu(probe: &Probe) -> bool {
    probe.kind == BoxKind::Pcu && probe.setting.ext
}

pub(super) fn is_of_another_cbox(probe: &Probe) -> bool {
    probe.kind == BoxKind::Cbox && probe.instance != 0
}

pub(super) fn is_of_ring(probe: &Probe) -> bool {
    probe.kind == BoxKind::Sbox && OTHER_RINGS.contains(&probe.setting.event)
}

pub(super) fn has_mask(probe: &Probe) -> bool {
    let compares = |facts: &EventFacts| facts.compared != 0;
    probe.kind == BoxKind::Bbox && facts(probe).is_some_and(compares) || has_address(probe)
}

pub(super) fn has_long_code(probe: &Probe) -> bool {
    probe.kind == BoxKind::Ubox && probe.setting.ext
}

pub(super) fn is_of_cores(probe: &Probe) -> bool {
    probe.kind == BoxKind::Wbox && probe.setting.umask != 0
}

/// Returns the value of a field of an M-Box, and the event if it is one of `inc_sel`.
fn of_mbox(probe: &Probe, name: &str) -> Option<(u64, u8)> {
    let Setting { event, ext, .. } = probe.setting;
    let is_one = probe.kind == BoxKind::Mbox && !ext;
    is_one.then(|| (probe.value(name), event))
}

pub(super) fn has_address(probe: &Probe) -> bool {
    of_mbox(probe, "filter_cfg_en").is_some_and(|(on, _)| on == 1)
}

pub(super) fn is_trip_of_one(probe: &Probe) -> bool {
    let trip = of_mbox(probe, "thr_all");
    trip.is_some_and(|(all, event)| all == 0 && TRIPS.contains(&event))
}

pub(super) fn is_command_0(probe: &Probe) -> bool {
    let command = of_mbox(probe, "pld_cmd");
    command.is_some_and(|(command, event)| command == 0 && event == DRAM_CMD)
}

pub(super) fn has_pld(probe: &Probe) -> bool {
    let pld = of_mbox(probe, "pld");
    pld.is_some_and(|(pld, event)| pld != 0 && [DRAM_CMD, RETRIES].contains(&event))
}

pub(super) fn is_unstated(probe: &Probe) -> bool {
    facts(probe).is_some_and(|facts| facts.stated_max.is_none() && !facts.clock)
}
