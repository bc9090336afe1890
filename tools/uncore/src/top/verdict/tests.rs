// SPDX-License-Identifier: GPL-2.0

use uncore_metrics::recording::Machine;
use uncore_metrics::NoValue;

use super::*;
use crate::scene::{exact, interval, machine, quiet, xeon, Amounts, CHANNEL, GB, LINK};

fn said(machine: &Machine, amounts: &Amounts) -> String {
    verdict(&Digest::of(&interval(machine, 1.0, amounts)), false, &NOW)
}

/// Returns what is said of two sockets that are quiet but for these amounts.
fn of_two(amounts: impl Fn(u32, &str, &str) -> Option<f64>) -> String {
    let all = |socket, name: &str, metric: &str| {
        exact(amounts(socket, name, metric).unwrap_or_else(|| quiet(socket, name, metric)))
    };
    said(&xeon(2), &all)
}

#[test]
fn a_box_is_full_from_80_percent() {
    let channel = |share: f64| {
        of_two(move |socket, name, metric| match (socket, name, metric) {
            (0, "imc_1", "memory_read_bytes") => Some(share * CHANNEL),
            (0, "imc_1", "memory_write_bytes") => Some(0.0),
            _ => None,
        })
    };
    let most = "Nothing is full, most used is socket 0, channel imc_1 (79 %).";
    assert_eq!(channel(0.79), most);
    assert_eq!(channel(0.81), "Socket 0, channel imc_1 is full (81 %).");
    let link = of_two(|socket, name, metric| match (socket, name, metric) {
        (1, "qpi_1", "link_data_bytes") => Some(0.5 * LINK),
        (1, "qpi_1", "link_other_bytes") => Some(0.4 * LINK),
        _ => None,
    });
    assert_eq!(link, "Socket 1, link qpi_1 is full (90 %).");
}

/// A count is wrong then, or the clock is: nothing is full.
#[test]
fn what_cannot_be_is_called_impossible() {
    let channels = |shares: [f64; 2]| {
        of_two(move |socket, name, metric| match (socket, name, metric) {
            (0, "imc_0", "memory_read_bytes") => Some(shares[0] * CHANNEL),
            (0, "imc_1", "memory_read_bytes") => Some(shares[1] * CHANNEL),
            (0, "imc_0" | "imc_1", "memory_write_bytes") => Some(0.0),
            _ => None,
        })
    };
    for (shares, said) in [
        (
            [1.1, 1.26],
            "Impossible: 2 channels move more than the clock allows, most of all socket 0, channel \
             imc_1 (126 %).",
        ),
        (
            [0.9, -0.22],
            "Impossible: socket 0, channel imc_1 moves less than nothing (-22 %); socket 0, channel \
             imc_0 is full (90 %).",
        ),
    ] {
        assert_eq!(channels(shares), said);
    }
}

#[test]
fn several_are_told_together() {
    let full = |sockets: &'static [u32], names: &'static [&str]| {
        of_two(move |socket, name, metric| {
            let is_meant = sockets.contains(&socket) && names.contains(&name);
            let peak = if name.starts_with("imc") {
                CHANNEL
            } else {
                LINK
            };
            match metric {
                "memory_write_bytes" | "link_data_bytes" if is_meant => Some(0.7 * peak),
                "memory_read_bytes" | "link_other_bytes" if is_meant => Some(0.2 * peak),
                _ => None,
            }
        })
    };
    let channels = &["imc_0", "imc_1", "imc_2", "imc_3"];
    let all = "All 4 channels of socket 1 are full (up to 90 %).";
    assert_eq!(full(&[1], channels), all);
    let both = "8 channels are full, most of all socket 0, channel imc_0 (90 %).";
    assert_eq!(full(&[0, 1], channels), both);
    let mixed = "2 channels and 1 link are full, most of all socket 0, channel imc_1 (90 %).";
    assert_eq!(full(&[0], &["imc_1", "imc_2", "qpi_0"]), mixed);
}

#[test]
fn a_machine_can_be_idle() {
    let idle = of_two(|_, _, metric| {
        let is_peak = metric.contains("capacity") || metric.contains("clock");
        (!is_peak).then_some(0.0)
    });
    assert_eq!(idle, "Nothing is full, all is idle.");
}

