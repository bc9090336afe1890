// SPDX-License-Identifier: GPL-2.0

//! Model of perf's open events: descriptors, children, mappings, groups, buffers.

use super::reason::{Reason, EBADF};
use super::request::Request as Asked;
use super::{form, groups, Expected};
use crate::fuzz::attr::{flag, format, sample, Attr, CLOCK, PERIOD, READ_FORMAT, SAMPLE_TYPE};
use crate::fuzz::env::Env;
use crate::fuzz::operation::{Argument, Id, Map, Open, Operation, Request, Target};
use crate::fuzz::operation::{ALL_FLAGS, CGROUP, NO_GROUP, OUTPUT};
use std::collections::{BTreeMap, VecDeque};

const EINVAL: i32 = 22;
const EFAULT: i32 = 14;
const EBUSY: i32 = 16;
const ENOTTY: i32 = 25;
const EOPNOTSUPP: i32 = 95;

/// A process number that is not in use.
pub(crate) const NO_PROCESS: i32 = 4_000_000;

/// An event that is open.
#[derive(Clone, Debug)]
struct Event {
    /// Request of the event to one of our PMUs; `None` for the kernel's own events.
    asked: Option<Asked>,
    /// PMU that the event's group counts on, once the group has one.
    home: Option<usize>,
    /// CPU that counts the event.
    cpu: i32,
    /// Clock that the event chose, if any.
    clock: Option<u64>,
    backward: bool,
    pinned: bool,
    read_format: u64,
    /// Leader of the event's group; the event itself if it leads.
    leader: usize,
    /// Events that this event leads, in order.
    siblings: Vec<usize>,
    /// True if the event was read as part of a group that has lost its leader.
    remnant: bool,
    /// Number of descriptors, those of children included.
    holders: usize,
    /// Number of mappings, their pages, and the event whose buffer receives the records.
    mappings: usize,
    pages: u64,
    buffer: Option<usize>,
}

/// All open events of a case.
pub(crate) struct PerfModel<'a> {
    env: &'a Env,
    events: Vec<Event>,
    descriptors: BTreeMap<Id, usize>,
    mappings: BTreeMap<Id, usize>,
    /// Events that each child holds, once for each descriptor.
    children: VecDeque<Vec<usize>>,
}

impl<'a> PerfModel<'a> {
    /// Creates a model without open events.
    pub(crate) fn new(env: &'a Env) -> Self {
        Self {
            env,
            events: Vec::new(),
            descriptors: BTreeMap::new(),
            mappings: BTreeMap::new(),
            children: VecDeque::new(),
        }
    }

    /// Applies an operation, and returns the required answer.
    pub(crate) fn take(&mut self, operation: &Operation) -> Expected {
        match operation {
            Operation::Open(open) => self.open(open),
            Operation::Ioctl(id, request, argument) => self.ioctl(*id, *request, *argument),
            Operation::Read(id, bytes) => self.read(*id, *bytes),
            Operation::Map(map) => self.map(map),
            Operation::Unmap(map) => self.unmap(*map),
            Operation::Dup(id, old) => self.dup(*id, *old),
            Operation::Close(id) => self.close(*id),
            Operation::Fork => {
                self.fork();
                Expected::Done
            }
            Operation::Reap => self.reap(),
            Operation::Child(operation) => {
                self.fork();
                let expected = self.in_child(operation);
                let child = self.children.pop_back();
                self.drop_all(child.unwrap_or_default());
                expected
            }
            Operation::On(_) | Operation::Burst(_) => Expected::Done,
        }
    }

    /// Applies an operation in a child, which has its own descriptors and no mappings.
    fn in_child(&mut self, operation: &Operation) -> Expected {
        match operation {
            Operation::Open(open) => {
                let expected = self.open(open);
                if expected == Expected::Done {
                    self.close(open.id);
                }
                expected
            }
            Operation::Close(id) => self.known(*id),
            _ => self.take(operation),
        }
    }

    fn known(&self, id: Id) -> Expected {
        match self.descriptors.get(&id) {
            Some(_) => Expected::Done,
            None => Expected::Errno(&[EBADF]),
        }
    }

