// SPDX-License-Identifier: GPL-2.0

//! `uncore survey` on machines of each reading: its experiments, over the modelled machine, name the
//! reading, and leave all registers as they were.

use std::cell::{Cell, RefCell};
use std::fmt::Write as _;
use std::io;
use std::rc::Rc;
use std::thread;

use uncore_catalogue::{Facts, Processor, What};
use uncore_machine::{rows_of, Cpu, Row, Topology};
use uncore_survey::{
    restore_journal, survey, Address, Bench as _, Finding, Found, Function, Hardware, How, Machine,
    Place, Refusal, Session, Surroundings, EIO_NUMBER,
};

/// A machine to survey, by the name of its processor. Its cores and C-Boxes are not as many as `num_c`
/// says at reset.
type Subject = &'static Processor;

/// It has no links and no S-Boxes, so that points stay open.
const LESS: &str = "bdx-de";

fn subjects() -> impl Iterator<Item = Subject> {
    Facts::all().iter().flat_map(|facts| &facts.processors)
}

fn topology(subject: Subject, readings: &[String]) -> Topology {
    let reading = match readings {
        [] => String::new(),
        some => format!(",reading={}", some.join("+")),
    };
    // The largest part has all links. With ten cores, some of an E7 count in pairs.
    let largest = match &*subject.class {
        "e7" => "packages=1,cores=10,cboxes=10",
        _ => "cores=4,cboxes=4,part=ex",
    };
    let shapes = [largest, "cores=4,cboxes=4"];
    let shapes = shapes.map(|shape| format!("platform={},{shape}{reading}", subject.name));
    let mut shapes = shapes
        .iter()
        .filter_map(|shape| Topology::parse(shape).ok());
    shapes.next().expect("a shape that the machine has")
}

/// Points that stay open on this machine, whatever holds: the traffic does not tell the direction of
/// packets, and the largest part has all S-Boxes.
const OPEN: &[&str] = &["U-23", "H-4"];

/// Points of which a reading follows from one of another: event select 0 of the UBox is an event of the
/// lists.
const FOLLOWS: ([&str; 2], &str, char) = (["U-41", "J-24"], "U-17", 'b');

/// Cycles of uclk in a microsecond, at most.
const UCLK: u64 = 2600;

/// Time for which an access takes, in cycles of uclk.
const ACCESS: u64 = 100;

/// The modelled machine.
#[derive(Clone)]
struct Model {
    machine: Rc<RefCell<uncore_machine::Machine>>,
    number: u8,
    /// Cycles of uclk since the start.
    cycles: Rc<Cell<u64>>,
    /// What another program writes during the next wait.
    intruder: Rc<Cell<Option<(u32, u64)>>>,
}

impl Model {
    /// Makes a machine of this shape that counts by itself.
    fn new(subject: Subject, readings: &[String]) -> Self {
        let topology = topology(subject, readings);
        let model = Self {
            machine: Rc::new(RefCell::new(uncore_machine::Machine::new(topology))),
            number: subject.model,
            cycles: Rc::default(),
            intruder: Rc::default(),
        };
        model.command("free-run on");
        model
    }

    fn command(&self, words: &str) -> String {
        let answer = self.machine.borrow_mut().command(words);
        answer.unwrap_or_else(|error| panic!("{words}: {error}"))
    }

    /// Returns the place of each CPU.
    fn places(&self) -> Vec<Cpu> {
        let machine = self.machine.borrow();
        let packages = (0..).zip(&machine.topology().packages);
        let places = packages.flat_map(|(package, shape)| {
            (0..shape.cores).map(move |core| Cpu {
                package,
                core,
                thread: 0,
            })
        });
        places.collect()
    }

    fn access<R>(&self, access: impl FnOnce(&mut uncore_machine::Machine) -> R) -> R {
        let mut machine = self.machine.borrow_mut();
        machine.advance(ACCESS);
        self.cycles.set(self.cycles.get() + ACCESS);
        access(&mut machine)
    }

    fn find(&self) -> Machine {
        Machine::new(Box::new(self.clone())).expect("a processor of a platform")
    }
}

