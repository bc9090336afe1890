// SPDX-License-Identifier: GPL-2.0

use super::Platform;

pub(super) const IVBEP: Platform = Platform {
    name: "ivbep",
    left_out: &["llc_mpi", "pct_link_crc_retry_cycles"],
    departs: &[],
    metrics: uncore_catalogue::metrics,
    rows: uncore_catalogue::rows,
    packets: &[],
    fields: &[("cbox", "filter_state", 0x3f, "F0.state")],
};
