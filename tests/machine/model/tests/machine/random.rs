// SPDX-License-Identifier: GPL-2.0

//! Every row of every platform, as it is and with all else at random: the model's closed form
//! against the definition, cycle by cycle. The same by way of registers on a free-running machine.

use std::cell::Cell;

use proptest::collection::vec;
use proptest::prelude::*;

use crate::bench::Bench;
use crate::registers::At;
use uncore_catalogue::{rows, rows_of, BoxRow, Facts, Places, Register, Row, What};
use uncore_definition::attributes::{home, packet};
use uncore_definition::{counts, cycles, Platform, Setting};

/// Numbers at random, the same ones for a seed.
struct Dice(Cell<u64>);

impl Dice {
    fn roll(&self, sides: u64) -> u64 {
        let next = self.0.get().wrapping_mul(6_364_136_223_846_793_005);
        self.0.set(next.wrapping_add(1_442_695_040_888_963_407));
        (self.0.get() >> 31) % sides
    }

    fn is_one_of(&self, sides: u64) -> bool {
        self.roll(sides) == 0
    }

    /// Returns a bit, if there is one.
    fn flag(&self, exists: bool) -> bool {
        exists && self.is_one_of(3)
    }

    fn any<T: Copy>(&self, values: &[T]) -> T {
        values[self.roll(values.len() as u64) as usize]
    }
}

/// Returns values of filters that often let something pass.
fn filters(dice: &Dice, kind: &str, code: u8) -> [u64; 4] {
    const OPCODES: [u64; 9] = [
        0x180, 0x182, 0x191, 0x19e, 0x1c5, 0x1c8, 0x1e5, 0x1e6, 0x1ff,
    ];
    const BYTES: [u64; 14] = [0, 1, 2, 3, 11, 12, 13, 0x10, 20, 34, 35, 0x40, 0x80, 0xff];
    let (m, bits) = (dice.roll(3403 * 67), dice.roll(1 << 32));
    let (word0, word1) = packet(m);
    let (message0, message1) = (
        dice.any(&[
            0,
            0x1e00,
            0x1f80,
            0x1fe0,
            0x3_fe00,
            0x3_ff80,
            0x18,
            0x3_e000,
            bits & 0x3_fff8,
        ]),
        dice.any(&[0, 0, 0xf_0000, 0x8_0000, 0x5_0000]),
    );
    let flip = dice.any(&[
        0,
        0,
        0,
        1 << 6,
        1 << 11,
        1 << 12,
        1 << 45,
        1 << dice.roll(48),
    ]);
    let (line, opcode) = (home(m).0 ^ flip, home(dice.roll(990)).1);
    match kind {
        "CBO" => {
            let state = dice.any(&[0xff, 0xff, bits >> 8 & 0xff]);
            let node = dice.any(&[0xffff, bits & 0xffff, 1 << (bits & 15)]);
            let opcode = dice.any(&[
                dice.any(&OPCODES),
                dice.any(&OPCODES),
                0x180 + (bits & 0x7f),
            ]);
            let marks = dice.any(&[0, 0, 0, 1, 2, 3]);
            let tid = dice.any(&[dice.roll(64), 20 + dice.roll(12), 52 + dice.roll(12), 62]);
            [state << 17 | tid, marks << 30 | opcode << 20 | node, 0, 0]
        }
        // The remote node is never compared.
        "QPI" => [
            word0 | bits & 1 << 31,
            word1 | bits & 0xf,
            message0 | bits & 1 << 31,
            message1 | 0xf,
        ],
        "HA" => [line & 0xffff_ffff, line >> 32, opcode, 0],
        "PCU" => [
            (0..4).fold(0, |word, _| word << 8 | dice.any(&BYTES)),
            0,
            0,
            0,
        ],
        "BBOX" => {
            let (class, opcode) = (word0 >> 9 & 0xf, word0 >> 5 & 0xf);
            let value = line >> 6 | (class * 0x11) << 44 | (opcode * 0x11) << 52;
            let lines = dice.any(&[(1 << 44) - 1, (1 << 44) - 1, 0, bits << 12]);
            let others = dice.any(&[0xffff, 0, 0x0f0f, bits & 0xffff]);
            [value, others << 44 | lines, 0, 0]
        }
        "SBO" => {
            let node = dice.any(&[0, 1, 8, 31, 2]);
            let choices = dice.any(&[0, bits & 0x1f, bits << 5 & 0xffe0, bits << 16, bits]) << 43;
            let lines = dice.any(&[(1 << 38) - 1, (1 << 38) - 1, 0, bits << 6]);
            [
                choices | (line >> 6 & ((1 << 38) - 1)) << 5 | node,
                lines << 1 | dice.roll(2),
                0,
                0,
            ]
        }
        "MBOX" => {
            let enable = dice.roll(2) << 63;
            let mask = dice.any(&[0x7ff_ffff, 0, bits & 0x7ff_ffff]);
            let pld = dice.any(&[bits, dice.roll(1 << 32) & !0x7_0001]);
            [dice.roll(1 << 32), pld, enable | line & 0x3_ffff_ffff, mask]
        }
        "RBOX" if code % 6 < 4 => [
            dice.any(&[bits, 1 << (bits & 31), bits & 0x3f_00ff]),
            0,
            0,
            0,
        ],
        "RBOX" => {
            let mm_cfg = dice.any(&[0x21, 0x31, 0x20 | bits & 0xf, bits & 0x3f]) << 16;
            [
                word1 << 32 | word0,
                message1 << 32 | message0 | bits & 7,
                mm_cfg,
                0,
            ]
        }
        _ => [0; 4],
    }
}

