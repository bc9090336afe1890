// SPDX-License-Identifier: GPL-2.0

//! The model of BDX against Documentation/hardware/bdx.rst: writes twice, reset in steps, a reset bit
//! that stays, enables of a box, bits of an overflow, shapes.

use uncore_machine::{Rule, Topology};

use crate::bench::{uncore, uncore1, Bench};

/// Two packages of four cores.
fn usual() -> Bench {
    Bench::new("platform=bdx,cores=4")
}

/// `en` and `ov_en` of a control register.
const EN: u32 = 1 << 22;
const OV_EN: u32 = 1 << 20;

/// Enables freeze and overflow of a box.
const ENABLES: u32 = 3 << 16;

#[test]
fn control_registers_are_written_twice() {
    let mut bench = usual();
    // RxR_INSERTS of R3QPI and R2PCIe.
    for at in [uncore(11, 1), uncore(11, 2), uncore(16, 1)] {
        bench.set(at, 0xd8, EN | 0x1011);
        assert_eq!(bench.cfg(at, 0xd8), EN | 0x1000, "the old event select");
        assert_eq!(bench.broken(), [(Rule::WrittenOnce, 0x11)]);
        bench.machine.burst(1000);
        assert_eq!(bench.cfg_counter(at, 0xa0), 0);
        bench.set(at, 0xd8, 0x1011);
        bench.set(at, 0xd8, EN | 0x1011);
        bench.set(at, 0xd8, EN | 0x1011);
        bench.assert_clean();
        assert_eq!(bench.cfg(at, 0xd8), EN | 0x1011);
        bench.set(at, 0xd8, EN | 0x1010);
        assert_eq!(
            bench.cfg(at, 0xd8),
            EN | 0x1011,
            "another event needs both writes again"
        );
        assert!(bench.broken().contains(&(Rule::WrittenOnce, 0x10)));
    }
    let event = u64::from(EN) | 0x0102;
    bench.wr(0, 0x742, event);
    assert_eq!(bench.rd(0, 0x742), u64::from(EN) | 0x0100, "an S-Box");
    assert_eq!(bench.broken(), [(Rule::WrittenOnce, 0x02)]);
    bench.wr(0, 0xe01, event);
    assert_eq!(bench.rd(0, 0xe01), event, "a C-Box");
    bench.assert_clean();
}

#[test]
fn s_boxes_are_reset_in_steps() {
    let mut bench = usual();
    for base in [0x720, 0x73e] {
        bench.wr(0, base + 6, 5);
        bench.wr(0, base + 1, 0x0102);
        assert!(bench.write_of_faults(0, base, 0x30003));
        assert_eq!(bench.broken(), [(Rule::ResetAtOnce, 0)]);
        assert_eq!(bench.rd(0, base + 6), 5, "the fault has no effect");
        for value in [0x1, 0x3, 0x10003, 0x30003] {
            assert!(!bench.write_of_faults(0, base, value), "{value:#x}");
        }
        assert_eq!([bench.rd(0, base + 6), bench.rd(0, base + 1)], [0, 0]);
        for value in [0x30100, 0x30000, 0x30001, 0x30002] {
            assert!(!bench.write_of_faults(0, base, value), "{value:#x}");
        }
        bench.assert_clean();
        assert!(!bench.write_of_faults(0, base, 0x100));
        assert_eq!(bench.broken(), [(Rule::MustBeOne, ENABLES.into())]);
    }
    assert!(!bench.write_of_faults(0, 0xe00, 0x30003), "a C-Box");
}

#[test]
fn the_reset_bit_of_qpi_stays() {
    let mut bench = usual();
    let at = uncore(8, 2);
    let rst = 1 << 17;
    bench.set(at, 0xd8, EN | 0x14);
    bench.machine.burst(6000);
    assert_eq!(bench.cfg_counter(at, 0xa0), 5000, "clocks, 5/6 of uclk");
    bench.set(at, 0xd8, EN | rst | 0x14);
    assert_eq!(bench.broken(), [(Rule::HeldInReset, 0)]);
    bench.machine.burst(6000);
    bench.set_counter(at, 0xa0, 77);
    assert_eq!(bench.cfg_counter(at, 0xa0), 0, "held at 0");
    bench.set(at, 0xd8, EN | 0x14);
    bench.machine.burst(6000);
    assert_eq!(bench.cfg_counter(at, 0xa0), 5000);
    bench.assert_clean();
    // Elsewhere the bit only acts.
    let at = uncore(20, 0);
    bench.set(at, 0xd8, EN | rst);
    bench.machine.burst(1800);
    assert_eq!(bench.cfg_counter(at, 0xa0), 700);
    bench.assert_clean();
}

