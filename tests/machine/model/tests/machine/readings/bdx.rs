// SPDX-License-Identifier: GPL-2.0

//! Readings of Broadwell: its own, and those of IVB-EP that hold for its registers, too.

use uncore_machine::{Function, Gate, Pmi, Rule};

use super::events::{more, some, LONG};
use super::registers::{in_function, kept, writes};
use super::Case;
use crate::bench::{uncore, uncore1, Bench, IRP};

const BDX: &str = "platform=bdx";
const EN: u32 = 1 << 22;
const OV_EN: u32 = 1 << 20;
const EXT: u32 = 1 << 21;
const EDGE: u32 = 1 << 18;
const INVERT: u32 = 1 << 23;
const RST: u32 = 1 << 17;
const ONES: u64 = (1 << 48) - 1;
/// Writes to BOX_CTL.
const RELEASE: u64 = 0x30000;
const FREEZE: u64 = 0x30100;
/// Writes to GLOBAL_CTL.
const FRZ_ALL: u64 = 1 << 31;
const UNFRZ_ALL: u64 = 1 << 29;

const HA: (u8, u8) = (18, 1);
const CHANNEL: (u8, u8) = (20, 0);
const QPI: (u8, u8) = (8, 2);
const R2PCIE: (u8, u8) = (16, 1);
const R3QPI: (u8, u8) = (11, 1);
/// The function with match and mask of port 0.
const MATCH: (u8, u8) = (8, 6);
/// CTO_COUNT.
const PACKETS: u32 = EXT | 0x38;

/// Counts an event of an MSR box: control register, counter, control.
fn msr(bench: &mut Bench, control: u32, counter: u32, value: u32) -> u64 {
    bench.wr(0, counter, 0);
    bench.wr(0, control, value.into());
    bench.wr(0, control, (EN | value).into());
    bench.machine.burst(LONG);
    bench.rd(0, counter)
}

fn cbox(bench: &mut Bench, counter: u32, value: u32) -> u64 {
    msr(bench, 0xe01 + counter, 0xe08 + counter, value)
}

fn pcu(bench: &mut Bench, counter: u32, value: u32) -> u64 {
    msr(bench, 0x711 + counter, 0x717 + counter, value)
}

fn ubox(bench: &mut Bench, value: u32) -> u64 {
    msr(bench, 0x705, 0x709, value)
}

/// Counts an event of a PCI box on a counter.
fn pci(bench: &mut Bench, (device, function): (u8, u8), counter: u16, value: u32) -> u64 {
    let at = uncore(device, function);
    bench.set_counter(at, 0xa0 + 8 * counter, 0);
    bench.set(at, 0xd8 + 4 * counter, value);
    bench.set(at, 0xd8 + 4 * counter, EN | value);
    bench.machine.burst(LONG);
    bench.cfg_counter(at, 0xa0 + 8 * counter)
}

/// Sets MATCH0, MATCH1, MASK0 and MASK1 of port 0 for received packets.
fn choose(bench: &mut Bench, words: [u32; 4]) {
    let at = uncore(MATCH.0, MATCH.1);
    for (offset, value) in [0x228, 0x22c, 0x238, 0x23c].into_iter().zip(words) {
        bench.set(at, offset, value);
    }
}

/// Counts packets of port 0.
fn packets(bench: &mut Bench, words: [u32; 4]) -> u64 {
    choose(bench, words);
    pci(bench, QPI, 0, PACKETS)
}

/// Lets the PCU count its clock on counter 0.
fn start_clock(bench: &mut Bench) {
    bench.wr(0, 0x710, RELEASE);
    bench.wr(0, 0x711, EN.into());
}

/// The cycles that it has counted of 100.
fn counted(bench: &mut Bench) -> u64 {
    bench.wr(0, 0x717, 0);
    bench.machine.burst(300);
    bench.rd(0, 0x717)
}

/// The status of a box with a PCI function, and the global one, after its counter has wrapped.
fn wrapped(
    bench: &mut Bench,
    (device, function): (u8, u8),
    pmon: &str,
    control: u32,
    counter: &str,
) -> [u64; 2] {
    let at = uncore(device, function);
    let offset = match counter {
        "fixed" => 0xf0,
        number => 0xd8 + 4 * number.parse::<u16>().expect("a number"),
    };
    bench.set(at, 0xf4, 0x30000);
    bench.set(at, offset, control & !EN);
    bench.set(at, offset, control);
    bench.command(&format!("preload 0 {pmon} {counter} 0x{ONES:x}"));
    bench.machine.burst(20_000);
    let seen = [bench.cfg(at, 0xf8).into(), bench.rd(0, 0x701)];
    bench.set(at, offset, 0);
    bench.set(at, 0xf8, 0x1f);
    bench.wr(0, 0x701, 0xc_3fe0_0007);
    bench.wr(0, 0x700, UNFRZ_ALL);
    seen
}

