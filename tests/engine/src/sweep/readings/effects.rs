// SPDX-License-Identifier: GPL-2.0

//! Effects of the readings on events: what Documentation/hardware says that events count under them.
//! An event of no row counts as usual.

use super::{which, Asked};
use uncore_e2e::prelude::{Catalogue, Probe};

/// Effect of readings on some events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// The driver refuses them, or lacks their boxes, and says why with these words.
    Refused(&'static str),
    /// They count otherwise: the driver cannot tell, and keeps the meaning of the first reading.
    Meaning,
    /// They add up to this, and the driver counts it.
    Adds(u32),
    /// They add up to the largest increment of the manual's events of the box, and the driver counts it.
    AddsOfBox,
    /// A test of its own does what the reading is about.
    TestOfItsOwn,
}

/// Some events.
#[derive(Debug)]
enum Which {
    /// Those with one of these words in what is asked of perf.
    Named(&'static [&'static str]),
    /// Those of a condition, in words.
    Those(&'static str, fn(&Probe) -> bool),
}

/// A reading, or several that hold together, and the effect on some events.
#[derive(Debug)]
pub(super) struct Row {
    /// Their names, with `+` between.
    pub(super) reading: &'static str,
    which: Which,
    pub(super) effect: Effect,
}

impl Row {
    /// Tells if an event is one of the row.
    pub(super) fn has(&self, event: &Asked) -> bool {
        match self.which {
            Which::Named(words) => words.iter().any(|word| event.text().contains(word)),
            Which::Those(_, has) => event.probe().is_some_and(has),
        }
    }

    /// Returns the events in words, for the page.
    pub(super) fn events(&self) -> String {
        match self.which {
            Which::Named(words) => {
                let words = words.iter();
                let words = words.map(|word| word.trim_matches(['/', '.', '=', '_']));
                words.collect::<Vec<_>>().join(", ")
            }
            Which::Those(says, _) => says.to_owned(),
        }
    }
}

/// Returns the rows of readings that hold together, with `+` between their names.
pub(super) fn of(planted: &str) -> impl Iterator<Item = &'static Row> + use<'_> {
    ROWS.iter().filter(move |row| {
        let mut needed = row.reading.split('+');
        needed.all(|name| planted.split('+').any(|own| own == name))
    })
}

/// Returns an event with the largest increment that it has under readings.
pub(super) fn with_increment(event: Asked, planted: &str) -> Asked {
    let rows = of(planted).filter(|row| row.has(&event));
    let effect = rows.map(|row| row.effect).last();
    match (effect, event) {
        (Some(Effect::Adds(most)), Asked::Programmed(mut probe)) => {
            probe.setting.max_inc = Some(most);
            Asked::Programmed(probe)
        }
        (Some(Effect::AddsOfBox), Asked::Programmed(mut probe)) => {
            probe.setting.max_inc = Some(Catalogue::get().largest(probe.kind));
            Asked::Programmed(probe)
        }
        (_, event) => event,
    }
}

