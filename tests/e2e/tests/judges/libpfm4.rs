// SPDX-License-Identifier: GPL-2.0

//! libpfm4: it finds the PMUs, and each of its events counts what the definition says of the
//! event of that name.

use super::{is_plain, machine, COMPAT};
use crate::names::built_in_name;
use std::collections::{BTreeMap, BTreeSet};
use uncore_e2e::prelude::*;

/// A burst in which a signal is on exactly K times, so that all differ.
const BURST: u64 = 1 << 26;

/// Events in one command line.
const AT_A_TIME: usize = 100;

/// Returns its name of a box.
fn pmu(kind: BoxKind, instance: u8) -> String {
    let name = match kind {
        BoxKind::Cbox => format!("cbo{instance}"),
        BoxKind::Ubox => "ubo".to_owned(),
        BoxKind::Irp | BoxKind::Pcu | BoxKind::R2pcie => kind.to_string(),
        kind => format!("{kind}{instance}"),
    };
    format!("ivbep_unc_{name}")
}

#[test]
#[ignore = "make test-judges runs it"]
fn it_finds_each_box() {
    let config = machine(&COMPAT);
    on(&config, |session| {
        let found = session.ok("pfm-count | grep _unc_");
        let found: BTreeSet<&str> = found.lines().collect();
        let pmus: BTreeSet<String> = Shape::of(&config)
            .pmus()
            .into_iter()
            .map(|(kind, instance)| pmu(kind, instance))
            .collect();
        assert_eq!(found, pmus.iter().map(String::as_str).collect());
    });
}

/// Least number of events that it has by the names of the reference.
const LEAST: usize = 790;

/// Answers of it to an event that it has not by that name.
const UNKNOWN: [&str; 3] = [
    "event not found",
    "invalid event attribute",
    "invalid or missing unit mask",
];

/// Events whose codes it has wrong: each with the event that it counts in place of it. The
/// first two pairs are swapped, the others have the umasks of the other virtual ring.
const WRONG: [(&str, &str); 2] = [
    ("h_bypass_imc:taken", "h_bypass_imc:not_taken"),
    ("m_cas_count:rd_rmm", "m_cas_count:rd_wmm"),
];
const WRONG_RINGS: [&str; 2] = ["ha0::unc_h", "r2pcie::unc_r2"];

/// Returns the name of the event that it counts in place of this one, if its code is wrong.
fn mistaken_for(name: &str) -> Option<String> {
    for (one, other) in WRONG {
        if name.ends_with(one) {
            return Some(name.replace(one, other));
        }
        if name.ends_with(other) {
            return Some(name.replace(other, one));
        }
    }
    let is_ring = WRONG_RINGS
        .iter()
        .any(|pmu| name.contains(&format!("{pmu}_ring_")));
    (is_ring && name.contains("_vr1_")).then(|| name.replace("_vr1_", "_vr0_"))
}

/// Returns its name of a row's event, and the probe of the row, on the first box.
fn named(row: &Row) -> Option<(String, Probe)> {
    let probe = Probe::of_row(row, 0, &Filter::default())?;
    let name = built_in_name(row).replacen('.', ":", 1);
    Some((format!("{}::{name}", pmu(row.kind, 0)), probe))
}

/// Counts events one after the other. Returns its answer to each.
fn counted(session: &mut Session, cpu: u8, names: &[&String]) -> BTreeMap<String, String> {
    let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
    let said = session.ok(&format!(
        "pfm-count {cpu} 'burst {BURST}' {}",
        names.join(" ")
    ));
    let lines = said.lines().filter_map(|line| line.split_once(' '));
    lines
        .map(|(name, rest)| (name.to_owned(), rest.to_owned()))
        .collect()
}

#[test]
#[ignore = "make test-judges runs it"]
fn its_events_count_what_the_definition_says() {
    let rows = Catalogue::get().rows().iter();
    let rows: BTreeMap<String, Probe> =
        rows.filter(|row| is_plain(row)).filter_map(named).collect();
    on(&machine(&COMPAT), |session| {
        let names: Vec<&String> = rows.keys().collect();
        let mut answers = BTreeMap::new();
        for part in names.chunks(AT_A_TIME) {
            answers.extend(counted(session, 0, part));
        }
        assert_eq!(answers.len(), rows.len());
        answers.retain(|_, answer| !UNKNOWN.contains(&answer.as_str()));
        assert!(answers.len() >= LEAST, "only {} events", answers.len());
        let wrong = answers.iter().filter_map(|(name, answer)| {
            let shown = mistaken_for(name).unwrap_or_else(|| name.clone());
            let expected = rows[&shown].count(0, BURST).to_string();
            (*answer != expected).then(|| format!("{name}: {answer}, not {expected}"))
        });
        assert_none(&wrong.collect::<Vec<_>>());
    });
}
