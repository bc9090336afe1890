// SPDX-License-Identifier: GPL-2.0

//! Opens perf events with exactly the given attributes.
//!
//! perf checks a config against `format/` and fills in attributes of its own, so
//! some requests never reach the kernel through it. This program passes on its
//! arguments and prints the kernel's answers. Each argument is one step:
//!
//! ```text
//! open NAME pmu=PMU|type=N [KEY=VALUE | FLAG]...   NAME ok, or NAME and the errno
//! failing open NAME ...                            opens and closes it, while the first
//!                                                  of the kernel's allocations fails,
//!                                                  then the next: NAME, position, result
//! read NAME                                        NAME, value, ns enabled, ns running
//!                                                  (all values of its group, if opened
//!                                                  with group_values);
//!                                                  NAME error of one that has failed
//! enable|disable|close NAME
//! burst CYCLES [TIMES PAUSE]                       uclk cycles, microseconds on average
//! machine COMMAND                                  the machine's answer, if any
//! settle                                           waits for the end of a burst-through
//! poll MILLISECONDS                                moves the clock on; waits for polls
//! steady NAME                                      waits until it counts all the time
//! times N STEP; STEP...                            these steps N times
//! pause MICROSECONDS
//! idle MILLISECONDS                                moves the clock on in small steps
//! run SHELL COMMAND
//! write FILE TEXT
//! load FILE [PARAMETERS]                           a kernel module
//! unload MODULE
//! busy MODULE                                      checks that it is in use
//! user [CAPABILITY]                                goes on as a user without privileges, or
//!                                                  with one, such as perfmon; programs that
//!                                                  it starts gain no other one
//! cost STEP                                        and its cost, by `machine cost`: that
//!                                                  of the system call, if it is just one
//! ```
//!
//! Keys are config, config1, config2, cpu (0), pid (-1), group (the NAME of
//! an open event), period and `sample_type`; flags are those of [`FLAGS`] and
//! `group_values`.
//! An event that cannot be opened is an answer; anything else that fails ends
//! the program with status 1.
#![expect(unsafe_code, reason = "ioctls of perf events have no safe wrapper")]