/// Returns the error of an access that the hardware refuses.
fn refused<T>(value: Option<T>) -> io::Result<T> {
    value.ok_or_else(|| io::Error::from_raw_os_error(EIO_NUMBER))
}

fn function(at: Address) -> uncore_machine::Function {
    uncore_machine::Function {
        bus: at.bus,
        device: at.device,
        function: at.function,
    }
}

impl Hardware for Model {
    fn processor(&self) -> (u8, u8) {
        (6, self.number)
    }

    fn cpus(&self) -> Vec<Place> {
        let places = (0..).zip(self.places());
        let places = places.map(|(cpu, place)| Place {
            cpu,
            package: place.package.into(),
            core: place.core.into(),
            node: Some(place.package.into()),
        });
        places.collect()
    }

    fn nodes(&self) -> u32 {
        2
    }

    fn functions(&self) -> Vec<Function> {
        let packages = self.machine.borrow().topology().packages.clone();
        let buses = packages.iter().filter_map(|package| package.buses);
        let buses = buses.flat_map(|buses| [buses.uncore, buses.iio]);
        let all = buses.flat_map(|bus| {
            (0..32).flat_map(move |device| {
                (0..8).map(move |function| Address {
                    domain: 0,
                    bus,
                    device,
                    function,
                })
            })
        });
        let found = all.filter_map(|address| {
            let mut machine = self.machine.borrow_mut();
            let id = machine.config_read(function(address), 2, 2)?;
            let device_id = u16::try_from(id).ok().filter(|&id| id != u16::MAX)?;
            Some(Function {
                address,
                device_id,
                node: None,
            })
        });
        found.collect()
    }

    fn read_msr(&self, cpu: u32, register: u32) -> io::Result<u64> {
        let place = self.places()[cpu as usize];
        let value = self.access(|machine| machine.rdmsr(place, register));
        refused(value.and_then(Result::ok))
    }

    fn write_msr(&self, cpu: u32, register: u32, value: u64) -> io::Result<()> {
        let place = self.places()[cpu as usize];
        let written = self.access(|machine| machine.wrmsr(place, register, value));
        refused(written.and_then(Result::ok))
    }

    fn read_config(&self, at: Address, offset: u16) -> io::Result<u32> {
        refused(self.access(|machine| machine.config_read(function(at), offset, 4)))
    }

    fn write_config(&self, at: Address, offset: u16, value: u32) -> io::Result<()> {
        refused(self.access(|machine| machine.config_write(function(at), offset, 4, value)))
    }

    fn wait(&self, microseconds: u64) {
        if let Some((register, value)) = self.intruder.take() {
            self.write_msr(0, register, value).expect("a register");
        }
        self.cycles.set(self.cycles.get() + microseconds * UCLK);
        self.machine.borrow_mut().advance(microseconds * UCLK);
    }

    fn time(&self) -> u64 {
        self.cycles.get() / UCLK
    }
}

/// A journal in memory.
#[derive(Default)]
struct Memory {
    journal: String,
    /// Number of questions after which the survey is to end, if it is.
    ends_after: Option<u32>,
}

impl Surroundings for Memory {
    fn store(&mut self, text: &str) -> io::Result<()> {
        self.journal += text;
        Ok(())
    }

    fn ended(&mut self) -> Option<String> {
        let left = self.ends_after.as_mut()?;
        *left = left.saturating_sub(1);
        (*left == 0).then(|| "SIGINT".to_owned())
    }
}

/// Surveys a machine that takes these readings from its start.
fn surveyed(subject: Subject, readings: &[String]) -> Vec<Found> {
    let model = Model::new(subject, readings);
    let machine = model.find();
    let site = machine.site().expect("boxes");
    let mut memory = Memory::default();
    let mut session = Session::new(&machine, &mut memory);
    let found = survey(&mut session, machine.name, &site, |_| true).expect("nobody interferes");
    let changed = session.end().expect("registers that keep their values");
    assert_eq!(changed, None);
    found
}

