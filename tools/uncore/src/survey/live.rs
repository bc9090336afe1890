// SPDX-License-Identifier: GPL-2.0

//! The running machine, by the module's file in debugfs.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::FileExt as _;

use uncore_survey::{Answer, Bench, Refusal};

use crate::error::Error;
use crate::root::Root;
use crate::system::debug_file;

/// Longest answer to an experiment.
const LONGEST: usize = 8192;

/// The module's file. The registers are restored when this is dropped.
pub(super) struct Live(File);

impl Live {
    /// Opens the file.
    pub(super) fn open(root: &Root) -> Result<Self, Error> {
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
        file.map(Self).map_err(reason)
    }

    /// Reads the answer to the last experiment.
    fn answer(&self) -> io::Result<String> {
        let mut bytes = vec![0; LONGEST];
        let length = self.0.read_at(&mut bytes, 0)?;
        bytes.truncate(length);
        Ok(String::from_utf8_lossy(&bytes).trim_end().to_owned())
    }
}

impl Bench for Live {
    fn run(&mut self, steps: &[String]) -> Result<Vec<Answer>, Refusal> {
        let text = steps.join("\n");
        if let Err(source) = self.0.write_all(text.as_bytes()) {
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
}
