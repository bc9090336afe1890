// SPDX-License-Identifier: GPL-2.0

//! Costs that a monitoring program pays for one reading of every box of all packages, by the
//! way that it reads: through perf with each driver, and registers directly, as PCM does.

use super::table::FIGURES;
use super::{machine, on_driver, DRIVERS};
use crate::table::Table;
use serde_json::json;
use uncore_e2e::cost::{Cost, Spread};
use uncore_e2e::prelude::*;

/// Title of the table. `make bench ONLY=` can ask for it alone.
pub(super) const TITLE: &str = "one reading of every box";

/// Numbers of packages.
const PACKAGES: [u8; 2] = [2, 4];

/// Measured rounds.
const ROUNDS: usize = 20;

/// Buses of the uncore of each package, then its I/O buses, as hexadecimal digits.
const BUSES: [(u8, [&str; 4], [&str; 4]); 2] = [
    (2, ["7f", "ff", "", ""], ["00", "80", "", ""]),
    (4, ["3f", "7f", "bf", "ff"], ["00", "40", "80", "c0"]),
];

/// Place of the counters of a box.
enum Counters {
    /// The first MSR; the others follow it.
    Msr(u32),
    /// A function on the bus of the uncore, and the offset of the first counter.
    Function(&'static str),
    /// A function on the I/O bus, whose counters are 16 bytes apart.
    Io(&'static str),
}

/// A box that each package has: the name of its PMU, an event that each counter counts, how
/// many there are, and where.
struct Unit {
    name: &'static str,
    config: u32,
    counters: u8,
    place: Counters,
}

const fn on(name: &'static str, config: u32, counters: u8, place: Counters) -> Unit {
    Unit {
        name,
        config,
        counters,
        place,
    }
}

/// All boxes, with their clocks as events where they have one.
/// Documentation/hardware/ivbep.rst has the registers.
const BOXES: [Unit; 20] = [
    on("ubox", 0x842, 2, Counters::Msr(0xc16)),
    on("pcu", 0, 4, Counters::Msr(0xc36)),
    on("cbox_0", 0, 4, Counters::Msr(0xd16)),
    on("cbox_1", 0, 4, Counters::Msr(0xd36)),
    on("ha_0", 0, 4, Counters::Function("0e.1")),
    on("ha_1", 0, 4, Counters::Function("1c.1")),
    on("imc_0", 0, 4, Counters::Function("10.4")),
    on("imc_1", 0, 4, Counters::Function("10.5")),
    on("imc_2", 0, 4, Counters::Function("10.0")),
    on("imc_3", 0, 4, Counters::Function("10.1")),
    on("imc_4", 0, 4, Counters::Function("1e.4")),
    on("imc_5", 0, 4, Counters::Function("1e.5")),
    on("imc_6", 0, 4, Counters::Function("1e.0")),
    on("imc_7", 0, 4, Counters::Function("1e.1")),
    on("irp", 0, 2, Counters::Io("05.6")),
    on("qpi_0", 0x14, 4, Counters::Function("08.2")),
    on("qpi_1", 0x14, 4, Counters::Function("09.2")),
    on("r2pcie", 0x1, 4, Counters::Function("13.1")),
    on("r3qpi_0", 0x1, 3, Counters::Function("13.5")),
    on("r3qpi_1", 0x1, 3, Counters::Function("13.6")),
];

/// Offset of counter 0 in configuration space.
const FIRST: u32 = 0xa0;

/// Number of a box's counters that are read, and of system calls for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Amount {
    One,
    Each,
    Group,
}

/// A way to read.
#[derive(Debug)]
struct Way {
    /// Name of the way for `read-boxes`.
    name: &'static str,
    title: &'static str,
}

const WAYS: [Way; 3] = [
    Way {
        name: "here",
        title: "CPU 0",
    },
    Way {
        name: "move",
        title: "moving",
    },
    Way {
        name: "threads",
        title: "threads",
    },
];

/// A row of the table.
#[derive(Clone, Debug)]
pub struct Reading {
    packages: u8,
    amount: Amount,
    way: &'static Way,
    source: &'static str,
    costs: Vec<Cost>,
    calls: i64,
    interrupts: i64,
}

/// Measures all ways to read on all machines. The guest has loaded the kernel's driver of MSRs.
pub(super) fn measure() -> Vec<Reading> {
    let mut readings = Vec::new();
    for packages in PACKAGES {
        let machine = machine().with("packages", &packages.to_string());
        for driver in DRIVERS {
            let prefix = match driver {
                Driver::IntelUncore => "uncore_",
                _ => "ivbep_uncore_",
            };
            on_driver(&machine, driver, |session| {
                session.load(driver, &[]);
                for amount in [Amount::One, Amount::Each, Amount::Group] {
                    let share = |package| events(package, prefix, amount);
                    measure_source(
                        session,
                        packages,
                        driver.name(),
                        amount,
                        share,
                        &mut readings,
                    );
                }
                session.unload(driver);
            });
        }
        on_driver(&machine, Driver::None, |session| {
            for amount in [Amount::One, Amount::Each] {
                let share = |package| registers(package, packages, amount);
                measure_source(session, packages, "registers", amount, share, &mut readings);
            }
        });
    }
    readings
}

fn measure_source(
    session: &mut Session,
    packages: u8,
    source: &'static str,
    amount: Amount,
    share: impl Fn(u8) -> String,
    readings: &mut Vec<Reading>,
) {
    let shares: Vec<String> = (0..packages).map(share).collect();
    for way in &WAYS {
        let rounds = ROUNDS + 1;
        let command = format!(
            "taskset 1 read-boxes {} {rounds} {}",
            way.name,
            shares.join(" ")
        );
        let output = session.ok(&command);
        let mut costs = Cost::all(&output);
        assert_eq!(costs.len(), rounds, "costs of `{command}`");
        costs.remove(0);
        let figure = |name| median(&output, name);
        readings.push(Reading {
            packages,
            amount,
            way,
            source,
            costs,
            calls: figure("calls"),
            interrupts: figure("interrupts"),
        });
    }
}

/// CPU of a package for which it counts.
fn cpu(package: u8) -> u8 {
    2 * package
}

/// Returns the share of a package through perf.
fn events(package: u8, prefix: &str, amount: Amount) -> String {
    let events = BOXES.iter().map(|each| {
        let (kind, count) = match amount {
            Amount::One => ("event", 1),
            Amount::Each => ("event", each.counters),
            Amount::Group => ("group", each.counters),
        };
        format!(",{kind}:{prefix}{}:{}:{count}", each.name, each.config)
    });
    format!("{}{}", cpu(package), events.collect::<String>())
}

/// Returns the share of a package in registers.
fn registers(package: u8, packages: u8, amount: Amount) -> String {
    let buses = BUSES.iter().find(|(number, ..)| *number == packages);
    let index = usize::from(package);
    let (bus, io_bus) = buses.map_or(("", ""), |(_, uncore, io)| (uncore[index], io[index]));
    let cpu = cpu(package);
    let files = BOXES.iter().map(|each| {
        let count = match amount {
            Amount::One => 1,
            Amount::Each | Amount::Group => each.counters,
        };
        match each.place {
            Counters::Msr(first) => format!(",file:/dev/cpu/{cpu}/msr:{first}:{count}:1"),
            Counters::Function(function) => {
                format!(",file:/proc/bus/pci/{bus}/{function}:{FIRST}:{count}:8")
            }
            Counters::Io(function) => {
                format!(",file:/proc/bus/pci/{io_bus}/{function}:{FIRST}:{count}:16")
            }
        }
    });
    format!("{cpu}{}", files.collect::<String>())
}

/// Returns the median of a number that `read-boxes` prints in each round but the first.
fn median(output: &str, name: &str) -> i64 {
    let words = output.split([',', '\n']).map(str::trim);
    let numbers = words.filter_map(|word| word.strip_prefix(name)?.trim().parse().ok());
    let mut numbers: Vec<i64> = numbers.skip(1).collect();
    numbers.sort_unstable();
    numbers.get(numbers.len() / 2).copied().unwrap_or(0)
}

/// Returns the table of all readings.
pub(super) fn table(readings: &[Reading]) -> Table {
    let rows = readings.iter().map(|reading| {
        let [instructions, in_module, accesses, ..] = FIGURES
            .each_ref()
            .map(|figure| Spread::of(&reading.costs, figure.of));
        let amount = match reading.amount {
            Amount::One => "one",
            Amount::Each => "each",
            Amount::Group => "group",
        };
        [
            json!(reading.packages),
            json!(amount),
            json!(reading.way.title),
            json!(reading.source),
            json!(reading.calls),
            json!(reading.interrupts),
            json!(instructions.median),
            json!(instructions.least),
            json!(in_module.median),
            json!(accesses.median),
        ]
    });
    let head = [
        "packages",
        "reads",
        "from",
        "through",
        "calls",
        "IPIs",
        "instructions",
        "least",
        "module",
        "accesses",
    ];
    Table::new(TITLE, head, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_differ_by_package() {
        let share = events(1, "uncore_", Amount::Group);
        assert!(share.starts_with("2,group:uncore_ubox:2114:2,group:uncore_pcu:0:4,"));
        let share = registers(3, 4, Amount::Each);
        assert!(
            share.starts_with("6,file:/dev/cpu/6/msr:3094:2:1,"),
            "{share}"
        );
        assert!(
            share.contains(",file:/proc/bus/pci/c0/05.6:160:2:16,"),
            "{share}"
        );
        assert!(
            share.contains(",file:/proc/bus/pci/ff/10.4:160:4:8,"),
            "{share}"
        );
        let one = registers(0, 2, Amount::One);
        assert_eq!(one.matches(":1:").count(), BOXES.len(), "{one}");
    }

    #[test]
    fn the_first_round_is_thrown_away() {
        let output = "cost reading\ncalls 9, interrupts 90\ncalls 1, interrupts 3\n\
                      calls 2, interrupts 2\ncalls 3, interrupts 1\n";
        assert_eq!(median(output, "calls"), 2);
        assert_eq!(median(output, "interrupts"), 2);
    }
}
