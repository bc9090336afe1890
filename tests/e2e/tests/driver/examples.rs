// SPDX-License-Identifier: GPL-2.0

//! Commands of the user's pages, exactly as they are there, and what the pages show of their output.

use crate::driver::usual_machine;
use crate::overflow::by_interrupt;
use uncore_e2e::fixture::on_alone;
use uncore_e2e::prelude::*;
use uncore_e2e::user_page::Page;

/// Output of perf for an event that it could not count.
const NOT_COUNTED: [&str; 2] = ["<not counted>", "<not supported>"];

/// Commands of the tool that end only when they are interrupted.
const ENDLESS: [&str; 2] = [
    "uncore stat -M imc.mem_bw_reads,qpi.qpi_speed --per-socket",
    "uncore export",
];

/// Command that compares what it counts at different times.
const TIMED: &str = "uncore check relations";

/// The usual machine with traffic all the time. The driver must use interrupts even if its trial
/// fails: otherwise intervals are refused.
fn machine() -> Config {
    by_interrupt().with("free-run", "on")
}

/// Runs commands that must succeed, and returns what they print.
fn run(session: &mut Session, commands: &[String]) -> Vec<String> {
    let run = commands.iter().map(|command| {
        // Output goes to a file, as on a terminal: into a pipe perf would write its
        // recorded data.
        let output = session.run(&format!(
            "mkdir -p /tmp/page && cd /tmp/page && ( {command}\n) >/tmp/said 2>&1; status=$?; \
             cat /tmp/said; exit $status"
        ));
        let text = output.stdout;
        assert_eq!(output.status, 0, "`{command}`:\n{text}");
        let not_counted = NOT_COUNTED.iter().any(|words| text.contains(words));
        assert!(!not_counted, "`{command}`:\n{text}");
        text
    });
    let printed = run.collect();
    session.ok("rm -rf /tmp/page /tmp/said");
    printed
}

/// Words of a line, without what a count may change: the number and the size of its unit.
fn words(line: &str) -> Vec<&str> {
    let words = line.split_whitespace().map(|word| {
        let bare = word.trim_matches(['[', ']', '(', ')', '%']);
        let unit = word.trim_start_matches(['k', 'M', 'G']);
        match () {
            () if bare.is_empty() || bare.parse::<f64>().is_ok() => "number",
            () if unit.starts_with('B') => unit,
            () => word,
        }
    });
    words.collect()
}

/// The output of `top` depends on the load: the tool's tests hold it to a recording.
#[test]
fn the_pages_show_what_is_printed() {
    let pages = [Page::Readme, Page::Using].map(Page::examples);
    assert_eq!(pages.each_ref().map(Vec::len), [3, 20]);
    on(&machine(), |session| {
        for (command, shown) in pages.concat() {
            let output = session.run(&format!("( {command}\n) 2>&1"));
            let text = output.stdout;
            let is_refused = shown
                .iter()
                .any(|line| line.contains("<not ") || line.contains("refuses"));
            let is_counted = output.status == 0 && !NOT_COUNTED.iter().any(|no| text.contains(no));
            assert!(is_counted != is_refused, "`{command}`:\n{text}");
            let mut printed = text.lines().map(words);
            for line in shown.iter().filter(|_| !command.starts_with("uncore top")) {
                assert!(
                    printed.any(|said| said == words(line)),
                    "`{command}`: no {line}\n{text}"
                );
            }
        }
    });
}

#[test]
fn the_commands_of_the_reference_run() {
    platforms!(client);
    let platform = Platform::current();
    let mut commands = Page::Platform(platform.name()).commands(&["perf "]);
    let mut config = usual_machine().with("free-run", "on");
    if platform == Platform::Ivbep {
        commands.extend(Page::Reference.commands(&["perf "]));
        config = machine();
    }
    assert_eq!(
        commands.len(),
        if platform == Platform::Ivbep { 3 } else { 1 }
    );
    on(&config, |session| {
        run(session, &commands);
    });
}

/// The module is in the guest from the beginning: `enable` and `disable` are for `make
/// test-distro`.
#[test]
fn the_commands_of_the_tools_page_run() {
    let mut commands = Page::Tool.commands(&["# uncore "]);
    commands.retain(|command| !["uncore enable", "uncore disable"].contains(&&**command));
    for endless in ENDLESS {
        let found = commands.iter_mut().find(|command| *command == endless);
        let found = found.unwrap_or_else(|| panic!("no `{endless}`"));
        // The last digit of the mask has the bit of SIGINT once the signal is caught. The shell catches
        // it, too, and its process becomes the program.
        *found = format!(
            "{endless} & until grep -q uncore /proc/$!/comm && \
             grep -q 'SigCgt.*[2367abef]$' /proc/$!/status; do sleep 0.1; done; \
             sleep 1; kill -INT $!; wait $!"
        );
    }
    assert!(commands.len() >= 8, "{commands:#?}");
    commands.insert(
        0,
        "printf '#!/bin/sh\nsleep 1\n' > program && chmod +x program".to_owned(),
    );
    let (timed, others): (Vec<_>, Vec<_>) =
        commands.into_iter().partition(|command| command == TIMED);
    assert_eq!(timed.len(), 1);
    on(&machine(), |session| {
        session.ok("ip link set lo up");
        run(session, &others);
        assert_none(&session.complaints_but_of_experiments());
    });
    on_alone(&machine(), |session| {
        run(session, &timed);
    });
}

/// `make run` prints the counts that the README shows. The machine is that of `make run`.
#[test]
fn the_readme_shows_what_make_run_prints() {
    let page = Page::Readme.text();
    let lines = page.lines().map(str::trim);
    let shown: Vec<&str> = lines.filter(|line| line.starts_with("S0")).collect();
    assert!(!shown.is_empty());
    let events = include_str!("../../../data/ivbep/run.events").lines();
    let events: Vec<String> = events
        .map(|event| format!(" -e ivbep_uncore_{event}"))
        .collect();
    let run = Config {
        machine: Vec::new(),
        ..Config::default()
    };
    on(&run, |session| {
        let command = format!(
            "perf stat -a --per-socket{} -- burst 1000000",
            events.concat()
        );
        let printed = session.run(&command).stderr;
        let mut printed = printed.lines().map(str::trim);
        for line in shown {
            assert!(printed.any(|said| said == line), "{line}");
        }
    });
}
