// SPDX-License-Identifier: GPL-2.0

//! The same page read again, cycle by cycle and with tables written out: the
//! closed form of `expect.rs` must agree with it everywhere.

use super::message::page;
use super::{count, Filter, Setting, Site, DESTINATIONS, LINES, OPCODES, REASONS};
use crate::catalogue::{BoxKind, Catalogue, PacketMatch, Row};
use std::sync::OnceLock;

/// One cycle's worth of everything, so slow that only short bursts are run.
struct Cycles {
    site: Site,
    setting: Setting,
    exists: [bool; 9],
    max_inc: u64,
}

impl Cycles {
    fn new(site: Site, setting: Setting) -> Self {
        let mut exists = [false; 9];
        let mut max_inc = 1;
        let rows = Catalogue::get().of(site.kind);
        let same = |row: &&Row| (row.ext, row.code) == (Some(setting.ext), setting.event);
        for row in rows.filter(same) {
            max_inc = max_inc.max(u64::from(row.max_inc.unwrap_or(1)).min(255));
            exists[8] |= row.umask == 0;
            for (bit, exists) in exists.iter_mut().take(8).enumerate() {
                *exists |= row.umask & 1 << bit != 0;
            }
        }
        Self {
            site,
            setting,
            exists,
            max_inc,
        }
    }

    fn is_on(&self, signal: u64, round: u64) -> Option<u64> {
        let mut event = u64::from(self.setting.ext) * 256 + u64::from(self.setting.event);
        let mut package = self.site.package;
        if self.site.kind == BoxKind::Qpi {
            // Flits of groups 0 to 2 that arrive, but the idle ones.
            let sent = match event {
                0x001 if signal == 1 || signal == 2 => Some(0x000),
                0x102 if signal <= 4 => Some(0x100),
                0x103 if signal <= 4 => Some(0x101),
                _ => None,
            };
            if let Some(sent) = sent {
                (event, package) = (sent, self.site.peer);
            }
        }
        let box_id = u64::from(self.site.instance) * 8 + u64::from(package);
        let id = (event * 9 + signal) * 128 + box_id;
        let k = (1 << 20) + id * 726_541 % (1 << 20);
        let (before, after) = (round * k / (1 << 21), (round + 1) * k / (1 << 21));
        (after > before).then_some(before)
    }

    /// Whether `umask` selects the signal in this event.
    fn selects(&self, signal: u64) -> bool {
        let umask = self.setting.umask;
        let bit = |bit: u64| umask >> bit & 1 == 1;
        match (self.site.kind, self.setting.event, signal) {
            (_, _, 8) => umask == 0,
            (BoxKind::Cbox, 0x34, 0 | 6)
            | (BoxKind::Cbox, 0x37, 6)
            | (BoxKind::Cbox, 0x35 | 0x36, 1 | 5 | 6 | 7)
            | (BoxKind::Ha, 0x20, 0 | 1)
            | (BoxKind::Irp, 0x15, 3) => false,
            (BoxKind::Cbox, 0x34, 1..=4) => bit(0) && (bit(signal) || umask & 0x1e == 0),
            (BoxKind::Cbox, 0x37, 0..=3) => bit(signal) || umask & 0x4f == 0x40,
            (BoxKind::Ha, 0x20, 2..=4) => {
                let all_rings = !bit(2) && !bit(3) && !bit(4);
                bit(signal) || all_rings && (bit(0) || bit(1))
            }
            (BoxKind::Irp, 0x15, 0..=2) => bit(signal) || umask & 0x0f == 0x08,
            _ => bit(signal),
        }
    }

