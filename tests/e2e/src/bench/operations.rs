// SPDX-License-Identifier: GPL-2.0

//! The operations, as steps of `perf-open`. A driver's name is all that differs
//! between its steps and the other's.

use crate::Driver;
use std::fmt;

/// What an operation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The driver as a whole.
    Machine,
    /// C-Boxes, which are reached by MSRs.
    Msr,
    /// Memory controllers, which are reached through configuration space.
    Pci,
}

/// As a supplement to what is done.
impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Machine => "",
            Self::Msr => ", C-Box",
            Self::Pci => ", iMC",
        })
    }
}

/// Something that costs.
#[derive(Debug)]
pub struct Operation {
    /// What is done.
    pub name: &'static str,
    /// What it is done to.
    pub subjects: &'static [Subject],
    /// How often it is measured.
    pub rounds: usize,
    /// Why it costs more with our driver, for the page.
    pub why: &'static str,
    pub(super) script: fn(Names) -> Script,
}

/// The steps of an operation.
pub(super) struct Script {
    pub(super) before: Vec<String>,
    /// Those of a round. One begins with `cost`; or two, what is measured is then
    /// the second without the first.
    pub(super) each: Vec<String>,
    pub(super) after: Vec<String>,
    /// How often the round has done the operation.
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

    /// The same with the driver loaded, and what is open at the end closed.
    fn loaded(mut self, names: Names) -> Self {
        let opened = self.before.iter().filter_map(|step| {
            let event = step.strip_prefix("open ")?.split(' ').next()?;
            Some(format!("close {event}"))
        });
        self.after = opened.chain([names.unload()]).collect();
        self.before.splice(0..0, names.load());
        self
    }
}

/// What the driver's things are called.
#[derive(Clone, Copy)]
pub(super) struct Names {
    pub(super) driver: Driver,
    pub(super) subject: Subject,
}

impl Names {
    pub(super) fn prefix(self) -> &'static str {
        match self.driver {
            Driver::IntelUncore => "uncore_",
            _ => "ivbep_uncore_",
        }
    }

    fn file(self) -> &'static str {
        self.driver.module().unwrap_or_default()
    }

    /// Loads it while there is traffic, as there always is on hardware: ours tries
    /// with it whether interrupts come.
    fn load_by(self, load: fn(&str) -> String) -> [String; 3] {
        [
            "machine free-run on".to_owned(),
            load(&format!("load {}", self.file())),
            "machine free-run off".to_owned(),
        ]
    }

    pub(super) fn load(self) -> [String; 3] {
        self.load_by(str::to_owned)
    }

    pub(super) fn unload(self) -> String {
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

    /// Opens a group of four there.
    fn open_group(self) -> [String; 4] {
        let member = |event| format!("{} group=a", self.open(event));
        let leader = format!("{} group_values", self.open("a"));
        [leader, member("b"), member("c"), member("d")]
    }
}

const BOXES: &[Subject] = &[Subject::Msr, Subject::Pci];
const MACHINE: &[Subject] = &[Subject::Machine];