/// Returns the setting of a row; with `more`, of that event with all else at random.
fn setting(
    (platform, rows): (Platform, &'static [Row]),
    row: &'static Row,
    more: bool,
    dice: &Dice,
) -> Setting {
    let kind = &*row.kind;
    let is_xeon = matches!(platform, Platform::Ivbep | Platform::Bdx);
    // Their control registers have nothing but an event.
    let is_bare = matches!(
        (kind, is_xeon),
        ("UBOX", false) | ("BBOX" | "MBOX" | "RBOX", _)
    );
    let most = usize::try_from(8 - row.counters.leading_zeros()).expect("at most 8");
    let allowed: Vec<usize> = (0..most).filter(|counter| row.allows(*counter)).collect();
    let of_set = if more && dice.is_one_of(10) {
        dice.roll(most as u64) as usize
    } else {
        dice.any(&allowed)
    };
    let counter = if kind == "IRP" {
        2 * dice.roll(2) as usize + of_set
    } else {
        of_set
    };
    let same: Vec<&Row> = rows
        .iter()
        .filter(|other| (&other.kind, other.code, other.ext) == (&row.kind, row.code, row.ext))
        .collect();
    let umask = match if more && !is_bare { dice.roll(10) } else { 0 } {
        0..=5 => row.umask,
        6..=8 => row.umask | dice.any(&same).umask,
        _ => dice.roll(256) as u8,
    };
    let umask = if kind == "PCU" { umask & 0xc0 } else { umask };
    let largest = if matches!(kind, "UBOX" | "PCU") || platform.is_client() {
        0x1f
    } else {
        0xff
    };
    let thresh = match if more && !is_bare { dice.roll(6) } else { 0 } {
        0..=2 => 0,
        3..=4 => 1 + dice.roll(3),
        _ => dice.roll(largest + 1),
    };
    let shown = [
        (0x36, 0x08, false),
        (0x36, 0x03, false),
        (0x36, 0x4a, true),
        (0x11, 0x01, false),
        (0x11, 0x15, true),
        (0x02, 0x01, false),
    ];
    let code = match kind {
        // Of a port, and of either of two partners.
        "RBOX" => row.code + dice.any(&[0, 1, 6, 13, 18, 19]),
        _ => row.code,
    };
    let package = dice.roll(8);
    Setting {
        platform,
        kind,
        package,
        peer: package ^ dice.roll(2),
        instance: match kind {
            "CBO" => dice.roll(24),
            "IRP" => 0,
            _ => dice.roll(8),
        },
        counter,
        ext: row.ext == Some(true),
        code,
        umask,
        thresh,
        filters: filters(dice, kind, code),
        counter0: match (kind, counter) {
            ("CBO", 0) => (code, umask, false),
            ("CBO", _) => dice.any(&shown),
            _ => (0, 0, false),
        },
        edge: dice.flag(more && !is_bare),
        invert: dice.flag(more && !is_bare && platform != Platform::Ivbep),
        tid_en: dice.flag(more && is_xeon && kind == "CBO"),
        occ_invert: dice.flag(more && kind == "PCU"),
        occ_edge: dice.flag(more && kind == "PCU"),
        max_inc: None,
    }
}

#[test]
fn every_row_and_settings_near_it_count_as_defined() {
    let dice = Dice(Cell::new(1));
    let of = |facts: &'static Facts| facts.processors.iter().map(move |one| (facts, one));
    let all = Facts::all().iter().flat_map(of);
    for (facts, processor) in all {
        let Some(platform) = Platform::of(processor) else {
            continue;
        };
        let (name, rows) = (&*processor.name, rows_of(&processor.name));
        let has_filter = facts
            .registers_of("UBOX")
            .any(|row| row.what == What::Filter);
        let inverts = facts.fields.iter().any(|field| field.name == "inv");
        let (mut all, mut counting) = (0, 0);
        for row in rows {
            let is_filtered = !row.filter.is_empty() && !matches!(&*row.kind, "MBOX" | "RBOX");
            let more = if is_filtered { 48 } else { 9 };
            for turn in 0..=more {
                let mut setting = setting((platform, rows), row, turn > 0, &dice);
                if row.kind == "UBOX" && has_filter {
                    setting.filters[0] = dice.any(&[0, dice.roll(64)]);
                }
                if platform == Platform::Ivbep && inverts {
                    setting.invert = dice.flag(turn > 0);
                }
                // Transactions with all values of the filters, or some.
                let most = if is_filtered && turn < 2 {
                    1 << 17
                } else {
                    2000
                };
                let bursts = [dice.roll(64), 64 + dice.roll(1000), most + dice.roll(1000)];
                let own = bursts.map(|uclk| cycles(platform, setting.kind, uclk));
                let defined = counts(rows, &setting, &own);
                let counted = bursts.map(|uclk| uncore_machine::count(name, &setting, uclk));
                let counted = counted.map(|count| count.expect("a box"));
                assert_eq!(counted[..], defined, "{setting:?}");
                (all, counting) = (all + 1, counting + u64::from(defined[2] > 0));
            }
        }
        assert!(3 * counting > all, "{name}: {counting} of {all} settings");
    }
}

/// Returns a setting of the first package of the usual machine, half of the time one of an event
/// with filters.
fn usual(dice: &Dice) -> Setting {
    let with_filter: Vec<&Row> = rows().iter().filter(|row| !row.filter.is_empty()).collect();
    let row = match dice.roll(2) {
        0 => &rows()[dice.roll(rows().len() as u64) as usize],
        _ => dice.any(&with_filter),
    };
    let setting = setting((Platform::Ivbep, rows()), row, true, dice);
    let boxes = match &box_of(&setting).at {
        Places::Functions(all) => all.iter().filter(|place| place.needs.is_empty()).count(),
        _ if setting.kind == "CBO" => 4,
        _ => 1,
    };
    Setting {
        package: 0,
        peer: 1,
        instance: setting.instance % boxes as u64,
        ..setting
    }
}

fn box_of(s: &Setting) -> &'static BoxRow {
    Facts::of("ivbep").box_of(s.kind)
}

