// SPDX-License-Identifier: GPL-2.0

//! Threads over the loaded driver, in orders that shuttle chooses: at random, and by priorities
//! that change at few points (PCT).
//!
//! | variable | meaning |
//! |---|---|
//! | `UNCORE_SEED` | the first seed (1) |
//! | `UNCORE_SEEDS` | number of seeds; each stands for [`EACH`] orders of both kinds (1) |
//!
//! A failure names its seed, with which it comes again. `make schedules` runs many.

use crate::{
    computer::{
        attr, function, load, number_of, on_each_with, open, open_fixed, pmu, Event,
        LONGEST_LEVEL_NS, LONGEST_LOOK_NS,
    },
    host::{plain, with_host, Host},
    linux::perf::open_tracepoint,
    uncore::Uncore,
};
use shuttle::{
    scheduler::{PctScheduler, RandomScheduler, Scheduler},
    thread::{self, JoinHandle},
    Config, FailurePersistence, MaxSteps, Runner,
};
use std::sync::{atomic::Ordering::Relaxed, Arc};

/// Orders of each kind for a seed.
const EACH: usize = 10;

/// Number of changes of priority in an order by PCT.
const DEPTH: usize = 3;

/// No order takes so many steps, unless a thread waits for ever in a loop.
const MOST_STEPS: usize = 1_000_000;

/// Size of a thread's stack.
const STACK: usize = 1 << 20;

/// Cycles until the counters of R2PCIe wrap.
const TO_WRAP: u64 = 1000;

/// Traffic: so many bursts of so many cycles, in the middle of which the counters wrap.
const BURST: u64 = 400;
const BURSTS: u64 = 5;

const TRAFFIC: u64 = BURSTS * BURST;

/// R2PCIe's `clockticks`, and an event that only counter 0 can count.
const CLOCK: u64 = 0x01;
const ON_COUNTER_0: u64 = 0x0813;

/// A word with a bit that stands for nothing.
const RESERVED: u64 = 1 << 40;

/// `clockticks` of a QPI port, and packets with an opcode, for which it needs its filters.
const QPI_CLOCK: u64 = 0x14;
const QPI_MATCHED: u64 = 0x20_0038;
const MATCHED_OPCODE: u64 = 1 << 5;

/// Device IDs of an R2PCIe, and of the filters of the first QPI port.
const R2PCIE_ID: u32 = 0x0e34;
const QPI_FILTERS_ID: u32 = 0x0e86;

/// Names the seed if the test fails.
struct Seed(u64);

impl Drop for Seed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("it fails again with UNCORE_SEED={} UNCORE_SEEDS=1", self.0);
        }
    }
}

/// Runs a scenario in many orders, each on a computer of its own.
fn explore(shape: &'static str, scenario: fn(&mut Computer)) {
    explore_with(shape, "pmi", scenario);
}

/// Does so with the driver loaded with `overflow=`.
fn explore_with(shape: &str, overflow: &'static str, scenario: fn(&mut Computer)) {
    let first = number_of("UNCORE_SEED").unwrap_or(1);
    for seed in first..first + number_of("UNCORE_SEEDS").unwrap_or(1) {
        let _names = Seed(seed);
        // Each thread gets its turn, so that one that never ends waits for what never comes.
        let fair = RandomScheduler::new_from_seed(seed, EACH);
        let limit = MaxSteps::FailAfter(MOST_STEPS);
        run(fair, limit, shape, overflow, scenario);
        // It may keep a thread waiting that another one waits for: such an order is given up.
        let unfair = PctScheduler::new_from_seed(seed, DEPTH, EACH);
        let limit = MaxSteps::ContinueAfter(MOST_STEPS);
        run(unfair, limit, shape, overflow, scenario);
    }
}

fn run(
    scheduler: impl Scheduler + 'static,
    max_steps: MaxSteps,
    shape: &str,
    overflow: &'static str,
    scenario: fn(&mut Computer),
) {
    let shape = shape.to_owned();
    let mut config = Config::new();
    config.stack_size = STACK;
    config.failure_persistence = FailurePersistence::None;
    config.max_steps = max_steps;
    Runner::new(scheduler, config).run(move || {
        let host = Host::new(&shape);
        let worker = spawn(&host, |host| host.do_work());
        with_host(&host, || {
            let mut computer = Computer {
                driver: Some(load(overflow).expect("the driver loads")),
                host: host.clone(),
            };
            scenario(&mut computer);
            assert_eq!(
                host.unknown_nmis.load(Relaxed),
                0,
                "NMIs that nobody claimed"
            );
            drop(computer);
            host.close_queue();
        });
        worker.join().expect("no work panicked");
    });
}