/// All of them, in the page's order.
pub static OPERATIONS: &[Operation] = &[
    Operation {
        name: "load",
        subjects: MACHINE,
        rounds: 5,
        why: "Ours makes ten times as many files in sysfs (one for each event and its scale and \
              unit), probes every register that it will use, resets boxes as the manual says, and \
              tries in each package whether an overflow interrupts. A file costs less than half.",
        script: |names| {
            let [before, load, after] = names.load_by(cost);
            Script::new([before, load, after, names.unload()])
        },
    },
    Operation {
        name: "unload",
        subjects: MACHINE,
        rounds: 5,
        why: "There are as many more files to remove, and boxes are left reset.",
        script: |names| {
            let unload = cost(&names.unload());
            Script::new([names.load().as_slice(), &[unload]].concat())
        },
    },
    Operation {
        name: "first open",
        subjects: BOXES,
        rounds: 5,
        why: "In the module it is what *open and enable* is; the rest is the kernel, on all \
              processors, soon after it has loaded a module.",
        script: |names| {
            let open = cost(&names.open("a"));
            // What the kernel does after loading is not to be counted.
            let pause = "pause 200000".to_owned();
            let close = "close a".to_owned();
            Script::new([names.load().as_slice(), &[pause, open, close, names.unload()]].concat())
        },
    },
    Operation {
        name: "open and enable",
        subjects: BOXES,
        rounds: 20,
        why: "As *open disabled* and *enable* together.",
        script: |names| Script::new([cost(&names.open("a")), "close a".to_owned()]).loaded(names),
    },
    Operation {
        name: "open disabled",
        subjects: BOXES,
        rounds: 20,
        why: "The request is checked: that each bit has an owner, event, umask, threshold and \
              filters fit together, the group fits the box. ``intel_uncore`` masks bits it does not \
              know and accepts the rest.",
        script: |names| {
            let open = format!("{} disabled", names.open("a"));
            Script::new([cost(&open), "close a".to_owned()]).loaded(names)
        },
    },
    Operation {
        name: "enable",
        subjects: BOXES,
        rounds: 20,
        why: "Counter and filters are found by an exact matching, under a lock that keeps timers \
              and interrupts out; fewer accesses.",
        script: |names| {
            Script::new([cost("enable a"), "disable a".to_owned()])
                .before([format!("{} disabled", names.open("a"))])
                .loaded(names)
        },
    },
    Operation {
        name: "read of one counter",
        subjects: BOXES,
        rounds: 20,
        why: "A lock keeps timers and interrupts from reading the counter at the same time; an \
              access that fails is noticed, and so is a carry between two halves. Without ports, \
              and the lock that goes with them, an iMC's counter costs less in total all the same.",
        script: |names| {
            Script::new([cost("read a")])
                .before([names.open("a")])
                .loaded(names)
        },
    },
    Operation {
        name: "group read of 4",
        subjects: BOXES,
        rounds: 20,
        why: "As the read of one counter, four times.",
        script: |names| {
            Script::new([cost("read a")])
                .before(names.open_group())
                .loaded(names)
        },
    },
    Operation {
        name: "interval of perf stat -I with 8 events in 2 packages",
        subjects: BOXES,
        rounds: 5,
        why: "As the read of one counter, sixteen times. Most of an interval is perf's own work.",
        script: |names| {
            let [few, many] = [INTERVALS_FEW, INTERVALS_MANY].map(|times| intervals(names, times));
            Script {
                shares: INTERVALS_MANY - INTERVALS_FEW,
                ..Script::new([cost(&few), cost(&many)]).loaded(names)
            }
        },
    },
    Operation {
        name: "disable",
        subjects: BOXES,
        rounds: 20,
        why: "As *enable*. The registers are read back first, in case somebody else has changed \
              them, with fewer accesses all the same.",
        script: |names| {
            Script::new([cost("disable a"), "enable a".to_owned()])
                .before([names.open("a")])
                .loaded(names)
        },
    },
    Operation {
        name: "close",
        subjects: BOXES,
        rounds: 20,
        why: "As *disable*.",
        script: |names| Script::new([names.open("a"), cost("close a")]).loaded(names),
    },
    Operation {
        name: "CPU offline with 4 events",
        subjects: BOXES,
        rounds: 10,
        why: "The box is frozen while a group moves, and counts go on without a gap.",
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
        subjects: BOXES,
        rounds: 10,
        why: "``intel_uncore`` takes no interrupts: its timer reads all counters once a minute, \
              which is in the idle minute. C-Boxes are not documented to interrupt, and cost \
              nothing here either.",
        script: |names| {
            let preload = |distance| format!("machine preload-all {distance} {}", names.unit());
            Script::new([
                preload(10 * OVERFLOW_BURST),
                cost(&overflow_burst()),
                preload(OVERFLOW_BURST / 4),
                cost(&overflow_burst()),
            ])
            .before([names.open("a")])
            .loaded(names)
        },
    },
    Operation {
        name: "idle minute with 100 events open",
        subjects: MACHINE,
        rounds: 3,
        why: "C-Boxes are polled as often as their width asks for, and the watchdog reads \
              counters that can interrupt, in case the interrupt does not come. Both read back \
              the registers of the events, in case somebody else has changed them.",
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

/// Cycles of traffic in which a counter overflows.
const OVERFLOW_BURST: u64 = 100_000;

fn cost(step: &str) -> String {
    format!("cost {step}")
}

fn switch(cpu: u8, on: bool) -> String {
    let path = format!("/sys/devices/system/cpu/cpu{cpu}/online");
    format!("write {path} {}", u8::from(on))
}

/// Traffic, and time for whatever follows from it.
fn overflow_burst() -> String {
    format!("burst {OVERFLOW_BURST} 1 4000")
}

fn intervals(names: Names, times: i64) -> String {
    let events = [0, 0, 0, 0, 1, 1, 1, 1].map(|index| format!(" -e {}/event=0/", names.pmu(index)));
    let command = "run perf stat -a -I 10 -o /dev/null --interval-count";
    format!("{command} {times}{}", events.concat())
}

/// Fifty events in each of two packages that all count at once, and their names.
fn hundred(names: Names) -> Vec<(String, String)> {
    let mut opened = Vec::new();
    for cpu in [0, 2] {
        for (unit, boxes, events) in [("imc_", 8, 4), ("ha_", 2, 4), ("cbox_", 2, 4)] {
            for (index, event) in (0..boxes).flat_map(|b| (0..events).map(move |e| (b, e))) {
                let event = format!("{unit}{index}.{event}@{cpu}");
                let pmu = format!("{}{unit}{index}", names.prefix());
                opened.push((
                    event.clone(),
                    format!("open {event} pmu={pmu} config=0 cpu={cpu}"),
                ));
            }
        }
        for event in ["pcu.0", "pcu.1"] {
            let event = format!("{event}@{cpu}");
            let pmu = format!("{}pcu", names.prefix());
            opened.push((
                event.clone(),
                format!("open {event} pmu={pmu} config=0 cpu={cpu}"),
            ));
        }
    }
    opened
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: Names = Names {
        driver: Driver::IvbepUncore,
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
                .replace("ivbep_uncore.ko", "intel-uncore.ko")
                .replace("unload ivbep_uncore", "unload intel_uncore")
                .replace("ivbep_uncore_", "uncore_");
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
