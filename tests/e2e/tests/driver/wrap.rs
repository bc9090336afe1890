// SPDX-License-Identifier: GPL-2.0

//! Counters that wrap: without the driver's knowledge the machine preloads them to just
//! below the end of their width, then they count across it.

use crate::driver::{usual_machine, BURST};
use uncore_e2e::prelude::*;

/// An event, the machine's name of its box, where it counts, the width.
fn wrapping() -> Vec<(Probe, &'static str, &'static str, u32)> {
    match Platform::current() {
        Platform::Ivbep => on_ivbep(),
        Platform::Bdx => on_bdx(),
        Platform::Snb => on_snb(),
        Platform::Nhmex => vec![
            (Probe::cbox(1, "llc_hits.all"), "cbox_1", "0", 48),
            (Probe::sbox(0, "pkts_rcvd_snp"), "sbox_0", "0", 48),
            (Probe::wbox("clockticks"), "wbox", "fixed", 48),
        ],
    }
}

fn on_ivbep() -> Vec<(Probe, &'static str, &'static str, u32)> {
    vec![
        (Probe::cbox(0, "rxr_occupancy.irq"), "cbox_0", "0", 44),
        (Probe::cbox(1, "tor_occupancy.all"), "cbox_1", "0", 44),
        (Probe::r2pcie("rxr_occupancy.drs"), "r2pcie", "0", 44),
        (Probe::r3qpi(1, "rxr_occupancy.ncs"), "r3qpi_1", "0", 44),
        (Probe::r3qpi(0, "ring_ad_used.cw"), "r3qpi_0", "2", 44),
        (Probe::imc(0, "clockticks"), "imc_0", "fixed", 48),
        (Probe::imc(7, "clockticks"), "imc_7", "fixed", 48),
        (Probe::ubox("clockticks"), "ubox", "fixed", 44),
        (Probe::ubox("clockticks"), "ubox", "fixed", 48),
    ]
}

fn on_bdx() -> Vec<(Probe, &'static str, &'static str, u32)> {
    vec![
        (Probe::cbox(0, "rxr_occupancy.irq"), "cbox_0", "0", 48),
        (Probe::cbox(1, "tor_occupancy.all"), "cbox_1", "0", 48),
        (Probe::r2pcie("rxr_occupancy.drs"), "r2pcie", "0", 48),
        (Probe::r3qpi(1, "rxr_occupancy_vn1.ncs"), "r3qpi_1", "0", 48),
        (Probe::imc(0, "clockticks"), "imc_0", "fixed", 48),
        (Probe::imc(7, "clockticks"), "imc_7", "fixed", 48),
        (Probe::ubox("clockticks"), "ubox", "fixed", 48),
    ]
}

fn on_snb() -> Vec<(Probe, &'static str, &'static str, u32)> {
    vec![
        (Probe::arb("trk_occupancy.all"), "arb", "0", 44),
        (Probe::arb("coh_trk_occupancy.all"), "arb", "0", 44),
        (Probe::arb("clockticks"), "arb", "fixed", 48),
    ]
}

/// Returns the values of an event's successive reads.
fn values(answers: &[String]) -> Vec<u64> {
    let value = |answer: &String| answer.split(' ').nth(1)?.parse().ok();
    answers.iter().filter_map(value).collect()
}

