// SPDX-License-Identifier: GPL-2.0

//! Executes operations on perf events, valid or not, and prints the kernel's
//! answers.
//!
//! `perf-open` is for tests that expect a certain answer; this program is for the
//! fuzzer, which writes thousands of operations to its standard input, one a line:
//!
//! ```text
//! case                                begins anew, with nothing open
//! open ID FLAGS PID CPU GROUP SIZE WORD=VALUE...
//!                                     perf_event_open; words of the attribute
//! ioctl ID REQUEST ARGUMENT
//! read ID BYTES
//! map MAP ID PAGES OFFSET shared|private
//! unmap MAP
//! dup ID OLD                          another descriptor of the same event
//! close ID
//! fork                                a child that holds all descriptors
//! reap                                the oldest child ends
//! child OPERATION                     in a child, which then ends
//! on CPU                              where the next operations are done
//! burst CYCLES
//! ```
//!
//! An argument is a number, `#ID` for the descriptor of an event or `@NUMBER` for
//! the address of a number. PID, CPU and the words' places are decimal, other
//! numbers are hexadecimal. A case makes one line: the answer to each operation,
//! which is a negative errno, 0, or the result of a read as `BYTES:WORD,WORD...`.
//! The last answer is the number of users of the driver after all is closed.
#![expect(
    unsafe_code,
    reason = "perf_event_open, its ioctls and fork have no safe wrapper"
)]

use guest_tools::{hypercall, report};
use rustix::mm::{MapFlags, ProtFlags};
use rustix::process::{kill_process, set_parent_process_death_signal, waitpid};
use rustix::process::{Pid, Signal, WaitOptions};
use rustix::thread::{sched_setaffinity, CpuSet};
use std::collections::{HashMap, VecDeque};
use std::ffi::c_void;
use std::fs;
use std::io::{self, BufRead, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::time::Duration;

/// The file with the number of users of the driver.
const USERS: &str = "/sys/module/uncore_rs/refcnt";

const PAGE: usize = 4096;

/// A descriptor that is never open.
const NOBODY: RawFd = 1 << 20;

/// A mapping of an event's pages.
struct Mapping {
    address: *mut c_void,
    length: usize,
}

/// All objects that a case has open.
#[derive(Default)]
struct Desk {
    events: HashMap<u64, OwnedFd>,
    mappings: HashMap<u64, Mapping>,
    children: VecDeque<Pid>,
    /// A word for ioctls that take an address.
    scratch: Box<u64>,
}

/// An operation that makes no sense.
type Mistake = String;

fn main() -> ExitCode {
    report::exit("perf-ops", run())
}

fn run() -> Result<(), Mistake> {
    let mut desk = Desk::default();
    let mut answers: Option<Vec<String>> = None;
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        if line == "case" {
            if let Some(answers) = answers.replace(Vec::new()) {
                end(&mut desk, answers)?;
            }
            continue;
        }
        let answer = desk.take(&line);
        let answer = answer.map_err(|mistake| format!("{line}: {mistake}"))?;
        answers.get_or_insert_default().push(answer);
    }
    answers.map_or(Ok(()), |answers| end(&mut desk, answers))
}

/// Closes everything and prints the answers. They are printed at once, so that a
/// child finds nothing to print again.
fn end(desk: &mut Desk, mut answers: Vec<String>) -> Result<(), Mistake> {
    desk.clear();
    let users = fs::read_to_string(USERS).map_err(|error| format!("{USERS}: {error}"))?;
    answers.push(users.trim().to_owned());
    let line = answers.join(" ") + "\n";
    let mut out = io::stdout().lock();
    let written = out.write_all(line.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| error.to_string())
}

impl Desk {
    fn take(&mut self, line: &str) -> Result<String, Mistake> {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        let words: Vec<&str> = rest.split(' ').collect();
        let answer = match (verb, &words[..]) {
            ("open", [id, call @ ..]) => self.open(hex(id)?, call)?,
            ("ioctl", [id, request, argument]) => self.ioctl(hex(id)?, hex(request)?, argument)?,
            ("read", [id, bytes]) => return self.read(hex(id)?, hex(bytes)?),
            ("map", [map, id, pages, offset, how]) => {
                let place = (hex(pages)?, hex(offset)?);
                self.map(hex(map)?, hex(id)?, place, *how == "shared")?
            }
            ("unmap", [map]) => self.unmap(hex(map)?),
            ("dup", [id, old]) => self.duplicate(hex(id)?, hex(old)?),
            ("close", [id]) => self.close(hex(id)?),
            ("fork", _) => self.fork()?,
            ("reap", _) => self.reap(),
            ("child", _) => return self.in_child(rest),
            ("on", [cpu]) => on(cpu.parse().map_err(|_| "no CPU")?),
            ("burst", [cycles]) => burst(hex(cycles)?)?,
            _ => return Err("no such operation".to_owned()),
        };
        Ok(said(answer))
    }

