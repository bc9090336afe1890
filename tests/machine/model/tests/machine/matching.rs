// SPDX-License-Identifier: GPL-2.0

//! Packet matching of QPI: Documentation/hardware/ivbep.rst sections 7.7 and 8,
//! tables 2-133 to 2-137, 2-216 and 2-217, on the packets of traffic.rst.

use std::ops::RangeInclusive;

use uncore_machine::Function;

use crate::bench::{uncore, Bench};
use uncore_catalogue::rows;
use uncore_definition::attributes::messages;
use uncore_definition::{on, rate};

const EN: u32 = 1 << 22;
const RST: u32 = 1 << 17;

/// CTO_COUNT: 0x38 with the extra select bit.
const CTO_COUNT: u32 = EN | 1 << 21 | 0x38;

/// Cycles of uclk with which a port sees 2^22 cycles: 2^17 rounds.
const LONG: u64 = (1 << 22) * 12 / 5 + 1;

/// Match and mask as T2-137 has them: MATCH0[12:0], MASK0[12:0], MATCH1[19:16],
/// MASK1[19:16].
type Packet = (u32, u32, u32, u32);

/// T2-137, then the packets that section 7.7 derives, each with its entries in the
/// list of messages.
const PRESETS: [(&str, Packet, RangeInclusive<usize>); 32] = [
    ("DRS.AnyDataC", (0x1C00, 0x1F80, 0, 0), 64..=74),
    ("DRS.DataC_M", (0x1C00, 0x1FE0, 0x8, 0xF), 64..=64),
    ("DRS.DataC_E", (0x1C00, 0x1FE0, 0x4, 0xF), 65..=65),
    ("DRS.DataC_F", (0x1C00, 0x1FE0, 0x1, 0xF), 66..=66),
    ("DRS.DataC_E_Cmp", (0x1C40, 0x1FE0, 0x4, 0xF), 71..=71),
    ("DRS.DataC_F_Cmp", (0x1C40, 0x1FE0, 0x1, 0xF), 72..=72),
    (
        "DRS.DataC_E_FrcAckCnflt",
        (0x1C20, 0x1FE0, 0x4, 0xF),
        68..=68,
    ),
    (
        "DRS.DataC_F_FrcAckCnflt",
        (0x1C20, 0x1FE0, 0x1, 0xF),
        69..=69,
    ),
    ("DRS.WbIData", (0x1C80, 0x1FE0, 0, 0), 75..=75),
    ("DRS.WbSData", (0x1CA0, 0x1FE0, 0, 0), 76..=76),
    ("DRS.WbEData", (0x1CC0, 0x1FE0, 0, 0), 77..=77),
    ("DRS.AnyResp", (0x1C00, 0x1E00, 0, 0), 64..=81),
    ("DRS.AnyResp9flits", (0x1C00, 0x1F00, 0, 0), 64..=78),
    ("DRS.AnyResp11flits", (0x1D00, 0x1F00, 0, 0), 79..=81),
    ("NCB.AnyResp", (0x1800, 0x1E00, 0, 0), 54..=63),
    ("NCB.AnyMsg9flits", (0x1800, 0x1F00, 0, 0), 54..=55),
    ("NCB.AnyMsg11flits", (0x1900, 0x1F00, 0, 0), 56..=63),
    ("NCB.AnyInt", (0x1900, 0x1F80, 0, 0), 56..=59),
    ("HOM.AnyReq", (0x0000, 0x1E00, 0, 0), 0..=14),
    ("HOM.AnyResp", (0x0200, 0x1E00, 0, 0), 15..=26),
    ("HOM.RespFwd", (0x0300, 0x1FE0, 0, 0), 20..=20),
    ("HOM.RespFwdI", (0x0320, 0x1FE0, 0, 0), 21..=21),
    ("HOM.RespFwdS", (0x0340, 0x1FE0, 0, 0), 22..=22),
    ("HOM.RespFwdIWb", (0x0360, 0x1FE0, 0, 0), 23..=23),
    ("HOM.RespFwdSWb", (0x0380, 0x1FE0, 0, 0), 24..=24),
    ("HOM.RespIWb", (0x03A0, 0x1FE0, 0, 0), 25..=25),
    ("HOM.RespSWb", (0x03C0, 0x1FE0, 0, 0), 26..=26),
    ("SNP.AnySnp", (0x0600, 0x1E00, 0, 0), 36..=43),
    ("NCS.NcRd", (0x0800, 0x1FE0, 0, 0), 44..=44),
    ("NCS.AnyMsg1or2flits", (0x0800, 0x1F00, 0, 0), 44..=49),
    ("NCS.AnyMsg3flits", (0x0900, 0x1F00, 0, 0), 50..=53),
    ("NCB.AnyMsg", (0x1800, 0x1E00, 0, 0), 54..=63),
];

