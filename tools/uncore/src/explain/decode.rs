// SPDX-License-Identifier: GPL-2.0

//! Decodes config words into fields and the event they select.

use crate::system::{Event, Format, Pmu, Value, Word, Words};

/// The field that selects the event, and the one that selects the sub-event.
const EVENT: &str = "event";
const SUB_EVENT: &str = "umask";

/// Returns the fields that are set, without fields that only repeat others. Where bits mean
/// one thing or another by the event, the fields of a register that `said` names stand for all.
pub(super) fn fields<'a>(pmu: &'a Pmu, words: &Words, said: &[&str]) -> Vec<(&'a Format, u64)> {
    let set = pmu
        .formats
        .iter()
        .map(|format| (format, format.value(words)));
    let set: Vec<(&Format, u64)> = set
        .filter(|(format, value)| *value != 0 || format.name == EVENT)
        .filter(|(format, _)| !is_of_other_register(pmu, format, words, said))
        .collect();
    let is_covered = |format: &Format| {
        let narrower = set.iter().filter(|(other, _)| {
            other.word == format.word
                && other.mask() & !format.mask() == 0
                && other.mask() != format.mask()
        });
        let narrower = narrower.fold(0, |mask, (other, _)| mask | other.mask());
        words.get(format.word) & format.mask() & !narrower == 0 && narrower != 0
    };
    let mut fields: Vec<(&Format, u64)> = set
        .iter()
        .filter(|(format, _)| !is_covered(format))
        .copied()
        .collect();
    fields.sort_by_key(|(format, _)| (format.word, format.mask().trailing_zeros()));
    fields
}

/// Returns whether all that a field has here are bits of registers that are named, and the
/// field is of none of these. `config` is a single register.
fn is_of_other_register(pmu: &Pmu, format: &Format, words: &Words, said: &[&str]) -> bool {
    let in_word = pmu.formats.iter().filter(|other| other.word == format.word);
    let in_word: Vec<&Format> = in_word.collect();
    let is_named = |format: &&&Format| said.contains(&format.name.as_str());
    let named = in_word.iter().filter(is_named).map(|other| register(other));
    let named: Vec<&str> = named.collect();
    let of_named = in_word
        .iter()
        .filter(|other| named.contains(&register(other)));
    let known = of_named.fold(0, |mask, other| mask | other.mask());
    Some(format.word) != Word::of("config")
        && !named.contains(&register(format))
        && words.get(format.word) & format.mask() & !known == 0
}

/// Returns the register of a field, which its name begins with: `iperf` of `iperf_vn`, `qlx` of
/// `qlx0_type`.
fn register(format: &Format) -> &str {
    let name = format.name.split('_').next().unwrap_or_default();
    name.trim_end_matches(|digit: char| digit.is_ascii_digit())
}

/// Returns the bits that are in no field, by word.
pub(super) fn strays(pmu: &Pmu, words: &Words) -> Vec<(Word, u64)> {
    let stray = |(word, value): (Word, u64)| {
        let fields = pmu.formats.iter().filter(|format| format.word == word);
        let known = fields.fold(0, |mask, format| mask | format.mask());
        (word, value & !known)
    };
    words
        .shown()
        .map(stray)
        .filter(|(_, bits)| *bits != 0)
        .collect()
}

/// Events in sysfs that config words select.
#[derive(Debug)]
pub(super) enum Selected<'a> {
    /// These events, which have equal terms.
    Named(Vec<&'a Event>),
    /// No event, but these have the same event code.
    Unnamed(Vec<&'a Event>),
}

/// Finds the events whose terms all agree with the words, and of these the events with
/// most terms.
pub(super) fn select<'a>(pmu: &'a Pmu, words: &Words) -> Selected<'a> {
    let agreeing = pmu
        .events()
        .iter()
        .filter(|event| agrees(pmu, event, words));
    let weighed: Vec<(usize, &Event)> = agreeing.map(|event| (event.terms.len(), event)).collect();
    let most = weighed.iter().map(|(terms, _)| *terms).max().unwrap_or(0);
    let best: Vec<&Event> = weighed
        .iter()
        .filter(|(terms, _)| *terms == most)
        .map(|(_, event)| *event)
        .collect();
    let is_plain = |event: &&Event| !event.terms.iter().any(|term| term.field == SUB_EVENT);
    let sub_event = pmu
        .format(SUB_EVENT)
        .map_or(0, |format| format.value(words));
    if best.is_empty() || sub_event != 0 && best.iter().all(is_plain) {
        let code = pmu
            .format(EVENT)
            .map(|format| Value::Number(format.value(words)));
        let is_kin = |event: &&Event| {
            let mut terms = event.terms.iter();
            terms.any(|term| term.field == EVENT && Some(term.value) == code)
        };
        let mut kin: Vec<&Event> = pmu.events().iter().filter(is_kin).collect();
        // Those of the sub-event lack a filter only.
        let has_sub_event = |event: &&Event| {
            let mut terms = event.terms.iter();
            terms.any(|term| term.field == SUB_EVENT && term.value == Value::Number(sub_event))
        };
        kin.sort_by_key(|event| !has_sub_event(event));
        return Selected::Unnamed(kin);
    }
    Selected::Named(best)
}

fn agrees(pmu: &Pmu, event: &Event, words: &Words) -> bool {
    event.terms.iter().all(|term| {
        let value = pmu.format(&term.field).map(|format| format.value(words));
        match term.value {
            Value::Number(number) => value == Some(number),
            Value::Asked => value.is_some_and(|value| value != 0),
        }
    })
}