    fn open(&mut self, open: &Open) -> Expected {
        let reasons = self.objections(open);
        if !reasons.is_empty() {
            return Expected::Refused(reasons);
        }
        let number = self.events.len();
        let leader = self.leader(open).unwrap_or(number);
        let event = self.event(open, number, leader);
        let output = self.given(open.group).filter(|_| open.flags & OUTPUT != 0);
        let buffer = output.and_then(|output| self.events[output].buffer);
        self.events.push(Event { buffer, ..event });
        if leader != number {
            self.join(number, leader);
        }
        if let Some(old) = self.descriptors.insert(open.id, number) {
            self.let_go(old);
        }
        Expected::Done
    }

    fn event(&self, open: &Open, number: usize, leader: usize) -> Event {
        let attr = &open.attr;
        let home = match open.target {
            Target::Ours(pmu) => Some(pmu),
            _ => None,
        };
        Event {
            asked: self.asked(open),
            home,
            cpu: self.counts_on(open),
            clock: clock(attr),
            backward: attr.has(flag::BACKWARD),
            pinned: attr.has(flag::PINNED),
            read_format: attr.get(READ_FORMAT),
            leader: if leader == number { number } else { leader },
            siblings: Vec::new(),
            remnant: false,
            holders: 1,
            mappings: 0,
            pages: 0,
            buffer: None,
        }
    }

    /// Adds an event to a group. The first event of a PMU binds the group to that PMU for
    /// good.
    fn join(&mut self, number: usize, leader: usize) {
        let home = self.events[number].home.or(self.events[leader].home);
        self.events[leader].siblings.push(number);
        let members = self.members(leader);
        for member in members {
            self.events[member].home = home;
        }
        self.events[leader].remnant = false;
    }

    /// Returns a leader and the events it leads.
    fn members(&self, leader: usize) -> Vec<usize> {
        let siblings = self.events[leader].siblings.iter();
        std::iter::once(leader).chain(siblings.copied()).collect()
    }

    fn asked(&self, open: &Open) -> Option<Asked> {
        let Target::Ours(pmu) = open.target else {
            return None;
        };
        Some(Asked::new(self.env, pmu, open.attr.configs()))
    }

    /// Returns the CPU that counts: events of our PMUs move to the CPU of the package.
    fn counts_on(&self, open: &Open) -> i32 {
        match (open.target, self.env.package(open.cpu)) {
            (Target::Ours(_), Some(package)) => self.env.reader(package),
            _ => open.cpu,
        }
    }

    fn given(&self, argument: Argument) -> Option<usize> {
        match argument {
            Argument::Event(id) => self.descriptors.get(&id).copied(),
            _ => None,
        }
    }

    fn leader(&self, open: &Open) -> Option<usize> {
        self.given(open.group)
            .filter(|_| open.flags & NO_GROUP == 0)
    }

    fn objections(&self, open: &Open) -> Vec<Reason> {
        let mut reasons = form::objections(&open.attr);
        if open.flags & !ALL_FLAGS != 0 {
            reasons.push(Reason::OpenFlags);
        }
        // An attribute of a wrong size allows no further checks.
        if reasons.contains(&Reason::Size) {
            return reasons;
        }
        reasons.extend(self.call(open));
        let own = match open.target {
            Target::Nobody => vec![Reason::Type],
            Target::Software => Vec::new(),
            Target::Ours(pmu) => self.request(open, pmu),
        };
        // A group is checked only with events that are valid by themselves.
        if own.is_empty() {
            reasons.extend(self.group(open));
        }
        reasons.extend(own);
        reasons
    }

    /// Returns the reasons to refuse the other arguments of the call.
    fn call(&self, open: &Open) -> Vec<Reason> {
        let no_cpu = self.env.package(open.cpu).is_none();
        let cgroup = open.flags & CGROUP != 0;
        let no_event = open.group != Argument::None && self.given(open.group).is_none();
        let wrong = [
            (open.pid == NO_PROCESS && !cgroup, Reason::NoProcess),
            (open.pid >= 0 || cgroup, Reason::Task),
            (no_cpu, Reason::Cpu),
            (no_event, Reason::NotAnEvent),
        ];
        let wrong = wrong.into_iter().filter(|(wrong, _)| *wrong);
        wrong.map(|(_, reason)| reason).collect()
    }