/// The match/mask function of a port.
fn matcher(port: Function) -> Function {
    Function {
        function: 6,
        ..port
    }
}

fn set_masks(bench: &mut Bench, port: Function, words: [u32; 4]) {
    for (offset, word) in [0x228, 0x22c, 0x238, 0x23c].into_iter().zip(words) {
        bench.set(matcher(port), offset, word);
    }
}

/// Returns the count of CTO_COUNT in [`LONG`] with these registers, per block.
fn packets(bench: &mut Bench, port: Function, words: [u32; 4]) -> u64 {
    set_masks(bench, port, words);
    bench.set(port, 0xd8, CTO_COUNT | RST);
    bench.machine.burst(LONG);
    let count = bench.cfg_counter(port, 0xa0);
    assert_eq!(count % 4, 0, "a block adds 2 + 1 + 1");
    count / 4
}

/// On-blocks of CTO_COUNT in [`LONG`] on an instance in package 0.
fn transactions(instance: u64) -> u64 {
    on(1 << 17, rate(256 + 0x38, 8, instance, 0))
}

/// Returns how many of the first `total` transactions have `m mod period` in
/// `slots`.
fn in_slots(total: u64, period: u64, slots: RangeInclusive<u64>) -> u64 {
    let (first, last) = slots.into_inner();
    let below = |end: u64| end.min(last + 1).saturating_sub(first);
    total / period * below(period) + below(total % period)
}

/// The slots of a run of entries of the list of messages.
fn slots(entries: &RangeInclusive<usize>) -> RangeInclusive<u64> {
    let (first, last) = (*entries.start() as u64, *entries.end() as u64);
    first * (first + 1) / 2..=last * (last + 1) / 2 + last
}

#[test]
fn the_presets_of_t2_137_and_section_7_7() {
    let mut bench = Bench::usual();
    for (instance, device) in [(0, 8), (1, 9)] {
        for (name, (match0, mask0, rds, rds_mask), entries) in &PRESETS {
            let words = [*match0, rds << 16, *mask0, rds_mask << 16];
            let count = packets(&mut bench, uncore(device, 2), words);
            let expected = in_slots(transactions(instance), 3403, slots(entries));
            assert_eq!(count, expected, "{name} on port {instance}");
        }
    }
    bench.assert_clean();
}

#[test]
fn the_presets_are_those_of_the_catalogue() {
    let manual = rows()
        .iter()
        .filter(|row| row.event == "MESSAGE" && row.source.contains("T2-137"));
    let mut seen = 0;
    for row in manual {
        let preset = PRESETS.iter().find(|(name, ..)| *name == row.subevent);
        let (_, (match0, mask0, rds, rds_mask), _) = preset.expect("a preset of that name");
        let first = format!("PKT_MATCH0[12:0]=0x{match0:X}+PKT_MASK0[12:0]=0x{mask0:X}");
        let second = match rds_mask {
            0 => String::new(),
            mask => format!("+PKT_MATCH1[19:16]=0x{rds:X}+PKT_MASK1[19:16]=0x{mask:X}"),
        };
        assert_eq!(row.filter, first + &second, "{}", row.subevent);
        seen += 1;
    }
    assert_eq!(seen, 18);
}

#[test]
fn every_message_of_t2_217_is_on_the_wire() {
    let mut bench = Bench::usual();
    let port = uncore(8, 2);
    let messages = messages();
    assert_eq!(messages.len(), 82);
    for (entry, (class, opcode, state)) in messages.into_iter().enumerate() {
        let match0 = (class << 9 | opcode << 5) as u32;
        let words = [match0, (state << 16) as u32, 0x1FE0, 0xF_0000];
        let count = packets(&mut bench, port, words);
        let expected = in_slots(transactions(0), 3403, slots(&(entry..=entry)));
        assert_eq!(count, expected, "class {class:#x} opcode {opcode:#x}");
    }
    // An opcode that the class has not: HOM0 1011, DRS 1001.
    assert_eq!(packets(&mut bench, port, [0x0160, 0, 0x1FE0, 0]), 0);
    assert_eq!(packets(&mut bench, port, [0x1D20, 0, 0x1FE0, 0]), 0);
}

