// SPDX-License-Identifier: GPL-2.0

//! Requests of single end-to-end tests.

use crate::catalogue::BoxKind;
use crate::fixture::probe::Probe;
use crate::platform::{Asked, Known};

pub(super) const ASKED: Asked = Asked {
    two_of_a_cbox: ["cache_lookup.any_i", "xsnp_response.hit_xcore"],
    missing: &[],
    right_names: 33,
    without_alias: &[],
    named_by_perf: &[],
    pair: || ["cache_lookup.any_m", "cache_lookup.any_i"].map(|name| Probe::cbox(0, name)),
    known: Known {
        machine: &[],
        first_is_wrong: false,
        misplaced: &[],
        fixed_elsewhere: Some(BoxKind::Arb),
        is_beyond: |_| false,
        settings: || {
            let occupancy = || Probe::arb("trk_occupancy.all");
            vec![
                Probe::cbox(0, "cache_lookup.any_mesi").thresh(1).edge(),
                Probe::cbox(0, "xsnp_response.hit_xcore").thresh(1).invert(),
                occupancy().thresh(10),
                occupancy().thresh(20).edge(),
                occupancy().thresh(1).invert(),
                occupancy().thresh(31).invert(),
            ]
        },
    },
};

pub(super) const HSW: Asked = Asked {
    right_names: 31,
    ..ASKED
};

pub(super) const BDW: Asked = Asked {
    right_names: 22,
    ..ASKED
};
