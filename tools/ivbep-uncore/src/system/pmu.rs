// SPDX-License-Identifier: GPL-2.0

//! One of the module's PMUs: a box of one index in all packages.

mod files;

use super::{Defect, Event, Format, DEVICES, MODULE};
use crate::root::Root;
use files::Files;
use std::cell::OnceCell;

/// What ends the prefix that is the same for all of the module's PMUs.
const PREFIX_END: &str = "uncore_";

/// A PMU.
#[derive(Debug, Clone)]
pub struct Pmu {
    /// As perf calls it: `ivbep_uncore_cbox_0`.
    pub name: String,
    /// What kind of box it is: `cbox`.
    pub unit: String,
    /// Which of them, if there are several.
    pub index: Option<u32>,
    /// The number that stands for it in `perf_event_attr`.
    pub kind: Option<u32>,
    /// A second name that perf takes.
    pub alias: Option<String>,
    /// The CPUs that count, one for each package that has the box.
    pub cpus: Vec<u32>,
    /// Its fields, by name.
    pub formats: Vec<Format>,
    /// What else the module says about it.
    pub caps: Caps,
    /// What makes no sense in the files of all that.
    defects: Vec<Defect>,
    root: Root,
    named: OnceCell<Named>,
}

/// Its named events, and what makes no sense in their files.
#[derive(Debug, Clone)]
struct Named {
    events: Vec<Event>,
    defects: Vec<Defect>,
}

/// What `caps/` says.
#[derive(Debug, Clone, Default)]
pub struct Caps {
    /// How many general counters it has.
    pub counters: Option<u32>,
    /// How many counters of one event only.
    pub fixed_counters: Option<u32>,
    /// How many bits a general counter has.
    pub width: Option<u32>,
    /// How overflows are noticed.
    pub overflow: Option<String>,
    /// Its filters.
    pub filters: Vec<String>,
    /// Where its registers are, for each of the CPUs.
    pub location: Vec<String>,
    /// Where those of its filters are.
    pub filter_location: Vec<String>,
}

/// Whether a PMU is the module's.
pub(super) fn is_of_module(root: &Root, name: &str) -> bool {
    let identifier = root.optional(&format!("{DEVICES}/{name}/identifier"));
    let marked = identifier.ok().flatten().is_some_and(|text| is_mark(&text));
    name.starts_with(&format!("{MODULE}_")) || marked && name.contains(PREFIX_END)
}

/// The platform's name and three hexadecimal numbers, such as `ivbep-6-3e-4`.
fn is_mark(identifier: &str) -> bool {
    let parts: Vec<&str> = identifier.split('-').collect();
    let is_number = |part: &&str| u32::from_str_radix(part, 16).is_ok();
    match parts.as_slice() {
        [platform, processor @ ..] => {
            MODULE.starts_with(&format!("{platform}_"))
                && processor.len() == 3
                && processor.iter().all(is_number)
        }
        [] => false,
    }
}

/// Unit and index of a name.
fn split(name: &str) -> (&str, Option<u32>) {
    let base = name.split_once(PREFIX_END).map_or(name, |(_, base)| base);
    match base.rsplit_once('_') {
        Some((unit, index)) if !unit.is_empty() => match index.parse() {
            Ok(index) => (unit, Some(index)),
            Err(_) => (base, None),
        },
        _ => (base, None),
    }
}

impl Pmu {
    /// Reads its files but those of its events.
    pub(super) fn read(root: &Root, name: String) -> Self {
        let mut files = Files::new(root, &name);
        let (unit, index) = split(&name);
        Self {
            unit: unit.to_owned(),
            index,
            kind: files.number("type", true),
            alias: files.optional("alias").filter(|alias| !alias.is_empty()),
            cpus: files.cpus(),
            formats: files.formats(),
            caps: Caps {
                counters: files.number("caps/counters", false),
                fixed_counters: files.number("caps/fixed_counters", false),
                width: files.number("caps/width", false),
                overflow: files.optional("caps/overflow"),
                filters: files.list("caps/filters"),
                location: files.list("caps/location"),
                filter_location: files.list("caps/filter_location"),
            },
            defects: files.into_defects(),
            root: root.clone(),
            named: OnceCell::new(),
            name,
        }
    }

    /// Its named events, by name. They have hundreds of files, which are read when
    /// somebody asks.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        let named = self.named.get_or_init(|| {
            let mut files = Files::new(&self.root, &self.name);
            Named {
                events: files.events(),
                defects: files.into_defects(),
            }
        });
        &named.events
    }

    /// What makes no sense in those of its files that were read.
    pub(super) fn defects(&self) -> impl Iterator<Item = &Defect> {
        let of_events = self
            .named
            .get()
            .into_iter()
            .flat_map(|named| &named.defects);
        self.defects.iter().chain(of_events)
    }

    /// Its name without the prefix: `cbox_0`.
    #[must_use]
    pub fn box_name(&self) -> String {
        match self.index {
            Some(index) => format!("{}_{index}", self.unit),
            None => self.unit.clone(),
        }
    }

    /// Its name without the index: `ivbep_uncore_cbox`.
    #[must_use]
    pub fn stem(&self) -> &str {
        match (self.index, self.name.rsplit_once('_')) {
            (Some(_), Some((stem, _))) => stem,
            _ => &self.name,
        }
    }

    /// Whether it is this one's name.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.alias.as_deref() == Some(name) || self.box_name() == name
    }

    /// Whether it is the name of all boxes of this kind.
    #[must_use]
    pub fn is_of(&self, name: &str) -> bool {
        let alias = self
            .alias
            .as_deref()
            .and_then(|alias| alias.rsplit_once('_'));
        self.stem() == name
            || self.unit == name
            || self.index.is_some() && alias.is_some_and(|(stem, _)| stem == name)
    }

    /// The event with this name.
    #[must_use]
    pub fn event(&self, name: &str) -> Option<&Event> {
        let named = |event: &&Event| event.name.eq_ignore_ascii_case(name);
        self.events().iter().find(named)
    }

    /// The field with this name.
    #[must_use]
    pub fn format(&self, name: &str) -> Option<&Format> {
        self.formats.iter().find(|format| format.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_names() {
        assert_eq!(split("ivbep_uncore_cbox_12"), ("cbox", Some(12)));
        assert_eq!(split("uncore_r2pcie"), ("r2pcie", None));
        assert_eq!(split("uncore_r3qpi_1"), ("r3qpi", Some(1)));
        assert_eq!(split("uncore_"), ("", None));
        assert_eq!(split("uncore__1"), ("_1", None));
        assert_eq!(split("cbox_99999999999"), ("cbox_99999999999", None));
    }

    #[test]
    fn knows_the_mark() {
        assert!(is_mark("ivbep-6-3e-4"));
        for other in [
            "",
            "ivbep",
            "0x30",
            "ivbep-6-3e",
            "ivbep-6-3e-x",
            "-6-3e-4",
            "ivbep-6-3e-4-1",
        ] {
            assert!(!is_mark(other), "{other}");
        }
    }
}
