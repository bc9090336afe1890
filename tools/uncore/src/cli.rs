// SPDX-License-Identifier: GPL-2.0

//! The command line. The manual pages and completions are made from these
//! definitions.

mod address;
mod time;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, CommandFactory as _, Parser, Subcommand};
use uncore_metrics::Format;

pub use address::Address;
pub(crate) use time::parse as parse_time;

use crate::system::numbers;

/// Exit statuses, for the help and the manual page.
const STATUS: &str = "Exit status: 0 if all is well, 1 if the command found something wrong, \
                      2 if it could not do its work or the command line is wrong.";

/// Shows what the uncore counters of uncore_rs can measure on this machine, and
/// what prevents it.
///
/// Boxes, events and fields are read from the files of the loaded module in sysfs
/// and debugfs. Most files in debugfs are for root only.
#[derive(Debug, Parser)]
#[command(name = "uncore", version = crate::version::VERSION, max_term_width = 90, after_help = STATUS)]
pub struct Cli {
    /// Read sys and proc below this directory, a recorded system
    #[arg(long, global = true, value_name = "DIRECTORY", default_value = "/")]
    pub root: PathBuf,
    /// Command to run.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find everything that prevents right counts
    ///
    /// Checks the processor, the kernel, the module, other drivers and programs
    /// that use the counters, permissions, missing boxes and filters, and the
    /// detection of overflows. Each check passes, warns or fails, and says what
    /// to do. Warnings leave the exit status 0.
    Doctor(Doctor),
    /// List the events, with their boxes, their units and the filters they need
    ///
    /// Lists an event if each word is part of its name, its box, its terms or
    /// its unit. On a terminal the words are marked, and $PAGER shows the list.
    List(List),
    /// Explain an event or its config words, and say if the module accepts it
    ///
    /// Opens the event in each package, without starting it, to ask the module. The exit status is 1
    /// if the module refuses it. Knows the names of other programs for an event.
    Explain(Explain),
    /// Show packages, NUMA nodes, buses and boxes
    Topology(Topology),
    /// Test on this machine that the driver counts right
    ///
    /// Opens every named event on every package, and compares counts that must
    /// agree: clocks with time, parts with their sum, counters with each other,
    /// both ends of a link. Prints KTAP, as the kernel's own tests do. Other
    /// programs may run meanwhile. Programs that use the uncore counters take
    /// some of them away.
    #[command(arg = refused_root())]
    Check(Check),
    /// Find out what the documentation of the hardware leaves open
    ///
    /// Tries on this machine which reading of each uncertain point holds, by small experiments
    /// with the registers of the counters. Takes about a minute, and all registers are as before
    /// afterwards, also after a signal. The module is not needed. No other program may use the
    /// counters meanwhile. The report has no name, address or serial number of the machine: please
    /// send it to the project's tracker. Root only.
    Survey(Survey),
    /// Show metrics while they are counted
    ///
    /// Counts the terms of a metric together if the box can. If not, a note says
    /// that the terms were counted at different times. If there are more groups
    /// of events than counters, the groups take turns, and the output shows the
    /// share of the time in which a metric was counted.
    ///
    /// Writes each interval as a whole when it ends. An interrupt ends the last
    /// interval.
    Stat(Stat),
    /// Show live what the machine does, against what it can do
    ///
    /// Shows memory channels, links, cache, I/O and power of each socket, and
    /// says in a sentence what is full. Keys change the order, the filter and the
    /// time between two screens: ? shows them. Without a terminal, --batch and
    /// --once print screens, --json and --csv the values of each box.
    Top(Top),
    /// Show what changed between two recordings
    ///
    /// Shows the means of each recording, by socket, and by how much they changed. "top --record"
    /// writes recordings.
    Diff(Diff),
    /// Export the overview to Prometheus
    ///
    /// Counts what moves in each socket, all of the time, and shows the sums at
    /// /metrics, in the format of Prometheus or in OpenMetrics. Leaves a counter of
    /// each box to other programs. SIGUSR1 makes it let go of the counters, and
    /// SIGUSR2 take them again.
    #[command(arg = refused_root())]
    Export(Export),
    /// Hand the counters over to uncore_rs, now and at each boot
    ///
    /// Unloads intel_uncore, loads uncore_rs, and writes
    /// /etc/modprobe.d/uncore-rs.conf. If the module is missing and DKMS has
    /// its source, DKMS builds it first. If a step fails, the steps before it
    /// are undone. If intel_uncore is part of the kernel, the command shows the
    /// boot parameter that keeps it out, asks, and sets it for the next boot.
    /// Root only.
    #[command(arg = refused_root())]
    Enable(Enable),
    /// Give the counters back to intel_uncore, now and at each boot
    ///
    /// Unloads uncore_rs, removes the files that enable wrote and the boot
    /// parameter that it set, and loads intel_uncore if this kernel has it. Root
    /// only.
    #[command(arg = refused_root())]
    Disable,
    /// Show which driver has the counters, now and at the next boot
    ///
    /// Also shows which of the installed kernels have the module.
    Status,
}

