// SPDX-License-Identifier: GPL-2.0

//! One reading of many counters, in the ways that a monitoring program has.

use crate::event::{pmu_type, Attr};
use crate::hypercall;
use rustix::io::{pread, read, Errno};
use rustix::thread::futex::{self, Flags};
use rustix::thread::{sched_setaffinity, CpuSet};
use std::fs::File;
use std::io::Error;
use std::os::fd::AsRawFd as _;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Format of a read of a group: the number of its events, and their values.
const READ_GROUP: u64 = 1 << 3;
/// Word of the attribute with the config.
const CONFIG: usize = 1;
/// Words that a read has room for: those of a group of 16 events.
const ROOM: usize = 3 + 16;
/// Time in which threads that have nothing to do fall asleep.
const NAP: Duration = Duration::from_millis(2);

/// Rows of `/proc/interrupts` that one CPU sends to another: to call a function, and to
/// schedule.
const BETWEEN_CPUS: [&str; 2] = ["CAL:", "RES:"];

/// Place where a reading is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Everything on the CPU that the program is on.
    Here,
    /// Each share on its CPU, to which the program moves.
    Move,
    /// Each share on its CPU, by a thread that waits there.
    Threads,
}

impl Way {
    /// Returns the way with this name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "here" => Some(Self::Here),
            "move" => Some(Self::Move),
            "threads" => Some(Self::Threads),
            _ => None,
        }
    }
}

/// A file that a system call reads from.
struct Source {
    file: File,
    /// Offset of a counter in it; an event is read as a stream.
    offset: Option<u64>,
}

/// The counters that are read on one CPU.
pub struct Share {
    cpu: u32,
    sources: Vec<Source>,
    /// Members of groups, which their leaders read.
    members: Vec<File>,
}

/// Cost of a reading that the machine does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    /// System calls of the program.
    pub calls: u64,
    /// Interrupts that one CPU has sent to another.
    pub interrupts: u64,
}

impl Share {
    /// Opens the counters that words name, after the CPU of their package:
    ///
    /// ```text
    /// event:PMU:CONFIG:N          N events with a read of each
    /// group:PMU:CONFIG:N          a group of N events with one read
    /// file:PATH:OFFSET:N:STEP     N counters of 8 bytes in a file
    /// ```
    pub fn open(text: &str) -> Result<Self, String> {
        let mut words = text.split(',');
        let mut share = Self {
            cpu: number(words.next().unwrap_or_default())?,
            sources: Vec::new(),
            members: Vec::new(),
        };
        for word in words {
            let opened = share.add(&word.split(':').collect::<Vec<_>>());
            opened.map_err(|error| format!("{word}: {error}"))?;
        }
        Ok(share)
    }

    fn add(&mut self, words: &[&str]) -> Result<(), String> {
        match *words {
            ["event", pmu, config, count] => {
                for _ in 0..number::<u32>(count)? {
                    let file = self.event(pmu, config, 0, -1)?;
                    self.sources.push(Source { file, offset: None });
                }
            }
            ["group", pmu, config, count] => {
                let leader = self.event(pmu, config, READ_GROUP, -1)?;
                for _ in 1..number::<u32>(count)? {
                    let member = self.event(pmu, config, READ_GROUP, leader.as_raw_fd())?;
                    self.members.push(member);
                }
                let offset = None;
                self.sources.push(Source {
                    file: leader,
                    offset,
                });
            }
            ["file", path, offset, count, step] => {
                let (offset, step): (u64, u64) = (number(offset)?, number(step)?);
                for index in 0..number(count)? {
                    self.sources.push(Source {
                        file: File::open(path).map_err(|error| error.to_string())?,
                        offset: Some(offset + index * step),
                    });
                }
            }
            _ => return Err("no counter".to_owned()),
        }
        Ok(())
    }

    fn event(&self, pmu: &str, config: &str, format: u64, group: i32) -> Result<File, String> {
        let mut attr = Attr::new();
        attr.set_type(pmu_type(pmu)?);
        attr.set(CONFIG, number(config)?);
        attr.set(Attr::READ_FORMAT, format);
        let cpu = i32::try_from(self.cpu).map_err(|error| error.to_string())?;
        let opened = attr.open(-1, cpu, group);
        opened.map_err(|error| error.to_string())
    }

    /// Reads everything, and returns the number of system calls.
    fn read(&self) -> Result<u64, Errno> {
        let mut bytes = [0; ROOM * size_of::<u64>()];
        for source in &self.sources {
            match source.offset {
                None => read(&source.file, &mut bytes)?,
                Some(offset) => pread(&source.file, &mut bytes[..size_of::<u64>()], offset)?,
            };
        }
        Ok(self.sources.len() as u64)
    }

    fn go_there(&self) -> Result<(), Errno> {
        let mut there = CpuSet::new();
        there.set(usize::try_from(self.cpu).map_err(|_| Errno::INVAL)?);
        sched_setaffinity(None, &there)
    }
}

