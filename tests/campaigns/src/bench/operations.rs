// SPDX-License-Identifier: GPL-2.0

//! The operations, as steps of `perf-open`. The steps for both drivers differ only in the
//! name of the driver.

use std::fmt;
use uncore_runner::Driver;

/// Subject of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The driver as a whole.
    Machine,
    /// C-Boxes, accessed through MSRs.
    Msr,
    /// Memory controllers, accessed through configuration space.
    Pci,
}

/// Prints the subject as a supplement to the name of the operation.
impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Machine => "",
            Self::Msr => ", C-Box",
            Self::Pci => ", iMC",
        })
    }
}

/// An operation to be measured.
#[derive(Debug)]
pub struct Operation {
    /// Name of the operation.
    pub name: &'static str,
    /// Subjects of the operation.
    pub subjects: &'static [Subject],
    /// Number of machines that measure it, one after the other.
    pub boots: usize,
    /// Number of measured rounds on each.
    pub rounds: usize,
    pub(super) script: fn(Names) -> Script,
}

/// The steps of an operation.
pub(super) struct Script {
    pub(super) before: Vec<String>,
    /// Steps of a round. One step begins with `cost`, or two steps do: the result is then
    /// the cost of the second minus that of the first.
    pub(super) each: Vec<String>,
    pub(super) after: Vec<String>,
    /// Number of operations in one round.
    pub(super) shares: i64,
}

impl Script {
    fn new(each: impl Into<Vec<String>>) -> Self {
        Self {
            before: Vec::new(),
            each: each.into(),
            after: Vec::new(),
            shares: 1,
        }
    }

    fn before<const N: usize>(self, before: [String; N]) -> Self {
        Self {
            before: before.into(),
            ..self
        }
    }

    /// Adds the steps that load the driver first, and that close all open events and
    /// unload the driver at the end.
    fn loaded(mut self, names: Names) -> Self {
        let opened = self.before.iter().filter_map(|step| {
            let event = step.strip_prefix("open ")?.split(' ').next()?;
            Some(format!("close {event}"))
        });
        self.after = opened.chain([names.unload()]).collect();
        self.before.splice(0..0, names.load());
        self
    }

    /// Makes our driver take interrupts of overflows, which it does not by default, however long
    /// an emulated processor needs for one.
    fn by_interrupt(mut self, names: Names) -> Self {
        if names.driver == Driver::UncoreRs {
            let load = self
                .before
                .iter_mut()
                .find(|step| step.starts_with("load "));
            if let Some(load) = load {
                load.push_str(" overflow=pmi frozen_limit=100");
            }
        }
        self
    }
}

/// Names of the driver's module and PMUs.
#[derive(Clone, Copy)]
pub(super) struct Names {
    pub(super) driver: Driver,
    pub(super) subject: Subject,
}

impl Names {
    fn prefix(self) -> &'static str {
        match self.driver {
            Driver::IntelUncore => "uncore_",
            _ => "ivbep_uncore_",
        }
    }

    fn file(self) -> &'static str {
        self.driver.module().unwrap_or_default()
    }

    /// Loads the driver while there is traffic, as there always is on hardware: our
    /// driver tests with this traffic whether interrupts arrive.
    fn load_by(self, load: fn(&str) -> String) -> [String; 3] {
        [
            "machine free-run on".to_owned(),
            load(&format!("load {}", self.file())),
            "machine free-run off".to_owned(),
        ]
    }

    fn load(self) -> [String; 3] {
        self.load_by(str::to_owned)
    }

    fn unload(self) -> String {
        format!("unload {}", self.driver.name())
    }

    fn unit(self) -> &'static str {
        match self.subject {
            Subject::Msr => "cbox",
            Subject::Machine | Subject::Pci => "imc",
        }
    }

    fn pmu(self, index: u8) -> String {
        format!("{}{}_{index}", self.prefix(), self.unit())
    }

    /// Opens an event of box 0 of package 0.
    fn open(self, event: &str) -> String {
        format!("open {event} pmu={} config=0 cpu=0", self.pmu(0))
    }

    /// Opens a group of four events of that box.
    fn open_group(self) -> [String; 4] {
        let member = |event| format!("{} group=a", self.open(event));
        let leader = format!("{} group_values", self.open("a"));
        [leader, member("b"), member("c"), member("d")]
    }
}

const BOXES: &[Subject] = &[Subject::Msr, Subject::Pci];
const MACHINE: &[Subject] = &[Subject::Machine];

/// Number of machines for operations on events: what the kernel adds to these differs from boot to
/// boot.
const BOOTS: usize = 5;

