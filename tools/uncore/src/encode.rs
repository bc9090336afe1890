// SPDX-License-Identifier: GPL-2.0

//! Encodes terms as config words in the way of perf: each term adds its bits to those
//! of the terms before it.

use uncore_metrics::{Misfit, Nodes, Term};

use crate::system::{Event, Pmu, Value, Word, Words};

/// Terms of perf itself, which do not reach the PMU.
pub(crate) const PERFS_OWN: [&str; 8] = [
    "name",
    "period",
    "freq",
    "percore",
    "metric-id",
    "no-inherit",
    "inherit",
    "cpu",
];

/// Result of encoding terms.
#[derive(Debug, Default)]
pub(crate) struct Encoded {
    /// Config words.
    pub(crate) words: Words,
    /// Event that the user named.
    pub(crate) named: Option<String>,
    /// Sentences about terms that perf or the module does not accept.
    pub(crate) faults: Vec<String>,
    /// Sentences about effects that the user may not expect.
    pub(crate) remarks: Vec<String>,
}

pub(crate) fn encode(pmu: &Pmu, terms: &[(String, Option<String>)]) -> Encoded {
    let mut encoded = Encoded::default();
    let (words, rest): (Vec<_>, Vec<_>) =
        terms.iter().partition(|(name, _)| Word::of(name).is_some());
    for (name, value) in words {
        encoded.word(name, value.as_deref());
    }
    for (name, value) in &rest {
        encoded.term(pmu, name, value.as_deref(), terms);
    }
    encoded
}

impl Encoded {
    fn word(&mut self, name: &str, value: Option<&str>) {
        let number = value.and_then(crate::system::number);
        match (Word::of(name), number) {
            (Some(word), Some(number)) => self.words.set(word, number),
            _ => self.faults.push(format!("{name} needs a number")),
        }
    }

    fn term(
        &mut self,
        pmu: &Pmu,
        name: &str,
        value: Option<&str>,
        all: &[(String, Option<String>)],
    ) {
        let event = pmu.event(name).filter(|_| value.is_none());
        if let Some(event) = event {
            self.event(pmu, event, all);
        } else if PERFS_OWN.contains(&name) {
            self.remarks.push(format!(
                "{name} is a term of perf itself and does not reach the PMU"
            ));
        } else if value == Some("?") {
            self.faults
                .push(format!("{name}=? stands for a value: write {name}=NUMBER"));
        } else if let Some(number) = crate::system::number(value.unwrap_or("1")) {
            self.field(pmu, name, number);
        } else {
            let value = value.unwrap_or_default();
            let what = format!("{name}={value}: {value:?} is not a number");
            self.faults.push(what);
        }
    }

    fn event(&mut self, pmu: &Pmu, event: &Event, all: &[(String, Option<String>)]) {
        self.named = Some(event.name.clone());
        for term in &event.terms {
            let given = all
                .iter()
                .any(|(name, value)| *name == term.field && value.is_some());
            match term.value {
                Value::Number(number) => self.field(pmu, &term.field, number),
                Value::Asked if given => {}
                Value::Asked => self.faults.push(format!(
                    "{} needs {}=NUMBER: perf does not open the event without it",
                    event.name, term.field
                )),
            }
        }
    }

    fn field(&mut self, pmu: &Pmu, name: &str, number: u64) {
        let Some(format) = pmu.format(name) else {
            self.faults
                .push(format!("{name} is no field of {}", pmu.name));
            return;
        };
        let before = format.value(&self.words);
        if before != 0 && before | number != number {
            self.remarks.push(format!(
                "{name} is already {before:#x}, and perf adds the bits of {number:#x}: {:#x}",
                before | number
            ));
        }
        if let Err(largest) = format.put(&mut self.words, number) {
            self.faults.push(format!(
                "{name}={number:#x} is too large: the largest value is {largest:#x}"
            ));
        }
    }
}

/// Encodes a term of a formula on a PMU, in a package with these nodes.
pub(crate) fn encode_term(pmu: &Pmu, term: &Term, nodes: Nodes) -> Result<Words, Misfit> {
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
