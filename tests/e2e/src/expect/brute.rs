// SPDX-License-Identifier: GPL-2.0

//! The same page read again, cycle by cycle and with tables written out: the
//! closed form of `expect.rs` must agree with it everywhere.

use super::{count, Setting, Site, OPCODES};
use crate::catalogue::{BoxKind, Catalogue};

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
        for row in rows.filter(|row| row.code == setting.event) {
            max_inc = max_inc.max(u64::from(row.max_inc.unwrap_or(1)));
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
        let event = u64::from(self.setting.event);
        let box_id = u64::from(self.site.instance) * 8 + u64::from(self.site.package);
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
            | (BoxKind::Cbox, 0x35 | 0x36, 1 | 5 | 6 | 7) => false,
            (BoxKind::Cbox, 0x34, 1..=4) => bit(0) && (bit(signal) || umask & 0x1e == 0),
            (BoxKind::Cbox, 0x37, 0..=3) => bit(signal) || umask & 0x4f == 0x40,
            _ => bit(signal),
        }
    }

    /// Whether the filters let transaction m pass.
    fn passes(&self, m: u64) -> bool {
        let s = &self.setting;
        let umask = |bit: u32| s.umask >> bit & 1 == 1;
        let tid = (m % 529).min(527);
        let tid_ok = s
            .tid
            .is_none_or(|asked| slots(32)[at(tid)] == usize::from(asked));
        let node = slots(16)[at(m % 136)];
        let node_ok = !umask(6) || s.nid & 1 << node != 0;
        match (self.site.kind, s.event) {
            (BoxKind::Cbox, 0x34) => tid_ok && node_ok && s.state & 1 << slots(6)[at(m % 21)] != 0,
            (BoxKind::Cbox, 0x37) => tid_ok && node_ok,
            (BoxKind::Cbox, 0x35 | 0x36) => tid_ok && node_ok && self.tor_passes(m),
            (BoxKind::Cbox, _) => tid_ok,
            _ => true,
        }
    }

    fn tor_passes(&self, m: u64) -> bool {
        let s = &self.setting;
        let umask = |bit: u32| s.umask >> bit & 1 == 1;
        let opcode = match slots(21).get(at(m % 235)) {
            Some(&index) => OPCODES[index],
            None => 0x1ff,
        };
        let opcode_ok = opcode == s.opc && (!s.nc || m % 13 < 2) && (!s.isoc || m % 19 < 3);
        (!umask(0) || opcode_ok)
            && (!umask(1) || m % 29 < 7)
            && (!umask(5) || m % 31 < 11)
            && (!umask(7) || m % 31 >= 11)
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
        let thresh = u64::from(self.setting.thresh);
        let (mut total, mut before) = (0, 0);
        for cycle in 0..cycles {
            let value = match thresh {
                0 => self.value(cycle),
                _ => u64::from(self.value(cycle) >= thresh),
            };
            total += if self.setting.edge {
                u64::from(value != 0 && before == 0)
            } else {
                value
            };
            before = value;
        }
        total
    }
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
        let cycles = if site.kind == BoxKind::Imc {
            uclk * 7 / 18
        } else {
            uclk
        };
        let closed = count(site, &setting, uclk);
        assert_eq!(closed, brute.count(cycles), "{site:?} {setting:?} {uclk}");
    }
}

fn site(kind: BoxKind, seed: usize) -> Site {
    let instances = match kind {
        BoxKind::Ubox => 1,
        BoxKind::Cbox => 15,
        BoxKind::Imc => 8,
    };
    Site {
        kind,
        instance: small(seed % instances),
        package: small(seed / instances % 4),
    }
}

#[test]
fn every_row_of_the_catalogue_agrees() {
    for kind in BoxKind::ALL {
        let rows = Catalogue::get().of(kind);
        let rows = rows.filter(|row| !row.is_clock() && !row.needs.undocumented);
        for (seed, row) in rows.enumerate() {
            let setting = Setting {
                state: 0x3f,
                nid: 0x00f0,
                opc: OPCODES[seed % 21],
                ..Setting::event(row.code, row.umask)
            };
            agrees(site(kind, seed), setting);
        }
    }
}

#[test]
fn thresholds_and_edges_agree() {
    for (seed, (event, umask)) in [
        (0x11, 1),
        (0x36, 8),
        (0x36, 0x1c),
        (0x34, 0x11),
        (0x02, 0x7f),
    ]
    .into_iter()
    .enumerate()
    {
        for thresh in [0, 1, 2, 9, 10, 11, 19, 20, 21, 255] {
            for edge in [false, true] {
                let setting = Setting {
                    thresh,
                    edge,
                    state: 0x2a,
                    ..Setting::event(event, umask)
                };
                agrees(site(BoxKind::Cbox, seed), setting);
            }
        }
    }
}

#[test]
fn filters_agree_in_all_combinations() {
    let mut seed = 0;
    for umask in 0..=255_u8 {
        for event in [0x34, 0x35, 0x37] {
            seed += 1;
            let setting = Setting {
                tid: (seed % 3 == 0).then_some(small(seed % 32)),
                state: 1 << (seed % 6),
                nid: 1 << (seed % 16) | 0x8000,
                opc: OPCODES[(seed * 5) % 21],
                nc: seed % 5 == 0,
                isoc: seed % 7 == 0,
                ..Setting::event(event, umask)
            };
            agrees(site(BoxKind::Cbox, seed), setting);
        }
    }
}
