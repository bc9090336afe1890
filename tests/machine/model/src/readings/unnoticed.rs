// SPDX-License-Identifier: GPL-2.0

//! The points of which the machine has one reading only, and why.

/// A point without another row.
#[derive(Debug, Clone, Copy)]
pub struct Unnoticed {
    /// The point, as in `U-16`.
    pub point: &'static str,
    /// Reason why no reading of it is a row.
    pub why: &'static str,
}

const fn point(point: &'static str, why: &'static str) -> Unnoticed {
    Unnoticed { point, why }
}

const NO_ADDRESS: &str = "the register has no public address, so that no software reaches it";
const SETTLED: &str = "settled: one source is known to be right, or it makes no difference";
const UNIT: &str = "the unit of a count, not the count";
const BOUND: &str = "a bound that only decides how often software reads";
const NAMES: &str = "names and texts, not what a register does";

/// All of them.
pub const UNNOTICED: &[Unnoticed] = &[
    point("U-16", NO_ADDRESS),
    point("U-30", NO_ADDRESS),
    point("U-37", NAMES),
    point("U-39", UNIT),
    point("U-49", NO_ADDRESS),
    point("U-51", SETTLED),
    point("U-53", SETTLED),
    point("U-54", SETTLED),
    point("U-55", SETTLED),
    point("U-56", SETTLED),
    point("U-57", SETTLED),
    point("U-58", SETTLED),
    point("U-59", SETTLED),
    point("U-60", SETTLED),
    point("U-61", SETTLED),
    point("U-62", SETTLED),
    point("U-63", SETTLED),
    point("U-64", SETTLED),
    point("U-67", BOUND),
    point("U-68", SETTLED),
    point("U-69", NAMES),
    point("S-10", SETTLED),
    point("S-12", BOUND),
    point("S-14", BOUND),
    point(
        "X-5",
        "the bit reads 0, and the traffic has no occupancy that it could clear",
    ),
    point("X-17", UNIT),
    point("X-18", BOUND),
];
