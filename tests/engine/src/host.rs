// SPDX-License-Identifier: GPL-2.0

//! The computer that the stand-ins of `rust/linux` share: processors that interrupt, the clock, the
//! PCI bus, perf's PMUs, and the model of the uncore.
//!
//! A *section* is code that runs on a CPU with interrupts off. A thread takes the CPU for a section
//! and gives it back at its end, so that sections of one CPU never overlap. NMIs of the CPU are
//! taken inside a section, after each access to hardware; its deferred interrupts at the end, each in
//! a section of its own. The thread that ends a section also runs the interrupts of CPUs that are
//! idle. Accesses to hardware are counted by section, but for those of NMIs.
//!
//! Time passes if a test lets it, and by [`READ_NS`] each time the clock is read.
//!
//! With the feature `schedules` the locks are shuttle's, and each access to hardware is a point at
//! which another thread may go on.

use crate::linux::{
    context::{IrqsOff, Nmi},
    debugfs::Dialog,
    hrtimer::Again,
    module_file::Show,
    nmi::Claimed,
    power::Power,
    topology,
};
use kernel::sync::host::{atomic, Condvar, Mutex, RwLock};
use std::{
    any::Any,
    cell::{Cell, RefCell},
    collections::{BTreeMap, VecDeque},
    fmt,
    sync::{
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed},
        Arc, Mutex as Plain, MutexGuard, Weak,
    },
};
use uncore_machine::{Function, Machine, Reach, Topology};

/// Time that reading the clock takes, in ns.
pub(crate) const READ_NS: u64 = 100;

/// A timer that is to fire again within this time, in ns, does so before the test goes on.
const AT_ONCE_NS: u64 = 50_000;

/// Cycles of uclk in a time of `UCLK.1` ns: 2400 MHz.
pub(crate) const UCLK: (u64, u64) = (12, 5);

/// LVTPC: the interrupt is held back.
const MASKED: u32 = 1 << 16;

/// Who turns interrupts off for a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Opener {
    /// The driver, or an interrupt that it has asked for.
    Driver,
    /// Perf, or the kernel's sleep.
    Kernel,
}

/// Code of an interrupt.
type Interrupt = Arc<dyn Fn(&IrqsOff) + Send + Sync>;

/// A BPF program.
pub(crate) type Program = Arc<dyn Fn(u32) + Send + Sync>;

/// The handler of NMIs.
type NmiHandler = Arc<dyn Fn(&Nmi) -> Claimed + Send + Sync>;

/// The callbacks of CPU hotplug.
pub(crate) trait Hotplug: Send + Sync {
    /// A CPU has come online.
    fn online(&self, cpu: u32);

    /// A CPU is about to go offline.
    fn offline(&self, cpu: u32);

    /// The callbacks are about to be removed, and a CPU stays online.
    fn release(&self, cpu: u32);
}

/// A PCI driver.
pub(crate) trait PciDriver: Send + Sync {
    /// Binds a function if the driver takes it, and returns whether it does.
    fn probe(&self, at: Function) -> bool;

    /// Unbinds a function.
    fn remove(&self, at: Function);
}

/// A PMU, as perf sees it when a CPU goes.
pub(crate) trait RegisteredPmu: Any + Send + Sync {
    /// Ends the events that a CPU still has.
    fn exit_cpu(&self, cpu: u32);

