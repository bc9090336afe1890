// SPDX-License-Identifier: GPL-2.0

use super::*;
use crate::scene::{exact, interval, machine, quiet, xeon, Amounts};
use uncore_metrics::recording::Machine;
use uncore_metrics::{Catalogue, NoValue, Platform};

/// Shows a second of a machine.
fn shown(machine: &Machine, amounts: &Amounts) -> String {
    page(&interval(machine, 1.0, amounts), Prefixes::Si)
}

fn ivbep() -> Machine {
    let boxes = [("imc", 2), ("ha", 1), ("qpi", 2), ("cbox", 1), ("irp", 1)];
    machine(
        "ivbep",
        2,
        &[&boxes[..], &[("pcu", 1), ("ubox", 1)]].concat(),
    )
}

#[test]
fn a_socket_is_a_page() {
    let text = shown(&ivbep(), &|_, name, metric| exact(quiet(0, name, metric)));
    let socket = |number: u32| {
        format!(
            "\
socket {number}   uncore clock 2.400 GHz
  memory         read      write    capacity       used
  imc_0      200 MB/s    50 MB/s  12.80 GB/s        2 %
  imc_1      400 MB/s   100 MB/s  12.80 GB/s        4 %
  all        600 MB/s   150 MB/s  25.60 GB/s        3 %
  home      local read 1.920 GB/s  remote read 64 MB/s  local write 512 MB/s
            remote write 12.80 MB/s
  link           data      other   capacity       used
  qpi_0      100 MB/s    80 MB/s    16 GB/s        1 %
  qpi_1      200 MB/s   160 MB/s    16 GB/s        2 %
  llc       lookup 70 M/s  miss 11 M/s
  io        read 96 MB/s  write 96 MB/s
  power     budget 0 %  heat 0 %  os 2 %

"
        )
    };
    let head = "interval of 1.000 s, ended at 1.000 s\n";
    assert_eq!(text, format!("{head}\n{}{}", socket(0), socket(1)));
}

#[test]
fn a_socket_has_20_lines_at_most() {
    // No part has more channels or links.
    let most = |unit: &str| match unit {
        "imc" => 8,
        "qpi" => 3,
        _ => 2,
    };
    for platform in Platform::ALL {
        let metrics = Catalogue::overview(platform.name).and_then(|all| all.metrics(&[0]));
        let metrics = metrics.expect("the data file");
        let kinds = metrics.iter().map(|metric| metric.box_type.as_str());
        let mut boxes: Vec<_> = kinds.map(|kind| (kind, most(kind))).collect();
        boxes.sort_unstable();
        boxes.dedup();
        let machine = machine(platform.name, 2, &boxes);
        let text = shown(&machine, &|s, n, m| exact(quiet(s, n, m)));
        let sockets: Vec<_> = text.trim_end().split("\n\n").skip(1).collect();
        assert_eq!(sockets.len(), 2, "{text}");
        for socket in sockets {
            let lines: Vec<_> = socket.lines().collect();
            assert!(lines.len() <= 20, "{}: {socket}", platform.name);
            let width = lines.iter().map(|line| line.chars().count()).max();
            assert!(width.is_some_and(|width| width <= 80), "{socket}");
        }
    }
}

#[test]
fn what_was_not_counted_is_no_zero() {
    let text = shown(&ivbep(), &|_, _, _| (Err(NoValue::NotCounted), 0.0));
    let has_value = |line: &&str| line.contains("/s") || line.contains('%') || line.contains("Hz");
    assert_eq!(text.lines().find(has_value), None);
    assert!(text.contains("miss -"), "{text}");
}

#[test]
fn what_a_clock_does_not_allow_is_called_impossible() {
    let text = shown(&ivbep(), &|socket, name, metric| match (name, metric) {
        ("imc_1", "memory_read_bytes") => exact(14e9),
        _ => exact(quiet(socket, name, metric)),
    });
    let line = "\n  impossible, more than the clock allows:  imc_1\n";
    assert_eq!(text.matches(line).count(), 2, "{text}");
}

#[test]
fn a_socket_is_a_line() {
    let mut lines = Lines::default();
    let second = |end, channel: f64| {
        interval(&xeon(2), end, &move |socket, name, metric| {
            exact(match (socket, name, metric) {
                (1, "imc_2", "memory_read_bytes") => channel,
                _ => quiet(socket, name, metric),
            })
        })
    };
    let text = lines.text(&second(1.0, 0.6e9));
    let expected = " seconds          read     write  used remote  link   miss        io
   1.000 s0  2.00 GB/s  500 MB/s   5 %    3 %   2 %   16 %  192 MB/s
   1.000 s1  3.40 GB/s 1.00 GB/s   9 %    3 %   4 %   16 %  192 MB/s
";
    assert_eq!(text, expected);
    assert_eq!(lines.note(), None);
    let text = lines.text(&second(2.0, 70e9));
    assert!(
        !text.contains("seconds") && text.contains(" 144!"),
        "{text}"
    );
    assert!(lines.note().is_some());
    for end in 3..=10_u8 {
        assert!(!lines.text(&second(f64::from(end), 0.0)).contains("seconds"));
    }
    lines.prefixes = Prefixes::Iec;
    let text = lines.text(&second(11.0, 0.0));
    assert!(text.contains("seconds") && text.contains("GiB/s"), "{text}");
}
