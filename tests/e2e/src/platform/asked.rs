// SPDX-License-Identifier: GPL-2.0

//! What the end-to-end tests ask for on a platform that is no Xeon E5.

use crate::catalogue::{BoxKind, Row};
use crate::fixture::probe::Probe;

/// An MSR and its value.
type Msr = (u32, u64);
/// A PCI function, an offset and the value there.
type Config = (&'static str, u32, u32);

/// Lists for single tests.
pub struct Asked {
    /// An event of each type of box that any counter can take, in box 0.
    pub one_of_each_type: fn() -> Vec<Probe>,
    /// Names of two events of a C-Box that count on the same counters.
    pub two_of_a_cbox: [&'static str; 2],
    /// Names of two events of each type of box, one with a filter if there is any.
    pub two_of_each: fn(BoxKind) -> &'static [&'static str],
    /// MSRs of a type of box.
    pub msrs: fn(BoxKind) -> Msrs,
    /// Events of two boxes each.
    pub apart: fn() -> Vec<(Probe, Probe)>,
    /// Events without a part, and the part that perf names.
    pub missing: &'static [(&'static str, &'static str)],
    /// Values that no field can hold.
    pub unheld: &'static [&'static str],
    /// An event of each type of box, with filters and fixed counters, for a driver that loads.
    pub loaded: fn() -> Vec<Probe>,
    /// What firmware writes as the number of C-Boxes.
    pub number_of_cboxes: Option<&'static str>,
    /// Events that set many bits of their registers.
    pub with_many_fields: fn() -> Vec<Probe>,
    /// An event of the kernel's own driver.
    pub theirs: &'static str,
    /// Registers of counters and filters as another user could leave them.
    pub left_running: (&'static [Msr], &'static [Config]),
    /// The least number of names that perf has right.
    pub right_names: usize,
    /// Events to count under plain names.
    pub plain: fn() -> Vec<Probe>,
    /// Events of every type of box that are open in a sleep.
    pub slept: fn() -> Vec<Probe>,
    /// A group of two.
    pub pair: fn() -> [Probe; 2],
    /// A clock that always runs while it counts.
    pub clock: fn() -> Probe,
    /// The global control and status registers in the machine's log.
    pub global_registers: [&'static str; 2],
    /// Facts about the kernel's own driver.
    pub known: Known,
}

/// MSRs of a type of box.
pub enum Msrs {
    /// The first of the first box, and the distance to that of the next box.
    Stride(u32, u32),
    /// Beginning of the number.
    Among(&'static str),
}

/// Facts about the driver on a platform.
pub struct Known {
    /// Options of a machine on which it reads the right registers.
    pub machine: &'static [(&'static str, &'static str)],
    /// It writes control registers once which the hardware wants twice, so that a counter
    /// counts the event before. An event counts right the second time.
    pub first_is_wrong: bool,
    /// Event selects that it may put on a counter that cannot count them.
    pub misplaced: &'static [(BoxKind, &'static [u8])],
    /// A type of box whose fixed counter is an event of another type there.
    pub fixed_elsewhere: Option<BoxKind>,
    /// Tells if it cannot select an event or does not set its filter.
    pub is_beyond: fn(&Row) -> bool,
    /// Thresholds, edges, inversions and filters that it has right.
    pub settings: fn() -> Vec<Probe>,
}

impl Known {
    /// Returns true if the driver has the fixed counter of a type of box where we have it.
    pub fn has_fixed(&self, kind: BoxKind) -> bool {
        self.fixed_elsewhere != Some(kind)
    }
}
