// SPDX-License-Identifier: GPL-2.0

//! The language of formulas.
//!
//! ```text
//! sum     = product { ("+" | "-") product }
//! product = factor { ("*" | "/") factor }
//! factor  = number | constant | input | "round" "(" sum ")" | "(" sum ")" | term
//! term    = name [ "{" field "=" value { "," field "=" value } "}" ]
//! value   = decimal or 0x number | "my_node" | "other_nodes" | "all_nodes"
//! ```
//!
//! A name has lower-case letters, digits, `_` and `.`, and begins with a letter.
//!
//! | constant     |                                                        |
//! |--------------|--------------------------------------------------------|
//! | `cache_line` | 64, bytes of a cache line                              |
//! | `flit`       | 8, bytes of data in a data flit of QPI at full width   |
//! | `ring_slot`  | 32, bytes of data in a slot of the BL ring             |
//!
//! The one input besides events is `seconds`, the time for which the groups of the metric were
//! enabled. `round` takes the nearest whole number, halves away from zero. Division by zero has no
//! value, and neither has a formula with such a part.

mod lex;
mod parse;
mod text;
mod value;

use crate::term::Term;
use std::str::FromStr;

pub use parse::ParseError;
pub use parse::Unexpected;
pub use value::Inputs;
pub use value::Undefined;

/// A formula.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A number or constant.
    Number(f64),
    /// The input `seconds`.
    Seconds,
    /// A count, or another metric until the catalogue has put its formula there.
    Term(Term),
    /// The nearest whole number.
    Round(Box<Expr>),
    /// Two formulas and what to do with them.
    Binary(Op, Box<Expr>, Box<Expr>),
}

/// A basic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
}

impl FromStr for Expr {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        parse::parse(text)
    }
}

impl Expr {
    /// The terms in it, each once, in the order in which they first appear.
    pub fn terms(&self) -> Vec<&Term> {
        let mut terms = Vec::new();
        self.visit(&mut |term| {
            if !terms.contains(&term) {
                terms.push(term);
            }
        });
        terms
    }

    fn visit<'a>(&'a self, see: &mut impl FnMut(&'a Term)) {
        match self {
            Expr::Number(_) | Expr::Seconds => {}
            Expr::Term(term) => see(term),
            Expr::Round(inner) => inner.visit(see),
            Expr::Binary(_, left, right) => {
                left.visit(see);
                right.visit(see);
            }
        }
    }

    /// Returns whether it has a difference, so that its value may be below 0.
    pub fn has_difference(&self) -> bool {
        match self {
            Expr::Number(_) | Expr::Seconds | Expr::Term(_) => false,
            Expr::Round(inner) => inner.has_difference(),
            Expr::Binary(op, left, right) => {
                *op == Op::Subtract || left.has_difference() || right.has_difference()
            }
        }
    }

    /// Returns the formula with each term replaced for which `other` returns another.
    /// Fails with the first error of `other`.
    pub fn replace<E>(
        self,
        other: &mut impl FnMut(&Term) -> Result<Option<Expr>, E>,
    ) -> Result<Expr, E> {
        Ok(match self {
            Expr::Number(_) | Expr::Seconds => self,
            Expr::Term(ref term) => other(term)?.unwrap_or(self),
            Expr::Round(inner) => Expr::Round(Box::new(inner.replace(other)?)),
            Expr::Binary(op, left, right) => {
                let left = left.replace(other)?;
                Expr::Binary(op, Box::new(left), Box::new(right.replace(other)?))
            }
        })
    }
}

#[cfg(test)]
mod tests;
