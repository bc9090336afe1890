// SPDX-License-Identifier: GPL-2.0

//! Actors of a round, with the steps of each.

use super::{BURST, PATIENCE};
use crate::rng::Rng;
use std::time::Duration;
use uncore_e2e::perf::Event;
use uncore_e2e::prelude::*;

/// Number of turns of an actor; after the last one it begins again.
const TURNS: usize = 30;
/// CPUs of each package. The first CPU of the machine cannot go offline.
const CPUS: u64 = 2;
const DRIVER: &str = "/sys/bus/pci/drivers/uncore_rs";
const PCI: &str = "/sys/bus/pci";
const DEBUGFS: &str = "/sys/kernel/debug/uncore_rs";
/// Suspensions: the level of `pm_test` at which the kernel goes back, and the state.
const SUSPENSIONS: [(&str, &str); 5] = [
    ("freezer", "freeze"),
    ("devices", "freeze"),
    ("platform", "freeze"),
    ("processors", "mem"),
    ("core", "mem"),
];
/// Boxes that break in every other round: their registers raise #GP, or their functions
/// do not answer. Their counts are not checked.
const BROKEN: [(BoxKind, u8); 3] = [(BoxKind::Cbox, 2), (BoxKind::Imc, 7), (BoxKind::Qpi, 1)];
const BREAKS: [(&str, &str); 5] = [
    ("fail-msr 1 0xd50", "heal-msr 1 0xd50"),
    ("fail-msr 1 0xd44", "heal-msr 1 0xd44"),
    ("fail-msr 1 0xd56", "heal-msr 1 0xd56"),
    ("hide ff:1e.1", "show ff:1e.1"),
    ("hide ff:09.2", "show ff:09.2"),
];

/// Returns the commands that remove all faults.
pub(super) fn heals() -> impl Iterator<Item = &'static str> {
    BREAKS.into_iter().map(|(_, mend)| mend)
}

/// Returns the plan of a round of length `time`, for the guest's `storm`.
pub(super) fn plan(seed: u64, round: u64, time: Duration) -> String {
    let mut actors = Actors {
        rng: Rng::of_case(seed, round),
        probes: probes(),
        breaks: round % 2 == 1,
        lines: vec![
            format!("for {}", time.as_millis()),
            format!("patience {}", PATIENCE.as_millis()),
        ],
    };
    actors.actor("traffic", Actors::burst);
    actors.actor("clock", Actors::clock);
    actors.actor("CPUs", Actors::cpu);
    for package in 0..2 {
        actors.actor("functions", |actors| actors.function(package));
    }
    actors.actor("loader", Actors::reload);
    actors.actor("power", Actors::suspend);
    for _ in 0..2 {
        actors.actor("program", Actors::event);
        actors.actor("perf", Actors::stat);
        actors.actor("racer", Actors::race);
    }
    actors.actor("reader", Actors::look);
    if actors.breaks {
        actors.actor("defect", Actors::inject);
    }
    actors.lines.join("\n") + "\n"
}

/// Returns events that count something in each package.
fn probes() -> Vec<Probe> {
    let shape = Shape::of(&Config::default());
    let rows = Catalogue::get().rows().iter();
    let rows = rows.filter(|row| !row.needs.occupancy);
    let on_boxes = |row: &'static Row| {
        let filter = Filter {
            opc: OPCODES[0],
            nid: 0x8000,
            address: LINES[0],
            home_opcode: 0x3f,
            bands: [0x10, 20, 24, 28],
            ..Filter::default()
        };
        (0..shape.most(row.kind)).filter_map(move |instance| Probe::of_row(row, instance, &filter))
    };
    let probes = rows.flat_map(on_boxes);
    probes
        .filter(|probe| (0..2).all(|package| probe.count(package, BURST) > 0))
        .collect()
}

/// Actors of a round, as lines of the plan.
struct Actors {
    rng: Rng,
    probes: Vec<Probe>,
    /// True if boxes break in this round.
    breaks: bool,
    lines: Vec<String>,
}

impl Actors {
    fn actor(&mut self, name: &str, mut turn: impl FnMut(&mut Self)) {
        self.lines.push(format!("actor {name}"));
        for _ in 0..TURNS {
            turn(self);
        }
    }

    fn step(&mut self, step: String) {
        self.lines.push(step);
    }

    fn pause(&mut self, least: u64, most: u64) {
        let time = self.rng.between(least, most);
        self.step(format!("pause {time}"));
    }

    fn burst(&mut self) {
        self.step(format!("burst {BURST}"));
        self.pause(1, 20);
    }

    /// Skips most of the round's time.
    fn clock(&mut self) {
        let time = self.rng.between(100, 800);
        self.step(format!("skip {time}"));
        self.pause(20, 100);
    }

    fn cpu(&mut self) {
        let cpu = self.rng.between(1, 2 * CPUS - 1);
        let online = self.rng.below(2);
        self.step(format!(
            "write /sys/devices/system/cpu/cpu{cpu}/online {online}"
        ));
        self.pause(0, 400);
    }

    fn function(&mut self, package: usize) {
        let address = self.rng.pick(&functions(package)).address();
        let [go, come] = match self.rng.below(3) {
            0 => [
                format!("write {DRIVER}/unbind {address}"),
                format!("write {DRIVER}/bind {address}"),
            ],
            _ => [
                format!("write {PCI}/devices/{address}/remove 1"),
                format!("write {PCI}/rescan 1"),
            ],
        };
        self.step(go);
        self.pause(0, 300);
        // The function stays removed in one case of five, so that the next one goes as
        // well.
        if self.rng.chance(80) {
            self.step(come);
            self.pause(0, 300);
        }
    }

