// SPDX-License-Identifier: GPL-2.0

//! Requests of single end-to-end tests. Sections are those of Documentation/hardware/bdx.rst.

use crate::catalogue::BoxKind;
use crate::fixture::probe::Probe;
use crate::platform::ivbep::asked::{is_home_match, of_all, ASKED as OF_IVBEP};
use crate::platform::{Asked, Known};

pub(in crate::platform) const ASKED: Asked = Asked {
    // Its PCU has no event with an extended select.
    without_alias: &[BoxKind::Qpi],
    named_by_perf: &[("LLC_LOOKUP", "ANY")],
    known: Known {
        // 21.2.
        machine: &[("reading", "B-2:b")],
        // 21.20.
        first_is_wrong: true,
        // It limits none of these to the counters that can count them.
        misplaced: &[
            (BoxKind::Ha, &[0x61, 0x62, 0x64, 0x65]),
            (BoxKind::R2pcie, &[0x2a, 0x32, 0x33]),
            (BoxKind::R3qpi, &[0x2a, 0x2b]),
        ],
        fixed_elsewhere: None,
        is_beyond: |row| {
            // 21.15: it sets the frequency of band 0 only.
            let band = row.needs.band.is_some_and(|band| band > 0);
            // 21.10: it sets the state only.
            let node = row.kind == BoxKind::Cbox && row.code == 0x34 && row.needs.nid;
            band || node || is_home_match(row)
        },
        settings: || {
            let cbox = |name| Probe::cbox(0, name);
            let mut settings = of_all();
            settings.extend([
                cbox("llc_lookup.any").state(0x7f),
                cbox("llc_lookup.read").state(0x41),
                cbox("rxr_inserts.irq").tid(63),
                cbox("tor_occupancy.all").thresh(10).invert(),
                cbox("llc_victims.nid").nid(0x0f00),
                Probe::sbox(0, "rxr_occupancy.ad_crd").thresh(2),
                Probe::sbox(0, "rxr_occupancy.ad_crd").thresh(2).invert(),
                Probe::ha(0, "requests.reads").thresh(1).edge().invert(),
                Probe::imc(0, "cas_count.rd").thresh(1).invert(),
                Probe::irp(0, "cache_total_occupancy.any").thresh(10).edge(),
                Probe::pcu("freq_band0_cycles")
                    .band(0, 30)
                    .thresh(1)
                    .invert(),
                Probe::ubox("event_msg.doorbell_rcvd").thresh(1).edge(),
                Probe::r2pcie("ring_ad_used.all").thresh(1).invert(),
                Probe::r3qpi(0, "rxr_occupancy_vn1.hom").thresh(16),
            ]);
            settings
        },
    },
    ..OF_IVBEP
};
