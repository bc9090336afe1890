// SPDX-License-Identifier: GPL-2.0

//! Experiments that tell which reading of an uncertain point of the hardware reference holds.
//!
//! [`points`] is the list of points by platform, and the only one of experiments. [`survey`] runs
//! them on a [`Bench`]: a [`Session`] with a [`Machine`], which the command `uncore survey` makes of
//! the devices of MSRs and of PCI functions. Nothing here opens a file.
//!
//! `lab.rs` has what all experiments share. They are in `registers.rs`, `overflows.rs`, `counts.rs`
//! and `power.rs`, and those of one platform in its file below `platform`.
//!
//! Boxes, registers and their bits are those of the driver: [`driver`] is its sources, as they are,
//! over the stand-ins in `linux.rs` and `rust/kernel`.

/// The tables and the discovery of the driver, as far as the survey needs them.
#[expect(
    dead_code,
    clippy::pedantic,
    reason = "the survey uses a part of the driver, which follows other lints"
)]
#[path = "../../../rust"]
mod driver {
    pub(crate) mod platforms;
    pub(crate) mod uncore {
        pub(crate) mod absence;
        pub(crate) mod counter_box {
            pub(crate) mod bus;
            pub(crate) mod count;
        }
        pub(crate) mod machine {
            pub(crate) mod discovery;
            pub(crate) mod pci_table;
            pub(crate) mod presence;
        }
        pub(crate) mod request {
            pub(crate) mod name;
        }
        pub(crate) mod table;
    }
}

use driver::{platforms, uncore};

mod bench;
mod counts;
mod host;
mod lab;
#[expect(
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "the signatures are those of rust/linux"
)]
mod linux;
mod machine;
mod names;
mod overflows;
mod platform;
mod points;
mod power;
mod registers;
mod session;

use std::io;

pub use bench::{Answer, Bench, Dry, LinkRegister, Refusal, Times};
pub use host::{Address, Function, Hardware, Place, EIO_NUMBER};
use lab::Lab;
pub use lab::{Finding, Site};
pub use machine::Machine;
pub use platform::processor;
pub use points::{points, Experiment, How, Point};
pub use session::{restore_journal, Session, Surroundings};

/// Points whose result other experiments need.
const NEEDED: [&str; 13] = [
    "U-78", "B-24", "S-16", "X-21", "U-1", "U-10", "U-14", "U-73", "B-5", "B-14", "U-23", "U-65",
    "X-3",
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
/// Returns the results in the order of the points' numbers.
pub fn survey(
    bench: &mut dyn Bench,
    platform: &str,
    site: &Site,
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

/// Returns what the experiment of a point touches on a machine that has all boxes of its platform, as
/// far as that does not depend on what it reads.
pub fn touched(point: &Point, site: &Site) -> io::Result<Dry> {
    let mut dry = Dry::default();
    if let How::Run(experiment) = point.how {
        Lab::new(&mut dry, site).find(point.name, experiment.code)?;
    }
    Ok(dry)
}
