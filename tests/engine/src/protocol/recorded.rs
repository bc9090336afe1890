// SPDX-License-Identifier: GPL-2.0

//! The accesses of the real driver to the modelled machine, in the order of the model's steps.

use super::*;
use crate::{
    computer::{load, on_computer, open},
    host::Host,
};

/// An access of the driver to the registers of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Access {
    ReadGlobalStatus,
    ClearGlobalStatus,
    ReadBoxStatus,
    ReadCounters,
    ClearBoxStatus,
    Unfreeze,
}

/// Registers of the machine: GLOBAL_CTL with its bit unfrz_all, GLOBAL_STATUS; the box status and
/// the counters of R2PCIe.
const GLOBAL_CTL: u64 = 0xc00;
const UNFREEZE: u64 = 1 << 29;
const GLOBAL_STATUS: u64 = 0xc01;
const BOX_STATUS: u64 = 0xf8;
const COUNTERS: std::ops::RangeInclusive<u64> = 0xa0..=0xbc;

/// Returns what a line of the machine's log is: `rdmsr 0 0xc01 0x8`, `cfgw 7f:13.1 0xf8 4 0x1`.
fn access(line: &str) -> Option<Access> {
    let words: Vec<&str> = line.split(' ').collect();
    let number = |word: &str| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok();
    let register = number(words.get(2)?)?;
    let value = number(words.last()?)?;
    Some(match (words[0], register) {
        ("rdmsr", GLOBAL_STATUS) => Access::ReadGlobalStatus,
        ("wrmsr", GLOBAL_STATUS) => Access::ClearGlobalStatus,
        ("wrmsr", GLOBAL_CTL) if value & UNFREEZE != 0 => Access::Unfreeze,
        ("cfgr", BOX_STATUS) => Access::ReadBoxStatus,
        ("cfgw", BOX_STATUS) => Access::ClearBoxStatus,
        ("cfgr", register) if COUNTERS.contains(&register) => Access::ReadCounters,
        _ => return None,
    })
}

/// The accesses of a step of the model.
fn accesses(state: &State, action: Action) -> &'static [Access] {
    use Access::*;
    match action {
        Action::Nmi(_) => &[ReadGlobalStatus, ClearGlobalStatus],
        Action::Interrupt(cpu) => match state.cpus[cpu].interrupt {
            Some(Step::Take) => &[ReadGlobalStatus],
            Some(Step::Service) => &[ReadBoxStatus, ReadCounters, ClearBoxStatus],
            Some(Step::Release) => &[Unfreeze],
            None => &[],
        },
        _ => &[],
    }
}

/// The accesses of the model from an overflow to its end, with each next step that is possible.
fn model_of_an_overflow() -> Vec<Access> {
    let model = Overflow {
        mistake: Mistake::None,
    };
    let mut state = model.init_states().remove(0);
    let mut made = Vec::new();
    let mut go_on = |state: &mut State, action| {
        made.extend(accesses(state, action));
        *state = model
            .next_state(state, action)
            .expect("a step that is possible");
    };
    go_on(&mut state, Action::Start);
    while !state.frozen {
        go_on(&mut state, Action::Count);
    }
    go_on(&mut state, Action::Deliver(0));
    go_on(&mut state, Action::Nmi(0));
    while state.cpus[0].interrupt.is_some() {
        go_on(&mut state, Action::Interrupt(0));
    }
    assert!(!state.frozen);
    made
}

/// Lets the counter of an event overflow on the modelled machine, and returns the accesses.
fn recorded_overflow(host: &Host) -> Vec<Access> {
    host.command("preload-all 1000 r2pcie");
    let event = open("r2pcie", 0, 0x01);
    host.command("log on");
    host.traffic(2000);
    let log = host.command("log take");
    host.command("log off");
    assert_eq!(event.read(), 2000);
    let mut made: Vec<Access> = log.lines().filter_map(access).collect();
    made.dedup();
    made
}

#[test]
fn a_recorded_overflow_is_one_of_the_model() {
    on_computer("packages=1,cores=2", |host| {
        let driver = load("pmi").expect("the driver loads");
        assert_eq!(recorded_overflow(host), model_of_an_overflow());
        drop(driver);
    });
}
