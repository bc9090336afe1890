// SPDX-License-Identifier: GPL-2.0

//! The data file of each platform against the manual's metrics and events.

mod reference;

use reference::Platform;
use reference::ALL;
use std::collections::BTreeMap;
use uncore_catalogue::Metric;
use uncore_metrics::Event;
use uncore_metrics::Expr;
use uncore_metrics::Nodes;
use uncore_metrics::Row;
use uncore_metrics::Term;
use uncore_metrics::Value;

/// Sums of the manual that one event counts: box type, the sum, the event.
const MERGED: [(&str, &str, &str); 2] = [
    (
        "imc",
        "ACT_COUNT.RD + ACT_COUNT.WR + ACT_COUNT.BYP",
        "ACT_COUNT.RD{umask=0xb}",
    ),
    ("imc", "(CAS_COUNT.RD + CAS_COUNT.WR)", "CAS_COUNT.ALL"),
];

/// What `x` stands for when formulas are compared.
const X: &str = "3";

#[test]
fn every_manual_is_tested() {
    let all = uncore_metrics::Platform::ALL.into_iter();
    let all = all.filter(|platform| platform.manual.is_some());
    let all: Vec<_> = all.map(|platform| platform.name).collect();
    assert_eq!(all, ALL.map(|platform| platform.name));
}

#[test]
fn no_row_is_lost_added_or_moved() {
    let keys = |rows: &[Row]| -> Vec<(String, String)> {
        let rows = rows.iter();
        rows.map(|row| (row.box_type.clone(), row.metric.clone()))
            .collect()
    };
    for platform in ALL {
        let printed = platform.printed();
        let rows: Vec<Row> = printed.iter().map(|(ours, _)| ours.clone()).collect();
        let mut expected = keys(&rows);
        let mut ours = keys(platform.catalogue().rows());
        let others = platform.others();
        if let Some(others) = &others {
            // In the other one's order.
            expected.extend(keys(others.rows()));
            expected.sort();
            expected.dedup();
            ours.sort();
        }
        assert_eq!(ours, expected, "{}", platform.name);
        for (ours, printed) in &printed {
            let section = printed.section.split(' ').next();
            let is_own = others.is_none() && Some(ours.section.as_str()) == section;
            assert!(is_own || others.is_some(), "{}", ours.metric);
            let reason_or_formula = ours.left_out.is_empty() != ours.formula.is_empty();
            assert!(reason_or_formula, "{}", ours.metric);
        }
    }
}

#[test]
fn left_out_are_those_without_right_inputs() {
    for platform in ALL {
        let catalogue = platform.catalogue();
        let rows = catalogue.rows().iter();
        let left_out: Vec<_> = rows
            .filter(|row| !row.left_out.is_empty())
            .map(|row| row.metric.as_str())
            .collect();
        assert_eq!(left_out, platform.left_out, "{}", platform.name);
    }
}

#[test]
fn formulas_are_the_manuals() {
    for platform in ALL {
        for (ours, printed) in platform.printed() {
            if !ours.left_out.is_empty() {
                continue;
            }
            let formula: Expr = ours.formula.replace("<x>", X).parse().expect("a formula");
            let formula = spelled_out(formula, &platform);
            let expected = translated(printed, &platform);
            if platform.departs.contains(&&*ours.metric) {
                assert_ne!(formula, expected, "{}: {}", platform.name, ours.metric);
            } else {
                assert_eq!(formula, expected, "{}: {}", platform.name, ours.metric);
            }
        }
    }
}

#[test]
fn rows_with_x_say_what_it_is() {
    for row in rows() {
        let each = match &row.metric {
            name if name.contains("node<x>") => "x=nodes",
            name if name.contains("rank<x>") => "x=0-7",
            _ => "",
        };
        assert_eq!(row.each, each, "{}", row.metric);
    }
}