/// Counts the packets of class 15, which do not exist, by these options, with these words in
/// MATCH0 and MASK0 of the set for sent packets.
fn packets(options: &str, [match0, mask0]: [u32; 2]) -> u64 {
    const NONE: u32 = 0xf << 9;
    let mask_of_class = if options.contains("U-23:b") { 0 } else { NONE };
    let mut bench = Bench::new(options);
    let (at, filters) = (uncore(8, 2), uncore(8, 6));
    let received = [(0x228, NONE), (0x238, mask_of_class)];
    let sent = [(0x200, match0), (0x210, mask0)];
    for (offset, value) in received.into_iter().chain(sent) {
        bench.set(filters, offset, value);
    }
    bench.set(at, 0xd8, EN | 1 << 21 | 0x38);
    bench.machine.burst(6000);
    bench.assert_clean();
    bench.cfg_counter(at, 0xa0)
}

#[test]
fn sent_packets_count_by_one_reading() {
    // Class 14, which packets have, class 15, and with it node 31.
    let (some, none, nowhere) = (0x1c00, 0x1e00, 0x3_fe00);
    for (options, sent, counts) in [
        ("platform=bdx", [0, 0], false),
        ("platform=bdx,reading=B-6:b", [0, 0], true),
        ("platform=bdx,reading=B-6:b", [some, some], true),
        ("platform=bdx,reading=B-6:b", [none, none], false),
        ("platform=bdx,reading=B-6:b", [nowhere, none], false),
        // A mask bit that is 1 ignores.
        ("platform=bdx,reading=B-6:b+U-23:b", [none, none], true),
        ("platform=bdx,reading=B-6:b+U-23:b", [nowhere, none], false),
        ("platform=bdx,reading=B-6:b+U-23:b", [none, 0], false),
    ] {
        assert_eq!(packets(options, sent) > 0, counts, "{options} {sent:x?}");
    }
}

#[test]
fn a_box_obeys_a_freeze_if_it_is_enabled() {
    for (enables, counted) in [(0, 2000), (1 << 17, 2000), (1 << 16, 1000), (ENABLES, 1000)] {
        let mut bench = usual();
        bench.wr(0, 0xe00, enables.into());
        bench.wr(0, 0xe01, EN.into());
        bench.machine.burst(1000);
        bench.wr(0, 0x700, 1 << 31);
        bench.machine.burst(1000);
        assert_eq!(bench.rd(0, 0xe08), counted, "global freeze, {enables:#x}");
        bench.wr(0, 0x700, 1 << 29);
        bench.wr(0, 0xe00, (enables | 1 << 8).into());
        bench.machine.burst(1000);
        let more = if counted == 1000 { 0 } else { 1000 };
        assert_eq!(bench.rd(0, 0xe08), counted + more, "own freeze");
    }
}

#[test]
fn rings_obey_a_freeze_without_enables() {
    let mut bench = usual();
    let at = uncore(16, 1);
    bench.set(at, 0xd8, 0x01);
    bench.set(at, 0xd8, EN | 0x01);
    bench.machine.burst(1000);
    bench.wr(0, 0x700, 1 << 31);
    bench.machine.burst(1000);
    assert_eq!(bench.cfg_counter(at, 0xa0), 1000);
}

/// Lets counter 0 of a box overflow and returns GLOBAL_STATUS.
fn status_after_overflow(enables: u32) -> u64 {
    let mut bench = usual();
    let at = uncore(18, 1);
    bench.set(at, 0xf4, enables);
    bench.set(at, 0xd8, EN | OV_EN);
    bench.set_counter(at, 0xa0, (1 << 48) - 10);
    bench.machine.burst(1000);
    assert_eq!(bench.cfg(at, 0xf8), 1, "the status is set in any case");
    bench.rd(0, 0x701)
}

#[test]
fn a_box_sends_overflows_if_it_is_enabled() {
    let ha0 = 1 << 21;
    let statuses = [0, 1 << 16, 1 << 17, ENABLES].map(status_after_overflow);
    assert_eq!(statuses, [0, 0, ha0, ha0]);
}

#[test]
fn c_boxes_and_s_boxes_set_their_status_only() {
    let mut bench = usual();
    for (base, status) in [(0xe00, 7), (0xe30, 7), (0x720, 5), (0x73e, 5)] {
        bench.wr(0, base, ENABLES.into());
        bench.wr(0, base + 2, 0);
        bench.wr(0, base + 2, EN.into());
        bench.wr(0, base + status + 2, (1 << 48) - 10);
        bench.machine.burst(100);
        assert_eq!(bench.rd(0, base + status), 0b10, "{base:#x}");
        assert_eq!(bench.rd(0, base + status + 2), 90, "it goes on");
    }
    assert_eq!(bench.rd(0, 0x701), 0);
    bench.assert_clean();
}

