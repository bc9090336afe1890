// SPDX-License-Identifier: GPL-2.0

//! Random settings, sensible ones and others, against the definition.

use proptest::prelude::*;
use uncore_catalogue::snb_rows;
use uncore_definition::{count, Platform, Setting, PLAIN};

use super::sites::{program, read};
use super::usual;

/// A setting near a row: the umask may be another one, as may all other fields.
fn setting() -> impl Strategy<Value = Setting> {
    let umask = prop_oneof![2 => Just(None), 1 => any::<u8>().prop_map(Some)];
    let place = (0..4_u64, 0..2_usize);
    let thresh = prop_oneof![2 => Just(0), 1 => 0..32_u64];
    let row = any::<prop::sample::Index>();
    (row, umask, place, thresh, any::<[bool; 2]>()).prop_map(
        |(row, umask, (instance, counter), thresh, [edge, invert])| {
            let row = row.get(snb_rows());
            let kind = if row.kind == "ARB" { "ARB" } else { "CBO" };
            Setting {
                platform: Platform::Snb,
                kind,
                peer: 0,
                instance: if kind == "CBO" { instance } else { 0 },
                counter,
                code: row.code,
                umask: umask.unwrap_or(row.umask),
                thresh,
                edge,
                invert,
                ..PLAIN
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_setting_counts_as_defined(setting in setting(), cycles in 0..20_000_u64) {
        let mut bench = usual();
        program(&mut bench, &setting);
        bench.machine.burst(cycles);
        let expected = count(snb_rows(), &setting, cycles);
        prop_assert_eq!(read(&mut bench, &setting), expected, "{:?}", setting);
    }
}
