// SPDX-License-Identifier: GPL-2.0

//! Random settings: the model's closed form against the definition, cycle by cycle.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, Index};

use crate::bench::Bench;
use crate::sites::{program, read, site_of, uclk, SITES};
use uncore_catalogue::{rows, Row};
use uncore_definition::attributes::{home, packet};
use uncore_definition::{count, counts, Setting, PLAIN};

fn opcode() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => select(vec![0x180, 0x182, 0x191, 0x19E, 0x1C5, 0x1C8, 0x1E5, 0x1E6, 0x1FFu64]),
        1 => 0x180..0x200u64,
    ]
}

/// A FILTER0 and a FILTER1 with values that often let something pass.
fn cbox_filters() -> impl Strategy<Value = [u64; 4]> {
    let state = prop_oneof![Just(0x3fu64), 0..0x40u64];
    let tid = prop_oneof![20..32u64, 0..32u64];
    let nid = prop_oneof![
        Just(0xffffu64),
        0..0x1_0000u64,
        (0..16u32).prop_map(|n| 1 << n)
    ];
    let nc_isoc = select(vec![0u64, 0, 0, 1, 2, 3]);
    (state, tid, nid, opcode(), nc_isoc).prop_map(|(state, tid, nid, opc, nc_isoc)| {
        [state << 17 | tid, nc_isoc << 30 | opc << 20 | nid, 0, 0]
    })
}

/// MATCH and MASK after a packet that exists, remote node IDs at random.
fn packet_filters() -> impl Strategy<Value = [u64; 4]> {
    let first = prop_oneof![
        select(vec![
            0, 0x1e00, 0x1f00, 0x1f80, 0x1fe0, 0x3_fe00, 0x3_ff80, 0x18, 0x10, 0x3_e000
        ]),
        (0..0x8000u64).prop_map(|bits| bits << 3),
    ];
    let second = select(vec![0u64, 0, 0xf_0000, 0x8_0000, 0x5_0000]);
    (0..3403 * 67u64, first, second, 0..16u64, any::<bool>()).prop_map(
        |(m, mask0, mask1, rnid, high)| {
            let (match0, match1) = packet(m);
            let high = u64::from(high) << 31;
            [match0 | high, match1 | rnid, mask0 | high, mask1 | rnid]
        },
    )
}

/// Address and opcode of a transaction that exists, or one bit off.
fn home_filters() -> impl Strategy<Value = [u64; 4]> {
    let flip = prop_oneof![4 => Just(0u64), 1 => (6..46u32).prop_map(|bit| 1 << bit)];
    (0..990 * 37u64, 0..990u64, flip).prop_map(|(m, other, flip)| {
        let address = home(m).0 ^ flip;
        [address & 0xffff_ffff, address >> 32, home(other).1, 0]
    })
}

/// Four bytes that are bands or reasons.
fn pcu_filters() -> impl Strategy<Value = [u64; 4]> {
    let byte = select(vec![
        0u8, 1, 2, 3, 11, 12, 13, 0x10, 20, 34, 35, 0x40, 0x80, 0xff,
    ]);
    vec(byte, 4).prop_map(|bytes| {
        let word = bytes
            .iter()
            .fold(0, |word, byte| word << 8 | u64::from(*byte));
        [word, 0, 0, 0]
    })
}

/// Filters for each kind of box.
#[derive(Debug, Clone)]
struct Filters {
    cbox: [u64; 4],
    packet: [u64; 4],
    home: [u64; 4],
    pcu: [u64; 4],
}

impl Filters {
    fn of(&self, kind: &str) -> [u64; 4] {
        match kind {
            "CBO" => self.cbox,
            "QPI" => self.packet,
            "HA" => self.home,
            "PCU" => self.pcu,
            _ => [0; 4],
        }
    }
}

fn filters() -> impl Strategy<Value = Filters> {
    let all = (
        cbox_filters(),
        packet_filters(),
        home_filters(),
        pcu_filters(),
    );
    all.prop_map(|(cbox, packet, home, pcu)| Filters {
        cbox,
        packet,
        home,
        pcu,
    })
}

/// An umask out of the rows of one event: one, two together, or anything.
fn umask_of(rows: &[&Row], picks: &[Index; 2], odd: u8, way: u8) -> u8 {
    let one = picks[0].get(rows).umask;
    match way {
        0..=5 => one,
        6..=8 => one | picks[1].get(rows).umask,
        _ => odd,
    }
}

#[derive(Debug, Clone)]
struct Dice {
    site: Index,
    event: Index,
    favourite: Index,
    umasks: [Index; 2],
    odd_umask: u8,
    way: u8,
    counter: Index,
    instance: Index,
    package: u64,
    thresh: u64,
    edge: bool,
    tid_en: bool,
    occ: (bool, bool),
    filters: Filters,
    counter0: usize,
}

fn dice() -> impl Strategy<Value = Dice> {
    let place = (
        any::<Index>(),
        any::<Index>(),
        any::<Index>(),
        any::<Index>(),
        0..2u64,
    );
    let umask = (any::<[Index; 2]>(), any::<u8>(), 0..10u8, any::<Index>());
    let thresh = prop_oneof![3 => Just(0u64), 2 => 1..4u64, 1 => 4..256u64];
    let shape = (thresh, any::<bool>(), any::<bool>());
    let occ = any::<(bool, bool)>();
    (place, umask, shape, filters(), 0..6usize, occ).prop_map(
        |((site, event, counter, instance, package), umask, shape, filters, counter0, occ)| Dice {
            site,
            event,
            umasks: umask.0,
            odd_umask: umask.1,
            way: umask.2,
            favourite: umask.3,
            counter,
            instance,
            package,
            thresh: shape.0,
            edge: shape.1,
            tid_en: shape.2,
            occ,
            filters,
            counter0,
        },
    )
}