/// Returns what is wrong: a point of another reading than the machine's, and unless `may_be_open`
/// one that stays open.
fn wrong(found: &[Found], planted: &[&Row], may_be_open: bool) -> String {
    let mut text = String::new();
    for Found {
        point,
        finding,
        evidence,
    } in found
    {
        let row = planted.iter().find(|row| row.point == point.name);
        let follows = |row: &&Row| FOLLOWS.0.contains(&row.point) && point.name == FOLLOWS.1;
        let right = match row {
            _ if planted.iter().any(follows) => FOLLOWS.2,
            row => row.map_or('a', |row| row.letter),
        };
        let is_right = match finding {
            Finding::Reading(letter) => *letter == right,
            // One reading can hide that of another point.
            Finding::Open(_) => {
                let is_hidden = may_be_open || row.is_none() && !planted.is_empty();
                is_hidden || matches!(point.how, How::Nothing(_)) || OPEN.contains(&point.name)
            }
        };
        if !is_right {
            let _ = writeln!(
                text,
                "{}:{right} {finding:?}\n    {}",
                point.name,
                evidence.join("\n    ")
            );
        }
    }
    text
}

/// Points and readings that other means tell, for the reason that the report gives. Tests of the
/// machine hold what it does under them.
const NOT_SURVEYED: &[&str] = &[
    "U-18", "U-43", "U-44", "U-45", "U-46", "B-5", "U-50", "B-21", "B-22", "S-1", "S-3:c", "S-5",
    "S-7", "S-13", "S-15", "X-9", "X-22", "H-4:b", "H-6", "H-25", "H-28", "J-11",
];

/// Readings of status registers and overflow enables, which a processor without them does not show.
const OF_OVERFLOWS: [&str; 2] = ["U-71:c", "U-73:c"];

/// Number of combinations of readings of each machine; each has its number as the seed.
/// `make test-all` takes all.
fn combinations() -> u64 {
    let all = std::env::var("UNCORE_REPEAT").as_deref() == Ok("all");
    if all {
        200
    } else {
        10
    }
}

/// Returns readings of some points of a machine, one of each, that follow from a seed.
fn combination(subject: Subject, seed: u64) -> Vec<&'static Row> {
    // xorshift64*
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = move |below: u64| {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % below
    };
    let rows: Vec<&Row> = rows(subject).collect();
    let mut chosen: Vec<&Row> = Vec::new();
    for _ in 0..=random(12) {
        let row = rows[usize::try_from(random(rows.len() as u64)).expect("few rows")];
        if chosen.iter().all(|other| other.point != row.point) {
            chosen.push(row);
        }
    }
    chosen
}

/// A reading can hide another one: its point stays open, with the reason.
#[test]
fn no_wrong_reading_is_named_in_combinations() {
    let mut text = String::new();
    for subject in subjects() {
        for seed in 0..combinations() {
            let planted = combination(subject, seed);
            let names: Vec<String> = planted.iter().map(|row| row.name()).collect();
            let wrong = wrong(&surveyed(subject, &names), &planted, true);
            if !wrong.is_empty() {
                let (name, names) = (&subject.name, names.join("+"));
                let _ = write!(text, "{name}, seed {seed}, {names}:\n{wrong}");
            }
        }
    }
    assert_eq!(text, "");
}

/// The rows that the survey must have an experiment for.
fn rows(subject: Subject) -> impl Iterator<Item = &'static Row> {
    let mut registers = Facts::of(&subject.name).registers.iter();
    let overflows = registers.any(|register| register.what == What::Status);
    rows_of(topology(subject, &[]).platform).filter(move |row| {
        let excepted = [row.point, &row.name()].map(|name| NOT_SURVEYED.contains(&name));
        let is_here = overflows || !OF_OVERFLOWS.contains(&&*row.name());
        is_here && !excepted.contains(&true)
    })
}

#[test]
fn the_first_reading_of_each_point_is_named() {
    for subject in subjects() {
        let may_be_open = subject.name == LESS;
        assert_eq!(wrong(&surveyed(subject, &[]), &[], may_be_open), "");
    }
}