/// Names of the commands that show what the machine does. The others set it up and verify it.
const USE: [&str; 7] = [
    "top", "stat", "diff", "list", "explain", "topology", "export",
];

/// Returns the command line, in whose help the commands are in two groups.
pub fn command() -> clap::Command {
    let command = Cli::command();
    let lines = |is_use: bool| {
        let commands = command.get_subcommands();
        let own = commands.filter(|one| USE.contains(&one.get_name()) == is_use);
        let mut own: Vec<_> = own.collect();
        own.sort_by_key(|one| USE.iter().position(|name| *name == one.get_name()));
        let line = |one: &clap::Command| {
            let about = one.get_about().map(ToString::to_string);
            format!("  {:10}{}\n", one.get_name(), about.unwrap_or_default())
        };
        own.into_iter().map(line).collect::<String>()
    };
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\nUse:\n{}\nSet up and \
         verify:\n{}\nOptions:\n{{options}}{{after-help}}",
        lines(true),
        lines(false)
    );
    command.help_template(template)
}

/// Returns the option `--root` of a command that takes none: it is not in its help, and the command
/// refuses it in words.
fn refused_root() -> clap::Arg {
    let root = clap::Arg::new("root").long("root").hide(true);
    let root = root.value_parser(clap::value_parser!(PathBuf));
    root.default_value("/").help("Refused")
}