#[test]
fn terms_name_events_and_fields_of_the_box() {
    let nodes = Nodes { own: 0, all: 0xff };
    for platform in ALL {
        let machine = platform.machine();
        let metrics = platform.catalogue().metrics(&[0, 1, 2, 3, 4, 5, 6, 7]);
        for metric in metrics.expect("metrics") {
            let events = &machine[&metric.box_type].events;
            for term in metric.formula.terms() {
                assert!(events.contains_key(&term.event), "{}: {term}", metric.name);
                for (field, value) in &term.settings {
                    let value = value.number(nodes).expect("a node");
                    let is_legal = platform.fields().any(|(of, name, max)| {
                        of == metric.box_type && name == field && value <= max
                    });
                    assert!(is_legal, "{}: {field}={value:#x}", metric.name);
                }
            }
        }
    }
}

/// Other names of rings and a parenthesis too many change nothing.
#[test]
fn a_formula_that_departs_from_the_printed_one_says_so() {
    for platform in ALL {
        let others = platform.others();
        let is_own = |row: &Row| others.iter().all(|others| !others.rows().contains(row));
        let all = platform.printed().into_iter();
        for (ours, printed) in all.filter(|(ours, _)| is_own(ours)) {
            let departs = printed
                .section
                .split_once("(printed ")
                .is_some_and(|(_, what)| {
                    !what.starts_with("RING_BL_USED") && !what.starts_with("with a )")
                });
            let departs = departs || platform.departs.contains(&&*ours.metric);
            let says = ours.description.contains(" prints ");
            assert_eq!(says, departs, "{}: {}", platform.name, ours.metric);
        }
    }
}

#[test]
fn units_are_those_of_the_names() {
    const REQUESTS: [&str; 7] = [
        "fast_str_",
        "streamed_",
        "partial_",
        "uc_reads",
        "hitme_",
        "pci_",
        "mmio_",
    ];
    for row in rows().filter(|row| row.left_out.is_empty()) {
        let has = |words: &[&str]| words.iter().any(|word| row.metric.contains(word));
        let unit = match () {
            () if has(&["pct", "cyc_", "_miss_to_", "_util"]) => "%",
            () if has(&["_depth"]) => "entries",
            () if has(&["avg_"]) => "clocks",
            () if has(&["_v_"]) => "ratio",
            () if has(&["_speed"]) => "GT/s",
            () if has(&REQUESTS) => "requests",
            () if has(&["io_"]) => "MB",
            () => "B",
        };
        assert_eq!(row.unit, unit, "{}", row.metric);
    }
}

#[test]
fn descriptions_fit_a_sentence_without_its_point() {
    for row in rows() {
        let text = [&row.description, &row.left_out]
            .map(String::as_str)
            .concat();
        let first = text.chars().next();
        assert!(first.is_some_and(char::is_uppercase), "{text}");
        assert!(!text.ends_with('.') && !text.contains('\n'), "{text}");
    }
}

#[test]
fn merged_events_have_the_umasks_of_their_sum() {
    for platform in ALL {
        let umasks = platform.umasks();
        for (box_type, sum, merged) in MERGED {
            let terms = sum.trim_matches(['(', ')']).split(" + ");
            let umask_of = |name: &str| umasks[&(box_type.to_owned(), name.to_lowercase())];
            // Without sub-events there is no sum.
            let (whole, _) = sum.trim_matches('(').split_once('.').expect("sub-events");
            if umasks.contains_key(&(box_type.to_owned(), whole.to_lowercase())) {
                continue;
            }
            let all = terms.map(umask_of).fold(0, |all, umask| all | umask);
            let merged = match merged.split_once("{umask=") {
                Some((_, value)) => reference::number(value.trim_end_matches('}')),
                None => Value::Number(umask_of(merged)),
            };
            assert_eq!(merged, Value::Number(all), "{}: {sum}", platform.name);
        }
    }
}

/// The rows of all data files.
fn rows() -> impl Iterator<Item = Row> {
    let files = ALL.into_iter().map(|platform| platform.catalogue());
    files.flat_map(|file| file.rows().to_vec())
}

/// A formula with packet matches in place of messages by name.
fn spelled_out(formula: Expr, platform: &Platform) -> Expr {
    let machine = platform.machine();
    let packets = &machine["qpi"].events;
    let mut spell_out = |term: &Term| Ok::<_, ()>(match_of(term, packets));
    formula.replace(&mut spell_out).expect("known messages")
}

