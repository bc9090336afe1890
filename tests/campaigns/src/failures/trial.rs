// SPDX-License-Identifier: GPL-2.0

//! Trial of one fault: events on all counters of its box in package 1, events of two
//! other boxes there, and events of the same box in package 0. Their counts show the
//! outcome.

use super::{boxes, load, Effect, Failure, Outcome, BURST, PACKAGE};
use uncore_e2e::prelude::*;

/// Log text for a box or function that stops answering.
const SILENT: &str = "no longer answers";
/// Log text for an event that ended because another tool modified its registers.
const CHANGED: &str = "ended: another tool";
/// The driver's list of its boxes.
const TOPOLOGY: &str = "/sys/kernel/debug/uncore_rs/topology";
/// First CPU of each package. `ANOTHER_CPU` is a second CPU of package 1.
pub(super) const CPUS: [u16; 2] = [0, 2];
pub(super) const ANOTHER_CPU: u16 = 3;

/// Tries a fault from before the driver is loaded: its box or filters are missing, or
/// nothing is.
pub(super) fn before(session: &mut Session, failure: &Failure) -> Result<Outcome, Vec<String>> {
    session.ok(UNLOAD);
    session.machine(&failure.fails);
    session.ok(&format!("dmesg -c > /dev/null && {}", load()));
    let missing = is_missing(&session.ok(&format!("cat {TOPOLOGY}")), failure);
    let events = EventSet::of(failure);
    let mut steps = events.opens();
    steps.push(burst());
    steps.extend(events.reads(|actor| !(missing && actor.is_victim)));
    let answers = Answers(session.perf_open(&steps));
    let mut faults = Vec::new();
    for actor in &events.0 {
        if missing && actor.is_victim {
            faults.extend(answers.opening(&actor.name, "ENODEV"));
        } else {
            faults.extend(answers.opening(&actor.name, "ok"));
            faults.extend(answers.exact(actor, &[1]));
        }
    }
    let log = session.ok("dmesg");
    let unit = failure.unit();
    let lacks = match failure.effect {
        Effect::Box => format!("package {PACKAGE}: missing {unit}: "),
        Effect::Filters => format!("package {PACKAGE}: missing the filter function of {unit}: "),
    };
    let named = [lacks, silent(failure)];
    if named.iter().any(|words| log.contains(words)) != missing {
        faults.push(format!("missing: {missing}, but the log says\n{log}"));
    }
    let cpus = match (missing, failure.effect) {
        (true, Effect::Box) => &CPUS[..1],
        _ => &CPUS[..],
    };
    let shown = session.cpumask(&failure.kind.pmu(failure.instance));
    if shown != cpus {
        faults.push(format!("its cpumask is {shown:?}, not {cpus:?}"));
    }
    let outcome = if missing {
        Outcome::Missing
    } else {
        Outcome::Exact
    };
    verdict(outcome, faults)
}

/// Tries a fault that begins while all counters of the box count: the fault has no
/// effect, or the events end with the counts they had.
///
/// A burst passes, and the events are read, after each of these steps: all events are
/// opened; the fault is injected; the first event is closed and opened again; all events
/// are stopped and started, with the box idle in between; the first event is closed and
/// opened once more.
pub(super) fn counting(session: &mut Session, failure: &Failure) -> Result<Outcome, Vec<String>> {
    session.ok("dmesg -c > /dev/null");
    let events = EventSet::of(failure);
    let first = events.first();
    let (others, again) = (events.others(), "again".to_owned());
    let each = |verb: &str, names: &[String]| -> Vec<String> {
        names
            .iter()
            .map(|name| format!("try {verb} {name}"))
            .collect()
    };
    let later: Vec<String> = [std::slice::from_ref(&again), &others[..]].concat();
    let mut steps = events.opens();
    steps.push(burst());
    steps.extend(events.reads(|actor| actor.package == PACKAGE));
    steps.push(format!("machine {}", failure.fails));
    steps.push(burst());
    steps.extend(events.reads(|actor| actor.package == PACKAGE));
    steps.push(format!("close {}", first.name));
    steps.push(first.probe.open(&again, ANOTHER_CPU));
    steps.push(burst());
    steps.extend(each("read", &later));
    steps.extend(each("disable", &later));
    steps.extend(each("enable", &later));
    steps.push(burst());
    steps.extend(each("read", &later));
    steps.push(format!(
        "run for i in 1 2 3 4 5 6 7 8 9 10; do dmesg | grep -q \"{SILENT}\" && break; \
         sleep 0.1; done"
    ));
    steps.push(format!("try close {again}"));
    if failure.effect == Effect::Filters {
        steps.extend(each("steady", &others));
    }
    steps.extend(each("read", &others));
    steps.push(first.probe.open("late", CPUS[1]));
    steps.push(burst());
    steps.push("try read late".to_owned());
    steps.extend(events.reads(|actor| actor.name != first.name));
    let answers = Answers(session.perf_open(&steps));
    let log = session.ok("dmesg");

    let ended = answers.has("late ENODEV");
    let mut faults = named(failure, &log, ended);
    for actor in &events.0 {
        let is_first = actor.name == first.name;
        let exact: &[u64] = match actor.role {
            _ if is_first => &[1, 2],
            Group::OfBox => &[1, 2, 3, 4, 4, 5],
            Group::Beside => &[1, 2, 5],
            Group::Elsewhere => &[5],
        };
        faults.extend(match (ended, actor.role) {
            (true, Group::OfBox) if is_first => answers.ends(actor, exact),
            (true, Group::OfBox) if actor.is_victim => {
                answers.ends(actor, exact).or_else(|| answers.stops(actor))
            }
            (true, Group::OfBox) => answers.in_turns(actor, exact),
            _ => answers.exact(actor, exact),
        });
    }
    if !ended {
        faults.extend(answers.exact(&first.called(&again), &[1, 2]));
        faults.extend(answers.exact(&first.called("late"), &[1]));
    }
    let outcome = if ended {
        Outcome::Ended
    } else {
        Outcome::Exact
    };
    verdict(outcome, faults)
}

