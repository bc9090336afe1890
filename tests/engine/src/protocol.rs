// SPDX-License-Identifier: GPL-2.0

//! A model of the overflow protocol, all of whose states are checked.
//!
//! One package with two CPUs, one box with one counter of [`WRAP`] values. Hardware: the counter
//! wraps, sets the box status and the global status, freezes the package and sends a PMI to the
//! selected CPU, which may be late or lost. Driver: while the event runs, a CPU takes PMIs. The NMI
//! clears the global status and queues an interrupt, which reads the counter, clears the box status
//! and unfreezes the package. The timer does the same if it finds the status twice; once the event
//! has stopped for two of its looks, the CPU takes no PMIs any more. The designated CPU may go, and
//! the module may be unloaded. A user reads, stops and starts the event at any time, and NMIs of
//! other sources come.
//!
//! | property | meaning |
//! |---|---|
//! | no count is lost | what the user can read is what was counted while the event ran |
//! | no package stays frozen | an interrupt or the timer is on the way, or ends it |
//! | no foreign NMI is eaten | but one that finds an overflow, and one for each overflow that was found without an NMI |
//! | no PMI is unknown | each NMI of ours is claimed, or the kernel reports it |
//!
//! Time is an order of steps: the timer comes before the counter wraps twice, and so does a move to
//! another CPU; a PMI arrives before a CPU stops taking PMIs. A counter whose timer is not armed
//! waits for nothing, and loses counts.
//!
//! The accesses of the real driver to the modelled machine are checked against the order of steps
//! here, see [`recorded`].

use stateright::{Checker, Model, Property};

mod recorded;

/// Number of values of the counter.
const WRAP: u8 = 3;

/// The CPUs of the package.
const CPUS: [usize; 2] = [0, 1];

/// Most times that things happen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Budget {
    counts: u8,
    lost_pmis: u8,
    foreign_nmis: u8,
    stops: u8,
    moves: u8,
}

/// A CPU of the package.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Cpu {
    offline: bool,
    /// LVTPC is masked.
    masked: bool,
    /// PMIs that are still to come.
    late_pmis: u8,
    /// An NMI is latched, with its sources.
    nmi: Option<Sources>,
    /// The interrupt of the driver, at its next step.
    interrupt: Option<Step>,
}

/// The sources of an NMI.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Sources {
    pmi: bool,
    foreign: bool,
}

/// A step of the driver's interrupt.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Step {
    /// Takes the global status, with what NMIs have noted.
    Take,
    /// Reads the box status and the counter, and clears the box status.
    Service,
    /// Unfreezes the package.
    Release,
}

/// A step of the move to the other CPU.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Moving {
    /// Takes no PMIs any more, once none is on its way.
    Disarm,
    Event,
    /// Lets the counter interrupt again.
    Resume,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    left: Budget,
    cpus: [Cpu; 2],
    // The counter and the registers of the package.
    counter: u8,
    counted: u8,
    overflow_enabled: bool,
    box_status: bool,
    global_status: bool,
    frozen: bool,
    selected: Option<usize>,
    // The driver.
    /// CPU that takes PMIs.
    target: Option<usize>,
    /// No event was running at the last look of the timer.
    idle: bool,
    /// There was an overflow at the last look.
    overdue: bool,
    designated: usize,
    running: bool,
    last: u8,
    total: u8,
    noted: bool,
    /// There was an overflow so recently that an NMI of it may come.
    recent: bool,
    /// NMIs that may be claimed without evidence while it is recent.
    credits: u8,
    timer: Option<usize>,
    moving: Option<Moving>,
    unloaded: bool,
    // What must not happen.
    eaten: u8,
    overflows: u8,
    /// Overflows that were found without an NMI.
    found: u8,
    unknown_pmi: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Action {
    Count,
    LosePmi(usize),
    Deliver(usize),
    ForeignNmi(usize),
    Nmi(usize),
    Interrupt(usize),
    Timer,
    /// So long after the last overflow that no NMI of it can come.
    MuchLater,
    Read,
    Stop,
    Start,
    Move,
    Unload,
}

/// A mistake to plant, which the checker must find.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Mistake {
    None,
    /// The box status is cleared before the counter is read.
    ClearFirst,
    /// An overflow is not serviced before the CPU takes no PMIs any more.
    StaysFrozen,
    /// The timer is not moved with the events.
    TimerStays,
    /// Each NMI of the CPU that PMIs are routed to is claimed.
    ClaimsAll,
}

