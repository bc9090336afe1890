// SPDX-License-Identifier: GPL-2.0

//! Requests that are accepted, and each reason to refuse one: rows of a request and its sentence.

use super::{
    parser::parse,
    reject::tests::{
        printed,
        text,
        Text, //
    },
    *, //
};
use crate::uncore::table::field::Words;
use kernel::prelude::*;

mod compat;
mod intervals;
mod others;

/// Returns the words of a request, with these `config` and `config1`.
fn words(config: u64, config1: u64) -> Words {
    Words {
        config,
        config1,
        ..Words::default()
    }
}

/// Returns the sentence of a refused request; empty for an accepted one.
fn verdict(kind: &'static BoxType, words: &Words) -> Result<Text> {
    match parse(kind, words) {
        Ok(_) => Ok(Text::new()),
        Err(rejection) => text(&rejection),
    }
}

/// Checks what each request gets: `config`, `config1` and the sentence, which is empty for an accepted
/// one.
fn check_verdicts(kind: &'static BoxType, rows: &[(u64, u64, &str)]) -> Result {
    for &(config, config1, sentence) in rows {
        let found = verdict(kind, &words(config, config1))?;
        if found.as_str() != sentence {
            pr_err!("{config:#x} {config1:#x}: {}\n", found.as_str());
            return Err(EINVAL);
        }
    }
    Ok(())
}

/// Returns the filter units of a request, with their values.
fn filter_values(request: &Request) -> impl Iterator<Item = (u8, u64)> + '_ {
    request.filters.iter().map(|used| (used.unit, used.value))
}

#[kunit_tests(uncore_event)]
mod suite {
    use super::*;
    use crate::{
        linux::{
            errno::eopnotsupp,
            perf::{
                Attr,
                Exclude, //
            },
            topology::Cpu, //
        },
        uncore::testing::*, //
    };

    #[test]
    fn each_fault_has_its_sentence() -> Result {
        #[rustfmt::skip]
        const ROWS: &[(u64, u64, &str)] = &[
            // Bits without a field.
            (0x0001_0000, 0, "config has bits that belong to no field (0x10000)"),
            (1 << 32 | 0x77, 0, "config has bits that belong to no field (0x100000000)"),
            (1 << 22, 0, "config has bits that belong to no field (0x400000)"),
            (0, 0x20, "config1 has bits that belong to no field (0x20)"),
            (0, 1 << 57, "config1 has bits that belong to no field (0x200000000000000)"),
            // The box has no interrupt and so no intervals.
            (0x0003_0d40_0000_0000, 0, "config has bits that belong to no field (0x30d4000000000)"),
            // The fixed counter.
            (0x1ff, 0, "ticks is a fixed counter, which takes no other field, and umask is set"),
            (0x1_00fe, 0, "config has bits that belong to no field (0x10000)"),
            (0x0100_00fe, 0, "free is a fixed counter, which takes no other field, and thresh is set"),
            (0xff, 1, "ticks is a fixed counter, which takes no other field, and filter_who is set"),
            // Events.
            (0x77, 0, "there is no event 0x77"),
            (0x01, 0, "there is no event 0x01"),
            // Umasks.
            (0x0100, 0, "umask 0x01 is set, but clock takes none"),
            (0x0011, 0, "queue needs umask: 0 selects nothing"),
            (0x0034, 0, "lookup needs umask: 0 selects nothing"),
            (0x0811, 0, "umask 0x08 has bits this event does not define (0x8): queue"),
            (0xf911, 0, "umask 0xf9 has bits this event does not define (0xf8): queue"),
            (0x011b, 0, "umask 0x01 is incomplete: 0x1 needs 0x2 as well: ring"),
            (0x231b, 0, "umask 0x23 has bits this event does not define (0x20): ring"),
            (0x0311, 0, "umask 0x03 combines queue.retries, which counts only alone"),
            (0x0934, 0, "umask 0x09 is no sub-event of lookup"),
            (0x4034, 0, "umask 0x40 is no sub-event of lookup"),
            (0x1134, 0, "lookup.hidden is refused: it needs a register nobody describes"),
            (0x5134, 0, "lookup (umask 0x51) is refused: it needs a register nobody describes"),
            (0x0735, 0, "umask 0x07 is no sub-event of insert"),
            (0x101b, 0, "ring.secret is refused: it needs a register nobody describes"),
            (0x131b, 0, "ring (umask 0x13) is refused: it needs a register nobody describes"),
            // Edge and threshold.
            (0x0004_0000, 0, "edge is set without thresh: an edge is a step to at least that many, \
                              so set it to 1 or more"),
            (0x0200_0000, 0, "thresh 2 is never reached: clock adds at most 1 in a clock"),
            (0x1500_0111, 0, "thresh 21 is never reached: queue adds at most 20 in a clock"),
            // Filters.
            (0, 1, "filter_who is set without who_en, so it would not be applied: leave out filter_who, \
                    or set who_en=1"),
            (0, 0x100, "filter_state is set, but clock does not use it"),
            (0x0311 ^ 0x0200, 1 << 32, "filter_node is set, but queue.reads does not use it"),
            (0x0511, 1 << 32, "filter_node is set, but queue (umask 0x05) does not use it"),
            (0x0835, 1 << 56, "filter_special is set, but insert.all does not use it"),
            (0x4134, 0, "lookup.noded needs a value for filter_node other than 0"),
            (0x4334, 0, "lookup (umask 0x43) needs a value for filter_node other than 0"),
            (0x0135, 0, "insert.opcode needs a value for filter_opcode other than 0"),
            (0x0135, 1 << 56, "filter_opcode must be 0x80 or more"),
            (0x0135, 0x7f << 48, "filter_opcode must be 0x80 or more"),
            (0x4135, 0x80 << 48, "insert.both needs a value for filter_node other than 0"),
        ];
        check_verdicts(&KIND, ROWS)
    }

