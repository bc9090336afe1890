// SPDX-License-Identifier: GPL-2.0

use super::bdx::BDX;
use super::Field;
use super::Platform;
use uncore_catalogue::rows_of;
use uncore_catalogue::Facts;

pub(super) const HSX: Platform = Platform {
    name: "hsx",
    departs: &["fast_str_llc_miss", "fast_str_llc_req", "llc_rfo_miss_pct"],
    metrics: || &Facts::of("hsx").metrics,
    rows: || rows_of("hsx"),
    fields: FIELDS,
    ..BDX
};

const FIELDS: &[Field] = &[
    ("cbox", "filter_nc", 1, "F1.nc"),
    ("cbox", "tid_en", 1, ""),
    ("cbox", "filter_tid", 0x3f, "F0.tid"),
    ("cbox", "filter_state", 0x7f, "F0.state"),
    ("sbox", "edge", 1, ""),
    ("sbox", "thresh", 0xff, ""),
];
