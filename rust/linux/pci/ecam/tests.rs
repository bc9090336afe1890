// SPDX-License-Identifier: GPL-2.0

//! Parsing of firmware's table.

use kernel::prelude::kunit_tests;

#[kunit_tests(uncore_linux_ecam)]
mod suite {
    use super::super::{
        super::Address,
        regions,
        Region,
        ENTRY,
        HEADER,
        MOST_ENTRIES, //
    };
    use kernel::prelude::*;

    /// All buses of segment 0, and some of segment 2.
    const ENTRIES: [[u8; ENTRY]; 2] = [
        [0, 0, 0, 0xb0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0, 0, 0, 0],
        [0, 0, 0x10, 0, 1, 0, 0, 0, 2, 0, 0x40, 0x7f, 0, 0, 0, 0],
    ];

    /// The regions of these entries.
    const REGIONS: [Region; 2] = [
        Region {
            base: 0xb000_0000,
            segment: 0,
            first: 0,
            last: 0xff,
        },
        Region {
            base: 0x1_0010_0000,
            segment: 2,
            first: 0x40,
            last: 0x7f,
        },
    ];

    /// Makes a table with these entries and `length` in its header.
    fn table(entries: &[[u8; ENTRY]], length: usize) -> Result<KVec<u8>> {
        let mut table = KVec::new();
        table.extend_from_slice(b"MCFG", GFP_KERNEL)?;
        table.extend_from_slice(&u32::try_from(length)?.to_le_bytes(), GFP_KERNEL)?;
        table.resize(HEADER, 0, GFP_KERNEL)?;
        for entry in entries {
            table.extend_from_slice(entry, GFP_KERNEL)?;
        }
        Ok(table)
    }

    fn sound_table(entries: &[[u8; ENTRY]]) -> Result<KVec<u8>> {
        table(entries, HEADER + ENTRY * entries.len())
    }

    const fn at(domain: u32, bus: u8) -> Address {
        Address {
            domain,
            bus,
            device: 0x10,
            function: 4,
        }
    }

    #[test]
    fn each_entry_is_a_region() -> Result {
        assert!(regions(&sound_table(&ENTRIES)?).eq(REGIONS));
        assert!(regions(&sound_table(&ENTRIES[1..])?).eq([REGIONS[1]]));
        assert_eq!(regions(&sound_table(&[])?).count(), 0);
        Ok(())
    }

    #[test]
    fn a_function_has_4_kib_in_the_region_of_its_bus() {
        let [all, some] = REGIONS;
        assert_eq!(all.address(at(0, 0x7f)), Some(0xb7f8_4000));
        assert_eq!(all.address(at(0, 0xff)), Some(0xbff8_4000));
        assert_eq!(all.address(at(1, 0x7f)), None);
        assert_eq!(some.address(at(2, 0x40)), Some(0x1_0418_4000));
        assert_eq!(some.address(at(2, 0x3f)), None);
        assert_eq!(some.address(at(2, 0x80)), None);
        assert_eq!(some.address(at(0, 0x40)), None);
        assert_eq!(some.address(at(0x1_0002, 0x40)), None);
    }

    #[test]
    fn a_region_does_not_come_round() {
        let high = Region {
            base: 0xffff_ffff_fff0_0000,
            ..REGIONS[0]
        };
        assert_eq!(high.address(at(0, 0)), Some(0xffff_ffff_fff8_4000));
        assert_eq!(high.address(at(0, 1)), None);
    }

    #[test]
    fn a_table_that_is_cut_off_says_nothing() -> Result {
        let sound = sound_table(&ENTRIES)?;
        for length in 0..sound.len() {
            assert_eq!(regions(&sound[..length]).count(), 0);
        }
        Ok(())
    }

    #[test]
    fn a_table_whose_length_lies_says_nothing() -> Result {
        let sound = sound_table(&ENTRIES)?.len();
        for length in [
            0,
            HEADER,
            sound - ENTRY,
            sound - 1,
            sound + 1,
            sound + ENTRY,
        ] {
            assert_eq!(regions(&table(&ENTRIES, length)?).count(), 0);
        }
        let mut odd = table(&ENTRIES, sound + 1)?;
        odd.push(0, GFP_KERNEL)?;
        assert_eq!(regions(&odd).count(), 0);
        Ok(())
    }

    #[test]
    fn another_table_says_nothing() -> Result {
        let mut other = sound_table(&ENTRIES)?;
        other[3] = b'H';
        assert_eq!(regions(&other).count(), 0);
        Ok(())
    }

    #[test]
    fn entries_that_make_no_sense_are_passed_over() -> Result {
        let [good, ..] = ENTRIES;
        let mut backwards = good;
        (backwards[10], backwards[11]) = (0x80, 0x7f);
        let mut nowhere = good;
        nowhere[3] = 0;
        let mut askew = good;
        askew[1] = 0x10;
        let entries = [backwards, nowhere, askew, ENTRIES[1]];
        assert!(regions(&sound_table(&entries)?).eq([REGIONS[1]]));
        Ok(())
    }

    #[test]
    fn a_table_without_end_has_one() -> Result {
        let mut long = sound_table(&[])?;
        let length = HEADER + ENTRY * (MOST_ENTRIES + 1);
        long[4..8].copy_from_slice(&u32::try_from(length)?.to_le_bytes());
        for _ in 0..=MOST_ENTRIES {
            long.extend_from_slice(&ENTRIES[0], GFP_KERNEL)?;
        }
        assert_eq!(regions(&long).count(), MOST_ENTRIES);
        Ok(())
    }
}