    #[test]
    fn words_without_fields_are_refused() -> Result {
        let base = Words::default();
        #[rustfmt::skip]
        let rows = [
            (Words { config2: 1, ..base }, "config2 has bits that belong to no field (0x1)"),
            (Words { config3: 2, ..base }, "config3 has bits that belong to no field (0x2)"),
            (Words { config4: 4, ..base }, "config4 has bits that belong to no field (0x4)"),
        ];
        for (words, sentence) in rows {
            assert_eq!(verdict(&KIND, &words)?.as_str(), sentence);
        }
        Ok(())
    }

    #[test]
    fn the_first_reason_is_the_one_that_is_told() -> Result {
        // Each row has the faults of the next and one that is looked for earlier.
        #[rustfmt::skip]
        const ROWS: &[(u64, u64, &str)] = &[
            (0x0214_0077 | 1 << 20, 0x20, "config has bits that belong to no field (0x100000)"),
            (0x0204_0077, 1, "there is no event 0x77"),
            (0x0204_0111, 1 << 32, "filter_node is set, but queue.reads does not use it"),
            (0x0004_0811, 1 << 32, "umask 0x08 has bits this event does not define (0x8): queue"),
            (0x0004_0111, 1 << 32, "edge is set without thresh: an edge is a step to at least that \
                                    many, so set it to 1 or more"),
        ];
        check_verdicts(&KIND, ROWS)
    }

