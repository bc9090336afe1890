// SPDX-License-Identifier: GPL-2.0

//! Requests for boxes with uncommon features: fields for occupancies, another field in the place of
//! the umask, counter sets, views, the event without a sub-event.

use kernel::prelude::*;

#[kunit_tests(uncore_event_others)]
mod suite {
    use super::super::*;
    use crate::uncore::testing::{
        msr_only::decoder::{
            ALL,
            DECODER, //
        },
        platform::{
            link::{
                self,
                QUEUE_RESET, //
            },
            power::ONLY, //
        },
        *, //
    };

    const BELOW: u64 = 1 << 30;
    const OCC_EDGE: u64 = 1 << 31;
    const INVERT: u64 = 1 << 23;
    const EDGE: u64 = 1 << 18;
    const AWAKE: u64 = 0x4080;
    const MESSAGE: u64 = 0x38 | 1 << 21;
    const HALF: u64 = 1 << 32;

    /// A box with occupancies beside events.
    static BESIDE: BoxType = BoxType {
        occupancy_bit: 1 << 7,
        ..ONLY
    };

    const fn thresh(value: u64) -> u64 {
        value << 24
    }

    fn words_of_filters(config: u64, config1: u64, config2: u64) -> Words {
        Words {
            config2,
            ..words(config, config1)
        }
    }

    #[test]
    fn occupancies_have_fields_of_their_own() -> Result {
        #[rustfmt::skip]
        const ROWS: &[(u64, u64, &str)] = &[
            (AWAKE, 0, ""),
            (AWAKE | thresh(15), 0, ""),
            (AWAKE | thresh(16), 0, "thresh 16 is never reached: occupancy adds at most 15 in a clock"),
            (AWAKE | thresh(1) | OCC_EDGE, 0, ""),
            (AWAKE | thresh(1) | OCC_EDGE | BELOW, 0, ""),
            (AWAKE | thresh(1) | BELOW, 0, ""),
            // The event is always below the threshold.
            (AWAKE | thresh(31) | BELOW, 0, ""),
            (AWAKE | OCC_EDGE, 0, "occ_edge is set without thresh: an edge is a step to at least that \
                                many, so set it to 1 or more"),
            (AWAKE | BELOW, 0, "occ_below is set without thresh: it counts the clocks with less than \
                             that many, so set it to 1 or more"),
            (AWAKE | EDGE | thresh(1), 0, "edge is set, but occupancy is an occupancy: use occ_edge"),
            (AWAKE | EDGE, 0, "edge is set, but occupancy is an occupancy: use occ_edge"),
            (EDGE | thresh(1), 0, ""),
            (EDGE, 0, "edge is set without thresh: an edge is a step to at least that many, so set it \
                    to 1 or more"),
            (OCC_EDGE | thresh(1), 0, "occ_edge is set, but clock is no occupancy: use edge"),
            (AWAKE | INVERT | thresh(1), 0, "inv is set, but occupancy is an occupancy: use occ_below"),
            (INVERT | thresh(1), 0, ""),
            (BELOW | thresh(1), 0, "occ_below is set, but clock is no occupancy: use inv"),
            (thresh(2), 0, "thresh 2 is never reached: clock adds at most 1 in a clock"),
            (BELOW | thresh(2), 0, "occ_below is set, but clock is no occupancy: use inv"),
        ];
        check_verdicts(&POWER, ROWS)
    }

    #[test]
    fn edges_of_an_occupancy_have_both_bits_unless_one_is_of_an_event() -> Result {
        for (kind, config, bits) in [
            (&POWER, AWAKE | thresh(1) | OCC_EDGE, EDGE),
            (&POWER, AWAKE | thresh(1) | BELOW, 0),
            (&POWER, thresh(1) | EDGE, 0),
            (&BESIDE, AWAKE | thresh(1) | OCC_EDGE, 0),
            (&BESIDE, thresh(1) | EDGE, 0),
        ] {
            let request = parse(kind, &words(config, 0)).map_err(|_| EINVAL)?;
            let enable = u64::from(kind.control.enable);
            assert_eq!(u64::from(request.enabled(kind)), config | bits | enable);
        }
        Ok(())
    }

    #[test]
    fn an_event_can_have_an_occupancy_beside_it() -> Result {
        const BOTH: u64 = 0x0b | AWAKE;
        const ALL: u64 = BOTH | thresh(4) | INVERT | BELOW | OCC_EDGE;
        #[rustfmt::skip]
        const ROWS: &[(u64, u64, &str)] = &[
            (BOTH | thresh(15), 1, ""),
            (ALL, 1, ""),
            (BOTH | thresh(4), 0, "banded (state 0x01) needs a value for band other than 0"),
            (0x8b | thresh(4), 1, "occupancy needs state: 0 selects nothing"),
            (BOTH | thresh(16), 1, "thresh 16 is never reached: occupancy adds at most 15 in a clock"),
            (BOTH | thresh(4) | EDGE, 1, "edge is set, but occupancy is an occupancy: use occ_edge"),
            (0x81, 0, "there is no event 0x81"),
        ];
        check_verdicts(&BESIDE, ROWS)?;
        check_verdicts(&POWER, &[(ALL, 1, "there is no event 0x8b")])?;
        let request = parse(&BESIDE, &words(ALL, 1)).map_err(|_| EINVAL)?;
        let enable = u64::from(BESIDE.control.enable);
        assert_eq!(u64::from(request.enabled(&BESIDE)), ALL | enable);
        Ok(())
    }