    fn open(&mut self, id: u64, call: &[&str]) -> Result<io::Result<()>, Mistake> {
        let [flags, pid, cpu, group, size, words @ ..] = call else {
            return Err("too few arguments".to_owned());
        };
        let attr = attr(hex(size)?, words)?;
        let signed = |text: &str| text.parse::<i32>().map_err(|error| error.to_string());
        let (pid, cpu, flags) = (signed(pid)?, signed(cpu)?, hex(flags)?);
        let group = self.argument(group)?;
        // SAFETY: the attribute is readable for more than any size it may state,
        // and the kernel copies it before the call returns.
        let fd = unsafe {
            libc::syscall(
                libc::SYS_perf_event_open,
                attr.as_ptr(),
                pid,
                cpu,
                group,
                flags,
            )
        };
        let fd = match RawFd::try_from(fd) {
            Ok(fd) if fd >= 0 => fd,
            _ => return Ok(Err(io::Error::last_os_error())),
        };
        // SAFETY: the kernel has just returned this descriptor; it has no other
        // owner.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        self.events.insert(id, fd);
        Ok(Ok(()))
    }

    fn ioctl(&mut self, id: u64, request: u64, argument: &str) -> Result<io::Result<()>, Mistake> {
        let argument = self.argument(argument)?;
        let Some(event) = self.events.get(&id) else {
            return Ok(Err(nobody()));
        };
        // SAFETY: the kernel checks its arguments; an address is that of the
        // scratch word, or outside of this program's memory.
        let status = unsafe { libc::ioctl(event.as_raw_fd(), request, argument) };
        Ok(match status {
            0.. => Ok(()),
            _ => Err(io::Error::last_os_error()),
        })
    }

    fn read(&self, id: u64, bytes: u64) -> Result<String, Mistake> {
        let bytes = usize::try_from(bytes).map_err(|error| error.to_string())?;
        let mut buffer = vec![0; bytes];
        let Some(event) = self.events.get(&id) else {
            return Ok(said(Err(nobody())));
        };
        match rustix::io::read(event, &mut buffer) {
            Ok(size) => Ok(format!("{size}:{}", words(&buffer[..size]))),
            Err(error) => Ok(said(Err(error.into()))),
        }
    }

    fn map(
        &mut self,
        map: u64,
        id: u64,
        (pages, offset): (u64, u64),
        shared: bool,
    ) -> Result<io::Result<()>, Mistake> {
        let length = usize::try_from(pages).map_err(|error| error.to_string())? * PAGE;
        let flags = if shared {
            MapFlags::SHARED
        } else {
            MapFlags::PRIVATE
        };
        let Some(event) = self.events.get(&id) else {
            return Ok(Err(nobody()));
        };
        let (protection, offset) = (ProtFlags::READ | ProtFlags::WRITE, offset * PAGE as u64);
        // SAFETY: the kernel chooses the place, nothing of ours is there.
        let address = unsafe {
            rustix::mm::mmap(
                std::ptr::null_mut(),
                length,
                protection,
                flags,
                event,
                offset,
            )
        };
        Ok(address.map_err(Into::into).map(|address| {
            self.mappings.insert(map, Mapping { address, length });
        }))
    }

    fn unmap(&mut self, map: u64) -> io::Result<()> {
        let Some(Mapping { address, length }) = self.mappings.remove(&map) else {
            return Err(nobody());
        };
        // SAFETY: it was mapped with this length, and there are no references into
        // it.
        unsafe { rustix::mm::munmap(address, length) }?;
        Ok(())
    }

    fn duplicate(&mut self, id: u64, old: u64) -> io::Result<()> {
        let event = self.events.get(&old).ok_or_else(nobody)?;
        let event = event.try_clone()?;
        self.events.insert(id, event);
        Ok(())
    }

    fn close(&mut self, id: u64) -> io::Result<()> {
        self.events.remove(&id).map(drop).ok_or_else(nobody)
    }

    fn fork(&mut self) -> Result<io::Result<()>, Mistake> {
        let Some(child) = fork().map_err(|error| error.to_string())? else {
            loop {
                std::thread::sleep(Duration::from_secs(60));
            }
        };
        self.children.push_back(child);
        Ok(Ok(()))
    }

    fn reap(&mut self) -> io::Result<()> {
        let child = self.children.pop_front().ok_or_else(nobody)?;
        kill_process(child, Signal::KILL)?;
        waitpid(Some(child), WaitOptions::empty())?;
        Ok(())
    }

