// SPDX-License-Identifier: GPL-2.0

//! Other machines than the usual one: more and fewer packages, C-Boxes that
//! differ between packages, other bus and node numbers, functions that firmware
//! hid, x2APIC, SMT, the larger part. On each, every box has its PMU with the
//! right `cpumask` and counts its own traffic. No other test wants one of these.

mod broadwell;
mod client;
mod westmere;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use uncore_e2e::prelude::*;

platforms!(; first);

const BURST: u64 = 1_000_000;

fn machine(options: &[(&str, &str)]) -> Config {
    let with = |config: Config, (key, value): &(&str, &str)| config.with(key, value);
    options.iter().fold(Config::default(), with)
}

/// Boxes that the machine has but firmware hid, in these packages.
type Hidden<'a> = &'a [(BoxKind, u8, &'a [u8])];

/// Returns the packages in which each box is visible.
fn visible(shape: &Shape, hidden: Hidden) -> BTreeMap<(BoxKind, u8), Vec<u8>> {
    let mut visible = BTreeMap::new();
    for kind in BoxKind::all() {
        for instance in 0..shape.most(kind) {
            let mut packages = shape.having(kind, instance);
            for (_, _, gone) in hidden
                .iter()
                .filter(|box_| (box_.0, box_.1) == (kind, instance))
            {
                packages.retain(|package| !gone.contains(package));
            }
            visible.insert((kind, instance), packages);
        }
    }
    visible.retain(|_, packages| !packages.is_empty());
    visible
}

/// Returns two events of each box, one of them with a filter if there is any.
fn samples(kind: BoxKind, instance: u8) -> Vec<Wanted> {
    let names: &[&str] = match kind {
        _ if Platform::current().has_own_lists() => (Platform::current().asked().two_of_each)(kind),
        BoxKind::Ubox => &["event_msg.doorbell_rcvd", "clockticks"],
        BoxKind::Cbox => &["llc_lookup.any", "tor_occupancy.all"],
        BoxKind::Sbox => &["clockticks", "ring_bl_used.up"],
        BoxKind::Ha => &["requests.reads", "requests.writes_remote"],
        BoxKind::Imc => &["cas_count.rd", "clockticks"],
        BoxKind::Irp => &["transactions.reads", "cache_total_occupancy.any"],
        BoxKind::Pcu => &["prochot_external_cycles", "vr_hot_cycles"],
        BoxKind::Qpi => &["cto_count", "txl_flits_g0.data"],
        BoxKind::R2pcie => &["ring_ad_used.cw", "rxr_occupancy.drs"],
        _ => &["ring_bl_used.ccw", "rxr_inserts.hom"],
    };
    let probe = |name: &&str| match *name {
        "cto_count" => Probe::qpi(instance, name).packet(PacketField::Mc, 0xe, 0xf),
        name => Probe::new(kind, instance, name),
    };
    Wanted::all(names.iter().map(probe))
}

/// Checks that each PMU counts for the packages that have its box, that there is no other
/// PMU, and that every box counts its own traffic.
fn boxes_are_right(session: &mut Session, visible: &BTreeMap<(BoxKind, u8), Vec<u8>>) {
    boxes_count(session, visible, samples);
}

/// The same with these events of each box.
fn boxes_count(
    session: &mut Session,
    visible: &BTreeMap<(BoxKind, u8), Vec<u8>>,
    samples: impl Fn(BoxKind, u8) -> Vec<Wanted>,
) {
    let others = Platform::current().other_pmus();
    let packages: BTreeSet<u8> = visible.values().flatten().copied().collect();
    let mut pmus: BTreeMap<_, _> = others
        .map(|pmu| (pmu, packages.iter().copied().collect()))
        .collect();
    let mut wanted: BTreeMap<&[u8], Vec<Wanted>> = BTreeMap::new();
    for (&(kind, instance), packages) in visible {
        pmus.insert(kind.pmu(instance), packages.clone());
        let together = wanted.entry(packages.as_slice()).or_default();
        together.extend(samples(kind, instance));
    }
    assert_eq!(session.packages_of_pmus(), pmus);
    for (packages, wanted) in wanted {
        session.counts(BURST, packages, &wanted);
    }
}

fn every_box_counts(options: &[(&str, &str)]) {
    let config = machine(options);
    let visible = visible(&Shape::of(&config), &[]);
    on_new(&config, |session| boxes_are_right(session, &visible));
}

#[test]
fn one_package() {
    every_box_counts(&[("packages", "1")]);
}

#[test]
fn four_packages() {
    platforms!();
    every_box_counts(&[("packages", "4"), ("cores", "1")]);
}

#[test]
fn eight_packages() {
    every_box_counts(&[("packages", "8"), ("cores", "1")]);
}

#[test]
fn as_many_cboxes_as_there_can_be() {
    every_box_counts(&[("packages", "1"), ("cboxes", "15")]);
}

/// The others keep their numbers.
#[test]
fn cboxes_that_are_fused_off_in_the_middle() {
    every_box_counts(&[("cbox-mask", "00000b:000015")]);
}

#[test]
fn packages_with_different_cboxes() {
    let config = machine(&[("cboxes", "2:5")]);
    let visible = visible(&Shape::of(&config), &[]);
    on_new(&config, |session| {
        boxes_are_right(session, &visible);
        let absent = Probe::cbox(4, "misc.started").open("event", 0);
        assert_eq!(session.perf_open(&[absent]), ["event ENODEV"]);
        session.last_rejection_has(&["cbox_4: ", "package"]);
    });
}

/// No CPU of package 1 is started at boot. The kernel's data of such a CPU is zero, and the
/// register has another number of C-Boxes than there are.
#[test]
fn a_package_whose_cpus_come_later() {
    platforms!();
    let config = Config {
        append: "maxcpus=2".to_owned(),
        ..machine(&[("cboxes", "2:5"), ("numc", "8")])
    };
    let all = visible(&Shape::of(&config), &[]);
    let mut at_first = all.clone();
    for packages in at_first.values_mut() {
        packages.retain(|&package| package == 0);
    }
    at_first.retain(|_, packages| !packages.is_empty());
    on_new(&config, |session| {
        boxes_are_right(session, &at_first);
        let channel = Probe::imc(0, "clockticks").open("event", 3);
        assert_eq!(session.perf_open(&[channel]), ["event ENODEV"]);
        session.last_rejection_has(&["imc_0: ", "package 1", "no CPU of the package is online"]);
        session.ok(&[3, 2].map(|cpu| switch(cpu, true)).join(" && "));
        boxes_are_right(session, &all);
        let log = session.ok("dmesg");
        assert!(!log.contains("belongs to no package"), "{log}");
    });
}

#[test]
fn an_isolated_cpu() {
    is_kept_for_programs("isolcpus=2");
}

/// Tests that CPU 2, the first of package 1, counts only while there is no other, since this
/// option of the kernel keeps it for programs.
pub(crate) fn is_kept_for_programs(option: &str) {
    let config = Config {
        append: option.to_owned(),
        ..Config::default()
    };
    let all = visible(&Shape::of(&config), &[]);
    on_new(&config, |session| {
        let pmu = BoxKind::Cbox.pmu(0);
        assert_eq!(session.cpumask(&pmu), [0, 3]);
        boxes_are_right(session, &all);
        let probe = Probe::cbox(0, "misc.started");
        let each = probe.count(1, BURST);
        let burst = format!("burst {BURST}");
        let answers = session.perf_open(&[
            probe.open("event", 2),
            burst.clone(),
            format!("run {}", switch(3, false)),
            burst.clone(),
            "read event".to_owned(),
            format!("run {}", switch(3, true)),
            burst,
            "read event".to_owned(),
        ]);
        assert_eq!(
            reads(&answers, "event"),
            [2, 3].map(|times| Some(times * each))
        );
        assert_eq!(session.cpumask(&pmu), [0, 3]);
        session.ok(&switch(3, false));
        assert_eq!(session.cpumask(&pmu), [0, 2]);
        boxes_are_right(session, &all);
    });
}

#[test]
fn fewer_cboxes_than_cores() {
    every_box_counts(&[("cores", "4:2"), ("cboxes", "1:2")]);
}

#[test]
fn an_x2apic_machine() {
    platforms!();
    let config = Config {
        x2apic: true,
        ..Config::default()
    };
    let visible = visible(&Shape::of(&config), &[]);
    on_new(&config, |session| boxes_are_right(session, &visible));
}

#[test]
fn a_machine_with_two_threads_per_core() {
    every_box_counts(&[("smt", "2")]);
}

/// Starting so many CPUs takes a while on one computer.
#[test]
fn sixty_four_cpus() {
    let options = [("packages", "4"), ("cores", "8"), ("smt", "2")];
    let config = Config {
        timeout: Some(Duration::from_secs(900)),
        ..machine(&options)
    };
    on_new(&config, |session| {
        assert_eq!(session.ok("nproc").trim(), "64");
        boxes_are_right(session, &visible(&Shape::of(&config), &[]));
    });
}

#[test]
fn odd_bus_numbers() {
    every_box_counts(&[("uncore-buses", "1f:c7"), ("iio-buses", "00:90")]);
}

/// Package 0 is node 1: the node map decides, and not the order of buses.
#[test]
fn nodes_in_the_other_order() {
    every_box_counts(&[("nodes", "1:0")]);
}

#[test]
fn nodes_with_gaps() {
    every_box_counts(&[("nodes", "6:3")]);
}

/// The bus with the lower number belongs to package 1.
#[test]
fn buses_in_the_other_order() {
    every_box_counts(&[("uncore-buses", "ff:7f"), ("iio-buses", "80:00")]);
}

/// The third QPI port and link.
#[test]
fn an_e7() {
    every_box_counts(&[("part", "ex")]);
}

#[test]
fn an_e7_of_four_packages() {
    every_box_counts(&[("part", "ex"), ("packages", "4"), ("cores", "1")]);
}

/// Tests that a real machine has the boxes of its public listing, `cbox_0-7 ha_0 pcu`, and no
/// other, that each counts, and that the doctor says `told` of what is missing.
fn is_as_listed(name: &str, listing: &str, told: &[&str]) {
    let config = machine(&[("shape", name), ("free-run", "on")]);
    let everywhere = Shape::of(&config).packages();
    let mut boxes = BTreeMap::new();
    for word in listing.split(' ') {
        let (unit, numbers) = word.split_once('_').unwrap_or((word, "0"));
        let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
        let [first, last] = [first, last].map(|number| number.parse().expect("a number"));
        let kind = BoxKind::all().find(|kind| kind.unit() == unit);
        for instance in first..=last {
            boxes.insert((kind.expect("a type"), instance), everywhere.clone());
        }
    }
    on_new(&config, |session| {
        // Its lines are wrapped.
        let doctor = session.run("uncore doctor").stdout;
        let doctor = doctor.split_whitespace().collect::<Vec<_>>().join(" ");
        for words in told {
            assert!(doctor.contains(words), "{name}: no `{words}` in {doctor}");
        }
        session.ok("machine free-run off");
        // Firmware hides the filters of QPI.
        boxes_count(session, &boxes, |kind, instance| match kind {
            BoxKind::Qpi => Wanted::all([Probe::qpi(instance, "txl_flits_g0.data")]),
            _ => samples(kind, instance),
        });
    });
}

/// Firmware hides the IRP and the functions of QPI that count.
#[test]
fn an_e5_2640_v2() {
    is_as_listed(
        "e5-2640v2",
        "cbox_0-7 ha_0 imc_0-3 pcu r2pcie r3qpi_0 ubox",
        &["irp", "qpi_0"],
    );
}

/// Its buses are neither those of most machines, nor is the last one ff.
#[test]
fn an_e5_2680_v2() {
    is_as_listed(
        "e5-2680v2",
        "cbox_0-9 ha_0 imc_0-3 pcu r2pcie r3qpi_0 ubox",
        &["irp", "qpi_0"],
    );
}

#[test]
fn functions_that_are_absent_in_one_package() {
    let hidden = "7f:0e.1+ff:1c.1+ff:13.1+7f:13.5+80:05.6+ff:1e.1";
    let config = machine(&[("hidden", hidden)]);
    let absent: Hidden = &[
        (BoxKind::Ha, 0, &[0]),
        (BoxKind::Ha, 1, &[1]),
        (BoxKind::R2pcie, 0, &[1]),
        (BoxKind::R3qpi, 0, &[0]),
        (BoxKind::Irp, 0, &[1]),
        (BoxKind::Irp, 1, &[1]),
        (BoxKind::Imc, 7, &[1]),
    ];
    let visible = visible(&Shape::of(&config), absent);
    on_new(&config, |session| boxes_are_right(session, &visible));
}

/// Without its match and mask registers a port counts the events that need none. Events
/// for a kind of packet are refused, since they would count unfiltered.
#[test]
fn a_port_whose_packet_match_is_hidden() {
    let config = machine(&[("hidden", "7f:08.6+09.6")]);
    on_new(&config, |session| {
        let flits = |port| Probe::qpi(port, "txl_flits_g1.drs_data").into();
        session.counts(BURST, &[0, 1], &[flits(0), flits(1)]);
        let message = |port| Probe::qpi(port, "message.drs.anydatac");
        session.counts_on(2, 1, BURST, &message(0));
        for (port, cpu) in [(0, 0), (1, 0), (1, 2)] {
            let answers = session.perf_open(&[message(port).open("event", cpu)]);
            assert_eq!(answers, ["event ENODEV"], "port {port}, CPU {cpu}");
            session.last_rejection_has(&[&format!("qpi_{port}: "), "ENODEV"]);
        }
    });
}

/// Returns true for boxes whose registers are MSRs: no bus shows their package.
fn without_a_bus(kind: BoxKind) -> bool {
    kind.function(0).is_none()
}

/// A map that does not name the package's node leaves its buses without an owner, and
/// they belong to no other package either. The functions that show the number of C-Boxes
/// are on such a bus, so the driver must use a register.
#[test]
fn a_package_that_the_map_does_not_name() {
    platforms!();
    let config = machine(&[
        ("nodes", "2:5"),
        ("gidnidmap", "ffffff:ffffef"),
        ("numc", "3"),
    ]);
    let mut visible = visible(&Shape::of(&config), &[]);
    let pci = visible
        .iter_mut()
        .filter(|((kind, _), _)| !without_a_bus(*kind));
    for (_, packages) in pci {
        packages.retain(|&package| package != 0);
    }
    on_new(&config, |session| {
        boxes_are_right(session, &visible);
        let log = session.ok("dmesg");
        let said = |line: &str| line.contains("uncore_rs") && line.contains("7f");
        assert!(log.lines().any(said), "{log}");
    });
}

/// Two packages that claim the same node cannot be told apart: the driver uses no function of
/// either bus, and logs why. The boxes of both that are reached by MSRs count.
#[test]
fn two_packages_that_claim_one_node() {
    let config = machine(&[("nodes", "0:0"), ("numc", "3")]);
    let mut visible = visible(&Shape::of(&config), &[]);
    visible.retain(|(kind, _), _| without_a_bus(*kind));
    on_new(&config, |session| {
        boxes_are_right(session, &visible);
        let log = session.ok("dmesg");
        for (bus, other) in [("7f", "ff"), ("ff", "7f")] {
            let said = format!("bus 0000:{other} also claims package 0");
            let of_bus =
                |line: &str| line.contains(&format!("0000:{bus}:")) && line.contains(&said);
            assert!(log.lines().any(of_bus), "{log}");
        }
    });
}

/// Three bits cannot distinguish more than eight NUMA nodes: the driver uses the node
/// that firmware gives for a bus, and ignores registers that make no sense.
#[test]
fn more_than_eight_numa_nodes() {
    every_box_counts(&[("spare-nodes", "8"), ("nodes", "5:5")]);
}

/// Returns the entry of a package's box in debugfs' map.
fn entry(map: &str, package: u8, unit: &str) -> String {
    let head = format!("package {package}:");
    let lines = map.lines().skip_while(|line| !line.starts_with(&head));
    let of_package = lines.skip(1).take_while(|line| line.starts_with(' '));
    let mut words = of_package
        .map(str::trim)
        .filter_map(|line| line.split_once(' '));
    let found = words.find(|(name, _)| *name == unit);
    let (_, said) = found.unwrap_or_else(|| panic!("no {unit} of package {package} in\n{map}"));
    said.to_owned()
}

/// The map in debugfs has every package with every box in its place, the IRP on the bus
/// of the I/O half, and lists the missing boxes.
#[test]
fn the_map_in_debugfs_has_every_box() {
    let buses = [("3f", "00"), ("7f", "40"), ("bf", "80"), ("ff", "c0")];
    let config = machine(&[
        ("packages", "4"),
        ("cores", "1"),
        ("hidden", "bf:0e.1+ff:09.6"),
    ]);
    let shape = Shape::of(&config);
    on_new(&config, |session| {
        let map = session.ok("cat /sys/kernel/debug/uncore_rs/topology");
        for ((package, (uncore, io)), (kind, instance)) in (0_u8..)
            .zip(buses)
            .flat_map(|at| shape.pmus().into_iter().map(move |pmu| (at, pmu)))
        {
            let unit = kind.box_name(instance);
            let said = entry(&map, package, &unit);
            let hidden = (package, unit.as_str()) == (2, "ha_0");
            let place = match (kind, kind.function(instance)) {
                _ if hidden => "missing:".to_owned(),
                (BoxKind::Irp, Some(function)) => format!("0000:{io}:{function}"),
                (_, Some(function)) => format!("0000:{uncore}:{function}"),
                (BoxKind::Cbox, None) => format!("msr:{:#x}", 0xd00 + 0x20 * u32::from(instance)),
                (_, None) => "msr:0x".to_owned(),
            };
            assert!(
                said.starts_with(&place),
                "{unit} of {package}: {said}, not {place}"
            );
        }
        let filters = |package: u8, unit| {
            let said = entry(&map, package, unit);
            said.split_once("filters: ")
                .map(|(_, place)| place.to_owned())
        };
        assert_eq!(filters(2, "qpi_1").as_deref(), Some("0000:bf:09.6"));
        let missing = filters(3, "qpi_1").unwrap_or_default();
        assert!(missing.starts_with("missing"), "{map}");
    });
}