use guest_tools::event::{errno_name, pmu_type, Attr};
use guest_tools::fault::{Step, EVERY};
use guest_tools::{event, hypercall};
use rustix::io::Errno;
use rustix::process::{Gid, Uid};
use rustix::thread::{
    self, sched_getaffinity, sched_setaffinity, CapabilitySet, CapabilitySets, CpuSet,
};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::CString;
use std::fs::File;
use std::io::{Error, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::process::{Command, ExitCode};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The time for which `settle`, `poll` and `steady` wait, and the time between two
/// checks.
const PATIENCE: Duration = Duration::from_secs(30);
const TICK: Duration = Duration::from_micros(50);

/// A time that covers several turns of multiplexed events.
const TURNS: Duration = Duration::from_millis(50);

/// Number of a user, and of a group, without privileges.
const USER: u32 = 1000;

/// The file with the overflow state of each package.
const OVERFLOW: &str = "/sys/kernel/debug/uncore_rs/overflow";

/// Bits of the attribute's flag word, by the names of `perf_event_open(2)`.
const FLAGS: [(&str, u32); 4] = [
    ("disabled", 0),
    ("pinned", 2),
    ("exclude_kernel", 5),
    ("exclude_hv", 6),
];

/// Keys that fill a 64-bit word of the attribute, and which.
const WORDS: [(&str, usize); 5] = [
    ("config", 1),
    ("period", 2),
    ("sample_type", 3),
    ("config1", 7),
    ("config2", 8),
];

const FLAG_WORD: usize = 5;

/// Their number first, and the values of all events of the group.
const READ_GROUP: u64 = 1 << 3;
const GROUP_VALUES: &str = "group_values";

/// ioctl numbers of `perf_event.h`: magic `$`, no argument.
const IOCTLS: [(&str, u64); 2] = [("enable", 0x2400), ("disable", 0x2401)];

/// The jump of the clock in each step of `idle`, in milliseconds, and the time that
/// timers then get to run. The jump is not longer than the time to the next expiry
/// of any timer that matters.
const IDLE_STEP: u64 = 100;
const IDLE_PAUSE: Duration = Duration::from_micros(500);

/// Number of words that `read` has room for: those of a group of 16 events.
const ROOM: usize = 3 + 16;

/// The request of an `open` step.
struct Request {
    attr: Attr,
    cpu: i32,
    pid: i32,
    group: RawFd,
}

type Events = HashMap<String, File>;

/// The markers around a measured step, on or off.
#[derive(Clone, Copy)]
enum Meter {
    Off,
    On,
}

impl Meter {
    fn around<T>(self, call: impl FnOnce() -> T) -> T {
        match self {
            Self::Off => call(),
            Self::On => {
                hypercall::mark();
                let done = call();
                hypercall::mark();
                done
            }
        }
    }
}

fn main() -> ExitCode {
    let mut events = Events::new();
    for step in std::env::args().skip(1) {
        if let Err(error) = take(&step, &mut events, Meter::Off) {
            eprintln!("perf-open: {step}: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn take(step: &str, events: &mut Events, meter: Meter) -> Result<(), String> {
    let (verb, rest) = step.split_once(' ').unwrap_or((step, ""));
    match verb {
        "open" => open(rest, events, meter),
        "failing" => meter.around(|| failing(rest, events)),
        "read" => read(rest, events, meter),
        "close" => close(rest, events, meter),
        "run" => meter.around(|| run(rest)),
        "write" => write(rest, meter),
        "load" => load(rest, meter),
        "unload" => unload(rest, meter),
        "busy" => busy(rest),
        "user" => user(rest).map_err(|error| error.to_string()),
        "burst" => meter.around(|| burst(rest)),
        "idle" => meter.around(|| idle(rest)),
        "cost" => cost(rest, events),
        "machine" => meter.around(|| machine(rest)),
        "settle" => meter.around(settle),
        "poll" => meter.around(|| poll(rest)),
        "steady" => meter.around(|| steady(rest, events)),
        "pause" => meter.around(|| pause(rest)),
        "times" => meter.around(|| times(rest, events)),
        _ => control(verb, rest, events, meter),
    }
}

fn cost(step: &str, events: &mut Events) -> Result<(), String> {
    take(step, events, Meter::On)?;
    println!("cost {step}");
    machine("cost")
}

fn open(words: &str, events: &mut Events, meter: Meter) -> Result<(), String> {
    let (name, words) = words.split_once(' ').ok_or("no attributes")?;
    let request = Request::parse(words, events)?;
    match meter.around(|| request.open()) {
        Ok(file) => {
            println!("{name} ok");
            events.insert(name.to_owned(), file);
        }
        Err(error) => println!("{name} {}", errno_name(&error)),
    }
    Ok(())
}

fn failing(step: &str, events: &Events) -> Result<(), String> {
    let words = step.strip_prefix("open ").ok_or("only `open` can fail")?;
    let (name, words) = words.split_once(' ').ok_or("no attributes")?;
    let request = Request::parse(words, events)?;
    let opened = RefCell::new(None);
    let open = || {
        opened.replace(Some(request.open()?));
        Ok(())
    };
    let close = || {
        opened.take();
        Ok(())
    };
    for Step { position, outcome } in EVERY.take(open, close)? {
        let outcome = outcome.map_or_else(|error: Error| errno_name(&error), |()| "ok".to_owned());
        println!("{name} {position} {outcome}");
    }
    Ok(())
}

fn read(name: &str, events: &Events, meter: Meter) -> Result<(), String> {
    let mut file = events.get(name).ok_or("no such event")?;
    let mut bytes = [0; ROOM * size_of::<u64>()];
    let size = meter.around(|| file.read(&mut bytes));
    let size = size.map_err(|error| errno_name(&error))?;
    match event::words(&bytes[..size])[..] {
        [] => println!("{name} error"),
        [value, enabled, running] => println!("{name} {value} {enabled} {running}"),
        [_, enabled, running, ref values @ ..] => {
            let values: Vec<String> = values.iter().map(u64::to_string).collect();
            println!("{name} {} {enabled} {running}", values.join(" "));
        }
        _ => return Err(format!("{size} bytes")),
    }
    Ok(())
}

fn close(name: &str, events: &mut Events, meter: Meter) -> Result<(), String> {
    let event = events.remove(name).ok_or("no such event")?;
    meter.around(|| drop(event));
    Ok(())
}

fn write(words: &str, meter: Meter) -> Result<(), String> {
    let (path, text) = words.split_once(' ').ok_or("no text")?;
    let mut file = File::create(path).map_err(|error| format!("{path}: {error}"))?;
    let written = meter.around(|| file.write_all(text.as_bytes()));
    written.map_err(|error| format!("{path}: {error}"))
}

fn load(rest: &str, meter: Meter) -> Result<(), String> {
    let (path, parameters) = rest.split_once(' ').unwrap_or((rest, ""));
    let file = File::open(path).map_err(|error| format!("{path}: {error}"))?;
    let parameters = CString::new(parameters).map_err(|error| error.to_string())?;
    let loaded = meter.around(|| rustix::system::finit_module(&file, &parameters, 0));
    loaded.map_err(|error| error.to_string())
}

fn unload(module: &str, meter: Meter) -> Result<(), String> {
    let name = CString::new(module).map_err(|error| error.to_string())?;
    let unloaded = meter.around(|| rustix::system::delete_module(&name, libc::O_NONBLOCK));
    unloaded.map_err(|error| error.to_string())
}

fn busy(module: &str) -> Result<(), String> {
    match unload(module, Meter::Off) {
        Err(error) if error == Errno::AGAIN.to_string() => Ok(()),
        Err(error) => Err(error),
        Ok(()) => Err("it is unloaded".to_owned()),
    }
}

/// Gives up all privileges but those that are named.
fn user(privileges: &str) -> Result<(), Error> {
    let capabilities = match privileges {
        "" => CapabilitySet::empty(),
        name => CapabilitySet::from_name(&name.to_uppercase())
            .ok_or_else(|| Error::other(format!("no privilege `{name}`")))?,
    };
    for other in CapabilitySet::all() - capabilities {
        // The kernel may not know it.
        let _ = thread::remove_capability_from_bounding_set(other);
    }
    thread::set_no_new_privs(true)?;
    let (uid, gid) = (Uid::from_raw(USER), Gid::from_raw(USER));
    thread::set_keep_capabilities(true)?;
    thread::set_thread_groups(&[])?;
    thread::set_thread_res_gid(gid, gid, gid)?;
    thread::set_thread_res_uid(uid, uid, uid)?;
    let sets = CapabilitySets {
        effective: capabilities,
        permitted: capabilities,
        inheritable: capabilities,
    };
    thread::set_capabilities(None, sets)?;
    // So that a program that it runs has them, too.
    for capability in capabilities.iter() {
        thread::configure_capability_in_ambient_set(capability, true)?;
    }
    Ok(())
}

fn run(command: &str) -> Result<(), String> {
    let status = Command::new("sh").args(["-c", command]).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(status.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

fn burst(words: &str) -> Result<(), String> {
    let words: Vec<&str> = words.split_whitespace().collect();
    let (cycles, times, pause) = match words[..] {
        [cycles] => (number(cycles)?, 1, 0),
        [cycles, times, pause] => (number(cycles)?, number(times)?, number(pause)?),
        _ => return Err("not CYCLES [TIMES PAUSE]".to_owned()),
    };
    for turn in 0..times {
        machine(&format!("burst {cycles}"))?;
        sleep(Duration::from_micros(uneven(pause, turn)));
    }
    Ok(())
}

fn pause(microseconds: &str) -> Result<(), String> {
    sleep(Duration::from_micros(number(microseconds)?));
    Ok(())
}

/// Lets the guest's clock pass over idle time.
fn idle(milliseconds: &str) -> Result<(), String> {
    let skip = format!("skip {IDLE_STEP}");
    for _ in 0..number(milliseconds)? / IDLE_STEP {
        machine(&skip)?;
        sleep(IDLE_PAUSE);
    }
    Ok(())
}

/// Half of the pause to one and a half, evenly spread (by the golden section):
/// equal pauses could keep step with the timer that rotates events.
fn uneven(pause: u64, turn: u64) -> u64 {
    pause / 2 + pause * (turn * 618 % 1000) / 1000
}

fn machine(command: &str) -> Result<(), String> {
    let answer = hypercall::command(command).map_err(|error| error.to_string())?;
    if !answer.is_empty() {
        println!("{}", answer.trim_end());
    }
    Ok(())
}

/// Waits until all cycles of a `burst-through` have passed.
fn settle() -> Result<(), String> {
    wait(|| {
        let left = hypercall::command("burst-left").map_err(|error| error.to_string())?;
        match left.trim() {
            "0" => Ok(None),
            left => Ok(Some(format!("{left} cycles are left"))),
        }
    })
}

/// Lets the guest's clock jump, and waits until the driver has polled in every
/// package.
///
/// The timer of the poll before may still be running: it would set its next time after
/// the jump. It has ended on each CPU on which this thread has run since.
fn poll(milliseconds: &str) -> Result<(), String> {
    run_on_each_cpu().map_err(|error| format!("the next CPU: {error}"))?;
    let before = polls()?;
    machine(&format!("skip {milliseconds}"))?;
    wait(|| {
        let now = polls()?;
        let mut each = before.iter().zip(&now);
        let all = each.all(|(before, now)| now > before);
        Ok((!all).then(|| format!("{before:?} polls became {now:?}")))
    })
}

/// Runs on one CPU after the other.
fn run_on_each_cpu() -> rustix::io::Result<()> {
    let all = sched_getaffinity(None)?;
    for cpu in (0..CpuSet::MAX_CPU).filter(|&cpu| all.is_set(cpu)) {
        let mut alone = CpuSet::new();
        alone.set(cpu);
        sched_setaffinity(None, &alone)?;
    }
    sched_setaffinity(None, &all)
}

/// Returns the number of polls of each package.
fn polls() -> Result<Vec<u64>, String> {
    let text = std::fs::read_to_string(OVERFLOW).map_err(|error| format!("{OVERFLOW}: {error}"))?;
    let lines = text.lines();
    let numbers = lines.filter_map(|line| line.trim_start().strip_prefix("polls "));
    numbers.map(number).collect()
}

/// Waits until an event has counted all the time of some turns.
fn steady(name: &str, events: &Events) -> Result<(), String> {
    let file = events.get(name).ok_or("no such event")?;
    let times = || {
        let words = event::read::<ROOM>(file).map_err(|error| errno_name(&error))?;
        match words[..] {
            [_, enabled, running] => Ok([enabled, running]),
            _ => Err(format!("{} words", words.len())),
        }
    };
    wait(|| {
        let before = times()?;
        sleep(TURNS);
        let after = times()?;
        let [enabled, running] = [0, 1].map(|time| after[time] - before[time]);
        Ok((running < enabled).then(|| format!("it counts {running} ns of {enabled}")))
    })
}

/// Waits as long as there is something to wait for.
fn wait(mut what: impl FnMut() -> Result<Option<String>, String>) -> Result<(), String> {
    let deadline = Instant::now() + PATIENCE;
    while let Some(what) = what()? {
        if Instant::now() >= deadline {
            return Err(what);
        }
        sleep(TICK);
    }
    Ok(())
}

fn times(words: &str, events: &mut Events) -> Result<(), String> {
    let (count, steps) = words.split_once(' ').ok_or("no steps")?;
    for _ in 0..number(count)? {
        for step in steps.split("; ") {
            take(step, events, Meter::Off).map_err(|error| format!("{step}: {error}"))?;
        }
    }
    Ok(())
}

fn control(verb: &str, name: &str, events: &Events, meter: Meter) -> Result<(), String> {
    let request = IOCTLS.iter().find(|(known, _)| *known == verb);
    let &(_, request) = request.ok_or("no such step")?;
    let file = events.get(name).ok_or("no such event")?;
    let status = meter.around(|| {
        // SAFETY: the descriptor is open for as long as `file` is borrowed, and
        // these requests take no pointer.
        unsafe { libc::ioctl(file.as_raw_fd(), request, 0) }
    });
    if status < 0 {
        return Err(errno_name(&Error::last_os_error()));
    }
    Ok(())
}

impl Request {
    fn parse(words: &str, events: &Events) -> Result<Self, String> {
        let mut request = Self {
            attr: Attr::new(),
            cpu: 0,
            pid: -1,
            group: -1,
        };
        for word in words.split_whitespace() {
            match word.split_once('=') {
                Some((key, value)) => request.set(key, value, events)?,
                None => request.set_flag(word)?,
            }
        }
        Ok(request)
    }

    fn set(&mut self, key: &str, value: &str, events: &Events) -> Result<(), String> {
        match key {
            "pmu" => self.attr.set_type(pmu_type(value)?),
            "type" => self.attr.set_type(value.parse().map_err(|_| "no type")?),
            "cpu" => self.cpu = signed(value)?,
            "pid" => self.pid = signed(value)?,
            "group" => {
                let leader = events.get(value).ok_or("no such leader")?;
                self.group = leader.as_raw_fd();
            }
            _ => {
                let word = WORDS.iter().find(|(known, _)| *known == key);
                let &(_, word) = word.ok_or_else(|| format!("no key `{key}`"))?;
                self.attr.set(word, number(value)?);
            }
        }
        Ok(())
    }

    fn set_flag(&mut self, flag: &str) -> Result<(), String> {
        if flag == GROUP_VALUES {
            self.attr.set(Attr::READ_FORMAT, READ_GROUP);
            return Ok(());
        }
        let bit = FLAGS.iter().find(|(known, _)| *known == flag);
        let &(_, bit) = bit.ok_or_else(|| format!("no flag `{flag}`"))?;
        self.attr.set(FLAG_WORD, 1 << bit);
        Ok(())
    }

    fn open(&self) -> Result<File, Error> {
        self.attr.open(self.pid, self.cpu, self.group)
    }
}

fn number(text: &str) -> Result<u64, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|error| format!("`{text}`: {error}"))
}

fn signed(text: &str) -> Result<i32, String> {
    text.parse().map_err(|error| format!("`{text}`: {error}"))
}
