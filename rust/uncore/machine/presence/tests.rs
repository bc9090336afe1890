// SPDX-License-Identifier: GPL-2.0

//! Boxes of a package, by what tells them.

use kernel::prelude::*;

#[kunit_tests(uncore_presence)]
mod suite {
    use super::super::*;
    use crate::uncore::testing::SLICE;

    /// Device ID, offset and bits of a register with fuses, and the ID of box 0.
    const FUSED: u16 = 0x7fc0;
    const OFFSET: u16 = 0x98;
    const FIRST: u16 = 0x70e0;

    /// Device ID of functions that all have it, one for each bit of [`Part::functions`].
    const EQUAL: u16 = 0x70f8;

    /// A package.
    #[derive(Clone, Copy)]
    struct Part {
        /// Functions from [`FIRST`] on, as a bit mask.
        functions: u16,
        /// The register with fuses.
        fuses: Option<u32>,
        /// The MSR with the number of boxes.
        number: Option<u64>,
        cores: u32,
    }

    /// A package that tells nothing.
    const SILENT: Part = Part {
        functions: 0,
        fuses: None,
        number: None,
        cores: 0,
    };

    impl Evidence for Part {
        fn functions(&self, device_id: u16) -> usize {
            let found = match device_id {
                EQUAL => self.functions,
                id => self.functions & 1 << (id - FIRST),
            };
            found.count_ones() as usize
        }

        fn read_config(&self, device_id: u16, offset: u16) -> Option<u32> {
            self.fuses
                .filter(|_| (device_id, offset) == (FUSED, OFFSET))
        }

        fn read_msr(&self, number: u32) -> Option<u64> {
            self.number.filter(|_| number == 0x702)
        }

        fn cores(&self) -> u32 {
            self.cores
        }
    }

    const FUNCTIONS: Presence = Presence::Functions { first_id: FIRST };

    const NUMBER: Presence = Presence::Register {
        msr: 0x702,
        bits: Bits { low: 4, high: 8 },
    };

    const LIMITED: Presence = Presence::CoresUpTo {
        msr: 0x702,
        bits: Bits { low: 4, high: 8 },
    };

    const fn fuses(low: u8, high: u8, choices: Option<&'static [u32]>) -> Presence {
        Presence::Fuses {
            device_id: FUSED,
            offset: OFFSET,
            bits: Bits { low, high },
            choices,
        }
    }

    const fn fused(present: u32) -> Boxes {
        Boxes {
            present,
            others: MissingReason::FusedOff,
        }
    }

    /// Returns the boxes of a part with at most eight.
    fn found(present: &[Presence], part: &Part) -> Boxes {
        find(0, &SLICE, present, part)
    }

    #[test]
    fn a_table_can_have_all_boxes_of_each_part() {
        assert_eq!(found(&[Presence::All], &SILENT), Boxes::first(8));
    }

    #[test]
    fn each_function_is_of_a_box() {
        for functions in [0b1011, 0b1110, 0x80] {
            let part = Part {
                functions,
                ..SILENT
            };
            let boxes = Boxes {
                present: functions.into(),
                others: MissingReason::Unseen,
            };
            assert_eq!(found(&[FUNCTIONS], &part), boxes);
        }
    }

    #[test]
    fn functions_without_gaps_are_the_number_of_boxes() {
        let rows = [(0, 0), (1, 1), (0b1111, 4), (0x7fff, 8)];
        for (functions, count) in rows {
            let part = Part {
                functions,
                ..SILENT
            };
            assert_eq!(found(&[FUNCTIONS], &part), Boxes::first(count));
        }
    }

    #[test]
    fn equal_functions_are_the_number_of_boxes() {
        let present = [
            Presence::EqualFunctions { device_id: EQUAL },
            Presence::Cores,
        ];
        let rows = [(0, 3), (1, 1), (0b1011, 3), (0b10_1111, 5), (0x7fff, 8)];
        for (functions, count) in rows {
            let part = Part {
                functions,
                cores: 3,
                ..SILENT
            };
            assert_eq!(found(&present, &part), Boxes::first(count));
        }
    }

