// SPDX-License-Identifier: GPL-2.0

//! Event as the user wrote it: `PMU/TERM,TERM=VALUE/`, in perf's form.

use crate::encode::PERFS_OWN;
use crate::error::Error;
use crate::names;
use crate::overview::kind;
use crate::system::{Pmu, System, Word};
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
    let split = |text: &String| {
        let mut inside = false;
        let events = text.split(|letter| {
            inside ^= letter == '/';
            letter == ',' && !inside
        });
        let events = events.map(|event| event.replace(['{', '}'], ""));
        events.collect::<Vec<_>>()
    };
    written.iter().flat_map(split).collect()
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

    /// Finds out what the event means on a system. Fails if the system has no such event or PMU.
    pub(crate) fn here(mut self, system: &System) -> Result<Meant<'_>, Error> {
        let mut remarks = Vec::new();
        let pmus = match &self.pmu {
            Some(name) => {
                let (pmus, remark) = named(system, name)?;
                remarks.extend(remark);
                pmus
            }
            None => self.having(system, &mut remarks)?,
        };
        self.name_terms(system, &pmus, &mut remarks)?;
        // At least one PMU has the name, or the event.
        let first = pmus.first().copied();
        let pmu = first.ok_or_else(|| Error::NoPmus(system.root.path(crate::system::DEVICES)))?;
        Ok(Meant {
            pmu,
            pmus,
            terms: self.terms,
            remarks,
        })
    }

    /// Replaces another program's name of an event of some PMUs by that of the module. Fails if a
    /// name is none of theirs.
    fn name_terms(
        &mut self,
        system: &System,
        pmus: &[&Pmu],
        remarks: &mut Vec<String>,
    ) -> Result<(), Error> {
        let text = self.text();
        let Some(pmu) = pmus.first() else {
            return Ok(());
        };
        for (name, value) in &mut self.terms {
            let is_known = Word::of(name).is_some()
                || PERFS_OWN.contains(&name.as_str())
                || value.is_none() && pmus.iter().any(|pmu| pmu.event(name).is_some())
                || pmu.format(name).is_some();
            if is_known {
                continue;
            }
            let found = match value {
                None => names::events(system, name),
                Some(_) => Vec::new(),
            };
            if let Some((_, event)) = found.iter().find(|(other, _)| other.unit == pmu.unit) {
                remarks.push(format!("{name} is {event} here"));
                (*event).clone_into(name);
                continue;
            }
            let also = match found.as_slice() {
                [] if value.is_some() => names::fields(pmu, name),
                [] => names::question(&names::similar(system, Some(pmu), name)),
                [(other, event), ..] => format!("; {}/{event}/ is there", other.stem()),
            };
            let fault = format!(
                "{name} is neither an event nor a field of {}{also}",
                pmu.stem()
            );
            return Err(Error::Event { text, fault });
        }
        Ok(())
    }

    /// Returns the event as perf writes it.
    fn text(&self) -> String {
        let terms = self.terms.iter().map(|(name, value)| match value {
            Some(value) => format!("{name}={value}"),
            None => name.clone(),
        });
        let terms = terms.collect::<Vec<_>>().join(",");
        match &self.pmu {
            Some(pmu) => format!("{pmu}/{terms}/"),
            None => terms,
        }
    }

    /// Returns the PMUs of the only unit that has the event, where the user gave no PMU.
    fn having<'a>(
        &mut self,
        system: &'a System,
        remarks: &mut Vec<String>,
    ) -> Result<Vec<&'a Pmu>, Error> {
        let Some((name, _)) = self.terms.first_mut() else {
            return Ok(Vec::new());
        };
        let has_it = |pmu: &&Pmu| pmu.event(name).is_some();
        let mut pmus: Vec<&Pmu> = system.pmus.iter().filter(has_it).collect();
        if pmus.is_empty() {
            let found = names::events(system, name);
            if let [(pmu, event)] = found.as_slice() {
                remarks.push(format!("{name} is {}/{event}/ here", pmu.stem()));
                (*event).clone_into(name);
            }
            let units: Vec<&str> = found.iter().map(|(pmu, _)| pmu.unit.as_str()).collect();
            let is_of = |pmu: &&Pmu| units.contains(&pmu.unit.as_str());
            pmus = system.pmus.iter().filter(is_of).collect();
        }
        let mut stems: Vec<&str> = pmus.iter().map(|pmu| pmu.stem()).collect();
        stems.dedup();
        match stems.as_slice() {
            [] => match names::unit(name).filter(|unit| !system.units().contains(unit)) {
                Some(unit) => Err(unknown_pmu(system, unit)),
                None => Err(Error::UnknownEvent {
                    similar: names::question(&names::similar(system, None, name)),
                    name: name.clone(),
                }),
            },
            [_] => Ok(pmus),
            [first, ..] => Err(Error::AmbiguousEvent {
                example: format!("{first}/{name}/"),
                pmus: stems.join(", "),
                name: name.clone(),
            }),
        }
    }
}

/// What an event means on a system.
pub(crate) struct Meant<'a> {
    /// The first PMU.
    pub(crate) pmu: &'a Pmu,
    /// All PMUs, of one unit.
    pub(crate) pmus: Vec<&'a Pmu>,
    /// Terms with the module's name of the event.
    pub(crate) terms: Vec<(String, Option<String>)>,
    /// Sentences about names that other programs have for the event or the PMU.
    pub(crate) remarks: Vec<String>,
}

/// Returns the PMUs of a name, and what is to be said of it: intel_uncore's names need an alias.
fn named<'a>(system: &'a System, name: &str) -> Result<(Vec<&'a Pmu>, Option<String>), Error> {
    let pmus = system.pmus_called(name);
    if !pmus.is_empty() {
        return Ok((pmus, None));
    }
    let plain = name.strip_prefix(names::IN_TREE_PREFIX);
    let pmus = plain
        .map(|name| system.pmus_called(name))
        .unwrap_or_default();
    if pmus.is_empty() {
        return Err(unknown_pmu(system, name));
    }
    let remark = format!(
        "perf does not know {name}, which is {} here: write that, or load uncore_rs with alias=all \
         or names=compat",
        title(&pmus)
    );
    Ok((pmus, Some(remark)))
}

pub(crate) fn unknown_pmu(system: &System, name: &str) -> Error {
    let short = name.split_once("uncore_").map_or(name, |(_, short)| short);
    let map = system.map().unwrap_or_default();
    let of_kind = || system.platform().ok()?.absence(kind(short));
    let why = map.absence(short).or_else(of_kind);
    let why = why.map(|why| format!(": {why}"));
    let known = system.units().into_iter().map(|unit| {
        let boxes: Vec<&Pmu> = system.pmus.iter().filter(|pmu| pmu.unit == unit).collect();
        title(&boxes)
    });
    Error::UnknownPmu {
        name: name.to_owned(),
        why: why.unwrap_or_default(),
        known: known.collect::<Vec<_>>().join("; "),
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
}
