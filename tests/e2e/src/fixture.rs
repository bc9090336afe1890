// SPDX-License-Identifier: GPL-2.0

//! Fixture of the end-to-end tests: a shared booted machine, commands that must succeed,
//! counts that must be exact.
//!
//! A test runs [`on`] a machine. Booting takes seconds, so a machine is passed on to the
//! next test with the same configuration, or with one that differs only in our module. A
//! machine on which a test failed is not passed on. After each test the kernel's log and
//! the model's violations are checked, and a complaint of either makes the test fail. A
//! failing test prints the `make` line that repeats its last command. All functions panic
//! if the machine does not answer, or does what it must not.

mod counts;
mod interrupts;
mod layers;
mod leaks;
pub mod pack;
mod pci;
pub mod probe;
mod samples;
mod shape;
mod surveyed;
mod sysfs;

use crate::perf::{Stat, Table};
use std::fmt::Write as _;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::{Mutex, PoisonError, RwLock};
use uncore_runner::{Config, Driver, Faults, Guest, Output};

pub use counts::{counts_in_part, number, reads};
pub use interrupts::{Interrupts, Numbers, Overflow};
pub use layers::Layer;
pub use pci::Function;
pub use probe::Wanted;
pub use samples::{sample, samples};
pub use shape::Shape;
pub use sysfs::{switch, DEVICES};

/// Largest number of machines that wait for a test; further ones are switched off.
const IDLE_MACHINES: usize = 8;

/// Counters that always run, in the machine's state.
const ALWAYS_RUNNING: [&str; 2] = ["LINK_IDLE", "LINK_LLR"];

/// Prints what a test may have changed on its machine: readings, CPUs, modules and parameters, limits,
/// who counts for the packages. Mends what a test is free to break.
const CHANGES: &str = "machine clear-defects; machine reading; \
     cd /sys/devices && cat system/cpu/online; cut -d ' ' -f 1 /proc/modules | sort; \
     grep -s . /sys/module/uncore_rs/parameters/* /proc/sys/kernel/perf_event_paranoid \
     /proc/sys/kernel/nmi_watchdog; cat *_uncore_*/cpumask 2>/dev/null | sort -u";

/// Largest number of mismatches that are printed.
const MISMATCHES_SHOWN: usize = 20;

static IDLE: Mutex<Vec<Session>> = Mutex::new(Vec::new());

/// Held shared by a test that runs beside others, and exclusively by one that runs alone.
static RUNNING: RwLock<()> = RwLock::new(());

/// Runs a test on a machine of this configuration, and returns its result. Panics if
/// the machine cannot be booted, the test panics, the kernel complains or the model
/// records a violation.
pub fn on<T>(config: &Config, test: impl FnOnce(&mut Session) -> T) -> T {
    let _beside_others = RUNNING.read().unwrap_or_else(PoisonError::into_inner);
    on_shared(config, test)
}

/// Runs a test while no other test runs. It is for limits of time: an emulated processor
/// that waits for one of the computer's is late with its timers and interrupts.
pub fn on_alone<T>(config: &Config, test: impl FnOnce(&mut Session) -> T) -> T {
    let _alone = RUNNING.write().unwrap_or_else(PoisonError::into_inner);
    on_shared(config, test)
}

fn on_shared<T>(config: &Config, test: impl FnOnce(&mut Session) -> T) -> T {
    let (session, value) = Session::take(config).hold(test);
    session.give_back();
    value
}

/// Runs a test on a machine that no other test uses before or after it.
pub fn on_new<T>(config: &Config, test: impl FnOnce(&mut Session) -> T) -> T {
    let _beside_others = RUNNING.read().unwrap_or_else(PoisonError::into_inner);
    let (_session, value) = Session::boot(config).hold(test);
    value
}

/// Tells if tests take all repetitions (`UNCORE_REPEAT=all`, as `make test-all` sets it),
/// and not as few as hold each promise once.
pub fn repeats_all() -> bool {
    std::env::var("UNCORE_REPEAT").as_deref() == Ok("all")
}

/// Returns all of the cases of a sweep, or one in ten.
pub fn few<T>(all: Vec<T>) -> impl Iterator<Item = T> {
    all.into_iter().step_by(if repeats_all() { 1 } else { 10 })
}

/// A machine in the hands of one test.
pub struct Session {
    guest: Guest,
    config: Config,
    last_command: String,
    tolerates: Tolerance,
    /// What [`CHANGES`] printed before the test.
    as_booted: String,
}

/// Violations that a test has no interest in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tolerance {
    Nothing,
    /// Bits that must be written 1 and were not.
    MissingOnes,
    Everything,
}

impl Session {
    fn take(config: &Config) -> Self {
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        let same = idle.iter().position(|session| session.config == *config);
        let similar = || {
            idle.iter()
                .position(|session| session.config.can_become(config))
        };
        let found = same.or_else(similar).map(|index| idle.remove(index));
        drop(idle);
        let Some(mut session) = found else {
            let mut session = Self::boot(config);
            session.as_booted = session.ok(CHANGES);
            return session;
        };
        session.turn_into(config);
        session
    }

