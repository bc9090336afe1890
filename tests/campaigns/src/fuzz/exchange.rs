// SPDX-License-Identifier: GPL-2.0

//! Exchange with the guest: many cases in one command, and their answers.

use super::env::Env;
use super::operation::Operation;
use uncore_e2e::fixture::Session;

/// The longest command: the limit of one argument of a program, with a margin.
const LONGEST: usize = 100_000;

/// Returns the lines of a case.
pub(super) fn lines(operations: &[Operation], env: &Env) -> String {
    let lines = operations.iter().map(|operation| operation.line(env));
    let mut text = "case\n".to_owned();
    for line in lines {
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// Returns the number of cases that fit into one exchange, at least one.
pub(super) fn batch<'a>(cases: impl Iterator<Item = &'a String>) -> usize {
    let lengths = cases.scan(0, |sum, lines| {
        *sum += lines.len();
        Some(*sum)
    });
    lengths.take_while(|&sum| sum <= LONGEST).count().max(1)
}

/// Returns a line of answers for each case, or the error if the exchange failed.
pub(super) fn ask(session: &mut Session, cases: &[String]) -> Result<Vec<String>, String> {
    let output = session.run(&format!("perf-ops <<'END'\n{}END", cases.concat()));
    let answers: Vec<String> = output.stdout.lines().map(str::to_owned).collect();
    if output.status != 0 || answers.len() != cases.len() {
        return Err(format!(
            "perf-ops ended with {} after {} of {} cases: {}",
            output.status,
            answers.len(),
            cases.len(),
            output.stderr
        ));
    }
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_as_long_as_it_may_be() {
        let cases = [vec!["x".repeat(40_000); 3], vec!["x".repeat(200_000)]].concat();
        assert_eq!(batch(cases.iter()), 2);
        assert_eq!(batch(cases[3..].iter()), 1);
    }
}
