// SPDX-License-Identifier: GPL-2.0

//! The page of the documentation is what the data file makes.

use uncore_metrics::page;
use uncore_metrics::Catalogue;

#[test]
fn the_page_is_up_to_date() {
    let written = include_str!("../../../Documentation/tools/metrics.rst");
    let page = page(&Catalogue::of("ivbep").expect("the data file"));
    assert!(
        page == written,
        "cargo run -p uncore-metrics > Documentation/tools/metrics.rst"
    );
}

#[test]
fn every_metric_is_on_it_with_its_unit() {
    let catalogue = Catalogue::of("ivbep").expect("the data file");
    let page = page(&catalogue);
    for row in catalogue.rows() {
        let head = format!("``{}`` ({}", row.metric, row.unit);
        assert!(page.contains(&head), "{head}");
    }
    assert!(page.lines().all(|line| line.chars().count() <= 79));
}
