// SPDX-License-Identifier: GPL-2.0

//! Event as the user wrote it: `PMU/TERM,TERM=VALUE/`, in perf's form.

use crate::error::Error;

/// Event in its parts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// PMU, if the user named one.
    pub(crate) pmu: Option<String>,
    /// Names and values.
    pub(crate) terms: Vec<(String, Option<String>)>,
}

impl Request {
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        let wrong = |what| Error::Syntax {
            text: text.to_owned(),
            what,
        };
        let bare = text.trim().trim_start_matches('{').trim_end_matches('}');
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
