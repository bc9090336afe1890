// SPDX-License-Identifier: GPL-2.0

//! Formulas as text, with numbers for the names of constants.

use super::{Expr, Op};
use std::fmt;

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Number(number) => write!(f, "{number}"),
            Expr::Seconds => f.write_str("seconds"),
            Expr::Term(term) => write!(f, "{term}"),
            Expr::Round(inner) => write!(f, "round({inner})"),
            Expr::Binary(op, left, right) => {
                operand(f, left, left.strength() < op.strength())?;
                write!(f, " {} ", op.sign())?;
                // a - (b - c) and a / (b * c) keep their parentheses.
                let is_apart = matches!(op, Op::Subtract | Op::Divide);
                let strength = right.strength();
                let apart = strength < op.strength() || is_apart && strength == op.strength();
                operand(f, right, apart)
            }
        }
    }
}

fn operand(f: &mut fmt::Formatter<'_>, inner: &Expr, apart: bool) -> fmt::Result {
    if apart {
        write!(f, "({inner})")
    } else {
        write!(f, "{inner}")
    }
}

impl Expr {
    fn strength(&self) -> u8 {
        match self {
            Expr::Binary(op, ..) => op.strength(),
            _ => u8::MAX,
        }
    }
}

impl Op {
    fn strength(self) -> u8 {
        match self {
            Op::Add | Op::Subtract => 1,
            Op::Multiply | Op::Divide => 2,
        }
    }

    fn sign(self) -> char {
        match self {
            Op::Add => '+',
            Op::Subtract => '-',
            Op::Multiply => '*',
            Op::Divide => '/',
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_means_the_same_formula() {
        for (formula, expected) in [
            ("cas_count.rd*cache_line", "cas_count.rd * 64"),
            ("(a-(b-c)+d)*8", "(a - (b - c) + d) * 8"),
            ("a/(b*c)", "a / (b * c)"),
            ("a*b/c", "a * b / c"),
            ("a+b*c", "a + b * c"),
            ("round(a{x=1}/seconds)", "round(a{x=0x1} / seconds)"),
        ] {
            let parsed: Expr = formula.parse().expect("a formula");
            assert_eq!(parsed.to_string(), expected);
            assert_eq!(expected.parse().as_ref(), Ok(&parsed));
        }
    }
}