#[test]
fn a_link_overflows_again_when_a_bit_is_clear() {
    let (mut bench, at) = (usual(), uncore(11, 1));
    bench.set(at, 0xd8, OV_EN | 0x01);
    bench.set(at, 0xd8, EN | OV_EN | 0x01);
    let overflow = |bench: &mut Bench, cleared| {
        bench.set(at, 0xf8, 1);
        bench.wr(0, 0x701, cleared);
        bench.set_counter(at, 0xa0, (1 << 48) - 10);
        bench.wr(0, 0x700, 1 << 29);
        bench.machine.burst(1000);
        (bench.rd(0, 0x701), bench.cfg_counter(at, 0xa0))
    };
    let (own, both) = (1 << 27, 1 << 27 | 1 << 35);
    assert_eq!(
        overflow(&mut bench, 0),
        (both, 0),
        "frozen in the cycle of the wrap"
    );
    assert_eq!(
        overflow(&mut bench, 0),
        (both, 990),
        "no freeze without a message"
    );
    assert_eq!(overflow(&mut bench, own), (both, 0));
}

/// No register tells it.
#[test]
fn cluster_on_die() {
    for (options, divided_at) in [
        ("cluster-on-die=on", Some(1)),
        ("cluster-on-die=on,cores=5:8", Some(4)),
        ("cluster-on-die=on,cores=24", Some(16)),
        ("cluster-on-die=off", None),
        ("cores=1", None),
    ] {
        let topology = Topology::parse(&format!("platform=bdx,{options}"));
        assert_eq!(topology.expect("right").divided_at, divided_at, "{options}");
    }
}

#[test]
fn channels_without_memory_answer_but_do_not_count() {
    let mut bench = Bench::new("platform=bdx,dimms=01:ff");
    bench.set(uncore(20, 1), 0xa8, 0x55);
    assert_eq!(bench.cfg(uncore(20, 1), 0xa8), 0x55, "registers are there");
    for _ in 0..2 {
        for (at, wanted) in [
            (uncore(20, 0), 700),
            (uncore(20, 1), 0),
            (uncore1(20, 1), 700),
        ] {
            bench.set(at, 0xf0, EN);
            bench.set(at, 0xd8, EN);
            bench.machine.burst(1800);
            let counts = [0xd0, 0xa0].map(|low| bench.cfg_counter(at, low));
            assert_eq!(counts, [wanted; 2], "{at}");
            bench.set(at, 0xf0, 0);
            bench.set(at, 0xd8, 0);
        }
        // That changes nothing about it.
        bench.machine.lose_power();
    }
    bench.assert_clean();
}

#[test]
fn free_running_counters_of_links() {
    let (mut bench, at) = (usual(), uncore(8, 2));
    bench.wr(0, 0x700, 1 << 31);
    bench.machine.burst(12_000);
    bench.set(at, 0xf4, 0x30003);
    // 10,000 cycles, of 1024 of which it has 513.
    assert_eq!(
        bench.cfg(at, 0xc8),
        10_000 * 513 / 1024,
        "a reset does not reach it"
    );
    bench.set(at, 0xc8, u32::MAX - 10);
    bench.machine.burst(12_000);
    assert_eq!(bench.cfg(at, 0xc8), 10_000 * 513 / 1024 - 11, "32 bits");
    bench.command("free-run on");
    bench.set(at, 0xd0, 0);
    bench.machine.advance(12_000_000);
    assert_eq!(bench.cfg(at, 0xd0), 10_000_000 / 1024);
}

/// Links of Broadwell-DE have functions, but no registers.
#[test]
fn links_of_broadwell_de() {
    let mut bench = Bench::new("platform=bdx-de");
    for (function, id) in [(1, 0x6f36), (2, 0x6f37)] {
        let at = uncore1(11, function);
        assert_eq!(
            [bench.cfg(at, 0), bench.cfg(at, 0xd8)],
            [id << 16 | 0x8086, 0]
        );
        bench.set(at, 0xd8, EN);
        assert_eq!(bench.broken(), [(Rule::Undocumented, 0)]);
    }
    let error = bench.machine.command("preload 0 r3qpi_0 0 1");
    assert!(error.is_err(), "no such box");
    let mut bench = Bench::new("platform=bdx-de,cores=6,cbox-mask=0000d7,reading=B-21:c");
    assert_eq!(bench.write_faults(0, 0xe30), Some(true), "C-Box 3");
    bench.assert_clean();
}