/// GLOBAL_STATUS after counters of links 0 and 2 of R3QPI have wrapped.
fn status_of_links(bench: &mut Bench) -> Vec<u64> {
    let clock = EN | OV_EN | 0x01;
    let first = wrapped(bench, R3QPI, "r3qpi_0", clock, "0")[1];
    vec![first, wrapped(bench, (11, 5), "r3qpi_2", clock, "0")[1]]
}

/// The value of a counter two clocks after it has 44 bits of 1.
fn wraps_at_44(bench: &mut Bench, at: Function, clock: u32) -> u64 {
    bench.set_counter(at, 0xa0, ONES >> 4);
    bench.set(at, 0xd8, clock);
    bench.set(at, 0xd8, EN | clock);
    bench.machine.burst(2);
    bench.cfg_counter(at, 0xa0)
}

/// The cores that a PMI of the fixed counter reaches with this GLOBAL_CTL.
fn interrupted(bench: &mut Bench, control: u64) -> u64 {
    bench.wr(0, 0x703, (EN | OV_EN).into());
    bench.wr(0, 0x704, ONES);
    bench.wr(0, 0x700, control);
    bench.machine.burst(10);
    let pmis = bench.machine.take_interrupts();
    pmis.iter().map(|pmi| u64::from(pmi.cores)).sum()
}

/// A PMI of the fixed counter.
fn pmi(bench: &mut Bench) -> Pmi {
    bench.wr(0, 0x703, (EN | OV_EN).into());
    bench.wr(0, 0x704, ONES);
    bench.wr(0, 0x700, 1);
    bench.machine.burst(10);
    bench.machine.take_interrupts()[0]
}

/// Counts retries with FILTER1.nid for no node and for all.
fn retries(bench: &mut Bench, event: u32) -> [u64; 2] {
    [0, 0xffff].map(|nodes| {
        bench.wr(0, 0xe06, nodes);
        some(cbox(bench, 0, event))
    })
}

/// The nearest number of eights.
const fn eighth(parts: u64) -> u64 {
    (parts + 4) / 8
}

/// The share of threads 0x1E, 0x3E and 0x3F in all lookups, in eights of 2081 parts: by the
/// first reading, thread n has n + 1 parts and the last one one more.
fn threads(bench: &mut Bench) -> Vec<u64> {
    bench.wr(0, 0xe05, 0x7f << 17);
    let all = cbox(bench, 0, 0x1134);
    let mut share = |thread: u64| {
        bench.wr(0, 0xe05, 0x7f << 17 | thread);
        let part = cbox(bench, 0, 1 << 19 | 0x1134);
        (part * 2081 / 8 + all / 2) / all
    };
    [0x1e, 0x3e, 0x3f].map(&mut share).to_vec()
}

/// Values of LINK_IDLE of port 0 at its two places, after a burst.
fn idle(bench: &mut Bench) -> [u64; 2] {
    bench.machine.burst(LONG);
    [QPI, MATCH].map(|(device, function)| bench.cfg(uncore(device, function), 0xc8).into())
}

/// CONFLICT_CYCLES on counters 0 and 1, and BT_OCCUPANCY, with an umask of 0.
fn conflicts(bench: &mut Bench) -> Vec<u64> {
    vec![
        some(pci(bench, HA, 0, 0x0b)),
        some(pci(bench, HA, 1, 0x0b)),
        some(pci(bench, HA, 0, 0x43)),
    ]
}

/// Tells if bit 18 and bit 31 make an occupancy with a threshold count less.
fn edges_of_occupancies(bench: &mut Bench) -> Vec<u64> {
    let plain = pcu(bench, 1, 1 << 24 | 0x4080);
    [EDGE, 1 << 31]
        .map(|bit| more(plain, pcu(bench, 1, bit | 1 << 24 | 0x4080)))
        .to_vec()
}

/// CPUNODEID and GIDNIDMAP of package 1.
fn nodes(bench: &mut Bench) -> Vec<u64> {
    let at = uncore1(16, 5);
    [0x40, 0x54]
        .map(|offset| bench.cfg(at, offset).into())
        .to_vec()
}

/// The map of nodes whose field i is i.
const EACH_NODE: u64 = 0o7654_3210;