    /// Exchanges the driver, or its parameters, if the configuration asks for others.
    fn turn_into(&mut self, config: &Config) {
        let loaded = |config: &Config| (config.driver, config.parameters.clone());
        let is_other = loaded(&self.config) != loaded(config);
        if is_other {
            self.unload(self.config.driver);
        }
        self.guest.set_limit(config.command_timeout());
        self.config = config.clone();
        if is_other {
            self.load(config.driver, &config.parameters);
            self.as_booted = self.ok(CHANGES);
        }
    }

    fn boot(config: &Config) -> Self {
        let guest = Guest::boot(config).unwrap_or_else(|error| panic!("{error}"));
        Self {
            guest,
            config: config.clone(),
            last_command: "true".to_owned(),
            tolerates: Tolerance::Nothing,
            as_booted: String::new(),
        }
    }

    /// Runs a test, and checks for complaints of the machine.
    fn hold<T>(mut self, test: impl FnOnce(&mut Self) -> T) -> (Self, T) {
        let outcome = catch_unwind(AssertUnwindSafe(|| test(&mut self)));
        let faults = self.complaints();
        match (outcome, faults) {
            (Ok(value), None) => (self, value),
            (Ok(_), Some(faults)) => {
                self.print_how_to_repeat();
                panic!("{faults}");
            }
            (Err(panic), faults) => {
                self.print_how_to_repeat();
                if let Some(faults) = faults {
                    println!("{faults}");
                }
                resume_unwind(panic);
            }
        }
    }

    /// Keeps the machine for other tests, as it was booted. Panics if the test has changed what it
    /// must not.
    fn give_back(mut self) {
        self.tolerates = Tolerance::Nothing;
        if self.ok(CHANGES) != self.as_booted {
            // CPUs that went and came back count for other packages until then.
            self.reload();
            let left = self.ok(CHANGES);
            assert_eq!(left, self.as_booted, "this test has changed its machine");
        }
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(self);
        if idle.len() > IDLE_MACHINES {
            let oldest = idle.remove(0);
            drop(idle);
            drop(oldest);
        }
    }

    /// Returns the complaints of the machine about the test, if there are any.
    fn complaints(&mut self) -> Option<String> {
        let faults = match self.guest.faults() {
            Ok(faults) => self.not_tolerated(faults),
            Err(error) => return Some(error.to_string()),
        };
        (!faults.is_empty()).then(|| faults.to_string())
    }

    /// Returns complaints without the violations in spite of which the test passes.
    fn not_tolerated(&self, mut faults: Faults) -> Faults {
        faults.violations.retain(|violation| match self.tolerates {
            Tolerance::Nothing => true,
            Tolerance::MissingOnes => !violation.ends_with(" must be written 1"),
            Tolerance::Everything => false,
        });
        faults
    }

    fn print_how_to_repeat(&self) {
        println!("to repeat: {}", self.config.make_line(&self.last_command));
    }

    /// Makes the test pass in spite of all violations: those of a program from outside, among which
    /// ours may not act.
    pub fn tolerate_violations(&mut self) {
        self.tolerates = Tolerance::Everything;
    }

    /// Makes the test pass in spite of bits that must be written 1 and are not. The kernel's own
    /// driver leaves them out when it is loaded.
    pub fn tolerate_missing_ones(&mut self) {
        self.tolerates = Tolerance::MissingOnes;
    }

