// SPDX-License-Identifier: GPL-2.0

//! The program itself: exit statuses and streams.

use std::process::{Command, Output, Stdio};

use crate::recording::Recording;

const PROGRAM: &str = env!("CARGO_BIN_EXE_uncore");

fn run(recording: &Recording, arguments: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command
        .arg("--root")
        .arg(recording.path(""))
        .args(arguments);
    command.output().expect("it runs")
}

#[test]
fn the_exit_status_says_how_it_went() {
    let (well, ill) = (Recording::two_packages(), Recording::intel_uncore());
    let cases = [
        (&well, vec!["doctor"], 0),
        (&ill, vec!["doctor"], 1),
        (&well, vec!["list", "cbox"], 0),
        (&well, vec!["list", "no_such"], 1),
        (&ill, vec!["list"], 2),
        (&well, vec!["explain", "cbox/clockticks/"], 0),
        (&well, vec!["explain", "cbox/event=999/"], 1),
        (&well, vec!["explain", "//"], 2),
        (&well, vec!["topology"], 0),
        (&well, vec!["no-such-command"], 2),
    ];
    for (recording, arguments, status) in cases {
        let output = run(recording, &arguments);
        assert_eq!(
            output.status.code(),
            Some(status),
            "{arguments:?} {output:?}"
        );
        assert_eq!(
            output.stderr.is_empty(),
            status == 0 || arguments == ["doctor"] || arguments[0] == "explain" && status == 1
        );
    }
}

#[test]
fn a_root_that_is_not_there_is_named() {
    let mut command = Command::new(PROGRAM);
    let output = command
        .args(["--root", "/no/where", "doctor"])
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.starts_with("uncore: /no/where cannot be read: "),
        "{said}"
    );
}

#[test]
fn a_reader_may_go_away() {
    let recording = Recording::two_packages();
    let mut command = Command::new(PROGRAM);
    command.arg("--root").arg(recording.path("")).arg("list");
    let mut child = command.stdout(Stdio::piped()).spawn().expect("it runs");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}