pub(super) const REGISTERS: &[Case] = &[
    Case {
        reading: "U-1:b",
        options: BDX,
        act: |bench| {
            [0xe11, 0x721]
                .map(|msr| kept(bench, msr, OV_EN.into()))
                .to_vec()
        },
        first: &[0, 0],
        other: &[OV_EN as u64, OV_EN as u64],
    },
    Case {
        reading: "U-4:b",
        options: BDX,
        act: |bench| vec![kept(bench, 0xe05, 0x3c0), kept(bench, 0xe06, 1 << 29)],
        first: &[0, 0],
        other: &[0x3c0, 1 << 29],
    },
    Case {
        reading: "U-5:b",
        options: BDX,
        act: |bench| vec![kept(bench, 0xe06, 0xc000)],
        first: &[0xc000],
        other: &[0x4000],
    },
    Case {
        reading: "U-7:b",
        options: BDX,
        act: |bench| {
            let shown = kept(bench, 0xe05, 0xfe_0003);
            // Lookups of one thread: 4 of 2081.
            let part = cbox(bench, 0, 1 << 19 | 0x1134);
            vec![shown, some(part), more(2000, part)]
        },
        first: &[0xfe_0003, 1, 1],
        other: &[0xfe_0000, 1, 1],
    },
    Case {
        reading: "U-8:b",
        options: BDX,
        act: |bench| vec![kept(bench, 0x710, RELEASE)],
        first: &[RELEASE],
        other: &[0],
    },
    Case {
        reading: "U-8:d",
        options: BDX,
        act: |bench| {
            [R2PCIE, R3QPI]
                .map(|(device, function)| {
                    let at = uncore(device, function);
                    bench.set(at, 0xf4, 0x30000);
                    bench.cfg(at, 0xf4).into()
                })
                .to_vec()
        },
        first: &[0, 0],
        other: &[RELEASE, RELEASE],
    },
    Case {
        reading: "U-8:e",
        options: BDX,
        act: |bench| {
            start_clock(bench);
            bench.wr(0, 0x710, 0);
            bench.wr(0, 0x700, FRZ_ALL);
            let frozen = counted(bench);
            bench.wr(0, 0x700, UNFRZ_ALL);
            bench.wr(0, 0x711, (EN | OV_EN).into());
            bench.wr(0, 0x717, ONES);
            bench.machine.burst(30);
            vec![frozen, bench.rd(0, 0x701)]
        },
        first: &[100, 0],
        other: &[0, 4],
    },
    Case {
        reading: "U-9:b",
        options: BDX,
        act: |bench| {
            let own = kept(bench, 0x710, FREEZE);
            bench.wr(0, 0x700, FRZ_ALL);
            vec![own, kept(bench, 0x710, RELEASE)]
        },
        first: &[RELEASE, RELEASE],
        other: &[FREEZE, RELEASE],
    },
    Case {
        reading: "U-9:c",
        options: BDX,
        act: |bench| {
            let own = kept(bench, 0x710, FREEZE);
            bench.wr(0, 0x700, FRZ_ALL);
            let of_package = kept(bench, 0x710, RELEASE);
            bench.wr(0, 0x700, UNFRZ_ALL);
            vec![own, of_package, bench.rd(0, 0x710)]
        },
        first: &[RELEASE; 3],
        other: &[FREEZE, FREEZE, RELEASE],
    },
    Case {
        reading: "U-9:d",
        options: BDX,
        act: |bench| {
            start_clock(bench);
            bench.wr(0, 0x700, FRZ_ALL);
            let frozen = counted(bench);
            bench.wr(0, 0x710, RELEASE);
            let released = counted(bench);
            bench.wr(0, 0x700, UNFRZ_ALL);
            bench.wr(0, 0x700, FRZ_ALL);
            vec![frozen, released, counted(bench)]
        },
        first: &[0, 0, 0],
        other: &[0, 100, 0],
    },
    Case {
        reading: "U-9:e",
        options: BDX,
        act: |bench| {
            start_clock(bench);
            bench.wr(0, 0x710, FREEZE);
            let frozen = counted(bench);
            bench.wr(0, 0x700, UNFRZ_ALL);
            vec![frozen, counted(bench)]
        },
        first: &[0, 0],
        other: &[0, 100],
    },
    Case {
        reading: "U-10:b",
        options: BDX,
        act: |bench| {
            let without = wrapped(bench, CHANNEL, "imc_0", EN, "2");
            let with = wrapped(bench, CHANNEL, "imc_0", EN | OV_EN, "2");
            // A C-Box has no overflow enable.
            bench.wr(0, 0xe01, EN.into());
            bench.wr(0, 0xe08, ONES);
            bench.machine.burst(2);
            [&without[..], &with[..], &[bench.rd(0, 0xe07)]].concat()
        },
        first: &[1 << 3, 0, 1 << 3, 1 << 23, 1],
        other: &[0, 0, 1 << 3, 1 << 23, 1],
    },
    Case {
        reading: "U-11:b",
        options: BDX,
        act: |bench| {
            ["0", "1", "2", "3", "fixed"]
                .map(|counter| wrapped(bench, CHANNEL, "imc_0", EN, counter)[0])
                .to_vec()
        },
        first: &[2, 4, 8, 16, 1],
        other: &[1, 2, 4, 8, 16],
    },
    Case {
        reading: "U-12:b",
        options: BDX,
        act: |bench| {
            bench.wr(0, 0x703, (EN | OV_EN).into());
            bench.wr(0, 0x704, ONES);
            bench.machine.burst(2);
            let seen = [bench.rd(0, 0x708), bench.rd(0, 0x701)];
            bench.wr(0, 0x708, 4);
            [&seen[..], &[bench.rd(0, 0x708)]].concat()
        },
        first: &[0, 1, 0],
        other: &[4, 1, 0],
    },
    Case {
        reading: "U-13:b",
        options: "platform=bdx,cboxes=5",
        act: |bench| vec![bench.rd(0, 0x702)],
        first: &[18],
        other: &[5],
    },
    Case {
        reading: "U-13:c",
        options: BDX,
        act: |bench| vec![bench.rd(0, 0x702)],
        first: &[18],
        other: &[0],
    },
    Case {
        reading: "U-13:d",
        options: BDX,
        act: |bench| vec![bench.rd(0, 0x702)],
        first: &[18],
        other: &[24],
    },
    Case {
        reading: "U-18:b",
        options: "platform=bdx,cores=4",
        act: |bench| vec![interrupted(bench, 0b0110)],
        first: &[0b0110],
        other: &[0b0011],
    },
    Case {
        reading: "U-20:b",
        options: BDX,
        act: |bench| {
            let high = 1 << 32;
            [0x700, 0x711, 0xe05, 0x721, 0x701, 0x704]
                .map(|msr| bench.write_of_faults(0, msr, high).into())
                .to_vec()
        },
        first: &[0; 6],
        other: &[1, 1, 1, 1, 0, 0],
    },
    Case {
        reading: "U-43:b",
        options: BDX,
        act: |bench| vec![pmi(bench).first_thread.into()],
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "U-44:b",
        options: BDX,
        act: |bench| vec![pmi(bench).wake.into()],
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "U-45:b",
        options: BDX,
        act: |bench| vec![bench.machine.processors().keep_masked.into()],
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "U-45:c",
        options: BDX,
        act: |bench| vec![bench.machine.processors().keep_asleep.into()],
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "U-46:b",
        options: BDX,
        act: |bench| vec![(bench.machine.processors().gate == Gate::ByBit).into()],
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "U-46:c",
        options: BDX,
        act: |bench| vec![(bench.machine.processors().gate == Gate::Missing).into()],
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "U-70:b",
        options: BDX,
        act: |bench| {
            let at = uncore(CHANNEL.0, CHANNEL.1);
            bench.set(at, 0xf0, EN);
            bench.set_counter(at, 0xd0, 77);
            bench.set_counter(at, 0xa0, 78);
            bench.set(at, 0xf4, 0x30003);
            vec![
                bench.cfg_counter(at, 0xd0),
                bench.cfg_counter(at, 0xa0),
                bench.cfg(at, 0xf0).into(),
            ]
        },
        first: &[0, 0, 0],
        other: &[77, 0, EN as u64],
    },
    Case {
        reading: "U-70:c",
        options: BDX,
        act: |bench| {
            bench.wr(0, 0x715, 0x14);
            bench.wr(0, 0x710, 0x30001);
            vec![bench.rd(0, 0x715)]
        },
        first: &[0x14],
        other: &[0],
    },
    Case {
        reading: "U-70:d",
        options: BDX,
        act: |bench| {
            start_clock(bench);
            bench.wr(0, 0x700, FRZ_ALL | UNFRZ_ALL);
            let both = counted(bench);
            bench.wr(0, 0x700, FRZ_ALL);
            vec![both, counted(bench)]
        },
        first: &[0, 0],
        other: &[100, 0],
    },
    Case {
        reading: "U-71:b",
        options: BDX,
        act: |bench| {
            let at = uncore(HA.0, HA.1);
            let pci = [0xd8, 0xf4, 0x44].map(|offset| bench.cfg(at, offset).into());
            let msrs = [0xe01, 0xe05, 0x703, 0x716].map(|msr| bench.rd(0, msr));
            [&pci[..], &msrs].concat()
        },
        first: &[0; 7],
        other: &[
            0x0029_0000,
            0xfffc_fefc,
            0xffff_c000,
            0x0031_0000,
            0xff01_ffc0,
            0xffaf_ffff,
            0,
        ],
    },
    Case {
        reading: "U-71:c",
        options: BDX,
        act: |bench| {
            let status = bench.cfg(uncore(HA.0, HA.1), 0xf8).into();
            let msrs = [0xe07, 0x700, 0x701, 0xe01].map(|msr| bench.rd(0, msr));
            [&[status][..], &msrs].concat()
        },
        first: &[0; 5],
        other: &[
            0xffff_fff0,
            0xffff_fff0,
            0x1ffc_0000,
            0xffff_fff3_c01f_fff8,
            0,
        ],
    },
    Case {
        reading: "U-71:d",
        options: BDX,
        act: |bench| {
            let at = uncore(HA.0, HA.1);
            bench.set_counter(at, 0xa0, 5);
            vec![kept(bench, 0xe08, 5), bench.cfg_counter(at, 0xa0)]
        },
        first: &[5; 2],
        other: &[0xffff_0000_0000_0005; 2],
    },
    Case {
        reading: "U-71:e",
        options: BDX,
        act: |bench| vec![(bench.cfg(uncore(8, 0), 0xd4) & 7).into()],
        first: &[0b101],
        other: &[0b011],
    },
    Case {
        reading: "U-72:b",
        options: BDX,
        act: |bench| {
            // The fixed counter overflows; another one of uclk tells where boxes stop.
            bench.wr(0, 0x703, (EN | OV_EN).into());
            bench.wr(0, 0xe00, RELEASE);
            bench.wr(0, 0xe01, EN.into());
            bench.wr(0, 0x704, ONES);
            bench.machine.burst(1000);
            [0x704, 0xe08].map(|msr| bench.rd(0, msr)).to_vec()
        },
        first: &[0, 17],
        other: &[8, 17],
    },
    Case {
        reading: "U-73:b",
        options: BDX,
        act: |bench| {
            start_clock(bench);
            let shown = [bench.rd(0, 0x711), kept(bench, 0x703, EN.into())];
            [&shown[..], &[counted(bench)]].concat()
        },
        first: &[EN as u64, EN as u64, 100],
        other: &[0, 0, 100],
    },
    Case {
        reading: "U-73:c",
        options: BDX,
        act: |bench| {
            start_clock(bench);
            let shown = kept(bench, 0x711, (EN | OV_EN).into());
            bench.wr(0, 0x717, ONES);
            bench.machine.burst(30);
            vec![shown, bench.rd(0, 0x701)]
        },
        first: &[(EN | OV_EN) as u64, 4],
        other: &[EN as u64, 4],
    },
    Case {
        reading: "B-1:b",
        options: BDX,
        act: |bench| {
            let places = [(20, 0), (20, 1), (21, 0), (21, 1), (23, 0), (24, 1)];
            places
                .map(|(device, function)| (bench.cfg(uncore(device, function), 0) >> 16).into())
                .to_vec()
        },
        first: &[0x6fb0, 0x6fb1, 0x6fb4, 0x6fb5, 0x6fd0, 0x6fd5],
        other: &[0x6fb4, 0x6fb5, 0x6fb0, 0x6fb1, 0x6fd4, 0x6fd1],
    },
    Case {
        reading: "B-3:b",
        options: "platform=bdx,part=ex",
        act: status_of_links,
        first: &[1 << 35 | 1 << 27, 1 << 35 | 1 << 28],
        other: &[1 << 35, 1 << 35],
    },
    Case {
        reading: "B-3:c",
        options: "platform=bdx,part=ex",
        act: status_of_links,
        first: &[1 << 35 | 1 << 27, 1 << 35 | 1 << 28],
        other: &[1 << 27, 1 << 28],
    },
    Case {
        reading: "B-4:b",
        options: "platform=bdx,cores=24",
        act: |bench| vec![interrupted(bench, 1 << 23 | 1 << 17)],
        first: &[1 << 17],
        other: &[1 << 23 | 1 << 17],
    },
    Case {
        reading: "B-5:b",
        options: "platform=bdx,cores=4",
        act: |bench| {
            let without = interrupted(bench, 0b0100);
            bench.wr(0, 0x701, 1);
            vec![without, interrupted(bench, 1 << 30 | UNFRZ_ALL | 0b0100)]
        },
        first: &[0b0100, 0b0100],
        other: &[0b0100, 0b1111],
    },
    Case {
        reading: "B-7:b",
        options: BDX,
        act: |bench| {
            let at = uncore(R2PCIE.0, R2PCIE.1);
            bench.set(at, 0xd8, EN | 0x1011);
            bench.wr(0, 0x721, (EN | 0x0102).into());
            vec![bench.cfg(at, 0xd8).into(), bench.rd(0, 0x721)]
        },
        first: &[EN as u64 | 0x1000, EN as u64 | 0x0100],
        other: &[EN as u64 | 0x1011, EN as u64 | 0x0102],
    },
    Case {
        reading: "B-8:b",
        options: BDX,
        act: |bench| {
            bench.wr(0, 0x726, 5);
            let faults = bench.write_of_faults(0, 0x720, 0x30003);
            vec![faults.into(), bench.rd(0, 0x726)]
        },
        first: &[1, 5],
        other: &[0, 0],
    },
    Case {
        reading: "B-9:b",
        options: BDX,
        act: |bench| {
            let at = uncore(QPI.0, QPI.1);
            bench.set(at, 0xd8, RST | 0x14);
            bench.set_counter(at, 0xa0, 77);
            vec![bench.cfg(at, 0xd8).into(), bench.cfg_counter(at, 0xa0)]
        },
        first: &[RST as u64 | 0x14, 0],
        other: &[0x14, 0],
    },
    Case {
        reading: "B-15:b",
        options: BDX,
        act: |bench| {
            let [own, beside] = idle(bench);
            vec![some(own), some(beside)]
        },
        first: &[1, 0],
        other: &[0, 1],
    },
    Case {
        reading: "B-15:c",
        options: BDX,
        act: |bench| {
            let at = uncore(QPI.0, QPI.1);
            bench.set(at, 0xf4, 0x30100);
            let frozen = idle(bench)[0];
            bench.set(at, 0xf4, 0x30000);
            vec![some(frozen), some(idle(bench)[0])]
        },
        first: &[1, 1],
        other: &[0, 1],
    },
    Case {
        reading: "B-15:d",
        options: BDX,
        act: |bench| {
            let before = idle(bench)[0];
            let at = uncore(QPI.0, QPI.1);
            bench.set(at, 0xf4, 0x30002);
            vec![some(before), some(bench.cfg(at, 0xc8).into())]
        },
        first: &[1, 1],
        other: &[1, 0],
    },
    Case {
        reading: "B-16:b",
        options: "platform=bdx,cores=4",
        act: |bench| {
            bench.machine.burst(1 << 20);
            // Of the first core.
            vec![bench.rd(0, 0x3fc), bench.rd(0, 0x3fd)]
        },
        first: &[1 << 10, 2 << 10],
        other: &[4 << 10, 8 << 10],
    },
    Case {
        reading: "B-21:b",
        options: "platform=bdx-de",
        act: |bench| {
            // The uncore bus of a lone package is ff.
            let at = uncore1(R3QPI.0, R3QPI.1);
            let id = bench.cfg(at, 0);
            bench.set(at, 0xd8, 0x01);
            bench.set(at, 0xd8, EN | 0x01);
            bench.machine.burst(1000);
            vec![id.into(), bench.cfg_counter(at, 0xa0)]
        },
        first: &[0x6f36_8086, 0],
        other: &[0x6f36_8086, 1000],
    },
    Case {
        reading: "B-21:c",
        options: "platform=bdx-de,cores=8",
        act: |bench| vec![bench.cfg(uncore1(30, 3), 0x98).into()],
        first: &[0xff],
        other: &[0],
    },
    Case {
        reading: "B-23:b",
        options: BDX,
        act: |bench| vec![wraps_at_44(bench, IRP, 0)],
        first: &[(1 << 44) + 1],
        other: &[1],
    },
    Case {
        reading: "B-23:c",
        options: BDX,
        act: |bench| vec![wraps_at_44(bench, uncore(R3QPI.0, R3QPI.1), 1)],
        first: &[(1 << 44) + 1],
        other: &[1],
    },
    Case {
        reading: "B-22:b",
        options: "platform=bdx,cores=4,cluster-on-die=on",
        act: nodes,
        first: &[1, EACH_NODE],
        // Fields of packages that are not there have the nodes that are left.
        other: &[2, 0o7654_3120],
    },
    Case {
        reading: "B-22:c",
        options: "platform=bdx,cores=4,cluster-on-die=on",
        act: nodes,
        first: &[1, EACH_NODE],
        other: &[2, EACH_NODE],
    },
    Case {
        reading: "B-24:b",
        options: BDX,
        act: |bench| vec![writes(bench, 0xe08, false), in_function(bench)],
        first: &[5, 5],
        other: &[0, 0],
    },
    Case {
        reading: "B-24:c",
        options: BDX,
        act: |bench| vec![writes(bench, 0xe08, true), in_function(bench)],
        first: &[0, 5],
        other: &[1, 0],
    },
];