/// Arguments of `doctor`.
#[derive(Debug, Args)]
pub struct Doctor {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `enable`.
#[derive(Debug, Args)]
pub struct Enable {
    /// Set a boot parameter without asking
    #[arg(long)]
    pub yes: bool,
}

/// Arguments of `list`.
#[derive(Debug, Args)]
pub struct List {
    /// Words to look for, in names and descriptions; all events are listed without any
    #[arg(value_name = "WORD")]
    pub words: Vec<String>,
    /// Tell what each event counts
    #[arg(short, long)]
    pub verbose: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// Explain these events, as perf writes them: PMU/TERM,TERM=VALUE/, with or without the
    /// PMU's index and prefix; terms may be config=NUMBER to config4=NUMBER. The name of an event
    /// is enough if only one kind of box has the event. A word of the field, such as CAS or cbox,
    /// is explained, too
    #[arg(value_name = "EVENTS", required_unless_present = "event")]
    pub events: Vec<String>,
    /// Explain these events, too: an option of perf
    #[arg(short, long, value_name = "EVENTS")]
    pub event: Vec<String>,
}

/// Arguments of `topology`.
#[derive(Debug, Args)]
pub struct Topology {
    /// Draw the map into this file instead of printing it
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Draw the machine of this recording, with the means of what its boxes did
    #[arg(long, value_name = "RECORDING", requires = "svg")]
    pub replay: Option<PathBuf>,
}

/// Arguments of `diff`.
#[derive(Debug, Args)]
pub struct Diff {
    /// Recording of before
    #[arg(value_name = "BEFORE")]
    pub before: PathBuf,
    /// Recording of after
    #[arg(value_name = "AFTER")]
    pub after: PathBuf,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct Check {
    /// Test one box of each kind in a package, and for a shorter time
    #[arg(long)]
    pub quick: bool,
    /// Run only these parts, and the last one
    #[arg(value_name = "PART", value_parser = clap::builder::PossibleValuesParser::new(crate::check::parts()))]
    pub parts: Vec<String>,
}

/// Arguments of `survey`.
#[derive(Debug, Args)]
pub struct Survey {
    /// List the registers that each experiment reads and writes, and run none
    #[arg(long)]
    pub dry_run: bool,
    /// Restore the registers that a survey has left when it was killed
    #[arg(long, conflicts_with_all = ["dry_run", "points", "output"])]
    pub restore: bool,
    /// Survey this point only, as U-3; may be given several times
    #[arg(long = "point", value_name = "POINT")]
    pub points: Vec<String>,
    /// Write the report into this file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Arguments of `stat`. Names and units are those of `perf stat`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "one for each option of perf")]
pub struct Stat {
    /// Count these events, as perf writes them; may be given several times
    #[arg(short, long, value_name = "EVENTS")]
    pub event: Vec<String>,
    /// Count these metrics: names, kinds of boxes, or BOX.NAME
    #[arg(short = 'M', long, value_name = "NAMES", value_delimiter = ',')]
    pub metrics: Vec<String>,
    /// Count all metrics, not only those of the overview
    #[arg(long, conflicts_with_all = ["event", "metrics"])]
    pub all: bool,
    /// Count on all CPUs, which is always so: an option of perf
    #[arg(short = 'a', long)]
    pub all_cpus: bool,
    /// List the metrics and their meaning
    #[arg(long)]
    pub list: bool,
    /// Length of an interval, with its unit, as 500ms, 1s, 2m; by default 1s, or the run time of
    /// COMMAND
    #[arg(short = 'I', long, visible_alias = "interval-print", value_name = "TIME", value_parser = time::parse)]
    pub interval: Option<Duration>,
    /// Number of intervals; unlimited by default
    #[arg(long = "interval-count", value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
    /// Count in the packages of these CPUs only
    #[arg(short = 'C', long, value_name = "CPUS", value_parser = cpus)]
    pub cpu: Option<CpuList>,
    /// Show each socket by itself, not their sum
    #[arg(long)]
    pub per_socket: bool,
    /// Show each box by itself; of the overview all that is counted, not a line for each socket
    #[arg(short = 'A', long, conflicts_with = "per_socket")]
    pub no_aggr: bool,
    /// Show bytes in powers of 1024, as KiB, MiB and GiB, not of 1000 as kB, MB and GB
    #[arg(long, conflicts_with_all = ["field_separator", "json"])]
    pub iec: bool,
    /// Format of the output.
    #[command(flatten)]
    pub style: Style,
    /// Write into this file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Draw the bandwidth of each channel and link over time into this file instead, when
    /// counting ends
    #[arg(long, group = "picture", value_name = "FILE", conflicts_with_all = [
        "event", "metrics", "all", "list", "per_socket", "no_aggr", "field_separator", "json",
        "output",
    ])]
    pub svg: Option<PathBuf>,
    /// Write a page for browsers with these pictures and a table into this file instead, when
    /// counting ends
    #[arg(long, group = "picture", value_name = "FILE", conflicts_with_all = [
        "event", "metrics", "all", "list", "per_socket", "no_aggr", "field_separator", "json",
        "output",
    ])]
    pub html: Option<PathBuf>,
    /// Draw this recording, or make a page of it, without counting
    #[arg(long, value_name = "RECORDING", requires = "picture", conflicts_with_all = [
        "interval", "count", "cpu", "command",
    ])]
    pub replay: Option<PathBuf>,
    /// Count while this command runs
    #[arg(trailing_var_arg = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// Arguments of `top`.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "one for each option without a value"
)]
pub struct Top {
    /// Time between two screens, with its unit, as 500ms, 1s, 2m
    #[arg(short = 'I', long, visible_short_alias = 'd', alias = "delay", value_name = "TIME", default_value = "1s", value_parser = time::parse)]
    pub interval: Duration,
    /// Number of intervals; unlimited by default
    #[arg(short = 'n', long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    pub iterations: Option<u64>,
    /// Show the sockets of these CPUs only
    #[arg(short = 'C', long, value_name = "CPUS", value_parser = cpus)]
    pub cpu: Option<CpuList>,
    /// Print one screen as text, after one interval or at the end of the recording
    #[arg(long, conflicts_with_all = ["iterations", "batch"])]
    pub once: bool,
    /// Draw one screen into this file, after one interval or at the end of the recording
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "iterations", "batch", "once", "field_separator", "json", "csv",
    ])]
    pub svg: Option<PathBuf>,
    /// Print screens as text, one after the other
    #[arg(short, long)]
    pub batch: bool,
    /// Write lines of values with this separator instead of screens
    #[arg(short = 'x', long, value_name = "SEPARATOR", value_parser = separator, conflicts_with = "json")]
    pub field_separator: Option<u8>,
    /// Write a line of JSON for each interval instead of screens
    #[arg(short = 'j', long, visible_alias = "json-output")]
    pub json: bool,
    /// Write lines of values with commas instead of screens
    #[arg(long, conflicts_with_all = ["field_separator", "json"])]
    pub csv: bool,
    /// Record all intervals in this file
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Show this recording instead of counting; takes no root and no such processor
    #[arg(long, value_name = "FILE", conflicts_with_all = ["record", "cpu"])]
    pub replay: Option<PathBuf>,
}

