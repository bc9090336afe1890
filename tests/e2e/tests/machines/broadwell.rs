// SPDX-License-Identifier: GPL-2.0

//! Shapes that Broadwell-EP has and Ivy Bridge-EP has not: fuses with gaps, parts without
//! S-Boxes or with one home agent, cluster-on-die, the part of one package. On other
//! platforms they are ignored; `make test-bdx-repeats-KERNEL` runs them.

use super::{boxes_are_right, every_box_counts, is_as_listed, machine, visible};
use std::time::Duration;
use uncore_e2e::prelude::*;

platforms!(; e5);

#[test]
#[ignore = "only on Broadwell"]
fn four_packages_of_an_e7() {
    every_box_counts(&[("part", "ex"), ("packages", "4"), ("cores", "1")]);
}

#[test]
#[ignore = "only on Broadwell"]
fn all_cboxes() {
    every_box_counts(&[("packages", "1"), ("cboxes", "24")]);
}

/// The fuses decide, whatever cores there are.
#[test]
#[ignore = "only on Broadwell"]
fn cboxes_with_gaps() {
    every_box_counts(&[("cores", "4:2"), ("cbox-mask", "a00f05:00000c")]);
}

#[test]
#[ignore = "only on Broadwell"]
fn a_package_without_sboxes() {
    every_box_counts(&[("sboxes", "0:4")]);
}

#[test]
#[ignore = "only on Broadwell"]
fn one_home_agent_in_a_package() {
    every_box_counts(&[("home-agents", "1:2")]);
}

/// Two channels are on each home agent.
#[test]
#[ignore = "only on Broadwell"]
fn an_e5_2680_v4() {
    is_as_listed(
        "e5-2680v4",
        "cbox_0-13 ha_0-1 imc_0-1 imc_4-5 pcu qpi_0-1 r2pcie r3qpi_0-1 sbox_0-3 ubox",
        &["irp"],
    );
}

/// Functions of some C-Boxes have no class.
#[test]
#[ignore = "only on Broadwell"]
fn an_e5_2699_v4() {
    is_as_listed(
        "e5-2699v4",
        "cbox_0-21 ha_0-1 imc_0-1 imc_4-5 pcu qpi_0-1 r2pcie r3qpi_0-1 sbox_0-3 ubox",
        &["irp"],
    );
}

/// The function of channel 4 is there, and no channel behind it.
#[test]
#[ignore = "only on Broadwell"]
fn an_i7_6850k() {
    is_as_listed(
        "i7-6850k",
        "cbox_0-5 ha_0 imc_0-3 pcu r2pcie r3qpi_0-1 ubox",
        &["irp", "qpi_0"],
    );
}

#[test]
#[ignore = "only on Broadwell"]
fn a_d_1518() {
    let listing = "cbox_0-3 ha_0 imc_0-1 pcu r2pcie ubox";
    is_as_listed("d-1518", listing, &["irp"]);
}

#[test]
#[ignore = "only on Broadwell"]
fn cluster_on_die() {
    let config = machine(&[("cores", "4"), ("cluster-on-die", "on")]);
    let visible = visible(&Shape::of(&config), &[]);
    on_new(&config, |session| {
        boxes_are_right(session, &visible);
        let mode = session.run("uncore doctor").stdout;
        assert!(mode.contains("cluster-on-die: a package is 2"), "{mode}");
    });
}

/// CPUNODEID may have the number of the first node of the package.
#[test]
#[ignore = "only on Broadwell"]
fn cluster_on_die_with_the_nodes_of_the_kernel() {
    every_box_counts(&[("cores", "2"), ("cluster-on-die", "on"), ("nodes", "0:2")]);
}

#[test]
#[ignore = "only on Broadwell"]
fn forty_eight_cpus() {
    let config = Config {
        timeout: Some(Duration::from_secs(900)),
        ..machine(&[("cores", "24"), ("cboxes", "24")])
    };
    let visible = visible(&Shape::of(&config), &[]);
    on_new(&config, |session| {
        assert_eq!(session.ok("nproc").trim(), "48");
        boxes_are_right(session, &visible);
    });
}

#[test]
#[ignore = "only on Broadwell"]
fn broadwell_de() {
    every_box_counts(&[("platform", "bdx-de"), ("dimms", "0f")]);
}

/// A channel that answers without a clock is not offered.
#[test]
#[ignore = "only on Broadwell"]
fn channels_without_memory() {
    let config = machine(&[("dimms", "05:ff"), ("free-run", "on")]);
    on_new(&config, |session| {
        let offered = session.packages_of_pmus();
        for channel in 0..8 {
            let has_memory = [0, 2].contains(&channel);
            let packages = offered.get(&BoxKind::Imc.pmu(channel));
            let expected: &[u8] = if has_memory { &[0, 1] } else { &[1] };
            assert_eq!(packages.map(Vec::as_slice), Some(expected), "{channel}");
        }
        let channel = Probe::imc(1, "cas_count.rd").open("event", 0);
        assert_eq!(session.perf_open(&[channel]), ["event ENODEV"]);
        session.last_rejection_has(&["imc_1: ", "package 0", "clock"]);
    });
}
