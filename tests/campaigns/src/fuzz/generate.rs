// SPDX-License-Identifier: GPL-2.0

//! Generator of cases from a seed, a number and the machine only.
//!
//! Most events are rows of the catalogue with the filters they need (`event`). About half
//! of them are then mutated in one or a few places (`mutate`). Some events are entirely
//! random. Some cases put all events on a single box, so that groups reach their limits;
//! the others use all boxes. Most operations on events are on events that the oracle
//! expects to be open.

mod event;
mod mutate;

use super::attr::{flag, format, READ_FORMAT};
use super::env::Env;
use super::operation::{Argument, Id, Map, Open, Operation, Request, Target};
use super::oracle::{Expected, PerfModel};
use crate::rng::Rng;
use event::Taste;

/// Least and greatest number of operations of a case.
const LENGTH: (u64, u64) = (3, 10);

/// Flag of the call that is always valid and has no effect on the answers.
const CLOSE_ON_EXEC: u64 = 1 << 3;

/// The largest read, which no group exceeds.
const MOST_BYTES: u64 = 0x200;

/// A case under construction.
struct Draft<'a> {
    rng: Rng,
    env: &'a Env,
    taste: Taste,
    operations: Vec<Operation>,
    model: PerfModel<'a>,
    /// Events that should be open by now, and a few others.
    opened: Vec<(Id, Target, i32)>,
    mapped: Vec<Id>,
    next: Id,
    /// The single box of a case that crowds one box.
    crowd: Option<(Target, i32)>,
}

/// Generates the operations of a case.
pub(super) fn operations(env: &Env, seed: u64, case: u64) -> Vec<Operation> {
    let mut rng = Rng::of_case(seed, case);
    let taste = Taste::new(&mut rng);
    let mut draft = Draft {
        rng,
        env,
        taste,
        operations: Vec::new(),
        model: PerfModel::new(env),
        opened: Vec::new(),
        mapped: Vec::new(),
        next: 0,
        crowd: None,
    };
    if draft.rng.chance(35) {
        draft.crowd();
    }
    let length = draft.rng.between(LENGTH.0, LENGTH.1);
    for _ in 0..length {
        draft.step();
        draft.account();
    }
    draft.operations
}

