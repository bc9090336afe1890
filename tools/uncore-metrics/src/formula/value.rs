// SPDX-License-Identifier: GPL-2.0

//! The value of a formula, or why it has none.

use super::Expr;
use super::Op;
use crate::term::Term;

/// Inputs of a formula.
pub trait Inputs {
    /// Reason why an input has no value.
    type Missing;

    /// The count of a term.
    fn count(&self, term: &Term) -> Result<f64, Self::Missing>;

    /// Seconds for which it was counted.
    fn seconds(&self) -> Result<f64, Self::Missing>;
}

/// Reason why a formula has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undefined<M> {
    /// An input has none.
    Missing(M),
    /// The formula divides by zero.
    ZeroDenominator,
    /// The value is too large for a number.
    TooLarge,
}

impl Expr {
    /// The value on `inputs`: always a finite number.
    pub fn value<I: Inputs>(&self, inputs: &I) -> Result<f64, Undefined<I::Missing>> {
        let value = match self {
            Expr::Number(number) => *number,
            Expr::Seconds => inputs.seconds().map_err(Undefined::Missing)?,
            Expr::Term(term) => inputs.count(term).map_err(Undefined::Missing)?,
            Expr::Round(inner) => inner.value(inputs)?.round(),
            Expr::Binary(op, left, right) => {
                let (left, right) = (left.value(inputs)?, right.value(inputs)?);
                match op {
                    Op::Add => left + right,
                    Op::Subtract => left - right,
                    Op::Multiply => left * right,
                    Op::Divide if right == 0.0 => return Err(Undefined::ZeroDenominator),
                    Op::Divide => left / right,
                }
            }
        };
        if value.is_finite() {
            Ok(value)
        } else {
            Err(Undefined::TooLarge)
        }
    }
}
