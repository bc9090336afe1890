// SPDX-License-Identifier: GPL-2.0

//! A recorded system, unpacked into a directory of its own.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use clap::Parser as _;
use serde_json::Value;
use tempfile::TempDir;
use uncore::cli::Cli;
use uncore::{Error, Outcome};

const TWO_PACKAGES: &str = include_str!("../data/two-packages.txt");
const BROADWELL: &str = include_str!("../data/broadwell.txt");
const HIDDEN: &str = include_str!("../data/hidden.txt");
const INTEL_UNCORE: &str = include_str!("../data/intel-uncore.txt");

/// Directory of the recordings.
const RECORDINGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");

/// Directory in memory, if it exists: a recording has thousands of small files.
const MEMORY: &str = "/dev/shm";

/// Checks that a text has all these words.
#[track_caller]
pub(crate) fn assert_has(text: impl AsRef<str>, words: &[&str]) {
    let text = text.as_ref();
    for word in words {
        assert!(text.contains(word), "no {word} in\n{text}");
    }
}

pub(crate) struct Recording(TempDir);

/// Returns the files beside the recordings whose names end so, with their text.
fn files(extension: &str) -> Vec<(PathBuf, String)> {
    let entries = fs::read_dir(RECORDINGS).expect("a directory");
    let paths = entries.map(|entry| entry.expect("a file").path());
    let paths = paths.filter(|path| path.extension().is_some_and(|end| end == extension));
    let text = |path: PathBuf| (path.clone(), fs::read_to_string(path).expect("text"));
    paths.map(text).collect()
}

fn directory() -> io::Result<TempDir> {
    tempfile::tempdir_in(MEMORY).or_else(|_| tempfile::tempdir())
}

impl Recording {
    /// Unpacks the emulated machine with the module loaded.
    pub(crate) fn two_packages() -> Self {
        Self::of(&[TWO_PACKAGES])
    }

    /// Unpacks the emulated Broadwell-EP with the module loaded. Its packages differ.
    pub(crate) fn broadwell() -> Self {
        Self::of(&[BROADWELL])
    }

    /// Unpacks the machine of each processor with the module loaded.
    pub(crate) fn of_all_processors() -> impl Iterator<Item = Self> {
        let texts = files("txt").into_iter().map(|(_, text)| text);
        let loaded = texts.filter(|text| text.contains("\n[sys/module/uncore_rs]\n"));
        loaded.map(|text| Self::of(&[&text]))
    }

    /// Unpacks the machines about whose commands a file beside the recording tells, and returns
    /// that text with each.
    pub(crate) fn with_commands() -> impl Iterator<Item = (Self, String)> {
        files("commands").into_iter().map(|(path, commands)| {
            let text = fs::read_to_string(path.with_extension("txt")).expect("its recording");
            (Self::of(&[&text]), commands)
        })
    }

    /// Returns the number of the processor's model.
    pub(crate) fn model(&self) -> u8 {
        let cpuinfo = fs::read_to_string(self.path("proc/cpuinfo")).expect("there");
        let (_, model) = cpuinfo.split_once("model\t\t: ").expect("a model");
        let model = model.lines().next().expect("a number");
        model.parse().expect("a number")
    }

    /// Makes the distribution Debian 13.
    pub(crate) fn become_debian(&self) {
        let text = "PRETTY_NAME=\"Debian GNU/Linux 13 (trixie)\"\nID=debian\nVERSION_ID=\"13\"\n";
        self.write("etc/os-release", text);
    }

    /// Unpacks a machine whose firmware hides PCI functions.
    pub(crate) fn hidden() -> Self {
        Self::of(&[TWO_PACKAGES, HIDDEN])
    }

    /// Unpacks a machine with intel_uncore instead of the module.
    pub(crate) fn intel_uncore() -> Self {
        Self::of(&[INTEL_UNCORE])
    }

    /// Unpacks a machine without any driver.
    pub(crate) fn bare() -> Self {
        let recording = Self::intel_uncore();
        for name in recording.names("sys/bus/event_source/devices") {
            if name.starts_with("uncore_") {
                recording.remove(&format!("sys/bus/event_source/devices/{name}"));
            }
        }
        recording.write("proc/modules", "msr 12288 0 - Live 0x0\n");
        recording
    }

    /// The module with names=compat.
    pub(crate) fn compat() -> Self {
        Self::with_compat_names(TWO_PACKAGES, "ivbep_uncore_")
    }

    /// The module with names=compat on Broadwell.
    pub(crate) fn broadwell_compat() -> Self {
        Self::with_compat_names(BROADWELL, "bdx_uncore_")
    }