    /// Whether the filters let transaction m pass.
    fn passes(&self, m: u64) -> bool {
        let filter = &self.setting.filter;
        match (self.site.kind, self.setting.event, self.setting.ext) {
            (BoxKind::Cbox, ..) => self.cbox_passes(m),
            (BoxKind::Qpi, 0x38, true) => packet_passes(m, filter.packet),
            (BoxKind::Ha, 0x20, false) => self.home_passes(m),
            (BoxKind::Pcu, 0x0b..=0x0e, false) => {
                let band = usize::from(self.setting.event - 0x0b);
                12 + m % 23 >= u64::from(filter.bands[band])
            }
            (BoxKind::Pcu, 0x1e..=0x25 | 0x40..=0x46, false) => {
                REASONS[slots(7)[at(m % 28)]] == filter.bands[0]
            }
            (BoxKind::Irp, 0x15, false) => self.setting.umask & 8 == 0 || [0, 1].contains(&(m % 7)),
            _ => true,
        }
    }

    fn cbox_passes(&self, m: u64) -> bool {
        let filter = &self.setting.filter;
        let tid = (m % 529).min(527);
        let tid_ok = filter
            .tid
            .is_none_or(|asked| slots(32)[at(tid)] == usize::from(asked));
        let node = slots(16)[at(m % 136)];
        let node_ok = self.setting.umask & 0x40 == 0 || filter.nid & 1 << node != 0;
        tid_ok
            && match self.setting.event {
                0x34 => node_ok && filter.state & 1 << slots(6)[at(m % 21)] != 0,
                0x37 => node_ok,
                0x35 | 0x36 => node_ok && self.tor_passes(m),
                _ => true,
            }
    }

    fn tor_passes(&self, m: u64) -> bool {
        let filter = &self.setting.filter;
        let umask = |bit: u32| self.setting.umask >> bit & 1 == 1;
        let opcode = match slots(21).get(at(m % 235)) {
            Some(&index) => OPCODES[index],
            None => 0x1ff,
        };
        let opcode_ok =
            opcode == filter.opc && (!filter.nc || m % 13 < 2) && (!filter.isoc || m % 19 < 3);
        (!umask(0) || opcode_ok)
            && (!umask(1) || m % 29 < 7)
            && (!umask(5) || m % 31 < 11)
            && (!umask(7) || m % 31 >= 11)
    }

    fn home_passes(&self, m: u64) -> bool {
        let filter = &self.setting.filter;
        let line = slots(8).get(at(m % 37)).map_or(LINES[7], |&i| LINES[i]);
        let (class, opcode, _) = message(m % 990);
        let line_ok = line >> 6 == (filter.address & 0x3fff_ffff_ffff) >> 6;
        let opcode_ok = class << 4 | opcode == u32::from(filter.home_opcode);
        let umask = self.setting.umask;
        (umask & 1 == 0 || line_ok) && (umask & 0x1e == 0 || opcode_ok)
    }

    fn value(&self, cycle: u64) -> u64 {
        let (round, block, step) = (cycle / 32, cycle % 32 / 4, cycle % 4);
        let value = match (self.max_inc, step) {
            (_, 3) => 0,
            (m, 0) => m,
            (m, 1) => m.div_ceil(2),
            _ => 1,
        };
        let adds = |signal: u64| {
            let own = block == if signal == 8 { 0 } else { signal };
            own && self.exists[at(signal)]
                && self.selects(signal)
                && self.is_on(signal, round).is_some_and(|m| self.passes(m))
        };
        (0..9).filter(|&signal| adds(signal)).count() as u64 * value
    }

    fn count(&self, cycles: u64) -> u64 {
        let setting = &self.setting;
        let thresh = u64::from(setting.thresh);
        let occupancy = self.site.kind == BoxKind::Pcu && setting.event >= 0x80;
        let (mut total, mut before) = (0, 0);
        for cycle in 0..cycles {
            let value = self.value(cycle);
            let value = match thresh {
                0 => value,
                _ if occupancy && setting.occ_invert => u64::from(value < thresh),
                _ => u64::from(value >= thresh),
            };
            total += if setting.edge || occupancy && setting.occ_edge {
                u64::from(value != 0 && before == 0)
            } else {
                value
            };
            before = value;
        }
        total
    }
}

