// SPDX-License-Identifier: GPL-2.0

//! Experiments that tell which reading of an uncertain point of the hardware reference holds.
//!
//! [`points`] is the list of points, and the only one of experiments. [`survey`] runs them on a
//! [`Bench`], which the command `uncore survey` makes of the module's file in debugfs. Nothing here
//! opens a file.
//!
//! `lab.rs` has what all experiments share. They are in `registers.rs`, `overflows.rs`, `counts.rs`
//! and `interrupts.rs`.

mod bench;
mod counts;
mod interrupts;
mod lab;
mod overflows;
mod points;
mod registers;

use std::io;

pub use bench::{Answer, Bench, Dry, Refusal};
use lab::Lab;
pub use lab::{Finding, Site};
pub use points::{points, Experiment, How, Point};

/// Points whose result other experiments need.
const NEEDED: [&str; 7] = ["U-1", "U-10", "U-14", "U-18", "B-5", "U-23", "U-65"];

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

/// A kind of box, as far as experiments know it.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// Unit, as in `cbox`.
    pub unit: &'static str,
    /// Event control register that counts the clock.
    pub clock: u64,
    /// Width of the counters in bits, the smaller one if it is uncertain.
    pub width: u32,
}

const fn kind(unit: &'static str, clock: u64, width: u32) -> Kind {
    Kind { unit, clock, width }
}

/// Returns the kinds of boxes of a platform, and the bits of its global status.
pub fn kinds(platform: &str) -> (&'static [Kind], u64) {
    match platform {
        "ivbep" => (IVBEP, 0x7ff_ffff),
        "bdx" => (BDX, 0xc_3fe0_0007),
        _ => (&[], 0),
    }
}

/// Those of Ivy Bridge-EP.
const IVBEP: &[Kind] = &[
    kind("cbox", 0x00, 44),
    kind("ha", 0x00, 48),
    kind("imc", 0x00, 48),
    kind("irp", 0x00, 44),
    kind("pcu", 0x00, 48),
    kind("qpi", 0x14, 48),
    kind("r2pcie", 0x01, 44),
    kind("r3qpi", 0x01, 44),
];

/// Those of Broadwell.
const BDX: &[Kind] = &[
    kind("cbox", 0x00, 48),
    kind("sbox", 0x00, 48),
    kind("ha", 0x00, 48),
    kind("imc", 0x00, 48),
    kind("irp", 0x00, 48),
    kind("pcu", 0x00, 48),
    kind("qpi", 0x14, 48),
    kind("r2pcie", 0x01, 48),
    kind("r3qpi", 0x01, 48),
];
