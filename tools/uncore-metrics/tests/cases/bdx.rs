// SPDX-License-Identifier: GPL-2.0

use super::Case;

pub(super) const CASES: &[Case] = &[
    // 25 in state I of 200 in any state.
    (
        "cbox",
        "llc_drd_miss_pct",
        &[
            ("llc_lookup.data_read{filter_state=0x1}", 25),
            ("llc_lookup.data_read{filter_state=0x7f}", 200),
        ],
        12.5,
    ),
    // 1,500,000 lines of 64 bytes.
    (
        "cbox",
        "io_read_bw",
        &[
            (OF_PCIE, 1_000_000),
            ("tor_inserts.opcode{filter_opc=0x1e6}", 500_000),
        ],
        96.0,
    ),
    // 3 + 4 lines.
    (
        "cbox",
        "pcie_data_bytes",
        &[("tor_inserts.opcode{filter_opc=0x194}", 3), (OF_PCIE, 4)],
        448.0,
    ),
    // 150 slots in 100 clocks.
    (
        "cbox",
        "cyc_used_up",
        &[("ring_bl_used.up", 150), ("clockticks", 100)],
        150.0,
    ),
    (
        "sbox",
        "cyc_used_dnodd",
        &[("ring_bl_used.down_odd", 30), ("clockticks", 120)],
        25.0,
    ),
    (
        "sbox",
        "ring_thru_upeven_bytes",
        &[("ring_bl_used.up_even", 5)],
        160.0,
    ),
    // 40 lookups, of which 15 hit.
    (
        "ha",
        "hitme_inserts",
        &[("hitme_lookup.allocs", 40), ("hitme_hit.allocs", 15)],
        25.0,
    ),
    ("ha", "hitme_inval", &[("hitme_hit.invals", 9)], 9.0),
    (
        "r2pcie",
        "cyc_used_dn",
        &[("ring_bl_used.ccw", 50), ("clockticks", 100)],
        50.0,
    ),
    (
        "r2pcie",
        "ring_thru_up_bytes",
        &[("ring_bl_used.cw", 7)],
        224.0,
    ),
];

const OF_PCIE: &str = "tor_inserts.opcode{filter_opc=0x1c8,filter_tid=0x3e,tid_en=0x1}";
