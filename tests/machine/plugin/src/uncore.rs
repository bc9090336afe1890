// SPDX-License-Identifier: GPL-2.0

//! The model behind its lock, with its clock and its reports.
//!
//! Rule of the whole plugin: while the lock is held the emulator is not called.
//! Interrupts are handed out and sent once it is released.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use uncore_machine::{Machine, Pmi, Processors};

use crate::clock::Clock;
use crate::report::Report;

/// The result of an access, and the interrupts it caused.
pub(crate) struct Effects<T> {
    pub(crate) value: T,
    pub(crate) interrupts: Vec<Pmi>,
    /// Behaviour of processors with them.
    pub(crate) processors: Processors,
    pub(crate) free_running: bool,
}

/// The machine, shared by all vCPUs.
pub(crate) struct Uncore {
    state: Mutex<State>,
    start: Instant,
}

struct State {
    machine: Machine,
    clock: Clock,
    report: Report,
}

impl Uncore {
    pub(crate) fn new(machine: Machine, report: Report) -> Self {
        Self {
            state: Mutex::new(State {
                machine,
                clock: Clock::default(),
                report,
            }),
            start: Instant::now(),
        }
    }

    /// Brings the machine up to now and lets `access` do something with it.
    pub(crate) fn access<T>(
        &self,
        access: impl FnOnce(&mut Machine, &mut Report) -> T,
    ) -> Effects<T> {
        let mut guard = self.lock();
        let State {
            machine,
            clock,
            report,
        } = &mut *guard;
        let cycles = clock.advance(self.start.elapsed(), machine.is_free_running());
        if cycles > 0 {
            machine.advance(cycles);
        }
        let value = access(machine, report);
        report.update(machine.violations());
        Effects {
            value,
            interrupts: machine.take_interrupts(),
            processors: machine.processors(),
            free_running: machine.is_free_running(),
        }
    }

    /// The machine loses its power. Free-running time stands still until the next access,
    /// after the sleep.
    pub(crate) fn lose_power(&self) {
        self.access(|machine, report| {
            report.log(|| "power lost".to_owned());
            machine.lose_power();
        });
        self.lock().clock.stop();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
