// SPDX-License-Identifier: GPL-2.0

//! Event as the user wrote it: `PMU/TERM,TERM=VALUE/`, in perf's form.

use crate::error::Error;
use crate::system::{Pmu, System};
use crate::table;

/// Event in its parts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// PMU, if the user named one.
    pub(crate) pmu: Option<String>,
    /// Names and values.
    pub(crate) terms: Vec<(String, Option<String>)>,
}

/// Splits texts into their events, which commas separate. Commas between the terms of an event
/// are between slashes.
pub(crate) fn events(written: &[String]) -> Vec<String> {
    written.iter().flat_map(|text| split(text)).collect()
}

fn split(text: &str) -> Vec<String> {
    let (mut events, mut event, mut inside) = (Vec::new(), String::new(), false);
    for letter in text.chars() {
        inside ^= letter == '/';
        match letter {
            ',' if !inside => events.push(std::mem::take(&mut event)),
            '{' | '}' => {}
            _ => event.push(letter),
        }
    }
    events.push(event);
    events
}

impl Request {
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        let wrong = |what| Error::Syntax {
            text: text.to_owned(),
            what,
        };
        let bare = text.trim();
        let (pmu, rest) = match bare.split_once('/') {
            Some((pmu, rest)) => (Some(pmu.trim()), rest),
            None => (None, bare),
        };
        let (terms, after) = rest.split_once('/').unwrap_or((rest, ""));
        if after.contains('/') {
            return Err(wrong("there is more than one event"));
        }
        if pmu.is_some_and(str::is_empty) {
            return Err(wrong("the PMU before the first / is missing"));
        }
        let terms: Vec<(String, Option<String>)> = terms
            .split(',')
            .map(str::trim)
            .filter(|term| !term.is_empty())
            .map(|term| match term.split_once('=') {
                Some((name, value)) => (name.trim().to_owned(), Some(value.trim().to_owned())),
                None => (term.to_owned(), None),
            })
            .collect();
        if terms.is_empty() {
            return Err(wrong("it has no term"));
        }
        Ok(Self {
            pmu: pmu.map(str::to_owned),
            terms,
        })
    }

    /// Returns the PMUs that the event is meant for, and the first of them.
    pub(crate) fn pmus<'a>(&self, system: &'a System) -> Result<(&'a Pmu, Vec<&'a Pmu>), Error> {
        let pmus = match &self.pmu {
            Some(name) => named(system, name)?,
            None => having(system, self)?,
        };
        // `named` and `having` return at least one PMU.
        match pmus.first() {
            Some(&first) => Ok((first, pmus)),
            None => Err(Error::NoPmus(system.root.path(crate::system::DEVICES))),
        }
    }
}

fn named<'a>(system: &'a System, name: &str) -> Result<Vec<&'a Pmu>, Error> {
    let pmus = system.pmus_called(name);
    if !pmus.is_empty() {
        return Ok(pmus);
    }
    let short = name.split_once("uncore_").map_or(name, |(_, short)| short);
    let map = system.map().unwrap_or_default();
    let why = map.absence(short).map(|why| format!(": {why}"));
    let known = system.units().into_iter().map(|unit| {
        let boxes: Vec<&Pmu> = system.pmus.iter().filter(|pmu| pmu.unit == unit).collect();
        title(&boxes)
    });
    Err(Error::UnknownPmu {
        name: name.to_owned(),
        why: why.unwrap_or_default(),
        known: known.collect::<Vec<_>>().join("; "),
    })
}

/// Returns the PMUs of the only unit that has the event, where the user gave no PMU.
fn having<'a>(system: &'a System, request: &Request) -> Result<Vec<&'a Pmu>, Error> {
    let name = request
        .terms
        .first()
        .map(|(name, _)| name.clone())
        .unwrap_or_default();
    let has_it = |pmu: &&Pmu| pmu.event(&name).is_some();
    let pmus: Vec<&Pmu> = system.pmus.iter().filter(has_it).collect();
    let mut stems: Vec<&str> = pmus.iter().map(|pmu| pmu.stem()).collect();
    stems.dedup();
    match stems.as_slice() {
        [] => Err(Error::UnknownEvent {
            word: name.split('.').next().unwrap_or_default().to_owned(),
            name,
        }),
        [_] => Ok(pmus),
        [first, ..] => Err(Error::AmbiguousEvent {
            example: format!("{first}/{name}/"),
            pmus: stems.join(", "),
            name,
        }),
    }
}

/// Returns the names of some PMUs of one unit: `ivbep_uncore_imc_N, N = 0-3`.
pub(crate) fn title(pmus: &[&Pmu]) -> String {
    let indexes: Vec<u32> = pmus.iter().filter_map(|pmu| pmu.index).collect();
    match pmus {
        [only] => only.name.clone(),
        [first, ..] => format!("{}_N, N = {}", first.stem(), table::ranges(&indexes)),
        [] => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_what_perf_takes() {
        let request = Request::parse("ivbep_uncore_cbox_0/llc_lookup.nid,filter_nid=1/k");
        let request = request.expect("an event");
        assert_eq!(request.pmu.as_deref(), Some("ivbep_uncore_cbox_0"));
        assert_eq!(
            request.terms,
            [
                ("llc_lookup.nid".to_owned(), None),
                ("filter_nid".to_owned(), Some("1".to_owned()))
            ]
        );
        let bare = Request::parse("llc_lookup.any").expect("an event");
        assert_eq!(bare.pmu, None);
        assert!(Request::parse("cbox/event=1").is_ok());
    }

    #[test]
    fn says_what_is_wrong() {
        for bad in ["", "/x/", "cbox//", "cbox/ , /", "a/x/,b/y/"] {
            assert!(Request::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn commas_between_slashes_separate_no_events() {
        let cases: [(&str, &[&str]); 4] = [
            ("imc/cas_count.rd/", &["imc/cas_count.rd/"]),
            ("a/x,y=1/,b/z/", &["a/x,y=1/", "b/z/"]),
            ("{a/x/,b/y/}", &["a/x/", "b/y/"]),
            ("x,y", &["x", "y"]),
        ];
        for (text, expected) in cases {
            assert_eq!(split(text), expected, "{text}");
        }
    }
}
