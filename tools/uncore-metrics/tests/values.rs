// SPDX-License-Identifier: GPL-2.0

//! Metrics of the data file on made-up counts, against values worked out by hand.

mod reference;

use uncore_metrics::BoxReading;
use uncore_metrics::Catalogue;
use uncore_metrics::GroupReading;
use uncore_metrics::Metric;
use uncore_metrics::Outcome;
use uncore_metrics::Plan;

/// Box type, metric, counts of its terms, value.
type Case = (
    &'static str,
    &'static str,
    &'static [(&'static str, u64)],
    f64,
);

const CASES: [Case; 20] = [
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
];

fn metrics() -> Vec<Metric> {
    let catalogue = Catalogue::of("ivbep").expect("the data file");
    catalogue.metrics(&[0, 1]).expect("metrics")
}

/// A box on which each event has counted what `count` says, all of one second.
fn reading(plan: &Plan, box_type: &str, count: impl Fn(&str) -> u64) -> BoxReading {
    let groups = plan.groups.iter().enumerate();
    let groups = groups.filter(|(_, group)| group.box_type == box_type);
    let groups = groups.map(|(index, group)| {
        let members = group.members.iter();
        let reading = GroupReading {
            values: members.map(|term| count(&term.to_string())).collect(),
            enabled: 1_000_000_000,
            running: 1_000_000_000,
        };
        (index, reading)
    });
    BoxReading {
        package: 0,
        box_type: box_type.to_owned(),
        name: format!("{box_type}_0"),
        groups: groups.collect(),
    }
}

#[test]
fn values_are_those_worked_out_by_hand() {
    for (box_type, name, counts, expected) in CASES {
        let metric = metrics().into_iter();
        let metric = metric.filter(|m| m.box_type == box_type && m.name == name);
        let plan = Plan::new(metric, &reference::machine());
        let count = |term: &str| {
            let known = counts.iter().find(|(known, _)| *known == term);
            known.unwrap_or_else(|| panic!("{name} wants {term}")).1
        };
        let terms: usize = plan.groups.iter().map(|g| g.members.len()).sum();
        assert_eq!(terms, counts.len(), "{name} has other terms");
        let outcomes = plan.evaluate(&[reading(&plan, box_type, count)]);
        let value = outcomes.first().expect("an outcome").value;
        let value = value.expect("a value");
        assert!((value - expected).abs() < 1e-9, "{name}: {value}");
    }
}

#[test]
fn each_box_type_with_metrics_is_tried_twice() {
    for metric in metrics() {
        let cases = CASES.iter().filter(|case| case.0 == metric.box_type);
        assert!(cases.count() >= 2, "{}", metric.box_type);
    }
}

#[test]
fn all_metrics_have_a_value() {
    let metrics = metrics();
    let plan = Plan::new(metrics.clone(), &reference::machine());
    // A different count for each, so that no difference is 0.
    let count = |term: &str| 1000 + term.bytes().map(u64::from).sum::<u64>();
    let types = ["cbox", "ha", "imc", "pcu", "qpi", "r2pcie"];
    let readings = types.map(|box_type| reading(&plan, box_type, count));
    let outcomes = plan.evaluate(&readings);
    for metric in &metrics {
        let own = |outcome: &&Outcome| {
            outcome.metric == metric.name && outcome.box_type == metric.box_type
        };
        let own: Vec<_> = outcomes.iter().filter(own).collect();
        assert!(!own.is_empty(), "{}", metric.name);
        assert!(own.iter().all(|o| o.value.is_ok()), "{}", metric.name);
    }
}