const fn named(reading: &'static str, words: &'static [&'static str]) -> Row {
    Row {
        reading,
        which: Which::Named(words),
        effect: Effect::Meaning,
    }
}

const fn those(reading: &'static str, says: &'static str, has: fn(&Probe) -> bool) -> Row {
    Row {
        which: Which::Those(says, has),
        ..named(reading, &[])
    }
}

const fn refused(row: Row, words: &'static str) -> Row {
    with(row, Effect::Refused(words))
}

const fn with(row: Row, effect: Effect) -> Row {
    Row { effect, ..row }
}

const fn tested(reading: &'static str, says: &'static str) -> Row {
    with(those(reading, says, |_| false), Effect::TestOfItsOwn)
}

/// Events of QPI with match and mask.
const PACKETS: &[&str] = &["cto_count", "/message.", "match_mask"];

/// Events of QPI's counters that always run, of the cores' and of the memory controller's.
const LINKS: &[&str] = &["link_idle", "link_llr"];
const CORES: &[&str] = &["core_c3_ctr", "core_c6_ctr"];
const MEMORY: &[&str] = &["uncore_imc/"];

/// Events of the IRP, whose counters Broadwell has in one of two places.
const IRP: &[&str] = &["uncore_irp/"];

/// Words of a refusal of what needs bits that read 0.
const NO_BITS: &str = "has bits that the box lacks";

/// Words about a box in PCI functions whose counters cannot be trusted.
const NO_BOX: &str = "its registers do not keep what is written";

/// Words about a box whose function is another box' now.
const NO_FUNCTION: &str = "no PCI function of it";

/// Words about C-Boxes that are counted like cores.
const NO_FUSES: &str = "no register with fuses of a cbox found";

/// Words about a box that the driver does not find.
const NO_EVENT: &str = "no such event";

/// Words about a box whose filters are in a function that is missing.
const NO_FILTERS: &str = "needs the PCI function with the filters of the box";

/// Words about a counter that always runs and cannot be read.
const NO_COUNTER: &str = "has no counter link_";

/// Words about the memory controller of a bridge that does not tell its address.
const NO_MEMORY: &str = "firmware has not enabled the memory";

/// All rows, in the order of the points.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    refused(those("U-5:b", "sets of nodes with node 15", which::has_node_15), NO_BITS),
    those("U-6:b", "filter_state with M' and without M", which::has_modified_alone),
    those("U-14:b", "events without sub-events", which::is_whole),
    those("U-15:b", "counter0_occupancy without thresh", which::shows_a_sum),
    named("U-17:b", &["clockticks_general"]),
    those("U-22:b", "mask_rnid4, mask_rnid30", which::compares_remote_node),
    named("U-23:b", PACKETS),
    named("U-23:c", PACKETS),
    named("U-24:b", &["match_rds"]),
    those("U-25:b", "addr_opc_match of a ring", which::is_of_home_ring),
    named("U-25:c", &["addr_opc_match"]),
    named("U-26:b", &["addr_opc_match"]),
    named("U-27:b", &["demotions"]),
    named("U-28:b", &["demotions", "freq_band"]),
    named("U-29:d+U-65:c", &["occ_edge"]),
    named("U-31:b", CORES),
    with(named("U-34:b", &["power_state_occupancy"]), Effect::Adds(15)),
    named("U-35:b", &["freq_min_perf_p_cycles"]),
    refused(those("U-38:b", "packets of QPI port 2", which::matches_on_port_2), NO_FILTERS),
    refused(those("U-40:b", "channel 3 of MC1", which::is_last_channel), NO_FUNCTION),
    those("U-41:b", "events of the public lists", which::is_of_lists),
    with(named("U-42:b", &["/txl_occupancy"]), Effect::Adds(128)),
    with(named("U-42:b", &["power_cke_cycles"]), Effect::Adds(1)),
    refused(those("U-50:b", "boxes in PCI functions", which::is_in_function), NO_BOX),
    those("U-52:b", "packets by the opcode of SnpDataMigratory", which::tells_migratory),
    refused(those("U-65:c", "edges of the PCU", which::is_edge_of_pcu), NO_BITS),
    with(those("U-66:b", "events of the UBox", which::is_of_ubox), Effect::Adds(31)),
    those("U-75:b", "clockticks with tid_en", which::is_clock_of_thread),
    those("U-77:b", "opcodes of the C-Box", which::is_of_opcode),
    those("B-10:b", "wb_credits of some nodes", which::is_credit_of_nodes),
    those("B-10:c", "retries of some nodes", which::is_retry_of_nodes),
    those("B-11:b", "requests of threads 0x3e and 0x3f", |probe| which::is_of_thread(probe, &[0x3e, 0x3f])),
    those("B-11:c", "requests of threads 0x3e and 0x1e", |probe| which::is_of_thread(probe, &[0x3e, 0x1e])),
    named("B-14:b", &["freq_band"]),
    those("B-14:c", "events of the PCU", which::is_of_pcu),
    refused(named("B-15:b", LINKS), NO_COUNTER),
    named("B-16:b", CORES),
    those("B-18:b", "events of the public lists", which::is_of_lists),
    with(those("B-18:c", "events of the public lists", which::is_of_lists), Effect::AddsOfBox),
    // Broadwell has no name for conflicts.
    named("B-19:b", &["bt_occupancy", "conflict_cycles"]),
    refused(those("B-21:c", "C-Boxes above the number of cores", which::is_of_another_cbox), NO_FUSES),
    refused(named("B-24:b", IRP), NO_BOX),
    refused(named("B-24:c", IRP), NO_BOX),
    named("B-19:d", &["conflict_cycles"]),
    refused(those("H-6:b", "C-Boxes above the number of cores", which::is_of_another_cbox), NO_FUSES),
    refused(those("H-6:c", "C-Boxes above the number of cores", which::is_of_another_cbox), NO_FUSES),
    refused(named("H-7:b", &["filter_cid"]), NO_BITS),
    named("H-7:c", &["filter_cid"]),
    refused(those("H-11:b", "packets of QPI port 2", which::matches_on_port_2), NO_FILTERS),
    refused(named("H-13:b", &["filter_link", "filter_c6"]), NO_BITS),
    named("H-13:c", &["filter_link", "filter_c6"]),
    named("H-26:b", &["clockticks,thresh=2,inv"]),
    those("H-27:b", "events of lists and programs", which::is_of_lists),
    with(those("H-27:c", "events of lists and programs", which::is_of_lists), Effect::AddsOfBox),
    those("J-2:b", "events of the PCU with the extended select", which::is_extended_of_pcu),
    refused(those("J-8:b", "C-Boxes above the number of cores", which::is_of_another_cbox), NO_EVENT),
    named("J-14:b", PACKETS),
    named("J-15:b", &["demotions_core0"]),
    named("J-17:b", &["rxl_stalls"]),
    named("J-18:b", &["/conflict_cycles.no_", "/direct2core_", "/directory_"]),
    those("J-20:b", "events without sub-events", which::is_whole),
    named("J-23:b", CORES),
    those("J-24:b", "events of lists and programs", which::is_of_lists),
    with(those("S-6:b", "occupancies of the ARB", which::is_occupancy_of_arb), Effect::Adds(31)),
    tested("S-7:b", "counts exactly"),
    tested("S-7:c", "loses what nobody has read before a sleep"),
    refused(named("S-13:b", MEMORY), NO_MEMORY),
    those("X-1:b", "packets of the S-Box", which::is_packet_of_sbox),
    those("X-2:b", "packets of the S-Box of any home node", which::is_packet_of_any_node),
    those("X-2:c", "packets of the S-Box of any home node", which::is_packet_of_any_node),
    those("X-3:b", "masks of B-Box and M-Box", which::has_mask),
    refused(those("X-4:b", "codes of the U-Box above 0xff", which::has_long_code), NO_BITS),
    those("X-7:b", "events of cores", which::is_of_cores),
    those("X-8:b", "filter_match of the M-Box", which::has_address),
    named("X-10:b", &["bcmd_schedq_occupancy"]),
    those("X-11:b", "thermal trips of one DIMM", which::is_trip_of_one),
    those("X-12:b", "dram_cmd of command 0", which::is_command_0),
    named("X-13:b", &["iss_sched", "pgt_page_ev2"]),
    named("X-14:b", &["arb_wins"]),
    those("X-15:b", "events 0x2b to 0x2e of the S-Box", which::is_of_ring),
    those("X-16:b", "events with pld", which::has_pld),
    with(those("X-19:b", "events of no known increment", which::is_unstated), Effect::Adds(255)),
];
