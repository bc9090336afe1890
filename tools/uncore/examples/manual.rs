// SPDX-License-Identifier: GPL-2.0

//! `cargo run -p uncore --example manual -- DIRECTORY`: the manual pages
//! and the completions for shells, made from the definitions of the command line.

use std::io;
use std::path::PathBuf;

use clap::{CommandFactory as _, Parser};
use clap_complete::Shell;
use uncore::cli::Cli;

/// Write the manual pages and completions of uncore.
#[derive(Parser)]
struct Arguments {
    /// Directory to write to
    directory: PathBuf,
}

fn main() -> io::Result<()> {
    let Arguments { directory } = Arguments::parse();
    std::fs::create_dir_all(&directory)?;
    clap_mangen::generate_to(Cli::command(), &directory)?;
    for shell in [Shell::Bash, Shell::Fish, Shell::Zsh] {
        let mut command = Cli::command();
        let name = command.get_name().to_owned();
        clap_complete::generate_to(shell, &mut command, name, &directory)?;
    }
    Ok(())
}
