// SPDX-License-Identifier: GPL-2.0

//! The traffic *server*: flows agree with each other, and with the roofs of each part.

use uncore_catalogue::{rows_of, Facts, Platform, Processor, Setting, PLAIN};
use uncore_definition::cycles;
use uncore_machine::{count_of_flows, Topology};

/// Cycles of uclk in a second.
const SECOND: u64 = 2_400_000_000;

/// A machine of a platform, and the words of its events.
struct Machine {
    name: &'static str,
    platform: Platform,
    topology: Topology,
}

/// An event: type of box, event select with the extra bit, umask, and a filter.
type Event = (&'static str, u16, u8, u64);

impl Machine {
    fn all() -> Vec<Self> {
        let usual = |one: &'static Processor| {
            let topology = Topology::parse(&format!("platform={},cboxes=3", one.name));
            Some(Self {
                name: &one.name,
                platform: Platform::of(one)?,
                topology: topology.expect("a shape"),
            })
        };
        let processors = Facts::all().iter().flat_map(|facts| &facts.processors);
        processors.filter_map(usual).collect()
    }

    fn setting(&self, (kind, code, umask, filter): Event) -> Setting {
        Setting {
            platform: self.platform,
            kind,
            ext: code >> 8 == 1,
            code: code as u8,
            umask,
            // The events of home agents that are asked for here.
            counter: usize::from(kind == "BBOX"),
            filters: [filter, 0xffff, 0, 0],
            ..PLAIN
        }
    }

    /// Counts of the boxes of a package in a second of each phase.
    fn seconds(&self, event: Event, package: u64) -> Vec<Vec<u64>> {
        let of = |instance| {
            let at = |uclk| {
                let setting = Setting {
                    package,
                    instance,
                    ..self.setting(event)
                };
                count_of_flows(&setting, &self.topology, uclk)
            };
            let phase = |phase: u64| {
                let from = (3 * phase + 1) * SECOND;
                Some(at(from + SECOND)? - at(from)?)
            };
            (0..8).map(phase).collect()
        };
        let cboxes = if self.topology.packages[0].buses.is_some() {
            3
        } else {
            2
        };
        let most = if event.0 == "CBO" { cboxes } else { 8 };
        (0..most).map_while(of).collect()
    }

    /// Counts in all packages in a second of a phase, and by how much less than all that came before
    /// they can be: a block of each signal.
    fn sum(&self, events: &[Event], phase: usize) -> (u64, u64) {
        const BLOCK: u64 = 5;
        let (mut sum, mut slack) = (0, 0);
        for package in 0..self.topology.packages.len() as u64 {
            for event in events {
                let boxes = self.seconds(*event, package);
                let signals = u64::from(event.2.count_ones().max(1));
                slack += boxes.len() as u64 * signals * BLOCK;
                sum += boxes.iter().map(|seconds| seconds[phase]).sum::<u64>();
            }
        }
        (sum, slack)
    }

    /// Asserts that some events count as often as others in each phase, but for blocks under way.
    fn agree(&self, some: &[Event], others: &[Event]) {
        for phase in 0..8 {
            let ((one, slack), (other, more)) = (self.sum(some, phase), self.sum(others, phase));
            let name = self.name;
            assert!(one > 0, "{name}: {some:?}");
            assert!(
                one.abs_diff(other) <= slack + more,
                "{name}: {some:?} {one}, {others:?} {other}"
            );
        }
    }
}

