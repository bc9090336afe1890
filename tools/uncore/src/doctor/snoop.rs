// SPDX-License-Identifier: GPL-2.0

//! Names the snoop mode, as far as it can be known: no register that is documented has it.
//!
//! NUMA nodes tell of cluster-on-die. All else is what home agents do for a moment. They look up
//! a directory, and broadcast snoops by what it says, in some modes only.

use std::collections::BTreeSet;
use std::io;
use std::thread;
use std::time::Duration;

use super::{Check, Target};
use crate::counting::{CpuPin, Group};
use crate::encode::encode;
use crate::error::Error;
use crate::system::{Pmu, System};

const NAME: &str = "snoop mode";

/// Kind of the boxes that keep the directory.
const HOME_AGENT: &str = "ha";
/// Reads, lookups of the directory whatever they find, and snoops by its contents.
const EVENTS: [&[(&str, Option<&str>)]; 3] = [
    &[("requests.reads", None)],
    &[("directory_lookup.snp", None), ("umask", Some("0x3"))],
    &[("osb.reads_local", None), ("umask", Some("0xe"))],
];
/// Time to look at them.
const MOMENT: Duration = Duration::from_millis(100);

/// What all home agents did for a moment.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    reads: u64,
    lookups: u64,
    broadcasts: u64,
}

/// Names the snoop mode, on a machine that has a choice of them.
pub(super) fn check(target: &Target<'_>) -> Option<Check> {
    let system = target.system;
    let platform = system.platform().ok()?;
    let nodes = system.numa_nodes().unwrap_or_default();
    let most = nodes.values().map(BTreeSet::len).max();
    // Alone, a package has nobody to snoop.
    let is_alone = nodes.len() == 1 && most == Some(1);
    if !platform.has_snoop_modes || is_alone {
        return None;
    }
    let all: BTreeSet<&u32> = nodes.values().flatten().collect();
    let nodes = match most {
        Some(several @ 2..) => {
            format!("cluster-on-die: a package is {several} NUMA nodes with a home agent each")
        }
        Some(1) if all.len() == nodes.len() => {
            "not cluster-on-die: a package is one NUMA node".to_owned()
        }
        _ => "the kernel shows no NUMA node of each package, so cluster-on-die is not known"
            .to_owned(),
    };
    let seen = if system.root.is_live() {
        look(system).map_err(|error| error.to_string())
    } else {
        Err("this is a recorded system".to_owned())
    };
    Some(Check::pass(NAME, format!("{nodes}; {}", told(&seen))))
}

/// Counts on all home agents for a moment.
fn look(system: &System) -> Result<Seen, Error> {
    let mut groups = Vec::new();
    for pmu in system.pmus.iter().filter(|pmu| pmu.unit == HOME_AGENT) {
        for cpu in &pmu.cpus {
            groups.push((*cpu, open(pmu, *cpu)?));
        }
    }
    count(&mut groups).map_err(|source| Error::Count {
        pmu: HOME_AGENT.to_owned(),
        source,
    })
}

fn open(pmu: &Pmu, cpu: u32) -> Result<Group, Error> {
    let words = EVENTS.map(|terms| {
        let owned = terms.iter().map(|(name, value)| {
            let value = value.map(str::to_owned);
            ((*name).to_owned(), value)
        });
        encode(pmu, &owned.collect::<Vec<_>>()).words
    });
    Group::open(pmu, cpu, &words).map_err(|refusal| {
        let event = EVENTS.get(refusal.member).and_then(|terms| terms.first());
        refusal.of(pmu, cpu, event.map_or("", |(name, _)| name))
    })
}

fn count(groups: &mut [(u32, Group)]) -> io::Result<Seen> {
    for (cpu, group) in &mut *groups {
        let _pin = CpuPin::to(*cpu);
        group.start()?;
    }
    thread::sleep(MOMENT);
    let mut seen = Seen::default();
    for (cpu, group) in groups {
        let _pin = CpuPin::to(*cpu);
        group.stop()?;
        if let [reads, lookups, broadcasts] = group.read()?.values.as_slice() {
            seen.reads += reads;
            seen.lookups += lookups;
            seen.broadcasts += broadcasts;
        }
    }
    Ok(seen)
}

/// Tells what was seen, and what follows for counts.
fn told(seen: &Result<Seen, String>) -> String {
    const INFLATED: &str = "cas_count contains reads and writes of the directory";
    match seen {
        Ok(Seen {
            broadcasts: 1.., ..
        }) => format!(
            "home agents look up a directory and broadcast snoops by it, as with opportunistic \
             snoop broadcast: {INFLATED}"
        ),
        Ok(Seen { lookups: 1.., .. }) => {
            format!("home agents look up a directory, as with home snoop: {INFLATED}")
        }
        Ok(Seen { reads: 1.., .. }) => {
            "home agents looked up no directory when memory was read, as with early snoop"
                .to_owned()
        }
        Ok(_) => {
            "nothing read memory, so it is not known if home agents use a directory".to_owned()
        }
        Err(why) => format!("it is not known if home agents use a directory: {why}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_the_modes_apart() {
        let told = |reads, lookups, broadcasts| {
            told(&Ok(Seen {
                reads,
                lookups,
                broadcasts,
            }))
        };
        let (inflated, early) = ("cas_count contains", "early snoop");
        let osb = told(9, 9, 1);
        assert!(
            osb.contains("snoop broadcast") && osb.contains(inflated),
            "{osb}"
        );
        let home = told(9, 9, 0);
        assert!(
            home.contains("home snoop") && home.contains(inflated),
            "{home}"
        );
        let none = told(9, 0, 0);
        assert!(none.contains(early) && !none.contains(inflated), "{none}");
        let idle = told(0, 0, 0);
        assert!(
            idle.contains("not known") && !idle.contains(early),
            "{idle}"
        );
    }
}
