// SPDX-License-Identifier: GPL-2.0

//! Usual commands of perf's users: sums over boxes and sockets, `-A`, `-I`, a group with a software
//! event.

use crate::driver::{usual_machine, BURST, CBOXES, CHANNELS};
use uncore_e2e::perf::{Event, Table};
use uncore_e2e::prelude::*;

/// Returns the sum of one event over all boxes of its type, in one package.
fn over_boxes(probe: &Probe, boxes: u8, package: u8) -> u64 {
    let of_box = |instance| probe.on(instance).count(package, BURST);
    (0..boxes).map(of_box).sum()
}

/// Returns events, each with the number of its boxes in a package.
fn samples() -> [(Probe, u8); 10] {
    [
        (Probe::cbox(0, "llc_lookup.data_read"), CBOXES),
        (Probe::cbox(0, "tor_inserts.miss_opcode").opc(0x1e5), CBOXES),
        (Probe::imc(0, "act_count.rd"), CHANNELS),
        (Probe::ubox("event_msg.msi_rcvd"), 1),
        (Probe::ha(0, "addr_opc_match.opc").home_opcode(0x3f), 2),
        (Probe::qpi(0, "message.drs.anydatac"), 2),
        (Probe::pcu("freq_band1_cycles").band(1, 30), 1),
        (Probe::r2pcie("ring_bl_used.ccw"), 1),
        (Probe::r3qpi(0, "rxr_occupancy.drs"), 2),
        (Probe::irp(0, "transactions.writes"), 1),
    ]
}

#[test]
fn a_name_without_index_sums_over_boxes() {
    on(&usual_machine(), |session| {
        for (probe, boxes) in samples() {
            // The PMU's name has no index.
            let event = Event::new(probe.kind.all_pmus(), probe.all_terms()).named("sum");
            let packages = Platform::packages().iter();
            let sums = packages.map(|&package| over_boxes(&probe, boxes, package));
            let sums: Vec<u64> = sums.collect();

            let table = session.stat(&Stat::burst(BURST).event(&event));
            let line = table.at("sum", Place::System).expect("a line");
            assert_eq!(probe.exact(line), Some(sums.iter().sum()), "{probe:?}");

            let by_socket = Stat::burst(BURST).option("--per-socket").event(&event);
            let table = session.stat(&by_socket);
            for (package, sum) in Platform::packages().iter().copied().zip(sums) {
                let line = table.at("sum", Place::Socket(package)).expect("a line");
                assert_eq!(probe.exact(line), Some(sum), "{probe:?}");
            }
        }
    });
}

#[test]
fn each_cpu_of_the_mask_has_a_line() {
    on(&usual_machine(), |session| {
        for (probe, _) in samples() {
            let event = probe.event().named("one");
            let table = session.stat(&Stat::burst(BURST).option("-A").event(&event));
            let cpus = session.cpumask(&probe.pmu());
            for (&cpu, package) in cpus.iter().zip(Platform::packages().iter().copied()) {
                let line = table.at("one", Place::Cpu(cpu)).expect("a line");
                assert_eq!(
                    probe.exact(line),
                    Some(probe.count(package, BURST)),
                    "{probe:?}"
                );
            }
        }
    });
}

/// The driver moves an event to the CPU that counts for the package.
#[test]
fn an_event_may_be_opened_on_any_cpu_of_the_package() {
    on(&usual_machine(), |session| {
        for (probe, _) in samples() {
            for (cpu, package) in [(0, 0), (1, 0), (2, 1), (3, 1)] {
                let answers = session.perf_open(&[
                    probe.open("event", cpu),
                    format!("burst {BURST}"),
                    "read event".to_owned(),
                ]);
                let expected = format!("event {} ", probe.count(package, BURST));
                assert!(answers[1].starts_with(&expected), "CPU {cpu}: {answers:?}");
            }
        }
    });
}

#[test]
fn intervals_add_up() {
    on(&usual_machine(), |session| {
        let (bursts, probe) = (20, Probe::imc(0, "cas_count.all"));
        let stat = Stat::bursts(BURST, bursts, 50_000).option("--per-socket -I 200");
        let table = session.stat(&stat.event(&probe.event().named("interval")));
        for &package in Platform::packages() {
            let mut lines = table.lines.iter();
            assert!(lines.all(|line| line.interval.is_some()));
            let of_package = table.lines.iter();
            let of_package = of_package.filter(|line| line.place == Place::Socket(package));
            let counts: Vec<u64> = of_package
                .map(|line| probe.exact(line).expect("exact"))
                .collect();
            assert!(counts.len() > 2, "{counts:?}");
            let each = probe.count(package, BURST);
            assert!(
                counts.iter().all(|count| count % each == 0),
                "{counts:?} of {each}"
            );
            assert_eq!(counts.iter().sum::<u64>(), bursts * each);
        }
    });
}

#[test]
fn a_software_event_may_share_the_group() {
    on(&usual_machine(), |session| {
        let probe = Probe::cbox(1, "misc.started");
        let ours = probe.event().named("ours");
        let command = format!(
            "perf stat -j -a --per-socket -e '{{{ours},context-switches}}' -- burst {BURST}"
        );
        let output = session.run(&command);
        assert_eq!(output.status, 0, "{}", output.stderr);
        let table = Table::parse(&output.stderr).expect("a table");
        for &package in Platform::packages() {
            let line = table.at("ours", Place::Socket(package)).expect("a line");
            assert_eq!(probe.exact(line), Some(probe.count(package, BURST)));
        }
    });
}