/// Starts a thread of a computer.
fn spawn(host: &Arc<Host>, run: impl FnOnce(&Host) + Send + 'static) -> JoinHandle<()> {
    let host = host.clone();
    thread::spawn(move || with_host(&host, || run(&host)))
}

/// A computer with the driver loaded, until a scenario takes it.
struct Computer {
    driver: Option<Uncore>,
    host: Arc<Host>,
}

impl Computer {
    /// Starts a thread.
    fn thread(&self, run: impl FnOnce(&Host) + Send + 'static) -> JoinHandle<()> {
        spawn(&self.host, run)
    }

    /// Starts a thread that lets traffic pass in which the counters wrap.
    fn traffic(&self) -> JoinHandle<()> {
        self.thread(|host| {
            for _ in 0..BURSTS {
                wait_for_traffic(host);
                host.traffic(BURST);
            }
            wait_for_traffic(host);
        })
    }

    /// Opens an event of R2PCIe whose counter wraps soon.
    fn open_near_wrap(&self, cpu: u32) -> Arc<Event> {
        self.host.command(&format!("preload-all {TO_WRAP} r2pcie"));
        Arc::new(open("r2pcie", cpu, CLOCK))
    }
}

/// Waits until no package is frozen with traffic to come.
fn wait_for_traffic(host: &Host) {
    while host.machine().burst_left() > 0 {
        thread::yield_now();
    }
}

fn join(threads: impl IntoIterator<Item = JoinHandle<()>>) {
    for thread in threads {
        thread.join().expect("no thread panicked");
    }
}

/// Removes R2PCIe's function, and finds it again.
fn remove_and_rescan(host: &Host) {
    let at = function(host, R2PCIE_ID);
    host.remove_function(at);
    host.rescan(at);
}

#[test]
fn unloading_hotplug_and_a_tracepoint() {
    explore("packages=1,cores=2", |computer| {
        let driver = computer.driver.take();
        join([
            computer.thread(move |_| drop(driver)),
            computer.thread(|host| {
                host.offline(0);
                host.online(0);
            }),
            computer.thread(|_| open_tracepoint()),
        ]);
    });
}

/// A CPU of the package that is online resets the registers.
#[test]
fn unloading_while_cpus_go() {
    explore("packages=1,cores=2", |computer| {
        drop(computer.driver.take());
        let reset = computer.host.command("state");
        let driver = load("pmi").expect("the driver loads");
        // A core stays selected for a while.
        drop(open("r2pcie", 0, CLOCK));
        let cpus = |host: &Host| {
            while host.has_callbacks() {
                thread::yield_now();
            }
            host.offline(0);
        };
        join([
            computer.thread(move |_| drop(driver)),
            computer.thread(cpus),
        ]);
        assert_eq!(computer.host.command("state"), reset);
    });
}

#[test]
fn an_overflow_while_the_count_is_read() {
    explore("packages=1,cores=2", |computer| {
        let event = computer.open_near_wrap(0);
        let read = event.clone();
        let reader = computer.thread(move |_| {
            let mut last = 0;
            for _ in 0..4 {
                let count = read.read();
                assert!(count >= last, "the count goes backwards");
                last = count;
            }
        });
        join([computer.traffic(), reader]);
        assert_eq!(event.read(), TRAFFIC);
    });
}

#[test]
fn an_overflow_while_events_start_and_stop() {
    explore("packages=1,cores=2", |computer| {
        let event = computer.open_near_wrap(0);
        let others = computer.thread(|_| {
            // Moves the first event to another counter.
            let other = open("r2pcie", 1, ON_COUNTER_0);
            other.stop();
            other.start();
        });
        join([computer.traffic(), others]);
        // While events are scheduled anew nothing counts for a moment.
        let counted = event.read();
        assert!(counted <= TRAFFIC, "{counted} is too much");
        computer.host.traffic(BURST);
        assert_eq!(event.read() - counted, BURST);
    });
}

#[test]
fn an_overflow_while_cpus_go_and_come() {
    explore("packages=1,cores=2", |computer| {
        let event = computer.open_near_wrap(0);
        let cpus = computer.thread(|host| {
            host.offline(0);
            host.online(0);
            host.offline(1);
        });
        join([computer.traffic(), cpus]);
        assert_eq!(event.cpu(), Some(0));
        assert_eq!(event.read(), TRAFFIC);
    });
}