/// Tries the removal of a function from the kernel while all counters count, and its
/// return: the events end with the counts they had, and continue after the return.
pub(super) fn removed(session: &mut Session, failure: &Failure) -> Result<Outcome, Vec<String>> {
    let Some(function) = failure.function else {
        return Err(vec!["only a function can be removed".to_owned()]);
    };
    let events = EventSet::of(failure);
    let first = events.first();
    let mut steps = events.opens();
    steps.push(burst());
    steps.extend(events.reads(|actor| actor.role == Group::OfBox));
    steps.push(format!("run echo 1 > {}/remove", function.folder()));
    steps.push(burst());
    steps.extend(events.reads(|actor| actor.role == Group::OfBox));
    steps.push(format!(
        "run grep \"{}.*removed\" {TOPOLOGY}",
        failure.unit()
    ));
    steps.push(format!("close {}", first.name));
    steps.push(first.probe.open("again", ANOTHER_CPU));
    steps.push("run echo 1 > /sys/bus/pci/rescan".to_owned());
    steps.push(first.probe.open("late", ANOTHER_CPU));
    steps.extend(events.others().iter().map(|name| format!("steady {name}")));
    steps.push("steady late".to_owned());
    steps.extend(events.others().iter().map(|name| format!("read {name}")));
    steps.push(burst());
    steps.push("read late".to_owned());
    steps.extend(events.reads(|actor| actor.name != first.name));
    let answers = Answers(session.perf_open(&steps));

    let mut faults = Vec::new();
    faults.extend(answers.opening("again", "ENODEV"));
    faults.extend(answers.exact(&first.called("late"), &[1]));
    for actor in &events.0 {
        faults.extend(match actor.role {
            Group::OfBox if actor.name == first.name => answers.exact(actor, &[1, 1]),
            Group::OfBox if actor.is_victim => answers
                .exact(actor, &[1, 1, 1, 2])
                .or_else(|| answers.stops(actor)),
            Group::OfBox => answers.in_turns(actor, &[1, 2, 2, 3]),
            Group::Beside | Group::Elsewhere => answers.exact(actor, &[3]),
        });
    }
    verdict(Outcome::Returned, faults)
}

fn verdict(outcome: Outcome, faults: Vec<String>) -> Result<Outcome, Vec<String>> {
    if faults.is_empty() {
        Ok(outcome)
    } else {
        Err(faults)
    }
}

fn burst() -> String {
    format!("burst {BURST}")
}

/// Returns whether the driver lists the failing box or filters as missing in package 1.
fn is_missing(topology: &str, failure: &Failure) -> bool {
    let own = format!("package {PACKAGE}:");
    let lines = topology.lines().skip_while(|line| !line.starts_with(&own));
    let own = lines.skip(1).take_while(|line| line.starts_with(' '));
    let begins = format!("{} ", failure.unit());
    let words = match failure.effect {
        Effect::Box => format!("{begins}missing: "),
        Effect::Filters => " filters: missing: ".to_owned(),
    };
    let mut lines = own.map(str::trim_start);
    lines.any(|line| line.starts_with(&begins) && line.contains(&words))
}

