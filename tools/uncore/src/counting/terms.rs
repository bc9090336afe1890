// SPDX-License-Identifier: GPL-2.0

//! Encodes the terms of a formula as config words.

use uncore_metrics::{Misfit, Nodes, Term};

use crate::encode::encode;
use crate::system::{Pmu, Word, Words};

/// The words of a term on a PMU, in a package with these nodes.
pub(crate) fn words(pmu: &Pmu, term: &Term, nodes: Nodes) -> Result<Words, Misfit> {
    let is_named = !term.event.is_empty();
    if is_named && pmu.event(&term.event).is_none() {
        return Err(Misfit::NoEvent(term.event.clone()));
    }
    let unknown = term
        .settings
        .keys()
        .find(|field| pmu.format(field).is_none() && Word::of(field).is_none());
    if let Some(field) = unknown {
        return Err(Misfit::NoField(field.clone()));
    }
    let name = is_named.then(|| (term.event.clone(), None));
    let mut written: Vec<_> = name.into_iter().collect();
    for (field, value) in &term.settings {
        let number = value.number(nodes);
        let number = number.map_err(|error| Misfit::Refused(error.to_string()))?;
        written.push((field.clone(), Some(number.to_string())));
    }
    let encoded = encode(pmu, &written);
    match encoded.faults.into_iter().next() {
        Some(fault) => Err(Misfit::Refused(fault)),
        None => Ok(encoded.words),
    }
}