/// The event starts at the preloaded value.
#[test]
fn a_burst_across_the_end_of_a_counter_is_exact() {
    on(&usual_machine(), |session| {
        for (probe, unit, counter, width) in wrapping() {
            for &package in Platform::packages() {
                let cpu = 2 * u16::from(package);
                let each = probe.count(package, BURST);
                for below in [1, each - 1, each, each + 1] {
                    let start = (1_u64 << width) - below;
                    let answers = session.perf_open(&[
                        format!("machine preload {package} {unit} {counter} {start:#x}"),
                        probe.open("event", cpu),
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

/// A group, the machine's name of its box, a width.
type FullBox = (Vec<Probe>, &'static str, u32);

/// Groups that take every general counter of a box, the machine's name of the box, and
/// the width at which all its counters wrap. All counters are preloaded, since the driver
/// chooses the counter of each event.
fn full_boxes() -> Vec<FullBox> {
    match Platform::current() {
        Platform::Ivbep => [full_on_xeons(), full_on_ivbep()].concat(),
        Platform::Bdx => [full_on_xeons(), full_on_bdx()].concat(),
        Platform::Nhmex => vec![
            (vec![Probe::cbox(0, "llc_hits.all"); 6], "cbox_0", 48),
            (vec![Probe::sbox(1, "pkts_rcvd_snp"); 4], "sbox_1", 48),
        ],
        Platform::Snb => vec![
            (vec![Probe::arb("trk_requests.all"); 2], "arb", 44),
            (
                vec![Probe::cbox(0, "cache_lookup.read_mesi"); 2],
                "cbox_0",
                44,
            ),
            (vec![Probe::cbox(1, "cache_lookup.any_i"); 2], "cbox_1", 44),
        ],
    }
}

fn full_on_xeons() -> Vec<FullBox> {
    let four = |probe: fn(u8) -> Probe| (0..4).map(probe).collect::<Vec<_>>();
    let ranks = |rank: u8| {
        Probe::imc(
            3,
            &format!("wr_cas_rank{}.bank7", [0, 1, 4, 5][usize::from(rank)]),
        )
    };
    vec![
        (four(ranks), "imc_3", 48),
        (
            four(|region| Probe::ha(1, &format!("tad_requests_g0.region{region}"))),
            "ha_1",
            48,
        ),
        (
            four(|core| Probe::pcu(&format!("core{core}_transition_cycles"))),
            "pcu",
            48,
        ),
        (vec![Probe::qpi(1, "rxl_occupancy"); 4], "qpi_1", 48),
        (irp(), "irp", 48),
    ]
}

fn irp() -> Vec<Probe> {
    [0, 0, 1, 1]
        .map(|set| Probe::irp(set, "cache_total_occupancy.any"))
        .into()
}

/// The width of the IRP's counters is uncertain.
fn full_on_ivbep() -> Vec<FullBox> {
    vec![
        (vec![Probe::r2pcie("clockticks"); 4], "r2pcie", 44),
        (vec![Probe::r3qpi(0, "clockticks"); 3], "r3qpi_0", 44),
        (vec![Probe::cbox(2, "clockticks"); 4], "cbox_2", 44),
        (vec![Probe::ubox("lock_cycles"); 2], "ubox", 44),
        (irp(), "irp", 44),
    ]
}

fn full_on_bdx() -> Vec<FullBox> {
    vec![
        (vec![Probe::r2pcie("clockticks"); 4], "r2pcie", 48),
        (vec![Probe::r3qpi(0, "clockticks"); 3], "r3qpi_0", 48),
        (vec![Probe::cbox(2, "clockticks"); 4], "cbox_2", 48),
        (vec![Probe::sbox(3, "clockticks"); 4], "sbox_3", 48),
        (vec![Probe::ubox("racu_requests"); 2], "ubox", 48),
    ]
}

#[test]
fn every_counter_of_a_box_wraps_at_its_width() {
    on(&usual_machine(), |session| {
        for (probes, unit, width) in full_boxes() {
            let names: Vec<String> = (0..probes.len()).map(|i| format!("event{i}")).collect();
            let open = |(probe, name): (&Probe, &String)| probe.open(name, 0);
            let start = (1_u64 << width) - 100;
            let preload = |i| format!("machine preload 0 {unit} {i} {start:#x}");
            let mut steps: Vec<String> = (0..probes.len()).map(preload).collect();
            steps.extend(probes.iter().zip(&names).map(open));
            let reads = names.iter().map(|name| format!("read {name}"));
            steps.extend(reads.clone());
            steps.push(format!("burst {BURST}"));
            steps.extend(reads);
            let seen = values(&session.perf_open(&steps));
            assert_eq!(seen.len(), 2 * probes.len(), "{seen:?}");
            let (before, after) = seen.split_at(probes.len());
            for (probe, (before, after)) in probes.iter().zip(before.iter().zip(after)) {
                let counted = after.wrapping_sub(*before);
                assert_eq!(counted, probe.count(0, BURST), "{unit}: {probe:?}");
            }
        }
    });
}