#[test]
fn networks_and_nodes() {
    let mut bench = Bench::usual();
    let (port, total) = (uncore(9, 2), transactions(1));
    // VN0, VN1, VNA as 10 and as 11, and VNA as 1x.
    for (vnw, mask, slots) in [
        (0, 3, 0..=0),
        (1, 3, 1..=2),
        (2, 3, 3..=5),
        (3, 3, 6..=10),
        (2, 2, 3..=10),
    ] {
        let count = packets(&mut bench, port, [vnw << 3, 0, mask << 3, 0]);
        assert_eq!(count, in_slots(total, 11, slots), "VNW {vnw}");
    }
    for (node, slots) in [(0, 0..=0), (7, 28..=35), (8, 36..=44), (16, 45..=54)] {
        let count = packets(&mut bench, port, [node << 13, 0, 0x1F << 13, 0]);
        assert_eq!(count, in_slots(total, 67, slots), "node {node}");
    }
    let highest = packets(&mut bench, port, [31 << 13, 0, 0x1F << 13, 0]);
    assert_eq!(
        highest,
        in_slots(total, 67, 55..=66),
        "and the number left over"
    );
}

#[test]
fn metrics_with_a_node_of_section_7_7() {
    // DRS_DataC_FROM_QPI_TO_NODEx: MATCH0 0x1C00 and DNID x, MASK0 0x3FF80.
    let mut bench = Bench::usual();
    let mut sum = 0;
    for node in [0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 31] {
        let words = [0x1C00 | node << 13, 0, 0x3_FF80, 0];
        sum += packets(&mut bench, uncore(8, 2), words);
    }
    let all = packets(&mut bench, uncore(8, 2), [0x1C00, 0, 0x1F80, 0]);
    assert_eq!(sum, all, "every packet goes to one node");
}

#[test]
fn an_open_mask_counts_everything() {
    let mut bench = Bench::usual();
    let port = uncore(8, 2);
    assert_eq!(packets(&mut bench, port, [0; 4]), transactions(0));
    let unmasked = [0x3_FFF8, 0xF_0000, 0, 0];
    assert_eq!(packets(&mut bench, port, unmasked), transactions(0));
}

#[test]
fn remote_node_ids_are_not_compared() {
    let mut bench = Bench::usual();
    let port = uncore(8, 2);
    let plain = packets(&mut bench, port, [0x1C00, 0, 0x1E00, 0]);
    let words = [0x8000_1C00, 0x5, 0x8000_1E00, 0xF];
    assert_eq!(packets(&mut bench, port, words), plain);
    bench.assert_clean();
}

#[test]
fn a_data_state_alone_sees_zero_in_other_messages() {
    let mut bench = Bench::usual();
    let port = uncore(8, 2);
    let state = |bench: &mut Bench, rds: u32| packets(bench, port, [0, rds << 16, 0, 0xF_0000]);
    let sum: u64 = [0x8, 0x4, 0x1, 0x0]
        .map(|rds| state(&mut bench, rds))
        .iter()
        .sum();
    assert_eq!(sum, transactions(0));
    assert_eq!(state(&mut bench, 0x2), 0, "nobody sends shared data");
}

#[test]
fn both_slots_of_a_cycle() {
    // With edge_det, or thresh 2, cycles in which both slots match.
    let mut bench = Bench::usual();
    let port = uncore(8, 2);
    set_masks(&mut bench, port, [0x1C00, 0, 0x1E00, 0]);
    bench.set(port, 0xd8, CTO_COUNT);
    bench.set(port, 0xdc, CTO_COUNT | 1 << 24);
    bench.set(port, 0xe0, CTO_COUNT | 2 << 24);
    bench.set(port, 0xe4, CTO_COUNT | 2 << 24 | 1 << 18);
    bench.machine.burst(LONG);
    let counts = [0xa0, 0xa8, 0xb0, 0xb8].map(|low| bench.cfg_counter(port, low));
    let blocks = counts[2];
    assert_eq!(counts, [4 * blocks, 3 * blocks, blocks, blocks]);
    assert!(blocks > 0);
    bench.assert_clean();
}

