// SPDX-License-Identifier: GPL-2.0

//! Output of `topology`.

use crate::recording::{assert_has, Recording};

#[test]
fn shows_packages_buses_and_boxes() {
    let text = Recording::two_packages().run(&["topology"]).text;
    let second = "package 1: socket 1, NUMA node 1, UBox node 1, counts on CPU 2\n";
    assert_has(
        &text,
        &[
            second,
            "  bus 0000:80 irp 05.6\n",
            "qpi_1 09.2+09.6",
            "cbox_3-14: the package has 3",
        ],
    );
}

#[test]
fn shows_packages_of_broadwell_that_differ() {
    let text = Recording::broadwell().run(&["topology"]).text;
    let (first, second) = text.split_once("package 1: ").expect("two packages");
    assert_has(
        first,
        &[
            "cbox_21 0xf50",
            "sbox_3 0x73e",
            "cbox_22-23: it is fused off",
        ],
    );
    assert_has(
        second,
        &[
            "cbox_8 0xe80",
            "cbox_4-7: it is fused off",
            "imc_4-7: its clock",
        ],
    );
}

#[test]
fn shows_all_nodes_of_a_package() {
    let recording = Recording::broadwell();
    for node in 0..4 {
        recording.write(
            &format!("sys/devices/system/node/node{node}/cpulist"),
            node.to_string(),
        );
    }
    let second = "package 1: socket 1, NUMA nodes 2-3, UBox node 1, counts on CPU 2\n";
    assert_has(&recording.run(&["topology"]).text, &[second]);
}

#[test]
fn shows_filters_that_are_missing() {
    let text = Recording::hidden().run(&["topology"]).text;
    assert_has(&text, &["filters of qpi_0: no PCI function of it"]);
}

#[test]
fn without_debugfs_the_boxes_are_still_there() {
    let recording = Recording::two_packages();
    let with = recording.run(&["topology"]).text;
    recording.remove("sys/kernel/debug/uncore_rs");
    let outcome = recording.run(&["topology"]);
    let note = "missing boxes are not known: debugfs has no topology";
    assert!(outcome.notes[0].starts_with(note), "{:?}", outcome.notes);
    let cells = |text: &str| {
        let mut cells: Vec<String> = text
            .split("  ")
            .map(|cell| cell.trim().to_owned())
            .collect();
        cells.retain(|cell| cell.contains("qpi_") && !cell.contains(':'));
        cells.sort();
        cells
    };
    assert_eq!(cells(&with), cells(&outcome.text));
    assert_has(&outcome.text, &["package 1: NUMA node 1, counts on CPU 2"]);
}

#[test]
fn draws_every_box() {
    let recording = Recording::hidden();
    recording.replace(
        "sys/kernel/debug/uncore_rs/topology",
        "firmware hides",
        "<&> hides",
    );
    let file = recording.argument("map.svg");
    assert_eq!(recording.run(&["topology", "--svg", &file]).text, "");
    let svg = String::from_utf8(recording.read("map.svg")).expect("text");
    for cell in ["ubox", "cbox_2", "imc_7", "qpi_1", "irp"] {
        assert_eq!(svg.matches(&format!(">{cell}<")).count(), 2, "{cell}");
    }
    assert_eq!(svg.matches(">imc_0<").count(), 1);
    assert_eq!(svg.matches("no filters</text>").count(), 2);
    assert!(svg.contains("&lt;&amp;&gt; hides") && !svg.contains("<&>"));
    assert_well_formed(&svg);
}

/// Every element that is opened is closed, in order.
pub(crate) fn assert_well_formed(svg: &str) {
    let mut open = Vec::new();
    for tag in svg.split('<').skip(1) {
        let (tag, text) = tag.split_once('>').expect("a tag ends");
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        assert!(!text.contains('>'), "{text}");
        let name = tag.split(' ').next().unwrap_or_default();
        match (tag.strip_prefix('/'), tag.ends_with('/')) {
            (Some(closed), _) => assert_eq!(open.pop(), Some(closed)),
            (None, true) => {}
            (None, false) => open.push(name),
        }
    }
    assert_eq!(open, Vec::<&str>::new());
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let error = Recording::two_packages().error(&["topology", "--svg", "/nowhere/map.svg"]);
    assert!(
        error.starts_with("/nowhere/map.svg cannot be written: "),
        "{error}"
    );
}
