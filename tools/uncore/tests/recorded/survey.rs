// SPDX-License-Identifier: GPL-2.0

//! Output of `survey` on recorded systems: what it would touch, and what it refuses.

use crate::recording::Recording;

#[test]
fn a_dry_run_lists_the_registers_of_each_experiment() {
    let text = Recording::two_packages().run(&["survey", "--dry-run"]).text;
    let width = "\
U-3  Width of the UCLK fixed counter: uclk-width
    global ctl: writes bits of 0x20000000
    global status: writes bits of 0x7ffffff
    ubox fixed_ctl: writes bits of 0x0
    ubox fixed_ctr: writes bits of 0xf00000000000
";
    assert!(text.contains(width), "{text}");
    let nothing = "U-16  UBox events FILTER_MATCH.ENABLE and .U2C_ENABLE: nothing, the register";
    assert!(text.contains(nothing), "{text}");
    let points = text.lines().filter(|line| line.starts_with("U-"));
    assert_eq!(points.count(), 78);
}

#[test]
fn points_are_chosen_by_name() {
    let recording = Recording::two_packages();
    let chosen = ["survey", "--dry-run", "--point", "U-5", "--point", "U-20"];
    let text = recording.run(&chosen).text;
    let points: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("U-"))
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(points, ["U-5", "U-20"]);
    let error = recording.error(&["survey", "--point", "U-99"]);
    assert!(error.contains("there is no point U-99"), "{error}");
}

#[test]
fn a_recorded_system_is_not_surveyed() {
    let error = Recording::two_packages().error(&["survey"]);
    assert!(error.contains("is a recorded system"), "{error}");
}
