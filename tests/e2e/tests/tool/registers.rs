// SPDX-License-Identifier: GPL-2.0

//! No command of the tool but `survey`, which has tests of its own, touches a register that it was not
//! asked to, on any platform.

use super::free_running;
use std::collections::BTreeSet;
use uncore_e2e::prelude::*;

/// Commands that need no register.
const READERS: [&str; 9] = [
    "diff /tmp/recording /tmp/recording",
    "explain -e cbox/event=0/",
    "export --dashboard",
    "list",
    "stat --list",
    "status",
    "survey --dry-run",
    "topology",
    "topology --svg /tmp/map.svg",
];

/// Commands that count. On Broadwell `doctor` finds out the snoop mode.
const COUNTERS: [&str; 6] = [
    "check --quick",
    "doctor",
    "export --once",
    "stat --all --interval-count 1",
    "top --once",
    "top --once --json",
];

/// Commands of `make test-distro`: the module is in the guest from the beginning.
const ELSEWHERE: [&str; 2] = ["disable", "enable"];

/// Returns the first words of commands.
fn first_words<'a>(commands: impl IntoIterator<Item = &'a str>) -> BTreeSet<&'a str> {
    let words = commands.into_iter();
    words
        .filter_map(|command| command.split(' ').next())
        .collect()
}

fn is_clean(session: &mut Session) {
    let help = session.ok("uncore help");
    let listed = help.lines().skip_while(|line| *line != "Use:");
    let listed = listed.take_while(|line| *line != "Options:");
    let listed = listed.filter_map(|line| line.strip_prefix("  "));
    let listed = first_words(listed.filter(|line| !line.starts_with(' ')));
    let all = READERS.iter().chain(&COUNTERS).chain(&ELSEWHERE).copied();
    assert_eq!(first_words(all), listed);
    session.ok("uncore top --batch -n 1 --record /tmp/recording");
    session.machine("log on");
    for command in READERS {
        let output = session.run(&format!("uncore {command}"));
        assert_ne!(output.status, 2, "{command}: {}", output.stderr);
        assert_eq!(session.machine("log take").trim(), "", "{command}");
    }
    session.machine("log off");
    for command in COUNTERS {
        let output = session.run(&format!("uncore {command}"));
        assert_ne!(output.status, 2, "{command}: {}", output.stderr);
        let faults = session.faults();
        assert!(faults.is_empty(), "{command}: {faults}");
    }
}

#[test]
fn each_command_touches_what_it_was_asked_to() {
    platforms!(; first);
    for processor in Processor::few() {
        println!("{}", processor.name());
        let config = free_running().with("platform", processor.name());
        on(&config, is_clean);
    }
}
