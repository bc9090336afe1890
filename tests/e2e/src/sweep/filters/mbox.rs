// SPDX-License-Identifier: GPL-2.0

//! Values of the M-Box' sub-registers that no name has, and its match of addresses.

use crate::formats::{deposit, place};
use crate::prelude::*;

pub(super) fn settings() -> Vec<Probe> {
    [
        queues(),
        trips(),
        frames_and_modes(),
        commands(),
        retries(),
        fvc(),
        pages(),
        addresses(),
    ]
    .concat()
}

/// Returns an event that needs the values of these fields.
fn event(name: &str, fields: &[(&str, u64)]) -> Probe {
    let probe = Probe::mbox(0, name);
    let with = |probe: Probe, (field, value): &(&str, u64)| probe.field(field, *value);
    fields.iter().fold(probe, with)
}

fn of_field(name: &str, field: &str, values: impl IntoIterator<Item = u64>) -> Vec<Probe> {
    let values = values.into_iter();
    values.map(|value| event(name, &[(field, value)])).collect()
}

/// Several states at once; bits besides do nothing.
fn queues() -> Vec<Probe> {
    let values = [0x180, 0x500, 0x780, 0xffff_f87f | 0x200];
    let names = ["dsp_fill", "cycles_dsp_fill"];
    names
        .into_iter()
        .flat_map(|name| of_field(name, "dsp", values))
        .collect()
}

/// The conditions of the upper four DIMMs.
fn trips() -> Vec<Probe> {
    let mut settings = Vec::new();
    for (name, first) in [("therm_trp_up", 7), ("therm_trp_dn", 9)] {
        for condition in 0..4 {
            let value = condition << first | (4 + condition) << 4;
            settings.extend(of_field(name, "thr", [value]));
        }
    }
    settings
}

/// Illegal frame types and modes count nothing; the two fields have different places.
fn frames_and_modes() -> Vec<Probe> {
    let frames = of_field("frm_type", "iss", [0x4, 0xb, 0xf, 0x7f8]);
    let modes = of_field("cycles_sched_mode", "iss", [0x40, 0x70, 0x1f]);
    frames.into_iter().chain(modes).collect()
}

/// Every command that no name has, and one command in each mode, 4 to 7 being none.
fn commands() -> Vec<Probe> {
    let command = |iss, pld| event("dram_cmd", &[("iss", iss), ("pld", pld)]);
    let nameless = [8, 0xd, 0xe, 0xf, 0x13, 0x16, 0x18, 0x19, 0x1a, 0x1b, 0x1f];
    let nameless = nameless.map(|it| command(0, it << 8));
    let modes = (0..8).map(|mode| command(mode << 7, 0x1201));
    let unused = command(0x180, 0xfff0_1200);
    nameless.into_iter().chain(modes).chain([unused]).collect()
}

/// Returns the name of inc_sel 0x0B: that of retries, or on the first E7 of all that PLD chooses.
fn by_pld() -> &'static str {
    let names = ["retries", "dram_misc"];
    let mut names = names.into_iter();
    let found = names.find(|name| Catalogue::get().has(BoxKind::Mbox, name));
    found.expect("an event of each model")
}

/// inc_sel 0x0B, which on the Xeon 7500 has a name for retries only.
fn retries() -> Vec<Probe> {
    let commands = (0..32).map(|command| command << 19 | 1 << 16);
    let several = [0x80, 0x2_0000, 0x4_0000, 0x6_0080, 0x79_0000, 0x97_0000];
    of_field(by_pld(), "pld", commands.chain(several))
}

/// Every command and every response, by the events in turn; all of them at once.
fn fvc() -> Vec<Probe> {
    let mut settings = Vec::new();
    for value in 0..8 {
        for (kind, field) in [(5, "fvc_bcmd"), (6, "fvc_resp")] {
            let n = value % 4;
            let own = format!("fvc_evnt{n}");
            let name = format!("fvc_ev{n}");
            settings.push(event(
                &name,
                &[(&own, kind), (field, value), ("fvc_fvid", 3)],
            ));
        }
    }
    settings
}

/// Illegal commands of the scheduler's queue count nothing; each bit of PGT is another event's.
fn pages() -> Vec<Probe> {
    // perf asks for a value of all of MAP, whose parts have other places on the first E7.
    let command = place(BoxKind::Mbox, "map_bcmd").map_or(0, |(_, mask)| mask);
    let maps = [(9, 0), (0xf, 0), (3, 7)].map(|(value, fvid)| deposit(command, value) | fvid);
    [
        of_field("bcmd_schedq_occupancy", "map", maps),
        of_field("pgt_page_ev", "pgt", [0x40, 0x41]),
        of_field("cycles_pgt_state", "pgt", [0x01, 0x41]),
    ]
    .concat()
}

/// Bits 32:6 of an address, which the mask has as bits 26:0.
const COMPARED: u64 = (1 << 27) - 1;

/// Returns the settings with addresses, on a machine where a bit of the mask compares.
pub(super) fn where_masks_compare() -> Vec<Probe> {
    let others = |probe: Probe| {
        let command = ["iss", "pld"].map(|name| (name, probe.value(name)));
        let mask = COMPARED & !probe.value("filter_mask");
        let command = event(probe.name(), &command);
        let same_bits = command.address_match(probe.value("filter_match"), mask);
        same_bits.mask_compares()
    };
    let commands = addresses().into_iter();
    let commands = commands.filter(|probe| probe.name() == "dram_cmd");
    commands.map(others).collect()
}

/// Lines, parts of addresses, lines of a mode.
fn addresses() -> Vec<Probe> {
    // The match has bits 33:0 of the address.
    let low = |line: u64| line & ((1 << 34) - 1);
    let command = |pld| event("dram_cmd", &[("iss", 0x100), ("pld", pld)]);
    let lines = LINES.map(|line| command(0x200).address_match(low(line), 0));
    let retries = LINES.map(|line| event(by_pld(), &[("pld", 0x200)]).address_match(low(line), 0));
    let masks = [1, 1 << 26, 1 << 25, COMPARED >> 1, COMPARED];
    let masks = masks.map(|mask| command(0x200).address_match(low(LINES[3]), mask));
    let absent = [0x80, 0x1_0000_0080].map(|line| command(0x200).address_match(line, 0));
    // Bit 33 and bits 5:0 are not compared.
    let beside = [1 << 33, 0x3f].map(|bits| command(0x200).address_match(low(LINES[4]) | bits, 0));
    let of_mode = command(0x201).address_match(low(LINES[7]), 0);
    let all = lines.into_iter().chain(retries).chain(masks);
    all.chain(absent).chain(beside).chain([of_mode]).collect()
}
