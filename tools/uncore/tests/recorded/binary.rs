// SPDX-License-Identifier: GPL-2.0

//! The program itself: exit statuses and streams.

use std::process::{Command, Output, Stdio};

use crate::recording::{assert_has, Recording};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_uncore");

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
        (&well, vec!["explain", "-e", "cbox/clockticks/"], 0),
        (&well, vec!["explain", "-e", "cbox/event=999/"], 1),
        (&well, vec!["explain", "-e", "//"], 2),
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

/// Returns the text that the program writes to a terminal.
fn on_terminal(recording: &Recording, variables: &[(&str, &str)]) -> String {
    let line = format!("{PROGRAM} --root {} list nid", recording.path("").display());
    let mut command = Command::new("script");
    command
        .args(["-qec", &line, "/dev/null"])
        .stdin(Stdio::null());
    command
        .env_remove("NO_COLOR")
        .env("TERM", "xterm")
        .envs(variables.iter().copied());
    let output = command.output().expect("script of util-linux");
    String::from_utf8_lossy(&output.stdout).replace('\r', "")
}

#[test]
fn a_terminal_gets_colours_and_the_pager() {
    let recording = Recording::two_packages();
    let plain = recording.run(&["list", "nid"]).text;
    let paged = on_terminal(&recording, &[("PAGER", "sed 's/^/paged: /'")]);
    assert!(
        paged.lines().all(|line| line.starts_with("paged: ")),
        "{paged}"
    );
    assert_has(&paged, &["\u{1b}[1m"]);
    assert_eq!(
        on_terminal(&recording, &[("PAGER", "cat"), ("NO_COLOR", "1")]),
        plain
    );
    assert_eq!(
        on_terminal(&recording, &[("PAGER", ""), ("NO_COLOR", "1")]),
        plain
    );
}
