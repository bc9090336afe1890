// SPDX-License-Identifier: GPL-2.0

use super::Case;

pub(super) const CASES: &[Case] = &[
    // 25 in state I of 200 in any state.
    (
        "cbox",
        "llc_drd_miss_pct",
        &[
            ("llc_lookup.data_read{filter_state=0x1}", 25),
            ("llc_lookup.data_read{filter_state=0x3f}", 200),
        ],
        12.5,
    ),
    // 1,500,000 lines of 64 bytes.
    (
        "cbox",
        "io_read_bw",
        &[
            ("tor_inserts.opcode{filter_opc=0x19c}", 1_000_000),
            ("tor_inserts.opcode{filter_opc=0x1e6}", 500_000),
        ],
        96.0,
    ),
    (
        "r2pcie",
        "cyc_used_upeven",
        &[
            ("ring_bl_used.cw_vr0_even", 30),
            ("ring_bl_used.cw_vr1_even", 20),
            ("clockticks", 100),
        ],
        50.0,
    ),
    (
        "r2pcie",
        "ring_thru_dnodd_bytes",
        &[
            ("ring_bl_used.ccw_vr0_odd", 3),
            ("ring_bl_used.ccw_vr1_odd", 4),
        ],
        224.0,
    ),
    // (10 + 2) flits of 8 bytes less 1 line.
    (
        "qpi",
        "data_from_qpi_to_ha_or_iio",
        &[
            ("rxl_flits_g1.drs_data", 10),
            ("rxl_flits_g2.ncb_data", 2),
            ("direct2core.success_rbt_hit", 1),
        ],
        32.0,
    ),
];
