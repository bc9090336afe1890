// SPDX-License-Identifier: GPL-2.0

//! What to boot: which kernel, which driver, which machine.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// Our module in the guest.
pub const MODULE: &str = "/lib/modules/ivbep_uncore.ko";
/// The shell command that unloads it.
pub const UNLOAD: &str = "rmmod ivbep_uncore";
/// How long a command may take on the plain kernel.
const COMMAND: Duration = Duration::from_secs(60);
/// How long a plain kernel may take to boot, on a busy computer.
const BOOT: Duration = Duration::from_secs(60);
/// What a kernel is told whose clock will jump, which it takes for a stall. That a grace
/// period does not even begin it reports, if it looks for such things, all the same.
/// And the server of the fair scheduler arms a timer twice, should it jump under it.
const JUMPS: &str = "rcupdate.rcu_cpu_stall_suppress=1 rcupdate.rcu_cpu_stall_timeout=300 \
     sysctl.kernel.hung_task_timeout_secs=0 ivbep.fair_server=off";

/// The driver that is loaded at boot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Driver {
    /// The one of this project.
    #[default]
    IvbepUncore,
    /// The kernel's own.
    IntelUncore,
    /// None.
    None,
}

impl Driver {
    /// Its name on command lines.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::IvbepUncore => "ivbep_uncore",
            Self::IntelUncore => "intel_uncore",
            Self::None => "none",
        }
    }

    /// Its module in the guest.
    #[must_use]
    pub fn module(self) -> Option<&'static str> {
        match self {
            Self::IvbepUncore => Some(MODULE),
            Self::IntelUncore => Some("/lib/modules/intel-uncore.ko"),
            Self::None => None,
        }
    }
}

impl FromStr for Driver {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let all = [Self::IvbepUncore, Self::IntelUncore, Self::None];
        let found = all.into_iter().find(|driver| driver.name() == name);
        found.ok_or_else(|| format!("'{name}' is not ivbep_uncore, intel_uncore or none"))
    }
}

/// What the kernel was configured for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Flavour {
    /// Quick.
    #[default]
    Plain,
    /// Full of checks: everything takes longer and more memory.
    Debug,
    /// With its detector of data races.
    Kcsan,
    /// By a distribution, for everybody.
    Stock,
}

impl Flavour {
    /// Its name on command lines.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Debug => "debug",
            Self::Kcsan => "kcsan",
            Self::Stock => "stock",
        }
    }

    /// How much longer things take.
    #[must_use]
    pub fn factor(self) -> u32 {
        match self {
            Self::Plain => 1,
            Self::Debug | Self::Kcsan => 5,
            Self::Stock => 2,
        }
    }

    /// Whether what was freed can be had again at once. The debug kernel keeps it for a
    /// while, to notice who still uses it.
    #[must_use]
    pub fn frees_at_once(self) -> bool {
        self != Self::Debug
    }

    /// Megabytes that the guest needs.
    fn memory(self) -> u32 {
        match self {
            Self::Plain | Self::Kcsan => 512,
            Self::Debug | Self::Stock => 1024,
        }
    }
}

impl FromStr for Flavour {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "plain" => Ok(Self::Plain),
            "debug" => Ok(Self::Debug),
            "kcsan" => Ok(Self::Kcsan),
            "stock" => Ok(Self::Stock),
            _ => Err(format!("'{name}' is not plain, debug, kcsan or stock")),
        }
    }
}

/// The files a machine is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Parts {
    /// The kernel's bzImage.
    pub kernel: PathBuf,
    /// Initramfs archives, unpacked in this order.
    pub initrds: Vec<PathBuf>,
    /// The emulator: a program, or a directory that packages were unpacked in.
    pub qemu: PathBuf,
    /// The emulator's plugin.
    pub plugin: PathBuf,
}

