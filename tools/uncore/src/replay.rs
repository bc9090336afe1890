// SPDX-License-Identifier: GPL-2.0

//! Recordings as files.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use uncore_metrics::recording::{Machine, Reader};
use uncore_metrics::Interval;

use crate::error::Error;

/// Opens a recording.
pub(crate) fn open(path: &Path) -> Result<Reader<BufReader<File>>, Error> {
    let file = File::open(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
        remedy: None,
    })?;
    Ok(Reader::new(path.to_string_lossy(), BufReader::new(file))?)
}

/// Reads all of a recording. Returns its machine, and what the user must know of its end.
pub(crate) fn each(
    path: &Path,
    mut take: impl FnMut(Interval),
) -> Result<(Machine, Vec<String>), Error> {
    let mut reader = open(path)?;
    for interval in reader.by_ref() {
        take(interval?);
    }
    let notes = reader.note().map(str::to_owned);
    Ok((reader.machine().clone(), notes.into_iter().collect()))
}
