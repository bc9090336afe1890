// SPDX-License-Identifier: GPL-2.0

use super::*;
use crate::formula::Expr;

const HEAD: &str = "box,metric,each,formula,unit,level,section,left out,description\n";

fn read(rows: &str) -> Catalogue {
    Catalogue::read(format!("{HEAD}{rows}").as_bytes()).expect("a file of rows")
}

fn problem(rows: &str) -> String {
    let error = read(rows).metrics(&[0, 1]).expect_err("a wrong row");
    error.to_string()
}

#[test]
fn numbers_are_put_in() {
    let metrics = read("ha,a<x>,x=2-3,e.r<x>,B,box,1,,rank <x>\n").metrics(&[]);
    let metrics = metrics.expect("metrics");
    let names: Vec<_> = metrics.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["a2", "a3"]);
    assert_eq!(metrics[1].formula, "e.r3".parse::<Expr>().expect("formula"));
    assert_eq!(metrics[1].description, "rank 3");
}

#[test]
fn a_row_is_repeated_for_the_nodes_of_the_machine() {
    let catalogue = read("ha,a<x>,x=nodes,e{dnid=<x>},B,box,1,,\n");
    let names = |nodes| {
        let metrics = catalogue.metrics(nodes).expect("metrics");
        metrics.into_iter().map(|m| m.name).collect::<Vec<_>>()
    };
    assert_eq!(names(&[0, 2]), ["a0", "a2"]);
    assert!(names(&[]).is_empty());
}

#[test]
fn metrics_are_put_into_metrics_of_the_same_type() {
    let rows = "ha,a,,b / e,B,box,1,,\nha,b,,c + 1,B,box,1,,\nha,c,,f,B,box,1,,\n\
                imc,c,,g,B,box,1,,\n";
    let metrics = read(rows).metrics(&[]).expect("metrics");
    let expected: Expr = "(f + 1) / e".parse().expect("formula");
    assert_eq!(metrics[0].formula, expected);
}

#[test]
fn a_wrong_row_is_named() {
    let cases = [
        (
            "ha,a,,e +,B,box,1,,\n",
            "formula: character 4: expected a number, a name or (, found the end",
        ),
        ("ha,a,,e,inch,box,1,,\n", "unit: not a unit"),
        ("ha,a,,e,B,shelf,1,,\n", "level: neither box nor package"),
        (
            "ha,a,y=1,e,B,box,1,,\n",
            "each: neither empty nor x=nodes nor a range such as x=0-7",
        ),
        (
            "ha,a,x=1-,e,B,box,1,,\n",
            "each: neither empty nor x=nodes nor a range such as x=0-7",
        ),
        (
            "ha,a,,e,B,box,1,,\nha,a,,f,B,box,1,,\n",
            "there is another of this name",
        ),
        (
            "ha,a,,b,B,box,1,,\nha,b,,a,B,box,1,,\n",
            "formula: it needs its own value",
        ),
    ];
    for (rows, expected) in cases {
        assert_eq!(
            problem(rows),
            format!("metric a of ha: {expected}"),
            "{rows}"
        );
    }
}

#[test]
fn a_file_without_the_columns_is_refused() {
    let error = Catalogue::read("box,metric\nha,a\n".as_bytes()).expect_err("no rows");
    assert!(error.to_string().starts_with("cannot read the metrics: "));
}

#[test]
fn a_row_that_is_left_out_gives_no_metric() {
    let catalogue = read("ha,a,,,,,1,no such event,\n");
    assert!(catalogue.metrics(&[]).expect("metrics").is_empty());
    assert_eq!(catalogue.rows().len(), 1);
}

#[test]
fn each_manual_has_its_own_metrics() {
    for platform in Platform::ALL {
        let rows = Catalogue::of(platform.name).map(|file| file.rows().len());
        assert_eq!(rows.is_ok_and(|rows| rows > 0), platform.manual.is_some());
    }
    let error = Catalogue::of("none").expect_err("no platform");
    let said = "there are no metrics for the platform none";
    assert_eq!(error.to_string(), said);
}

#[test]
fn an_overview_has_amounts_with_names_of_their_part_and_unit() {
    for platform in Platform::ALL {
        let overview = Catalogue::overview(platform.name).expect("a file");
        for metric in overview.metrics(&[0, 1]).expect("metrics") {
            let parts: Vec<_> = metric.name.split('_').collect();
            let unit = match metric.unit {
                Unit::Bytes => "bytes",
                Unit::Cycles => "cycles",
                Unit::Requests => "requests",
                other => panic!("{}: {other}", metric.name),
            };
            assert!(parts.len() >= 2 && parts.last() == Some(&unit), "{parts:?}");
            assert_eq!(metric.level, Level::Package, "{}", metric.name);
        }
    }
}