#[test]
fn each_other_reading_is_named() {
    thread::scope(|scope| {
        let runs: Vec<_> = subjects()
            .filter(|subject| subject.name != LESS)
            .map(|subject| scope.spawn(move || wrong_alone(subject)))
            .collect();
        for run in runs {
            assert_eq!(run.join().expect("a survey"), "");
        }
    });
}

/// Surveys under each reading alone, and returns what is wrong.
fn wrong_alone(subject: Subject) -> String {
    let mut text = String::new();
    for row in rows(subject) {
        let wrong = wrong(&surveyed(subject, &[row.name()]), &[row], false);
        if !wrong.is_empty() {
            let _ = write!(text, "under {}:\n{wrong}", row.name());
        }
    }
    text
}

/// Counters that always run.
const ALWAYS_RUNNING: [&str; 2] = ["LINK_IDLE", "LINK_LLR"];

/// Registers of a machine that are not as at reset, but for counters that always run.
fn state(model: &Model) -> String {
    let state = model.command("state");
    let of_line = |line: &str| {
        let mut words: Vec<&str> = line.split(' ').collect();
        while let Some(at) = words.iter().position(|word| ALWAYS_RUNNING.contains(word)) {
            words.drain(at..at + 2);
        }
        words.join(" ")
    };
    let lines: Vec<String> = state.lines().map(of_line).collect();
    lines.join("\n")
}

/// A driver, or firmware, has left values in the registers.
fn used(subject: Subject) -> (Model, Machine) {
    let model = Model::new(subject, &[]);
    let machine = model.find();
    let mut memory = Memory::default();
    let mut session = Session::new(&machine, &mut memory);
    let site = machine.site().expect("boxes");
    let written = site.boxes.iter().flat_map(|name| {
        ["ctl1 0x2", "ctr0 0x55", "filter0 0x10", "filter1 0x1"]
            .map(|value| format!("{name} 0 {value}"))
    });
    // Not each box has them all.
    let written = written.filter(|line| {
        let answers = session.run(std::slice::from_ref(line));
        answers.is_ok_and(|answers| answers == [uncore_survey::Answer::Done])
    });
    assert!(written.count() > site.boxes.len());
    // Without an end.
    std::mem::forget(session);
    (model, machine)
}

