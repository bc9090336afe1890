// SPDX-License-Identifier: GPL-2.0

//! Output of `stat` without counting.

use crate::recording::{assert_has, Recording};

const DEVICES: &str = "sys/bus/event_source/devices";

#[test]
fn wrong_events_are_named() {
    let recording = Recording::two_packages();
    for (event, words) in [
        ("imc/cas_coun.rd/", "neither an event nor a field"),
        ("imc_99/cas_count.rd/", "there is no PMU imc_99"),
        ("clockticks", "name the PMU"),
        ("imc/event=0x4ff/", "too large"),
        ("imc/cas_count.rd/,", "no term"),
    ] {
        assert_has(recording.error(&["stat", "-e", event]), &[words]);
    }
    assert_has(
        recording.error(&["stat", "-C", "999"]),
        &["no counted package has CPU 999"],
    );
}

#[test]
fn lists_the_metrics_of_the_platform() {
    let listed = |recording: &Recording| recording.run(&["stat", "--list"]).text;
    let recording = Recording::compat();
    assert!(listed(&recording).contains("cbox.cyc_used_upeven "));
    for name in recording.names(DEVICES) {
        let identifier = format!("{DEVICES}/{name}/identifier");
        if recording.path(&identifier).exists() {
            recording.replace(&identifier, "ivbep-6-3e-4", "bdx-6-4f-1");
        }
    }
    let listed = listed(&recording);
    assert_has(&listed, &["sbox.cyc_used_upeven "]);
    assert!(!listed.contains("cbox.cyc_used_upeven "), "{listed}");
}