struct Overflow {
    mistake: Mistake,
}

impl State {
    fn unread(&self) -> u8 {
        (self.counter + WRAP - self.last) % WRAP
    }

    fn read(&mut self) {
        if self.running {
            self.total += self.unread();
            self.last = self.counter;
        }
    }

    /// The counter has wrapped, or a status is cleared while another is set.
    fn overflow(&mut self) {
        if !self.overflow_enabled || self.box_status {
            return;
        }
        self.box_status = true;
        if self.global_status {
            return;
        }
        self.global_status = true;
        self.frozen = true;
        if let Some(cpu) = self.selected {
            self.cpus[cpu].late_pmis += 1;
        }
    }

    /// Clears the global status. `credits` NMIs of the overflow can come without evidence.
    fn clear_status(&mut self, credits: u8) {
        self.global_status = false;
        self.recent = true;
        self.credits = credits;
        self.overflows += 1;
        self.noted = true;
    }

    /// Clears the global status without an NMI; returns whether an overflow is to be serviced.
    fn take(&mut self) -> bool {
        if self.global_status {
            self.clear_status(1);
            self.found += 1;
        }
        std::mem::take(&mut self.noted)
    }

    fn service(&mut self, mistake: Mistake) {
        if mistake == Mistake::ClearFirst {
            // The counter that is read is that of before.
            self.box_status = false;
            self.last = self.counter;
            return;
        }
        self.read();
        self.box_status = false;
    }

    fn release(&mut self) {
        self.frozen = false;
        self.overdue = false;
    }

    /// Does all steps of the interrupt at once.
    fn drain(&mut self, mistake: Mistake) {
        while self.take() {
            self.service(mistake);
        }
        self.release();
    }

    /// Lets the counter interrupt the designated CPU.
    fn arm(&mut self) {
        let cpu = *self.target.get_or_insert(self.designated);
        self.cpus[cpu].masked = false;
        self.selected = Some(cpu);
        self.box_status = false;
        self.overflow_enabled = true;
        self.idle = false;
    }

    fn start(&mut self) {
        self.arm();
        self.running = true;
        self.last = self.counter;
        self.timer = Some(self.designated);
        if self.global_status {
            self.cpus[self.designated]
                .interrupt
                .get_or_insert(Step::Take);
        }
    }

    fn stop(&mut self) {
        self.read();
        self.running = false;
        self.overflow_enabled = false;
    }

    /// The counter does not interrupt any more.
    fn quiesce(&mut self) {
        self.read();
        self.overflow_enabled = false;
        self.selected = None;
    }

    /// No CPU takes PMIs any more.
    fn disarm(&mut self, mistake: Mistake) {
        self.selected = None;
        if self.target.is_some() && mistake != Mistake::StaysFrozen {
            self.drain(mistake);
        }
        self.target = None;
    }

    /// The timer looks for an overflow and reads the counter.
    fn look(&mut self, cpu: usize, mistake: Mistake) {
        if self.target.is_some() {
            let was_overdue = std::mem::replace(&mut self.overdue, self.global_status);
            if self.global_status && was_overdue {
                self.drain(mistake);
            }
        }
        self.read();
        let was_idle = std::mem::replace(&mut self.idle, !self.running);
        if was_idle && !self.running {
            self.disarm(mistake);
        }
        let is_needed = self.running || self.target.is_some();
        self.timer = is_needed.then_some(cpu);
    }

    /// Handles an NMI; returns whether the driver claims it.
    fn handle(&mut self, cpu: usize, mistake: Mistake) -> bool {
        let Some(target) = self.target else {
            return false;
        };
        if target != cpu && !self.global_status && !self.recent {
            return false;
        }
        let masked = self.cpus[cpu].masked;
        self.cpus[cpu].masked = false;
        if self.global_status {
            self.clear_status(0);
            self.cpus[cpu].interrupt.get_or_insert(Step::Take);
            return true;
        }
        let is_credited = self.recent && self.credits > 0;
        if masked || is_credited {
            self.credits = self.credits.saturating_sub(1);
        }
        masked || is_credited || mistake == Mistake::ClaimsAll
    }