/// Surveys a machine until the survey is asked so often whether it is to end.
fn survey_until(machine: &Machine, memory: &mut Memory, ends: impl FnOnce(Session<'_>)) -> bool {
    let site = machine.site().expect("boxes");
    let mut session = Session::new(machine, memory);
    let found = survey(&mut session, machine.name, &site, |_| true);
    let is_whole = found.is_ok();
    ends(session);
    is_whole
}

#[test]
fn registers_are_as_before_wherever_a_survey_ends() {
    for subject in subjects() {
        let (model, machine) = used(subject);
        let before = state(&model);
        for ends_after in (1..).map(|times| times * 997) {
            let (mut memory, mut killed) = [(); 2]
                .map(|()| Memory {
                    ends_after: Some(ends_after),
                    ..Memory::default()
                })
                .into();
            let is_whole = survey_until(&machine, &mut memory, |session| {
                session.end().expect("all registers keep their values");
            });
            assert_eq!(state(&model), before, "{}, {ends_after}", subject.name);
            // After SIGKILL the journal has all that there is to do.
            survey_until(&machine, &mut killed, |session| std::mem::forget(session));
            restore_journal(&model.find(), &killed.journal)
                .expect("all registers keep their values");
            assert_eq!(state(&model), before, "{}, {ends_after}", subject.name);
            if is_whole {
                break;
            }
        }
    }
}

#[test]
fn the_journal_is_stored_before_the_first_write() {
    struct Full;
    impl Surroundings for Full {
        fn store(&mut self, _: &str) -> io::Result<()> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn ended(&mut self) -> Option<String> {
            None
        }
    }
    for subject in subjects() {
        let (model, machine) = used(subject);
        let site = machine.site().expect("boxes");
        model.command("log on");
        let mut full = Full;
        let mut session = Session::new(&machine, &mut full);
        let error = survey(&mut session, machine.name, &site, |_| true).expect_err("no journal");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        std::mem::forget(session);
        let log = model.command("log take");
        assert!(!log.contains(" write ") && !log.is_empty(), "{log}");
    }
}

#[test]
fn registers_that_another_program_writes_void_a_survey() {
    let (model, machine) = used(Processor::named("ivbep"));
    let mut memory = Memory::default();
    let mut session = Session::new(&machine, &mut memory);
    let steps = ["cbox_0 0 ctl0 0x1".to_owned(), "cbox_0 0 ctl0".to_owned()];
    session.run(&steps).expect("nobody else writes");
    model.write_msr(0, 0xd11, 0x3).expect("a control register");
    let Err(Refusal::Error(error)) = session.run(&steps) else {
        panic!("the register has changed");
    };
    assert!(error.to_string().contains("cbox_0 of package 0"), "{error}");
    // While steps of the box run.
    model.intruder.set(Some((0xd11, 0x4)));
    let waiting = ["cbox_0 0 ctl0 0x2", "wait 10", "cbox_0 0 ctr0"].map(str::to_owned);
    let Err(Refusal::Error(error)) = session.run(&waiting) else {
        panic!("the register has changed");
    };
    assert!(error.to_string().contains("cbox_0 of package 0"), "{error}");
    let changed = session.end().expect("all registers keep their values");
    assert!(changed.is_some_and(|changed| changed.contains("another program")));
}

#[test]
fn an_enabled_counter_is_told() {
    let (model, machine) = used(Processor::named("ivbep"));
    assert_eq!(machine.enabled(), [""; 0]);
    model
        .write_msr(4, 0xd10, 1 << 22)
        .expect("a control register");
    assert_eq!(machine.enabled(), ["cbox_0 of package 1"]);
}

#[test]
fn only_bits_of_counters_are_written() {
    let (_, machine) = used(Processor::named("ivbep"));
    let mut memory = Memory::default();
    let mut session = Session::new(&machine, &mut memory);
    for (step, reason) in [
        ("cbox_0 0", "not a step"),
        ("cbox_0 2 ctl0", "no such package"),
        ("cbox_0 0@4 ctl0", "the CPU is not"),
        ("cbox_9 0 ctl0", "no such register"),
        ("cbox_0 0 ctl4", "no such register"),
        ("ubox 0 box_ctl", "no such register"),
        ("global 0 debugctl", "no such register"),
        ("cbox_0 0 ctl0 0x200000", "the bits 0x200000"),
        ("global 0 ctl 0x1", "the bits 0x1"),
        ("pcu 0 fixed_ctr 0x0", "the bits 0x0"),
        ("wait 10001", "too long"),
    ] {
        let Err(Refusal::Step(why)) = session.run(&[step.to_owned()]) else {
            panic!("{step} is taken");
        };
        assert!(why.contains(reason), "{step}: {why}");
    }
    for line in ["cbox_0 0 ctl9 0x0\n", "msr 0 0x10 0x0\n", "x\n"] {
        restore_journal(&machine, line).expect_err("no register of the survey");
    }
}

/// On an early E7 an overflow would interrupt a core, and nothing takes the interrupt.
#[test]
fn no_counter_runs_with_a_bit_that_may_interrupt() {
    let (_, machine) = used(
        subjects()
            .find(|subject| subject.class == "e7")
            .expect("a Xeon E7"),
    );
    let mut memory = Memory::default();
    let mut session = Session::new(&machine, &mut memory);
    for value in ["0x1", "0x100000"] {
        session
            .run(&[format!("wbox 0 fixed_ctl {value}")])
            .expect("no counter interrupts");
    }
    for step in ["wbox 0 fixed_ctl 0x100001", "cbox_0 0 ctl0 0x100000"] {
        let refused = session.run(&[step.to_owned()]);
        assert!(
            matches!(refused, Err(Refusal::Step(_))),
            "{step}: {refused:?}"
        );
    }
}