/// All operations, in the order of the page.
pub static OPERATIONS: &[Operation] = &[
    Operation {
        name: "load",
        subjects: MACHINE,
        boots: 1,
        rounds: 5,
        script: |names| {
            let [before, load, after] = names.load_by(cost);
            Script::new([before, load, after, names.unload()])
        },
    },
    Operation {
        name: "unload",
        subjects: MACHINE,
        boots: 1,
        rounds: 5,
        script: |names| {
            let unload = cost(&names.unload());
            Script::new([names.load().as_slice(), &[unload]].concat())
        },
    },
    Operation {
        name: "first open",
        subjects: BOXES,
        boots: 1,
        rounds: 5,
        script: |names| {
            let open = cost(&names.open("a"));
            // Lets the work pass that the kernel does after loading, so that it is not
            // counted.
            let pause = "pause 200000".to_owned();
            let close = "close a".to_owned();
            Script::new(
                [
                    names.load().as_slice(),
                    &[pause, open, close, names.unload()],
                ]
                .concat(),
            )
        },
    },
    Operation {
        name: "open and enable",
        subjects: BOXES,
        boots: BOOTS,
        rounds: 20,
        script: |names| Script::new([cost(&names.open("a")), "close a".to_owned()]).loaded(names),
    },
    Operation {
        name: "open disabled",
        subjects: BOXES,
        boots: BOOTS,
        rounds: 20,
        script: |names| {
            let open = format!("{} disabled", names.open("a"));
            Script::new([cost(&open), "close a".to_owned()]).loaded(names)
        },
    },
    Operation {
        name: "enable",
        subjects: BOXES,
        boots: BOOTS,
        rounds: 20,
        script: |names| {
            Script::new([cost("enable a"), "disable a".to_owned()])
                .before([format!("{} disabled", names.open("a"))])
                .loaded(names)
        },
    },
    Operation {
        name: "read of one counter",
        subjects: BOXES,
        boots: BOOTS,
        rounds: 20,
        script: |names| {
            Script::new([moved(), cost("read a")])
                .before([names.open("a")])
                .loaded(names)
        },
    },
    Operation {
        name: "group read of 4",
        subjects: BOXES,
        boots: BOOTS,
        rounds: 20,
        script: |names| {
            Script::new([moved(), cost("read a")])
                .before(names.open_group())
                .loaded(names)
        },
    },
    Operation {
        name: "interval of perf stat -I with 8 events in 2 packages",
        subjects: BOXES,
        boots: 1,
        rounds: 5,
        script: |names| {
            let pmus = [0, 0, 0, 0, 1, 1, 1, 1].map(|index| names.pmu(index));
            let [few, many] =
                [INTERVALS_FEW, INTERVALS_MANY].map(|times| perf_stat(10, times, &pmus));
            Script {
                shares: INTERVALS_MANY - INTERVALS_FEW,
                ..Script::new([cost(&few), cost(&many)]).loaded(names)
            }
        },
    },
    Operation {
        name: "second of perf stat -I 100 with 100 idle events",
        subjects: MACHINE,
        boots: 1,
        rounds: 3,
        script: |names| {
            let [few, many] = [SECONDS_FEW, SECONDS_MANY]
                .map(|seconds| perf_stat(100, 10 * seconds, &fifty(names)));
            Script {
                shares: SECONDS_MANY - SECONDS_FEW,
                ..Script::new([cost(&few), cost(&many)]).loaded(names)
            }
        },
    },
    Operation {
        name: "disable",
        subjects: BOXES,
        boots: BOOTS,
        rounds: 20,
        script: |names| {
            Script::new([cost("disable a"), "enable a".to_owned()])
                .before([names.open("a")])
                .loaded(names)
        },
    },
    Operation {
        name: "close",
        subjects: BOXES,
        boots: BOOTS,
        rounds: 20,
        script: |names| Script::new([names.open("a"), cost("close a")]).loaded(names),
    },
    Operation {
        name: "CPU offline with 4 events",
        subjects: BOXES,
        boots: 1,
        rounds: 10,
        script: |names| {
            let opened = names.open_group();
            Script::new([
                cost(&switch(2, false)),
                switch(2, true),
                switch(3, false),
                switch(3, true),
            ])
            .before(opened.map(|step| step.replace("cpu=0", "cpu=2")))
            .loaded(names)
        },
    },
    Operation {
        name: "overflow",
        subjects: &[Subject::Pci],
        boots: 1,
        rounds: 10,
        script: |names| {
            let preload = |distance| format!("machine preload-all {distance} {}", names.unit());
            let close = || "close a".to_owned();
            Script::new([
                preload(10 * OVERFLOW_BURST),
                names.open("a"),
                cost(&overflow_burst()),
                close(),
                preload(OVERFLOW_BURST / 4),
                names.open("a"),
                cost(&overflow_burst()),
                close(),
            ])
            .loaded(names)
            .by_interrupt(names)
        },
    },
    Operation {
        name: "idle minute with 100 events open",
        subjects: MACHINE,
        boots: 1,
        rounds: 3,
        script: |names| {
            let idle = cost("idle 60000");
            let opened = hundred(names);
            let mut each = vec![idle.clone()];
            each.extend(opened.iter().map(|(_, open)| open.clone()));
            each.push(idle);
            each.extend(opened.iter().map(|(event, _)| format!("close {event}")));
            Script {
                each,
                ..Script::new(Vec::new()).loaded(names)
            }
        },
    },
];

