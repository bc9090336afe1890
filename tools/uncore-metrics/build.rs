// SPDX-License-Identifier: GPL-2.0

//! Compresses the descriptions of events, most of what the tool would have in text.

use flate2::write::GzEncoder;
use flate2::Compression;
use std::env;
use std::fs;
use std::io::{Error, Write as _};
use std::path::Path;

fn main() -> Result<(), Error> {
    println!("cargo::rerun-if-changed=events");
    let out = env::var_os("OUT_DIR").ok_or_else(|| Error::other("cargo sets no OUT_DIR"))?;
    for entry in fs::read_dir("events")? {
        let entry = entry?;
        let file = fs::File::create(Path::new(&out).join(entry.file_name()))?;
        let mut packed = GzEncoder::new(file, Compression::best());
        packed.write_all(&fs::read(entry.path())?)?;
        packed.finish()?;
    }
    Ok(())
}
