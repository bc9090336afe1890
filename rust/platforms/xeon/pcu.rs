// SPDX-License-Identifier: GPL-2.0

//! Fixed counters, fields and filters that the PCUs of several Xeon platforms have in common.

use crate::uncore::table::prelude::*;

/// `PCU_MSR_CORE_C3_CTR` (RW, Table 2-124).
///
/// SPEC: U-31 and bdx 13, of a package or of a core.
const CORE_C3: Fixed = Fixed {
    control: None,
    counter: 0x3fc,
    width: 64,
    max_width: 64,
    select: 0xfc,
    name: "core_c3_ctr",
    unit: None,
};

/// `PCU_MSR_CORE_C6_CTR` (RW, Table 2-125).
///
/// SPEC: U-31 and bdx 13, of a package or of a core.
const CORE_C6: Fixed = Fixed {
    counter: 0x3fd,
    select: 0xfd,
    name: "core_c6_ctr",
    ..CORE_C3
};

/// The counters of sleeping cores.
pub(crate) const SLEEPS: &[Fixed] = &[CORE_C3, CORE_C6];

#[rustfmt::skip] // In columns, to be read against Tables 2-121 and 2-123 (Broadwell: 2-161).
/// The fields from the threshold on.
pub(crate) const LATER_FIELDS: &[Field] = &[
    field("thresh",       Word::Config,  bits::<24, 28>(), Role::Threshold),
    INTERVAL,
    field("occ_invert",   Word::Config,  bits::<30, 30>(), Role::OccupancyInvert),
    // SPEC: U-59.
    field("occ_edge",     Word::Config,  bits::<31, 31>(), Role::OccupancyEdge),
    // SPEC: bdx 21.15, band k is byte k.
    field("filter_band0", Word::Config1, bits::<0, 7>(),   Role::Filter(BAND0)),
    field("filter_band1", Word::Config1, bits::<8, 15>(),  Role::Filter(BAND1)),
    field("filter_band2", Word::Config1, bits::<16, 23>(), Role::Filter(BAND2)),
    field("filter_band3", Word::Config1, bits::<24, 31>(), Role::Filter(BAND3)),
];

/// Index of the filter in bits 7:0, that of `FREQ_BAND0_CYCLES`.
pub(crate) const BAND0: u8 = 0;
/// Index of the filter in bits 15:8, that of `FREQ_BAND1_CYCLES`.
pub(crate) const BAND1: u8 = 1;
/// Index of the filter in bits 23:16, that of `FREQ_BAND2_CYCLES`.
pub(crate) const BAND2: u8 = 2;
/// Index of the filter in bits 31:24, that of `FREQ_BAND3_CYCLES`.
pub(crate) const BAND3: u8 = 3;

pub(crate) const FILTER_UNITS: &[FilterUnit] = &[
    band("band0", "filter_band0", 0xff),
    band("band1", "filter_band1", 0xff << 8),
    band("band2", "filter_band2", 0xff << 16),
    band("band3", "filter_band3", 0xff << 24),
];

/// A byte of the filter register. Zero is refused: every frequency is above it, so that the event
/// would be another name for `clockticks`; what it is to demotions is not known.
const fn band(name: &'static str, field: &'static str, mask: u64) -> FilterUnit {
    filter_unit(name, Word::Config1, mask, WhenZero::Refuse(field))
}
