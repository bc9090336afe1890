// SPDX-License-Identifier: GPL-2.0

//! The filters of the C-Box.

use crate::expect::{all_nodes, all_states, rule, threads as threads_of_traffic, Rule};
use crate::fixture::sample;
use crate::formats::field;
use crate::prelude::*;

pub(super) fn settings() -> Vec<Probe> {
    [states(), nodes(), opcodes(), requests(), threads()].concat()
}

/// Fields that nothing looks at.
pub(super) fn ignored() -> Vec<Probe> {
    let opcode = |name| Probe::cbox(0, name).opc(0x182);
    vec![
        opcode("tor_inserts.opcode").field("filter_link", 5),
        opcode("tor_inserts.opcode").field("filter_c6", 1),
        opcode("tor_occupancy.miss_opcode").field("filter_c6", 1),
    ]
}

fn states() -> Vec<Probe> {
    let single = (0..8).map(|bit| 1 << bit);
    let single = single.filter(|state| all_states() & state != 0);
    let states = single.chain([0x03, 0x2a, 0x1f, 0xff]);
    // LLC_LOOKUP.
    let lookup = |state| sample(BoxKind::Cbox, 0).state(state & all_states());
    states.map(lookup).collect()
}

fn nodes() -> Vec<Probe> {
    let single = (0..16).map(|bit| 1 << bit);
    let nodes = single.chain([0x8001, 0x0ff0, 0xffff]);
    let nodes = nodes.map(|nodes| nodes & all_nodes());
    let nodes: Vec<u16> = nodes.filter(|nodes| *nodes != 0).collect();
    let names = ["llc_lookup.nid", "tor_inserts.nid_all"].map(str::to_owned);
    let names = names.into_iter().chain(by_node_only());
    let of_name = |name: String| {
        let probe = move |&nid: &u16| Probe::cbox(0, &name).nid(nid);
        nodes.iter().map(probe)
    };
    names.flat_map(of_name).collect()
}

/// Names of events whose only filter is that of nodes.
fn by_node_only() -> impl Iterator<Item = String> {
    let is_one =
        |row: &&Row| row.needs.nid && rule(row.kind, &Setting::row(row)) == Some(Rule::Node);
    let rows = Catalogue::get().of(BoxKind::Cbox).filter(is_one);
    rows.filter_map(Row::name)
}

/// Opcodes: 0x1ff occurs beside the named ones, 0x199 never.
fn opcodes() -> Vec<Probe> {
    let names = ["tor_inserts.opcode", "tor_occupancy.miss_opcode"];
    let of_name = |name| {
        let opcodes = OPCODES.iter().chain(&[0x1ff, 0x199]);
        opcodes.map(move |&opc| Probe::cbox(0, name).opc(opc))
    };
    names.into_iter().flat_map(of_name).collect()
}

/// Non-coherent and isochronous requests, and all filters at once.
fn requests() -> Vec<Probe> {
    let mut settings = Vec::new();
    let occupancy = Probe::cbox(0, "tor_occupancy.nid_miss_opcode");
    let everything = occupancy
        .opc(0x1e6)
        .nid(0xfff0 & all_nodes())
        .tid(threads_of_traffic() - 1);
    if field(BoxKind::Cbox, "filter_nc").is_none() {
        return vec![everything];
    }
    for name in ["tor_inserts.opcode", "tor_inserts.miss_remote_opcode"] {
        let opcode = Probe::cbox(0, name).opc(0x1e6);
        let nc = opcode.clone().nc();
        let both = nc.clone().isoc();
        settings.extend([opcode.clone(), nc, opcode.isoc(), both]);
    }
    settings.push(everything.nc().isoc());
    settings
}

fn threads() -> Vec<Probe> {
    let thread = |tid| Probe::cbox(0, "rxr_inserts.irq").tid(tid);
    (0..threads_of_traffic()).map(thread).collect()
}
