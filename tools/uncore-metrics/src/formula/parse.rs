// SPDX-License-Identifier: GPL-2.0

//! Recursive descent over the words of a formula, one function for each rule of the language.

use super::lex::words;
use super::lex::Kind;
use super::lex::Word;
use super::Expr;
use super::Op;
use crate::term::Term;
use crate::term::Value;
use std::collections::BTreeMap;

/// Maximum depth of nested brackets.
const MAX_DEPTH: usize = 50;
/// Maximum number of words of a formula.
const MAX_WORDS: usize = 2000;

const CONSTANTS: [(&str, f64); 3] = [("cache_line", 64.0), ("flit", 8.0), ("ring_slot", 32.0)];

/// Reason why a text is not a formula.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("character {at}: {problem}")]
pub struct ParseError {
    /// Position of the character, from 1.
    pub at: usize,
    /// Fault at the position.
    pub problem: Unexpected,
}

/// Fault of a formula.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(
    missing_docs,
    reason = "the message of a variant says what its fields are"
)]
pub enum Unexpected {
    /// Something else should be there.
    #[error("expected {expected}, found {found}")]
    Word {
        expected: &'static str,
        found: String,
    },
    /// Not a number that a formula can have.
    #[error("{0} is not a number")]
    Number(String),
    /// A field has two values.
    #[error("{0} is set twice")]
    Twice(String),
    /// Too many brackets in brackets.
    #[error("brackets are nested more than {MAX_DEPTH} deep")]
    Deep,
    /// Too long.
    #[error("longer than {MAX_WORDS} words")]
    Long,
}

/// The formula that a text is.
pub(super) fn parse(text: &str) -> Result<Expr, ParseError> {
    let words = words(text);
    if let Some(word) = words.get(MAX_WORDS) {
        return Err(word.is(Unexpected::Long));
    }
    let mut parser = Parser {
        words: &words,
        depth: 0,
    };
    let expr = parser.sum()?;
    match parser.peek() {
        Word {
            kind: Kind::End, ..
        } => Ok(expr),
        word => Err(word.not("an operator or the end")),
    }
}

struct Parser<'a> {
    words: &'a [Word<'a>],
    depth: usize,
}

impl<'a> Parser<'a> {
    /// The next word; the last one stays.
    fn peek(&self) -> Word<'a> {
        const NONE: Word<'_> = Word {
            at: 0,
            kind: Kind::End,
        };
        self.words.first().copied().unwrap_or(NONE)
    }

    fn next(&mut self) -> Word<'a> {
        let word = self.peek();
        if let [_, rest @ ..] = self.words {
            if !rest.is_empty() {
                self.words = rest;
            }
        }
        word
    }

    /// Takes the sign if it is next.
    fn take(&mut self, sign: char) -> bool {
        let is_next = self.peek().kind == Kind::Sign(sign);
        if is_next {
            self.next();
        }
        is_next
    }

    fn demand(&mut self, sign: char, expected: &'static str) -> Result<(), ParseError> {
        if self.take(sign) {
            return Ok(());
        }
        Err(self.peek().not(expected))
    }

    fn sum(&mut self) -> Result<Expr, ParseError> {
        self.chain(&[('+', Op::Add), ('-', Op::Subtract)], Self::product)
    }

    fn product(&mut self) -> Result<Expr, ParseError> {
        self.chain(&[('*', Op::Multiply), ('/', Op::Divide)], Self::factor)
    }

    /// Parts with operators between them, taken from the left.
    fn chain(
        &mut self,
        ops: &[(char, Op)],
        part: fn(&mut Self) -> Result<Expr, ParseError>,
    ) -> Result<Expr, ParseError> {
        let mut expr = part(self)?;
        while let Some((_, op)) = ops.iter().find(|(sign, _)| self.take(*sign)) {
            expr = Expr::Binary(*op, Box::new(expr), Box::new(part(self)?));
        }
        Ok(expr)
    }

    fn factor(&mut self) -> Result<Expr, ParseError> {
        let word = self.next();
        match word.kind {
            Kind::Number(text) => word.decimal(text).map(Expr::Number),
            Kind::Sign('(') => self.bracket(word),
            Kind::Name("seconds") => Ok(Expr::Seconds),
            Kind::Name("round") => {
                let bracket = self.peek();
                self.demand('(', "( after round")?;
                Ok(Expr::Round(Box::new(self.bracket(bracket)?)))
            }
            Kind::Name(name) => {
                let constant = CONSTANTS.iter().find(|(known, _)| *known == name);
                if let Some((_, number)) = constant {
                    return Ok(Expr::Number(*number));
                }
                let event = name.to_owned();
                let settings = self.settings()?;
                Ok(Expr::Term(Term { event, settings }))
            }
            _ => Err(word.not("a number, a name or (")),
        }
    }

    /// The rest of a bracket that `open` has opened.
    fn bracket(&mut self, open: Word<'_>) -> Result<Expr, ParseError> {
        if self.depth == MAX_DEPTH {
            return Err(open.is(Unexpected::Deep));
        }
        self.depth += 1;
        let expr = self.sum()?;
        self.demand(')', "an operator or )")?;
        self.depth -= 1;
        Ok(expr)
    }

    fn settings(&mut self) -> Result<BTreeMap<String, Value>, ParseError> {
        let mut settings = BTreeMap::new();
        if !self.take('{') {
            return Ok(settings);
        }
        loop {
            let word = self.next();
            let Kind::Name(field) = word.kind else {
                return Err(word.not("the name of a field"));
            };
            self.demand('=', "=")?;
            let value = self.value()?;
            if settings.insert(field.to_owned(), value).is_some() {
                return Err(word.is(Unexpected::Twice(field.to_owned())));
            }
            if self.take('}') {
                return Ok(settings);
            }
            self.demand(',', ", or }")?;
        }
    }

    fn value(&mut self) -> Result<Value, ParseError> {
        let word = self.next();
        let value = match word.kind {
            Kind::Number(text) => Some(Value::Number(word.whole(text)?)),
            Kind::Name(name) => Value::from_word(name),
            _ => None,
        };
        value.ok_or_else(|| word.not("a number, my_node, other_nodes or all_nodes"))
    }
}

impl Word<'_> {
    fn decimal(self, text: &str) -> Result<f64, ParseError> {
        let digits = text.chars().all(|c| c.is_ascii_digit() || c == '.');
        let number = text.parse().ok().filter(|_| digits);
        let number = number.filter(|number: &f64| number.is_finite());
        number.ok_or_else(|| self.is(Unexpected::Number(text.to_owned())))
    }

    fn whole(self, text: &str) -> Result<u64, ParseError> {
        let number = match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => text.parse(),
        };
        number.map_err(|_| self.is(Unexpected::Number(text.to_owned())))
    }

    fn is(self, problem: Unexpected) -> ParseError {
        let at = self.at;
        ParseError { at, problem }
    }

    fn not(self, expected: &'static str) -> ParseError {
        let found = match self.kind {
            Kind::Name(text) | Kind::Number(text) => text.to_owned(),
            Kind::Sign(sign) => sign.to_string(),
            Kind::End => "the end".to_owned(),
        };
        self.is(Unexpected::Word { expected, found })
    }
}
