// SPDX-License-Identifier: GPL-2.0

//! The plugin's arguments, `key=value` each.
//!
//! All other arguments describe the machine and go to [`Topology::parse`], which
//! refuses unknown ones.

use std::path::PathBuf;

use uncore_machine::Topology;

/// The parsed arguments.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
#[derive(Debug)]
pub(crate) struct Options {
    /// The machine.
    pub(crate) topology: Topology,
    /// Threads per core (`smt=1`).
    pub(crate) threads: u8,
    /// Violations are appended here (`report=PATH`).
    pub(crate) report: Option<PathBuf>,
    /// All answered accesses are appended here (`log=PATH`).
    pub(crate) log: Option<PathBuf>,
    /// Emulate the core's own monitors (`core-pmu=on`).
    pub(crate) core_pmu: bool,
    /// True if memory-mapped configuration space has the uncore's functions
    /// (`ecam=on`).
    pub(crate) ecam: bool,
    /// Time passes by itself (`free-run=off`).
    pub(crate) free_run: bool,
    /// Count executed instructions for markers (`count=off`).
    pub(crate) count: bool,
}

impl Options {
    /// Reads the arguments. The error says which of them is refused.
    pub(crate) fn parse<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let mut options = Self {
            topology: Topology::default(),
            threads: 1,
            report: None,
            log: None,
            core_pmu: true,
            ecam: true,
            free_run: false,
            count: false,
        };
        let mut machine = Vec::new();
        for argument in arguments {
            let (key, value) = argument
                .split_once('=')
                .ok_or_else(|| format!("argument '{argument}' is not of the form key=value"))?;
            if !options.set(key, value)? {
                machine.push(argument);
            }
        }
        let topology = Topology::parse(&machine.join(","));
        options.topology = topology.map_err(|error| error.to_string())?;
        Ok(options)
    }

    /// False if the option is none of ours.
    fn set(&mut self, key: &str, value: &str) -> Result<bool, String> {
        match key {
            "smt" => self.threads = threads(value)?,
            "report" => self.report = Some(value.into()),
            "log" => self.log = Some(value.into()),
            "core-pmu" => self.core_pmu = on_off(key, value)?,
            "ecam" => self.ecam = on_off(key, value)?,
            "free-run" => self.free_run = on_off(key, value)?,
            "count" => self.count = on_off(key, value)?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

fn on_off(key: &str, value: &str) -> Result<bool, String> {
    match value {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("{key}={value}: neither on nor off")),
    }
}

fn threads(value: &str) -> Result<u8, String> {
    let number = value.parse().ok().filter(|n| (1..=2).contains(n));
    number.ok_or_else(|| format!("smt={value}: not 1 or 2 threads per core"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_documented_ones() {
        let options = Options::parse([]).expect("no argument is fine");
        assert_eq!(options.topology, Topology::default());
        assert_eq!(options.threads, 1);
        assert!(options.core_pmu && options.ecam);
        assert!(!options.free_run && !options.count);
        assert_eq!([options.report, options.log], [None, None]);
    }

    #[test]
    fn mistakes_are_named() {
        let message = |argument| Options::parse([argument]).expect_err("a mistake");
        assert_eq!(
            message("cores"),
            "argument 'cores' is not of the form key=value"
        );
        assert_eq!(message("count=yes"), "count=yes: neither on nor off");
        assert_eq!(message("smt=3"), "smt=3: not 1 or 2 threads per core");
        assert!(message("colour=red").contains("colour"));
    }
}
