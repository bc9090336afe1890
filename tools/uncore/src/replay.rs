// SPDX-License-Identifier: GPL-2.0

//! Recordings as files.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use flate2::Compression;
use uncore_metrics::recording::{Machine, Reader, Writer};
use uncore_metrics::Interval;

use crate::error::Error;

/// First bytes of a file that gzip(1) could have written.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Recording that is read.
pub(crate) type Recording = Reader<Box<dyn BufRead>>;

/// Recording that is written. What it writes of an interval can be read, whatever ends it.
pub(crate) type Recorder = Writer<GzEncoder<File>>;

/// Opens a recording, compressed or not.
pub(crate) fn open(path: &Path) -> Result<Recording, Error> {
    let wrong = |source| Error::Read {
        path: path.to_owned(),
        source,
        remedy: None,
    };
    let mut file = BufReader::new(File::open(path).map_err(wrong)?);
    let is_compressed = file.fill_buf().map_err(wrong)?.starts_with(&GZIP);
    let lines: Box<dyn BufRead> = if is_compressed {
        Box::new(BufReader::new(MultiGzDecoder::new(file)))
    } else {
        Box::new(file)
    };
    Ok(Reader::new(path.to_string_lossy(), lines)?)
}

/// Begins a recording of a machine.
pub(crate) fn record(path: &Path, machine: &Machine) -> Result<Recorder, Error> {
    let file = File::create(path).map_err(Error::writing(path))?;
    let file = GzEncoder::new(file, Compression::default());
    Writer::new(file, machine).map_err(Error::writing(path))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{exact, interval, quiet, xeon};
    use std::fs;

    #[test]
    fn recordings_are_compressed_and_may_be_cut_off() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("rec");
        let machine = xeon(2);
        let intervals = [1.0, 2.0, 3.0].map(|end| {
            interval(&machine, end, &|socket, name, metric| {
                exact(quiet(socket, name, metric))
            })
        });
        let mut recorder = record(&path, &machine).expect("a recording");
        for interval in &intervals {
            recorder.write(interval).expect("written");
        }
        // As of a program that was killed: the end of the file is missing.
        let killed = fs::read(&path).expect("there");
        drop(recorder);
        let whole = fs::read(&path).expect("there");
        assert!(
            killed.len() < whole.len() && whole.len() < 10_000,
            "{}",
            whole.len()
        );
        for bytes in [&whole, &killed] {
            fs::write(&path, bytes).expect("written");
            let mut read = Vec::new();
            let (_, notes) = each(&path, |interval| read.push(interval)).expect("read");
            assert_eq!((read.as_slice(), notes.len()), (intervals.as_slice(), 0));
        }
        fs::write(&path, &killed[..killed.len() - 50]).expect("written");
        let mut read = 0;
        let (_, notes) = each(&path, |_| read += 1).expect("read");
        assert!(read < 3 && notes.len() <= 1, "{read} {notes:?}");
    }
}
