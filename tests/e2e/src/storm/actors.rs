// SPDX-License-Identifier: GPL-2.0

//! Who does what in a round.

use super::{BURST, PATIENCE};
use crate::catalogue::{BoxKind, Catalogue, Row, QPI_FILTER_FUNCTIONS};
use crate::dice::Dice;
use crate::expect::{Filter, LINES, OPCODES};
use crate::fixture::probe::{Probe, Words};
use crate::fixture::{Shape, DEVICES};
use crate::perf::Event;
use crate::{Config, MODULE};
use std::time::Duration;

/// Turns that an actor takes before it begins anew.
const TURNS: usize = 30;
/// CPUs of each package. The first of all cannot go.
const CPUS: u64 = 2;
const DRIVER: &str = "/sys/bus/pci/drivers/ivbep_uncore_pmu";
const PCI: &str = "/sys/bus/pci";
const DEBUGFS: &str = "/sys/kernel/debug/ivbep_uncore";
/// How far a suspension goes until it is taken back, and to which state.
const SUSPENSIONS: [(&str, &str); 5] = [
    ("freezer", "freeze"),
    ("devices", "freeze"),
    ("platform", "freeze"),
    ("processors", "mem"),
    ("core", "mem"),
];
/// Boxes that break in every other round: registers that raise #GP, and functions that
/// do not answer. Nobody knows what is counted there.
const BROKEN: [(BoxKind, u8); 3] = [(BoxKind::Cbox, 2), (BoxKind::Imc, 7), (BoxKind::Qpi, 1)];
const BREAKS: [(&str, &str); 5] = [
    ("fail-msr 1 0xd50", "heal-msr 1 0xd50"),
    ("fail-msr 1 0xd44", "heal-msr 1 0xd44"),
    ("fail-msr 1 0xd56", "heal-msr 1 0xd56"),
    ("hide ff:1e.1", "show ff:1e.1"),
    ("hide ff:09.2", "show ff:09.2"),
];

/// What undoes all breaks.
pub(super) fn mends() -> impl Iterator<Item = &'static str> {
    BREAKS.into_iter().map(|(_, mend)| mend)
}

/// The plan of a round that lasts so long, for the guest's `storm`.
pub(super) fn plan(seed: u64, round: u64, time: Duration) -> String {
    let mut cast = Cast {
        dice: Dice::of_case(seed, round),
        probes: probes(),
        breaks: round % 2 == 1,
        lines: vec![
            format!("for {}", time.as_millis()),
            format!("patience {}", PATIENCE.as_millis()),
        ],
    };
    cast.actor("traffic", Cast::burst);
    cast.actor("clock", Cast::clock);
    cast.actor("CPUs", Cast::cpu);
    for package in 0..2 {
        cast.actor("functions", |cast| cast.function(package));
    }
    cast.actor("loader", Cast::reload);
    cast.actor("power", Cast::suspend);
    for _ in 0..2 {
        cast.actor("program", Cast::event);
        cast.actor("perf", Cast::stat);
        cast.actor("racer", Cast::race);
    }
    cast.actor("reader", Cast::look);
    if cast.breaks {
        cast.actor("defect", Cast::wreck);
    }
    cast.lines.join("\n") + "\n"
}

/// Events that count something in each package.
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

/// The actors of a round, as they are written.
struct Cast {
    dice: Dice,
    probes: Vec<Probe>,
    /// Whether boxes break.
    breaks: bool,
    lines: Vec<String>,
}

