// SPDX-License-Identifier: GPL-2.0

//! The M-Box of traffic.rst, line by line.

use crate::attributes::{home, slot_owner};

/// A signal: its event select with the extra bit, and its number.
pub type Signal = (u64, u64);

/// Returns bits of a value.
fn bits(value: u64, low: u32, count: u32) -> u64 {
    value >> low & ((1 << count) - 1)
}

/// Returns the signals of an event, `set_flag_sel` being 256 higher, by PLD and by the other
/// sub-register of the event. Fields behind FVID are `higher` bits higher, on the first Xeon E7 by
/// one.
pub fn signals(event: u64, register: u64, pld: u64, higher: u32) -> Vec<Signal> {
    let split = |first: u64, value: u64| vec![(first + value / 8, value % 8)];
    match event {
        0x00 | 0x100 => (0..4)
            .filter(|bit| register >> (7 + bit) & 1 == 1)
            .map(|bit| (event, bit))
            .collect(),
        0x04 | 0x05 => {
            let (first, low) = if event == 4 { (64, 7) } else { (68, 9) };
            let dimms = match bits(register, 3, 1) {
                1 => 0..8,
                _ => bits(register, 4, 3)..bits(register, 4, 3) + 1,
            };
            let condition = first + bits(register, low, 2);
            dimms.map(|dimm| (condition, dimm)).collect()
        }
        0x08 if higher == 1 => vec![(event, bits(register, 10, 1))],
        0x09 => match bits(register, 0, 4) {
            kind @ (0..=3 | 8 | 0xC) => split(72, kind),
            _ => Vec::new(),
        },
        0x0A => split(80, bits(pld, 8, 5)),
        0x0B if bits(pld, 16, 3) == 0 => vec![(11, 3 * bits(pld, 7, 1))],
        0x0B => {
            let command = split(84, bits(pld, 19, 5));
            let all = [command, vec![(11, 1)], vec![(11, 2)]];
            let chosen = (16..).zip(all).filter(|(bit, _)| bits(pld, *bit, 1) == 1);
            chosen.flat_map(|(_, signals)| signals).collect()
        }
        0x0D..=0x10 => {
            let own = match event {
                0x0D => 11,
                0x0E => 14,
                0x0F => 17,
                _ => 20,
            };
            match bits(register, own + higher, 3) {
                5 => vec![(89, bits(register, 5 + higher, 3))],
                6 => vec![(90, bits(register, 8 + higher, 3))],
                event => vec![(88, event)],
            }
        }
        0x15 if higher == 1 => vec![(event, bits(register, 11, 1))],
        0x16 => vec![(event, bits(register, 0, 1))],
        0x101 => match bits(register, 4, 3) {
            mode @ 0..=3 => vec![(event, mode)],
            _ => Vec::new(),
        },
        0x105 => vec![(event, bits(register, 6, 1))],
        0x106 => match bits(register, 5 + higher, 4) {
            8 => (0..8).map(|command| (event, command)).collect(),
            command @ 0..=7 => vec![(event, command)],
            _ => Vec::new(),
        },
        _ => vec![(event, 8)],
    }
}

/// Tells if transaction m of an event passes; `address` is ADDR_MATCH, with bit 63 of MM_CFG,
/// and `mask` ADDR_MASK, whose bits of 1 ignore.
pub(crate) fn passes(event: u64, [iss, pld, address, mask]: [u64; 4], m: u64) -> bool {
    let of_mode = event != 0x0A || pld & 1 == 0 || slot_owner(m % 10) == bits(iss, 7, 3);
    let (line, _) = home(m);
    let compared = bits(!mask, 0, 27) << 6;
    let matches = address >> 63 == 0 || (line ^ address) & compared == 0;
    of_mode && (!matches!(event, 0x0A | 0x0B) || matches)
}