impl Draft<'_> {
    fn id(&mut self) -> Id {
        self.next += 1;
        self.next
    }

    /// Generates one group on one box, mostly of good events.
    fn crowd(&mut self) {
        let target = self.ours();
        let cpu = self.some_cpu();
        self.crowd = Some((target, cpu));
        for _ in 0..self.rng.between(2, 6) {
            self.open();
            self.account();
        }
    }

    /// Applies the last operation to the model, and records the events that are open
    /// then.
    fn account(&mut self) {
        let Some(operation) = self.operations.last() else {
            return;
        };
        let done = self.model.take(operation) == Expected::Done;
        let known = |old: &Id| {
            let mut opened = self.opened.iter();
            let found = opened.find(|(id, ..)| id == old);
            found.map(|&(_, target, cpu)| (target, cpu))
        };
        let opened = match operation {
            Operation::Open(open) => Some((open.id, open.target, open.cpu)),
            Operation::Dup(id, old) => known(old).map(|(target, cpu)| (*id, target, cpu)),
            Operation::Close(closed) => {
                let closed = *closed;
                let keep = self.rng.chance(10);
                self.opened.retain(|&(id, ..)| id != closed || keep);
                None
            }
            _ => None,
        };
        if done || self.rng.chance(10) {
            self.opened.extend(opened);
        }
    }

    fn step(&mut self) {
        match self.rng.below(100) {
            0..40 => self.open(),
            40..50 => self.read(),
            50..64 => self.ioctl(),
            64..70 => self.map(),
            70..73 => self.unmap(),
            73..77 => self.dup(),
            77..84 => self.close(),
            84..87 => self.operations.push(Operation::Fork),
            87..89 => self.operations.push(Operation::Reap),
            89..93 => self.child(),
            93..96 => {
                let cpu = self.rng.index(self.env.cpus());
                self.operations.push(Operation::On(cpu));
            }
            _ => {
                let cycles = self.rng.between(1, 1 << 20);
                self.operations.push(Operation::Burst(cycles));
            }
        }
    }

    fn open(&mut self) {
        let (target, cpu) = match self.crowd {
            Some(crowd) if self.rng.chance(85) => crowd,
            _ => (self.target(), self.some_cpu()),
        };
        let mut open = Open {
            id: self.id(),
            target,
            attr: event::attr(&mut self.rng, self.env, &self.taste, target),
            pid: -1,
            cpu,
            group: Argument::None,
            flags: if self.rng.chance(50) {
                CLOSE_ON_EXEC
            } else {
                0
            },
        };
        self.format(&mut open);
        self.group(&mut open);
        // A crowd tests the limits of groups, which needs good events.
        let share = if self.crowd.is_some() { 15 } else { 50 };
        if matches!(open.target, Target::Ours(_)) && self.rng.chance(share) {
            mutate::open(&mut self.rng, self.env, &mut open);
        }
        self.operations.push(Operation::Open(open));
    }

    fn ours(&mut self) -> Target {
        // Chooses the type first; otherwise one event in three would be of a memory
        // channel.
        let types = self.env.types();
        let of_type = self.rng.pick(&types);
        Target::Ours(*self.rng.pick(of_type))
    }

    fn target(&mut self) -> Target {
        match self.rng.below(100) {
            0..8 => Target::Software,
            8..10 => Target::Nobody,
            _ => self.ours(),
        }
    }

    fn some_cpu(&mut self) -> i32 {
        let cpu = self.rng.index(self.env.cpus());
        i32::try_from(cpu).unwrap_or(0)
    }

    /// Chooses the read format of an event, and flags such as `disabled`.
    fn format(&mut self, open: &mut Open) {
        let formats = self.rng.number() & format::ALL;
        let times = format::ENABLED | format::RUNNING;
        let formats = if self.rng.chance(50) { times } else { formats };
        open.attr.set(READ_FORMAT, formats);
        for (flag, share) in [(flag::DISABLED, 30), (flag::INHERIT, 10), (flag::PINNED, 5)] {
            if self.rng.chance(share) {
                open.attr.add_flags(flag);
            }
        }
    }

    /// Lets about half of the events join another event, mostly a group they can join.
    fn group(&mut self, open: &mut Open) {
        let share = if self.crowd.is_some() { 90 } else { 45 };
        if self.opened.is_empty() || !self.rng.chance(share) {
            return;
        }
        let place = if self.crowd.is_some() && self.rng.chance(90) {
            0
        } else {
            self.rng.index(self.opened.len())
        };
        let (leader, target, cpu) = self.opened[place];
        open.group = Argument::Event(leader);
        if self.rng.chance(85) {
            open.cpu = cpu;
            let ours = matches!(open.target, Target::Ours(_));
            if ours && matches!(target, Target::Ours(_)) && open.target != target {
                open.target = target;
                let attr = event::attr(&mut self.rng, self.env, &self.taste, target);
                let format = open.attr.get(READ_FORMAT);
                open.attr = attr;
                open.attr.set(READ_FORMAT, format);
            }
        }
        if self.rng.chance(4) {
            open.flags |= 1 << self.rng.below(3);
        }
    }

    /// Returns the name of an event opened earlier, rarely of one that was not.
    fn some_id(&mut self) -> Id {
        if self.opened.is_empty() || self.rng.chance(3) {
            return 0xfff;
        }
        let place = self.rng.index(self.opened.len());
        self.opened[place].0
    }

    fn read(&mut self) {
        let id = self.some_id();
        let bytes = match self.rng.below(4) {
            0 => self.rng.between(1, 64),
            _ => MOST_BYTES,
        };
        self.operations.push(Operation::Read(id, bytes));
    }

    fn ioctl(&mut self) {
        let id = self.some_id();
        let switches = [Request::Enable, Request::Disable, Request::Reset];
        let request = if self.rng.chance(50) {
            *self.rng.pick(&switches)
        } else {
            self.rng.pick(&Request::ALL).0
        };
        let argument = self.argument(request);
        self.operations
            .push(Operation::Ioctl(id, request, argument));
    }

    fn argument(&mut self, request: Request) -> Argument {
        match request {
            Request::SetOutput => match self.rng.below(10) {
                0 => Argument::Input,
                1 | 2 => Argument::None,
                _ => Argument::Event(self.some_id()),
            },
            Request::Id | Request::Period | Request::SetFilter | Request::Modify => {
                match self.rng.below(5) {
                    0 => Argument::Number(0),
                    _ => Argument::Address(self.rng.below(1 << 16)),
                }
            }
            // The flag that applies the request to the whole group.
            _ => Argument::Number(self.rng.below(2)),
        }
    }

    fn map(&mut self) {
        let map = Map {
            name: self.id(),
            id: self.some_id(),
            pages: *self.rng.pick(&[1, 1, 2, 3, 3, 5, 4, 0, 9]),
            offset: u64::from(self.rng.chance(5)),
            shared: self.rng.chance(95),
        };
        self.mapped.push(map.name);
        self.operations.push(Operation::Map(map));
    }

    fn unmap(&mut self) {
        if self.mapped.is_empty() {
            return self.map();
        }
        let map = *self.rng.pick(&self.mapped);
        self.operations.push(Operation::Unmap(map));
    }

    fn dup(&mut self) {
        let old = self.some_id();
        let id = self.id();
        self.operations.push(Operation::Dup(id, old));
    }

    fn close(&mut self) {
        let id = self.some_id();
        self.operations.push(Operation::Close(id));
    }

    /// Generates an operation that a child does.
    fn child(&mut self) {
        match self.rng.below(4) {
            0 => self.open(),
            1 => self.read(),
            2 => self.ioctl(),
            _ => self.close(),
        }
        if let Some(operation) = self.operations.pop() {
            self.operations.push(Operation::Child(Box::new(operation)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uncore_e2e::platform::Platform;

    fn opens(operations: &[Operation]) -> impl Iterator<Item = &Open> {
        operations.iter().filter_map(|operation| match operation {
            Operation::Open(open) => Some(open),
            _ => None,
        })
    }

    #[test]
    fn a_seed_gives_the_same_cases_every_time() {
        let env = Env::example();
        let case = |seed, case| operations(&env, seed, case);
        assert_eq!(case(1, 5), case(1, 5));
        assert_ne!(case(1, 5), case(1, 6));
        assert_ne!(case(1, 5), case(2, 5));
    }

    #[test]
    fn all_pmus_and_all_operations_come_up() {
        for platform in Platform::ALL {
            platform.on(all_come_up);
        }
    }

    fn all_come_up() {
        let env = Env::example();
        let all: Vec<Operation> = (0..2000)
            .flat_map(|case| operations(&env, 3, case))
            .collect();
        for pmu in 0..env.pmus.len() {
            let target = Target::Ours(pmu);
            assert!(opens(&all).any(|open| open.target == target), "{pmu}");
        }
        let verbs = all.iter().map(|operation| {
            let line = operation.line(&env);
            line.split(' ').next().unwrap_or_default().to_owned()
        });
        let verbs: std::collections::BTreeSet<String> = verbs.collect();
        assert_eq!(verbs.len(), 12, "{verbs:?}");
    }
}
