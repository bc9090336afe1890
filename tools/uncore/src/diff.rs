// SPDX-License-Identifier: GPL-2.0

//! `diff BEFORE AFTER`: what changed between two recordings, as the means of each.

use std::collections::BTreeSet;
use std::path::Path;

use uncore_metrics::{Digits, Prefixes, Unit};

use crate::cli::Diff;
use crate::error::Error;
use crate::mean::Run;
use crate::outcome::Outcome;
use crate::overview::{share, unique};
use crate::top::digest::{Digest, Load};
use crate::{replay, table};

/// Value of a socket, by its name.
pub(crate) struct Value {
    pub(crate) socket: u32,
    pub(crate) name: String,
    pub(crate) text: String,
    number: Option<f64>,
    is_share: bool,
}

/// Compares two recordings.
pub fn run(arguments: &Diff) -> Result<Outcome, Error> {
    let [before, after] = [&arguments.before, &arguments.after].map(|path| read(path));
    let ((before, mut notes), (after, more)) = (before?, after?);
    notes.extend(more);
    Ok(Outcome {
        text: text(&before, &after),
        notes,
        ..Outcome::default()
    })
}

/// The means of a recording, and the notes on it.
fn read(path: &Path) -> Result<(Vec<Value>, Vec<String>), Error> {
    let mut run = Run::default();
    let (_, notes) = replay::each(path, |interval| run.push(&interval))?;
    Ok((values(&run), notes))
}

/// The means of a run.
pub(crate) fn values(run: &Run) -> Vec<Value> {
    let mut values = Vec::new();
    for socket in Digest::of(&run.interval()).sockets {
        for part in &socket.parts {
            let mut add = |what: &str, text, number: Option<f64>, is_share| {
                values.push(Value {
                    socket: socket.number,
                    name: format!("{} {what}", part.name),
                    text,
                    number,
                    is_share,
                });
            };
            let load: &Load = &part.sum;
            let is_of_clock = load
                .peak
                .as_ref()
                .is_some_and(|peak| peak.unit == Unit::Cycles);
            for amount in &load.amounts {
                let used = load.share(amount.rate);
                if is_of_clock {
                    add(&amount.what, share(used, Some(1.0)), used, true);
                } else {
                    let text = amount.text(Prefixes::Si, Digits::All);
                    add(&amount.what, text, amount.rate.exact(), false);
                }
            }
            match &load.peak {
                Some(clock) if load.amounts.is_empty() => {
                    let text = clock.text(Prefixes::Si, Digits::All);
                    add(&clock.what, text, clock.rate.exact(), false);
                }
                Some(_) if !is_of_clock => {
                    add("used", share(load.used(), Some(1.0)), load.used(), true);
                }
                _ => {}
            }
        }
    }
    values
}

/// Returns the value of a socket with this name.
pub(crate) fn find<'a>(values: &'a [Value], socket: u32, name: &str) -> Option<&'a Value> {
    let mut values = values.iter();
    values.find(|value| value.socket == socket && value.name == name)
}

/// The table of two runs, with a row for each value that one of them has.
fn text(before: &[Value], after: &[Value]) -> String {
    let sockets: BTreeSet<u32> = before.iter().chain(after).map(|one| one.socket).collect();
    let names = unique(before.iter().chain(after).map(|one| one.name.as_str()));
    let titles = ["", "value", "before", "after", "change"].map(str::to_owned);
    let mut rows = vec![titles.to_vec()];
    for socket in sockets {
        for name in &names {
            let [old, new] = [before, after].map(|all| find(all, socket, name));
            if old.is_none() && new.is_none() {
                continue;
            }
            let both = old.zip(new);
            let change =
                both.and_then(|(old, new)| Some(change(old.number?, new.number?, old.is_share)));
            let text = |value: Option<&Value>| value.map(|value| value.text.clone());
            let cells = [text(old), text(new), change];
            let cells = cells.map(|cell| cell.unwrap_or_else(|| "-".to_owned()));
            let head = [format!("socket {socket}"), (*name).to_owned()];
            rows.push(head.into_iter().chain(cells).collect());
        }
    }
    table::aligned(&rows, "", |column| column > 1)
}

/// Formats by how much a value changed: a share by points, an amount by percent of what it was.
fn change(old: f64, new: f64, is_share: bool) -> String {
    let percent = 100.0 * (new - old) / old;
    if is_share {
        format!("{:+.0} points", 100.0 * (new - old) + 0.0)
    } else if percent.is_infinite() {
        "new".to_owned()
    } else {
        // Nothing that was nothing did not change.
        format!(
            "{:+.1} %",
            if percent.is_nan() { 0.0 } else { percent + 0.0 }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{exact, interval, machine, quiet};

    #[test]
    fn shares_change_by_points_and_amounts_by_percent() {
        let mean = |reads: [f64; 2]| {
            let mut run = Run::default();
            for (end, read) in (1_u8..).zip(reads) {
                let machine = machine("ivbep", 1, &[("imc", 1), ("pcu", 1), ("cbox", 1)]);
                run.push(&interval(
                    &machine,
                    f64::from(end),
                    &|socket, name, metric| {
                        exact(match metric {
                            "memory_read_bytes" => read * 1e9,
                            "power_heat_cycles" => read * 0.08e9,
                            "memory_write_bytes" => 0.0,
                            _ => quiet(socket, name, metric),
                        })
                    },
                ));
            }
            values(&run)
        };
        let text = text(&mean([1.0, 2.0]), &mean([3.0, 9.0]));
        let rows: Vec<String> = text
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        for row in [
            "socket 0 memory read 1.500 GB/s 6 GB/s +300.0 %",
            "socket 0 memory used 12 % 47 % +35 points",
            "socket 0 memory write 0 B/s 0 B/s +0.0 %",
            "socket 0 power heat 15 % 60 % +45 points",
        ] {
            assert!(rows.iter().any(|one| one == row), "no {row} in\n{text}");
        }
    }
}
