// SPDX-License-Identifier: GPL-2.0

//! Stock perf and the driver on the usual machine: two packages of an E5 with
//! three C-Boxes each, or a client with two.
//!
//! Everything expected here follows from the traffic definition, the event
//! catalogue and the user's page; nothing was recorded from a run.

mod caps;
mod config_space;
mod examples;
mod filters;
mod groups;
mod hotplug;
mod moves;
mod sweep;
mod sysfs;
mod usage;

use uncore_e2e::prelude::*;

/// C-Boxes in each of them.
const CBOXES: u8 = 3;

/// Memory channels in each of them.
const CHANNELS: u8 = 8;

/// A burst in which most signals differ and that takes no time.
const BURST: u64 = 1_000_000;

/// A burst in which a signal is on exactly K times, so that all differ.
const LONG_BURST: u64 = 1 << 26;

/// An event of each type of box that any counter can take, in box 0.
fn one_of_each_type() -> Vec<Probe> {
    match Platform::current() {
        Platform::Ivbep => of_a_xeon(&[
            Probe::ubox("lock_cycles"),
            Probe::ha(0, "bt_occupancy.local"),
            Probe::qpi(0, "message.drs.anydatac"),
        ]),
        Platform::Bdx => of_a_xeon(&[
            Probe::ubox("racu_requests"),
            Probe::sbox(0, "rxr_occupancy.bl_bnc"),
            Probe::ha(0, "bt_occupancy"),
            Probe::qpi(0, "cto_count").packet(PacketField::Mc, 0xe, 0xf),
        ]),
        platform => (platform.asked().one_of_each_type)(),
    }
}

fn of_a_xeon(own: &[Probe]) -> Vec<Probe> {
    let common = [
        Probe::cbox(0, "clockticks"),
        Probe::imc(0, "cas_count.rd"),
        Probe::irp(0, "transactions.reads"),
        Probe::pcu("freq_band0_cycles").band(0, 20),
        Probe::r2pcie("clockticks"),
        Probe::r3qpi(0, "clockticks"),
    ];
    own.iter().cloned().chain(common).collect()
}

/// Names of two events of a C-Box that count on the same counters.
fn two_of_a_cbox() -> [&'static str; 2] {
    match Platform::current() {
        Platform::Ivbep | Platform::Bdx => ["misc.rfo_hit_s", "llc_victims.m_state"],
        platform => platform.asked().two_of_a_cbox,
    }
}

fn usual_machine() -> Config {
    Config::default()
}
