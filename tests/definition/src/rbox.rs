// SPDX-License-Identifier: GPL-2.0

//! "R-Box" of traffic.rst: what the registers of a port choose.

/// Returns the event select and the number of each signal that a register of the R-Box chooses.
/// `filters` has its value, and MM_CFG of a match set as the third.
pub fn signals(code: u8, filters: [u64; 4]) -> Vec<(u64, u64)> {
    let (port, register) = (u64::from(code / 6), code % 6);
    let own = match register {
        0 | 1 => of_iperf(filters[0]),
        2 => of_qlx(filters[0] & 0xFF),
        3 => of_qlx(filters[0] >> 8),
        _ => of_xbr(filters[2]),
    };
    let of_port = own.into_iter();
    of_port
        .map(|(code, number)| (64 * port + code, number))
        .collect()
}

fn of_iperf(value: u64) -> Vec<(u64, u64)> {
    let is_set = |bit: &u64| value >> bit & 1 == 1;
    let mut all: Vec<(u64, u64)> = (8..=16)
        .chain(24..=31)
        .filter(is_set)
        .map(|bit| (bit / 8, bit % 8))
        .collect();
    let network = value >> 6 & 3;
    for bit in (0..=5).filter(is_set) {
        match network {
            3 => all.extend([(40, bit), (41, bit), (42, bit)]),
            network => all.push((40 + network, bit)),
        }
    }
    let queue = value >> 17 & 0xF;
    if (1..=8).contains(&queue) {
        all.push((if is_set(&21) { 5 } else { 4 }, queue - 1));
    }
    all
}

fn of_qlx(half: u64) -> Vec<(u64, u64)> {
    let (event, class, network) = (half & 0xF, half >> 4 & 7, half >> 7 & 1);
    match event {
        0..=10 => vec![(6 + event + 11 * network, class)],
        _ => Vec::new(),
    }
}

fn of_xbr(mm_cfg: u64) -> Vec<(u64, u64)> {
    let flit = mm_cfg >> 16 & 0xF;
    match (mm_cfg >> 21 & 1, mm_cfg >> 20 & 1) {
        (0, _) => Vec::new(),
        (_, 0) => vec![(28 + flit / 8, flit % 8)],
        _ => vec![(30, 0)],
    }
}
