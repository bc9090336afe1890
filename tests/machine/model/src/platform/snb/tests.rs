// SPDX-License-Identifier: GPL-2.0

//! The model of Sandy Bridge client against Documentation/hardware/snb.rst.

use uncore_machine::{Function, Rule, Topology};

use crate::bench::{at, uncore, Bench, EN, IRP};
use crate::readings::cases::ONES;
use crate::readings::Case;
use crate::registers::{check_fixed, check_global, check_missing, check_others, check_status, At};
use crate::violations::each_breaks;

/// One package of four cores.
const LARGEST: &str = "platform=snb,cores=4";

/// PERF_GLOBAL_CTRL, GLOBAL_STATUS, GLOBAL_OVF_CTRL.
const CONTROL: u32 = 0x391;
const STATUS: u32 = 0x392;
const OVF_CTRL: u32 = 0x393;

/// The fixed counter: its control, and behind it the counter.
const FIXED_CTRL: u32 = 0x394;
const FIXED_CTR: u32 = 0x395;

/// EN of PERF_GLOBAL_CTRL.
const GLOBAL_EN: u64 = 1 << 29;
/// WakePMI.
const WAKE: u64 = 1 << 30;
/// FREEZE.
const FREEZE: u64 = 1 << 31;

/// OVF_EN of an event select.
const OVF_EN: u64 = 1 << 20;

/// Lookups of any kind in any state.
const LOOKUP: u64 = 0x8f34;

/// A machine of four cores.
fn usual() -> Bench {
    Bench::new(LARGEST)
}

#[test]
fn registers() {
    check_global(LARGEST, CONTROL, [0xe000_000f, 0, 0x1fff_fff0], 0);
    check_status(LARGEST, STATUS, OVF_CTRL, 0b1011);
    // The number of C-Boxes, and the graphics.
    for (options, number) in [
        ("cores=4", 5),
        ("cores=1", 2),
        ("cores=4,cboxes=3,numc=0", 0),
    ] {
        check_fixed(
            &format!("platform=snb,{options}"),
            At::Msr(0x396),
            number,
            0xf,
        );
    }
    // The registers of other parts between them are not the machine's.
    let of_others = [0x390, 0x397, 0x3af, 0x3b4, 0x6ff, 0x740, 0xc00];
    check_others(LARGEST, &of_others, &[0x714, 0x71f]);
    check_missing("platform=snb,cores=2", (0x706, 0x10), 4, 0b11);
    let mut bench = usual();
    bench.wr(0, CONTROL, 1 << 32);
    assert_eq!(bench.broken(), [(Rule::HighHalf, 1 << 32)]);
    assert_eq!(bench.rd(0, CONTROL), 0);
    bench.wr(0, 0x706, 77);
    bench.wr(0, 0x700, 1 << 17);
    assert_eq!(bench.rd(0, 0x706), 77, "no bit resets a counter");
    assert_eq!(bench.broken(), [(Rule::Reserved, 1 << 17)]);
    for at in [uncore(11, 0), uncore(16, 5), IRP] {
        assert_eq!(bench.machine.config_read(at, 0, 4), None);
        assert_eq!(bench.machine.config_write(at, 0, 4, 0), None);
        assert!(bench.machine.command(&format!("hide {at}")).is_err());
    }
    // An umask without one of its halves, and bits that no row has.
    let umasks = [0x0122, 0x2022, 0x1f22, 0x0034, 0x1034, 0x0634]
        .map(|control: u32| (control, u64::from(control >> 8)));
    each_breaks(
        LARGEST,
        At::Msr(0x700),
        EN as u32,
        Rule::UnknownUmask,
        &umasks,
    );
    each_breaks(
        LARGEST,
        At::Msr(0x3b2),
        EN as u32,
        Rule::UnknownUmask,
        &[(0x0280, 2), (0x4081, 0x40)],
    );
    each_breaks(
        LARGEST,
        At::Msr(0x3b3),
        EN as u32,
        Rule::WrongCounter,
        &[(0x0180, 0x80)],
    );
    each_breaks(
        LARGEST,
        At::Msr(0x700),
        EN as u32,
        Rule::UnknownEvent,
        &[(0x011f, 0x1f)],
    );
    // Registers of one source only answer, and do nothing.
    for msr in [0x712, 0x713, 0x715, 0x718, 0x719] {
        bench.wr(0, msr, 0xff);
        assert_eq!(bench.rd(0, msr), 0, "{msr:#x}");
        assert_eq!(bench.broken(), [(Rule::Undocumented, 0); 2]);
    }
}