    /// The PMU with its type.
    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

/// A processor.
struct Processor {
    /// Its place in the machine.
    place: uncore_machine::Cpu,
    state: Mutex<State>,
    /// The CPU was given back.
    free: Condvar,
    online: AtomicBool,
    /// LVTPC.
    lvtpc: AtomicU32,
    /// Bit 13 of IA32_DEBUGCTL.
    uncore_pmi: AtomicBool,
    /// An NMI is pending.
    nmi: AtomicBool,
    /// Its core PMU has overflowed, which the handler of it has not seen.
    core_overflow: AtomicBool,
    /// Interrupts that wait until the CPU takes them.
    interrupts: Plain<VecDeque<Interrupt>>,
}

/// Whether a section may begin on a CPU.
struct State {
    online: bool,
    taken: bool,
}

/// A timer.
pub(crate) struct HostTimer {
    /// Time and CPU at which it fires.
    due: Plain<Option<(u64, u32)>>,
    /// Held while the callback runs.
    running: Mutex<()>,
    expire: Box<dyn Fn(&IrqsOff) -> Again + Send + Sync>,
}

/// Work for process context.
pub(crate) struct HostWork {
    scheduled: AtomicBool,
    disabled: AtomicBool,
    /// Held while the work runs.
    running: Mutex<()>,
    run: Box<dyn Fn() + Send + Sync>,
}

/// The works that are scheduled.
struct Queue {
    works: VecDeque<Arc<HostWork>>,
    closed: bool,
}

/// The computer.
pub(crate) struct Host {
    /// Read at each point at which another thread may go on.
    step: atomic::AtomicBool,
    machine: Plain<Machine>,
    /// What CPUID shows of the processors.
    pub(crate) processor: Plain<topology::Processor>,
    /// NUMA nodes that firmware says the machine can have.
    pub(crate) nodes: AtomicU32,
    /// The CPU that is not present; `u32::MAX` if all are.
    pub(crate) absent_cpu: AtomicU32,
    /// The CPU that the kernel keeps for programs; `u32::MAX` if there is none.
    pub(crate) isolated_cpu: AtomicU32,
    /// The first bus of the second PCI segment, whose bus 0 it is; `u32::MAX` if there is no such
    /// segment.
    pub(crate) second_segment: AtomicU32,
    /// Cores sleep, unless something wakes them.
    pub(crate) asleep: AtomicBool,
    now: AtomicU64,
    processors: Vec<Processor>,
    /// The lock of the CPUs that are online: callbacks hold it to write.
    cpus: RwLock<()>,
    callbacks: Plain<Vec<Arc<dyn Hotplug>>>,
    /// A module has the state of CPU hotplug of the kernel's own driver.
    pub(crate) cpuhp_state: AtomicBool,
    nmi_handler: Plain<Option<NmiHandler>>,
    /// NMIs that nobody claimed.
    pub(crate) unknown_nmis: AtomicU32,
    /// The chipset reports that it has sent an NMI.
    pub(crate) chipset_nmi: AtomicBool,
    /// Time in ns from an NMI to its handler.
    pub(crate) nmi_latency: AtomicU64,
    /// Time in ns that an access to hardware takes.
    pub(crate) access_ns: AtomicU64,
    /// Another source sends an NMI after each access.
    pub(crate) noise: AtomicBool,
    /// A BPF program that runs in an NMI after each access, with the number of the CPU.
    pub(crate) program: Plain<Option<Program>>,
    timers: Plain<Vec<Weak<HostTimer>>>,
    queue: Mutex<Queue>,
    scheduled: Condvar,
    /// Functions of the machine, with whether they are bound; those that were removed are not here.
    functions: Plain<BTreeMap<(u8, u8, u8), bool>>,
    /// Functions whose accesses reach another one, or none and fail.
    redirected: Plain<BTreeMap<(u8, u8, u8), Option<Function>>>,
    /// The driver of the functions, and the lock of the bus.
    bus: Mutex<Option<Arc<dyn PciDriver>>>,
    /// SRCU of perf's list of PMUs.
    pub(crate) pmus_srcu: RwLock<()>,
    pub(crate) pmus: Plain<Vec<Arc<dyn RegisteredPmu>>>,
    /// The mutex of perf's contexts.
    pub(crate) contexts: Mutex<()>,
    pub(crate) next_event: AtomicU64,
    /// The name that no PMU can be registered with, as another one has it.
    pub(crate) taken_name: Plain<Option<&'static str>>,
    /// Users have CAP_PERFMON.
    pub(crate) perfmon_capable: AtomicBool,
    /// The user who runs the test.
    pub(crate) user: AtomicU32,
    pub(crate) debugfs: Plain<BTreeMap<String, Arc<dyn fmt::Display + Send + Sync>>>,
    pub(crate) dialogs: Plain<BTreeMap<String, Arc<dyn Dialog>>>,
    pub(crate) module_files: Plain<BTreeMap<String, Arc<dyn Show>>>,
    pub(crate) power: Plain<Option<Arc<dyn Power>>>,
    /// Time in ns that the computer slept.
    pub(crate) slept_ns: AtomicU64,
    /// Records of the tracepoint; `None` while it is disabled.
    pub(crate) trace: Plain<Option<Vec<String>>>,
    /// Most accesses of one section of [`Opener::Driver`], and of [`Opener::Kernel`].
    longest: [AtomicU32; 2],
}

/// Place at which a thread runs.
struct Here {
    host: RefCell<Option<Arc<Host>>>,
    /// CPU that a thread in process context may not leave.
    bound: Cell<Option<u32>>,
    /// CPU of the section.
    section: Cell<Option<u32>>,
    in_nmi: Cell<bool>,
    /// Accesses of the section.
    accesses: Cell<u32>,
}

impl Here {
    const fn new() -> Self {
        Self {
            host: RefCell::new(None),
            bound: Cell::new(None),
            section: Cell::new(None),
            in_nmi: Cell::new(false),
            accesses: Cell::new(0),
        }
    }
}

#[cfg(not(feature = "schedules"))]
thread_local! {
    static HERE: Here = const { Here::new() };
}

#[cfg(feature = "schedules")]
shuttle::thread_local! {
    static HERE: Here = Here::new();
}

/// Lets another thread go on, if the atomics do.
pub(crate) fn step() {
    host().step.load(Relaxed);
}

/// Returns the computer of this thread; a test that needs none in particular gets a usual one.
pub(crate) fn host() -> Arc<Host> {
    HERE.with(|here| {
        here.host
            .borrow_mut()
            .get_or_insert_with(|| Host::new("packages=2,cores=2"))
            .clone()
    })
}

/// Runs `f` in process context of a computer.
pub(crate) fn with_host<R>(host: &Arc<Host>, f: impl FnOnce() -> R) -> R {
    HERE.with(|here| *here.host.borrow_mut() = Some(host.clone()));
    kernel::time::passes_by(|ns| self::host().sleep(ns));
    let result = f();
    HERE.with(|here| here.host.borrow_mut().take());
    result
}

/// Returns whether this is an NMI.
pub(crate) fn in_nmi() -> bool {
    HERE.with(|here| here.in_nmi.get())
}

/// Checks that this is process context.
pub(crate) fn may_sleep() {
    HERE.with(|here| {
        assert!(!here.in_nmi.get(), "it sleeps in an NMI");
        assert_eq!(here.section.get(), None, "it sleeps with interrupts off");
    });
}

/// Runs `f` on a CPU with interrupts off; returns `None` if the CPU is offline.
pub(crate) fn on<R>(cpu: u32, f: impl FnOnce(&IrqsOff) -> R) -> Option<R> {
    on_for(Opener::Driver, cpu, f)
}

/// Does so, as perf does.
pub(crate) fn on_by_perf<R>(cpu: u32, f: impl FnOnce(&IrqsOff) -> R) -> Option<R> {
    on_for(Opener::Kernel, cpu, f)
}

fn on_for<R>(opener: Opener, cpu: u32, f: impl FnOnce(&IrqsOff) -> R) -> Option<R> {
    let host = host();
    if let Some(mine) = HERE.with(|here| here.section.get()) {
        assert!(!in_nmi(), "a section in an NMI");
        assert_eq!(mine, cpu, "a call to another CPU with interrupts off");
        return Some(f(&IrqsOff::at(cpu)));
    }
    if !host.take(cpu, true) {
        return None;
    }
    HERE.with(|here| here.section.set(Some(cpu)));
    let result = f(&IrqsOff::at(cpu));
    host.end_section(opener);
    host.give_back(cpu);
    HERE.with(|here| here.section.set(None));
    host.interrupt_idle_cpus();
    Some(result)
}

/// Runs `f` with interrupts off, on the CPU that this thread runs on.
pub(crate) fn here<R>(f: impl FnOnce(&IrqsOff) -> R) -> R {
    let mut f = Some(f);
    loop {
        let cpu = HERE.with(|here| here.section.get().or(here.bound.get()));
        let host = host();
        let cpu = cpu
            .filter(|&cpu| host.is_online(cpu))
            .unwrap_or_else(|| host.first_online());
        let run = |here: &IrqsOff| f.take().map(|f| f(here));
        if let Some(Some(result)) = on(cpu, run) {
            return result;
        }
    }
}

impl Host {
    /// Makes a computer with a machine of this shape. All its CPUs are online.
    pub(crate) fn new(shape: &str) -> Arc<Self> {
        let topology = Topology::parse(shape).expect("a shape that the machine has");
        let packages = u32::try_from(topology.packages.len()).expect("few packages");
        let places = (0..).zip(&topology.packages).flat_map(|(package, shape)| {
            (0..shape.cores).map(move |core| uncore_machine::Cpu {
                package,
                core,
                thread: 0,
            })
        });
        let processors = places.map(Processor::new).collect();
        let processor = topology::Processor::of(topology.platform);
        let nodes = packages << u32::from(topology.divided_at.is_some());
        let mut machine = Machine::new(topology);
        let functions = functions_of(&mut machine);
        Arc::new(Self {
            step: atomic::AtomicBool::new(false),
            machine: Plain::new(machine),
            processor: Plain::new(processor),
            nodes: AtomicU32::new(nodes),
            absent_cpu: AtomicU32::new(u32::MAX),
            isolated_cpu: AtomicU32::new(u32::MAX),
            second_segment: AtomicU32::new(u32::MAX),
            asleep: AtomicBool::new(false),
            now: AtomicU64::new(1_000_000_000),
            processors,
            cpus: RwLock::new(()),
            callbacks: Plain::default(),
            cpuhp_state: AtomicBool::new(false),
            nmi_handler: Plain::default(),
            unknown_nmis: AtomicU32::new(0),
            chipset_nmi: AtomicBool::new(false),
            nmi_latency: AtomicU64::new(0),
            access_ns: AtomicU64::new(0),
            noise: AtomicBool::new(false),
            program: Plain::default(),
            timers: Plain::default(),
            queue: Mutex::new(Queue {
                works: VecDeque::new(),
                closed: false,
            }),
            scheduled: Condvar::new(),
            functions: Plain::new(functions),
            redirected: Plain::default(),
            bus: Mutex::new(None),
            pmus_srcu: RwLock::new(()),
            pmus: Plain::default(),
            contexts: Mutex::new(()),
            next_event: AtomicU64::new(1),
            taken_name: Plain::default(),
            perfmon_capable: AtomicBool::new(true),
            user: AtomicU32::new(0),
            debugfs: Plain::default(),
            dialogs: Plain::default(),
            module_files: Plain::default(),
            power: Plain::default(),
            slept_ns: AtomicU64::new(0),
            trace: Plain::default(),
            longest: Default::default(),
        })
    }