/// Format of the output: text for people by default.
#[derive(Debug, Args)]
pub struct Style {
    /// Write lines of values with this separator
    #[arg(short = 'x', long, value_name = "SEPARATOR", value_parser = separator, conflicts_with = "json")]
    pub field_separator: Option<u8>,
    /// Write a line of JSON for each interval
    #[arg(short = 'j', long = "json-output")]
    pub json: bool,
}

/// Arguments of `export`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "one for each option")]
pub struct Export {
    /// Listen there: ADDRESS:PORT, :PORT for all addresses, or unix:PATH; may be given several times.
    /// 127.0.0.1:19738 by default, nowhere with --textfile or --once
    #[arg(long, value_name = "WHERE", conflicts_with = "once")]
    pub listen: Vec<Address>,
    /// Write this file again and again, for node_exporter
    #[arg(long, value_name = "FILE")]
    pub textfile: Option<PathBuf>,
    /// Time between two versions of the file, shortest time between two readings for clients, or
    /// length of the one interval of --once, with its unit, as 500ms, 1s, 2m; by default 15s for a
    /// file, 100ms for clients, 1s with --once
    #[arg(short = 'I', long, value_name = "TIME", value_parser = time::parse)]
    pub interval: Option<Duration>,
    /// Count one interval, and write it to the file or to standard output
    #[arg(long)]
    pub once: bool,
    /// Print a dashboard of Grafana for the boxes of this machine
    #[arg(long, conflicts_with_all = ["listen", "textfile", "interval", "once"])]
    pub dashboard: bool,
    /// Leave no counter to other programs
    #[arg(long)]
    pub all_counters: bool,
    /// Be the process that clients talk to, for a parent at standard input
    #[arg(long, hide = true)]
    pub answer: bool,
}

/// Default address of `export`: no other machine can connect there.
const LOOPBACK: Address = Address::Tcp(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 19738));

impl Export {
    /// Returns the places at which to listen.
    pub fn addresses(&self) -> Vec<Address> {
        let is_elsewhere = self.once || self.textfile.is_some();
        if self.listen.is_empty() && !is_elsewhere {
            vec![LOOPBACK]
        } else {
            self.listen.clone()
        }
    }

    /// Returns the shortest time between two readings: who asks sooner gets the one before.
    pub fn pause(&self) -> Duration {
        let wanted = self.interval.filter(|_| !self.once);
        wanted.unwrap_or(Duration::from_millis(100))
    }

    /// Returns the length of an interval.
    pub fn step(&self) -> Duration {
        let usual = Duration::from_secs(if self.once { 1 } else { 15 });
        self.interval.unwrap_or(usual)
    }
}

/// Numbers of CPUs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CpuList(pub Vec<u32>);

impl Stat {
    /// Returns the length of an interval; `None` means until the command ends.
    pub fn step(&self) -> Option<Duration> {
        let second = self.command.is_empty().then_some(Duration::from_secs(1));
        self.interval.or(second)
    }
}

/// Returns the format for other programs that the user wants.
fn format(separator: Option<u8>, json: bool) -> Option<Format> {
    let csv = separator.map(Format::Csv);
    csv.or_else(|| json.then_some(Format::Json))
}

impl Style {
    /// Returns the format for other programs that the user wants.
    pub fn format(&self) -> Option<Format> {
        format(self.field_separator, self.json)
    }
}

impl Top {
    /// Returns the format for other programs that the user wants.
    pub fn format(&self) -> Option<Format> {
        let separator = self.field_separator.or(self.csv.then_some(b','));
        format(separator, self.json)
    }
}

/// Parses a list of CPUs such as `0,4-7`.
fn cpus(text: &str) -> Result<CpuList, String> {
    let wrong = || "not a list of CPUs such as 0,4-7".to_owned();
    let cpus = numbers(text).filter(|cpus| !cpus.is_empty());
    cpus.map(CpuList).ok_or_else(wrong)
}