/// What to boot. The default takes the files from the environment that the
/// Makefile sets, and the machine most tests want.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    /// The files.
    pub parts: Parts,
    /// What the kernel was configured for.
    pub flavour: Flavour,
    /// Which release the kernel is of, as the Makefile calls it; for messages.
    pub series: String,
    /// The driver to load.
    pub driver: Driver,
    /// Whether the guest is of use even if the driver refuses to load.
    pub may_fail: bool,
    /// Parameters of our module, `NAME=VALUE` each.
    pub parameters: Vec<String>,
    /// Options of the emulated machine that differ from its defaults.
    pub machine: Vec<(String, String)>,
    /// Whether the guest can use x2APIC.
    pub x2apic: bool,
    /// More words for the kernel's command line.
    pub append: String,
    /// Megabytes of memory, if not what the flavour needs.
    pub memory: Option<u32>,
    /// How long a command may take, if not what the flavour needs.
    pub timeout: Option<Duration>,
    /// The directory for what runs of modules, if it is wanted.
    pub cover: Option<PathBuf>,
}

impl Default for Config {
    fn default() -> Self {
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let list = |text: String| {
            text.split(':')
                .filter(|s| !s.is_empty())
                .map(Into::into)
                .collect()
        };
        Self {
            parts: Parts {
                kernel: variable("IVBEP_KERNEL").into(),
                initrds: list(variable("IVBEP_INITRD")),
                qemu: variable("IVBEP_QEMU").into(),
                plugin: variable("IVBEP_PLUGIN").into(),
            },
            flavour: variable("IVBEP_FLAVOUR").parse().unwrap_or_default(),
            series: variable("IVBEP_SERIES"),
            driver: Driver::default(),
            may_fail: false,
            parameters: Vec::new(),
            machine: usual_machine(),
            x2apic: false,
            append: String::new(),
            memory: None,
            timeout: None,
            cover: std::env::var_os("IVBEP_COVER").map(Into::into),
        }
    }
}

impl Config {
    /// The same with one option of the machine changed.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.set(name, value);
        self
    }

    /// Changes one option of the machine.
    pub fn set(&mut self, name: &str, value: &str) {
        self.machine.retain(|(known, _)| known != name);
        self.machine.push((name.to_owned(), value.to_owned()));
    }

    /// An option of the machine, if it was set.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<&str> {
        let found = self.machine.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// With the leak detector of the kernel that has one ([`crate::fixture::Session::leaks`]).
    #[must_use]
    pub fn with_leak_detector(mut self) -> Self {
        if self.flavour == Flavour::Debug {
            self.append.push_str(" kmemleak=on");
        }
        self
    }

    /// The same for a test that lets the guest's clock jump.
    #[must_use]
    pub fn with_jumps(mut self) -> Self {
        self.append.push(' ');
        self.append.push_str(JUMPS);
        self
    }

    /// Whether the machine that this boots can be made the one that another boots by
    /// loading our module, or unloading it, alone.
    #[must_use]
    pub fn can_become(&self, other: &Self) -> bool {
        let is_ours = |config: &Self| config.driver != Driver::IntelUncore && !config.may_fail;
        let machine = |config: &Self| Self {
            driver: Driver::None,
            parameters: Vec::new(),
            timeout: None,
            ..config.clone()
        };
        is_ours(self) && is_ours(other) && machine(self) == machine(other)
    }

    /// How long a command may take.
    #[must_use]
    pub fn command_timeout(&self) -> Duration {
        self.timeout.unwrap_or(COMMAND * self.flavour.factor())
    }

    /// How long booting may take: at least as long as a command.
    #[must_use]
    pub fn boot_timeout(&self) -> Duration {
        let usual = BOOT * self.flavour.factor();
        self.timeout.map_or(usual, |timeout| timeout.max(usual))
    }

    /// Megabytes of memory.
    #[must_use]
    pub fn memory(&self) -> u32 {
        self.memory.unwrap_or(self.flavour.memory())
    }

    /// The machine's options as one word, `NAME=VALUE,...`.
    #[must_use]
    pub fn machine_word(&self) -> String {
        let words = self
            .machine
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        words.collect::<Vec<_>>().join(",")
    }

    /// The command line that makes a target with this kernel.
    #[must_use]
    pub fn make(&self, target: &str) -> String {
        let mut line = format!("make {target}");
        add_variable(&mut line, "KERNEL_SERIES", &self.series);
        add_variable(&mut line, "KERNEL", self.flavour.name());
        line
    }

    /// The command line that runs `command` on such a machine.
    #[must_use]
    pub fn make_line(&self, command: &str) -> String {
        let mut line = self.make("-s guest");
        let mut add = |name: &str, value: &str| add_variable(&mut line, name, value);
        add("DRIVER", self.driver.name());
        add("PARAMS", &self.parameters.join(" "));
        let mut unusual = self.clone();
        unusual
            .machine
            .retain(|option| !usual_machine().contains(option));
        add("MACHINE", &unusual.machine_word());
        add("X2APIC", if self.x2apic { "1" } else { "" });
        let memory = self.memory.map(|memory| memory.to_string());
        add("MEMORY", &memory.unwrap_or_default());
        add("CMD", command);
        line
    }
}

