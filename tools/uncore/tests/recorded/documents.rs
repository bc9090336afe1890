// SPDX-License-Identifier: GPL-2.0

//! The commands in the user's pages do what these show.

use std::path::Path;
use std::process::Command;

use clap::CommandFactory as _;
use uncore::cli::Cli;

use crate::binary::PROGRAM;
use crate::recording::Recording;

const PAGE: &str = "../../Documentation/tools/uncore.rst";
const PROMPT: &str = "  $ uncore ";
/// Pages that show what `top` prints of the recording, whose place follows.
const OF_TOP: [(&str, &str); 2] = [
    ("../../README.md", "    # uncore "),
    (
        "../../Documentation/admin-guide/perf/using.rst",
        "  # uncore ",
    ),
];
const RECORDING: &str = "tests/data/top.recording";

/// Commands and the lines shown after them.
fn examples(page: &str, prompt: &str) -> Vec<(String, Vec<String>)> {
    let mut examples: Vec<(String, Vec<String>)> = Vec::new();
    let mut open = false;
    for line in page.lines() {
        if let Some(command) = line.strip_prefix(prompt) {
            examples.push((command.to_owned(), Vec::new()));
            open = true;
        } else if !line.is_empty() && !line.starts_with("  ") {
            open = false;
        } else if let (true, Some((_, shown))) = (open, examples.last_mut()) {
            shown.push(line.trim().to_owned());
        }
    }
    examples
}

/// Words as a shell takes them, without variables.
fn words(command: &str) -> Vec<String> {
    let quoted = command.split('\'').enumerate();
    let words = quoted.flat_map(|(place, part)| {
        if place % 2 == 0 {
            part.split_whitespace().map(str::to_owned).collect()
        } else {
            vec![part.to_owned()]
        }
    });
    words.collect()
}

/// The system that an example is about, by what it shows.
fn recording_for(shown: &[String]) -> Recording {
    let has = |words: &str| shown.iter().any(|line| line.contains(words));
    if has("next boot") {
        with_kernels(Recording::intel_uncore())
    } else if has("intel_uncore is loaded") {
        Recording::intel_uncore()
    } else if has("filters of qpi_0") {
        Recording::hidden()
    } else {
        Recording::two_packages()
    }
}

/// Two kernels, one of which DKMS has skipped.
fn with_kernels(recording: Recording) -> Recording {
    for kernel in ["7.3.4-plain", "7.3.5"] {
        recording.write(&format!("lib/modules/{kernel}/modules.builtin"), "");
    }
    let list = "kernel/arch/x86/events/intel/intel-uncore.ko.xz:\n\
                updates/dkms/uncore_rs.ko.xz:\n";
    recording.write("lib/modules/7.3.4-plain/modules.dep", list);
    let line = "7.3.5: bindgen is missing > apt-get install bindgen\n";
    recording.write("var/lib/dkms/uncore-rs/0.1.0/skipped.7.3.5", line);
    recording
}

/// Returns the text of a page.
fn page(path: &str) -> String {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(here.join(path)).expect("the page")
}

/// Checks that the lines of a page are among those that are printed, in their order.
fn assert_shown(command: &str, shown: &[String], text: &str) {
    let mut printed = text.lines().map(str::trim);
    for line in shown
        .iter()
        .filter(|line| !line.is_empty() && *line != "...")
    {
        assert!(
            printed.any(|said| said == line),
            "{command}: no {line:?} in\n{text}"
        );
    }
}

#[test]
fn each_command_has_a_section() {
    let page = page(PAGE);
    let program = Cli::command();
    for command in program.get_subcommands().map(clap::Command::get_name) {
        let heading = format!("\n{command}\n{}\n", "=".repeat(command.len()));
        assert!(page.contains(&heading), "{command}");
    }
}

#[test]
fn the_page_shows_what_is_printed() {
    let examples = examples(&page(PAGE), PROMPT);
    assert!(examples.len() >= 4, "{examples:?}");
    for (command, shown) in examples {
        let recording = recording_for(&shown);
        let words = words(&command);
        let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
        if arguments.contains(&"--replay") || arguments.contains(&"--svg") || arguments[0] == "diff"
        {
            continue;
        }
        assert_shown(&command, &shown, &recording.run(&arguments).text);
    }
}

#[test]
fn pages_show_what_top_prints() {
    for (path, prompt) in OF_TOP {
        let mut examples = examples(&page(path), prompt).into_iter();
        let example = examples.find(|(command, _)| command == "top --once");
        let (command, shown) = example.expect("an example of top");
        let output = Command::new(PROGRAM)
            .args(["top", "--once", "--replay"])
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(RECORDING))
            .env("LC_ALL", "C.UTF-8")
            .env_remove("COLUMNS")
            .output()
            .expect("the program");
        let text = String::from_utf8(output.stdout).expect("text");
        assert_shown(&command, &shown, &text);
    }
}

/// A dashboard asks for what the exporter shows with the options that both have, and its legends
/// for labels that are there.
#[test]
fn the_dashboard_is_that_of_the_exporter() {
    let recording = Recording::two_packages();
    let spared = "uncore_power_os_cycles_total";
    let board = recording.run(&["export", "--dashboard"]).text;
    assert!(!board.contains(spared), "{board}");
    let all = recording.run(&["export", "--dashboard", "--all-counters"]);
    assert!(all.text.contains(spared), "{}", all.text);
    let about = "Data read from memory. cas_count.rd: Read and write commands (CAS)";
    assert!(board.contains(about), "{board}");
    for (what, has_box) in [
        ("llc: what", true),
        ("io: what", false),
        ("power: share", false),
    ] {
        // A panel's title follows its queries.
        let (panel, _) = board.split_once(what).expect("a panel");
        let (_, legend) = panel.rsplit_once("\"legendFormat\": \"").expect("a legend");
        let (legend, _) = legend.split_once('"').expect("an end");
        assert_eq!(legend.contains("{{box}}"), has_box, "{legend}");
    }
}
