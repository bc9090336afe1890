// SPDX-License-Identifier: GPL-2.0

//! Requests that must be refused, made past perf, which would complain (or correct them)
//! itself.

mod perf;

use std::fmt::Write as _;
use uncore_e2e::fixture::few;
use uncore_e2e::prelude::*;
use uncore_e2e::sweep::refusals::{refusals, sentences, Refusal, REMEMBERED};

/// Returns the step of `perf-open` that makes the request.
fn step(refusal: &Refusal) -> String {
    format!(
        "open bad pmu={} {}",
        Platform::current().pmu(&refusal.unit),
        refusal.request
    )
}

/// Makes all requests and returns their number.
pub(super) fn sweep(session: &mut Session, wrong: &mut Vec<String>) -> usize {
    let taken = always_running()
        .into_iter()
        .map(|(kind, event)| (kind, session.event_config(&kind.pmu(0), event)));
    let all: Vec<Refusal> = few(refusals(&taken.collect::<Vec<_>>())).collect();
    for some in all.chunks(REMEMBERED) {
        let mut command = "perf-open".to_owned();
        for refusal in some {
            let _ = write!(command, " '{}'", step(refusal));
        }
        let _ = write!(
            command,
            " && tail -n {} /sys/kernel/debug/uncore_rs/rejections",
            some.len()
        );
        let output = session.ok(&command);
        let lines: Vec<&str> = output.lines().collect();
        let (answers, said) = lines.split_at(lines.len().min(some.len()));
        let Some(sentences) = sentences(said, some.len()) else {
            wrong.push(format!("not an answer and a reason each: {output}"));
            continue;
        };
        let errnos = answers
            .iter()
            .map(|answer| answer.trim_start_matches("bad "));
        let answered = some.iter().zip(errnos.zip(sentences));
        wrong.extend(answered.filter_map(|(refusal, (errno, said))| refusal.mismatch(errno, said)));
    }
    all.len()
}
