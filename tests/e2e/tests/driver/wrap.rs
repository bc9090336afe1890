// SPDX-License-Identifier: GPL-2.0

//! Counters that wrap: preloaded by the machine, behind the driver's back, to
//! just below the end of their width, then counted across it.

use crate::{usual_machine, BURST};
use ivbep_e2e::fixture::on;
use ivbep_e2e::fixture::probe::Probe;

/// An event, the machine's name of its box, where it counts, the width.
fn wrapping() -> [(Probe, &'static str, &'static str, u32); 6] {
    [
        (Probe::cbox(0, "rxr_occupancy.irq"), "cbox_0", "0", 44),
        (Probe::cbox(1, "tor_occupancy.all"), "cbox_1", "0", 44),
        (Probe::imc(0, "clockticks"), "imc_0", "fixed", 48),
        (Probe::imc(7, "clockticks"), "imc_7", "fixed", 48),
        (Probe::ubox("clockticks"), "ubox", "fixed", 44),
        (Probe::ubox("clockticks"), "ubox", "fixed", 48),
    ]
}

/// The values of an event's successive reads.
fn values(answers: &[String]) -> Vec<u64> {
    let value = |answer: &String| answer.split(' ').nth(1)?.parse().ok();
    answers.iter().filter_map(value).collect()
}

/// The first read takes note of where the counter was put, the difference to
/// the second is the burst.
#[test]
fn a_burst_across_the_end_of_a_counter_is_exact() {
    on(&usual_machine(), |session| {
        for (probe, unit, counter, width) in wrapping() {
            for (package, cpu) in [(0, 0), (1, 2)] {
                let each = probe.count(package, BURST);
                for below in [1, each - 1, each, each + 1] {
                    let start = (1_u64 << width) - below;
                    let answers = session.perf_open(&[
                        probe.open("event", cpu),
                        format!("machine preload {package} {unit} {counter} {start:#x}"),
                        "read event".to_owned(),
                        format!("burst {BURST}"),
                        "read event".to_owned(),
                        format!("burst {BURST}"),
                        "read event".to_owned(),
                    ]);
                    let seen = values(&answers);
                    let [first, second, third] = seen[..] else {
                        panic!("{answers:?}");
                    };
                    let steps = [second.wrapping_sub(first), third.wrapping_sub(second)];
                    assert_eq!(steps, [each, each], "{unit} {counter} from {start:#x}");
                }
            }
        }
    });
}

/// General counters that the driver placed itself: all four are preloaded.
#[test]
fn every_counter_of_a_channel_wraps_at_48_bits() {
    on(&usual_machine(), |session| {
        let probes: Vec<Probe> = (0..4)
            .map(|rank| Probe::imc(3, &format!("wr_cas_rank{rank}.bank7")))
            .collect();
        let mut steps: Vec<String> = (0..4)
            .map(|i| probes[i].open(&format!("event{i}"), 0))
            .collect();
        let start = (1_u64 << 48) - 100;
        steps.extend((0..4).map(|i| format!("machine preload 0 imc_3 {i} {start:#x}")));
        let reads: Vec<String> = (0..4).map(|i| format!("read event{i}")).collect();
        steps.extend(reads.clone());
        steps.push(format!("burst {BURST}"));
        steps.extend(reads);
        let seen = values(&session.perf_open(&steps));
        assert_eq!(seen.len(), 8, "{seen:?}");
        for (index, probe) in probes.iter().enumerate() {
            let counted = seen[index + 4].wrapping_sub(seen[index]);
            assert_eq!(counted, probe.count(0, BURST), "counter of {probe:?}");
        }
    });
}