/// ARB request counters and the fixed counter are enabled, but the package is not.
fn prepared() -> Bench {
    let mut bench = usual();
    bench.wr(0, FIXED_CTRL, EN);
    bench.wr(0, 0x3b2, EN | 0x0181);
    bench.wr(0, 0x700, EN | LOOKUP);
    bench
}

/// The fixed counter, ARB counter 0 and counter 0 of C-Box 0.
fn counters(bench: &mut Bench) -> [u64; 3] {
    [FIXED_CTR, 0x3b0, 0x706].map(|msr| bench.rd(0, msr))
}

#[test]
fn nothing_counts_without_the_level() {
    let mut bench = prepared();
    bench.machine.burst(1000);
    assert_eq!(counters(&mut bench), [0; 3]);
    bench.wr(0, CONTROL, GLOBAL_EN);
    bench.machine.burst(1000);
    let once = counters(&mut bench);
    assert!(once[0] == 1000 && once[1] > 0 && once[2] > 0, "{once:?}");
    bench.wr(0, CONTROL, 0xf);
    bench.machine.burst(1000);
    assert_eq!(counters(&mut bench), once, "other bits are no enable");
    assert_eq!(bench.rd(0, CONTROL), 0xf);
    bench.wr(0, CONTROL, GLOBAL_EN | 0xf);
    bench.wr(0, CONTROL, GLOBAL_EN | 0xf);
    bench.machine.burst(1000);
    assert_eq!(counters(&mut bench), once.map(|count| 2 * count));
    bench.assert_clean();
}

/// On the endless axis, what passed before the loss has been counted.
#[test]
fn free_running_time_ends_at_the_loss() {
    let mut bench = prepared();
    bench.command("free-run on");
    bench.wr(0, CONTROL, GLOBAL_EN);
    bench.machine.advance(700);
    bench.command("lose-enable 0");
    bench.machine.advance(300);
    assert_eq!(bench.rd(0, FIXED_CTR), 700);
    assert_eq!(bench.command("clock"), "1000 300");
    bench.wr(0, CONTROL, GLOBAL_EN);
    bench.machine.advance(50);
    assert_eq!(bench.rd(0, FIXED_CTR), 750);
}

#[test]
fn a_burst_through_waits_for_the_level() {
    let mut bench = prepared();
    bench.command("burst-through 1000");
    assert_eq!(bench.rd(0, FIXED_CTR), 0);
    assert_eq!(bench.command("burst-left"), "1000");
    bench.wr(0, CONTROL, GLOBAL_EN);
    assert_eq!(bench.rd(0, FIXED_CTR), 1000);
    assert_eq!(bench.command("burst-left"), "0");
}

/// Event select and counter of every counter, and its bit in GLOBAL_STATUS.
fn counter_places() -> Vec<(u32, u32, u64)> {
    let mut all = vec![
        (FIXED_CTRL, FIXED_CTR, 1),
        (0x3b2, 0x3b0, 2),
        (0x3b3, 0x3b1, 2),
    ];
    for n in 0..4 {
        all.extend([0, 1].map(|k| (0x700 + 0x10 * n + k, 0x706 + 0x10 * n + k, 8)));
    }
    all
}

/// The largest value of a counter.
fn most(counter: u32) -> u64 {
    let width = if counter == FIXED_CTR { 48 } else { 44 };
    (1 << width) - 1
}

/// An event for a control register, with overflow enabled.
fn armed(control: u32) -> u64 {
    let event = match control {
        FIXED_CTRL => 0,
        0x3b2 | 0x3b3 => 0x0181,
        _ => LOOKUP,
    };
    EN | OVF_EN | event
}

/// The cores of all interrupts since the last call.
fn interrupts(bench: &mut Bench) -> Vec<u32> {
    let interrupts = bench.machine.take_interrupts();
    interrupts.iter().map(|pmi| pmi.cores).collect()
}

#[test]
fn each_counter_sets_its_bit_and_freezes() {
    for (control, counter, bit) in counter_places() {
        let mut bench = usual();
        bench.wr(0, control, armed(control));
        bench.wr(0, counter, most(counter) - 9);
        bench.wr(0, CONTROL, FREEZE | GLOBAL_EN | 0b0110);
        bench.machine.burst(100_000);
        assert_eq!(bench.rd(0, STATUS), bit, "{counter:#x}");
        assert_eq!(bench.rd(0, CONTROL), FREEZE | 0b0110, "EN drops");
        assert!(bench.rd(0, counter) < 3, "it stopped as it wrapped");
        assert_eq!(interrupts(&mut bench), [0b0110]);
        bench.wr(0, OVF_CTRL, bit);
        bench.wr(0, CONTROL, FREEZE | GLOBAL_EN | 0b0110);
        bench.machine.burst(1000);
        assert!(bench.rd(0, counter) > 9, "it goes on");
        assert_eq!(bench.rd(0, STATUS), 0);
        bench.assert_clean();
    }
}