/// The packet match that a message by name stands for.
fn match_of(term: &Term, packets: &BTreeMap<String, Event>) -> Option<Expr> {
    if !term.event.starts_with("message.") && term.event != "cto_count" {
        return None;
    }
    let mut settings = packets[&term.event].settings.clone();
    settings.extend(term.settings.clone());
    for (part, whole) in [("match_dnid", "match0"), ("mask_dnid", "mask0")] {
        if let Some(Value::Number(dnid)) = settings.remove(part) {
            let entry = settings.entry(whole.to_owned());
            let entry = entry.or_insert(Value::Number(0));
            let Value::Number(bits) = entry else { continue };
            *bits |= dnid << 13;
        }
    }
    let event = "cto_count".to_owned();
    Some(Expr::Term(Term { event, settings }))
}

/// The manual's formula in our language.
fn translated(row: &Metric, platform: &Platform) -> Expr {
    let text = row
        .formula
        .replace("{edge_det,thresh=0x1}", "{edge=1,thresh=1}");
    // Ticks of the TSC over its rate in MHz are microseconds.
    let text = text.replace(
        "ROUND((CLOCKTICKS / TSC) * TSC_SPEED, 0)",
        "round(clockticks / seconds / 1000000)",
    );
    let merge = |text: String, (_, sum, merged): (&str, &str, &str)| text.replace(sum, merged);
    let text = MERGED.into_iter().fold(text, merge);
    let filters = filters(&row.filters);
    let mut ours = String::new();
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || "_.".contains(c);
        if !is_word(first) {
            ours.push(first);
            rest = &rest[1..];
            continue;
        }
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let label = after.strip_prefix('[').and_then(|s| s.split_once(']'));
        let (label, after) = label.unwrap_or(("", after));
        ours.push_str(&name(word, filters.get(label).map_or("", String::as_str)));
        rest = after;
    }
    let expr: Expr = ours.parse().unwrap_or_else(|e| panic!("{ours}: {e}"));
    spelled_out(expr, platform)
}

/// A name of the manual as one of ours.
fn name(word: &str, filters: &str) -> String {
    let name = word.to_lowercase();
    let name = name.replace("rankx", &format!("rank{X}"));
    let name = name.replace("nodex", &format!("node{X}"));
    match name.split('.').next() {
        Some(
            "sample_interval"
            | "total_core_cycles"
            | "mc_chy_pci_pmon_fixed_ctr"
            | "mc_chy_pci_pmon_ctr_fixed",
        ) => "clockticks".to_owned(),
        Some("tor_inserts" | "tor_occupancy" | "llc_lookup" | "cto_count") => {
            format!("{name}{filters}")
        }
        _ => name,
    }
}

/// Filter settings by label, in braces; without a label, those of all events that take any.
fn filters(text: &str) -> BTreeMap<String, String> {
    let labelled = text.split("; ").map(|part| {
        let (label, settings) = part.split_once(": ").unwrap_or(("", part));
        (label.to_owned(), settings_of(settings))
    });
    labelled.collect()
}

fn settings_of(text: &str) -> String {
    if text.is_empty() || text == "x=0..7" {
        return String::new();
    }
    let both = text.trim_start_matches("FILTER1.{opc,nid}=");
    if let Some(values) = both.strip_prefix('{') {
        let (opc, nid) = values.trim_end_matches('}').split_once(',').expect("two");
        let nid = if nid == "0xF" { "all_nodes" } else { nid };
        return format!("{{filter_opc={opc},filter_nid={nid}}}").to_lowercase();
    }
    let settings = text.split(',').map(|setting| {
        let (register, value) = setting.split_once('=').expect("a setting");
        let field = match register {
            "FILTER0.state" => "filter_state".to_owned(),
            // A thread is compared only if that is switched on.
            "FILTER0.tid" => "tid_en=1,filter_tid".to_owned(),
            "FILTER1.opc" => "filter_opc".to_owned(),
            "FILTER1.nc" => "filter_nc".to_owned(),
            other => reference::field(other),
        };
        let value = if value == "x" { X } else { value };
        format!("{field}={}", value.to_lowercase())
    });
    format!("{{{}}}", settings.collect::<Vec<_>>().join(","))
}
