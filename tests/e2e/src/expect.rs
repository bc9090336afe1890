// SPDX-License-Identifier: GPL-2.0

//! Events as the tests ask for them: the programming of a counter, and what it is expected to count.
//!
//! The machine's model computes the count of a setting on the host, without the machine of the guest
//! (`uncore_machine::count`). Tests of the model hold it against the definition
//! (`uncore-definition`), a reading of `Documentation/development/traffic.rst` cycle by cycle.
//!
//! `expect/setting.rs` has the programming of a counter, `rule.rs` the filters that an event looks at,
//! `sub_register.rs` the registers that choose what an event counts, `running.rs` counters that
//! always run. Limits: no freeze, no disabled time (a burst is counted as a whole or not at all).

mod rule;
mod running;
mod setting;
mod sub_register;

use crate::catalogue::BoxKind;
use crate::formats::field;

pub(crate) use rule::Special;
pub use rule::{band, rule, Rule};
pub use running::{always_running, Link, MemoryCounter, Residency};
pub use setting::{Filter, Setting};
pub(crate) use sub_register::{EventSelect, SubRegister};
pub use uncore_machine::{DESTINATIONS, LINES, OPCODES, REASONS};

/// Returns `filter_state` of all cache line states.
pub fn all_states() -> u8 {
    let states = field(BoxKind::Cbox, "filter_state");
    let states = states.map_or(0, |(_, bits)| bits.count_ones());
    u8::try_from((1_u16 << states) - 1).expect("at most 8 states")
}

/// Returns `filter_nid` of all nodes.
pub fn all_nodes() -> u16 {
    let nodes = field(BoxKind::Cbox, "filter_nid");
    let nodes = nodes.map_or(0, |(_, bits)| bits.count_ones());
    u16::try_from((1_u32 << nodes) - 1).expect("at most 16 nodes")
}

/// Returns `filter_nid` of one of the last five nodes.
pub fn node(seed: usize) -> u16 {
    all_nodes().div_ceil(2) >> (seed % 5)
}

/// Returns the number of threads that requests come from.
pub fn threads() -> u8 {
    let thread = field(BoxKind::Cbox, "filter_tid");
    thread.map_or(0, |(_, bits)| 1 << bits.count_ones())
}