#[test]
fn an_overflow_while_a_function_is_removed() {
    explore("packages=1,cores=2", |computer| {
        let event = computer.open_near_wrap(0);
        let neighbour = open("r3qpi_0", 0, CLOCK);
        let removal = computer.thread(remove_and_rescan);
        join([computer.traffic(), removal]);
        assert!(event.read() <= TRAFFIC);
        assert_eq!(neighbour.read(), TRAFFIC);
        // Perf takes the event up again at the next change.
        pmu("r2pcie").rotate(0);
        let before = event.read();
        computer.host.traffic(BURST);
        assert_eq!(event.read() - before, BURST);
    });
}

/// Perf has the function's events come and go meanwhile.
#[test]
fn programs_open_while_the_function_is_removed() {
    explore("packages=1,cores=2", |computer| {
        let neighbour = open("r3qpi_0", 0, CLOCK);
        let program = computer.thread(|_| {
            for _ in 0..2 {
                // The function may be gone.
                let event = pmu("r2pcie").open(&attr(1, CLOCK), None);
                _ = event.map(|event| event.read());
            }
        });
        let removal = computer.thread(remove_and_rescan);
        join([computer.traffic(), program, removal]);
        assert_eq!(neighbour.read(), TRAFFIC);
        let event = open("r2pcie", 0, CLOCK);
        computer.host.traffic(BURST);
        assert_eq!(event.read(), BURST);
    });
}

/// Another tool clears a control register. Its event ends, or has it written again as it starts.
#[test]
fn another_tool_writes_while_events_stop_and_start() {
    const CONTROL_OF_LAST: &str = "poke-msr 0 0xd13 0";
    explore("packages=1,cores=2", |computer| {
        let events = [(); 2].map(|()| open("cbox_0", 0, 0));
        let neighbour = open("r3qpi_0", 0, CLOCK);
        let tool = computer.thread(|host| drop(host.command(CONTROL_OF_LAST)));
        let starts = computer.thread(|_| {
            pmu("cbox_0").rotate(0);
            drop(open("cbox_0", 1, 0));
        });
        let polls = computer.thread(|host| host.pass(LONGEST_LOOK_NS));
        join([computer.traffic(), tool, starts, polls]);
        assert_eq!(neighbour.read(), TRAFFIC);
        let before = events.each_ref().map(|event| event.read());
        assert!(before.iter().all(|count| *count <= TRAFFIC), "{before:?}");
        // The register is looked at, and the other event goes on.
        pmu("cbox_0").rotate(0);
        let before = events.each_ref().map(|event| event.read());
        computer.host.traffic(BURST);
        let after = events.each_ref().map(|event| event.read());
        assert!(after
            .iter()
            .zip(before)
            .any(|(after, before)| after - before == BURST));
    });
}

#[test]
fn a_filter_function_is_removed_while_a_cpu_goes() {
    explore("packages=1,cores=2", |computer| {
        let event = open("qpi_0", 0, QPI_CLOCK);
        let mut matched = attr(0, QPI_MATCHED);
        matched.words.config1 = MATCHED_OPCODE;
        matched.words.config2 = MATCHED_OPCODE;
        let matched = pmu("qpi_0").open(&matched, None);
        let _matched = matched.expect("the filter function is there");
        join([
            computer.thread(|host| host.remove_function(function(host, QPI_FILTERS_ID))),
            computer.thread(|host| host.offline(1)),
        ]);
        assert_eq!(event.cpu(), Some(0), "perf has lost the event");
        let before = event.read();
        computer.host.traffic(BURST);
        assert!(event.read() > before);
    });
}

#[test]
fn an_event_starts_while_its_cpu_goes_and_its_interrupt_is_lost() {
    explore("packages=2,cores=2", |computer| {
        let event = computer.open_near_wrap(2);
        join([
            computer.thread(|host| host.offline(2)),
            computer.thread(|_| pmu("r2pcie").rotate(2)),
        ]);
        computer.host.command("pmi drop");
        computer.host.traffic(TRAFFIC);
        (0..3).for_each(|_| computer.host.pass(LONGEST_LOOK_NS));
        assert_eq!(event.read(), TRAFFIC);
    });
}

#[test]
fn refused_requests_while_cpus_go() {
    explore("packages=1,cores=2", |computer| {
        let opener = computer.thread(|_| {
            let refused = pmu("r2pcie").open(&attr(1, RESERVED), None);
            assert!(refused.is_err());
        });
        let cpus = computer.thread(|host| host.offline(0));
        join([opener, cpus]);
    });
}

/// Bursts of traffic in which programs read.
const READ_BURSTS: u64 = 4;