#[test]
fn flows_agree() {
    for machine in Machine::all() {
        let platform = machine.platform;
        if platform.has_sub_registers() {
            let higher = platform.wider_fvid();
            let [reads, writes] = [0x2800, 0x2820].map(|fvc| ("MBOX", 0x0d, 0, fvc << higher));
            machine.agree(&[("CBO", 0x14, 0x07, 0)], &[reads]);
            machine.agree(&[reads], &[("BBOX", 0x1d, 0, 0)]);
            machine.agree(&[writes], &[("BBOX", 0x0c, 0, 0)]);
        } else if !platform.is_client() {
            let [reads, writes] = [("HA", 0x01, 0x03, 0), ("HA", 0x01, 0x0c, 0)];
            machine.agree(&[("CBO", 0x35, 0x4a, 0)], &[reads]);
            machine.agree(&[("CBO", 0x35, 0x2a, 0)], &[("HA", 0x01, 0x01, 0)]);
            machine.agree(&[("CBO", 0x35, 0x8a, 0)], &[("HA", 0x01, 0x02, 0)]);
            machine.agree(&[reads], &[("iMC", 0x04, 0x01, 0)]);
            machine.agree(&[writes], &[("iMC", 0x04, 0x0c, 0)]);
            machine.agree(&[writes], &[("HA", 0x1a, 0x0f, 0)]);
            for (sent, received, umask) in [
                (0x00, 0x01, 2),
                (0x00, 0x01, 4),
                (0x100, 0x102, 0x1f),
                (0x101, 0x103, 0x1f),
            ] {
                machine.agree(&[("QPI", sent, umask, 0)], &[("QPI", received, umask, 0)]);
            }
            let parts = [("QPI", 0x100, 0x08, 0), ("QPI", 0x101, 0x04, 0)];
            machine.agree(&[("QPI", 0x00, 0x02, 0)], &parts);
            let parts = [("QPI", 0x100, 0x17, 0), ("QPI", 0x101, 0x1b, 0)];
            machine.agree(&[("QPI", 0x00, 0x04, 0)], &parts);
        }
    }
}

/// Each event counts no more than its largest increment allows in a second of any phase, and one
/// memory channel comes near to what it can do.
#[test]
fn nothing_exceeds_its_roof() {
    for machine in Machine::all() {
        let platform = machine.platform;
        let rows = rows_of(machine.name);
        let plain = rows
            .iter()
            .filter(|row| !["MBOX", "RBOX", "BBOX"].contains(&&*row.kind));
        for row in plain.filter(|row| !row.is_clock() && !row.allows(4)) {
            let code = u16::from(row.code) | u16::from(row.ext == Some(true)) << 8;
            let kind: &'static str = row.kind.clone().leak();
            let of_event = rows.iter().filter(|other| {
                (&other.kind, other.code, other.ext) == (&row.kind, row.code, row.ext)
            });
            let most = of_event.map(|other| u64::from(other.max_inc.unwrap_or(1).clamp(1, 255)));
            let most = most.max().unwrap_or(1);
            // Signals of an umask add up.
            let signals = u64::from(row.umask.count_ones().max(1));
            let roof = most * signals * cycles(platform, kind, SECOND);
            for seconds in machine.seconds((kind, code, row.umask, 0), 0) {
                let highest = seconds.iter().max().copied();
                assert!(highest <= Some(roof), "{platform:?} {row:?}: {seconds:?}");
            }
        }
        if machine.topology.packages[0].channels != 0 {
            let clock = cycles(platform, "iMC", SECOND);
            let channels = |package| machine.seconds(("iMC", 0x04, 0x0f, 0), package);
            let all = [channels(0), channels(1)].concat();
            let highest = all.iter().flatten().max().copied().unwrap_or(0);
            assert!(4 * highest <= clock, "{highest} of {clock}");
            assert!(100 * 4 * highest >= 90 * clock, "{highest} of {clock}");
            let of = |code, umask| machine.seconds(("CBO", code, umask, 0), 0)[0][0];
            let (held, came) = (of(0x36, 0x4a), of(0x35, 0x4a));
            // From 60 to 100 ns at 2.4 GHz.
            assert!((144..=240).contains(&(held / came)), "{held} / {came}");
            let both = |first, second| {
                let [first, second] =
                    [first, second].map(|umask| machine.seconds(("QPI", 0x00, umask, 0), 0));
                first[0].iter().zip(&second[0]).map(|(a, b)| a + b).max()
            };
            assert!(both(0x02, 0x04) < Some(2 * cycles(platform, "QPI", SECOND)));
        }
    }
}

/// The example of the page.
#[test]
fn an_example() {
    let machine = &Machine::all()[0];
    let setting = machine.setting(("HA", 0x01, 0x03, 0));
    let count = count_of_flows(&setting, &machine.topology, 1_000_000_000);
    assert_eq!(count, Some(45_045_000));
}