/// Intervals of the shorter and of the longer run of perf.
const INTERVALS_FEW: i64 = 2;
const INTERVALS_MANY: i64 = 52;

/// Seconds of the shorter and of the longer run of perf with idle events.
const SECONDS_FEW: i64 = 1;
const SECONDS_MANY: i64 = 6;

/// Cycles of traffic in which a counter overflows.
const OVERFLOW_BURST: u64 = 100_000;

fn cost(step: &str) -> String {
    format!("cost {step}")
}

/// Returns a step that moves the counters.
fn moved() -> String {
    "machine burst 1000".to_owned()
}

fn switch(cpu: u8, on: bool) -> String {
    let path = format!("/sys/devices/system/cpu/cpu{cpu}/online");
    format!("write {path} {}", u8::from(on))
}

/// Returns a step with traffic and with time to handle the overflow that follows.
fn overflow_burst() -> String {
    format!("burst {OVERFLOW_BURST} 1 4000")
}

/// Returns a step that counts event 0 of PMUs in all packages, in intervals of some milliseconds.
fn perf_stat(milliseconds: u8, times: i64, pmus: &[String]) -> String {
    let events = pmus.iter().map(|pmu| format!(" -e {pmu}/event=0/"));
    let events: String = events.collect();
    format!("run perf stat -a -I {milliseconds} -o /dev/null --interval-count {times}{events}")
}

/// Returns the PMUs of fifty events that count at the same time in a package.
fn fifty(names: Names) -> Vec<String> {
    let boxes = [("imc", 8), ("ha", 2), ("cbox", 2)];
    let boxes = boxes.iter().flat_map(|&(unit, count)| {
        let boxes = (0..count).map(move |index| format!("{unit}_{index}"));
        boxes.flat_map(|name| std::iter::repeat_n(name, 4))
    });
    let all = boxes.chain(["pcu", "pcu"].map(str::to_owned));
    all.map(|name| names.prefix().to_owned() + &name).collect()
}

/// Returns the names of fifty events in each of two packages, and the steps that open them.
fn hundred(names: Names) -> Vec<(String, String)> {
    let opened = [0, 2].map(|cpu| {
        fifty(names)
            .into_iter()
            .enumerate()
            .map(move |(index, pmu)| {
                let event = format!("{index}@{cpu}");
                let open = format!("open {event} pmu={pmu} config=0 cpu={cpu}");
                (event, open)
            })
    });
    opened.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: Names = Names {
        driver: Driver::UncoreRs,
        subject: Subject::Pci,
    };

    #[test]
    fn steps_differ_in_the_names_of_the_driver_only() {
        let theirs = Names {
            driver: Driver::IntelUncore,
            ..OURS
        };
        for operation in OPERATIONS {
            let [ours, theirs] = [OURS, theirs].map(|names| {
                let Script {
                    before,
                    each,
                    after,
                    ..
                } = (operation.script)(names);
                [before, each, after].concat().join("\n")
            });
            let ours = ours
                .replace("uncore_rs.ko", "intel-uncore.ko")
                .replace("unload uncore_rs", "unload intel_uncore")
                .replace("ivbep_uncore_", "uncore_")
                .replace(" overflow=pmi frozen_limit=100", "");
            assert_eq!(ours, theirs, "{}", operation.name);
        }
    }

    #[test]
    fn something_is_measured_in_each_round() {
        for operation in OPERATIONS {
            let each = (operation.script)(OURS).each;
            let measured = each.iter().filter(|step| step.starts_with("cost "));
            assert!((1..=2).contains(&measured.count()), "{}", operation.name);
        }
    }

    #[test]
    fn a_hundred_events_are_a_hundred() {
        let opened = hundred(OURS);
        let names: std::collections::BTreeSet<_> = opened.iter().map(|(name, _)| name).collect();
        assert_eq!((opened.len(), names.len()), (100, 100));
    }
}
