// SPDX-License-Identifier: GPL-2.0

//! `top` with a recording, on a machine that has no PMU: as text and on a terminal.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::binary::PROGRAM;
use crate::recording::{assert_has, Recording};
use crate::replay::recorded;

/// The line that shows a recording with these options.
fn line(bare: &Recording, options: &str) -> String {
    bare.write("rec", recorded());
    let rec = bare.path("rec");
    format!("{PROGRAM} top --replay {} {options}", rec.display())
}

/// Returns what the program prints.
fn printed(options: &str) -> String {
    let bare = Recording::bare();
    let output = Command::new("sh")
        .args(["-c", &line(&bare, options)])
        .env_remove("COLUMNS")
        .env_remove("LINES")
        .output()
        .expect("a shell");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// Types keys on a terminal, and returns the status and what the program wrote there.
fn typed(options: &str, keys: &[&str]) -> (Option<i32>, String) {
    let bare = Recording::bare();
    let line = format!("stty columns 80 rows 24; exec {}", line(&bare, options));
    let mut command = Command::new("script");
    command
        .args(["-qec", &line, "/dev/null"])
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().expect("script of util-linux");
    let mut terminal = child.stdin.take().expect("a pipe");
    let keys: Vec<String> = keys.iter().map(|&keys| keys.to_owned()).collect();
    let typist = thread::spawn(move || {
        for keys in keys {
            thread::sleep(Duration::from_millis(700));
            let _ = terminal.write_all(keys.as_bytes());
        }
        // The terminal is there until the program ends.
        terminal
    });
    let output = child.wait_with_output().expect("it ends");
    drop(typist.join());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), text)
}

#[test]
fn a_recording_is_printed() {
    let last = printed("--once");
    assert_has(&last, &["5 GB/s", "at 2.0 s"]);
    assert!(
        !last.contains('\u{1b}') && last.lines().all(|line| line.chars().count() <= 80),
        "{last}"
    );
    let all = printed("--batch");
    assert!(all.contains("3 GB/s") && all.ends_with(&last), "{all}");
    assert!(!printed("-b -n 1").contains("5 GB/s"));
    let text = String::from_utf8(recorded()).expect("text");
    let (_, lines) = text.split_once('\n').expect("lines");
    assert_eq!(printed("--json"), lines);
    assert_eq!(printed("--csv").lines().count(), 1 + 2);
    assert!(printed("-x :").starts_with("end:seconds:"));
}

#[test]
fn keys_show_a_recording() {
    // Only what changes is drawn again.
    let (status, shown) = typed("-d 100s", &["t", "T", "q"]);
    assert_eq!(status, Some(0), "{shown}");
    assert_has(&shown, &["interval 1", "PAUSED", "3.0G-5"]);
    assert_restored(&shown);
}

#[test]
fn the_terminal_is_given_back() {
    for (options, keys) in [
        ("-d 100ms", "q"),
        ("-d 100ms", "\u{3}"),
        ("-I 0.1s -n 2", ""),
    ] {
        let (status, shown) = typed(options, &[keys]);
        assert_eq!(status, Some(0), "{keys:?} {shown}");
        assert_restored(&shown);
    }
}

/// The program took the other screen and hid the cursor, and undid both at the end.
fn assert_restored(shown: &str) {
    for (done, undone) in [("?1049h", "?1049l"), ("?25l", "?25h")] {
        let [done, undone] = [done, undone].map(|switch| shown.rfind(switch));
        assert!(done.is_some() && done < undone, "{shown:?}");
    }
}

#[test]
fn a_terminal_is_needed() {
    let bare = Recording::bare();
    let output = Command::new("sh")
        .args(["-c", &line(&bare, "")])
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    assert_has(&said, &["--batch"]);
}
