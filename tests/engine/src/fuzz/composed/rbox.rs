// SPDX-License-Identifier: GPL-2.0

//! R-Box: a port and one of its six sets of registers (sections 7, 12, 14 and 15).

use super::{joined, masked, registers, Composed, Event, Words};
use crate::fuzz::rng::Rng;
use uncore_catalogue::Row;

/// Event select, and MM_CFG without what reads 0; MATCH and MASK without what must be 0.
pub(super) const OWNED: Words = [SELECT | CONFIG, PACKET, PACKET];

const SELECT: u64 = 0x3e;
const CONFIG: u64 = 0x3f_ffff << 32;
const PACKET: u64 = (0xf << 48) | ((1 << 36) - 1);

/// MM_CFG as it usually is.
const USUAL: u64 = 0x0021_0000 << 32;
/// Its bit that enables the match.
const ENABLE: u64 = 0x0020_0000 << 32;

/// Registers of a port.
const SETS: u64 = 6;
const PORTS: u64 = 4;

/// The registers in the words, in the order of the event selects of a port.
const PLACES: [(&str, Words); 6] = [
    ("IPERF0", [0, 0xffff_ffff, 0]),
    ("IPERF1", [0, 0xffff_ffff, 0]),
    ("QLX0", [0, 0x00ff, 0]),
    ("QLX1", [0, 0xff00, 0]),
    ("XBR1", [CONFIG, PACKET, PACKET]),
    ("XBR2", [CONFIG, PACKET, PACKET]),
];

pub(super) fn event(words: &Words) -> Option<Event> {
    let select = words[0] >> 1 & 0x1f;
    let (port, set) = (select / SETS, select % SETS);
    let row = Composed::Rbox
        .rows()
        .into_iter()
        .find(|row| u64::from(row.code) == set & !1)?;
    let counters = Some(row.counters).filter(|_| port < PORTS)?;
    let (name, mask) = PLACES[usize::try_from(set).ok()?];
    let mut value = masked(words, &mask);
    let matches = name.starts_with("XBR");
    if matches {
        value[0] = match value[0] {
            0 => USUAL,
            config => config | ENABLE,
        };
    }
    Some(Event {
        counters,
        uses: joined(&[SELECT, 0, 0], &mask),
        // Without an event there is nothing to count; the first type of the QLX is 0.
        needs: if name.starts_with("IPERF") {
            mask
        } else {
            [0; 3]
        },
        useless: matches && value[1] & !value[2] != 0,
        shares: vec![((name, port), value)],
    })
}

pub(super) fn words(rng: &mut Rng, row: &Row) -> Words {
    let second = rng.below(2);
    let select = SETS * rng.below(PORTS) + u64::from(row.code) + second;
    let mut words = [select << 1, 0, 0];
    for (name, value) in registers(row) {
        match name {
            "IPERF" | "MATCH" => words[1] = value,
            "QLX" => words[1] = value << (8 * second),
            "MASK" => words[2] = value,
            "MM_CFG" if rng.chance(30) => words[0] |= value << 32,
            _ => {}
        }
    }
    words
}
