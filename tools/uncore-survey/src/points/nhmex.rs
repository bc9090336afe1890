// SPDX-License-Identifier: GPL-2.0

//! Points of Nehalem-EX and Westmere-EX.

use super::{run, How, Listed, NO_INTERRUPT};
use crate::{nehalem, registers};

/// Those of section 18 of Documentation/hardware/nhmex.rst. Results of X-3 are needed by others.
#[rustfmt::skip]
pub(super) const NHMEX: &[Listed] = &[
    ("X-21", run("counter-writes", registers::writes_to_counters)),
    ("X-3", run("mask-sense", nehalem::sense_of_mask)),
    ("X-1", run("packet-match", nehalem::layout_of_match)),
    ("X-2", run("node-mask", nehalem::mask_of_node)),
    ("X-4", run("long-codes", nehalem::long_codes)),
    ("X-5", How::Nothing("not surveyed: the bit reads 0, and the module never sets it")),
    ("X-6", run("fixed-control", nehalem::fixed_overflow)),
    ("X-8", run("address-match", nehalem::address_of_match)),
    ("X-9", How::Nothing(NO_INTERRUPT)),
    ("X-11", run("dimm-number", nehalem::number_of_dimm)),
    ("X-12", run("command-0", nehalem::command_zero)),
    ("X-14", run("arb-wins", nehalem::wins)),
    ("X-16", run("pld-fields", nehalem::fields_of_pld)),
    ("X-19", run("increments", nehalem::increments)),
    ("X-20", run("match-faults", nehalem::guarded_match)),
    ("X-22", How::Nothing("not surveyed: the module takes either answer")),
    ("X-7", run("core-pairs", nehalem::pairs_of_cores)),
    ("X-10", run("map-command", nehalem::command_in_map)),
    ("X-13", run("sub-registers", nehalem::sub_registers)),
    ("X-15", run("ring-codes", nehalem::codes_of_rings)),
];
