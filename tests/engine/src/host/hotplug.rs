// SPDX-License-Identifier: GPL-2.0

//! CPU hotplug and sleep of the computer.

use super::*;

/// CPU hotplug.
impl Host {
    /// Runs `f` while no CPU comes or goes.
    pub(crate) fn with_cpus_locked<R>(&self, f: impl FnOnce() -> R) -> R {
        may_sleep();
        let _cpus = self.cpus.read().expect("no callback panicked");
        f()
    }

    /// Adds callbacks and calls them for the CPUs that are online.
    pub(crate) fn add_callbacks(&self, callbacks: Arc<dyn Hotplug>) {
        self.with_cpus_locked(|| {
            online_cpus().for_each(|cpu| bound_to(cpu, |cpu| callbacks.online(cpu)));
            plain(&self.callbacks).push(callbacks);
        });
    }

    /// Removes callbacks, after they were called for the CPUs that are online.
    pub(crate) fn remove_callbacks(&self, callbacks: &Arc<dyn Hotplug>) {
        self.with_cpus_locked(|| {
            online_cpus().for_each(|cpu| bound_to(cpu, |cpu| callbacks.release(cpu)));
            plain(&self.callbacks).retain(|other| !Arc::ptr_eq(other, callbacks));
        });
    }

    /// Returns whether callbacks are there; another thread may go on before.
    pub(crate) fn has_callbacks(&self) -> bool {
        step();
        !plain(&self.callbacks).is_empty()
    }

    /// Takes a CPU offline.
    pub(crate) fn offline(&self, cpu: u32) {
        let _cpus = self.cpus.write().expect("no callback panicked");
        if !self.is_online(cpu) {
            return;
        }
        let callbacks = plain(&self.callbacks).clone();
        for callbacks in callbacks {
            bound_to(Cpu::running(cpu), |cpu| callbacks.offline(cpu));
        }
        let pmus = plain(&self.pmus).clone();
        for pmu in pmus {
            pmu.exit_cpu(cpu);
        }
        let processor = self.processor(cpu);
        self.take(cpu, true);
        HERE.with(|here| here.section.set(Some(cpu)));
        processor.state.lock().expect("no section panicked").online = false;
        processor.online.store(false, Relaxed);
        self.give_back(cpu);
        HERE.with(|here| here.section.set(None));
        processor.free.notify_all();
    }

    /// Brings a CPU online.
    pub(crate) fn online(&self, cpu: u32) {
        let _cpus = self.cpus.write().expect("no callback panicked");
        let processor = self.processor(cpu);
        if self.is_online(cpu) {
            return;
        }
        processor.lvtpc.store(MASKED, Relaxed);
        processor.uncore_pmi.store(false, Relaxed);
        processor.state.lock().expect("no section panicked").online = true;
        processor.online.store(true, Relaxed);
        let callbacks = plain(&self.callbacks).clone();
        for callbacks in callbacks {
            bound_to(Cpu::running(cpu), |cpu| callbacks.online(cpu));
        }
    }
}

/// Sleep.
impl Host {
    pub(super) fn power(&self) -> Arc<dyn Power> {
        plain(&self.power).clone().expect("the driver is loaded")
    }

    /// Suspends the computer to RAM for a time: all CPUs but the first go offline, and all registers
    /// are lost. Calls `in_sleep` while no driver runs.
    pub(crate) fn suspend_to_ram(&self, ns: u64, in_sleep: impl FnOnce()) {
        self.suspend_with_firmware(ns, in_sleep, || ());
    }

    /// Does so with `firmware`, which runs after the registers were lost.
    pub(crate) fn suspend_with_firmware(
        &self,
        ns: u64,
        in_sleep: impl FnOnce(),
        firmware: impl FnOnce(),
    ) {
        let power = self.power();
        power.prepare();
        let others: Vec<u32> = (1..self.cpus())
            .filter(|&cpu| self.is_online(cpu))
            .collect();
        others.iter().for_each(|&cpu| self.offline(cpu));
        on_for(Opener::Kernel, 0, |here| {
            power.suspend(here);
            in_sleep();
            self.machine().lose_power();
            firmware();
            self.processor(0).lvtpc.store(MASKED, Relaxed);
            self.slept_ns.fetch_add(ns, Relaxed);
            power.resume(here);
        });
        others.iter().for_each(|&cpu| self.online(cpu));
        power.wake();
    }

    /// Suspends the computer to idle for a time. Calls `in_sleep` while no timer fires.
    pub(crate) fn suspend_to_idle(&self, ns: u64, in_sleep: impl FnOnce()) {
        let power = self.power();
        power.prepare();
        in_sleep();
        self.slept_ns.fetch_add(ns, Relaxed);
        power.wake();
    }

    /// Tells the driver that the computer is about to reboot.
    pub(crate) fn shut_down(&self) {
        self.power().shutdown();
    }
}

/// Runs `f` in process context on a CPU.
fn bound_to(cpu: Cpu, f: impl FnOnce(Cpu)) {
    HERE.with(|here| here.bound.set(Some(cpu.number())));
    f(cpu);
    HERE.with(|here| here.bound.set(None));
}
