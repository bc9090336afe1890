// SPDX-License-Identifier: GPL-2.0

//! The text of a survey. It has no name of the machine, no serial number and no address of memory.

use std::fmt::Write as _;

use uncore_survey::{Dry, Finding, Found, How, Machine, Point};

use crate::error::Error;
use crate::system::{value, System};

/// Facts of the first processor that a report has.
const FACTS: [&str; 5] = ["model name", "cpu family", "model", "stepping", "microcode"];

/// Returns the report of a survey.
pub(super) fn text(system: &System, machine: &Machine, found: &[Found]) -> Result<String, Error> {
    let mut text = head(system, machine)?;
    for Found {
        point,
        finding,
        evidence,
    } in found
    {
        let Point { name, title, .. } = point;
        let _ = match finding {
            Finding::Reading(letter) => {
                let meaning = point.meaning(*letter);
                writeln!(text, "{name}:{letter}  {title}: {meaning}")
            }
            Finding::Open(why) => writeln!(text, "{name} open  {title}: {why}"),
        };
        for line in evidence {
            let _ = writeln!(text, "    {line}");
        }
    }
    let _ = writeln!(text, "\n{}", summary(found));
    Ok(text)
}

/// Returns the numbers of points by what was found.
fn summary(found: &[Found]) -> String {
    let mut usual = 0;
    let mut open = 0;
    let mut others = Vec::new();
    for Found { point, finding, .. } in found {
        match finding {
            Finding::Open(_) => open += 1,
            Finding::Reading(letter) => match point.readings.first() {
                Some((first, _)) if first == letter => usual += 1,
                _ => others.push(format!("{}:{letter}", point.name)),
            },
        }
    }
    let others = match others.as_slice() {
        [] => "0 otherwise".to_owned(),
        some => format!("{} otherwise ({})", some.len(), some.join(", ")),
    };
    format!("{usual} points as the driver takes them, {others}, {open} open")
}

/// Returns what the report says of the machine.
fn head(system: &System, machine: &Machine) -> Result<String, Error> {
    let mut text = format!("uncore survey {}\n", crate::version::VERSION);
    let processor = system.root.text("proc/cpuinfo")?;
    for name in FACTS {
        let value = value(&processor, name, ':').unwrap_or("unknown");
        let _ = writeln!(text, "{name}: {value}");
    }
    let maybe = |path: &str| system.root.text(path).ok();
    let unknown = || "unknown".to_owned();
    let release = maybe("proc/sys/kernel/osrelease").unwrap_or_else(unknown);
    let _ = writeln!(text, "kernel: {release}");
    for (package, units) in machine.shape() {
        let units: Vec<String> = units
            .iter()
            .map(|(unit, n)| format!("{n} {unit}"))
            .collect();
        let _ = writeln!(text, "package {package}: {}", units.join(", "));
    }
    let _ = writeln!(text);
    Ok(text)
}

/// Returns which registers each experiment touches.
pub(super) fn dry(touched: &[(&Point, Dry)]) -> String {
    let mut text = String::new();
    for (point, dry) in touched {
        let Point { name, title, .. } = point;
        let _ = match point.how {
            How::Run(experiment) => writeln!(text, "{name}  {title}: {}", experiment.name),
            How::Nothing(why) => writeln!(text, "{name}  {title}: nothing, {why}"),
        };
        for ((unit, register), bits) in &dry.touched {
            let _ = match bits {
                Some(bits) => writeln!(text, "    {unit} {register}: writes bits of {bits:#x}"),
                None => writeln!(text, "    {unit} {register}: reads"),
            };
        }
    }
    text
}
