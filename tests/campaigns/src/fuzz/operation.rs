// SPDX-License-Identifier: GPL-2.0

//! Operations of a case, and their text for the guest's `perf-ops`.

use super::attr::Attr;
use super::env::Env;
use std::fmt::Write as _;

/// Name of a descriptor; descriptors of failed operations have names as well.
pub(super) type Id = u32;

/// PMU of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// One of our PMUs, by its index in [`Env::pmus`].
    Ours(usize),
    /// The kernel's software events.
    Software,
    /// A type without a PMU.
    Nobody,
}

/// A number where the kernel wants a descriptor or an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Argument {
    /// -1.
    None,
    /// The descriptor of an event.
    Event(Id),
    /// Standard input, which is no event.
    Input,
    /// A number as it is.
    Number(u64),
    /// The address of a number.
    Address(u64),
}

/// `perf_event_open`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Open {
    pub(super) id: Id,
    pub(super) target: Target,
    pub(super) attr: Attr,
    pub(super) pid: i32,
    pub(super) cpu: i32,
    pub(super) group: Argument,
    pub(super) flags: u64,
}

/// Bits of [`Open::flags`].
pub(super) const NO_GROUP: u64 = 1 << 0;
pub(super) const OUTPUT: u64 = 1 << 1;
pub(super) const CGROUP: u64 = 1 << 2;
pub(super) const ALL_FLAGS: u64 = 0xf;

/// Request of an `ioctl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    Enable,
    Disable,
    Refresh,
    Reset,
    Period,
    SetOutput,
    SetFilter,
    Id,
    PauseOutput,
    QueryPrograms,
    Modify,
    Unknown,
}

impl Request {
    /// All requests, each with its form (direction and size) and number in
    /// `perf_event.h`.
    pub(super) const ALL: [(Self, u32, u32); 12] = [
        (Self::Enable, 0, 0),
        (Self::Disable, 0, 1),
        (Self::Refresh, 0, 2),
        (Self::Reset, 0, 3),
        (Self::Period, WRITE | WORD, 4),
        (Self::SetOutput, 0, 5),
        (Self::SetFilter, WRITE | WORD, 6),
        (Self::Id, READ | WORD, 7),
        (Self::PauseOutput, WRITE | (WORD / 2), 9),
        (Self::QueryPrograms, READ | WRITE | WORD, 10),
        (Self::Modify, WRITE | WORD, 11),
        (Self::Unknown, 0, 99),
    ];

    /// Returns the request number: form, `$` and number.
    fn number(self) -> u32 {
        let found = Self::ALL.iter().find(|(request, ..)| *request == self);
        found.map_or(0, |(_, form, number)| form | u32::from(b'$') << 8 | number)
    }
}

const WRITE: u32 = 0x4000_0000;
const READ: u32 = 0x8000_0000;
const WORD: u32 = 8 << 16;

/// Mapping of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Map {
    /// Name of the mapping.
    pub(super) name: Id,
    pub(super) id: Id,
    pub(super) pages: u64,
    pub(super) offset: u64,
    pub(super) shared: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Open(Open),
    Ioctl(Id, Request, Argument),
    /// Read of a number of bytes.
    Read(Id, u64),
    Map(Map),
    Unmap(Id),
    /// A second descriptor: its name, and the name of the first.
    Dup(Id, Id),
    Close(Id),
    /// Creation of a child that holds all descriptors.
    Fork,
    /// End of the oldest child.
    Reap,
    /// Operation in a child, which ends then.
    Child(Box<Operation>),
    /// CPU of the following operations.
    On(usize),
    /// Cycles of traffic.
    Burst(u64),
}

impl Operation {
    /// Returns the line that `perf-ops` reads.
    pub(super) fn line(&self, env: &Env) -> String {
        match self {
            Self::Open(open) => open.line(env),
            Self::Ioctl(id, request, argument) => {
                let argument = argument.word();
                format!("ioctl {id:x} {:x} {argument}", request.number())
            }
            Self::Read(id, bytes) => format!("read {id:x} {bytes:x}"),
            Self::Map(map) => {
                let how = if map.shared { "shared" } else { "private" };
                let Map {
                    name,
                    id,
                    pages,
                    offset,
                    ..
                } = map;
                format!("map {name:x} {id:x} {pages:x} {offset:x} {how}")
            }
            Self::Unmap(map) => format!("unmap {map:x}"),
            Self::Dup(id, old) => format!("dup {id:x} {old:x}"),
            Self::Close(id) => format!("close {id:x}"),
            Self::Fork => "fork".to_owned(),
            Self::Reap => "reap".to_owned(),
            Self::Child(operation) => format!("child {}", operation.line(env)),
            Self::On(cpu) => format!("on {cpu}"),
            Self::Burst(cycles) => format!("burst {cycles:x}"),
        }
    }
}

impl Open {
    fn line(&self, env: &Env) -> String {
        let Self {
            id,
            attr,
            pid,
            cpu,
            flags,
            ..
        } = self;
        let group = self.group.word();
        let mut line = format!("open {id:x} {flags:x} {pid} {cpu} {group} {:x}", attr.size);
        let target = env.type_of(self.target);
        let _ = write!(line, " 0={target:x}");
        for (place, value) in attr.words() {
            let _ = write!(line, " {place}={value:x}");
        }
        line
    }
}

impl Argument {
    fn word(self) -> String {
        match self {
            Self::None => "-1".to_owned(),
            Self::Event(id) => format!("#{id:x}"),
            Self::Input => "0".to_owned(),
            Self::Number(number) => format!("{number:x}"),
            Self::Address(number) => format!("@{number:x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::attr::CONFIG;
    use super::*;

    #[test]
    fn requests_have_the_kernels_numbers() {
        let number = |request: Request| request.number();
        assert_eq!(number(Request::Enable), 0x2400);
        assert_eq!(number(Request::Period), 0x4008_2404);
        assert_eq!(number(Request::Id), 0x8008_2407);
        assert_eq!(number(Request::PauseOutput), 0x4004_2409);
        assert_eq!(number(Request::QueryPrograms), 0xc008_240a);
    }

    #[test]
    fn operations_are_lines() {
        let env = Env::example();
        let mut attr = Attr::new();
        attr.set(CONFIG, 0x34);
        let open = Operation::Open(Open {
            id: 17,
            target: Target::Software,
            attr,
            pid: -1,
            cpu: 2,
            group: Argument::Event(16),
            flags: 8,
        });
        assert_eq!(open.line(&env), "open 11 8 -1 2 #10 90 0=1 1=34");
        let close = Operation::Child(Box::new(Operation::Close(17)));
        assert_eq!(close.line(&env), "child close 11");
    }
}
