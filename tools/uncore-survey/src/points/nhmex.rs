// SPDX-License-Identifier: GPL-2.0

//! Points of Nehalem-EX and Westmere-EX.

use super::{nothing, run, shared, Point, NO_INTERRUPT};
use crate::{nehalem, registers};

/// Those of section 18 of Documentation/hardware/nhmex.rst on Nehalem-EX. Results of X-3 are needed by
/// others.
#[rustfmt::skip]
pub(super) const NHMEX: &[Point] = &[
    run("X-21", "Writes to counters", "counter-writes", registers::writes_to_counters, &[
        ('a', "they are kept"),
        ('b', "they are ignored"),
        ('c', "they fault"),
    ]),
    run("X-3", "Sense of B_MSR_MASK", "mask-sense", nehalem::sense_of_mask, &[
        ('a', "a 1 takes the bit out of the comparison"),
        ('b', "a 1 compares the bit"),
    ]),
    run("X-1", "Layout of S_MSR_MATCH", "packet-match", nehalem::layout_of_match, &[
        ('a', "its upper fields have a bit for each choice"),
        ('b', "its upper fields are compared as a whole"),
    ]),
    run("X-2", "Mask of the home node", "node-mask", nehalem::mask_of_node, &[
        ('a', "bit 0 takes the home node out of the comparison"),
        ('b', "bit 0 is of the lowest bit of the home node"),
        ('c', "bit 0 has no effect"),
    ]),
    run("X-4", "Bit 8 of the event of the U-Box", "long-codes", nehalem::long_codes, &[
        ('a', "the event is 8:0"),
        ('b', "the event is 7:0"),
    ]),
    nothing("X-5", "reset_occ_cnt of the S-Box", "not surveyed: the bit reads 0, and the module never sets it"),
    run("X-6", "Control of the fixed counter of the W-Box", "fixed-control", nehalem::fixed_overflow, &[
        ('a', "bit 20 is reserved"),
        ('b', "bit 20 keeps what is written, as a PMI enable would"),
    ]),
    run("X-8", "Match of the address of the M-Box", "address-match", nehalem::address_of_match, &[
        ('a', "bit n of the match is bit n of the address"),
        ('b', "bit n of the match is bit n + 6 of the address"),
    ]),
    nothing("X-9", "Status of the U-Box", NO_INTERRUPT),
    run("X-11", "DIMM in MSC_THR", "dimm-number", nehalem::number_of_dimm, &[
        ('a', "its number"),
        ('b', "its number and one"),
    ]),
    run("X-12", "DRAM_CMD.ALL and ILLEGAL", "command-0", nehalem::command_zero, &[
        ('a', "command 0 counts"),
        ('b', "command 0 counts nothing"),
    ]),
    run("X-14", "ARB_WINS of the C-Box", "arb-wins", nehalem::wins, &[
        ('a', "event 0x09 counts"),
        ('b', "event 0x09 counts nothing"),
    ]),
    run("X-16", "Places of the fields of PLD on NHM", "pld-fields", nehalem::fields_of_pld, &[
        ('a', "as on Westmere-EX"),
        ('b', "those from bit 7 on are one bit lower"),
    ]),
    nothing("X-17", "Accumulators of the B-Box", "no counter tells it: it is the unit of a count"),
    nothing("X-18", "The highest uclk", "nothing depends on the exact value"),
    run("X-19", "Increments", "increments", nehalem::increments, &[
        ('a', "events of the C-Box without a stated one add 1 at most"),
        ('b', "events of the C-Box without a stated one add more"),
    ]),
    run("X-20", "Faults of registers", "match-faults", nehalem::guarded_match, &[
        ('a', "the M-Box takes a write of an enabled match"),
        ('b', "a write of an enabled match faults"),
    ]),
    nothing("X-22", "Reading the global control", "not surveyed: the module takes either answer"),
];

/// Those of Westmere-EX.
#[rustfmt::skip]
pub(super) const WSMEX: &[Point] = &[
    shared(NHMEX, "X-21"),
    shared(NHMEX, "X-3"),
    shared(NHMEX, "X-1"),
    shared(NHMEX, "X-2"),
    shared(NHMEX, "X-4"),
    shared(NHMEX, "X-5"),
    shared(NHMEX, "X-6"),
    run("X-7", "Cores 8 and 9 in the umask of the W-Box", "core-pairs", nehalem::pairs_of_cores, &[
        ('a', "a bit of the umask is a core"),
        ('b', "a bit of the umask is a pair of cores"),
    ]),
    shared(NHMEX, "X-8"),
    shared(NHMEX, "X-9"),
    run("X-10", "B-Box command in MAP", "map-command", nehalem::command_in_map, &[
        ('a', "bits 9:6"),
        ('b', "bits 8:5"),
    ]),
    shared(NHMEX, "X-11"),
    shared(NHMEX, "X-12"),
    run("X-13", "Sub-registers of inc_sel 0x08 and 0x15", "sub-registers", nehalem::sub_registers, &[
        ('a', "they look at ISS bit 10 and PGT bit 11"),
        ('b', "they look at none"),
    ]),
    shared(NHMEX, "X-14"),
    run("X-15", "R2S and B2S rings of the S-Box on WSM", "ring-codes", nehalem::codes_of_rings, &[
        ('a', "they have codes of their own"),
        ('b', "they have the codes of Nehalem-EX"),
    ]),
    shared(NHMEX, "X-17"),
    shared(NHMEX, "X-18"),
    shared(NHMEX, "X-19"),
    shared(NHMEX, "X-20"),
    shared(NHMEX, "X-22"),
];