/// The registers of the box of a setting that are there for this.
fn registers(s: &Setting, what: What) -> impl Iterator<Item = &'static Register> {
    let all = Facts::of("ivbep").registers_of(s.kind);
    all.filter(move |register| register.what == what)
}

/// The register of a counter, or one that is not the counters'.
fn at(s: &Setting, register: &Register, counter: usize) -> At {
    At::of(register, box_of(s), s.instance as u8, counter as u8)
}

/// Writes the filters, the control register of counter 0 where another counter may show it, and that
/// of the counter.
fn program(bench: &mut Bench, s: &Setting) {
    for (register, value) in registers(s, What::Filter).zip(s.filters) {
        at(s, register, 0).write(bench, value as u32);
    }
    let bit = |set: bool, at: u32| u32::from(set) << at;
    let event =
        |code: u8, umask: u8, tid_en| u32::from(umask) << 8 | u32::from(code) | bit(tid_en, 19);
    let control = registers(s, What::Ctl).next().expect("a control register");
    if s.kind == "CBO" && s.counter != 0 {
        let (code, umask, tid_en) = s.counter0;
        at(s, control, 0).write(bench, event(code, umask, tid_en));
    }
    let flags = bit(s.edge, 18) | bit(s.ext, 21) | bit(true, 22);
    let flags = flags | bit(s.occ_invert, 30) | bit(s.occ_edge, 31);
    let value = (s.thresh as u32) << 24 | flags | event(s.code, s.umask, s.tid_en);
    at(s, control, s.counter).write(bench, value);
}

/// Reads the counter of a setting.
fn read(bench: &mut Bench, s: &Setting) -> u64 {
    let counter = registers(s, What::Ctr).next().expect("a counter");
    at(s, counter, s.counter).count(bench)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    /// The endless axis, in steps, with a burst between that it must not notice.
    #[test]
    fn free_running_is_one_axis(seed: u64, steps in vec(0..20_000u64, 3), early in any::<bool>()) {
        let setting = usual(&Dice(Cell::new(seed)));
        let mut bench = Bench::new("cores=4,traffic=burst");
        bench.command("free-run on");
        bench.machine.advance(steps[0]);
        program(&mut bench, &setting);
        bench.machine.advance(steps[1]);
        if early {
            read(&mut bench, &setting);
        }
        bench.machine.advance(steps[2]);
        let own = [steps[0], steps.iter().sum()].map(|uclk| cycles(setting.platform, setting.kind, uclk));
        let [from, to] = counts(rows(), &setting, &own)[..] else { unreachable!() };
        prop_assert_eq!(read(&mut bench, &setting), to - from, "{:?}", setting);
    }
}