    fn reload(&mut self) {
        self.step("unload uncore_rs".to_owned());
        self.pause(0, 200);
        self.step(format!("load {MODULE}"));
        self.pause(0, 2000);
    }

    fn suspend(&mut self) {
        let (level, state) = *self.rng.pick(&SUSPENSIONS);
        self.pause(2000, 8000);
        self.step(format!("suspend {level} {state}"));
    }

    /// Opens an event with a system call, on any CPU.
    fn event(&mut self) {
        let probe = self.rng.pick(&self.probes).clone();
        let cpu = self.rng.below(2 * CPUS);
        let package = u8::try_from(cpu / CPUS).unwrap_or(0);
        let each = if self.is_broken(&probe) {
            0
        } else {
            probe.count(package, BURST)
        };
        // The first CPU of the first package stays online, so that events there are not
        // moved, except those of a box that is removed. perf moves an event in two steps,
        // and does not report what passes between them.
        let stays = package == 0 && probe.kind.function(probe.instance).is_none();
        let bounds = if stays { "exact" } else { "loose" };
        let (pmu, Words([config, config1, config2])) = (probe.pmu(), probe.words());
        let hold = self.rng.between(0, 199);
        self.step(format!(
            "event {pmu} {cpu} {hold} {each} {bounds} {config:#x} {config1:#x} {config2:#x}"
        ));
        self.pause(0, 1200);
    }

    /// Runs perf with events of several boxes, in all packages.
    fn stat(&mut self) {
        let number = self.rng.between(1, 5);
        let events: Vec<String> = (0..number).map(|_| event(&self.sound())).collect();
        let time = self.rng.between(10, 300);
        self.step(format!("stat {time} {}", events.join(",")));
        self.pause(0, 2000);
    }

    /// Opens events that may want different values in the same filter.
    fn race(&mut self) {
        let instance = u8::try_from(self.rng.below(2)).unwrap_or(0);
        let opcode = *self.rng.pick(&OPCODES);
        let lines = *self.rng.pick(&LINES);
        let probe = match self.rng.below(2) {
            0 => Probe::cbox(instance, "tor_inserts.opcode").opc(opcode),
            _ => Probe::ha(instance, "addr_opc_match.filt")
                .address(lines)
                .home_opcode(0x3f),
        };
        let time = self.rng.between(50, 300);
        if (0..2).all(|package| probe.count(package, BURST) > 0) {
            self.step(format!("stat {time} {}", event(&probe)));
        }
        self.pause(0, 800);
    }

    fn look(&mut self) {
        let pmu = self.rng.pick(&self.probes).pmu();
        let files = ["overflow", "topology", "rejections"];
        let path = match self.rng.below(3) {
            0 => format!("{DEBUGFS}/{}", self.rng.pick(&files)),
            1 => format!("{DEVICES}/{pmu}"),
            _ => format!(
                "{DEVICES}/{pmu}/{}",
                self.rng.pick(&["caps", "events", "format"])
            ),
        };
        self.step(format!("look {path}"));
        self.pause(0, 300);
    }

    fn inject(&mut self) {
        let (defect, mend) = *self.rng.pick(&BREAKS);
        self.step(format!("machine {defect}"));
        self.pause(0, 500);
        self.step(format!("machine {mend}"));
        self.pause(0, 500);
    }

    /// Returns an event of a box that does not break.
    fn sound(&mut self) -> Probe {
        loop {
            let probe = self.rng.pick(&self.probes).clone();
            if !self.is_broken(&probe) {
                return probe;
            }
        }
    }

    fn is_broken(&self, probe: &Probe) -> bool {
        self.breaks && BROKEN.contains(&(probe.kind, probe.instance))
    }
}

/// Returns an event for perf, with a name that has the counts of a burst in each package.
/// The event is given by config words, because an alias may have a unit.
fn event(probe: &Probe) -> String {
    let [first, second] = [0, 1].map(|package| probe.count(package, BURST));
    let event = Event::new(probe.pmu(), probe.words().terms());
    event.named(format!("each_{first}_{second}")).to_string()
}

/// Returns the PCI functions of a package's boxes and their filters.
fn functions(package: usize) -> Vec<Function> {
    let shape = Shape::of(&Config::default());
    let boxes = |kind: BoxKind| {
        (0..shape.most(kind)).filter_map(move |instance| Function::of(package, kind, instance))
    };
    let mut functions: Vec<_> = BoxKind::all().flat_map(boxes).collect();
    let ports = 0..shape.most(BoxKind::Qpi);
    functions.extend(ports.filter_map(|port| Function::of_filters(package, port)));
    functions.dedup();
    functions
}

#[cfg(test)]
mod tests {
    use super::*;
    use guest_tools::storm::Plan;

    fn plan(seed: u64, round: u64) -> String {
        super::plan(seed, round, Duration::from_secs(1))
    }

    #[test]
    fn a_round_is_always_the_same() {
        assert_eq!(plan(7, 3), plan(7, 3));
        assert_ne!(plan(7, 3), plan(7, 4));
        assert_ne!(plan(7, 3), plan(8, 3));
    }

    #[test]
    fn the_guest_understands_it_and_it_fits_a_command() {
        for round in 0..4 {
            let plan = plan(1, round);
            assert!(plan.len() < 100_000, "{}", plan.len());
            assert!(plan.parse::<Plan>().is_ok(), "{plan}");
        }
    }

    #[test]
    fn events_of_all_boxes_take_part() {
        let probes = probes();
        for kind in BoxKind::all() {
            assert!(probes.iter().any(|probe| probe.kind == kind), "{kind}");
        }
        assert_eq!(functions(1).len(), 2 + 8 + 1 + 2 + 1 + 2 + 2);
    }
}