/// The page's own table of messages, one entry for each slot.
fn message(slot: u64) -> (u32, u32, u32) {
    static SLOTS: OnceLock<Vec<(u32, u32, u32)>> = OnceLock::new();
    let slots = SLOTS.get_or_init(|| {
        let mut slots = Vec::new();
        for (_, range, message) in page::table() {
            let entry = (message.class, message.opcode, message.state);
            let entry = (entry.0.into(), entry.1.into(), entry.2.into());
            slots.extend(range.map(|_| entry));
        }
        slots
    });
    slots[at(slot)]
}

fn packet_passes(m: u64, packet: PacketMatch) -> bool {
    let (class, opcode, state) = message(m % 3403);
    let network = [0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3][at(m % 11)];
    let node = slots(11)
        .get(at(m % 67))
        .map_or(31, |&i| u32::from(DESTINATIONS[i]));
    let p0 = node << 13 | class << 9 | opcode << 5 | network << 3;
    let p1 = state << 16;
    let (mask0, mask1) = (packet.mask0 & 0x3_ffff, packet.mask1 & 0xf_0000);
    p0 & mask0 == packet.match0 & mask0 && p1 & mask1 == packet.match1 & mask1
}

fn small(number: usize) -> u8 {
    u8::try_from(number).expect("8 bits")
}

fn at(number: u64) -> usize {
    usize::try_from(number).expect("an index")
}

/// Owner of each slot, where owner i has i + 1 of them.
fn slots(owners: usize) -> Vec<usize> {
    (0..owners)
        .flat_map(|owner| std::iter::repeat_n(owner, owner + 1))
        .collect()
}

/// Bursts that end at every place of a round, and one of some length.
const BURSTS: [u64; 8] = [0, 1, 2, 35, 64, 1001, 2047, 6_000];

fn agrees(site: Site, setting: Setting) {
    let brute = Cycles::new(site, setting);
    for uclk in BURSTS {
        let cycles = match site.kind {
            BoxKind::Imc => uclk * 7 / 18,
            BoxKind::Qpi => uclk * 5 / 12,
            BoxKind::Pcu => uclk / 3,
            _ => uclk,
        };
        let closed = count(site, &setting, uclk);
        assert_eq!(closed, brute.count(cycles), "{site:?} {setting:?} {uclk}");
    }
}

/// A box of the type; another for each seed.
fn site(kind: BoxKind, seed: usize) -> Site {
    let instances = match kind {
        BoxKind::Ubox | BoxKind::Pcu | BoxKind::R2pcie => 1,
        BoxKind::Ha | BoxKind::Irp => 2,
        BoxKind::Qpi | BoxKind::R3qpi => 3,
        BoxKind::Imc => 8,
        BoxKind::Cbox => 15,
    };
    let package = small(seed / instances % 8);
    Site {
        kind,
        instance: small(seed % instances),
        package,
        peer: package ^ 1,
    }
}

#[test]
fn every_row_of_the_catalogue_agrees() {
    for kind in BoxKind::ALL {
        let rows = Catalogue::get().of(kind);
        let rows = rows.filter(|row| !row.is_clock() && row.name().is_some());
        for (seed, row) in rows.enumerate() {
            let filter = Filter {
                state: 0x3f,
                nid: 0x00f0,
                opc: OPCODES[seed % 21],
                address: LINES[seed % 8],
                home_opcode: 0x38,
                bands: [0x10, 20, 30, 34],
                packet: row.needs.packet.unwrap_or_default(),
                ..Filter::default()
            };
            agrees(site(kind, seed), Setting::row(row).filtered(filter));
        }
    }
}

