// SPDX-License-Identifier: GPL-2.0

//! Points of Sandy Bridge client.

use super::{run, How, Listed, NO_INTERRUPT};
use crate::{client, registers};

/// Those of section 9 of Documentation/hardware/snb.rst.
#[rustfmt::skip]
pub(super) const SNB: &[Listed] = &[
    ("S-16", run("counter-writes", registers::writes_to_counters)),
    ("S-1", How::Nothing(NO_INTERRUPT)),
    ("S-2", run("cbo-config", client::number_of_cboxes)),
    ("S-3", run("slices", client::slices)),
    ("S-4", run("spare-counters", client::spare_counters)),
    ("S-5", How::Nothing(NO_INTERRUPT)),
    ("S-6", run("largest-occupancy", client::largest_occupancy)),
    ("S-7", How::Nothing("not surveyed: no step makes the package sleep")),
    ("S-8", run("counter-width", client::width)),
    ("S-9", run("occupancy-on-counter-1", client::occupancy_on_counter_1)),
    ("S-11", run("edge-without-cmask", client::edge_without_threshold)),
    ("S-13", How::Nothing("not surveyed: without the bit the module has no box there; `setpci -s 0:0.0 48.l` tells the bit, and a boot with other firmware its meaning")),
    ("S-15", How::Nothing("not surveyed: it takes a suspend; read them before and after it")),
];
