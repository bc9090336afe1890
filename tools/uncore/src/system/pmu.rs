// SPDX-License-Identifier: GPL-2.0

//! PMUs of the module: each is the box of one index in all packages.

mod files;

use super::{Defect, Event, Format, DEVICES};
use crate::platform::Platform;
use crate::root::Root;
use files::Files;
use std::cell::OnceCell;

/// End of the prefix of all PMUs of the module.
const PREFIX_END: &str = "uncore_";

/// PMU of the module.
#[derive(Debug, Clone)]
pub struct Pmu {
    /// Name in perf: `ivbep_uncore_cbox_0`.
    pub name: String,
    /// Platform of the machine.
    pub platform: &'static Platform,
    /// Kind of the box: `cbox`.
    pub unit: String,
    /// Index of the box, if there are several of the kind.
    pub index: Option<u32>,
    /// Type number for `perf_event_attr`.
    pub kind: Option<u32>,
    /// Second name that perf accepts.
    pub alias: Option<String>,
    /// CPUs that count, one for each package that has the box.
    pub cpus: Vec<u32>,
    /// Fields, by name.
    pub formats: Vec<Format>,
    /// Properties in `caps/`.
    pub caps: Caps,
    /// Invalid files among those of the fields above.
    defects: Vec<Defect>,
    root: Root,
    named: OnceCell<Named>,
}

/// Named events, and invalid files among theirs.
#[derive(Debug, Clone)]
struct Named {
    events: Vec<Event>,
    defects: Vec<Defect>,
}

/// Properties in `caps/`.
#[derive(Debug, Clone, Default)]
pub struct Caps {
    /// Number of general counters.
    pub counters: Option<u32>,
    /// Number of counters for one event only.
    pub fixed_counters: Option<u32>,
    /// Width of a general counter in bits.
    pub width: Option<u32>,
    /// Overflow detection.
    pub overflow: Option<String>,
    /// Filters.
    pub filters: Vec<String>,
    /// True if events with different filters take turns, instead of sharing the box.
    pub has_one_criterion: bool,
    /// Address of the registers, for each of the CPUs.
    pub location: Vec<String>,
    /// Address of the filter registers, for each of the CPUs.
    pub filter_location: Vec<String>,
}

/// Returns the platform of a PMU of the module: by its name, or with `names=compat`
/// by its identifier. Returns `None` for all other PMUs.
pub(super) fn platform(root: &Root, name: &str) -> Option<&'static Platform> {
    match name.split_once(PREFIX_END)? {
        ("", _) => {
            let identifier = root.text(&format!("{DEVICES}/{name}/identifier"));
            marked(&identifier.ok()?)
        }
        (platform, _) => Platform::named(platform.strip_suffix('_')?),
    }
}

/// Returns the platform of an identifier: its name and three hexadecimal numbers, such
/// as `ivbep-6-3e-4`.
fn marked(identifier: &str) -> Option<&'static Platform> {
    let (platform, processor) = identifier.split_once('-')?;
    let mut numbers = processor.split('-');
    let is_processor = numbers.clone().count() == 3
        && numbers.all(|number| u32::from_str_radix(number, 16).is_ok());
    Platform::named(platform).filter(|_| is_processor)
}

/// Splits a name into unit and index.
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
    /// Reads all files except those of events.
    pub(super) fn read(root: &Root, name: String, platform: &'static Platform) -> Self {
        let mut files = Files::new(root, &name);
        let (unit, index) = split(&name);
        Self {
            platform,
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
                has_one_criterion: files.list("caps/filter_criteria") == ["one"],
                location: files.list("caps/location"),
                filter_location: files.list("caps/filter_location"),
            },
            defects: files.into_defects(),
            root: root.clone(),
            named: OnceCell::new(),
            name,
        }
    }

    /// Returns the named events, by name. Their hundreds of files are read at the first
    /// call.
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

    /// Returns the invalid files among the files that were read.
    pub(super) fn defects(&self) -> impl Iterator<Item = &Defect> {
        let of_events = self
            .named
            .get()
            .into_iter()
            .flat_map(|named| &named.defects);
        self.defects.iter().chain(of_events)
    }

    /// Returns the name without the prefix: `cbox_0`.
    pub fn box_name(&self) -> String {
        match self.index {
            Some(index) => format!("{}_{index}", self.unit),
            None => self.unit.clone(),
        }
    }

    /// Returns the name without the index: `ivbep_uncore_cbox`.
    pub fn stem(&self) -> &str {
        match (self.index, self.name.rsplit_once('_')) {
            (Some(_), Some((stem, _))) => stem,
            _ => &self.name,
        }
    }

    /// Returns whether a name means this PMU.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.alias.as_deref() == Some(name) || self.box_name() == name
    }

    /// Returns whether a name means all boxes of this kind.
    pub fn is_of(&self, name: &str) -> bool {
        let alias = self
            .alias
            .as_deref()
            .and_then(|alias| alias.rsplit_once('_'));
        self.stem() == name
            || self.unit == name
            || self.index.is_some() && alias.is_some_and(|(stem, _)| stem == name)
    }

    /// Returns the event with this name.
    pub fn event(&self, name: &str) -> Option<&Event> {
        let named = |event: &&Event| event.name.eq_ignore_ascii_case(name);
        self.events().iter().find(named)
    }

    /// Returns the field with this name.
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
        let name = |identifier| marked(identifier).map(|platform| platform.name);
        assert_eq!(name("ivbep-6-3e-4"), Some("ivbep"));
        assert_eq!(name("bdx-6-4f-1"), Some("bdx"));
        for other in [
            "",
            "ivbep",
            "0x30",
            "ivbep-6-3e",
            "ivbep-6-3e-x",
            "-6-3e-4",
            "0x30-6-3e-4",
            "other-6-3e-4",
            "ivbep-6-3e-4-1",
        ] {
            assert_eq!(name(other), None, "{other}");
        }
    }
}
