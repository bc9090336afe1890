// SPDX-License-Identifier: GPL-2.0

//! Output of `stat` without counting.

use crate::recording::Recording;

const DEVICES: &str = "sys/bus/event_source/devices";

#[test]
fn says_that_a_platform_has_no_metrics() {
    let error = Recording::sandy_bridge().error(&["stat", "--list"]);
    for words in ["no metrics for Core i7", "\"uncore list\" lists"] {
        assert!(error.contains(words), "{error}");
    }
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
    assert!(listed.contains("sbox.cyc_used_upeven "), "{listed}");
    assert!(!listed.contains("cbox.cyc_used_upeven "), "{listed}");
}
