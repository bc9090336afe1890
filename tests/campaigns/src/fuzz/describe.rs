// SPDX-License-Identifier: GPL-2.0

//! Operations as text for people: events as on perf's command line, and the other
//! contents of the attribute.

use super::attr::{Attr, CONFIGS, FLAGS, SIZE};
use super::env::{Env, Events};
use super::operation::{Argument, Open, Operation, Target};
use std::fmt::Write as _;
use uncore_e2e::formats::{bits, compress, fields, Field};

/// Names of the attribute's words.
const WORDS: [(usize, &str); 10] = [
    (2, "period"),
    (3, "sample_type"),
    (4, "read_format"),
    (5, "flags"),
    (9, "branch_sample_type"),
    (10, "sample_regs_user"),
    (11, "sample_stack_user,clockid"),
    (12, "sample_regs_intr"),
    (13, "aux_watermark,sample_max_stack"),
    (14, "aux_sample_size,aux_action"),
];

/// Returns a line that describes an operation.
pub(super) fn operation(operation: &Operation, env: &Env) -> String {
    match operation {
        Operation::Open(open) => event(open, env),
        Operation::Child(operation) => format!("child: {}", self::operation(operation, env)),
        operation => operation.line(env),
    }
}

fn event(open: &Open, env: &Env) -> String {
    let attr = &open.attr;
    let mut line = format!("open {:x} ", open.id);
    match open.target {
        Target::Ours(pmu) => {
            let pmu = &env.pmus[pmu];
            let terms = match pmu.events {
                Events::Listed(kind, _) => terms(&fields(kind), attr),
                _ => terms(&[], attr),
            };
            let _ = write!(line, "{}/{terms}/", pmu.name);
        }
        Target::Software => {
            let _ = write!(line, "software event {}", attr.configs()[0]);
        }
        Target::Nobody => line.push_str("an event of no PMU"),
    }
    let _ = write!(line, " on CPU {}", open.cpu);
    if open.pid != -1 {
        let _ = write!(line, " of task {}", open.pid);
    }
    match open.group {
        Argument::None => {}
        Argument::Event(id) => {
            let _ = write!(line, " in the group of {id:x}");
        }
        _ => line.push_str(" in a group of no event"),
    }
    if open.flags != 0 {
        let _ = write!(line, " with call flags {:#x}", open.flags);
    }
    line + &others(attr)
}

/// Returns the fields that are not 0, and each word with bits that belong to no field.
fn terms(fields: &[Field], attr: &Attr) -> String {
    let mut rest = attr.configs();
    let mut terms = Vec::new();
    for &field in fields {
        let (word, mask) = bits(field);
        let value = compress(rest[word], mask);
        rest[word] &= !mask;
        if value != 0 || field.0 == "event" {
            terms.push(format!("{}={value:#x}", field.0));
        }
    }
    let names = ["config", "config1", "config2", "config3", "config4"];
    let free = names.iter().zip(rest).filter(|(_, rest)| *rest != 0);
    terms.extend(free.map(|(name, rest)| format!("{name}|={rest:#x}")));
    terms.join(",")
}

fn others(attr: &Attr) -> String {
    let mut others = String::new();
    if attr.size != SIZE {
        let _ = write!(others, " size={}", attr.size);
    }
    for (place, value) in attr.words() {
        if CONFIGS.iter().any(|config| config.0 == place) {
            continue;
        }
        let name = WORDS.iter().find(|(known, _)| *known == place);
        let name = name.map_or_else(|| format!("word{place}"), |(_, name)| (*name).to_owned());
        let _ = write!(others, " {name}={value:#x}");
    }
    debug_assert!(WORDS.iter().any(|(place, _)| *place == FLAGS.0));
    others
}

#[cfg(test)]
mod tests {
    use super::super::attr::{CONFIG, CONFIG1, PERIOD};
    use super::*;

    #[test]
    fn events_are_as_perf_has_them() {
        let env = Env::example();
        let mut attr = Attr::new();
        attr.set(CONFIG, 0x120_0038);
        attr.set(CONFIG1, 0xe << 9 | 1);
        attr.set(PERIOD, 7);
        let open = Operation::Open(Open {
            id: 1,
            target: Target::Ours(env.pmu("ivbep_uncore_qpi_0")),
            attr,
            pid: -1,
            cpu: 0,
            group: Argument::Event(3),
            flags: 0,
        });
        assert_eq!(
            operation(&open, &env),
            "open 1 ivbep_uncore_qpi_0/event=0x138,thresh=0x1,match_mc=0xe,config1|=0x1/ on CPU 0 \
             in the group of 3 period=0x7"
        );
    }
}