    fn request(&self, open: &Open, pmu: usize) -> Vec<Reason> {
        let attr = &open.attr;
        let branches = attr.get(SAMPLE_TYPE) & sample::BRANCHES != 0;
        let mut reasons = Vec::new();
        if attr.get(PERIOD) != 0 || branches || attr.has(flag::PRECISE) {
            reasons.push(Reason::Sampling);
        }
        if attr.has(flag::EXCLUDED) {
            reasons.push(Reason::Exclusion);
        }
        let asked = Asked::new(self.env, pmu, attr.configs());
        reasons.extend(asked.objections());
        if let Some(package) = self.env.package(open.cpu) {
            reasons.extend(asked.missing(self.env, package));
        }
        // COUNTER0_OCCUPANCY needs a source event ahead of it in its group.
        if asked.is_view() && self.leader(open).is_none() {
            reasons.push(Reason::NoOccupancy);
        }
        reasons
    }

    /// Returns the reasons to refuse the group, or the buffer, that an event is to join.
    fn group(&self, open: &Open) -> Vec<Reason> {
        let mut reasons = Vec::new();
        if let Some(leader) = self.leader(open) {
            if self.is_no_member(open, leader) {
                reasons.push(Reason::Member);
            } else if let Some(asked) = self.asked(open) {
                let members = self.members(leader);
                let others = members.iter();
                let others = others.filter_map(|&member| self.events[member].asked.as_ref());
                let group: Vec<&Asked> = others.chain([&asked]).collect();
                reasons.extend(groups::objections(&group));
            }
        }
        let output = self.given(open.group).filter(|_| open.flags & OUTPUT != 0);
        let new = self.event(open, self.events.len(), self.events.len());
        if output.is_some_and(|output| !self.can_write(&new, &self.events[output])) {
            reasons.push(Reason::Output);
        }
        reasons
    }

    fn is_no_member(&self, open: &Open, leader: usize) -> bool {
        let other = &self.events[leader];
        let home = match open.target {
            Target::Ours(pmu) => Some(pmu),
            _ => None,
        };
        let elsewhere = home.is_some() && other.home.is_some() && home != other.home;
        elsewhere
            || other.leader != leader
            || other.cpu != self.counts_on(open)
            || other.clock != clock(&open.attr)
            || open.attr.has(flag::PINNED | flag::EXCLUSIVE)
    }

    /// Returns whether an event may write to the buffer of another.
    fn can_write(&self, event: &Event, output: &Event) -> bool {
        let buffer = output.buffer.map(|owner| self.events[owner].mappings);
        event.mappings == 0
            && buffer.is_some_and(|mappings| mappings > 0)
            && output.cpu == event.cpu
            && output.clock == event.clock
            && output.backward == event.backward
    }

    fn ioctl(&mut self, id: Id, request: Request, argument: Argument) -> Expected {
        let Some(&number) = self.descriptors.get(&id) else {
            return Expected::Errno(&[EBADF]);
        };
        match request {
            Request::Enable | Request::Disable | Request::Reset => Expected::Done,
            Request::Refresh => Expected::Errno(&[EINVAL]),
            Request::QueryPrograms => Expected::Errno(&[EINVAL, EOPNOTSUPP]),
            Request::Unknown => Expected::Errno(&[ENOTTY]),
            Request::Id => match argument {
                Argument::Address(_) => Expected::Done,
                _ => Expected::Errno(&[EFAULT]),
            },
            Request::Period | Request::SetFilter => match argument {
                Argument::Address(_) => Expected::Errno(&[EINVAL]),
                _ => Expected::Errno(&[EFAULT]),
            },
            Request::Modify => Expected::Errno(&[EINVAL, EFAULT, 7, EOPNOTSUPP]),
            Request::PauseOutput => {
                let owner = self.events[number].buffer;
                let pages = owner.map_or(0, |owner| self.events[owner].pages);
                if pages > 1 {
                    Expected::Done
                } else {
                    Expected::Errno(&[EINVAL])
                }
            }
            Request::SetOutput => self.set_output(number, argument),
        }
    }

    fn set_output(&mut self, number: usize, argument: Argument) -> Expected {
        let event = &self.events[number];
        if argument == Argument::None {
            if event.mappings > 0 {
                return Expected::Errno(&[EINVAL]);
            }
            self.events[number].buffer = None;
            return Expected::Done;
        }
        let Some(output) = self.given(argument) else {
            return Expected::Errno(&[EBADF]);
        };
        if output == number || !self.can_write(event, &self.events[output]) {
            return Expected::Errno(&[EINVAL]);
        }
        self.events[number].buffer = self.events[output].buffer;
        Expected::Done
    }

