// SPDX-License-Identifier: GPL-2.0

//! The two ends of a QPI link: flits sent at one end arrive at the other
//! (traffic.rst).

use uncore_machine::Function;

use crate::bench::Bench;
use uncore_definition::{on, rate};

const EN: u32 = 1 << 22;
const EXT: u32 = 1 << 21;
const THRESH_2: u32 = 2 << 24;
const EDGE: u32 = 1 << 18;

/// Whole rounds of qfclk.
const ROUNDS: u64 = 25_000;
const UCLK: u64 = ROUNDS * 32 * 12 / 5;

/// RxL_FLITS_G0 to G2 and TxL_FLITS_G0 to G2, with all that they share.
const FLITS: [(u32, u32, u32); 3] = [
    (0x01, 0x00, 0x06),
    (EXT | 0x02, EXT, 0x1f),
    (EXT | 0x03, EXT | 0x01, 0x1f),
];

/// Packages, their uncore buses and the numbers of devices with a port.
const MACHINES: [(&str, &[u8], &[u8]); 4] = [
    ("packages=1", &[0x7f], &[8, 9]),
    ("packages=2", &[0x7f, 0xff], &[8, 9]),
    ("packages=4", &[0x3f, 0x7f, 0xbf, 0xff], &[8, 9]),
    ("packages=2,part=ex", &[0x7f, 0xff], &[8, 9, 24]),
];

fn port(bus: u8, device: u8) -> Function {
    Function {
        bus,
        device,
        function: 2,
    }
}

/// Returns the count of counter 0 of a port in a fresh machine.
fn count(options: &str, at: Function, control: u32) -> u64 {
    let mut bench = Bench::new(options);
    bench.set(at, 0xd8, EN | control);
    bench.machine.burst(UCLK);
    bench.cfg_counter(at, 0xa0)
}

#[test]
fn what_one_end_sends_the_other_receives() {
    for (options, buses, devices) in MACHINES {
        for (package, bus) in buses.iter().enumerate() {
            let other = buses.get(package ^ 1).unwrap_or(bus);
            for device in devices {
                let (here, there) = (port(*bus, *device), port(*other, *device));
                for (received, sent, umasks) in FLITS {
                    for umask in (0..8).map(|bit| 1 << bit).chain([umasks]) {
                        if umask & umasks == 0 {
                            continue;
                        }
                        let umask = umask << 8;
                        let received = count(options, here, received | umask);
                        let sent = count(options, there, sent | umask);
                        assert_eq!(received, sent, "{options}: {here} of {there}");
                        assert!(received > 0);
                    }
                }
            }
        }
    }
}

#[test]
fn each_end_has_its_own_threshold_and_edge() {
    let drs_data = 0x0800;
    let blocks = on(ROUNDS, rate(256, 3, 0, 1));
    for (shape, g) in [(0, 4), (1 << 24, 3), (THRESH_2, 1), (THRESH_2 | EDGE, 1)] {
        let received = EXT | 0x02 | drs_data | shape;
        assert_eq!(count("", port(0x7f, 8), received), blocks * g);
    }
}

#[test]
fn idle_flits_are_those_of_the_receiver() {
    let idle = count("", port(0x7f, 9), 0x0101);
    assert_eq!(idle, 4 * on(ROUNDS, rate(1, 0, 1, 0)));
    let all = count("", port(0x7f, 9), 0x0701);
    assert_eq!(all, idle + count("", port(0xff, 9), 0x0600));
}

#[test]
fn the_worked_example() {
    let k = |id: u64| (1 << 20) + id * 726_541 % (1 << 20);
    let received = EXT | 0x02 | 0x0800;
    let linked = count("packages=2", port(0x7f, 9), received);
    assert_eq!(linked, 4 * on(ROUNDS, k(295_305)));
    let looped = count("packages=1", port(0x7f, 9), received);
    assert_eq!(looped, 4 * on(ROUNDS, k(295_304)));
}
