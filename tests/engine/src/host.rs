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

use self::bus::functions_of;
use crate::linux::{
    context::{IrqsOff, Nmi},
    cpuhp::Hotplug,
    hrtimer::{Again, Expire},
    module_file::Show,
    nmi::{Claimed, Handle},
    pci::Bound,
    power::Power,
    topology::{self, online_cpus, Cpu},
    work::Run,
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

mod bus;
mod hotplug;
mod processors;

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
    handler: Arc<dyn Expire>,
}

/// Work for process context.
pub(crate) struct HostWork {
    scheduled: AtomicBool,
    disabled: AtomicBool,
    /// Held while the work runs.
    running: Mutex<()>,
    data: Arc<dyn Run>,
}

/// The works that are scheduled.
#[derive(Default)]
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
    nmi_handler: Plain<Option<Arc<dyn Handle>>>,
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
    bus: Mutex<Option<Bound>>,
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
#[derive(Default)]
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

#[cfg(not(feature = "schedules"))]
thread_local! {
    static HERE: Here = Here::default();
}

#[cfg(feature = "schedules")]
shuttle::thread_local! {
    static HERE: Here = Here::default();
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
            queue: Mutex::new(Queue::default()),
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
    pub(crate) fn timer(&self, handler: Arc<dyn Expire>) -> Arc<HostTimer> {
        let timer = Arc::new(HostTimer {
            due: Plain::default(),
            running: Mutex::new(()),
            handler,
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
        while let Some(Again::After(delay)) = on(moved, |here| self.handler.expire(here)) {
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
    pub(crate) fn work(data: Arc<dyn Run>) -> Arc<HostWork> {
        Arc::new(HostWork {
            scheduled: AtomicBool::new(false),
            disabled: AtomicBool::new(false),
            running: Mutex::new(()),
            data,
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
        let lock = || self.queue.lock().expect("no worker panicked");
        let next = || lock().works.pop_front();
        while let Some(work) = next() {
            work.run();
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
            self.data.run();
        }
    }

    /// Cancels the work and waits for it.
    pub(crate) fn disable(&self) {
        may_sleep();
        self.disabled.store(true, Relaxed);
        let _running = self.running.lock().expect("no work panicked");
    }
}

/// Locks data that no schedule depends on.
pub(crate) fn plain<T>(data: &Plain<T>) -> MutexGuard<'_, T> {
    data.lock().expect("no holder panicked")
}