    /// No PMI is on its way.
    fn is_silent(&self) -> bool {
        let silent = |cpu: &Cpu| cpu.late_pmis == 0 && cpu.nmi.is_none();
        self.cpus.iter().all(silent)
    }

    fn is_quiet(&self) -> bool {
        let quiet = |cpu: &Cpu| cpu.interrupt.is_none();
        self.moving.is_none() && self.is_silent() && self.cpus.iter().all(quiet)
    }
}

impl Model for Overflow {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            left: Budget {
                counts: 2 * WRAP + 1,
                lost_pmis: 1,
                foreign_nmis: 1,
                stops: 1,
                moves: 1,
            },
            cpus: [Cpu::default(); 2],
            counter: 1,
            counted: 0,
            overflow_enabled: false,
            box_status: false,
            global_status: false,
            frozen: false,
            selected: None,
            target: None,
            idle: false,
            overdue: false,
            designated: 0,
            running: false,
            last: 0,
            total: 0,
            noted: false,
            recent: false,
            credits: 0,
            timer: None,
            moving: None,
            unloaded: false,
            eaten: 0,
            overflows: 0,
            found: 0,
            unknown_pmi: false,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let is_watched = state.timer.is_some() || state.moving.is_some();
        let waits = is_watched && state.unread() + 1 == WRAP;
        if state.running && !state.frozen && state.left.counts > 0 && !waits {
            actions.push(Action::Count);
        }
        for cpu in CPUS {
            let Cpu {
                offline,
                late_pmis,
                nmi,
                interrupt,
                ..
            } = state.cpus[cpu];
            if late_pmis > 0 {
                actions.push(Action::Deliver(cpu));
                if state.left.lost_pmis > 0 {
                    actions.push(Action::LosePmi(cpu));
                }
            }
            if !offline && state.left.foreign_nmis > 0 {
                actions.push(Action::ForeignNmi(cpu));
            }
            if nmi.is_some() {
                actions.push(Action::Nmi(cpu));
            } else if interrupt.is_some() {
                actions.push(Action::Interrupt(cpu));
            }
        }
        let disarms = state.idle && !state.running;
        if state.timer.is_some() && (state.is_silent() || !disarms) {
            actions.push(Action::Timer);
        }
        if state.recent && state.is_silent() {
            actions.push(Action::MuchLater);
        }
        if let Some(moving) = state.moving {
            if state.is_silent() || moving != Moving::Disarm {
                actions.push(Action::Move);
            }
        } else if !state.unloaded {
            if state.running {
                actions.extend([Action::Read, Action::Stop]);
            } else {
                if state.is_silent() {
                    actions.push(Action::Unload);
                }
                if state.left.stops > 0 {
                    actions.push(Action::Start);
                }
            }
            if state.left.moves > 0 {
                actions.push(Action::Move);
            }
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        match action {
            Action::Count => {
                next.left.counts -= 1;
                next.counted += 1;
                next.counter = (next.counter + 1) % WRAP;
                if next.counter == 0 {
                    next.overflow();
                }
            }
            Action::LosePmi(cpu) => {
                next.left.lost_pmis -= 1;
                next.cpus[cpu].late_pmis -= 1;
            }
            Action::Deliver(cpu) => {
                let cpu = &mut next.cpus[cpu];
                cpu.late_pmis -= 1;
                if !cpu.offline && !cpu.masked {
                    cpu.masked = true;
                    cpu.nmi.get_or_insert_default().pmi = true;
                }
            }
            Action::ForeignNmi(cpu) => {
                next.left.foreign_nmis -= 1;
                next.cpus[cpu].nmi.get_or_insert_default().foreign = true;
            }
            Action::Nmi(cpu) => {
                let sources = next.cpus[cpu].nmi.take()?;
                let finds_overflow = next.global_status;
                let claimed = next.handle(cpu, self.mistake);
                next.unknown_pmi |= sources.pmi && !claimed && !sources.foreign;
                let is_eaten = sources.foreign && !sources.pmi && claimed && !finds_overflow;
                next.eaten += u8::from(is_eaten);
            }
            Action::Interrupt(cpu) => {
                let step = next.cpus[cpu].interrupt?;
                next.cpus[cpu].interrupt = match step {
                    Step::Take if next.take() => Some(Step::Service),
                    Step::Take => Some(Step::Release),
                    Step::Service => {
                        next.service(self.mistake);
                        Some(Step::Take)
                    }
                    Step::Release => {
                        next.release();
                        None
                    }
                };
            }
            Action::Timer => {
                let cpu = next.timer.take()?;
                // A timer whose CPU is gone fires elsewhere, and does nothing.
                if !next.cpus[cpu].offline {
                    next.look(cpu, self.mistake);
                }
            }
            Action::MuchLater => next.recent = false,
            Action::Read => next.read(),
            Action::Stop => next.stop(),
            Action::Start => {
                next.left.stops -= 1;
                next.start();
            }
            Action::Move => self.go_on_moving(&mut next),
            Action::Unload => {
                next.timer = None;
                next.quiesce();
                next.disarm(self.mistake);
                next.box_status = false;
                next.unloaded = true;
            }
        }
        (next != *state).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("no count is lost", |_, state: &State| {
                let unread = if state.running { state.unread() } else { 0 };
                state.total + unread == state.counted
            }),
            Property::always("no package stays frozen", |model: &Self, state: &State| {
                if !state.frozen || !state.is_quiet() {
                    return true;
                }
                let look = |state: State| model.next_state(&state, Action::Timer);
                let ended = look(state.clone()).map(|once| match once.frozen {
                    true => look(once.clone()).unwrap_or(once),
                    false => once,
                });
                ended.is_some_and(|ended| !ended.frozen)
            }),
            Property::always("no foreign NMI is eaten", |_, state: &State| {
                state.eaten <= state.found
            }),
            Property::always("no PMI is unknown", |_, state: &State| !state.unknown_pmi),
            Property::sometimes("an overflow is serviced", |_, state: &State| {
                state.overflows > 1 && state.total > WRAP
            }),
            Property::sometimes("all is over", |_, state: &State| {
                state.unloaded && state.is_quiet() && !state.frozen
            }),
        ]
    }
}