    #[test]
    fn fuses_are_a_mask_of_boxes() {
        let mask = [fuses(8, 15, None)];
        for (value, present) in [(0xff0d_33ff, 0x33), (0x0100, 1)] {
            let part = Part {
                fuses: Some(value),
                ..SILENT
            };
            assert_eq!(found(&mask, &part), fused(present));
        }
        let boxes = fused(0x33);
        let absent = (0..32).filter(|&index| boxes.absence(index).is_some());
        assert!(absent.eq(Iterator::chain(2..4, 6..32)));
        assert_eq!(boxes.absence(2), Some(MissingReason::FusedOff));
    }

    #[test]
    fn fuses_can_choose_a_mask() {
        let choice = [fuses(6, 7, Some(&[0, 0b1111, 0b11])), NUMBER];
        let rows = [
            (0x3f, fused(0)),
            (0x40, fused(0b1111)),
            (0x80, fused(0b11)),
            // A value without a mask.
            (0xc0, Boxes::first(5)),
        ];
        for (value, boxes) in rows {
            let part = Part {
                fuses: Some(value),
                number: Some(5 << 4),
                ..SILENT
            };
            assert_eq!(found(&choice, &part), boxes);
        }
    }

    #[test]
    fn a_mask_in_doubt_has_a_box_for_each_core() {
        let present = [
            Presence::Mask {
                device_id: FUSED,
                offset: OFFSET,
            },
            Presence::Cores,
        ];
        let rows = [
            (None, Boxes::first(3)),
            (Some(0b0101), Boxes::first(3)),
            (Some(0b1101), fused(0b1101)),
            (Some(0xff), fused(0xff)),
            // A bit that is no box's.
            (Some(0x1ff), Boxes::first(3)),
        ];
        for (fuses, boxes) in rows {
            let part = Part {
                fuses,
                cores: 3,
                ..SILENT
            };
            assert_eq!(found(&present, &part), boxes);
        }
    }

    #[test]
    fn numbers_are_limited_by_the_table() {
        for (count, found_count) in [(0, 0), (3, 3), (8, 8), (9, 8), (0x1f, 8)] {
            let part = Part {
                number: Some(u64::from(count) << 4 | 0xe0f),
                cores: count,
                ..SILENT
            };
            for presence in [NUMBER, Presence::Cores] {
                assert_eq!(found(&[presence], &part), Boxes::first(found_count));
            }
        }
        assert_eq!(
            Boxes::first(3).absence(3),
            Some(MissingReason::BeyondCount(3))
        );
        assert_eq!(Boxes::first(3).absence(2), None);
    }

    #[test]
    fn cores_can_have_fewer_boxes_than_their_number() {
        let rows = [
            (None, 4),
            (Some(0xe0f), 4),
            (Some(3 << 4), 3),
            (Some(4 << 4), 4),
            (Some(5 << 4 | 0xe0f), 4),
        ];
        for (number, count) in rows {
            let part = Part {
                number,
                cores: 4,
                ..SILENT
            };
            assert_eq!(found(&[LIMITED], &part), Boxes::first(count));
        }
    }

    #[test]
    fn the_first_that_is_there_decides() {
        let present = [FUNCTIONS, fuses(0, 7, None), NUMBER];
        let all = Part {
            functions: 0b11,
            fuses: Some(0x0f),
            number: Some(7 << 4),
            cores: 4,
        };
        let hidden = Part {
            functions: 0,
            ..all
        };
        assert_eq!(found(&present, &all), Boxes::first(2));
        assert_eq!(found(&present, &hidden), fused(0x0f));
        for fuses in [None, Some(0)] {
            let untold = Part { fuses, ..hidden };
            assert_eq!(found(&present, &untold), Boxes::first(7));
        }
        assert_eq!(found(&present, &SILENT), Boxes::first(0));
    }
}