    #[test]
    fn an_event_can_refuse_edges_of_the_inverse() -> Result {
        const BANDED: u64 = 0x0b | thresh(1);
        #[rustfmt::skip]
        const ROWS: &[(u64, u64, &str)] = &[
            (BANDED | EDGE, 1, ""),
            (BANDED | INVERT, 1, ""),
            (BANDED | EDGE | INVERT, 1, "banded is refused: it takes edge or inv, not both"),
        ];
        check_verdicts(&POWER, ROWS)
    }

    #[test]
    fn other_events_can_be_inverted_too() -> Result {
        const BANK: u64 = 0x10;
        #[rustfmt::skip]
        const ROWS: &[(u64, u64, &str)] = &[
            (BANK | thresh(4) | INVERT, 0, ""),
            (BANK | thresh(4) | INVERT | EDGE, 0, ""),
            // The event is always below the threshold.
            (BANK | thresh(5) | INVERT, 0, ""),
            (BANK | INVERT, 0, "inv is set without thresh: it counts the clocks with less than that \
                             many, so set it to 1 or more"),
            (BANK | INVERT | EDGE, 0, "edge is set without thresh: an edge is a step to at least that \
                                    many, so set it to 1 or more"),
        ];
        check_verdicts(&SLICE, ROWS)
    }

    #[test]
    fn an_occupancy_of_a_box_without_such_fields_has_plain_edges() -> Result {
        let steps = words(0x0b | EDGE | thresh(100), 0);
        assert_eq!(verdict(&LINK, &steps)?.as_str(), "");
        Ok(())
    }

    #[test]
    fn an_event_select_can_be_in_several_fields() -> Result {
        #[rustfmt::skip]
        const ROWS: &[(u64, u64, &str)] = &[
            (0x000, 0, ""),
            (0x002, 0, ""),
            (0x082, 0, ""),
            (0x102, 0, ""),
            (0x004, 0, "there is no event with event=0x02"),
            (0x100, 0, "there is no event with counter=0x01"),
            (0x182, 0, "there is no event with event=0x01,late=0x01,counter=0x01"),
            (0x202, 0, "there is no event with event=0x01,counter=0x02"),
            (0x001, 0, "config has bits that belong to no field (0x1)"),
            (0x040, 0, "config has bits that belong to no field (0x40)"),
            (0x400, 0, "config has bits that belong to no field (0x400)"),
        ];
        check_verdicts(&GATE, ROWS)
    }

    #[test]
    fn an_event_set_is_no_part_of_the_control_word() -> Result {
        for (config, control, counters) in [(0x082, 0x82, 0b01), (0x102, 0x02, 0b10)] {
            let request = parse(&GATE, &words(config, 0)).map_err(|_| EINVAL)?;
            assert_eq!(request.on, Counters::General(counters));
            assert_eq!(request.enabled(&GATE), control | gate::ENABLE);
        }
        Ok(())
    }

    #[test]
    fn an_edge_needs_no_threshold_in_a_box_that_has_none() -> Result {
        let steps = words(0x002 | EDGE, 0);
        assert_eq!(verdict(&gate::STEPS, &steps)?.as_str(), "");
        let request = parse(&gate::STEPS, &steps).map_err(|_| EINVAL)?;
        assert_eq!(request.enabled(&gate::STEPS), 0x0004_0002 | gate::ENABLE);
        Ok(())
    }

    #[test]
    fn an_address_of_which_nothing_is_compared_is_none() -> Result {
        let rows = [
            (0, ALL, None),
            (1, ALL, Some("match")),
            (0, 0, Some("mask")),
            (0, ALL >> 1, Some("mask")),
            (1, 0, Some("match")),
        ];
        for (address, mask, field) in rows {
            let words = words_of_filters(0, address, mask);
            let request = parse(&DECODER, &words).map_err(|_| EINVAL)?;
            let privileged = request.privileged_field(&DECODER);
            assert_eq!(privileged.map(|field| field.name), field);
        }
        Ok(())
    }

    #[test]
    fn the_field_in_place_of_the_umask_is_named() -> Result {
        #[rustfmt::skip]
        const ROWS: &[(u64, u64, &str)] = &[
            (0x0080, 0, "occupancy needs state: 0 selects nothing"),
            (0xc080, 0, "state 0x03 is no sub-event of occupancy"),
            (0x4000, 0, "state 0x01 is set, but clock takes none"),
            (0x0100, 0, "config has bits that belong to no field (0x100)"),
            (0x40fc, 0, "sleep is a fixed counter, which takes no other field, and state is set"),
        ];
        check_verdicts(&POWER, ROWS)
    }