impl Computer {
    /// Starts a thread on each CPU in which programs read an event, as often as others let them.
    fn readers(&self, event: &Arc<Event>) -> Vec<JoinHandle<()>> {
        let reader = |cpu| {
            let event = event.clone();
            self.thread(move |_| {
                let mut last = 0;
                for _ in 0..2 * READ_BURSTS {
                    let count = event.read_on(cpu).unwrap_or(last);
                    assert!(count >= last, "the count goes backwards");
                    last = count;
                }
            })
        };
        (0..2).map(reader).collect()
    }

    /// Lets bursts of traffic pass, with `change` after each. Meanwhile programs read the event. It
    /// has then counted each burst once.
    fn read_while(&self, change: impl Fn(&Host)) {
        let event = self.open_near_wrap(0);
        let readers = self.readers(&event);
        for _ in 0..READ_BURSTS {
            self.host.traffic(BURST);
            wait_for_traffic(&self.host);
            change(&self.host);
        }
        join(readers);
        assert_eq!(event.read(), READ_BURSTS * BURST);
    }
}

#[test]
fn programs_read_while_the_counter_wraps_and_is_polled() {
    explore("packages=1,cores=2", |computer| {
        computer.read_while(|host| host.pass(LONGEST_LOOK_NS));
    });
}

#[test]
fn programs_read_while_the_event_stops_and_starts() {
    explore("packages=1,cores=2", |computer| {
        computer.read_while(|_| pmu("r2pcie").rotate(0));
    });
}

#[test]
fn programs_read_while_the_event_moves_to_another_counter() {
    explore("packages=1,cores=2", |computer| {
        computer.read_while(|_| drop(open("r2pcie", 1, ON_COUNTER_0)));
    });
}

#[test]
fn programs_read_while_the_event_moves_to_another_cpu() {
    explore("packages=1,cores=2", |computer| {
        computer.read_while(|host| {
            for cpu in 0..2 {
                host.offline(cpu);
                host.online(cpu);
            }
        });
    });
}

/// A read that finds the cleared counter does not take it for a wrap.
#[test]
fn programs_read_while_a_sleep_clears_the_counter() {
    let scenario = |computer: &mut Computer| {
        let event = Arc::new(open_fixed());
        let readers = computer.readers(&event);
        for _ in 0..READ_BURSTS {
            computer.host.traffic(BURST);
            // What nobody has read is lost.
            event.read();
            computer.host.command("lose-enable 0");
            computer.host.pass(LONGEST_LEVEL_NS);
        }
        join(readers);
        assert_eq!(event.read(), READ_BURSTS * BURST);
    };
    on_each_with("SleepLosesAll", |shape, _| {
        explore_with(shape, "poll", scenario)
    });
}

/// The answer of a function that is gone is no failure of the box.
#[test]
fn programs_read_while_the_function_is_removed() {
    explore("packages=1,cores=2", |computer| {
        kernel::print::take();
        computer.read_while(|host| {
            remove_and_rescan(host);
            pmu("r2pcie").rotate(0);
        });
        let log = kernel::print::take();
        assert!(!log.iter().any(|line| line.contains("answer")), "{log:?}");
    });
}

/// An interval that ends in each third burst.
const INTERVAL: u64 = 300_000;
const LONG_BURST: u64 = 100_000;

#[test]
fn programs_read_while_the_counter_is_preset() {
    explore("packages=1,cores=2", |computer| {
        let event = Arc::new(open("r2pcie", 0, CLOCK | INTERVAL << 32));
        let readers = computer.readers(&event);
        for _ in 0..2 * READ_BURSTS {
            computer.host.traffic(LONG_BURST);
            wait_for_traffic(&computer.host);
        }
        join(readers);
        assert_eq!(event.read(), 2 * READ_BURSTS * LONG_BURST);
    });
}

/// The program also interrupts the sections of the box's lock, after each access in them.
#[test]
fn a_program_reads_in_nmis() {
    explore("packages=1,cores=2", |computer| {
        let events = ["cbox_0", "cbox_1"].map(|boxes| Arc::new(open(boxes, 0, 0)));
        let [read, reference] = &events;
        let program = {
            let read = Arc::downgrade(read);
            move |cpu| {
                if let Some(event) = read.upgrade() {
                    event.read_in_section(cpu);
                }
            }
        };
        *plain(&computer.host.program) = Some(Arc::new(program));
        for _ in 0..READ_BURSTS {
            computer.host.traffic(BURST);
            wait_for_traffic(&computer.host);
            pmu("cbox_0").rotate(0);
            pmu("cbox_1").rotate(0);
        }
        *plain(&computer.host.program) = None;
        assert!(read.read() > 0);
        assert_eq!(read.read(), reference.read());
    });
}
