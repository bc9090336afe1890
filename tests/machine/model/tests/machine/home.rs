// SPDX-License-Identifier: GPL-2.0

//! Address and opcode match of the home agent: Documentation/hardware/ivbep.rst
//! section 7.3, tables 2-42 to 2-44, on the transactions of traffic.rst.

use crate::bench::{uncore, Bench};
use uncore_definition::attributes::messages;
use uncore_definition::{on, rate};

const EN: u32 = 1 << 22;
const RST: u32 = 1 << 17;

/// 31,250 rounds.
const MILLION: u64 = 1_000_000;

/// The list of traffic.rst.
const LINES: [u64; 8] = [
    0x0000_0000_0040,
    0x0000_8000_0000,
    0x0000_FFFF_FFC0,
    0x0001_0000_0000,
    0x0001_0000_0040,
    0x1234_5678_9A80,
    0x2000_0000_0000,
    0x3FFF_FFFF_FFC0,
];

/// A home agent under test.
struct Agent {
    bench: Bench,
    device: u8,
}

impl Agent {
    fn new(device: u8) -> Self {
        let bench = Bench::usual();
        Self { bench, device }
    }

    fn set(&mut self, address: u64, opc: u64) {
        let at = uncore(self.device, 1);
        self.bench.set(at, 0x40, (address & 0xFFFF_FFFF) as u32);
        self.bench.set(at, 0x44, (address >> 32) as u32);
        self.bench.set(at, 0x48, opc as u32);
    }

    /// ADDR_OPC_MATCH with an umask, in blocks.
    fn count(&mut self, umask: u32) -> u64 {
        let at = uncore(self.device, 1);
        self.bench.set(at, 0xd8, EN | RST | umask << 8 | 0x20);
        self.bench.machine.burst(MILLION);
        let count = self.bench.cfg_counter(at, 0xa0);
        assert_eq!(count % 3, 0);
        count / 3
    }
}

/// On-blocks of a signal of ADDR_OPC_MATCH in package 0.
fn transactions(instance: u64, signal: u64) -> u64 {
    on(31_250, rate(0x20, signal, instance, 0))
}

fn all_rings(instance: u64) -> u64 {
    (2..=4).map(|signal| transactions(instance, signal)).sum()
}

#[test]
fn the_worked_example_of_the_traffic_page() {
    let mut agent = Agent::new(14);
    agent.set(0x1_0000_0000, 0);
    assert_eq!(agent.count(0x01) * 3, 23_184);
}

#[test]
fn lines_divide_the_traffic() {
    for (instance, device) in [(0, 14), (1, 28)] {
        let mut agent = Agent::new(device);
        let counts = LINES.map(|line| {
            agent.set(line, 0);
            agent.count(0x01)
        });
        assert_eq!(counts.iter().sum::<u64>(), all_rings(instance));
        // Each line has a share of its own.
        assert!(counts.windows(2).all(|pair| pair[1] > pair[0] + 100));
        agent.bench.assert_clean();
    }
}

#[test]
fn opcodes_divide_the_traffic() {
    let mut agent = Agent::new(14);
    let mut sum = 0;
    for (class, opcode, _) in &messages()[..44] {
        agent.set(0, class << 4 | opcode);
        sum += agent.count(0x02);
    }
    assert_eq!(sum, all_rings(0));
    agent.set(0, 0x0B);
    assert_eq!(agent.count(0x02), 0, "HOM0 has no opcode 1011");
}

#[test]
fn each_ring_has_its_signal() {
    let mut agent = Agent::new(28);
    // SnpData: class 3, opcode 2; entry 38, numbers 741 to 779.
    agent.set(0, 0x32);
    let rings = [0x04, 0x08, 0x10].map(|umask| agent.count(umask));
    for (signal, count) in (2..).zip(rings) {
        let total = transactions(1, signal);
        let expected = total / 990 * 39 + (total % 990).min(780).saturating_sub(741);
        assert_eq!(count, expected);
    }
    assert_eq!(agent.count(0x02), rings.iter().sum(), "OPC: any ring");
    assert_eq!(agent.count(0x06), rings[0], "OPC adds nothing to AD");
    assert_eq!(agent.count(0x0C), rings[0] + rings[1]);
    assert_eq!(agent.count(0x1E), rings.iter().sum());
    agent.bench.assert_clean();
}

#[test]
fn filt_wants_both() {
    let mut agent = Agent::new(14);
    let mut sum = 0;
    for (class, opcode, _) in &messages()[..44] {
        agent.set(LINES[5], class << 4 | opcode);
        let filt = agent.count(0x03);
        let rings = [0x05, 0x09, 0x11].map(|umask| agent.count(umask));
        assert_eq!(filt, rings.iter().sum());
        sum += filt;
    }
    agent.set(LINES[5], 0);
    assert_eq!(sum, agent.count(0x01), "each access has one opcode");
}

#[test]
fn every_bit_of_the_address_counts() {
    let mut agent = Agent::new(14);
    agent.set(LINES[5], 0);
    let right = agent.count(0x01);
    assert!(right > 0);
    for bit in 6..46 {
        agent.set(LINES[5] ^ 1 << bit, 0);
        assert_eq!(agent.count(0x01), 0, "bit {bit}");
    }
    for bit in (0..6).chain(46..64) {
        agent.set(LINES[5] ^ 1 << bit, 0);
        assert_eq!(agent.count(0x01), right, "bit {bit} is ignored");
    }
    agent.bench.assert_clean();
}

#[test]
fn after_reset() {
    let mut agent = Agent::new(14);
    assert_eq!(agent.count(0x01), 0, "no line has the address 0");
    assert_eq!(agent.count(0x03), 0);
    let read_current = agent.count(0x02);
    let expected = (2..=4).map(|signal| transactions(0, signal).div_ceil(990));
    assert_eq!(read_current, expected.sum::<u64>());
    assert_eq!(agent.count(0x00), 0);
    assert_eq!(agent.bench.machine.violations().len(), 1, "umask 0");
}

#[test]
fn other_events_do_not_look() {
    let mut agent = Agent::new(14);
    let at = uncore(14, 1);
    let mut requests = || {
        agent.bench.set(at, 0xdc, EN | RST | 0x0301);
        agent.bench.machine.burst(MILLION);
        let count = agent.bench.cfg_counter(at, 0xa8);
        agent.bench.set(at, 0x48, 0x3F);
        count
    };
    assert_eq!(requests(), requests());
}