/// Parses the separator of values: one character of ASCII.
fn separator(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [one] if one.is_ascii() && !b"\"\r\n".contains(one) => Ok(*one),
        _ => Err("not one character, or a quote or end of line".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_agree_with_each_other() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_help_has_each_command_once() {
        let help = command().render_long_help().to_string();
        for command in Cli::command().get_subcommands() {
            let head = format!("\n  {:10}", command.get_name());
            assert_eq!(help.matches(&head).count(), 1, "{head}{help}");
        }
        let (used, _) = help.split_once("\nSet up and verify:").expect("two groups");
        assert_eq!(used.matches("\n  ").count(), USE.len(), "{used}");
    }

    #[test]
    fn every_argument_has_a_help_text() {
        for command in Cli::command().get_subcommands() {
            assert!(command.get_about().is_some(), "{}", command.get_name());
            for argument in command.get_arguments() {
                assert!(argument.get_help().is_some(), "{}", argument.get_id());
            }
        }
    }

    fn parsed(command: &str, words: &str) -> Result<Command, clap::Error> {
        let words = ["uncore", command]
            .into_iter()
            .chain(words.split_whitespace());
        Cli::try_parse_from(words).map(|cli| cli.command)
    }

    fn stat(words: &str) -> Result<Stat, clap::Error> {
        parsed("stat", words).map(|command| match command {
            Command::Stat(stat) => stat,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn takes_the_options_of_perf_stat() {
        let words =
            "-a -e imc/cas_count.rd/ -I 250ms --interval-count 2 -x, -C 0,2-3 --per-socket -o f";
        let parsed = stat(words).expect("options of perf");
        assert_eq!(parsed.event, ["imc/cas_count.rd/"]);
        assert_eq!(parsed.step(), Some(Duration::from_millis(250)));
        assert_eq!(parsed.count, Some(2));
        assert_eq!(parsed.style.field_separator, Some(b','));
        assert_eq!(parsed.cpu, Some(CpuList(vec![0, 2, 3])));
        assert!(parsed.per_socket && parsed.output.is_some());
        for words in [
            "-e imc/cas_count.rd/ sleep -x 5",
            "-e imc/cas_count.rd/ -- sleep -x 5",
        ] {
            assert_eq!(
                stat(words).expect("a command").command,
                ["sleep", "-x", "5"]
            );
        }
        for bad in [
            "--foo",
            "-x ab",
            "-x \"",
            "-C 3-1",
            "-C x",
            "-I 250",
            "-x , -j",
            "-A --per-socket",
            "--all -e x",
        ] {
            assert!(stat(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn commands_that_change_or_count_do_not_offer_a_recorded_system() {
        let mut program = Cli::command();
        program.build();
        for command in program
            .get_subcommands()
            .filter(|one| one.get_name() != "help")
        {
            let mut options = command.get_arguments();
            let root = options.find(|option| option.get_id() == "root");
            let is_refused = ["check", "export", "enable", "disable"].contains(&command.get_name());
            assert_eq!(
                root.expect("--root").is_hide_set(),
                is_refused,
                "{}",
                command.get_name()
            );
        }
        let words = ["uncore", "check", "--root", "/recorded"];
        let parsed = Cli::try_parse_from(words).expect("a root");
        assert_eq!(parsed.root, PathBuf::from("/recorded"));
    }

    #[test]
    fn takes_the_options_of_top() {
        let top = |words: &str| {
            parsed("top", words).map(|command| match command {
                Command::Top(top) => top,
                other => panic!("{other:?}"),
            })
        };
        let parsed = top("-b -d 2.5s -n 3 -C 0").expect("options of top");
        assert_eq!(parsed.interval, Duration::from_millis(2500));
        assert_eq!(
            top("-I 2s").expect("a time").interval,
            Duration::from_secs(2)
        );
        assert_eq!((parsed.iterations, parsed.batch), (Some(3), true));
        assert_eq!(top("").expect("none").interval, Duration::from_secs(1));
        assert_eq!(top("--json").expect("JSON").format(), Some(Format::Json));
        assert_eq!(top("--csv").expect("CSV").format(), Some(Format::Csv(b',')));
        assert_eq!(top("-x ;").expect("CSV").format(), Some(Format::Csv(b';')));
        for bad in [
            "-d 0s",
            "-d 2",
            "-n 0",
            "--once -b",
            "--once -n 1",
            "--csv --json",
            "--replay a --record b",
            "--replay a -C 0",
        ] {
            assert!(top(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn without_a_command_an_interval_is_a_second() {
        let step = |words: &str| stat(words).expect("words").step();
        assert_eq!(step(""), Some(Duration::from_secs(1)));
        assert_eq!(step("-- sleep 5"), None);
        assert_eq!(step("-I 2s -- sleep 5"), Some(Duration::from_secs(2)));
    }
}