pub(super) const EVENTS: &[Case] = &[
    Case {
        reading: "U-14:b",
        options: BDX,
        act: |bench| {
            [0x0, 0x100]
                .map(|umask| some(pci(bench, CHANNEL, 0, 0x43 | umask)))
                .to_vec()
        },
        first: &[1, 0],
        other: &[0, 1],
    },
    Case {
        reading: "U-15:b",
        options: BDX,
        act: |bench| {
            let all = cbox(bench, 0, 0x0111);
            let shown = cbox(bench, 1, 0x001f);
            let cycles = cbox(bench, 1, 0x0100_001f);
            vec![u64::from(shown == all), u64::from(shown == cycles)]
        },
        first: &[1, 0],
        other: &[0, 1],
    },
    Case {
        reading: "U-19:b",
        options: BDX,
        act: |bench| {
            let plain = cbox(bench, 0, 0x0113);
            vec![u64::from(plain == cbox(bench, 0, 0x0113 | EDGE))]
        },
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "U-21:b",
        options: BDX,
        act: |bench| {
            bench.wr(0, 0xe05, 0xfe_0000);
            bench.wr(0, 0xe06, 0xffff);
            let by_state = cbox(bench, 0, 0x1134);
            vec![some(by_state), some(cbox(bench, 1, 0x4435))]
        },
        first: &[1, 1],
        other: &[1, 0],
    },
    Case {
        reading: "U-22:b",
        options: BDX,
        act: |bench| vec![some(packets(bench, [1 << 31, 0, 1 << 31, 0]))],
        first: &[1],
        other: &[0],
    },
    Case {
        reading: "U-23:b",
        options: BDX,
        act: |bench| {
            let open = packets(bench, [0; 4]);
            let class = packets(bench, [0, 0, 0x1e00, 0]);
            vec![more(open, class), more(class, open)]
        },
        first: &[1, 0],
        other: &[0, 1],
    },
    Case {
        reading: "U-24:b",
        options: BDX,
        act: |bench| {
            // Data in state M, of any class.
            let data = packets(bench, [0x1c00, 8 << 16, 0x1e00, 0xf << 16]);
            let all = packets(bench, [0, 8 << 16, 0, 0xf << 16]);
            vec![more(all, 2 * data)]
        },
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "U-25:b",
        options: BDX,
        act: |bench| {
            bench.set(uncore(HA.0, HA.1), 0x48, 0x2);
            let ring = pci(bench, HA, 0, 0x0420);
            vec![more(ring, pci(bench, HA, 0, 0x0620))]
        },
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "U-25:c",
        options: BDX,
        act: |bench| {
            bench.set(uncore(HA.0, HA.1), 0x48, 0x2);
            [0x0620, 0x0a20, 0x1220]
                .map(|event| some(pci(bench, HA, 0, event)))
                .to_vec()
        },
        first: &[1, 1, 1],
        other: &[1, 0, 0],
    },
    Case {
        reading: "U-29:b",
        options: BDX,
        act: |bench| {
            let zero = pcu(bench, 1, 0x80);
            vec![some(zero), u64::from(zero == pcu(bench, 1, 0x4080))]
        },
        first: &[0, 0],
        other: &[1, 1],
    },
    Case {
        reading: "U-29:c",
        options: BDX,
        act: edges_of_occupancies,
        first: &[1, 1],
        other: &[0, 1],
    },
    Case {
        reading: "U-29:d",
        options: BDX,
        act: edges_of_occupancies,
        first: &[1, 1],
        other: &[1, 0],
    },
    Case {
        reading: "U-32:b",
        options: BDX,
        act: |bench| {
            let r2pcie = [0, 1, 2, 3].map(|counter| some(pci(bench, R2PCIE, counter, 0x0107)));
            let r3qpi = [0, 1, 2].map(|counter| some(pci(bench, R3QPI, counter, 0x0109)));
            [&r2pcie[..], &r3qpi].concat()
        },
        first: &[1; 7],
        other: &[0, 0, 1, 1, 0, 0, 1],
    },
    Case {
        reading: "U-34:b",
        options: BDX,
        act: |bench| {
            [8, 9, 15, 16]
                .map(|thresh| some(pcu(bench, 1, thresh << 24 | 0x4080)))
                .to_vec()
        },
        first: &[1, 0, 0, 0],
        other: &[1, 1, 1, 0],
    },
    Case {
        reading: "U-42:b",
        options: BDX,
        act: |bench| {
            let two = 2 << 24;
            vec![
                some(pci(bench, QPI, 0, two | 0x07)),
                some(pci(bench, CHANNEL, 0, two | 0x0183)),
            ]
        },
        first: &[0, 1],
        other: &[1, 0],
    },
    Case {
        reading: "U-48:b",
        options: BDX,
        act: |bench| {
            let alone = some(pcu(bench, 1, 0x60));
            pcu(bench, 0, 0x4080);
            let beside = some(pcu(bench, 1, 0x60));
            pcu(bench, 0, 5 << 24 | 0x4080);
            vec![alone, beside, some(pcu(bench, 1, 0x60))]
        },
        first: &[1, 1, 1],
        other: &[1, 1, 0],
    },
    Case {
        reading: "U-52:b",
        options: BDX,
        act: |bench| {
            let snoops = |opcode: u32| [3 << 9 | opcode << 5, 0, 0x1fe0, 0];
            [0xa, 0xe]
                .map(|opcode| some(packets(bench, snoops(opcode))))
                .to_vec()
        },
        first: &[1, 0],
        other: &[0, 1],
    },
    Case {
        reading: "U-75:b",
        options: BDX,
        act: |bench| vec![cbox(bench, 0, 1 << 19), cbox(bench, 0, 0)],
        first: &[LONG, LONG],
        other: &[0, LONG],
    },
    Case {
        reading: "U-76:b",
        options: BDX,
        act: |bench| {
            let open = packets(bench, [0; 4]);
            choose(bench, [0, 0, 0x1e00, 0]);
            let at = uncore(QPI.0, QPI.1);
            bench.set_counter(at, 0xa0, 0);
            bench.machine.burst(LONG);
            let class = bench.cfg_counter(at, 0xa0);
            vec![more(open, class), more(open, pci(bench, QPI, 0, PACKETS))]
        },
        first: &[1, 1],
        other: &[0, 1],
    },
    Case {
        reading: "U-77:b",
        options: BDX,
        act: |bench| {
            let reads = |bench: &mut Bench| {
                bench.wr(0, 0xe06, 0x182 << 20);
                cbox(bench, 0, 0x0135)
            };
            let usual = reads(&mut Bench::new(BDX));
            vec![more(usual, 2 * reads(bench))]
        },
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "B-10:b",
        options: BDX,
        act: |bench| {
            // WB_CREDITS of RxR_ISMQ_RETRY, and umask bit 7 of another event of the kind.
            [retries(bench, 0x8033), retries(bench, 0x4033)].concat()
        },
        first: &[1, 1, 0, 1],
        other: &[0, 1, 0, 1],
    },
    Case {
        reading: "B-10:c",
        options: BDX,
        act: |bench| [retries(bench, 0x8033), retries(bench, 0x4032)].concat(),
        first: &[1, 1, 0, 1],
        other: &[1, 1, 1, 1],
    },
    Case {
        reading: "B-11:b",
        options: BDX,
        act: threads,
        first: &[eighth(31), eighth(63), eighth(65)],
        other: &[eighth(31), 0, eighth(63 + 65)],
    },
    Case {
        reading: "B-11:c",
        options: BDX,
        act: threads,
        first: &[eighth(31), eighth(63), eighth(65)],
        other: &[eighth(31 + 63), 0, eighth(65)],
    },
    Case {
        reading: "B-12:b",
        options: BDX,
        act: |bench| {
            [0, 1, 2, 3]
                .map(|counter| some(cbox(bench, counter, 2 << 24 | 0x0f1b)))
                .to_vec()
        },
        first: &[1; 4],
        other: &[1, 0, 0, 0],
    },
    Case {
        reading: "B-13:b",
        options: BDX,
        act: |bench| {
            [0, 1]
                .map(|counter| some(pcu(bench, counter, 0x4080)))
                .to_vec()
        },
        first: &[1, 1],
        other: &[0, 1],
    },
    Case {
        reading: "B-14:b",
        options: BDX,
        act: |bench| {
            bench.wr(0, 0x715, 0xff);
            let none = pcu(bench, 0, 0x0b);
            bench.wr(0, 0x715, 0x01);
            let first = pcu(bench, 0, 0x0b);
            vec![some(none), some(first), some(pcu(bench, 0, 0x0b))]
        },
        first: &[0, 1, 1],
        other: &[1, 0, 1],
    },
    Case {
        reading: "B-14:c",
        options: BDX,
        act: |bench| {
            // The clock counts from the second burst on, and on when it is stopped.
            let first = pcu(bench, 0, 0);
            let second = pcu(bench, 0, 0);
            bench.wr(0, 0x711, 0);
            bench.wr(0, 0x717, 0);
            bench.machine.burst(LONG);
            let stopped = bench.rd(0, 0x717);
            bench.machine.burst(LONG);
            vec![first, second, stopped, bench.rd(0, 0x717) - stopped]
        },
        first: &[LONG / 3, LONG / 3, 0, 0],
        other: &[0, LONG / 3, LONG / 3, 0],
    },
    Case {
        reading: "B-17:b",
        options: BDX,
        act: |bench| {
            let plain = pcu(bench, 1, 4 << 24 | 0x4080);
            [INVERT, 1 << 30]
                .map(|bit| u64::from(plain == pcu(bench, 1, bit | 4 << 24 | 0x4080)))
                .to_vec()
        },
        first: &[0, 0],
        other: &[1, 0],
    },
    Case {
        reading: "B-18:b",
        options: BDX,
        act: |bench| {
            // U2C_EVENTS is of the lists, EVENT_MSG of the manual.
            [0x0843, 0x0842]
                .map(|event| some(ubox(bench, event)))
                .to_vec()
        },
        first: &[1, 1],
        other: &[0, 1],
    },
    Case {
        reading: "B-18:c",
        options: BDX,
        act: |bench| {
            // TxR_STARVED of the C-Box, whose occupancies add up to 20.
            let cbox = [1, 2, 20, 21].map(|thresh| some(cbox(bench, 0, thresh << 24 | 0x0203)));
            let ubox = [1, 2].map(|thresh| some(ubox(bench, thresh << 24 | 0x0843)));
            [&cbox[..], &ubox].concat()
        },
        first: &[1, 0, 0, 0, 1, 0],
        other: &[1, 1, 1, 0, 1, 0],
    },
    Case {
        reading: "B-19:b",
        options: BDX,
        act: conflicts,
        first: &[0, 1, 1],
        other: &[0, 0, 0],
    },
    Case {
        reading: "B-19:c",
        options: BDX,
        act: conflicts,
        first: &[0, 1, 1],
        other: &[1, 1, 1],
    },
    Case {
        reading: "B-19:d",
        options: BDX,
        act: conflicts,
        first: &[0, 1, 1],
        other: &[0, 0, 1],
    },
    Case {
        reading: "B-20:b",
        options: BDX,
        act: |bench| {
            [INVERT, EDGE, INVERT | EDGE]
                .map(|bits| some(pci(bench, CHANNEL, 0, bits | 1 << 24 | 0x0183)))
                .to_vec()
        },
        first: &[1, 1, 1],
        other: &[1, 1, 0],
    },
];

/// The rule that a reading takes back is reported by name without it.
#[test]
fn writes_that_a_reading_allows() {
    for (reading, rules) in [("a", 1), ("B-8:b", 0)] {
        let mut bench = Bench::new(BDX);
        bench.command(&format!("reading {reading}"));
        assert_eq!(bench.write_of_faults(0, 0x720, 0x30003), rules == 1);
        assert_eq!(bench.broken(), [(Rule::ResetAtOnce, 0)][..rules]);
    }
}
