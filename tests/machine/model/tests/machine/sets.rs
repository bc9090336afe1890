// SPDX-License-Identifier: GPL-2.0

//! The two sets of the IRP and its source filter:
//! Documentation/hardware/ivbep.rst section 7.5, tables 2-108 to 2-117.

use uncore_machine::Function;

use crate::bench::{Bench, IRP};
use uncore_definition::{on, rate};

const EN: u32 = 1 << 22;

/// 31,250 rounds.
const MILLION: u64 = 1_000_000;

/// Control and counter, set and number within it.
const COUNTERS: [(u16, u16, u64); 4] = [
    (0xd8, 0xa0, 0),
    (0xdc, 0xb0, 0),
    (0xe0, 0xb8, 1),
    (0xe4, 0xc0, 1),
];

/// On-blocks of a signal in a set of a package.
fn transactions(package: u64, set: u64, code: u64, signal: u64) -> u64 {
    on(31_250, rate(code, signal, set, package))
}

/// Returns the count of an event on each counter of an IRP.
fn counts(bench: &mut Bench, at: Function, event: u32) -> [u64; 4] {
    for (control, ..) in COUNTERS {
        bench.set(at, control, EN | 1 << 17 | event);
    }
    bench.machine.burst(MILLION);
    COUNTERS.map(|(_, low, _)| bench.cfg_counter(at, low))
}

#[test]
fn each_set_sees_traffic_of_its_own() {
    let mut bench = Bench::usual();
    for (package, bus) in [(0, 0x00), (1, 0x80)] {
        let at = Function { bus, ..IRP };
        // RxR_BL_DRS_INSERTS, and TICKLES.TOP_OF_QUEUE.
        for (event, code, signal) in [(0x0001, 0x01, 8), (0x0216, 0x16, 1)] {
            let counted = counts(&mut bench, at, event);
            let expected = COUNTERS.map(|(.., set)| 3 * transactions(package, set, code, signal));
            assert_eq!(counted, expected);
            assert_ne!(counted[0], counted[2]);
        }
    }
    bench.assert_clean();
}

#[test]
fn clocks_are_the_same_for_both() {
    let mut bench = Bench::usual();
    assert_eq!(counts(&mut bench, IRP, 0), [MILLION; 4]);
}

#[test]
fn source_is_a_signal_of_the_occupancies_t2_111_to_t2_115() {
    let mut bench = Bench::usual();
    for code in 0x10..=0x14_u32 {
        // Blocks of max_inc 128: 128, 64, 1, 0.
        let any = counts(&mut bench, IRP, 0x0100 | code)[0];
        let source = counts(&mut bench, IRP, 0x0200 | code)[0];
        assert_eq!(any, 193 * transactions(0, 0, code.into(), 0));
        assert_eq!(source, 193 * transactions(0, 0, code.into(), 1));
        assert_eq!(counts(&mut bench, IRP, 0x0300 | code)[0], any + source);
    }
    bench.assert_clean();
}

#[test]
fn orderingq_restricts_the_request_types_t2_117() {
    let mut bench = Bench::usual();
    let queue_0 = |set: u64, types: &[u64]| -> u64 {
        let passing = types.iter().map(|signal| {
            let total = transactions(0, set, 0x15, *signal);
            total / 7 * 2 + (total % 7).min(2)
        });
        3 * passing.sum::<u64>()
    };
    for (umask, types) in [
        (0x09, &[0][..]),
        (0x0a, &[1]),
        (0x0c, &[2]),
        (0x0b, &[0, 1]),
        (0x0f, &[0, 1, 2]),
        (0x08, &[0, 1, 2]),
    ] {
        let counted = counts(&mut bench, IRP, umask << 8 | 0x15);
        assert_eq!(counted[0], queue_0(0, types), "umask {umask:#x}");
        assert_eq!(counted[3], queue_0(1, types), "umask {umask:#x}");
    }
    let all = counts(&mut bench, IRP, 0x0715)[0];
    let expected: u64 = (0..3).map(|signal| transactions(0, 0, 0x15, signal)).sum();
    assert_eq!(all, 3 * expected, "without it all sources count");
    bench.assert_clean();
}