#[test]
fn without_freeze_all_go_on() {
    let mut bench = usual();
    for (control, counter, _) in counter_places() {
        bench.wr(0, control, armed(control));
        bench.wr(0, counter, most(counter) - 9);
    }
    bench.wr(0, CONTROL, WAKE | GLOBAL_EN | 1);
    bench.machine.burst(100_000);
    assert_eq!(bench.rd(0, STATUS), 0b1011);
    assert_eq!(bench.rd(0, CONTROL), WAKE | GLOBAL_EN | 1);
    assert_eq!(bench.rd(0, FIXED_CTR), 100_000 - 10);
    for (_, counter, _) in counter_places() {
        assert!((1000..most(counter) / 2).contains(&bench.rd(0, counter)));
    }
    let pmis = bench.machine.take_interrupts();
    assert_eq!(pmis.len(), 3, "one for each bit");
    assert!(pmis.iter().all(|pmi| pmi.wake && pmi.cores == 1));
    bench.machine.burst(100_000);
    assert_eq!(bench.rd(0, FIXED_CTR), 200_000 - 10);
    bench.assert_clean();
}

/// On the endless axis each message comes in its time.
#[test]
fn without_freeze_on_the_endless_axis() {
    let mut bench = usual();
    bench.command("free-run on");
    bench.wr(0, FIXED_CTRL, EN | OVF_EN);
    bench.wr(0, FIXED_CTR, most(FIXED_CTR) - 99);
    bench.wr(0, 0x3b2, armed(0x3b2));
    bench.wr(0, 0x3b0, most(0x3b0) - 999);
    bench.wr(0, CONTROL, GLOBAL_EN | 1);
    bench.machine.advance(99);
    assert_eq!(bench.rd(0, STATUS), 0);
    bench.machine.advance(1);
    assert_eq!(bench.rd(0, STATUS), 1);
    bench.machine.advance(1_000_000);
    assert_eq!(bench.rd(0, STATUS), 3);
    assert_eq!(bench.rd(0, FIXED_CTR), 1_000_000);
    assert_eq!(interrupts(&mut bench), [1, 1]);
    assert_eq!(bench.command("clock"), "1000100 0");
}

/// No source says how the status is cleared (S-1).
#[test]
fn what_clears_the_status_is_a_reading() {
    for (option, itself, other) in [
        ("", false, true),
        (",reading=S-1:b", true, false),
        (",reading=S-1:c", false, false),
    ] {
        for (register, clears) in [(STATUS, itself), (OVF_CTRL, other)] {
            let mut bench = Bench::new(&format!("{LARGEST}{option}"));
            bench.wr(0, FIXED_CTRL, EN | OVF_EN);
            bench.wr(0, FIXED_CTR, most(FIXED_CTR));
            bench.wr(0, CONTROL, GLOBAL_EN | 1);
            bench.machine.burst(10);
            assert_eq!(bench.rd(0, STATUS), 1);
            bench.wr(0, register, 1);
            let left = u64::from(!clears);
            assert_eq!(bench.rd(0, STATUS), left, "{option} {register:#x}");
            bench.wr(0, FIXED_CTR, most(FIXED_CTR));
            bench.machine.burst(10);
            let times = if clears { 2 } else { 1 };
            assert_eq!(interrupts(&mut bench).len(), times, "{option}");
            bench.assert_clean();
            bench.machine.lose_power();
            assert_eq!(bench.rd(0, STATUS), 0);
        }
    }
}

/// A message that is held up until the software clears the status.
#[test]
fn a_late_message_arrives() {
    let mut bench = usual();
    bench.command("late-message 0 arb unfreeze");
    bench.wr(0, FIXED_CTRL, EN | OVF_EN);
    bench.wr(0, FIXED_CTR, most(FIXED_CTR) - 9);
    bench.wr(0, CONTROL, GLOBAL_EN | 1);
    bench.machine.burst(1000);
    assert_eq!(bench.rd(0, STATUS), 0);
    assert_eq!(bench.rd(0, FIXED_CTR), 990, "nothing froze");
    bench.wr(0, CONTROL, GLOBAL_EN | 1);
    assert_eq!(bench.rd(0, STATUS), 1);
    assert_eq!(interrupts(&mut bench), [1]);
}