/// Options that differ from the model's own defaults: more C-Boxes than cores, so
/// that mixing them up shows.
fn usual_machine() -> Vec<(String, String)> {
    vec![("cboxes".to_owned(), "3".to_owned())]
}

/// Another variable for make, if it has a value.
fn add_variable(line: &mut String, name: &str, value: &str) {
    if !value.is_empty() {
        let _ = write!(line, " {name}={}", quote(value));
    }
}

/// A word for the shell.
fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_set_once() {
        let config = Config::default().with("cores", "4").with("cores", "2");
        assert_eq!(config.option("cores"), Some("2"));
        assert_eq!(config.machine_word(), "cboxes=3,cores=2");
    }

    #[test]
    fn the_line_to_repeat_is_quoted_for_the_shell() {
        let mut config = Config {
            series: "7.2".to_owned(),
            x2apic: true,
            parameters: vec!["pmi=0".to_owned(), "poll=5".to_owned()],
            flavour: Flavour::Debug,
            ..Config::default()
        };
        config.set("packages", "4");
        assert_eq!(
            config.make_line("echo 'a b' $HOME"),
            "make -s guest KERNEL_SERIES=7.2 KERNEL=debug DRIVER=ivbep_uncore \
             PARAMS='pmi=0 poll=5' MACHINE=packages=4 X2APIC=1 \
             CMD='echo '\\''a b'\\'' $HOME'"
        );
    }

    #[test]
    fn debug_kernels_get_more_of_everything() {
        let plain = Config {
            flavour: Flavour::Plain,
            ..Config::default()
        };
        let debug = Config {
            flavour: Flavour::Debug,
            ..plain.clone()
        };
        assert!(debug.memory() > plain.memory());
        assert!(debug.command_timeout() > plain.command_timeout());
        assert!(debug.boot_timeout() > plain.boot_timeout());
    }

    #[test]
    fn what_was_asked_for_wins_over_the_flavour() {
        let config = Config {
            memory: Some(4096),
            timeout: Some(Duration::from_secs(7)),
            ..Config::default()
        };
        assert_eq!(config.memory(), 4096);
        assert_eq!(config.command_timeout(), Duration::from_secs(7));
    }

    #[test]
    fn our_module_can_come_and_go_and_nothing_else() {
        let ours = Config::default();
        let none = Config {
            driver: Driver::None,
            timeout: Some(Duration::from_secs(7)),
            ..Config::default()
        };
        let polls = Config {
            parameters: vec!["overflow=poll".to_owned()],
            ..Config::default()
        };
        let theirs = Config {
            driver: Driver::IntelUncore,
            ..Config::default()
        };
        assert!(ours.can_become(&none) && none.can_become(&polls) && polls.can_become(&ours));
        assert!(!ours.can_become(&theirs) && !theirs.can_become(&none));
        assert!(!ours.can_become(&polls.with("packages", "4")));
    }

    #[test]
    fn drivers_and_flavours_have_names() {
        for driver in [Driver::IvbepUncore, Driver::IntelUncore, Driver::None] {
            assert_eq!(driver.name().parse(), Ok(driver));
        }
        for flavour in [
            Flavour::Plain,
            Flavour::Debug,
            Flavour::Kcsan,
            Flavour::Stock,
        ] {
            assert_eq!(flavour.name().parse(), Ok(flavour));
        }
        assert!("nouveau"
            .parse::<Driver>()
            .is_err_and(|e| e.contains("nouveau")));
    }
}