    fn in_child(&mut self, operation: &str) -> Result<String, Mistake> {
        let pair = UnixStream::pair().map_err(|error| error.to_string())?;
        let (mut ours, mut theirs) = pair;
        let Some(child) = fork().map_err(|error| error.to_string())? else {
            let answer = self.take(operation).unwrap_or_default();
            let written = theirs.write_all(answer.as_bytes());
            std::process::exit(i32::from(written.is_err()));
        };
        drop(theirs);
        let mut answer = String::new();
        let read = ours.read_to_string(&mut answer);
        let waited = waitpid(Some(child), WaitOptions::empty());
        read.map_err(|error| error.to_string())?;
        waited.map_err(|error| error.to_string())?;
        if answer.is_empty() {
            return Err("the child did not answer".to_owned());
        }
        Ok(answer)
    }

    /// Closes everything. Failures are ignored here: earlier operations have
    /// reported them.
    fn clear(&mut self) {
        let maps: Vec<u64> = self.mappings.keys().copied().collect();
        for map in maps {
            let _ = self.unmap(map);
        }
        while !self.children.is_empty() {
            let _ = self.reap();
        }
        self.events.clear();
    }

    fn argument(&mut self, text: &str) -> Result<i64, Mistake> {
        if let Some(id) = text.strip_prefix('#') {
            let event = self.events.get(&hex(id)?);
            return Ok(event.map_or(NOBODY, AsRawFd::as_raw_fd).into());
        }
        if let Some(value) = text.strip_prefix('@') {
            *self.scratch = hex(value)?;
            return Ok(std::ptr::from_mut(&mut *self.scratch) as i64);
        }
        if text == "-1" {
            return Ok(-1);
        }
        Ok(i64::from_ne_bytes(hex(text)?.to_ne_bytes()))
    }
}

/// The attribute, with room for the largest size there may be.
fn attr(size: u64, words: &[&str]) -> Result<Vec<u64>, Mistake> {
    let mut attr = vec![0; 2 * PAGE / size_of::<u64>()];
    for word in words {
        let (place, value) = word.split_once('=').ok_or("no word of an attribute")?;
        let place: usize = place.parse().map_err(|_| "no place")?;
        *attr.get_mut(place).ok_or("no such word")? = hex(value)?;
    }
    attr[0] |= size << 32;
    Ok(attr)
}

/// Returns the child's number in the parent, nothing in the child.
fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: there is one thread.
    let pid = unsafe { libc::fork() };
    match pid {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            set_parent_process_death_signal(Some(Signal::KILL))?;
            Ok(None)
        }
        pid => Ok(Pid::from_raw(pid)),
    }
}

fn on(cpu: usize) -> io::Result<()> {
    let mut cpus = CpuSet::new();
    cpus.set(cpu);
    Ok(sched_setaffinity(None, &cpus)?)
}

fn burst(cycles: u64) -> Result<io::Result<()>, Mistake> {
    let done = hypercall::command(&format!("burst {cycles}"));
    done.map_err(|error| error.to_string())?;
    Ok(Ok(()))
}

/// There is no such descriptor, mapping or child.
fn nobody() -> io::Error {
    io::Error::from_raw_os_error(libc::EBADF)
}

fn said(answer: io::Result<()>) -> String {
    let errno = |error: io::Error| -error.raw_os_error().unwrap_or(libc::EIO);
    answer.map_or_else(errno, |()| 0).to_string()
}

fn words(bytes: &[u8]) -> String {
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        format!("{:x}", u64::from_le_bytes(word))
    };
    let words: Vec<String> = bytes.chunks(8).map(word).collect();
    words.join(",")
}

fn hex(text: &str) -> Result<u64, Mistake> {
    u64::from_str_radix(text, 16).map_err(|error| format!("`{text}`: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_have_their_words_in_place() {
        let attr = attr(0x90, &["0=6", "17=ff"]).expect("an attribute");
        assert_eq!((attr[0], attr[1], attr[17]), (0x90_0000_0006, 0, 0xff));
        assert!(super::attr(0x90, &["5000=1"]).is_err());
    }

    #[test]
    fn what_is_not_open_has_no_descriptor() {
        let mut desk = Desk::default();
        let mut answer = |line| desk.take(line).expect("an operation");
        for line in ["read 1 18", "close 1", "dup 2 1", "unmap 0", "reap"] {
            assert_eq!(answer(line), "-9", "{line}");
        }
        assert_eq!(desk.argument("#1"), Ok(NOBODY.into()));
        assert_eq!(desk.argument("-1"), Ok(-1));
    }

    #[test]
    fn bytes_are_words() {
        assert_eq!(words(&[1, 0, 0, 0, 0, 0, 0, 0, 2, 1]), "1,102");
        assert_eq!(said(Err(nobody())), "-9");
        assert_eq!(said(Ok(())), "0");
    }

    #[test]
    fn nonsense_is_a_mistake() {
        let mut desk = Desk::default();
        for line in ["open 1", "jump", "read 1", "ioctl 1 2400 x"] {
            assert!(desk.take(line).is_err(), "{line}");
        }
    }
}
