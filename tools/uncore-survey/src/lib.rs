// SPDX-License-Identifier: GPL-2.0

//! Experiments that tell which reading of an uncertain point of the hardware reference holds.
//!
//! [`points`] is the list of points by platform, and the only one of experiments. [`survey`] runs
//! them on a [`Bench`], which the command `uncore survey` makes of the module's file in debugfs.
//! Nothing here opens a file.
//!
//! `lab.rs` has what all experiments share. They are in `registers.rs`, `overflows.rs`, `counts.rs`
//! and `interrupts.rs`, and those of one platform in `broadwell.rs`, `client.rs` and `nehalem.rs`.

mod bench;
mod broadwell;
mod client;
mod counts;
mod interrupts;
mod lab;
mod layout;
mod nehalem;
mod overflows;
mod points;
mod registers;

use std::io;

pub use bench::{Answer, Bench, Dry, LinkRegister, Refusal};
use lab::Lab;
pub use lab::{Finding, Site};
pub use layout::{layout, Kind, Layout};
pub use points::{points, Experiment, How, Point};

/// Points whose result other experiments need.
const NEEDED: [&str; 14] = [
    "U-78", "B-24", "S-16", "X-21", "U-1", "U-10", "U-14", "U-18", "U-73", "B-5", "B-14", "U-23",
    "U-65", "X-3",
];

/// Result for a point.
#[derive(Debug)]
pub struct Found {
    /// The point.
    pub point: &'static Point,
    /// The reading, or why there is none.
    pub finding: Finding,
    /// Registers with the values that were written and read.
    pub evidence: Vec<String>,
}

/// Runs the experiments of a platform for the points that `asked` chooses, and those that they need.
/// Experiments that interrupt CPUs run only if `interrupts`. Returns the results in the order of the
/// points' numbers.
pub fn survey(
    bench: &mut dyn Bench,
    platform: &str,
    site: &Site,
    interrupts: bool,
    asked: impl Fn(&Point) -> bool,
) -> io::Result<Vec<Found>> {
    let mut lab = Lab::new(bench, site);
    let mut results = Vec::new();
    for point in points(platform) {
        let is_asked = asked(point);
        if !is_asked && !NEEDED.contains(&point.name) {
            continue;
        }
        let (finding, evidence) = match point.how {
            How::Run(experiment) => lab.find(point.name, experiment.code)?,
            How::Interrupt(experiment) if interrupts => lab.find(point.name, experiment.code)?,
            How::Interrupt(_) => (
                Finding::Open("not surveyed without --interrupts".to_owned()),
                Vec::new(),
            ),
            How::Nothing(why) => (Finding::Open(why.to_owned()), Vec::new()),
        };
        if is_asked {
            results.push(Found {
                point,
                finding,
                evidence,
            });
        }
    }
    results.sort_by_key(|result| result.point.number());
    Ok(results)
}

/// Returns what the experiment of a point touches, as far as that does not depend on what it reads.
pub fn touched(point: &Point, site: &Site) -> io::Result<Dry> {
    let mut dry = Dry::default();
    if let How::Run(experiment) | How::Interrupt(experiment) = point.how {
        Lab::new(&mut dry, site).find(point.name, experiment.code)?;
    }
    Ok(dry)
}
