// SPDX-License-Identifier: GPL-2.0

//! Does something again and again while the kernel's allocations for it fail, one
//! after the other, and prints what came of each, and how often:
//!
//! ```text
//! fail-nth FIRST LAST STRIDE load FILE MODULE            loads a module; unloads it
//! fail-nth FIRST LAST STRIDE write FILE TEXT FILE TEXT   writes a text to a file; what
//!                                                   undoes that to another one
//! ```
//!
//! Allocations are FIRST, FIRST + STRIDE and so on, up to LAST, or to the `end`.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs::File;
use std::process::ExitCode;

use guest_tools::fault::Walk;
use guest_tools::report;
use rustix::fs::{open, Mode, OFlags};
use rustix::io::{write, Errno};

const USAGE: &str =
    "usage: fail-nth FIRST LAST STRIDE load FILE MODULE | write FILE TEXT UNDO-FILE UNDO-TEXT";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    report::exit("fail-nth", run(&arguments))
}

fn run(arguments: &[&str]) -> Result<(), String> {
    let [first, last, stride, action @ ..] = arguments else {
        return Err(USAGE.to_owned());
    };
    let number = |text: &str| text.parse().map_err(|error| format!("`{text}`: {error}"));
    let walk = Walk {
        first: number(first)?,
        last: if *last == "end" {
            u32::MAX
        } else {
            number(last)?
        },
        stride: number(stride)?,
    };
    match *action {
        ["load", file, module] => load(walk, file, module),
        ["write", file, text, undo_file, undo_text] => {
            let step = || put(file, text);
            let undo = || put(undo_file, undo_text);
            print(walk, step, undo)
        }
        _ => Err(USAGE.to_owned()),
    }
}

fn load(walk: Walk, file: &str, module: &str) -> Result<(), String> {
    let opened = File::open(file).map_err(|error| format!("{file}: {error}"))?;
    let module = CString::new(module).map_err(|error| error.to_string())?;
    let load = || rustix::system::finit_module(&opened, c"", 0);
    let unload = || rustix::system::delete_module(&module, 0);
    print(walk, load, unload)
}

/// Writes without allocating anything here: the caller counts.
fn put(file: &str, text: &str) -> Result<(), Errno> {
    let file = open(file, OFlags::WRONLY, Mode::empty())?;
    write(&file, text.as_bytes()).map(drop)
}

/// Walks, and prints how often it came to what.
fn print(
    walk: Walk,
    step: impl FnMut() -> Result<(), Errno>,
    undo: impl Fn() -> Result<(), Errno>,
) -> Result<(), String> {
    let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
    for step in walk.take(step, undo)? {
        let outcome = step.outcome.err();
        let outcome = outcome.map_or_else(|| "ok".to_owned(), |error| error.to_string());
        *outcomes.entry(outcome).or_default() += 1;
    }
    for (outcome, times) in outcomes {
        println!("{times} {outcome}");
    }
    Ok(())
}
