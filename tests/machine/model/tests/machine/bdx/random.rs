// SPDX-License-Identifier: GPL-2.0

//! Random settings, sensible ones and others, against the definition.

use proptest::prelude::*;
use uncore_catalogue::bdx_rows;
use uncore_definition::{count, Platform, Setting};

use super::sites::{counters, program, read, uclk};
use super::LARGEST;
use crate::bench::Bench;

/// Box types with their number of instances.
const KINDS: [(&str, u64); 10] = [
    ("UBOX", 1),
    ("CBO", 24),
    ("SBO", 4),
    ("HA", 2),
    ("iMC", 8),
    ("IRP", 1),
    ("PCU", 1),
    ("QPI", 3),
    ("R2PCIe", 1),
    ("R3QPI", 3),
];

/// The numbers that a setting is made of.
#[derive(Debug, Clone)]
struct Dice {
    row: prop::sample::Index,
    place: (u8, prop::sample::Index, prop::sample::Index),
    other_umask: Option<u8>,
    thresh: u64,
    flags: [bool; 5],
    filters: [u64; 4],
}

fn dice() -> impl Strategy<Value = Dice> {
    let index = any::<prop::sample::Index>;
    let filter = || {
        prop_oneof![
            Just(0),
            Just(u64::from(u32::MAX)),
            any::<u32>().prop_map(u64::from)
        ]
    };
    (
        index(),
        (0..2_u8, index(), index()),
        prop::option::weighted(0.3, any::<u8>()),
        prop_oneof![3 => 0..4_u64, 1 => 0..256_u64],
        any::<[bool; 5]>(),
        [filter(), filter(), filter(), filter()],
    )
        .prop_map(|(row, place, other_umask, thresh, flags, filters)| Dice {
            row,
            place,
            other_umask,
            thresh,
            flags,
            filters,
        })
}

fn setting(dice: &Dice) -> Setting {
    let row = dice.row.get(bdx_rows());
    let known = KINDS.iter().find(|(kind, _)| *kind == row.kind);
    let (kind, instances) = *known.expect("a known kind");
    let (package, instance, counter) = dice.place;
    let (is_pcu, package) = (kind == "PCU", u64::from(package));
    let umask = row.umask | dice.other_umask.unwrap_or(0);
    let counter = counter.index(counters(kind));
    let [edge, invert, tid_en, occ_invert, occ_edge] = dice.flags;
    Setting {
        platform: Platform::Bdx,
        kind,
        package,
        peer: 1 - package,
        instance: instance.index(instances as usize) as u64,
        counter,
        ext: row.ext == Some(true),
        code: row.code,
        umask: if is_pcu { umask & 0xc0 } else { umask },
        thresh: match kind {
            "UBOX" | "PCU" => dice.thresh & 0x1f,
            _ => dice.thresh,
        },
        edge,
        invert,
        tid_en: tid_en && kind == "CBO",
        occ_invert: occ_invert && is_pcu,
        occ_edge: occ_edge && is_pcu,
        filters: match kind {
            "CBO" => [
                dice.filters[0] | 1 << 19,
                dice.filters[1] | 0x182 << 20,
                0,
                0,
            ],
            "HA" | "PCU" | "QPI" => dice.filters,
            _ => [0; 4],
        },
        counter0: match counter {
            0 => (row.code, umask, false),
            _ => (0x36, 0x08, false),
        },
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_setting_counts_as_defined(dice in dice(), own in 0..5000_u64) {
        let setting = setting(&dice);
        let mut bench = Bench::new(LARGEST);
        program(&mut bench, &setting);
        let uclk = uclk(setting.kind, own);
        bench.machine.burst(uclk);
        // A burst is a whole number of cycles of uclk.
        let own = match setting.kind {
            "iMC" => uclk * 7 / 18,
            "QPI" => uclk * 5 / 6,
            "PCU" => uclk / 3,
            _ => uclk,
        };
        prop_assert_eq!(read(&mut bench, &setting), count(bdx_rows(), &setting, own), "{:?}", setting);
    }
}