    fn read(&self, id: Id, bytes: u64) -> Expected {
        let Some(&number) = self.descriptors.get(&id) else {
            return Expected::Errno(&[EBADF]);
        };
        let event = &self.events[number];
        let leader = &self.events[event.leader];
        if event.remnant && event.read_format & format::GROUP != 0 {
            return Expected::Remnant;
        }
        let size = read_size(event.read_format, leader.siblings.len());
        if bytes < size {
            return Expected::NoRoom(leader.pinned);
        }
        Expected::Bytes(size, leader.pinned)
    }

    fn map(&mut self, map: &Map) -> Expected {
        let Some(&number) = self.descriptors.get(&map.id) else {
            return Expected::Errno(&[EBADF]);
        };
        let wrong = !map.shared || map.offset != 0 || !is_mappable(map.pages);
        let event = &self.events[number];
        let pages = event.buffer.map(|owner| self.events[owner].pages);
        if wrong || pages.is_some_and(|pages| pages != map.pages) {
            return Expected::Errno(&[EINVAL]);
        }
        if pages.is_some() && event.mappings == 0 {
            return Expected::Errno(&[EINVAL, EBUSY]);
        }
        let event = &mut self.events[number];
        event.mappings += 1;
        event.pages = map.pages;
        event.buffer = Some(number);
        self.mappings.insert(map.name, number);
        Expected::Done
    }

    fn unmap(&mut self, map: Id) -> Expected {
        let Some(number) = self.mappings.remove(&map) else {
            return Expected::Errno(&[EBADF]);
        };
        self.events[number].mappings -= 1;
        if self.events[number].mappings == 0 {
            for event in &mut self.events {
                event.buffer = event.buffer.filter(|&owner| owner != number);
            }
        }
        self.forget_if_free(number);
        Expected::Done
    }

    fn dup(&mut self, id: Id, old: Id) -> Expected {
        let Some(&number) = self.descriptors.get(&old) else {
            return Expected::Errno(&[EBADF]);
        };
        self.events[number].holders += 1;
        if let Some(old) = self.descriptors.insert(id, number) {
            self.let_go(old);
        }
        Expected::Done
    }

    fn close(&mut self, id: Id) -> Expected {
        let Some(number) = self.descriptors.remove(&id) else {
            return Expected::Errno(&[EBADF]);
        };
        self.let_go(number);
        Expected::Done
    }

    fn fork(&mut self) {
        let held: Vec<usize> = self.descriptors.values().copied().collect();
        for &number in &held {
            self.events[number].holders += 1;
        }
        self.children.push_back(held);
    }

    fn reap(&mut self) -> Expected {
        let Some(held) = self.children.pop_front() else {
            return Expected::Errno(&[EBADF]);
        };
        self.drop_all(held);
        Expected::Done
    }

    fn drop_all(&mut self, held: Vec<usize>) {
        for number in held {
            self.let_go(number);
        }
    }

    fn let_go(&mut self, number: usize) {
        self.events[number].holders -= 1;
        self.forget_if_free(number);
    }

    /// Removes an event without descriptors and mappings. If it was a leader, each event
    /// of its group becomes a group by itself.
    fn forget_if_free(&mut self, number: usize) {
        let event = &self.events[number];
        if event.holders > 0 || event.mappings > 0 {
            return;
        }
        let leader = event.leader;
        if leader != number {
            let siblings = &mut self.events[leader].siblings;
            siblings.retain(|&sibling| sibling != number);
            return;
        }
        for sibling in std::mem::take(&mut self.events[number].siblings) {
            let sibling_event = &mut self.events[sibling];
            sibling_event.leader = sibling;
            sibling_event.remnant = true;
        }
    }
}

fn clock(attr: &Attr) -> Option<u64> {
    attr.has(flag::USE_CLOCK).then(|| attr.get(CLOCK))
}

/// Returns whether a mapping of this size is valid: the user page, and none or a power of
/// two of pages for the records.
fn is_mappable(pages: u64) -> bool {
    pages == 1 || pages > 1 && (pages - 1).is_power_of_two()
}