/// Returns the log text for the box or filter function that has stopped answering.
fn silent(failure: &Failure) -> String {
    let unit = failure.unit();
    match failure.effect {
        Effect::Box => format!("package {PACKAGE}: {unit} {SILENT}"),
        Effect::Filters => format!("package {PACKAGE}: the filter function of {unit} {SILENT}"),
    }
}

/// Checks that the log names the box or filter function that has stopped answering once,
/// and nothing else; it names none if `ended` is false.
fn named(failure: &Failure, log: &str, ended: bool) -> Vec<String> {
    let right = [&silent(failure), SILENT].map(|words| log.matches(words).count());
    if right == [usize::from(ended); 2] && !log.contains(CHANGED) {
        return Vec::new();
    }
    vec![format!("ended: {ended}, but the log says\n{log}")]
}

/// Group of events, by their box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    /// Events of the failing box.
    OfBox,
    /// Events of other boxes of the same package.
    Beside,
    /// Events of the same box in package 0.
    Elsewhere,
}

/// An event of a trial.
#[derive(Clone)]
struct Actor {
    name: String,
    probe: Probe,
    role: Group,
    package: u8,
    /// True if the event needs the failing register or function.
    is_victim: bool,
}

impl Actor {
    /// Returns the same event under another name.
    fn called(&self, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..self.clone()
        }
    }
}

/// All events of a trial; the first one needs the failing register or function.
struct EventSet(Vec<Actor>);

impl EventSet {
    fn of(failure: &Failure) -> Self {
        let events = boxes::events(failure.kind, failure.instance);
        let beside = boxes::neighbours(failure.kind, failure.instance);
        let groups = [
            ("own", Group::OfBox, PACKAGE, &events[..]),
            ("beside", Group::Beside, PACKAGE, &beside[..]),
            ("elsewhere", Group::Elsewhere, 0, &events[..]),
        ];
        let actors = groups
            .into_iter()
            .flat_map(|(name, role, package, probes)| {
                let actor = move |(index, probe): (usize, &Probe)| Actor {
                    name: format!("{name}{index}"),
                    probe: probe.clone(),
                    role,
                    package,
                    is_victim: role == Group::OfBox
                        && (failure.effect == Effect::Box || index == 0),
                };
                probes.iter().enumerate().map(actor)
            });
        Self(actors.collect())
    }

    fn first(&self) -> &Actor {
        &self.0[0]
    }

    /// Returns the names of the other events of the failing box.
    fn others(&self) -> Vec<String> {
        let others = self.0.iter().filter(|actor| actor.role == Group::OfBox);
        others.skip(1).map(|actor| actor.name.clone()).collect()
    }

    fn opens(&self) -> Vec<String> {
        let open = |actor: &Actor| {
            actor
                .probe
                .open(&actor.name, CPUS[usize::from(actor.package)])
        };
        self.0.iter().map(open).collect()
    }

    fn reads(&self, wanted: impl Fn(&Actor) -> bool) -> Vec<String> {
        let wanted = self.0.iter().filter(|actor| wanted(actor));
        wanted
            .map(|actor| format!("try read {}", actor.name))
            .collect()
    }
}

/// Answers of `perf-open`. Each check returns a description of the fault, if there is
/// one.
struct Answers(Vec<String>);

impl Answers {
    fn has(&self, answer: &str) -> bool {
        self.0.iter().any(|line| line == answer)
    }

    /// Checks the outcome of opening an event.
    fn opening(&self, name: &str, outcome: &str) -> Option<String> {
        let right = self.has(&format!("{name} {outcome}"));
        (!right).then(|| format!("{name} is not {outcome}: {:?}", self.0))
    }

    /// Returns three numbers for each read of an event: its count, its enabled time and
    /// its running time.
    fn reads(&self, actor: &Actor) -> Vec<[u64; 3]> {
        let of_it = self.0.iter().filter_map(|line| {
            let (name, numbers) = line.split_once(' ')?;
            (name == actor.name).then_some(numbers)
        });
        let numbers = of_it.filter_map(|numbers| {
            let numbers = numbers.split(' ').map(str::parse);
            let numbers: Result<Vec<u64>, _> = numbers.collect();
            <[u64; 3]>::try_from(numbers.ok()?).ok()
        });
        numbers.collect()
    }

    /// Checks that the event has counted exactly this number of bursts at each read.
    fn exact(&self, actor: &Actor, bursts: &[u64]) -> Option<String> {
        let exact = |now: u64, _, wanted| now == wanted;
        self.compare(actor, bursts, exact)
    }

