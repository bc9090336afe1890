// SPDX-License-Identifier: GPL-2.0

//! `guest`: boots the emulated machine and runs shell commands in it, or gives a
//! shell.
//!
//! Prints the output of the commands and ends with their status, unless the machine
//! itself has a complaint.

use std::io::{self, IsTerminal, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use uncore_runner::{shell, Config, Console, Driver, Error, Faults, Flavour, Guest, Parts, Stream};

/// Exit status if the kernel complained.
const COMPLAINED: u8 = 121;
/// Exit status if rules of the hardware were broken.
const VIOLATED: u8 = 122;
/// Exit status if a command or the boot took too long.
const LATE: u8 = 124;
/// Exit status if the machine could not be used.
const UNUSABLE: u8 = 125;

/// Boots the emulated machine and runs shell commands in it.
#[derive(Debug, Parser)]
#[command(
    name = "guest",
    after_help = "\
Exit status: that of the first command that fails, else 0; but 121 if the kernel \
complained, 122 if rules of the hardware were broken, 124 if something took too \
long, 125 if the machine could not be used. The reason is on standard error.

Rules that intel_uncore breaks are only counted: it is known for it."
)]
struct Arguments {
    /// The kernel to boot, a bzImage
    #[arg(long, value_name = "FILE", env = "UNCORE_KERNEL")]
    kernel: PathBuf,

    /// Initramfs archives to unpack, in this order
    #[arg(
        long,
        value_name = "FILE",
        env = "UNCORE_INITRD",
        value_delimiter = ':',
        required = true
    )]
    initrd: Vec<PathBuf>,

    /// QEMU 11.1: the program, or a directory its packages were unpacked in
    #[arg(long, value_name = "PATH", env = "UNCORE_QEMU")]
    qemu: PathBuf,

    /// The machine's QEMU plugin
    #[arg(long, value_name = "FILE", env = "UNCORE_PLUGIN")]
    plugin: PathBuf,

    /// What the kernel was configured for, plain or debug: how much time and
    /// memory it gets
    #[arg(long, default_value = "plain", env = "UNCORE_FLAVOUR")]
    flavour: Flavour,

    /// The driver to load: uncore_rs, intel_uncore or none
    #[arg(long, default_value = "uncore_rs")]
    driver: Driver,

    /// A parameter of our module; may be repeated
    #[arg(long = "module-param", value_name = "NAME=VALUE")]
    parameters: Vec<String>,

    /// Options of the machine that differ from its own, say packages=4,core-pmu=off
    #[arg(long, value_name = "NAME=VALUE", value_delimiter = ',')]
    machine: Vec<String>,

    /// Let the guest use x2APIC
    #[arg(long)]
    x2apic: bool,

    /// Memory in megabytes [default: 512; 1024 with a debug kernel]
    #[arg(long, value_name = "MIB")]
    memory: Option<u32>,

    /// How long each command may take [default: 60; 300 with a debug kernel]
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,

    /// Run the shell script in a file, or from standard input if that is '-'
    #[arg(long, value_name = "FILE", conflicts_with = "commands")]
    script: Option<PathBuf>,

    /// A shell on the terminal
    #[arg(long, conflicts_with_all = ["script", "commands"])]
    shell: bool,

    /// Shell commands, each one word; run in turn until one fails
    #[arg(value_name = "COMMAND")]
    commands: Vec<String>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            eprintln!("guest: {}", error.to_string().trim_end());
            ExitCode::from(verdict(&error))
        }
    }
}

/// Returns the exit status for a machine that failed.
fn verdict(error: &Error) -> u8 {
    match error {
        Error::Timeout { faults, .. } | Error::Gone { faults, .. } if !faults.log.is_empty() => {
            COMPLAINED
        }
        Error::Timeout { .. } => LATE,
        _ => UNUSABLE,
    }
}

fn run(arguments: &Arguments) -> Result<u8, Error> {
    let config = config(arguments)?;
    if arguments.shell {
        let faults = shell(&config, &terminal()?)?;
        return Ok(judge(arguments, &faults).unwrap_or(0));
    }
    let commands = commands(arguments)?;
    let mut guest = Guest::boot(&config)?;
    let status = run_all(&mut guest, &config, &commands)?;
    let mut faults = guest.faults()?;
    faults.extend(guest.power_off()?);
    Ok(judge(arguments, &faults).unwrap_or(status))
}

fn config(arguments: &Arguments) -> Result<Config, Error> {
    let mut config = Config {
        parts: Parts {
            kernel: arguments.kernel.clone(),
            initrds: arguments.initrd.clone(),
            qemu: arguments.qemu.clone(),
            plugin: arguments.plugin.clone(),
        },
        flavour: arguments.flavour,
        driver: arguments.driver,
        parameters: arguments.parameters.clone(),
        x2apic: arguments.x2apic,
        memory: arguments.memory,
        timeout: arguments.timeout.map(Duration::from_secs),
        ..Config::default()
    };
    for word in &arguments.machine {
        let (name, value) = word
            .split_once('=')
            .ok_or_else(|| Error::Option(format!("'{word}' is not NAME=VALUE")))?;
        config.set(name, value);
    }
    Ok(config)
}

