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
    let name = kind.box_name(instance).replacen("box", "bo", 1);
    let (platform, _) = Platform::libpfm4();
    format!("{platform}_unc_{}", name.replace('_', ""))
}

#[test]
#[ignore = "make test-judges runs it"]
fn it_finds_each_box() {
    let config = machine(&COMPAT);
    on(&config, |session| {
        let found = session.ok("pfm-count | grep _unc_");
        let found: BTreeSet<&str> = found.lines().collect();
        let there = Shape::of(&config).pmus();
        let pmus = there
            .into_iter()
            .map(|(kind, instance)| pmu(kind, instance));
        let mut pmus: BTreeSet<String> = pmus.collect();
        if Platform::libpfm4().0 == "snbep" {
            // It takes all C-Boxes of this part to be there.
            pmus.extend((0..8).map(|instance| pmu(BoxKind::Cbox, instance)));
        }
        assert_eq!(found, pmus.iter().map(String::as_str).collect());
    });
}

/// Answers of it to an event that it has not by that name.
const UNKNOWN: [&str; 3] = [
    "event not found",
    "invalid event attribute",
    "invalid or missing unit mask",
];

/// Events whose codes it has wrong, by what it calls the platform: each with the event that it counts
/// in place of it.
const WRONG: [(&str, &str, &str); 10] = [
    ("ivbep", "h_bypass_imc:taken", "not_taken"),
    ("ivbep", "h_bypass_imc:not_taken", "taken"),
    ("ivbep", "m_cas_count:rd_rmm", "rd_wmm"),
    ("ivbep", "m_cas_count:rd_wmm", "rd_rmm"),
    ("hswep", "m_cas_count:rd_rmm", "rd_wmm"),
    ("hswep", "m_cas_count:rd_wmm", "rd_rmm"),
    ("hswep", "c_ring_bounces:ak", "bl"),
    ("hswep", "_retry2:bl_sbo", "ad_sbo"),
    ("hswep", "unc_r2_stall_no_sbo_credit:", "sbo0_ad"),
    ("hswep", "unc_r3_stall_no_sbo_credit:", "sbo0_ad"),
];

/// Rings whose events have the umasks of the other virtual ring.
const WRONG_RINGS: [&str; 2] = ["ivbep_unc_ha0::unc_h", "ivbep_unc_r2pcie::unc_r2"];

/// Returns the name of the event that it counts in place of this one, if its code is wrong.
fn mistaken_for(name: &str) -> Option<String> {
    let (event, subevent) = name.rsplit_once(':')?;
    let is_wrong = |(platform, of, _): &&(&str, &str, &str)| {
        let is_of_all = of.ends_with(':') && name.contains(of);
        name.starts_with(platform) && (is_of_all || name.ends_with(of))
    };
    if let Some((_, _, other)) = WRONG.iter().find(is_wrong) {
        return Some(format!("{event}:{other}"));
    }
    let mut rings = WRONG_RINGS.iter();
    let is_ring = rings.any(|pmu| name.starts_with(&format!("{pmu}_ring_")));
    (is_ring && subevent.contains("vr1_")).then(|| name.replace("vr1_", "vr0_"))
}

/// Ends of the names of events whose codes are none of the part, so that the module refuses them.
fn refused() -> &'static [&'static str] {
    match Platform::libpfm4().0 {
        // Its umask of the first is 0x1f, and the second lacks the extended select (J-16, J-14).
        "snbep" => &["c_llc_lookup:any", "q_cto_count"],
        // Umasks of two virtual rings, and bank groups with the codes of another part.
        "hswep" => &[
            "ad_used:all",
            "ad_used:up",
            "ad_used:down",
            "ak_used:all",
            "ak_used:up",
            "ak_used:down",
            "bl_used:all",
            "bl_used:up",
            "bl_used:down",
            "h_ring_ad_used:cw",
            "h_ring_ad_used:ccw",
            "h_ring_ak_used:cw",
            "h_ring_ak_used:ccw",
            "h_ring_bl_used:cw",
            "h_ring_bl_used:ccw",
            "r2_ring_iv_used:any",
            "c_ring_bounces:bl",
            "wr_cas_rank2",
            "wr_cas_rank3",
            ":bank12",
            ":bank13",
            ":bank14",
            ":bank15",
            ":bankg1",
            ":bankg2",
            ":bankg3",
        ],
        _ => &[],
    }
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
        let (_, least) = Platform::libpfm4();
        assert!(answers.len() >= least, "only {} events", answers.len());
        let wrong = answers.iter().filter_map(|(name, answer)| {
            let shown = mistaken_for(name).unwrap_or_else(|| name.clone());
            let expected = if refused().iter().any(|end| name.ends_with(end)) {
                "Invalid argument".to_owned()
            } else {
                rows[&shown].count(0, BURST).to_string()
            };
            (*answer != expected).then(|| format!("{name}: {answer}, not {expected}"))
        });
        assert_none(&wrong.collect::<Vec<_>>());
    });
}