/// Every other time one of the events with filters or occupancies.
fn favourite<'a>(rows: &[&'a Row], kind: &str, dice: &Dice) -> Option<&'a Row> {
    let codes: &[u8] = match kind {
        "CBO" => &[0x11, 0x1f, 0x34, 0x35, 0x36, 0x37],
        "QPI" => &[0x38],
        "HA" => &[0x20],
        "PCU" => &[0x80, 0x80, 0x0b, 0x0c, 0x0d, 0x0e, 0x1e, 0x46],
        "IRP" => &[0x15],
        _ => return None,
    };
    let wanted = *dice.favourite.get(codes);
    let mut found = rows.iter().filter(|row| row.code == wanted);
    found.next().filter(|_| dice.way % 2 == 0).copied()
}

/// Half of the settings are of a C-Box, the box with most filters.
fn setting(all: &[Row], dice: &Dice) -> Setting {
    let weighted = dice.site.index(2 * SITES.len() - 2);
    let site = SITES.get(weighted).unwrap_or(&SITES[0]);
    let rows: Vec<&Row> = all.iter().filter(|row| row.kind == site.kind).collect();
    let row = favourite(&rows, site.kind, dice).unwrap_or_else(|| *dice.event.get(&rows));
    let ext = row.ext == Some(true);
    let same = |other: &&Row| other.code == row.code && other.has_ext(ext);
    let rows: Vec<&Row> = rows.into_iter().filter(same).collect();
    let umask = umask_of(&rows, &dice.umasks, dice.odd_umask, dice.way);
    let (cbox, pcu) = (site.kind == "CBO", site.kind == "PCU");
    let fits = |counter: &usize| rows.iter().any(|row| row.allows(*counter));
    let counters: Vec<usize> = (0..site.counters).filter(fits).collect();
    Setting {
        kind: site.kind,
        package: dice.package,
        peer: 1 - dice.package,
        instance: dice.instance.index(site.instances as usize) as u64,
        counter: if dice.way == 9 {
            dice.counter.index(site.counters)
        } else {
            *dice.counter.get(&counters)
        },
        ext,
        code: row.code,
        umask: if pcu { umask & 0xc0 } else { umask },
        thresh: dice.thresh & site.thresh,
        edge: dice.edge,
        tid_en: cbox && dice.tid_en,
        occ_invert: pcu && dice.occ.0,
        occ_edge: pcu && dice.occ.1,
        filters: dice.filters.of(site.kind),
        counter0: [
            (0x36, 0x08, false),
            (0x36, 0x03, false),
            (0x36, 0x4a, true),
            (0x11, 0x01, false),
            (0x11, 0x15, true),
            (0x02, 0x01, false),
        ][dice.counter0],
        ..PLAIN
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    /// One burst of any length, partial rounds included.
    #[test]
    fn a_burst_counts_what_the_definition_says(dice in dice(), own in 1..60_000u64) {
        let rows = rows();
        let setting = setting(rows, &dice);
        let mut bench = Bench::usual();
        program(&mut bench, &setting);
        let uclk = uclk(&setting, own);
        bench.machine.burst(uclk);
        let (numerator, denominator) = site_of(&setting).ratio;
        let own = uclk * denominator / numerator;
        prop_assert_eq!(read(&mut bench, &setting), count(rows, &setting, own), "{:?}", setting);
    }

    /// The endless axis, in steps, with a burst between that it must not notice.
    #[test]
    fn free_running_is_one_axis(dice in dice(), steps in vec(0..20_000u64, 3), early in any::<bool>()) {
        let rows = rows();
        let setting = setting(rows, &dice);
        let mut bench = Bench::usual();
        bench.command("free-run on");
        bench.machine.advance(steps[0]);
        program(&mut bench, &setting);
        bench.machine.advance(steps[1]);
        if early {
            read(&mut bench, &setting);
        }
        bench.machine.advance(steps[2]);
        let (n, d) = site_of(&setting).ratio;
        let from = steps[0] * d / n;
        let to = steps.iter().sum::<u64>() * d / n;
        let [from, to] = counts(rows, &setting, &[from, to])[..] else { unreachable!() };
        prop_assert_eq!(read(&mut bench, &setting), to - from, "{:?}", setting);
    }

    /// Compares one long burst with the sum over its rounds, far beyond spans that
    /// can be counted cycle by cycle: burst(a + b) - burst(a) equals the endless
    /// axis from a to a + b.
    #[test]
    fn long_spans_agree(dice in dice(), a in 1u64<<40..1 << 44, b in 1u64..1 << 20) {
        let rows = rows();
        let setting = setting(rows, &dice);
        let mut bench = Bench::usual();
        program(&mut bench, &setting);
        bench.machine.burst(a + b);
        let longer = read(&mut bench, &setting);
        let mut bench = Bench::usual();
        program(&mut bench, &setting);
        bench.machine.burst(a);
        let shorter = read(&mut bench, &setting);
        let mut bench = Bench::usual();
        bench.command("free-run on");
        bench.machine.advance(a);
        program(&mut bench, &setting);
        bench.machine.advance(b);
        let width = if matches!(setting.kind, "CBO" | "UBOX" | "R2PCIe" | "R3QPI") { 44 } else { 48 };
        let difference = longer.wrapping_sub(shorter) & ((1 << width) - 1);
        prop_assert_eq!(read(&mut bench, &setting), difference, "{:?}", setting);
    }
}