    /// Checks that the event has counted exactly up to some read, and nothing after it.
    fn ends(&self, actor: &Actor, bursts: &[u64]) -> Option<String> {
        let mut over = false;
        self.compare(actor, bursts, |now, before, wanted| {
            over |= now != wanted;
            now == if over { before } else { wanted }
        })
    }

    /// Checks the counts of an event that shared its counter in turns with an event that
    /// cannot count: it may miss bursts meanwhile, but not the last one.
    fn in_turns(&self, actor: &Actor, bursts: &[u64]) -> Option<String> {
        let counts = self.bursts(actor);
        let wrong = self.compare(actor, bursts, |now, before, wanted| {
            (before..=wanted).contains(&now)
        });
        wrong.or_else(|| match (&counts[..], bursts) {
            ([.., before, last], _) if last - before == 1 => None,
            _ => Some(format!("{} misses a burst: {counts:?}", actor.name)),
        })
    }

    /// Checks that the event reports less running time than enabled time at the last
    /// read.
    fn stops(&self, actor: &Actor) -> Option<String> {
        match self.reads(actor).last() {
            Some([_, enabled, running]) if running < enabled => None,
            _ => Some(format!("{} ran all the time: {:?}", actor.name, self.0)),
        }
    }

    /// Returns the number of bursts counted at each read; `u64::MAX` for a broken burst.
    fn bursts(&self, actor: &Actor) -> Vec<u64> {
        let each = actor.probe.count(actor.package, BURST);
        let whole = |[count, ..]: [u64; 3]| {
            if count % each == 0 {
                count / each
            } else {
                u64::MAX
            }
        };
        self.reads(actor).into_iter().map(whole).collect()
    }

    /// Checks each read, given the read before it and the expected number of bursts.
    fn compare(
        &self,
        actor: &Actor,
        wanted: &[u64],
        mut is_right: impl FnMut(u64, u64, u64) -> bool,
    ) -> Option<String> {
        let counts = self.bursts(actor);
        let before = [0].into_iter().chain(counts.iter().copied());
        let mut all = counts.iter().zip(before).zip(wanted);
        let right = counts.len() == wanted.len()
            && all.all(|((&now, before), &wanted)| is_right(now, before, wanted));
        (!right).then(|| {
            let (name, event) = (&actor.name, actor.probe.event());
            format!(
                "{name}, {event}: {counts:?} bursts of {wanted:?}: {:?}",
                self.0
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{functions, registers};
    use super::*;

    const TOPOLOGY: &str = "package 0: physical 0 cpu 0 bus 7f node 0
  cbox_0 MSR 0xd00
  pcu missing: its registers no longer answer
package 1: physical 1 cpu 2 bus ff node 1
  qpi_0 0000:ff:08.2 filters: missing: its registers no longer answer
  cbox_0 missing: its registers cannot be accessed
  cbox_3-14 missing: the package has 3
  ha_1 missing: its registers cannot be accessed
";

    #[test]
    fn what_is_missing_is_found_in_its_package() {
        let missing: Vec<String> = registers::all()
            .chain(functions::all())
            .filter(|failure| is_missing(TOPOLOGY, failure))
            .map(|failure| format!("{} {}", failure.unit(), failure.role))
            .collect();
        assert_eq!(
            missing
                .iter()
                .filter(|name| name.starts_with("cbox_0 "))
                .count(),
            11
        );
        assert_eq!(missing[11..], ["ha_1 function", "qpi_0 filter function"]);
    }

    #[test]
    fn an_event_ends_once_and_for_all() {
        let failure = registers::all().next().expect("a register");
        let events = EventSet::of(&failure);
        let own = events.first();
        let each = own.probe.count(PACKAGE, BURST);
        let answers = |bursts: &[u64]| {
            let read = |bursts: &u64| format!("own0 {} 9 8", bursts * each);
            Answers(bursts.iter().map(read).collect())
        };
        let wanted = [1, 2, 3];
        assert_eq!(answers(&[1, 2, 3]).exact(own, &wanted), None);
        assert_eq!(answers(&[1, 2, 2]).ends(own, &wanted), None);
        assert_eq!(answers(&[1, 1, 1]).ends(own, &wanted), None);
        assert!(answers(&[1, 1, 2]).ends(own, &wanted).is_some());
        assert!(answers(&[1, 2]).ends(own, &wanted).is_some());
        assert_eq!(answers(&[1, 1, 2]).in_turns(own, &wanted), None);
        assert!(answers(&[1, 2, 2]).in_turns(own, &wanted).is_some());
        let part = Answers(vec![format!("own0 {} 9 8", each + 1)]);
        assert!(part.ends(own, &[1]).is_some(), "no whole bursts");
        assert_eq!(part.stops(own), None);
    }
}
