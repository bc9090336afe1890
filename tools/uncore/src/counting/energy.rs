// SPDX-License-Identifier: GPL-2.0

//! Energy of each package, where the kernel counts it (RAPL).

use uncore_metrics::{Outcome, Scope, Unit};

use super::{Counts, Group, Place};
use crate::system::{number, numbers, System, Word, Words, DEVICES};

/// Kind and only box.
const BOX: &str = "rapl";
/// Name of the metric, as of one of the overview.
const METRIC: &str = "energy_package_joules";

/// Event of the kernel that counts the energy of a package.
#[derive(Debug, PartialEq)]
struct Event {
    kind: u32,
    config: u64,
    /// Joules of a count.
    scale: f64,
    /// CPUs that count, one of each package.
    cpus: Vec<u32>,
}

impl Event {
    /// Reads what sysfs says of the event; `None` if the kernel has none.
    fn of(system: &System) -> Option<Self> {
        let file = |name: &str| system.root.text(&format!("{DEVICES}/power/{name}")).ok();
        Some(Self {
            kind: file("type")?.parse().ok()?,
            config: number(file("events/energy-pkg")?.strip_prefix("event=")?)?,
            scale: file("events/energy-pkg.scale")?.parse().ok()?,
            cpus: numbers(&file("cpumask")?)?,
        })
    }
}

/// Counters of the energy of packages.
#[derive(Default)]
pub(crate) struct Energy {
    scale: f64,
    packages: Vec<Counted>,
}

struct Counted {
    package: u32,
    group: Group,
    before: Counts,
    /// Count since the reading before.
    count: u64,
}

impl Energy {
    /// Opens the counters of these packages that the kernel has.
    pub(crate) fn open(system: &System, places: &[Place]) -> Self {
        let Some(event) = Event::of(system) else {
            return Self::default();
        };
        let mut words = Words::default();
        if let Some(config) = Word::of("config") {
            words.set(config, event.config);
        }
        let packages = event.cpus.iter().filter_map(|&cpu| {
            let package = system.package_of(cpu).ok()??.parse().ok()?;
            places.iter().find(|place| place.package == package)?;
            Some(Counted {
                package,
                group: Group::of_kind(event.kind, cpu, words).ok()?,
                before: Counts::default(),
                count: 0,
            })
        });
        Self {
            scale: event.scale,
            packages: packages.collect(),
        }
    }

    /// Starts to count.
    pub(crate) fn start(&mut self) {
        let started = |counted: &mut Counted| counted.group.start().is_ok();
        self.packages.retain_mut(started);
    }

    /// Reads the counters. One that cannot be read is given up.
    pub(crate) fn read(&mut self) {
        self.packages.retain_mut(|counted| {
            let Ok(now) = counted.group.read() else {
                return false;
            };
            let [now_value, before] = [&now, &counted.before].map(|counts| counts.values.first());
            let before = before.copied().unwrap_or_default();
            counted.count = now_value.map_or(0, |now| now.saturating_sub(before));
            counted.before = now;
            true
        });
    }

    /// Returns what was counted in an interval of this length.
    pub(crate) fn outcomes(&self, seconds: f64, scope: Scope) -> Vec<Outcome> {
        let of_packages = self.packages.iter().map(|counted| Outcome {
            package: Some(counted.package),
            box_type: BOX.to_owned(),
            box_name: (scope == Scope::Box).then(|| BOX.to_owned()),
            metric: METRIC.to_owned(),
            value: Ok(joules(counted.count, self.scale)),
            unit: Unit::Joules,
            seconds,
            counted: 1.0,
            apart: false,
        });
        let outcomes: Vec<Outcome> = of_packages.collect();
        let sum = outcomes.iter().filter_map(|one| one.value.ok()).sum();
        match (scope, outcomes.first()) {
            (Scope::Machine, Some(first)) => vec![Outcome {
                package: None,
                value: Ok(sum),
                ..first.clone()
            }],
            _ => outcomes,
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a power is shown with four digits"
)]
fn joules(count: u64, scale: f64) -> f64 {
    count as f64 * scale
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn sysfs_says_what_counts_energy() {
        let directory = tempfile::tempdir().expect("a directory");
        let power = directory.path().join(DEVICES).join("power");
        fs::create_dir_all(power.join("events")).expect("created");
        for (name, text) in [
            ("type", "27\n"),
            ("cpumask", "0,18\n"),
            ("events/energy-pkg", "event=0x02\n"),
            ("events/energy-pkg.unit", "Joules\n"),
        ] {
            fs::write(power.join(name), text).expect("written");
        }
        let event = || Event::of(&System::read(directory.path()).expect("a system"));
        assert_eq!(event(), None);
        let scale = power.join("events/energy-pkg.scale");
        fs::write(scale, "2.3283064365386962890625e-10\n").expect("written");
        let event = event().expect("an event");
        assert_eq!((event.kind, event.config), (27, 2));
        assert_eq!(event.cpus, [0, 18]);
        let watts = joules(1 << 38, event.scale);
        assert!((watts - 64.0).abs() < 1e-9, "{watts}");
    }
}