#[test]
fn ports_have_masks_of_their_own() {
    let mut bench = Bench::new("packages=1,part=ex");
    let ports = [8, 9, 24].map(|device| uncore(device, 2));
    set_masks(&mut bench, ports[1], [0x1C00, 0, 0x1E00, 0]);
    for port in ports {
        bench.set(port, 0xd8, CTO_COUNT);
        // RxL_FLITS_G0.DATA, which looks at no mask.
        bench.set(port, 0xdc, EN | 0x0201);
    }
    bench.machine.burst(LONG);
    let counts = ports.map(|port| bench.cfg_counter(port, 0xa0));
    assert_eq!([counts[0], counts[2]], [0, 2].map(|i| 4 * transactions(i)));
    assert_eq!(
        counts[1],
        4 * in_slots(transactions(1), 3403, slots(&(64..=81)))
    );
    let before = ports.map(|port| bench.cfg_counter(port, 0xa8));
    for port in ports {
        set_masks(&mut bench, port, [0x1C00, 0, 0x1E00, 0]);
        bench.set(port, 0xdc, EN | RST | 0x0201);
    }
    bench.machine.burst(LONG);
    assert_eq!(ports.map(|port| bench.cfg_counter(port, 0xa8)), before);
}

#[test]
fn new_masks_hold_from_now_on() {
    let mut bench = Bench::usual();
    let port = uncore(8, 2);
    bench.command("free-run on");
    bench.set(port, 0xd8, CTO_COUNT);
    bench.machine.advance(LONG);
    set_masks(&mut bench, port, [0x1D20, 0, 0x1FE0, 0]);
    bench.machine.advance(LONG);
    assert_eq!(bench.cfg_counter(port, 0xa0), 4 * transactions(0));
}

#[test]
fn masks_survive_resets_and_hiding() {
    let mut bench = Bench::usual();
    let port = uncore(8, 2);
    let words = [0x1C00, 0x8_0000, 0x1FE0, 0xF_0000];
    let expected = packets(&mut bench, port, words);
    bench.set(port, 0xf4, 0x3_0003);
    assert_eq!(bench.cfg(matcher(port), 0x228), 0x1C00);
    bench.command("hide 7f:08.6");
    assert_eq!(bench.cfg(matcher(port), 0x228), u32::MAX);
    assert_eq!(bench.cfg(matcher(port), 0), u32::MAX);
    assert_eq!(
        packets(&mut bench, port, [0; 4]),
        expected,
        "writes are lost"
    );
    bench.command("show 7f:08.6");
    assert_eq!(bench.cfg(matcher(port), 0x23c), 0xF_0000);
    assert_eq!(packets(&mut bench, port, [0; 4]), transactions(0));
    bench.assert_clean();
}

#[test]
fn reserved_bits_are_named_with_the_port() {
    let mut bench = Bench::new("packages=1,part=ex");
    for (device, name) in [(8, "qpi_0"), (9, "qpi_1"), (24, "qpi_2")] {
        bench.command("clear-violations");
        bench.set(uncore(device, 6), 0x228, 1);
        bench.set(uncore(device, 6), 0x23c, 0x10);
        bench.set(uncore(device, 6), 0x230, 0);
        let place = |offset| format!("(7f:{device:02x}.6 offset {offset})");
        let expected = [
            format!(
                "package 0 {name} PKT_MATCH0 {}: bits 0x1 must be written 0",
                place("0x228")
            ),
            format!(
                "package 0 {name} PKT_MASK1 {}: bits 0x10 must be written 0",
                place("0x23c")
            ),
            format!(
                "package 0 {name} {}: no documented register",
                place("0x230")
            ),
        ];
        assert_eq!(bench.command("violations"), expected.join("\n"));
    }
}

#[test]
fn the_state_shows_the_masks() {
    let mut bench = Bench::usual();
    bench.set(uncore(9, 6), 0x238, 0x1FE0);
    assert!(bench
        .command("state")
        .contains("  qpi_1: PKT_MASK0 0x1fe0\n"));
    bench.command("poke-config 7f:09.6 0x238 0x18");
    assert_eq!(bench.command("peek-config 7f:09.6 0x238"), "0x18");
}