    /// Locks the machine.
    pub(crate) fn machine(&self) -> MutexGuard<'_, Machine> {
        plain(&self.machine)
    }

    /// Gives the machine a command and returns its answer.
    pub(crate) fn command(&self, words: &str) -> String {
        let answer = self.machine().command(words);
        self.deliver();
        self.interrupt_idle_cpus();
        answer.unwrap_or_else(|error| panic!("{words}: {error}"))
    }
}

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

    fn processor(&self, cpu: u32) -> &Processor {
        &self.processors[usize::try_from(cpu).expect("32 bits fit")]
    }

    fn first_online(&self) -> u32 {
        let mut cpus = 0..self.cpus();
        cpus.find(|&cpu| self.is_online(cpu))
            .expect("a CPU is online")
    }

    /// Takes a CPU for a section; waits for it if `wait`. Returns `false` if it is offline or taken.
    fn take(&self, cpu: u32, wait: bool) -> bool {
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
    fn give_back(&self, cpu: u32) {
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
    fn interrupt_idle_cpus(&self) {
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
    fn take_nmis(&self, cpu: u32) {
        while !in_nmi() && self.processor(cpu).nmi.swap(false, Relaxed) {
            HERE.with(|here| here.in_nmi.set(true));
            self.now.fetch_add(self.nmi_latency.load(Relaxed), Relaxed);
            self.processor(cpu).core_overflow.store(false, Relaxed);
            let handler = plain(&self.nmi_handler).clone();
            let claimed = handler.map_or(Claimed::No, |handle| handle(&Nmi::at(cpu)));
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

    /// Lets the core PMU of a CPU overflow while its PMIs are lost.
    pub(crate) fn miss_core_pmi(&self, cpu: u32) {
        self.processor(cpu).core_overflow.store(true, Relaxed);
    }

    /// Returns whether no NMI has come since, in which the core PMU's handler would serve it.
    pub(crate) fn has_core_overflow(&self, cpu: u32) -> bool {
        self.processor(cpu).core_overflow.load(Relaxed)
    }

    /// Sends the interrupts of the machine that are due to their CPUs.
    fn deliver(&self) {
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
    pub(crate) fn set_nmi_handler(&self, handler: NmiHandler) -> bool {
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
    fn new(place: uncore_machine::Cpu) -> Self {
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
            core_overflow: AtomicBool::new(false),
            interrupts: Plain::default(),
        }
    }

    fn has_interrupt(&self) -> bool {
        self.nmi.load(Relaxed) || !plain(&self.interrupts).is_empty()
    }
}

/// Hardware.
impl Host {
    /// Forgets the sections so far, and returns the most accesses of one of them.
    pub(crate) fn take_longest(&self, opener: Opener) -> u32 {
        self.longest[opener as usize].swap(0, Relaxed)
    }

    /// Ends a section.
    fn end_section(&self, opener: Opener) {
        let accesses = HERE.with(|here| here.accesses.take());
        self.longest[opener as usize].fetch_max(accesses, Relaxed);
    }

    /// Accesses the machine from a CPU; other threads go on before it, its NMIs come after it.
    pub(crate) fn access<R>(&self, cpu: u32, access: impl FnOnce(&mut Machine) -> R) -> R {
        step();
        HERE.with(|here| {
            here.accesses
                .set(here.accesses.get() + u32::from(!here.in_nmi.get()))
        });
        let result = access(&mut self.machine());
        self.count_on(self.access_ns.load(Relaxed));
        self.after_access(cpu);
        result
    }

    fn after_access(&self, cpu: u32) {
        self.deliver();
        let program = plain(&self.program).clone().filter(|_| !in_nmi());
        if let Some(run) = program {
            HERE.with(|here| here.in_nmi.set(true));
            run(cpu);
            HERE.with(|here| here.in_nmi.set(false));
        }
        if self.noise.load(Relaxed) && !in_nmi() {
            self.processor(cpu).nmi.store(true, Relaxed);
        }
        self.take_nmis(cpu);
    }

    /// Accesses a PCI function from where this thread runs.
    pub(crate) fn access_function<R>(&self, access: impl FnOnce(&mut Machine) -> R) -> R {
        assert!(!in_nmi(), "an access to a PCI function in an NMI");
        here(|here| self.access(here.cpu().number(), access))
    }

    /// Lets traffic pass for so many cycles of uclk, in which timers fire each minute; it waits in
    /// packages that are frozen.
    pub(crate) fn traffic(&self, uclk: u64) {
        const MINUTE: u64 = 60_000_000_000 * UCLK.0 / UCLK.1;
        let mut left = uclk;
        loop {
            let part = left.min(MINUTE);
            self.machine().burst_through(part);
            self.elapse(part * UCLK.1 / UCLK.0);
            left -= part;
            if left == 0 {
                return;
            }
        }
    }
}

/// Time.
impl Host {
    /// Returns the time in ns.
    pub(crate) fn now(&self) -> u64 {
        self.count_on(READ_NS)
    }

    /// Lets the clock and the traffic of a free-running machine go on, and nothing else. Returns the
    /// time before.
    fn count_on(&self, ns: u64) -> u64 {
        self.machine().advance(ns * UCLK.0 / UCLK.1);
        self.now.fetch_add(ns, Relaxed)
    }

    /// Lets time pass, and the traffic of a free-running machine.
    pub(crate) fn pass(&self, ns: u64) {
        self.machine().advance(ns * UCLK.0 / UCLK.1);
        self.elapse(ns);
    }

    /// Lets time pass while code sleeps, in steps, so that an interrupt comes when it is due.
    pub(crate) fn sleep(&self, ns: u64) {
        const STEP_NS: u64 = 10_000;
        (0..ns / STEP_NS).for_each(|_| self.pass(STEP_NS));
        self.pass(ns % STEP_NS);
    }

    /// Takes the interrupts of what the machine has counted, and lets timers fire that are due.
    fn elapse(&self, ns: u64) {
        let now = self.now.fetch_add(ns, Relaxed) + ns;
        self.deliver();
        self.interrupt_idle_cpus();
        let timers: Vec<_> = {
            let mut timers = plain(&self.timers);
            timers.retain(|timer| timer.strong_count() > 0);
            timers.iter().filter_map(Weak::upgrade).collect()
        };
        for timer in timers {
            timer.fire(now);
        }
    }

    /// Makes a timer that is not armed.
    pub(crate) fn timer(
        &self,
        expire: impl Fn(&IrqsOff) -> Again + Send + Sync + 'static,
    ) -> Arc<HostTimer> {
        let timer = Arc::new(HostTimer {
            due: Plain::default(),
            running: Mutex::new(()),
            expire: Box::new(expire),
        });
        plain(&self.timers).push(Arc::downgrade(&timer));
        timer
    }
}

impl HostTimer {
    /// Arms the timer on a CPU.
    pub(crate) fn start(&self, cpu: u32, delay: u64) {
        step();
        *plain(&self.due) = Some((host().now().saturating_add(delay), cpu));
    }

    /// Disarms the timer and waits for its callback.
    pub(crate) fn cancel(&self) {
        may_sleep();
        let _running = self.running.lock().expect("no callback panicked");
        *plain(&self.due) = None;
    }

    fn fire(&self, mut now: u64) {
        let _running = self.running.lock().expect("no callback panicked");
        let is_due = |due: &(u64, u32)| due.0 <= now;
        let Some((_, cpu)) = plain(&self.due).take_if(|due| is_due(due)) else {
            return;
        };
        let moved = if host().is_online(cpu) {
            cpu
        } else {
            host().first_online()
        };
        while let Some(Again::After(delay)) = on(moved, |here| (self.expire)(here)) {
            let delay = delay.get();
            if delay > AT_ONCE_NS || plain(&self.due).is_some() {
                // A callback that is started meanwhile keeps the later start.
                plain(&self.due).get_or_insert((now.saturating_add(delay), moved));
                return;
            }
            now += delay;
            host().count_on(delay);
            host().deliver();
            host().interrupt_idle_cpus();
        }
    }
}

/// Work in process context.
impl Host {
    /// Makes work that is not scheduled.
    pub(crate) fn work(run: impl Fn() + Send + Sync + 'static) -> Arc<HostWork> {
        Arc::new(HostWork {
            scheduled: AtomicBool::new(false),
            disabled: AtomicBool::new(false),
            running: Mutex::new(()),
            run: Box::new(run),
        })
    }

    /// Schedules work.
    pub(crate) fn schedule(&self, work: &Arc<HostWork>) {
        if !work.scheduled.swap(true, Relaxed) {
            let mut queue = self.queue.lock().expect("no worker panicked");
            queue.works.push_back(work.clone());
            self.scheduled.notify_one();
        }
    }

    /// Does the work that is scheduled, as the worker would.
    pub(crate) fn settle(&self) {
        loop {
            let next = self
                .queue
                .lock()
                .expect("no worker panicked")
                .works
                .pop_front();
            match next {
                Some(work) => work.run(),
                None => return,
            }
        }
    }

    /// Does the work that is scheduled, until the queue is closed.
    pub(crate) fn do_work(&self) {
        loop {
            let mut queue = self.queue.lock().expect("no worker panicked");
            while queue.works.is_empty() && !queue.closed {
                queue = self.scheduled.wait(queue).expect("no worker panicked");
            }
            let Some(work) = queue.works.pop_front() else {
                return;
            };
            drop(queue);
            work.run();
        }
    }

    /// Lets the worker end.
    pub(crate) fn close_queue(&self) {
        self.queue.lock().expect("no worker panicked").closed = true;
        self.scheduled.notify_all();
    }
}

impl HostWork {
    fn run(&self) {
        let _running = self.running.lock().expect("no work panicked");
        self.scheduled.store(false, Relaxed);
        if !self.disabled.load(Relaxed) {
            (self.run)();
        }
    }

    /// Cancels the work and waits for it.
    pub(crate) fn disable(&self) {
        may_sleep();
        self.disabled.store(true, Relaxed);
        let _running = self.running.lock().expect("no work panicked");
    }
}

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
            for cpu in (0..self.cpus()).filter(|&cpu| self.is_online(cpu)) {
                bound_to(cpu, || callbacks.online(cpu));
            }
            plain(&self.callbacks).push(callbacks);
        });
    }

    /// Removes callbacks, after they were called for the CPUs that are online.
    pub(crate) fn remove_callbacks(&self, callbacks: &Arc<dyn Hotplug>) {
        self.with_cpus_locked(|| {
            for cpu in (0..self.cpus()).filter(|&cpu| self.is_online(cpu)) {
                bound_to(cpu, || callbacks.release(cpu));
            }
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
            bound_to(cpu, || callbacks.offline(cpu));
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
            bound_to(cpu, || callbacks.online(cpu));
        }
    }
}

/// Sleep.
impl Host {
    fn power(&self) -> Arc<dyn Power> {
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
fn bound_to<R>(cpu: u32, f: impl FnOnce() -> R) -> R {
    HERE.with(|here| here.bound.set(Some(cpu)));
    let result = f();
    HERE.with(|here| here.bound.set(None));
    result
}

/// The PCI bus.
impl Host {
    /// Functions that are present, in order.
    pub(crate) fn functions(&self) -> Vec<Function> {
        plain(&self.functions)
            .keys()
            .map(|&at| function(at))
            .collect()
    }

    /// Lets the accesses to a function reach another one, or none, so that they fail.
    pub(crate) fn redirect(&self, at: Function, target: Option<Function>) {
        plain(&self.redirected).insert(key(at), target);
    }

    /// Returns the function that the accesses to a function reach.
    pub(crate) fn reached(&self, at: Function) -> Option<Function> {
        let redirected = plain(&self.redirected).get(&key(at)).copied();
        redirected.unwrap_or(Some(at))
    }

    /// Registers the driver of the functions, and binds those that it takes.
    pub(crate) fn add_driver(&self, driver: Arc<dyn PciDriver>) {
        may_sleep();
        let mut bus = self.bus.lock().expect("no driver panicked");
        for at in self.functions() {
            let is_bound = driver.probe(at);
            plain(&self.functions).insert(key(at), is_bound);
        }
        *bus = Some(driver);
    }

    /// Unbinds all functions of the driver and forgets it.
    pub(crate) fn remove_driver(&self) {
        may_sleep();
        let mut bus = self.bus.lock().expect("no driver panicked");
        if let Some(driver) = bus.take() {
            for at in self.functions() {
                if plain(&self.functions).insert(key(at), false) == Some(true) {
                    driver.remove(at);
                }
            }
        }
    }

    /// Removes a function, as a write to `remove` in its directory does.
    pub(crate) fn remove_function(&self, at: Function) {
        may_sleep();
        let bus = self.bus.lock().expect("no driver panicked");
        let is_bound = plain(&self.functions).get(&key(at)).copied();
        if let (Some(driver), Some(true)) = (&*bus, is_bound) {
            driver.remove(at);
        }
        plain(&self.functions).remove(&key(at));
    }

    /// Finds a function again, as a write to `rescan` does.
    pub(crate) fn rescan(&self, at: Function) {
        may_sleep();
        let bus = self.bus.lock().expect("no driver panicked");
        if plain(&self.functions).contains_key(&key(at)) {
            return;
        }
        plain(&self.functions).insert(key(at), false);
        let is_bound = bus.as_ref().is_some_and(|driver| driver.probe(at));
        plain(&self.functions).insert(key(at), is_bound);
    }
}

/// Functions of a machine that answer.
fn functions_of(machine: &mut Machine) -> BTreeMap<(u8, u8, u8), bool> {
    let packages = machine.topology().packages.clone();
    let buses = packages.iter().filter_map(|package| package.buses);
    let buses = buses.flat_map(|buses| [buses.uncore, buses.iio]);
    let all = buses.flat_map(|bus| {
        (0..32).flat_map(move |device| (0..8).map(move |function| (bus, device, function)))
    });
    // The host bridge, on a machine whose packages have no buses too.
    let all = all.chain([(0, 0, 0)]);
    all.filter(|&at| {
        let id = machine.config_read(function(at), 0, 4);
        id.is_some_and(|id| id != u32::MAX)
    })
    .map(|at| (at, false))
    .collect()
}

/// The key of a function.
fn key(at: Function) -> (u8, u8, u8) {
    (at.bus, at.device, at.function)
}

fn function((bus, device, function): (u8, u8, u8)) -> Function {
    Function {
        bus,
        device,
        function,
    }
}

/// Locks data that no schedule depends on.
pub(crate) fn plain<T>(data: &Plain<T>) -> MutexGuard<'_, T> {
    data.lock().expect("no holder panicked")
}
