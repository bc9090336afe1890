// SPDX-License-Identifier: GPL-2.0

//! Metrics on made-up counts, with values worked out by hand.

mod bdx;
mod ivbep;

/// Box type, metric, counts of its terms, value.
pub(crate) type Case = (
    &'static str,
    &'static str,
    &'static [(&'static str, u64)],
    f64,
);

/// The cases of a platform.
pub(crate) fn of(platform: &str) -> Vec<Case> {
    let own = match platform {
        "ivbep" => ivbep::CASES,
        "bdx" => bdx::CASES,
        other => panic!("no cases of {other}"),
    };
    own.iter().chain(&SHARED).copied().collect()
}

/// Cases of all platforms.
const SHARED: [Case; 15] = [
    // 1200 clocks of waiting shared by 100 requests.
    (
        "cbox",
        "avg_ingress_latency",
        &[("rxr_occupancy.irq", 1200), ("rxr_inserts.irq", 100)],
        12.0,
    ),
    (
        "cbox",
        "avg_ingress_latency_when_ne",
        &[
            ("rxr_occupancy.irq", 90),
            ("counter0_occupancy{edge=0x1,thresh=0x1}", 30),
        ],
        3.0,
    ),
    // (700 - 500) clocks for (30 - 10) hits.
    (
        "cbox",
        "avg_tor_drd_hit_latency",
        &[
            ("tor_occupancy.opcode{filter_opc=0x182}", 700),
            ("tor_occupancy.miss_opcode{filter_opc=0x182}", 500),
            ("tor_inserts.opcode{filter_opc=0x182}", 30),
            ("tor_inserts.miss_opcode{filter_opc=0x182}", 10),
        ],
        10.0,
    ),
    // 30 + 10 of 60 + 20.
    (
        "cbox",
        "llc_drd_rfo_miss_to_rem_mem",
        &[
            (
                "tor_inserts.nid_miss_opcode{filter_nid=other_nodes,filter_opc=0x182}",
                30,
            ),
            (
                "tor_inserts.nid_miss_opcode{filter_nid=other_nodes,filter_opc=0x180}",
                10,
            ),
            (
                "tor_inserts.nid_miss_opcode{filter_nid=all_nodes,filter_opc=0x182}",
                60,
            ),
            (
                "tor_inserts.nid_miss_opcode{filter_nid=all_nodes,filter_opc=0x180}",
                20,
            ),
        ],
        50.0,
    ),
    (
        "ha",
        "pct_rd_requests",
        &[("requests.reads", 75), ("requests.writes", 25)],
        75.0,
    ),
    (
        "ha",
        "pct_cycles_bl_full",
        &[("txr_bl_cycles_full.all", 10), ("clockticks", 40)],
        25.0,
    ),
    (
        "imc",
        "mem_bw_total",
        &[("cas_count.rd", 1000), ("cas_count.wr", 500)],
        96_000.0,
    ),
    (
        "imc",
        "pct_cycles_dram_rank5_in_cke",
        &[("power_cke_cycles.rank5", 20), ("clockticks", 400)],
        5.0,
    ),
    // 70 activates less 30 misses of 100 requests.
    (
        "imc",
        "pct_requests_page_empty",
        &[
            ("act_count.rd{umask=0xb}", 70),
            ("pre_count.page_miss", 30),
            ("cas_count.all", 100),
        ],
        40.0,
    ),
    // 100 % less 40 % empty and 25 % miss.
    (
        "imc",
        "pct_requests_page_hit",
        &[
            ("act_count.rd{umask=0xb}", 65),
            ("pre_count.page_miss", 25),
            ("cas_count.all", 100),
        ],
        35.0,
    ),
    (
        "pcu",
        "pct_cyc_freq_os_ltd",
        &[("freq_max_os_cycles", 200), ("clockticks", 800)],
        25.0,
    ),
    (
        "pcu",
        "pct_cyc_freq_thermal_ltd",
        &[("freq_max_limit_thermal_cycles", 8), ("clockticks", 800)],
        1.0,
    ),
    // 400 of 2 x 1000 slots.
    (
        "qpi",
        "qpi_link_util",
        &[
            ("rxl_flits_g0.data", 300),
            ("rxl_flits_g0.non_data", 100),
            ("clockticks", 1000),
        ],
        20.0,
    ),
    // 999.9 MHz is taken for 1000; eight transfers a clock.
    ("qpi", "qpi_speed", &[("clockticks", 999_900_000)], 8.0),
    // 5 + (9 - 5) + (7 - 4) lines.
    (
        "qpi",
        "data_from_qpi_to_node1",
        &[
            ("message.drs.anydatac{mask_dnid=0x1f,match_dnid=0x1}", 5),
            ("message.drs.anyresp{mask_dnid=0x1f,match_dnid=0x1}", 9),
            ("message.ncb.anyresp{mask_dnid=0x1f,match_dnid=0x1}", 7),
            ("message.ncb.anyint{mask_dnid=0x1f,match_dnid=0x1}", 4),
        ],
        768.0,
    ),
];
