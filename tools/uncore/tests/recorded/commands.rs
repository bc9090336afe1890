// SPDX-License-Identifier: GPL-2.0

//! What commands say of the machine of a processor, as the file beside its recording tells.
//!
//! `$ ` is before a command, and after it are parts of what it says; `! ` is before what it does not
//! say.

use crate::recording::Recording;

#[test]
fn commands_say_what_the_file_beside_a_recording_tells() {
    for (recording, commands) in Recording::with_commands() {
        let mut said = String::new();
        for line in commands.lines().filter(|line| !line.starts_with('#')) {
            if let Some(command) = line.strip_prefix("$ ") {
                said = recording.said(&command.split(' ').collect::<Vec<_>>());
            } else if let Some(part) = line.strip_prefix("! ") {
                assert!(!said.contains(part), "{part} in\n{said}");
            } else {
                assert!(said.contains(line), "no {line} in\n{said}");
            }
        }
    }
}
