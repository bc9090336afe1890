// SPDX-License-Identifier: GPL-2.0

//! The files of a PMU in sysfs. Those that make no sense become defects.

use std::path::PathBuf;

use super::super::{numbers, Defect, Event, Format, DEVICES};
use crate::root::Root;

/// Ends of the names of files that say something about an event.
const ABOUT: [&str; 4] = [".unit", ".scale", ".per-pkg", ".snapshot"];

/// The files of one PMU.
pub(super) struct Files<'a> {
    root: &'a Root,
    directory: String,
    defects: Vec<Defect>,
}

impl<'a> Files<'a> {
    pub(super) fn new(root: &'a Root, pmu: &str) -> Self {
        Self {
            root,
            directory: format!("{DEVICES}/{pmu}"),
            defects: Vec::new(),
        }
    }

    pub(super) fn into_defects(self) -> Vec<Defect> {
        self.defects
    }

    fn defect(&mut self, file: &str, what: String) {
        let path: PathBuf = self.root.path(&format!("{}/{file}", self.directory));
        self.defects.push(Defect { path, what });
    }

    pub(super) fn optional(&mut self, file: &str) -> Option<String> {
        match self.root.optional(&format!("{}/{file}", self.directory)) {
            Ok(text) => text,
            Err(error) => {
                self.defect(file, error.to_string());
                None
            }
        }
    }

    pub(super) fn number(&mut self, file: &str, required: bool) -> Option<u32> {
        let text = self.optional(file);
        let number = text.as_ref().and_then(|text| text.trim().parse().ok());
        match text {
            Some(text) if number.is_none() => self.defect(file, format!("{text:?} is no number")),
            None if required => self.defect(file, "it is missing".to_owned()),
            _ => {}
        }
        number
    }

    pub(super) fn list(&mut self, file: &str) -> Vec<String> {
        let text = self.optional(file).unwrap_or_default();
        let parts = text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty());
        parts.map(str::to_owned).collect()
    }

    pub(super) fn cpus(&mut self) -> Vec<u32> {
        let text = self.optional("cpumask").unwrap_or_default();
        numbers(&text).unwrap_or_else(|| {
            self.defect("cpumask", format!("{text:?} is no list of CPUs"));
            Vec::new()
        })
    }

    fn names(&mut self, directory: &str) -> Vec<String> {
        match self.root.names(&format!("{}/{directory}", self.directory)) {
            Ok(names) => names,
            Err(error) => {
                self.defect(directory, error.to_string());
                Vec::new()
            }
        }
    }

    pub(super) fn formats(&mut self) -> Vec<Format> {
        let mut formats = Vec::new();
        for name in self.names("format") {
            let file = format!("format/{name}");
            let text = self.optional(&file).unwrap_or_default();
            match Format::parse(&name, &text) {
                Ok(format) => formats.push(format),
                Err(what) => self.defect(&file, what),
            }
        }
        formats
    }

    pub(super) fn events(&mut self) -> Vec<Event> {
        let names = self.names("events");
        let is_about = |name: &str| ABOUT.iter().any(|end| name.ends_with(end));
        let mut events = Vec::new();
        for name in names.iter().filter(|name| !is_about(name)) {
            let file = format!("events/{name}");
            // Most events have neither.
            let has = |end: &str| names.binary_search(&format!("{name}{end}")).is_ok();
            let text = self.optional(&file).unwrap_or_default();
            match Event::parse(name, &text) {
                Ok(event) => events.push(Event {
                    unit: has(".unit")
                        .then(|| self.optional(&format!("{file}.unit")))
                        .flatten(),
                    scale: has(".scale")
                        .then(|| self.scale(&format!("{file}.scale")))
                        .flatten(),
                    ..event
                }),
                Err(what) => self.defect(&file, what),
            }
        }
        events
    }

    fn scale(&mut self, file: &str) -> Option<f64> {
        let text = self.optional(file)?;
        let scale = text
            .trim()
            .parse()
            .ok()
            .filter(|scale: &f64| scale.is_finite());
        if scale.is_none() {
            self.defect(file, format!("{text:?} is no scale"));
        }
        scale
    }
}
