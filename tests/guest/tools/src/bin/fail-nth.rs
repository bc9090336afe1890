// SPDX-License-Identifier: GPL-2.0

//! Repeats an action while one of the kernel's allocations for it fails, each time
//! the next one, and prints each result with the number of its occurrences:
//!
//! ```text
//! fail-nth FIRST LAST STRIDE load FILE MODULE            loads a module; unloads it
//! fail-nth FIRST LAST STRIDE write FILE TEXT FILE TEXT   writes a text to a file, and
//!                                                        the second one to undo it
//! fail-nth FIRST LAST STRIDE online CPU FILE MODULE PMU
//! ```
//!
//! The last brings up a processor for which the module registers a PMU; the failing
//! allocations are those of the kernel's thread for this. The module is loaded
//! before and unloaded afterwards, and the processor is taken down again. If the
//! action has failed, it must succeed without a failing allocation.
//!
//! Allocations are FIRST, FIRST + STRIDE and so on, up to LAST, or to the `end`.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::fmt::Display;
use std::fs::{read_dir, read_to_string, File};
use std::path::Path;
use std::process::ExitCode;

use guest_tools::fault::{Step, Walk};
use guest_tools::report;
use rustix::fs::{open, Mode, OFlags};
use rustix::io::{write, Errno};

const USAGE: &str =
    "usage: fail-nth FIRST LAST STRIDE load FILE MODULE | write FILE TEXT UNDO-FILE UNDO-TEXT | \
     online CPU FILE MODULE PMU";

const PMUS: &str = "/sys/bus/event_source/devices";

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
        ["load", file, module] => {
            let module = Module::new(file, module)?;
            print(walk.take(|| module.load(), || module.unload()))
        }
        ["write", file, text, undo_file, undo_text] => {
            let step = || put(file, text);
            let undo = || put(undo_file, undo_text);
            print(walk.take(step, undo))
        }
        ["online", cpu, file, module, pmu] => online(walk, cpu, &Module::new(file, module)?, pmu),
        _ => Err(USAGE.to_owned()),
    }
}

/// A module that is loaded again and again.
struct Module {
    file: File,
    name: CString,
}

impl Module {
    fn new(file: &str, name: &str) -> Result<Self, String> {
        let opened = File::open(file).map_err(|error| format!("{file}: {error}"))?;
        let name = CString::new(name).map_err(|error| error.to_string())?;
        Ok(Self { file: opened, name })
    }

    fn load(&self) -> Result<(), Errno> {
        rustix::system::finit_module(&self.file, c"", 0)
    }

    fn unload(&self) -> Result<(), Errno> {
        rustix::system::delete_module(&self.name, 0)
    }
}

fn online(walk: Walk, cpu: &str, module: &Module, pmu: &str) -> Result<(), String> {
    let switch = format!("/sys/devices/system/cpu/cpu{cpu}/online");
    let pmu = Path::new(PMUS).join(pmu);
    let turn = |text| put(&switch, text).map_err(|error| error.to_string());
    let come = || {
        turn("1")?;
        if pmu.exists() {
            Ok(())
        } else {
            Err("its PMU is missing".to_owned())
        }
    };
    let step = || {
        module.load().map_err(|error| error.to_string())?;
        come()
    };
    let after = |outcome: &Result<(), String>| {
        if outcome.is_err() {
            turn("0")?;
            come()?;
        }
        turn("0")?;
        module.unload().map_err(|error| error.to_string())
    };
    print(walk.take_in(&thread(&format!("cpuhp/{cpu}"))?, step, after))
}

/// The thread with a name, by its directory in `/proc`.
fn thread(name: &str) -> Result<String, String> {
    let threads = read_dir("/proc").map_err(|error| format!("/proc: {error}"))?;
    let named = threads.flatten().find(|thread| {
        let is = read_to_string(thread.path().join("comm"));
        is.is_ok_and(|is| is.trim_end() == name)
    });
    let named = named.ok_or_else(|| format!("no thread has the name {name}"))?;
    Ok(named.file_name().to_string_lossy().into_owned())
}

/// Writes without allocating anything here: the caller counts.
fn put(file: &str, text: &str) -> Result<(), Errno> {
    let file = open(file, OFlags::WRONLY, Mode::empty())?;
    write(&file, text.as_bytes()).map(drop)
}

/// Prints each result with the number of its occurrences.
fn print<E: Display>(steps: Result<Vec<Step<E>>, String>) -> Result<(), String> {
    let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
    for step in steps? {
        let outcome = step.outcome.err();
        let outcome = outcome.map_or_else(|| "ok".to_owned(), |error| error.to_string());
        *outcomes.entry(outcome).or_default() += 1;
    }
    for (outcome, times) in outcomes {
        println!("{times} {outcome}");
    }
    Ok(())
}
