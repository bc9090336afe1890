// SPDX-License-Identifier: GPL-2.0

//! What most tests need, for one import.

pub use crate::catalogue::{packet_functions, BoxKind, Catalogue, Needs, Row};
pub use crate::expect::{
    always_running, node, Filter, Link, MemoryCounter, Residency, Setting, LINES, OPCODES,
};
pub use crate::fixture::probe::{Probe, Words};
pub use crate::fixture::{
    assert_none, number, on, on_new, reads, repeats_all, switch, Function, Layer, Session, Shape,
    Wanted, DEVICES,
};
pub use crate::perf::{Place, Stat};
pub use crate::platform::{Platform, Processor};
pub use uncore_runner::{Config, Driver, Flavour, MODULE, UNLOAD};