impl Overflow {
    /// Does the next step of the move to the other CPU.
    fn go_on_moving(&self, next: &mut State) {
        let to = 1 - next.designated;
        next.moving = match next.moving {
            None => {
                next.left.moves -= 1;
                if self.mistake != Mistake::TimerStays {
                    next.timer = None;
                }
                next.quiesce();
                Some(Moving::Disarm)
            }
            Some(Moving::Disarm) => {
                next.disarm(self.mistake);
                Some(Moving::Event)
            }
            Some(Moving::Event) => {
                next.read();
                next.designated = to;
                if next.running {
                    next.timer.get_or_insert(to);
                }
                Some(Moving::Resume)
            }
            Some(Moving::Resume) => {
                if next.running {
                    next.arm();
                }
                // The CPU takes its interrupts before it goes.
                let gone = &mut next.cpus[1 - next.designated];
                gone.offline = true;
                gone.nmi = None;
                if gone.interrupt.take().is_some() {
                    next.drain(self.mistake);
                }
                None
            }
        };
    }
}

/// Checks all states; returns their number and the properties that do not hold.
fn check(mistake: Mistake) -> (usize, Vec<&'static str>) {
    let checked = Overflow { mistake }.checker().spawn_bfs().join();
    let found = checked.discoveries();
    let names = checked.model().properties();
    let broken = names.iter().filter_map(|property| {
        let is_found = found.contains_key(property.name);
        let sometimes = matches!(property.expectation, stateright::Expectation::Sometimes);
        (is_found != sometimes).then_some(property.name)
    });
    for name in broken.clone() {
        if let Some(path) = found.get(name) {
            println!("{name}:\n{path}");
        }
    }
    (checked.unique_state_count(), broken.collect())
}

#[test]
fn the_protocol_holds() {
    let (states, broken) = check(Mistake::None);
    println!("{states} states");
    assert_eq!(broken, [""; 0]);
    assert!(states > 10_000, "{states} states");
}

#[test]
fn mistakes_are_found() {
    for (mistake, property) in [
        (Mistake::ClearFirst, "no count is lost"),
        (Mistake::StaysFrozen, "no package stays frozen"),
        (Mistake::TimerStays, "no count is lost"),
        (Mistake::ClaimsAll, "no foreign NMI is eaten"),
    ] {
        let (_, broken) = check(mistake);
        assert!(broken.contains(&property), "{mistake:?}: {broken:?}");
    }
}
