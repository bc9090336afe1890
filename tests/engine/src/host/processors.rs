// SPDX-License-Identifier: GPL-2.0

//! Processors of the computer: interrupts, NMIs and what they cost.

use super::*;

/// Processors.
impl Host {
    /// Number of processors.
    pub(crate) fn cpus(&self) -> u32 {
        u32::try_from(self.processors.len()).expect("few processors")
    }

    /// The place of a CPU in the machine.
    pub(crate) fn place(&self, cpu: u32) -> uncore_machine::Cpu {
        self.processor(cpu).place
    }

    /// Returns whether a CPU is online.
    pub(crate) fn is_online(&self, cpu: u32) -> bool {
        self.processor(cpu).online.load(Relaxed)
    }

    pub(super) fn processor(&self, cpu: u32) -> &Processor {
        &self.processors[usize::try_from(cpu).expect("32 bits fit")]
    }

    pub(super) fn first_online(&self) -> u32 {
        let mut cpus = 0..self.cpus();
        cpus.find(|&cpu| self.is_online(cpu))
            .expect("a CPU is online")
    }

    /// Takes a CPU for a section; waits for it if `wait`. Returns `false` if it is offline or taken.
    pub(super) fn take(&self, cpu: u32, wait: bool) -> bool {
        let processor = self.processor(cpu);
        let mut state = processor.state.lock().expect("no section panicked");
        loop {
            if !state.online || state.taken && !wait {
                return false;
            }
            if !state.taken {
                state.taken = true;
                return true;
            }
            state = processor.free.wait(state).expect("no section panicked");
        }
    }

    /// Takes the interrupts of a CPU and ends its section.
    pub(super) fn give_back(&self, cpu: u32) {
        let processor = self.processor(cpu);
        loop {
            self.take_nmis(cpu);
            let next = plain(&processor.interrupts).pop_front();
            if let Some(interrupt) = next {
                interrupt(&IrqsOff::at(cpu));
                self.end_section(Opener::Driver);
                continue;
            }
            let mut state = processor.state.lock().expect("no section panicked");
            if !processor.has_interrupt() {
                state.taken = false;
                processor.free.notify_one();
                return;
            }
        }
    }

    /// Runs the interrupts of CPUs on which no section runs.
    pub(super) fn interrupt_idle_cpus(&self) {
        if HERE.with(|here| here.section.get()).is_some() {
            return;
        }
        while let Some(cpu) = (0..self.cpus())
            .find(|&cpu| self.processor(cpu).has_interrupt() && self.take(cpu, false))
        {
            HERE.with(|here| here.section.set(Some(cpu)));
            self.give_back(cpu);
            HERE.with(|here| here.section.set(None));
        }
    }

    /// Takes the NMIs of a CPU, in its section.
    pub(super) fn take_nmis(&self, cpu: u32) {
        while !in_nmi() && self.processor(cpu).nmi.swap(false, Relaxed) {
            HERE.with(|here| here.in_nmi.set(true));
            self.now.fetch_add(self.nmi_latency.load(Relaxed), Relaxed);
            let handler = plain(&self.nmi_handler).clone();
            let claimed = handler.map_or(Claimed::No, |handler| handler.handle(&Nmi::at(cpu)));
            HERE.with(|here| here.in_nmi.set(false));
            if claimed == Claimed::No {
                self.unknown_nmis.fetch_add(1, Relaxed);
            }
        }
    }

    /// Sends an NMI of no known source.
    pub(crate) fn foreign_nmi(&self, cpu: u32) {
        self.send_nmi(cpu);
        self.interrupt_idle_cpus();
    }

    /// Sends an NMI, as the driver does.
    pub(crate) fn send_nmi(&self, cpu: u32) {
        self.processor(cpu).nmi.store(true, Relaxed);
    }

    /// Sends the interrupts of the machine that are due to their CPUs.
    pub(super) fn deliver(&self) {
        let interrupts = self.machine().take_interrupts();
        let asleep = self.asleep.load(Relaxed);
        for pmi in interrupts {
            for processor in &self.processors {
                let arrives = pmi.reach(processor.place, asleep) == Reach::Arrives;
                let lets = processor.uncore_pmi.load(Relaxed) && processor.online.load(Relaxed);
                if arrives && lets && processor.lvtpc.fetch_or(MASKED, Relaxed) & MASKED == 0 {
                    processor.nmi.store(true, Relaxed);
                }
            }
        }
    }

    /// Queues an interrupt of a CPU, to be taken at the end of its section.
    pub(crate) fn interrupt(&self, cpu: u32, interrupt: Interrupt) {
        plain(&self.processor(cpu).interrupts).push_back(interrupt);
    }

    /// Waits until each CPU has ended its section and taken its interrupts.
    pub(crate) fn synchronize(&self) {
        may_sleep();
        for cpu in 0..self.cpus() {
            on(cpu, |_| ());
        }
    }

    /// Reads LVTPC.
    pub(crate) fn lvtpc(&self, cpu: u32) -> u32 {
        self.processor(cpu).lvtpc.load(Relaxed)
    }

    /// Writes LVTPC.
    pub(crate) fn set_lvtpc(&self, cpu: u32, value: u32) {
        step();
        let before = self.processor(cpu).lvtpc.swap(value, Relaxed);
        if before & !value & MASKED != 0 {
            self.machine().unmasked(self.place(cpu));
        }
        self.after_access(cpu);
    }

    /// Changes bit 13 of IA32_DEBUGCTL and returns its previous value.
    pub(crate) fn set_uncore_pmi(&self, cpu: u32, enabled: bool) -> bool {
        self.processor(cpu).uncore_pmi.swap(enabled, Relaxed)
    }

    /// Sets the handler of NMIs; returns `false` if there is one.
    pub(crate) fn set_nmi_handler(&self, handler: Arc<dyn Handle>) -> bool {
        let mut slot = plain(&self.nmi_handler);
        let is_free = slot.is_none();
        slot.get_or_insert(handler);
        is_free
    }

    /// Returns whether there is a handler of NMIs.
    pub(crate) fn has_nmi_handler(&self) -> bool {
        plain(&self.nmi_handler).is_some()
    }

    /// Removes the handler of NMIs and waits until no CPU runs it.
    pub(crate) fn remove_nmi_handler(&self) {
        plain(&self.nmi_handler).take();
        self.synchronize();
    }
}

impl Processor {
    pub(super) fn new(place: uncore_machine::Cpu) -> Self {
        Self {
            place,
            state: Mutex::new(State {
                online: true,
                taken: false,
            }),
            free: Condvar::new(),
            online: AtomicBool::new(true),
            lvtpc: AtomicU32::new(MASKED),
            uncore_pmi: AtomicBool::new(false),
            nmi: AtomicBool::new(false),
            interrupts: Plain::default(),
        }
    }

    pub(super) fn has_interrupt(&self) -> bool {
        self.nmi.load(Relaxed) || !plain(&self.interrupts).is_empty()
    }
}