/// Makes a reading of all shares, between two markers of the machine.
pub fn take(way: Way, shares: &[Share]) -> Result<Figures, String> {
    let taken = match way {
        Way::Here => measured(|| shares.iter().map(Share::read).sum()),
        Way::Move => measured(|| {
            let moved = |share: &Share| share.go_there().and_then(|()| share.read());
            let calls: Result<u64, Errno> = shares.iter().map(moved).sum();
            Ok(calls? + shares.len() as u64)
        }),
        Way::Threads => by_threads(shares),
    };
    taken.map_err(|error| error.to_string())
}

/// Takes the interrupts outside of the markers.
fn measured(reading: impl FnOnce() -> Result<u64, Errno>) -> Result<Figures, Error> {
    let before = interrupts()?;
    hypercall::mark();
    let calls = reading();
    hypercall::mark();
    Ok(Figures {
        calls: calls?,
        interrupts: interrupts()? - before,
    })
}

/// A thread for each share waits for the start, and the last of them wakes this one.
fn by_threads(shares: &[Share]) -> Result<Figures, Error> {
    let start = AtomicU32::new(0);
    let ready = AtomicU32::new(0);
    let done = AtomicU32::new(0);
    let all = u32::try_from(shares.len()).map_err(Error::other)?;
    let finish = || -> Result<u64, Errno> {
        if done.fetch_add(1, Ordering::AcqRel) + 1 < all {
            return Ok(0);
        }
        futex::wake(&done, Flags::PRIVATE, 1).map(|_| 1)
    };
    let run = |share: &Share| -> Result<u64, Errno> {
        let moved = share.go_there();
        ready.fetch_add(1, Ordering::AcqRel);
        // The first wait began before the markers, and ends between them.
        let waits = wait_while(&start, |value| value == 0);
        let calls = moved.and_then(|()| share.read());
        let wakes = finish();
        Ok(waits? + calls? + wakes?)
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = shares
            .iter()
            .map(|share| scope.spawn(|| run(share)))
            .collect();
        while ready.load(Ordering::Acquire) < all {
            std::thread::sleep(NAP);
        }
        std::thread::sleep(NAP);
        let figures = measured(|| {
            start.store(1, Ordering::Release);
            futex::wake(&start, Flags::PRIVATE, all)?;
            let waits = wait_while(&done, |value| value < all)?;
            Ok(1 + waits)
        });
        let mut figures = figures?;
        for thread in threads {
            let calls = thread.join().map_err(|_| Error::other("a thread failed"))?;
            figures.calls += calls?;
        }
        Ok(figures)
    })
}

/// Waits as long as the value is one to wait for, and returns the number of system calls.
fn wait_while(word: &AtomicU32, is_early: impl Fn(u32) -> bool) -> Result<u64, Errno> {
    for calls in 0.. {
        let value = word.load(Ordering::Acquire);
        if !is_early(value) {
            return Ok(calls);
        }
        match futex::wait(word, Flags::PRIVATE, value, None) {
            Ok(()) | Err(Errno::AGAIN | Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(0)
}

/// Returns how many interrupts all CPUs got from others so far.
fn interrupts() -> Result<u64, Error> {
    Ok(between_cpus(&std::fs::read_to_string("/proc/interrupts")?))
}

/// Returns how many interrupts the table of `/proc/interrupts` has that one CPU has sent to
/// another.
pub fn between_cpus(table: &str) -> u64 {
    let rows = table.lines().map(str::split_whitespace);
    let rows =
        rows.filter_map(|mut row| row.next().filter(|n| BETWEEN_CPUS.contains(n)).map(|_| row));
    rows.flat_map(|row| row.map_while(|word| word.parse::<u64>().ok()))
        .sum()
}

fn number<T: TryFrom<u64>>(text: &str) -> Result<T, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    let number = parsed.map_err(|error| format!("`{text}`: {error}"))?;
    T::try_from(number).map_err(|_| format!("`{text}` is too large"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interrupts_between_cpus_are_two_rows() {
        let table = "      CPU0  CPU1\n  0:  9  9  timer\nNMI:  1  1  Non-maskable\n\
                     RES:  2  3  Rescheduling interrupts\nCAL:  10  20  Function call interrupts\n\
                     TLB:  7  7  TLB shootdowns\nERR:  8\n";
        assert_eq!(between_cpus(table), 35);
    }

    #[test]
    fn a_wrong_share_is_an_error() {
        for (text, wanted) in [
            ("", "``"),
            ("x", "`x`"),
            ("0,event:pmu", "event:pmu: no counter"),
            ("0,event:no_such_pmu:0:1", "no_such_pmu/type"),
            ("0,file:/nowhere:0:1:1", "file:/nowhere:0:1:1: No such file"),
            ("0x100000000", "too large"),
        ] {
            let error = Share::open(text).err().expect(text);
            assert!(error.contains(wanted), "{text}: {error}");
        }
    }

    #[test]
    fn files_are_read_at_their_offsets() {
        let share = Share::open("0,file:/proc/self/exe:0:3:8").expect("this program");
        assert_eq!(share.read(), Ok(3));
        let offsets: Vec<_> = share.sources.iter().map(|source| source.offset).collect();
        assert_eq!(offsets, [Some(0), Some(8), Some(16)]);
    }

    #[test]
    fn waiting_ends_when_the_value_comes() {
        let word = AtomicU32::new(1);
        assert_eq!(wait_while(&word, |value| value == 0), Ok(0));
    }
}
