// SPDX-License-Identifier: GPL-2.0

//! The page of the documentation is what the data files make.

use uncore_metrics::page;
use uncore_metrics::questions;
use uncore_metrics::Catalogue;
use uncore_metrics::Platform;
use uncore_metrics::Row;

#[test]
fn the_page_is_up_to_date() {
    let written = include_str!("../../../Documentation/tools/metrics.rst");
    assert!(
        page().expect("the data files") == written,
        "cargo run -p uncore-metrics > Documentation/tools/metrics.rst"
    );
}

#[test]
fn every_metric_is_in_the_list_of_its_platform() {
    let page = page().expect("the data files");
    let heads =
        Platform::ALL.map(|platform| format!("\n{}: {}\n", platform.processors, platform.name));
    let rows_of = |platform: &Platform| -> Vec<Row> {
        let manual = platform.manual.iter().map(|_| Catalogue::of(platform.name));
        let catalogues = manual.chain([Catalogue::overview(platform.name)]);
        let rows = catalogues.map(|file| file.expect("a data file").rows().to_vec());
        rows.flatten().collect()
    };
    for (platform, head) in Platform::ALL.iter().zip(&heads) {
        let (_, list) = page.split_once(head).expect("a list");
        let next = heads.iter().filter_map(|head| list.find(head)).min();
        let list = &list[..next.unwrap_or(list.len())];
        let mut rows = rows_of(platform);
        // The list of another platform has those that both have.
        let mut all = Platform::ALL.iter();
        if let Some(other) = all.find(|other| platform.like == Some(other.name)) {
            assert!(list.contains(&format!("All lists of {} hold", other.name)));
            let others = rows_of(other);
            rows.retain(|row| !others.contains(row));
        }
        for row in &rows {
            let head = format!("\n``{}`` ({}", row.metric, row.unit);
            assert!(list.contains(&head), "{}:{head}", platform.name);
        }
        let metrics = list.lines().filter(|line| line.starts_with("``"));
        assert_eq!(metrics.count(), rows.len(), "{}", platform.name);
    }
    for name in questions()
        .expect("the data file")
        .iter()
        .flat_map(|row| row.1.split(' '))
    {
        assert!(page.contains(&format!("``{name}``")), "{name} is no metric");
    }
    assert!(page.lines().all(|line| line.chars().count() <= 79));
}
