// SPDX-License-Identifier: GPL-2.0

use super::ivbep::IVBEP;
use super::Platform;
use uncore_catalogue::rows_of;
use uncore_catalogue::Facts;

pub(super) const JKT: Platform = Platform {
    name: "jkt",
    departs: &["pct_freq_thermal_ltd"],
    metrics: || &Facts::of("jkt").metrics,
    rows: || rows_of("jkt"),
    fields: &[("cbox", "filter_state", 0x1f, "F0.state")],
    ..IVBEP
};
