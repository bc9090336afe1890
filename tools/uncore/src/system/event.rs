// SPDX-License-Identifier: GPL-2.0

//! Terms, and the events that sysfs has names for.

/// Value to which a term sets its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// This.
    Number(u64),
    /// A value that the user must give.
    Asked,
}

/// `umask=0x11`, `filter_opc=?`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The field.
    pub field: String,
    /// Value of the field.
    pub value: Value,
}

/// A named event of a PMU.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Name of the event.
    pub name: String,
    /// Text of the terms, from sysfs.
    pub encoding: String,
    /// Parsed terms.
    pub terms: Vec<Term>,
    /// Unit of the event, if sysfs has one.
    pub unit: Option<String>,
    /// Factor from counts to the unit.
    pub scale: Option<f64>,
}

impl Event {
    /// Reads `event=0x35,umask=0x01,filter_opc=?`. The error is a sentence about what
    /// is wrong.
    pub fn parse(name: &str, text: &str) -> Result<Self, String> {
        let terms: Result<Vec<Term>, String> = text.trim().split(',').map(term).collect();
        Ok(Self {
            name: name.to_owned(),
            encoding: text.trim().to_owned(),
            terms: terms?,
            unit: None,
            scale: None,
        })
    }

    /// Returns whether the event sets a field itself.
    pub fn has(&self, field: &str) -> bool {
        let mut terms = self.terms.iter();
        terms.any(|term| term.field == field && term.value != Value::Asked)
    }

    /// The fields whose value the user has to give.
    pub fn needs(&self) -> impl Iterator<Item = &str> {
        let asked = self.terms.iter().filter(|term| term.value == Value::Asked);
        asked.map(|term| term.field.as_str())
    }
}

fn term(text: &str) -> Result<Term, String> {
    let wrong = || format!("{text:?} is no term of an event, such as \"umask=0x01\"");
    let (field, value) = text.split_once('=').unwrap_or((text, "1"));
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
    if field.is_empty() || !field.chars().all(is_name) {
        return Err(wrong());
    }
    let value = match value {
        "?" => Value::Asked,
        value => Value::Number(number(value).ok_or_else(wrong)?),
    };
    Ok(Term {
        field: field.to_owned(),
        value,
    })
}

/// A number as perf reads it: hexadecimal after `0x`, octal after `0`.
pub(crate) fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let (digits, radix) = match (hexadecimal, text.strip_prefix('0')) {
        (Some(digits), _) => (digits, 16),
        (None, Some(digits)) if !digits.is_empty() => (digits, 8),
        _ => (text, 10),
    };
    let is_digits = digits.chars().all(|digit| digit.is_digit(radix));
    is_digits.then(|| u64::from_str_radix(digits, radix).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_numbers_as_perf_does() {
        assert_eq!(number("0x1F"), Some(31));
        assert_eq!(number("31"), Some(31));
        assert_eq!(number("010"), Some(8));
        assert_eq!(number("0"), Some(0));
        for bad in ["", "0x", "+1", "-1", "08", "1k", "0x10000000000000000"] {
            assert_eq!(number(bad), None, "{bad}");
        }
    }

    #[test]
    fn takes_no_nonsense() {
        for text in [
            "",
            ",",
            "event=",
            "event=0x1,",
            "=1",
            "event==1",
            "a b=1",
            "e=\u{fffd}",
        ] {
            assert!(Event::parse("x", text).is_err(), "{text}");
        }
    }
}