    /// Returns the complaints of the kernel and the model since the last call.
    pub fn faults(&mut self) -> Faults {
        self.guest
            .faults()
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Runs a shell command, whatever its status.
    pub fn run(&mut self, command: &str) -> Output {
        command.clone_into(&mut self.last_command);
        let output = self.guest.run(command);
        output.unwrap_or_else(|error| panic!("`{command}`: {error}"))
    }

    /// Runs a shell command that must succeed, and returns its standard output.
    pub fn ok(&mut self, command: &str) -> String {
        let output = self.run(command);
        assert_eq!(output.status, 0, "`{command}` failed:\n{}", output.stderr);
        output.stdout
    }

    /// Runs a shell command that must fail, and returns its standard error.
    pub fn fails(&mut self, command: &str) -> String {
        let output = self.run(command);
        assert_ne!(
            output.status, 0,
            "`{command}` succeeded:\n{}",
            output.stdout
        );
        output.stderr
    }

    /// Returns a shell command that runs one as a user without any privilege.
    pub fn by_a_user(&mut self, command: &str) -> String {
        self.ok("grep -qs ^user: /etc/passwd || echo 'user:x:1000:1000::/:/bin/sh' >> /etc/passwd");
        format!("su user -c \"{command}\"")
    }

    /// Runs a command of the machine itself, see `machine help`.
    pub fn machine(&mut self, command: &str) -> String {
        self.ok(&format!("machine {command}"))
    }

    /// Loads a driver with these parameters.
    pub fn load(&mut self, driver: Driver, parameters: &[String]) {
        if let Some(file) = driver.module() {
            self.ok(&format!("load-module {file} {}", parameters.join(" ")));
        }
    }

    /// Unloads a driver, which must not be in use.
    pub fn unload(&mut self, driver: Driver) {
        if driver.module().is_some() {
            self.ok(&format!("rmmod {}", driver.name()));
        }
    }

    /// Returns the machine's state: every register that is not at its reset value, but for
    /// counters that always run.
    pub fn state(&mut self) -> String {
        let state = self.machine("state");
        let of_line = |line: &str| {
            let mut words: Vec<&str> = line.split(' ').collect();
            while let Some(at) = words.iter().position(|word| ALWAYS_RUNNING.contains(word)) {
                words.drain(at..at + 2);
            }
            words.join(" ")
        };
        state.lines().map(of_line).collect::<Vec<_>>().join("\n")
    }

    /// Returns the machine's state after our driver was loaded and unloaded: all registers
    /// as after reset, but for bits that software must write 1.
    pub fn state_after_unloading(&mut self) -> String {
        self.load(Driver::UncoreRs, &[]);
        self.unload(Driver::UncoreRs);
        self.state()
    }

    /// Unloads the machine's driver and loads it again.
    pub fn reload(&mut self) {
        let Config {
            driver, parameters, ..
        } = self.config.clone();
        self.unload(driver);
        self.load(driver, &parameters);
    }

    /// Runs `perf stat`, which must succeed, and reads its table.
    pub fn stat(&mut self, stat: &Stat) -> Table {
        let command = stat.json();
        let output = self.run(&command);
        assert_eq!(output.status, 0, "`{command}` failed:\n{}", output.stderr);
        Table::parse(&output.stderr).unwrap_or_else(|error| panic!("`{command}`: {error}"))
    }

    /// Runs steps of `perf-open` and returns its answers, a line each.
    pub fn perf_open<S: AsRef<str>>(&mut self, steps: &[S]) -> Vec<String> {
        let answers = self.ok(&perf_open(steps));
        answers.lines().map(str::to_owned).collect()
    }

    /// Runs steps of `perf-open` in one of which the machine hibernates and is switched
    /// off; they go on after another boot. Returns the answers from then on.
    pub fn perf_open_over_hibernation<S: AsRef<str>>(&mut self, steps: &[S]) -> Vec<String> {
        let command = perf_open(steps);
        command.clone_into(&mut self.last_command);
        let output = self.guest.run_over_hibernation(&command);
        let output = output.unwrap_or_else(|error| panic!("`{command}`: {error}"));
        assert_eq!(output.status, 0, "`{command}` failed:\n{}", output.stderr);
        output.stdout.lines().map(str::to_owned).collect()
    }

    /// Runs steps of `perf-open`, the last of which starts another kernel, and waits until
    /// that runs.
    pub fn start_next_kernel<S: AsRef<str>>(&mut self, steps: &[S]) {
        let command = perf_open(steps);
        command.clone_into(&mut self.last_command);
        let started = self.guest.start_next_kernel(&command);
        started.unwrap_or_else(|error| panic!("`{command}`: {error}"));
    }

    /// Returns what all kernels have logged on this machine.
    pub fn kernel_log(&self) -> String {
        self.guest.kernel_log()
    }

    /// Returns the refusals that the driver remembers, oldest first.
    pub fn rejections(&mut self) -> Vec<String> {
        let text = self.ok("cat /sys/kernel/debug/uncore_rs/rejections");
        text.lines().map(str::to_owned).collect()
    }
}

/// Returns the shell command of these steps of `perf-open`.
fn perf_open<S: AsRef<str>>(steps: &[S]) -> String {
    let mut command = "perf-open".to_owned();
    for step in steps {
        let _ = write!(command, " '{}'", step.as_ref());
    }
    command
}

/// Returns a shell command that starts `perf stat` with these options in the background, as process
/// `$held`, and waits until it counts: only then does it run its command.
pub fn counting_beside(options: &str) -> String {
    const COUNTS: &str = "/tmp/counts";
    format!(
        "rm -f {COUNTS}; perf stat {options} sh -c 'touch {COUNTS}; exec sleep 600' 2>/dev/null &
         held=$!; until [ -e {COUNTS} ]; do sleep 0.1; done"
    )
}

/// Fails with the list of mismatches, unless it is empty.
pub fn assert_none(mismatches: &[String]) {
    let shown = &mismatches[..mismatches.len().min(MISMATCHES_SHOWN)];
    assert!(
        mismatches.is_empty(),
        "{} wrong:\n  {}",
        mismatches.len(),
        shown.join("\n  ")
    );
}