    /// A request's `config`, `config1`, counters and filters.
    type Accepted = (u64, u64, u8, &'static [(u8, u64)]);

    #[test]
    fn accepted_requests_have_the_right_word_counters_and_filters() -> Result {
        #[rustfmt::skip]
        let rows: [Accepted; 15] = [
            // config, config1, counters, filters
            (0x0000_0000, 0,                     0b1111, &[]),
            (0x0104_0000, 0,                     0b1111, &[]),
            (0x0008_0000, 0,                     0b1111, &[(WHO, 0)]),
            (0x0008_0000, 0x1f,                  0b1111, &[(WHO, 0x1f)]),
            (0x1404_0511, 0,                     0b0001, &[]),
            (0x0000_0211, 0,                     0b0001, &[]),
            (0x0000_031b, 0,                     0b1100, &[]),
            (0x0000_431b, 0xff << 32,            0b1100, &[(NODE, 0xff << 32)]),
            (0x0000_001f, 0,                     0b1110, &[]),
            (0x0000_0334, 0,                     0b0011, &[(STATE, 0x3f00)]),
            (0x0000_0334, 0x0100,                0b0011, &[(STATE, 0x0100)]),
            (0x0008_4534, 0x0100 | 3 | 7 << 32,  0b0011, &[(WHO, 3), (STATE, 0x0100), (NODE, 7 << 32)]),
            (0x0000_6134, 0x0100 | 7 << 32,      0b0011, &[(STATE, 0x0100), (NODE, 7 << 32)]),
            (0x0000_0135, 0x180 << 48,           0b0011, &[(OPCODE, 0x180 << 48)]),
            (0x0000_4135, 0x80 << 48 | 1 << 32,  0b0011, &[(NODE, 1 << 32), (OPCODE, 0x80 << 48)]),
        ];
        for (config, config1, counters, filters) in rows {
            let request = parse(&KIND, &words(config, config1)).map_err(|_| EINVAL)?;
            assert_eq!(u64::from(request.enabled(&KIND)), config | ENABLE);
            assert_eq!(request.on, Counters::General(counters));
            assert!(filter_values(&request).eq(filters.iter().copied()));
        }
        Ok(())
    }

    #[test]
    fn accepted_requests_have_the_name_of_their_event() -> Result {
        let rows = [
            (0x00, "clock"),
            (0x0111, "queue.reads"),
            (0x0511, "queue (umask 0x05)"),
        ];
        for (config, expected) in rows {
            let request = parse(&KIND, &words(config, 0)).map_err(|_| EINVAL)?;
            let name = request.name(&KIND).ok_or(EINVAL)?;
            assert_eq!(printed(fmt!("{name}"))?.as_str(), expected);
        }
        Ok(())
    }

    #[test]
    fn fixed_counters_are_themselves() -> Result {
        for (select, index) in [(0xff, 0), (0xfe, 1)] {
            let request = parse(&KIND, &words(select, 0)).map_err(|_| EINVAL)?;
            assert_eq!(request.on, Counters::Fixed(index));
            assert!(request.event(&KIND).is_none());
        }
        Ok(())
    }

    #[test]
    fn what_no_uncore_counter_can_do_is_refused() -> Result {
        let good = Attr {
            cpu: Cpu::new(0),
            ..Attr::default()
        };
        let no = Exclude::default();
        #[rustfmt::skip]
        let rows = [
            (Attr { sampling: true, task: true, ..good }, eopnotsupp()),
            (Attr { precise_ip: 1, ..good }, eopnotsupp()),
            (Attr { branches: true, ..good }, eopnotsupp()),
            (Attr { task: true, ..good }, EINVAL),
            (Attr { cpu: None, ..good }, EINVAL),
            (Attr { exclude: Exclude { user: true, ..no }, ..good }, EINVAL),
            (Attr { exclude: Exclude { kernel: true, ..no }, ..good }, EINVAL),
            (Attr { exclude: Exclude { hypervisor: true, ..no }, ..good }, EINVAL),
            (Attr { exclude: Exclude { idle: true, ..no }, ..good }, EINVAL),
            (Attr { exclude: Exclude { host: true, ..no }, ..good }, EINVAL),
            (Attr { exclude: Exclude { guest: true, ..no }, ..good }, EINVAL),
        ];
        assert!(check_manner(&good).is_ok());
        for (attr, errno) in rows {
            let fault = check_manner(&attr).err().ok_or(EINVAL)?;
            assert_eq!(fault.errno().0, errno);
        }
        Ok(())
    }
}