#[test]
fn thresholds_and_edges_agree() {
    for (seed, (kind, setting)) in [
        (BoxKind::Cbox, Setting::event(0x11, 1)),
        (BoxKind::Cbox, Setting::event(0x36, 8)),
        (BoxKind::Cbox, Setting::event(0x36, 0x1c)),
        (BoxKind::Cbox, Setting::event(0x34, 0x11)),
        (BoxKind::Cbox, Setting::event(0x02, 0x7f)),
        (BoxKind::Ha, Setting::event(0x43, 0x3f)),
        (BoxKind::Irp, Setting::event(0x10, 0x03)),
        (BoxKind::Qpi, Setting::extended(0x22, 0x01)),
        (BoxKind::R3qpi, Setting::event(0x13, 0x3f)),
    ]
    .into_iter()
    .enumerate()
    {
        for thresh in [0, 1, 2, 9, 10, 11, 19, 20, 21, 28, 128, 255] {
            for edge in [false, true] {
                let filter = Filter {
                    state: 0x2a,
                    ..Filter::default()
                };
                let setting = Setting {
                    thresh,
                    edge,
                    ..setting.filtered(filter)
                };
                agrees(site(kind, seed), setting);
            }
        }
    }
}

#[test]
fn occupancies_of_the_pcu_agree_inverted_and_at_edges() {
    for umask in [0x40, 0x80, 0xc0] {
        for thresh in [1, 2, 4, 5, 8, 9, 31] {
            for (edge, occ_edge, occ_invert) in [
                (false, false, true),
                (false, true, false),
                (false, true, true),
                (true, false, true),
                (true, true, true),
            ] {
                let setting = Setting {
                    thresh,
                    edge,
                    occ_invert,
                    occ_edge,
                    ..Setting::event(0x80, umask)
                };
                agrees(site(BoxKind::Pcu, usize::from(thresh)), setting);
            }
        }
    }
}

#[test]
fn cbox_filters_agree_in_all_combinations() {
    let mut seed = 0;
    for umask in 0..=255_u8 {
        for event in [0x34, 0x35, 0x37] {
            seed += 1;
            let filter = Filter {
                tid: (seed % 3 == 0).then_some(small(seed % 32)),
                state: 1 << (seed % 6),
                nid: 1 << (seed % 16) | 0x8000,
                opc: OPCODES[(seed * 5) % 21],
                nc: seed % 5 == 0,
                isoc: seed % 7 == 0,
                ..Filter::default()
            };
            let setting = Setting::event(event, umask).filtered(filter);
            agrees(site(BoxKind::Cbox, seed), setting);
        }
    }
}

#[test]
fn home_agent_and_irp_agree_under_any_umask() {
    for umask in 0..32_u8 {
        let seed = usize::from(umask);
        let filter = Filter {
            address: LINES[7 - seed % 3] | 0x15,
            home_opcode: [0x3f, 0x1e, 0x3a][seed % 3],
            ..Filter::default()
        };
        let home = Setting::event(0x20, umask).filtered(filter);
        agrees(site(BoxKind::Ha, seed), home);
        agrees(site(BoxKind::Irp, seed), Setting::event(0x15, umask));
    }
}

#[test]
fn packets_agree_under_any_mask() {
    for seed in 0..300_usize {
        let random = (u32::try_from(seed).expect("small") + 1).wrapping_mul(0x9e37_79b9);
        let packet = PacketMatch {
            match0: [0x1c00, 0x3_f318, 0x0600, 0xffff_ffff][seed % 4],
            mask0: random >> 14 & [0x3_ffff, 0x1fe0, 0x3_e018][seed % 3],
            match1: [0x4_0000, 0x0000, 0xf_000f][seed % 3],
            mask1: random << 8 & [0, 0xf_000f][seed % 2],
        };
        let filter = Filter {
            packet,
            ..Filter::default()
        };
        let setting = Setting::extended(0x38, 0).filtered(filter);
        agrees(site(BoxKind::Qpi, seed), setting);
    }
}

#[test]
fn bands_and_demotions_agree_for_any_value() {
    for value in 0..=255_u8 {
        let filter = Filter {
            bands: [value, value.rotate_left(3), value / 7, 255 - value],
            ..Filter::default()
        };
        for (seed, event) in [0x0b, 0x0c, 0x0d, 0x0e, 0x1e, 0x25, 0x40, 0x46]
            .into_iter()
            .enumerate()
        {
            let setting = Setting::event(event, 0).filtered(filter);
            agrees(site(BoxKind::Pcu, seed), setting);
        }
    }
}
