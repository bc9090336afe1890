// SPDX-License-Identifier: GPL-2.0

//! The filters of the C-Box.

use crate::expect::{all_states, OPCODES};
use crate::fixture::probe::Probe;

pub(super) fn settings() -> Vec<Probe> {
    [states(), nodes(), opcodes(), requests(), threads()].concat()
}

fn states() -> Vec<Probe> {
    let single = (0..6).map(|bit| 1 << bit);
    let states = single.chain([0x03, 0x2a, 0x1f, all_states()]);
    let lookup = |state| Probe::cbox(0, "llc_lookup.any").state(state);
    states.map(lookup).collect()
}

fn nodes() -> Vec<Probe> {
    let single = (0..16).map(|bit| 1 << bit);
    let nodes: Vec<u16> = single.chain([0x8001, 0x0ff0, 0xffff]).collect();
    let names = ["llc_lookup.nid", "llc_victims.nid", "tor_inserts.nid_all"];
    let of_name = |name| nodes.iter().map(move |&nid| Probe::cbox(0, name).nid(nid));
    names.into_iter().flat_map(of_name).collect()
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
    for name in ["tor_inserts.opcode", "tor_inserts.miss_remote_opcode"] {
        let opcode = Probe::cbox(0, name).opc(0x1e6);
        let nc = opcode.clone().nc();
        let both = nc.clone().isoc();
        settings.extend([opcode.clone(), nc, opcode.isoc(), both]);
    }
    let occupancy = Probe::cbox(0, "tor_occupancy.nid_miss_opcode");
    let everything = occupancy.opc(0x1e6).nid(0xfff0).nc().isoc().tid(31);
    settings.push(everything);
    settings
}

fn threads() -> Vec<Probe> {
    let thread = |tid| Probe::cbox(0, "rxr_inserts.irq").tid(tid);
    (0..32).map(thread).collect()
}
