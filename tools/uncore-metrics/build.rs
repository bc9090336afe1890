// SPDX-License-Identifier: GPL-2.0

//! Compresses the descriptions of events and the metrics, most of what the tool would have in text.

use flate2::write::GzEncoder;
use flate2::Compression;
use std::env;
use std::fs;
use std::io::{Error, Write as _};
use std::path::Path;

fn main() -> Result<(), Error> {
    let out = env::var_os("OUT_DIR").ok_or_else(|| Error::other("cargo sets no OUT_DIR"))?;
    for folder in ["events", "metrics"] {
        println!("cargo::rerun-if-changed={folder}");
        let out = Path::new(&out).join(folder);
        fs::create_dir_all(&out)?;
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let Some(name) = path.file_name().filter(|_| path.is_file()) else {
                continue;
            };
            let mut packed = GzEncoder::new(fs::File::create(out.join(name))?, Compression::best());
            packed.write_all(&fs::read(&path)?)?;
            packed.finish()?;
        }
    }
    Ok(())
}
