// SPDX-License-Identifier: GPL-2.0

//! Points of Sandy Bridge client.

use super::{nothing, run, Point, NO_INTERRUPT, SETTLED};
use crate::{client, registers};

/// Those of section 9 of Documentation/hardware/snb.rst.
#[rustfmt::skip]
pub(super) const SNB: &[Point] = &[
    run("S-16", "Writes to counters", "counter-writes", registers::writes_to_counters, &[
        ('a', "they are kept"),
        ('b', "they are ignored"),
        ('c', "they fault"),
    ]),
    nothing("S-1", "How GLOBAL_STATUS is cleared", NO_INTERRUPT),
    run("S-2", "CBO_CONFIG", "cbo-config", client::number_of_cboxes, &[
        ('a', "the number of C-Boxes and that of the graphics"),
        ('b', "the number of C-Boxes without that of the graphics"),
        ('c', "the slice of the graphics is C-Box 4"),
    ]),
    run("S-3", "Bits 3:0 of PERF_GLOBAL_CTRL", "slices", client::slices, &[
        ('a', "counting does not depend on them"),
        ('b', "they enable the C-Boxes"),
    ]),
    run("S-4", "Counters 2 and 3, and the status of a C-Box", "spare-counters", client::spare_counters, &[
        ('a', "they read 0 and ignore writes"),
        ('b', "a C-Box has four counters"),
        ('c', "they fault"),
    ]),
    nothing("S-5", "A second overflow", NO_INTERRUPT),
    run("S-6", "The largest occupancy", "largest-occupancy", client::largest_occupancy, &[
        ('a', "20"),
        ('b', "more than 20"),
    ]),
    nothing("S-7", "What a sleep of the package loses", "not surveyed: no step makes the package sleep"),
    run("S-8", "Width of a counter MSR", "counter-width", client::width, &[
        ('a', "44 bits"),
        ('b', "48 bits"),
    ]),
    run("S-9", "Counters of TRK_OCCUPANCY with a CMASK", "occupancy-on-counter-1", client::occupancy_on_counter_1, &[
        ('a', "counter 0"),
        ('b', "counters 0 and 1"),
    ]),
    nothing("S-10", "E and S", SETTLED),
    run("S-11", "Edge detection without CMASK", "edge-without-cmask", client::edge_without_threshold, &[
        ('a', "a CMASK of 0 is like 1 for edges, and INV has no effect"),
        ('b', "E has no effect"),
        ('c', "a counter with INV counts nothing"),
    ]),
    nothing("S-12", "The highest uclk", "nothing depends on the exact value"),
    nothing("S-13", "The enable bit of the bridge's address", "not surveyed: without the bit the module has no box there; `setpci -s 0:0.0 48.l` tells the bit, and a boot with other firmware its meaning"),
    nothing("S-14", "The highest rate of the counters", "nothing depends on the exact value"),
    nothing("S-15", "The memory controller's counters in S3", "not surveyed: it takes a suspend; read them before and after it"),
];