/// Where the registers are.
const BASE: u64 = 0xfed1_0000;

/// Offset, name, and the count of 1024 cycles.
const COUNTERS: [(u64, &str, u64); 5] = [
    (0x5040, "gt_requests", 27),
    (0x5044, "ia_requests", 103),
    (0x5048, "io_requests", 12),
    (0x5050, "data_reads", 95),
    (0x5054, "data_writes", 47),
];

const BRIDGE: Function = at(0, 0, 0);

fn read_memory(bench: &mut Bench, offset: u64) -> u64 {
    let value = bench.machine.memory_read(BASE + offset, 4);
    value.expect("a register")
}

fn memory(bench: &mut Bench) -> [u64; 5] {
    COUNTERS.map(|(offset, ..)| read_memory(bench, offset))
}

#[test]
fn the_bridge_tells_where() {
    let mut bench = usual();
    assert_eq!(bench.cfg(BRIDGE, 0), 0x0100_8086);
    assert_eq!(bench.cfg(BRIDGE, 0x48), 0xfed1_0001);
    assert_eq!(bench.cfg(BRIDGE, 0x4c), 0);
    assert_eq!(bench.machine.config_read(BRIDGE, 2, 2), Some(0x0100));
    assert_eq!(bench.machine.config_read(BRIDGE, 0x4a, 1), Some(0xd1));
    assert_eq!(bench.machine.memory_window(), Some(BASE..BASE + 0x6000));
    bench.assert_clean();
    assert_eq!(bench.machine.config_read(BRIDGE, 0x49, 4), Some(u32::MAX));
    assert_eq!(bench.broken(), [(Rule::BadAccess, 4)]);
}

#[test]
fn the_bridge_has_an_id_of_the_generation() {
    for (options, id) in [
        ("platform=ivb", 0x0154),
        ("platform=ivb,bridge=1", 0x0150),
        ("platform=hsw", 0x0c00),
        ("platform=hsw,bridge=1", 0x0a04),
        ("platform=bdw", 0x1604),
    ] {
        assert_eq!(Bench::new(options).cfg(BRIDGE, 0), id << 16 | 0x8086);
    }
    let refused = Topology::parse("platform=bdw,bridge=1").expect_err("it has one ID");
    assert_eq!(refused.to_string(), "bridge: '1' is not the index of an ID");
}

#[test]
fn the_rest_of_the_bridge_is_the_boards() {
    let mut bench = usual();
    for offset in [0x04, 0x08, 0x2c, 0x44, 0x50, 0x60] {
        assert_eq!(bench.machine.config_read(BRIDGE, offset, 4), None);
        assert_eq!(bench.machine.config_write(BRIDGE, offset, 4, 0), None);
    }
    assert_eq!(bench.machine.config_read(at(0, 0, 1), 0x48, 4), None);
}

#[test]
fn the_address_is_locked() {
    let mut bench = usual();
    bench.set(BRIDGE, 0x48, 0);
    assert_eq!(bench.broken(), [(Rule::ReadOnly, 0)]);
    assert_eq!(bench.cfg(BRIDGE, 0x48), 0xfed1_0001);
    bench.set(BRIDGE, 0, 0x29c0_8086);
    assert_eq!(bench.cfg(BRIDGE, 0), 0x0100_8086);
    bench.assert_clean();
}

#[test]
fn only_whole_counters_are_read() {
    let mut bench = usual();
    let read = |bench: &mut Bench, offset, size| {
        let value = bench.machine.memory_read(BASE + offset, size);
        let text = bench.command("violations");
        (value, bench.broken(), text)
    };
    for (offset, name, _) in COUNTERS {
        for size in [1, 2, 8] {
            let (value, broken, text) = read(&mut bench, offset, size);
            assert_eq!(value, Some(u64::MAX));
            assert_eq!(broken, [(Rule::BadAccess, size.into())]);
            assert!(text.contains(name), "{text}");
        }
        let (_, broken, _) = read(&mut bench, offset + 2, 4);
        assert_eq!(broken, [(Rule::BadAccess, 4)]);
    }
    for offset in [0, 0x503c, 0x504c, 0x5058, 0x5ffc] {
        let (_, broken, _) = read(&mut bench, offset, 4);
        assert_eq!(broken, [(Rule::Undocumented, 0)], "{offset:#x}");
    }
    assert_eq!(bench.machine.memory_read(BASE - 4, 4), None);
    assert_eq!(bench.machine.memory_read(BASE + 0x6000, 4), None);
}

