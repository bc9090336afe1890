// SPDX-License-Identifier: GPL-2.0

//! The running machine, by the module's file in debugfs.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::FileExt as _;

use uncore_survey::{Answer, Bench, LinkRegister, Refusal};

use crate::error::Error;
use crate::root::Root;
use crate::system::debug_file;

use super::DEVICES;

/// Longest answer to an experiment.
const LONGEST: usize = 8192;

/// The running machine.
pub(super) struct Live {
    root: Root,
    /// The module's file. The registers are restored when it is closed.
    file: File,
}

impl Live {
    /// Opens the file.
    pub(super) fn open(root: Root) -> Result<Self, Error> {
        let path = root.path(&debug_file("survey"));
        let file = OpenOptions::new().read(true).write(true).open(&path);
        let reason = |source: io::Error| match source.kind() {
            io::ErrorKind::ResourceBusy => Error::SurveyBusy,
            io::ErrorKind::PermissionDenied => Error::SurveyPrivilege,
            io::ErrorKind::NotFound => Error::NoSurvey(path.clone()),
            _ => Error::Read {
                path: path.clone(),
                source,
                remedy: None,
            },
        };
        let file = file.map_err(reason)?;
        Ok(Self { root, file })
    }

    /// Reads the answer to the last experiment.
    fn answer(&self) -> io::Result<String> {
        let mut bytes = vec![0; LONGEST];
        let length = self.file.read_at(&mut bytes, 0)?;
        bytes.truncate(length);
        Ok(String::from_utf8_lossy(&bytes).trim_end().to_owned())
    }
}

impl Bench for Live {
    fn run(&mut self, steps: &[String]) -> Result<Vec<Answer>, Refusal> {
        let text = steps.join("\n");
        if let Err(source) = self.file.write_all(text.as_bytes()) {
            return Err(match source.kind() {
                io::ErrorKind::InvalidInput => {
                    Refusal::Step(self.answer().map_err(Refusal::Error)?)
                }
                _ => Refusal::Error(source),
            });
        }
        let answer = self.answer().map_err(Refusal::Error)?;
        let answers: Option<Vec<Answer>> = answer.lines().map(Answer::parse).collect();
        let answers = answers.filter(|answers| answers.len() == steps.len());
        let unknown = || Refusal::Error(io::Error::other(format!("unknown answer {answer:?}")));
        answers.ok_or_else(unknown)
    }

    /// Reads it from the file of the function in sysfs, and nothing else of that function.
    fn of_link(&mut self, _: &str, place: &str, register: &LinkRegister) -> Option<u32> {
        let device = place.strip_suffix(|last: char| last.is_ascii_digit())?;
        let path = format!("{DEVICES}/{device}{}/config", register.function);
        let mut value = [0; 4];
        let file = File::open(self.root.path(&path)).ok()?;
        file.read_exact_at(&mut value, register.offset.into())
            .ok()?;
        Some(u32::from_le_bytes(value))
    }
}