/// Returns the commands to run. Without any, a script is read from standard input.
fn commands(arguments: &Arguments) -> Result<Vec<String>, Error> {
    match &arguments.script {
        Some(path) if path.as_os_str() != "-" => {
            let script = std::fs::read_to_string(path);
            script
                .map(|script| vec![script])
                .map_err(|source| Error::System {
                    what: path.display().to_string(),
                    source,
                })
        }
        None if !arguments.commands.is_empty() => Ok(arguments.commands.clone()),
        None if io::stdin().is_terminal() => {
            Err(Error::Option("no command was given; see --help".to_owned()))
        }
        _ => {
            let mut script = String::new();
            let read = io::stdin().read_to_string(&mut script);
            read.map(|_| vec![script]).map_err(|source| Error::System {
                what: "standard input".to_owned(),
                source,
            })
        }
    }
}

fn terminal() -> Result<Console, Error> {
    if !io::stdin().is_terminal() {
        return Err(Error::Option("a shell needs a terminal".to_owned()));
    }
    let size = rustix::termios::tcgetwinsize(io::stdin());
    let size = size.map_or((0, 0), |size| (size.ws_row, size.ws_col));
    // Terminals that do not know their size say 0.
    let (rows, columns) = if size.0 == 0 || size.1 == 0 {
        (24, 80)
    } else {
        size
    };
    Ok(Console::Shell {
        rows,
        columns,
        kind: std::env::var("TERM").unwrap_or_else(|_| "linux".to_owned()),
    })
}

fn run_all(guest: &mut Guest, config: &Config, commands: &[String]) -> Result<u8, Error> {
    for command in commands {
        let status = guest.stream(command, config.command_timeout(), pass_on)?;
        if status != 0 {
            return Ok(u8::try_from(status).unwrap_or(u8::MAX));
        }
    }
    Ok(0)
}

/// Passes output on. A reader may close our output early, so errors are ignored.
fn pass_on(stream: Stream, bytes: &[u8]) {
    let _ = match stream {
        Stream::Out => io::stdout()
            .write_all(bytes)
            .and_then(|()| io::stdout().flush()),
        Stream::Err => io::stderr().write_all(bytes),
    };
}

/// Explains the machine's complaints; returns the exit status if they matter.
fn judge(arguments: &Arguments, faults: &Faults) -> Option<u8> {
    let tolerated = arguments.driver == Driver::IntelUncore;
    if tolerated && !faults.violations.is_empty() {
        let count = faults.violations.len();
        eprintln!("guest: intel_uncore broke rules of the hardware {count} times");
    }
    let violations = if tolerated {
        &[][..]
    } else {
        &faults.violations
    };
    let shown = Faults {
        log: faults.log.clone(),
        violations: violations.to_vec(),
    };
    if shown.is_empty() {
        return None;
    }
    eprint!("guest: {shown}");
    Some(if shown.log.is_empty() {
        VIOLATED
    } else {
        COMPLAINED
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Arguments {
        let parts = [
            "guest",
            "--kernel=/k",
            "--initrd=/a:/b",
            "--qemu=/q",
            "--plugin=/p",
        ];
        let words = parts.iter().chain(words);
        Arguments::try_parse_from(words).expect("right arguments")
    }

    #[test]
    fn the_definition_is_consistent() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    #[test]
    fn options_make_a_config() {
        let arguments = parse(&[
            "--machine=packages=4",
            "--machine=cores=1,smt=2",
            "--module-param=pmi=0",
            "--timeout=9",
            "true",
        ]);
        let config = config(&arguments).expect("a right machine");
        assert_eq!(config.parts.initrds, ["/a", "/b"].map(PathBuf::from));
        assert_eq!(config.option("packages"), Some("4"));
        assert_eq!(config.option("cboxes"), Some("3"), "the default");
        assert_eq!(config.option("smt"), Some("2"));
        assert_eq!(config.parameters, ["pmi=0"]);
        assert_eq!(config.command_timeout(), Duration::from_secs(9));
        assert_eq!(commands(&arguments).expect("one"), ["true"]);
    }

    #[test]
    fn a_machine_option_needs_a_value() {
        let error = config(&parse(&["--machine=smt", "true"])).expect_err("no value");
        assert!(error.to_string().contains("'smt' is not NAME=VALUE"));
    }

    #[test]
    fn a_dead_machine_may_have_died_of_the_kernel() {
        let gone = |log: &[&str]| Error::Gone {
            reason: "the emulator ended".to_owned(),
            faults: Faults {
                log: log.iter().map(|&line| line.to_owned()).collect(),
                violations: Vec::new(),
            },
            log: String::new(),
        };
        assert_eq!(verdict(&gone(&["Kernel panic - not syncing"])), COMPLAINED);
        assert_eq!(verdict(&gone(&[])), UNUSABLE);
    }

    #[test]
    fn complaints_decide_over_the_status() {
        let some = |log: &[&str], violations: &[&str]| Faults {
            log: log.iter().map(|&line| line.to_owned()).collect(),
            violations: violations.iter().map(|&line| line.to_owned()).collect(),
        };
        let ours = parse(&["true"]);
        assert_eq!(judge(&ours, &some(&[], &[])), None);
        assert_eq!(judge(&ours, &some(&["BUG: x"], &["y"])), Some(COMPLAINED));
        assert_eq!(judge(&ours, &some(&[], &["y"])), Some(VIOLATED));
        let theirs = parse(&["--driver=intel_uncore", "true"]);
        assert_eq!(judge(&theirs, &some(&[], &["y"])), None);
        assert_eq!(judge(&theirs, &some(&["BUG: x"], &["y"])), Some(COMPLAINED));
    }
}