    #[test]
    fn a_set_limits_the_counters_and_is_no_part_of_the_control_word() -> Result {
        for (config, counters) in [(0x14, 0b0011), (0x14 | HALF, 0b1100)] {
            let request = parse(&LINK, &words(config, 0)).map_err(|_| EINVAL)?;
            assert_eq!(request.on, Counters::General(counters));
            assert_eq!(u64::from(request.enabled(&LINK)), 0x14 | link::ENABLE);
        }
        let second = words(0x14 | HALF, 0);
        let sentence = "half 1 does not exist: the counters of the box are in 1 sets, from 0 on";
        assert_eq!(verdict(&ONE_SET, &second)?.as_str(), sentence);
        Ok(())
    }

    #[test]
    fn views_own_nothing() -> Result {
        #[rustfmt::skip]
        let rows = [
            (words_of_filters(MESSAGE, 0x1fe0, 0x1fe0), ""),
            (words_of_filters(MESSAGE, 0x1fe0, 0x1e00),
             "the care leaves out bits that are to be matched (0x1e0), so they would match \
              anything"),
            (words(MESSAGE, 0x2000), "config1 has bits that belong to no field (0x2000)"),
            (words_of_filters(MESSAGE, 0x1fe0, 1 << 31), "config2 has bits that belong to no field (0x80000000)"),
            (words(0x14, 0x20), "match_opcode is set, but clock does not use it"),
            (words_of_filters(0x14, 0, 0x200), "mask_class is set, but clock does not use it"),
        ];
        for (words, sentence) in rows {
            assert_eq!(verdict(&LINK, &words)?.as_str(), sentence);
        }
        Ok(())
    }

    #[test]
    fn filters_whose_zero_is_a_value_are_used_all_the_same() -> Result {
        let request = parse(&LINK, &words_of_filters(MESSAGE, 0, 0x1e00)).map_err(|_| EINVAL)?;
        assert!(filter_values(&request).eq([(0, 0), (1, 0x1e00)]));
        let request = parse(&LINK, &words(MESSAGE, 0)).map_err(|_| EINVAL)?;
        assert!(filter_values(&request).eq([(0, 0), (1, 0)]));
        Ok(())
    }

    #[test]
    fn an_event_without_a_sub_event_can_be_one_beside_them() -> Result {
        #[rustfmt::skip]
        const ROWS: &[(u64, u64, &str)] = &[
            (0x0000, 0, ""),
            (0x0200, 0, ""),
            (0x0600, 0, ""),
            (0x0800, 0, "umask 0x08 has bits this event does not define (0x8): flits"),
            (1 << 21, 0, "far needs umask: 0 selects nothing"),
        ];
        check_verdicts(&LINK, ROWS)
    }

    #[test]
    fn a_umask_of_0_can_be_a_sub_event() -> Result {
        #[rustfmt::skip]
        const ROWS: &[(u64, u64, &str)] = &[
            (0x0010, 0, ""),
            (0x0110, 0, ""),
            (0x1010, 0, ""),
            (0x1110, 0, "umask 0x11 is no sub-event of bank"),
            (thresh(5) | 0x0010, 0, "thresh 5 is never reached: bank adds at most 4 in a clock"),
        ];
        check_verdicts(&SLICE, ROWS)
    }

    #[test]
    fn a_umask_can_need_a_bit_of_each_half() -> Result {
        #[rustfmt::skip]
        const ROWS: &[(u64, u64, &str)] = &[
            (0x1117, 0, ""),
            (0x1317, 0, ""),
            (0x3217, 0, ""),
            (0x3317, 0, ""),
            (0x0017, 0, "answer needs umask: 0 selects nothing"),
            (0x0317, 0, "umask 0x03 is incomplete: 0x1 needs one of 0x10, 0x20 as well: answer"),
            (0x3017, 0, "umask 0x30 is incomplete: 0x10 needs one of 0x1, 0x2 as well: answer"),
        ];
        check_verdicts(&SLICE, ROWS)
    }

    #[test]
    fn a_sub_event_can_exclude_some_others() -> Result {
        #[rustfmt::skip]
        const ROWS: &[(u64, u64, &str)] = &[
            (0x0118, 0, ""),
            (0x0318, 0, ""),
            (0x0c18, 0, ""),
            (0x0518, 0, "umask 0x05 combines detour.short, which counts only without 0x4"),
            (0x0e18, 0, "umask 0x0e combines detour.shorter, which counts only without 0xc"),
        ];
        check_verdicts(&SLICE, ROWS)
    }

    #[test]
    fn a_queue_is_cleared_when_its_occupancy_starts() -> Result {
        for (config, bits) in [(0x0b, QUEUE_RESET), (0x14, 0), (0x00, 0)] {
            let request = parse(&LINK, &words(config, 0)).map_err(|_| EINVAL)?;
            let word = config | link::ENABLE;
            assert_eq!(u64::from(request.starting()), bits);
            assert_eq!(u64::from(request.enabled(&LINK)), word);
        }
        Ok(())
    }
}