#[test]
fn nothing_is_said_of_what_is_not_known() {
    let nothing = xeon(0);
    assert_eq!(said(&nothing, &|_, _, _| exact(0.0)), "Nothing is counted.");
    let slices = machine("ivbep", 1, &[("cbox", 1), ("pcu", 1)]);
    let untold = "What is full cannot be told: this machine does not count how much could move.";
    assert_eq!(said(&slices, &|s, n, m| exact(quiet(s, n, m))), untold);
    let lost = |_: u32, _: &str, _: &str| (Err(NoValue::NotCounted), 0.0);
    let all = "What is full cannot be told; 8 channels and 4 links are not counted.";
    assert_eq!(said(&xeon(2), &lost), all);
    // A channel without a clock has no share, and is no reason to say that all is well.
    let stopped = of_two(|socket, name, metric| match (socket, name, metric) {
        (0, "imc_0", "memory_capacity_bytes") => Some(0.0),
        _ => None,
    });
    let most = "Nothing is full, most used is socket 1, channel imc_3 (16 %).";
    assert_eq!(stopped, most);
}

#[test]
fn boxes_that_only_one_socket_lacks_may_be_full() {
    let interval = interval(&xeon(2), 1.0, &|s, n, m| exact(quiet(s, n, m)));
    let most = "Nothing that is counted is full, most used is socket 1, channel imc_3 (16 %).";
    assert_eq!(verdict(&Digest::of(&interval), true, &NOW), most);
}

#[test]
fn a_short_time_is_no_evidence() {
    let amounts = |socket, name: &str, metric: &str| match (socket, name, metric) {
        (0, "imc_0", "memory_read_bytes") => (Ok(CHANNEL), 0.049),
        (0, "imc_1", "memory_read_bytes") => (Ok(CHANNEL), 0.05),
        (1, "pcu_0", "power_heat_cycles") => (Ok(0.8e9), 0.01),
        (1, "ha_0", "home_remote_read_bytes") => (Ok(900e6), 0.01),
        _ => exact(quiet(socket, name, metric)),
    };
    let expected = "Socket 0, channel imc_1 is full (101 %); socket 0, channel imc_0 is not \
                    counted long enough.";
    assert_eq!(said(&xeon(2), &amounts), expected);
}

#[test]
fn reads_from_other_sockets_are_told() {
    let remote = |socket: u32, share: f64, data: [f64; 2], used: f64| {
        of_two(move |own, name, metric| match (name, metric) {
            _ if own != socket => None,
            (_, "memory_read_bytes") => Some(used * CHANNEL),
            (_, "memory_write_bytes") => Some(0.0),
            (_, "home_local_read_bytes") => Some(100e6 * (1.0 - share)),
            (_, "home_remote_read_bytes") => Some(100e6 * share),
            ("qpi_0", "link_data_bytes") => Some(data[0] * GB),
            ("qpi_1", "link_data_bytes") => Some(data[1] * GB),
            _ => None,
        })
    };
    let most = "Nothing is full, most used is socket 0, channel imc_0 (20 %)";
    let split = format!("{most}; 31 % of the reads of socket 0 come from other sockets.");
    assert_eq!(remote(0, 0.31, [1.0, 1.0], 0.2), split);
    let over =
        format!("{most}; 31 % of the reads of socket 0 come from other sockets, over link qpi_1.");
    assert_eq!(remote(0, 0.31, [0.2, 0.9], 0.2), over);
    assert_eq!(remote(0, 0.29, [1.0, 1.0], 0.2), format!("{most}."));
    let idle = remote(0, 0.9, [1.0, 1.0], 0.04);
    assert!(!idle.contains("reads"), "{idle}");
}

#[test]
fn reads_are_told_of_the_socket_that_is_full() {
    let amounts = |socket, name: &str, metric: &str| match (socket, metric) {
        (1, "memory_read_bytes") => Some(0.9 * CHANNEL),
        (0, "memory_read_bytes") => Some(0.3 * CHANNEL),
        (0, "home_remote_read_bytes") => Some(90e6),
        (_, "home_local_read_bytes" | "home_remote_read_bytes") => Some(50e6),
        _ => Some(quiet(socket, name, metric)),
    };
    let said = of_two(amounts);
    assert!(
        said.contains("50 % of the reads of socket 1 come"),
        "{said}"
    );
}

#[test]
fn limits_of_the_cores_are_told() {
    let limited = |metric: &'static str, share: f64| {
        of_two(move |socket, _, own| (socket == 1 && own == metric).then_some(share * 0.8e9))
    };
    let most = "Nothing is full, most used is socket 1, channel imc_3 (16 %)";
    let heat = format!("{most}; heat limits the cores of socket 1 42 % of the time.");
    assert_eq!(limited("power_heat_cycles", 0.42), heat);
    let budget = format!("{most}; the power budget limits the cores of socket 1 10 % of the time.");
    assert_eq!(limited("power_budget_cycles", 0.1), budget);
    assert_eq!(limited("power_budget_cycles", 0.09), format!("{most}."));
    assert_eq!(limited("power_os_cycles", 1.0), format!("{most}."));
}
