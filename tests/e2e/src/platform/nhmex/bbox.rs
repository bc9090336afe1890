// SPDX-License-Identifier: GPL-2.0

//! The B-Box: each counter has events of its own, some of which look at match and mask
//! (Documentation/hardware/nhmex.rst, sections 7 and 12).

use super::WORDS;
use crate::catalogue::{BoxKind, Facts, UCLK};
use crate::expect::{Rule, Special};
use crate::formats::Field;

pub(super) const FACTS: Facts = Facts {
    column: "BBOX",
    unit: "bbox",
    indexed: true,
    counters: 4,
    width: 48,
    largest: 255,
    fixed: false,
    clock: UCLK,
    functions: &[],
    fields: &[FIELDS],
    views: &[WORDS],
};

const FIELDS: &[Field] = &[
    ("event", "config:1-5"),
    ("counter", "config:6-7"),
    ("match_addr", "config1:0-43"),
    ("match_msg_in", "config1:44-47"),
    ("match_msg_out", "config1:48-51"),
    ("match_opc_in", "config1:52-55"),
    ("match_opc_out", "config1:56-59"),
    ("mask_addr", "config2:0-43"),
    ("mask_msg_in", "config2:44-47"),
    ("mask_msg_out", "config2:48-51"),
    ("mask_opc_in", "config2:52-55"),
    ("mask_opc_out", "config2:56-59"),
];

/// The fields that an event looks at are those of its row.
pub(super) const MATCHES: Special = Special {
    kind: BoxKind::Bbox,
    ext: false,
    codes: 0x00..=0x7f,
    rule: Rule::HomePackets,
};