/// Returns the number of bytes of a read.
fn read_size(read_format: u64, siblings: usize) -> u64 {
    let has = |bits| u64::from(read_format & bits != 0);
    let times = has(format::ENABLED) + has(format::RUNNING);
    let each = 1 + has(format::ID) + has(format::LOST);
    let events = u64::try_from(siblings).unwrap_or(0) + 1;
    if read_format & format::GROUP != 0 {
        8 * (1 + times + events * each)
    } else {
        8 * (times + each)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::attr::{CONFIG, CONFIG1};
    use uncore_e2e::catalogue::BoxKind;

    /// Returns the opening of an event of one of our PMUs on a CPU.
    fn open(id: Id, kind: BoxKind, words: [u64; 2], cpu: i32) -> Open {
        let mut attr = Attr::new();
        attr.set(CONFIG, words[0]);
        attr.set(CONFIG1, words[1]);
        Open {
            id,
            target: Target::Ours(Env::example().pmu(&kind.pmu(0))),
            attr,
            pid: -1,
            cpu,
            group: Argument::None,
            flags: 0,
        }
    }

    fn in_group(leader: Id, open: Open) -> Operation {
        Operation::Open(Open {
            group: Argument::Event(leader),
            ..open
        })
    }

    fn refused(reason: Reason) -> Expected {
        Expected::Refused(vec![reason])
    }

    #[test]
    fn groups_have_limits() {
        let env = Env::example();
        let mut model = PerfModel::new(&env);
        let victims = |id| open(id, BoxKind::Cbox, [0x0137, 0], 1);
        let band = |id, value| open(id, BoxKind::Pcu, [0x0b, value], 0);
        for (operation, expected) in [
            (Operation::Open(victims(1)), Expected::Done),
            (in_group(1, victims(2)), Expected::Done),
            (in_group(1, victims(3)), refused(Reason::Counters)),
            (in_group(2, victims(4)), refused(Reason::Member)),
            (in_group(1, band(5, 1)), refused(Reason::Member)),
            (Operation::Open(band(6, 1)), Expected::Done),
            (in_group(6, band(7, 2)), refused(Reason::Conflict)),
            (in_group(9, band(8, 1)), refused(Reason::NotAnEvent)),
        ] {
            assert_eq!(model.take(&operation), expected, "{operation:?}");
        }
    }

    #[test]
    fn an_event_lives_as_long_as_somebody_holds_it() {
        let env = Env::example();
        let mut model = PerfModel::new(&env);
        let clock = |id| open(id, BoxKind::Ha, [0, 0], 0);
        model.take(&Operation::Open(clock(1)));
        model.take(&in_group(1, clock(2)));
        model.take(&Operation::Fork);
        model.take(&Operation::Close(1));
        assert_eq!(model.take(&in_group(2, clock(3))), refused(Reason::Member));
        model.take(&Operation::Reap);
        assert_eq!(model.take(&in_group(2, clock(4))), Expected::Done);
    }

    #[test]
    fn a_software_event_takes_the_box_of_its_first_member() {
        let env = Env::example();
        let mut model = PerfModel::new(&env);
        let software = Open {
            target: Target::Software,
            ..open(1, BoxKind::Ha, [9, 0], 0)
        };
        model.take(&Operation::Open(software));
        let here = |id, kind| in_group(1, open(id, kind, [0, 0], 1));
        assert_eq!(model.take(&here(2, BoxKind::Cbox)), Expected::Done);
        model.take(&Operation::Close(2));
        assert_eq!(model.take(&here(3, BoxKind::Ha)), refused(Reason::Member));
        assert_eq!(model.take(&here(4, BoxKind::Cbox)), Expected::Done);
    }

    #[test]
    fn sizes_of_reads() {
        assert_eq!(read_size(0, 3), 8);
        assert_eq!(read_size(format::ENABLED | format::RUNNING, 3), 24);
        assert_eq!(read_size(format::GROUP, 3), 8 * 5);
        assert_eq!(read_size(format::GROUP | format::ID, 0), 8 * 3);
    }

    #[test]
    fn mappings_are_one_page_and_a_power_of_two() {
        let right = (0..10).filter(|&pages| is_mappable(pages));
        assert_eq!(right.collect::<Vec<u64>>(), [1, 2, 3, 5, 9]);
    }
}