impl Cast {
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
        let time = self.dice.between(least, most);
        self.step(format!("pause {time}"));
    }

    fn burst(&mut self) {
        self.step(format!("burst {BURST}"));
        self.pause(1, 20);
    }

    /// Nobody waits for most of the time.
    fn clock(&mut self) {
        let time = self.dice.between(100, 800);
        self.step(format!("skip {time}"));
        self.pause(20, 100);
    }

    fn cpu(&mut self) {
        let cpu = self.dice.between(1, 2 * CPUS - 1);
        let online = self.dice.below(2);
        self.step(format!(
            "write /sys/devices/system/cpu/cpu{cpu}/online {online}"
        ));
        self.pause(0, 400);
    }

    fn function(&mut self, package: usize) {
        let function = *self.dice.pick(&functions());
        let bus = match function {
            "05.6" => ["00", "80"],
            _ => ["7f", "ff"],
        };
        let address = format!("0000:{}:{function}", bus[package]);
        let [go, come] = match self.dice.below(3) {
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
        // Sometimes the next one goes before this one has come back.
        if self.dice.chance(80) {
            self.step(come);
            self.pause(0, 300);
        }
    }

    fn reload(&mut self) {
        self.step("unload ivbep_uncore".to_owned());
        self.pause(0, 200);
        self.step(format!("load {MODULE}"));
        self.pause(0, 2000);
    }

    fn suspend(&mut self) {
        let (level, state) = *self.dice.pick(&SUSPENSIONS);
        self.pause(2000, 8000);
        self.step(format!("suspend {level} {state}"));
    }

    /// A system call opens an event, on any CPU.
    fn event(&mut self) {
        let probe = self.dice.pick(&self.probes).clone();
        let cpu = self.dice.below(2 * CPUS);
        let package = u8::try_from(cpu / CPUS).unwrap_or(0);
        let each = if self.is_broken(&probe) {
            0
        } else {
            probe.count(package, BURST)
        };
        // The first CPU of the first package stays, so that nobody moves events from there,
        // but those of a box that goes. perf moves in two steps, and what passes between
        // them it does not say.
        let stays = package == 0 && probe.kind.function(probe.instance).is_none();
        let bounds = if stays { "exact" } else { "loose" };
        let (pmu, Words([config, config1, config2])) = (probe.pmu(), probe.words());
        let hold = self.dice.below(200);
        self.step(format!(
            "event {pmu} {cpu} {hold} {each} {bounds} {config:#x} {config1:#x} {config2:#x}"
        ));
        self.pause(0, 1200);
    }

    /// perf opens events of several boxes, in all packages.
    fn stat(&mut self) {
        let number = self.dice.between(1, 5);
        let events: Vec<String> = (0..number).map(|_| event(&self.sound())).collect();
        let time = self.dice.between(10, 300);
        self.step(format!("stat {time} {}", events.join(",")));
        self.pause(0, 2000);
    }

    /// Two of these want different values in the same filter.
    fn race(&mut self) {
        let instance = u8::try_from(self.dice.below(2)).unwrap_or(0);
        let opcode = *self.dice.pick(&OPCODES);
        let lines = *self.dice.pick(&LINES);
        let probe = match self.dice.below(2) {
            0 => Probe::cbox(instance, "tor_inserts.opcode").opc(opcode),
            _ => Probe::ha(instance, "addr_opc_match.filt")
                .address(lines)
                .home_opcode(0x3f),
        };
        let time = self.dice.between(50, 300);
        if (0..2).all(|package| probe.count(package, BURST) > 0) {
            self.step(format!("stat {time} {}", event(&probe)));
        }
        self.pause(0, 800);
    }

    fn look(&mut self) {
        let pmu = self.dice.pick(&self.probes).pmu();
        let files = ["overflow", "topology", "rejections"];
        let path = match self.dice.below(3) {
            0 => format!("{DEBUGFS}/{}", self.dice.pick(&files)),
            1 => format!("{DEVICES}/{pmu}"),
            _ => format!(
                "{DEVICES}/{pmu}/{}",
                self.dice.pick(&["caps", "events", "format"])
            ),
        };
        self.step(format!("look {path}"));
        self.pause(0, 300);
    }

    fn wreck(&mut self) {
        let (defect, mend) = *self.dice.pick(&BREAKS);
        self.step(format!("machine {defect}"));
        self.pause(0, 500);
        self.step(format!("machine {mend}"));
        self.pause(0, 500);
    }

    /// An event whose box does not break.
    fn sound(&mut self) -> Probe {
        loop {
            let probe = self.dice.pick(&self.probes).clone();
            if !self.is_broken(&probe) {
                return probe;
            }
        }
    }

    fn is_broken(&self, probe: &Probe) -> bool {
        self.breaks && BROKEN.contains(&(probe.kind, probe.instance))
    }
}

/// For perf, with a name that says what a burst adds in each package. By its config
/// words: an alias may have a unit.
fn event(probe: &Probe) -> String {
    let [first, second] = [0, 1].map(|package| probe.count(package, BURST));
    let Words([config, config1, config2]) = probe.words();
    let terms = format!("config={config:#x},config1={config1:#x},config2={config2:#x}");
    let event = Event::new(probe.pmu(), terms);
    event.named(format!("each_{first}_{second}")).to_string()
}

/// The PCI functions of boxes and their filters.
fn functions() -> Vec<&'static str> {
    let shape = Shape::of(&Config::default());
    let boxes =
        |kind: BoxKind| (0..shape.most(kind)).filter_map(move |instance| kind.function(instance));
    let filters = QPI_FILTER_FUNCTIONS.into_iter();
    let filters = filters.take(shape.most(BoxKind::Qpi).into());
    let mut functions: Vec<&str> = BoxKind::ALL.into_iter().flat_map(boxes).collect();
    functions.extend(filters);
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
        for kind in BoxKind::ALL {
            assert!(probes.iter().any(|probe| probe.kind == kind), "{kind}");
        }
        assert_eq!(functions().len(), 2 + 8 + 1 + 2 + 1 + 2 + 2);
    }
}