#[test]
fn nothing_is_written() {
    let mut bench = usual();
    bench.machine.burst(1024);
    let done = bench.machine.memory_write(BASE + 0x5050, 4, 7);
    assert_eq!(done, Some(()));
    let text = bench.command("violations");
    assert_eq!(
        text,
        "package 0 imc data_reads (memory 0xfed15050): written, but read-only"
    );
    assert_eq!(bench.broken(), [(Rule::ReadOnly, 7)]);
    assert_eq!(memory(&mut bench), [27, 103, 12, 95, 47]);
    bench.machine.burst(1_000_000 - 1024);
    assert_eq!(
        memory(&mut bench),
        [26_367, 100_585, 11_718, 92_773, 45_898]
    );
    assert_eq!(bench.machine.memory_write(BASE + 0x6000, 4, 7), None);
}

#[test]
fn the_bridge_may_be_another_or_off() {
    let mut bench = Bench::new("platform=snb,imc=off");
    assert_eq!(bench.machine.config_read(BRIDGE, 0, 4), None);
    assert_eq!(bench.machine.memory_window(), None);
    assert_eq!(bench.machine.memory_read(BASE + 0x5050, 4), None);
    for (option, address) in [("disabled", 0xfed1_0000), ("unset", 0)] {
        let mut bench = Bench::new(&format!("platform=snb,imc={option}"));
        assert_eq!(bench.cfg(BRIDGE, 0), 0x0100_8086);
        assert_eq!(bench.cfg(BRIDGE, 0x48), address);
        assert_eq!(read_memory(&mut bench, 0x5050), u64::MAX);
        assert_eq!(bench.broken(), [(Rule::NotInMemory, 0)], "{option}");
    }
    let mut other = Bench::new("platform=bdx");
    assert_eq!(other.machine.config_read(BRIDGE, 0x48, 4), None);
    assert_eq!(other.machine.memory_window(), None);
}

#[test]
fn a_sleep_clears_them_or_not() {
    for (options, kept) in [("", false), (",reading=S-15:b", true)] {
        let mut bench = Bench::new(&format!("platform=snb{options}"));
        bench.machine.burst(1024);
        bench.machine.lose_power();
        let expected = COUNTERS.map(|(.., share)| if kept { share } else { 0 });
        assert_eq!(memory(&mut bench), expected);
    }
}

/// Counts an event of a client: control register, counter, control.
fn count(bench: &mut Bench, control: u32, counter: u32, value: u64) -> u64 {
    bench.wr(0, counter, 0);
    bench.wr(0, control, EN | value);
    bench.wr(0, CONTROL, GLOBAL_EN | 0xf);
    bench.machine.burst(3_000_000);
    bench.rd(0, counter)
}

/// Values of a control register and its counter after a sleep of the package.
fn slept(bench: &mut Bench) -> Vec<u64> {
    let before = count(bench, 0x700, 0x706, LOOKUP);
    bench.command("lose-enable 0");
    vec![
        bench.rd(0, CONTROL),
        bench.rd(0, 0x700),
        u64::from(bench.rd(0, 0x706) == before),
    ]
}

pub(crate) const CASES: &[Case] = &[
    Case {
        reading: "S-3:c",
        options: "platform=snb,cores=2",
        act: |bench| {
            bench.wr(0, CONTROL, GLOBAL_EN | 0xf);
            vec![bench.rd(0, CONTROL)]
        },
        first: &[GLOBAL_EN | 0xf],
        other: &[GLOBAL_EN | 0x3],
    },
    Case {
        reading: "S-5:b",
        options: LARGEST,
        act: |bench| {
            bench.wr(0, FIXED_CTRL, EN | OVF_EN);
            let mut seen = Vec::new();
            for _ in 0..2 {
                bench.wr(0, FIXED_CTR, ONES);
                bench.wr(0, CONTROL, FREEZE | GLOBAL_EN | 1);
                bench.machine.burst(1000);
                seen.extend([
                    bench.machine.take_interrupts().len() as u64,
                    bench.rd(0, FIXED_CTR),
                    bench.rd(0, STATUS),
                ]);
            }
            seen
        },
        first: &[1, 0, 1, 0, 999, 1],
        other: &[1, 0, 1, 1, 0, 1],
    },
    Case {
        reading: "S-7:b",
        options: LARGEST,
        act: slept,
        first: &[0xf, EN | LOOKUP, 1],
        other: &[0xf, 0, 1],
    },
    Case {
        reading: "S-7:c",
        options: LARGEST,
        act: slept,
        first: &[0xf, EN | LOOKUP, 1],
        other: &[0xf, 0, 0],
    },
];