    fn with_compat_names(text: &str, prefix: &str) -> Self {
        let lines = text.lines();
        let kept = lines.filter(|line| !line.starts_with("alias: uncore_"));
        let text = kept.collect::<Vec<_>>().join("\n");
        let text = text.replace(&format!("devices/{prefix}"), "devices/uncore_");
        let text = text.replace(&format!("../{prefix}"), "../uncore_");
        Self::of(&[&text.replace("names: native", "names: compat")])
    }

    fn of(texts: &[&str]) -> Self {
        let recording = Self(directory().expect("a directory"));
        for text in texts {
            recording.unpack(text);
        }
        recording
    }

    fn unpack(&self, text: &str) {
        let mut directory = self.path("");
        let text = text.lines().filter(|line| !line.starts_with('#'));
        let mut lines = text.peekable();
        while let Some(line) = lines.next() {
            if let Some(name) = line.strip_prefix('[') {
                directory = self.path(name.trim_end_matches(']'));
                fs::create_dir_all(&directory).expect("created");
            } else if let Some((name, content)) = line.split_once(": ") {
                fs::write(directory.join(name), format!("{content}\n")).expect("written");
            } else if let Some((name, target)) = line.split_once(" -> ") {
                symlink(target, directory.join(name)).expect("linked");
            } else if let Some(name) = line.strip_suffix(" gone") {
                fs::remove_file(directory.join(name)).expect("removed");
            } else if let Some(name) = line.strip_suffix(':') {
                let mut content = String::new();
                while let Some(line) = lines.next_if(|line| line.starts_with('|')) {
                    content.push_str(line.strip_prefix("| ").unwrap_or_default());
                    content.push('\n');
                }
                fs::write(directory.join(name), content).expect("written");
            }
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Returns the path of a file whose directory is there.
    fn place(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        let parent = path.parent().expect("it has one");
        fs::create_dir_all(parent).expect("created");
        path
    }

    /// Returns the path of a file as an argument of a command.
    pub(crate) fn argument(&self, name: &str) -> String {
        let path = self.path(name).into_os_string();
        path.into_string().expect("text")
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.place(name), content).expect("written");
    }

    pub(crate) fn link(&self, name: &str, target: impl AsRef<Path>) {
        symlink(target, self.place(name)).expect("linked");
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect("there")
    }

    pub(crate) fn replace(&self, name: &str, from: &str, to: &str) {
        let text = String::from_utf8(self.read(name)).expect("text");
        assert!(text.contains(from), "{name} has no {from}");
        self.write(name, text.replace(from, to));
    }

    pub(crate) fn remove(&self, name: &str) {
        let path = self.path(name);
        let is_directory = path.is_dir() && !path.is_symlink();
        let removed = if is_directory {
            fs::remove_dir_all(path)
        } else {
            fs::remove_file(path)
        };
        removed.expect("removed");
    }

    pub(crate) fn names(&self, directory: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(directory)).expect("there");
        let name = |entry: fs::DirEntry| entry.file_name().into_string().ok();
        let mut names: Vec<String> = entries.flatten().filter_map(name).collect();
        names.sort();
        names
    }

    /// Runs a command.
    pub(crate) fn try_run(&self, arguments: &[&str]) -> Result<Outcome, Error> {
        self.run_with(arguments, None)
    }

    /// Runs a command for a terminal of this width.
    pub(crate) fn on_width(&self, arguments: &[&str], width: usize) -> Outcome {
        self.run_with(arguments, Some(width)).expect("it runs")
    }

    fn run_with(&self, arguments: &[&str], width: Option<usize>) -> Result<Outcome, Error> {
        let root = [Path::new("uncore"), Path::new("--root"), self.0.path()];
        let all = root.into_iter().chain(arguments.iter().map(Path::new));
        uncore::run(&Cli::parse_from(all.map(Path::as_os_str)), width)
    }

    /// Runs a command and returns all that it says: text, notes or the error.
    pub(crate) fn said(&self, arguments: &[&str]) -> String {
        match self.try_run(arguments) {
            Ok(outcome) => outcome.text + &outcome.notes.join("\n"),
            Err(error) => error.to_string(),
        }
    }

    /// Runs a command on the recording.
    pub(crate) fn run(&self, arguments: &[&str]) -> Outcome {
        self.try_run(arguments).expect("it runs")
    }

    /// Runs a command and parses its JSON.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.run(arguments).text).expect("JSON")
    }

    /// Runs a command that must fail, and returns its error.
    pub(crate) fn error(&self, arguments: &[&str]) -> String {
        self.try_run(arguments).expect_err("an error").to_string()
    }
}
