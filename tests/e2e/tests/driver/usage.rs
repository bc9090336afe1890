// SPDX-License-Identifier: GPL-2.0

//! Usual commands of perf's users: sums over boxes and sockets, `-A`, `-C`, `-I`,
//! `perf list`, more events than counters.

use crate::driver::{usual_machine, BURST, CBOXES, CHANNELS};
use uncore_e2e::perf::{estimate, Table};
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
            let event = probe.event_of_all_boxes().named("sum");
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
fn a_box_can_be_seen_apart() {
    on(&usual_machine(), |session| {
        let probe = Probe::cbox(0, "misc.started");
        let stat = Stat::burst(BURST).option("--no-merge");
        let table = session.stat(&stat.event(&probe.event_of_all_boxes()));
        assert_eq!(
            table.lines.len(),
            usize::from(CBOXES) * Platform::packages().len()
        );
        let cpus = session.cpumask(&probe.pmu());
        for instance in 0..CBOXES {
            let event = probe.on(instance).event().to_string();
            for (&cpu, package) in cpus.iter().zip(Platform::packages().iter().copied()) {
                let line = table.at(&event, Place::Cpu(cpu)).expect("a line");
                assert_eq!(
                    probe.exact(line),
                    Some(probe.on(instance).count(package, BURST))
                );
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

/// `-C` takes the CPUs of the mask; perf finds nothing to count on others.
#[test]
fn a_cpu_of_the_mask_stands_for_its_package() {
    on(&usual_machine(), |session| {
        let probe = Probe::cbox(1, "misc.started");
        let cpus = session.cpumask(&probe.pmu());
        for (cpu, package) in cpus.into_iter().zip(Platform::packages().iter().copied()) {
            let stat = Stat::burst(BURST).option(&format!("-C {cpu} --per-socket"));
            let table = session.stat(&stat.event(&probe.event().named("one")));
            assert_eq!(table.lines.len(), 1, "{table:?}");
            let line = table.at("one", Place::Socket(package)).expect("a line");
            assert_eq!(probe.exact(line), Some(probe.count(package, BURST)));
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
fn perf_list_shows_the_events() {
    on(&usual_machine(), |session| {
        let listed = session.ok("perf list --no-desc 2>&1");
        for event in [
            "ivbep_uncore_cbox/llc_lookup.any/",
            "ivbep_uncore_cbox/tor_inserts.miss_opcode,filter_opc=?/",
            "ivbep_uncore_imc/cas_count.rd/",
            "ivbep_uncore_imc/clockticks/",
            "ivbep_uncore_ubox/event_msg.ipi_rcvd/",
            "ivbep_uncore_ha/addr_opc_match.filt,",
            "ivbep_uncore_qpi/txl_flits_g1.drs_data/",
            "ivbep_uncore_qpi/message.drs.anydatac/",
            "ivbep_uncore_pcu/power_state_occupancy.cores_c6/",
            "ivbep_uncore_pcu/demotions_core3,filter_band0=?/",
            "ivbep_uncore_r2pcie/rxr_ak_bounces/",
            "ivbep_uncore_r3qpi/vna_credits_acquired.ad/",
            "ivbep_uncore_irp/cache_total_occupancy.source/",
        ] {
            let names = |line: &str| line.contains(event);
            assert!(listed.lines().any(names), "{event} is not in\n{listed}");
        }
    });
}

/// Counts more events than there are counters, so that perf scales each by the share of the
/// time in which it ran. With `-vv` perf shows what it scales. The bursts come from the CPU
/// that counts, so that none falls into the moment in which events change places: each is
/// counted by as many events as there are counters.
#[test]
fn perf_scales_events_that_take_turns() {
    const BURSTS: u64 = 40;
    const COUNTERS: u64 = 4;
    on(&usual_machine(), |session| {
        let banks: Vec<Probe> = (0..6)
            .map(|bank| Probe::imc(2, &format!("wr_cas_rank5.bank{bank}")))
            .collect();
        let events: Vec<_> = banks.iter().map(Probe::event).collect();
        // The tests of CPUs that go leave package 1 with either of its CPUs.
        let cpu = session.cpumask(&BoxKind::Imc.pmu(2))[1];
        let stat = Stat::of(format!(
            "taskset {:x} perf-open 'burst {BURST} {BURSTS} 10000'",
            1 << cpu
        ));
        let stat = stat.option("--per-socket").option("-vv");
        let printed = session.run(&stat.event_list(&events).json()).stderr;
        let table = Table::parse(&printed).expect("a table");
        let mut seen = 0;
        for (probe, event) in banks.iter().zip(&events) {
            let name = event.to_string();
            let [count, enabled, running] = read_on_cpu(cpu, &name, &printed);
            assert!(0 < running && running < enabled, "{name}: {printed}");
            let each = probe.count(1, BURST);
            assert_eq!(count % each, 0, "{name}: a part of a burst: {printed}");
            let scaled = estimate(count) * estimate(enabled) / estimate(running);
            let line = table.at(&name, Place::Socket(1)).expect("a line");
            assert_eq!(line.value, Some(scaled.floor()), "{line:?}");
            seen += count / each;
        }
        assert_eq!(seen, COUNTERS * BURSTS, "{printed}");
    });
}

/// Returns what `perf stat -vv` read of an event on a CPU: the count, and the nanoseconds in
/// which the event was enabled and in which it ran.
fn read_on_cpu(cpu: u16, event: &str, printed: &str) -> [u64; 3] {
    let head = format!("{event}: {cpu}: ");
    let rest = printed.lines().find_map(|line| line.strip_prefix(&head));
    let words = rest.unwrap_or_else(|| panic!("no `{head}`: {printed}"));
    let numbers: Vec<u64> = words
        .split(' ')
        .map_while(|word| word.parse().ok())
        .collect();
    numbers.try_into().expect("three numbers")
}

/// Sampling is refused; counting in a group with a software event is possible.
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
