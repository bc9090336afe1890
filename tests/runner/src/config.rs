// SPDX-License-Identifier: GPL-2.0

//! Description of what to boot: kernel, driver and machine.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use uncore_machine::RealShape;

/// Path of our module in the guest.
pub const MODULE: &str = "/lib/modules/uncore_rs.ko";
/// Shell command that unloads our module.
pub const UNLOAD: &str = "rmmod uncore_rs";
/// Time limit of a command, and of a boot, on the plain kernel. It is for what never ends: a
/// busy computer stays far below it.
const PATIENCE: Duration = Duration::from_secs(300);
/// Boot parameters for a test that makes the guest's clock jump. They silence stall
/// detectors; a grace period that never begins is still reported. The server of the fair
/// scheduler is off: it arms a timer twice when the clock jumps. The detector of leaks would scan
/// at each jump.
const JUMPS: &str = "rcupdate.rcu_cpu_stall_suppress=1 rcupdate.rcu_cpu_stall_timeout=300 \
     sysctl.kernel.hung_task_timeout_secs=0 uncore.fair_server=off uncore.leak_scan=off";

/// Driver that is loaded at boot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Driver {
    /// The driver of this project.
    #[default]
    UncoreRs,
    /// The kernel's own driver.
    IntelUncore,
    /// No driver.
    None,
}

impl Driver {
    /// Returns the driver's name on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::UncoreRs => "uncore_rs",
            Self::IntelUncore => "intel_uncore",
            Self::None => "none",
        }
    }

    /// Returns the path of the driver's module in the guest.
    pub fn module(self) -> Option<&'static str> {
        match self {
            Self::UncoreRs => Some(MODULE),
            Self::IntelUncore => Some("/lib/modules/intel-uncore.ko"),
            Self::None => None,
        }
    }
}

impl FromStr for Driver {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let all = [Self::UncoreRs, Self::IntelUncore, Self::None];
        let found = all.into_iter().find(|driver| driver.name() == name);
        found.ok_or_else(|| format!("'{name}' is not uncore_rs, intel_uncore or none"))
    }
}

/// Purpose that the kernel was configured for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Flavour {
    /// Speed.
    #[default]
    Plain,
    /// Many checks: everything takes longer and more memory.
    Debug,
    /// Detection of data races (KCSAN).
    Kcsan,
    /// Spinlocks that sleep and interrupts in threads (PREEMPT_RT), with checks of locks.
    Rt,
    /// General use; configured by a distribution.
    Stock,
}

impl Flavour {
    /// Returns the flavour's name on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Debug => "debug",
            Self::Kcsan => "kcsan",
            Self::Rt => "rt",
            Self::Stock => "stock",
        }
    }

    /// Returns the factor by which everything takes longer than on the plain kernel.
    pub fn factor(self) -> u32 {
        match self {
            Self::Plain => 1,
            Self::Debug | Self::Kcsan => 5,
            Self::Rt | Self::Stock => 2,
        }
    }

    /// Returns the megabytes of memory that the guest needs.
    fn memory(self) -> u32 {
        match self {
            Self::Plain | Self::Kcsan | Self::Rt => 512,
            Self::Debug | Self::Stock => 1024,
        }
    }
}

impl FromStr for Flavour {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let all = [Self::Plain, Self::Debug, Self::Kcsan, Self::Rt, Self::Stock];
        let found = all.into_iter().find(|flavour| flavour.name() == name);
        found.ok_or_else(|| format!("'{name}' is not plain, debug, kcsan, rt or stock"))
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

/// Description of what to boot. The default takes the files from the environment that the
/// Makefile sets, and has the machine that most tests want.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    /// The files.
    pub parts: Parts,
    /// Purpose that the kernel was configured for.
    pub flavour: Flavour,
    /// Release series of the kernel, as the Makefile calls it; for messages.
    pub series: String,
    /// The driver to load.
    pub driver: Driver,
    /// The guest is useful even if the driver refuses to load.
    pub may_fail: bool,
    /// Parameters of our module, `NAME=VALUE` each.
    pub parameters: Vec<String>,
    /// Options of the emulated machine that differ from its defaults.
    pub machine: Vec<(String, String)>,
    /// The guest can use x2APIC.
    pub x2apic: bool,
    /// More words for the kernel's command line.
    pub append: String,
    /// Megabytes of memory; `None` for the default of the flavour.
    pub memory: Option<u32>,
    /// Time limit of a command; `None` for the default of the flavour.
    pub timeout: Option<Duration>,
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
        let mut config = Self {
            parts: Parts {
                kernel: variable("UNCORE_KERNEL").into(),
                initrds: list(variable("UNCORE_INITRD")),
                qemu: variable("UNCORE_QEMU").into(),
                plugin: variable("UNCORE_PLUGIN").into(),
            },
            flavour: variable("UNCORE_FLAVOUR").parse().unwrap_or_default(),
            series: variable("UNCORE_SERIES"),
            driver: Driver::default(),
            may_fail: false,
            parameters: Vec::new(),
            machine: Vec::new(),
            x2apic: false,
            append: String::new(),
            memory: None,
            timeout: None,
        };
        for (name, value) in usual_machine() {
            config.set(&name, &value);
        }
        config
    }
}

impl Config {
    /// Returns the usual configuration with another driver, or none.
    pub fn of(driver: Driver) -> Self {
        Self {
            driver,
            ..Self::default()
        }
    }

    /// Returns the configuration with one option of the machine changed.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.set(name, value);
        self
    }

    /// Returns the configuration with several options of the machine changed.
    pub fn with_all(self, options: &[(&str, &str)]) -> Self {
        let with = |config: Self, (name, value): &(&str, &str)| config.with(name, value);
        options.iter().fold(self, with)
    }

    /// Changes one option of the machine. A shape changes those that it stands for.
    pub fn set(&mut self, name: &str, value: &str) {
        let shape = Some(value).filter(|_| name == "shape");
        let shape = shape.and_then(RealShape::named);
        for (name, value) in shape.map_or(&[(name, value)][..], |shape| shape.options) {
            let old = self.machine.iter_mut().find(|(known, _)| known == name);
            match old {
                Some((_, old)) => (*value).clone_into(old),
                None => self.machine.push(((*name).to_owned(), (*value).to_owned())),
            }
        }
    }

    /// Returns an option of the machine, if it was set.
    pub fn option(&self, name: &str) -> Option<&str> {
        let found = self.machine.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns true if an option of the machine is on.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.option(name) == Some("on")
    }

    /// Returns the configuration for a test that makes the guest's clock jump.
    pub fn with_jumps(mut self) -> Self {
        self.append.push(' ');
        self.append.push_str(JUMPS);
        self
    }

    /// Returns true if loading or unloading our module is all that turns this machine
    /// into the other.
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

    /// Returns the time limit of a command.
    pub fn command_timeout(&self) -> Duration {
        self.timeout.unwrap_or(PATIENCE * self.flavour.factor())
    }

    /// Returns the time limit of a boot: at least that of a command.
    pub fn boot_timeout(&self) -> Duration {
        let usual = PATIENCE * self.flavour.factor();
        self.timeout.map_or(usual, |timeout| timeout.max(usual))
    }

    /// Returns the megabytes of memory.
    pub fn memory(&self) -> u32 {
        self.memory.unwrap_or(self.flavour.memory())
    }

    /// Returns the machine's options as one word, `NAME=VALUE,...`.
    pub fn machine_word(&self) -> String {
        let words = self
            .machine
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        words.collect::<Vec<_>>().join(",")
    }

    /// Returns the command line that makes a target with this kernel on this platform.
    pub fn make(&self, target: &str) -> String {
        let mut line = format!("make {target}");
        add_variable(&mut line, "KERNEL_SERIES", &self.series);
        add_variable(&mut line, "KERNEL", self.flavour.name());
        let platform = self.option("platform").unwrap_or_default();
        add_variable(&mut line, "PLATFORM", platform);
        line
    }

    /// Returns the command line that runs `command` on such a machine.
    pub fn make_line(&self, command: &str) -> String {
        let mut line = self.make("-s guest");
        let mut add = |name: &str, value: &str| add_variable(&mut line, name, value);
        add("DRIVER", self.driver.name());
        add("PARAMS", &self.parameters.join(" "));
        let mut unusual = self.clone();
        unusual
            .machine
            .retain(|(name, value)| name != "platform" && !USUAL.contains(&(name, value)));
        add("MACHINE", &unusual.machine_word());
        add("X2APIC", if self.x2apic { "1" } else { "" });
        let memory = self.memory.map(|memory| memory.to_string());
        add("MEMORY", &memory.unwrap_or_default());
        add("CMD", command);
        line
    }
}

/// Options that differ from the model's own defaults: more C-Boxes than cores, so that a
/// test notices if the two are confused.
const USUAL: [(&str, &str); 1] = [("cboxes", "3")];

/// Returns these options, the platform of `UNCORE_PLATFORM` and the options of
/// `UNCORE_MACHINE`, if the environment has them.
fn usual_machine() -> Vec<(String, String)> {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let (platform, more) = (variable("UNCORE_PLATFORM"), variable("UNCORE_MACHINE"));
    let platform = [("platform", &*platform)];
    let platform = platform.into_iter().filter(|(_, name)| !name.is_empty());
    let more = more.split(',').filter_map(|word| word.split_once('='));
    let all = USUAL.into_iter().chain(platform).chain(more);
    all.map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// Adds a variable for make, if it has a value.
fn add_variable(line: &mut String, name: &str, value: &str) {
    if !value.is_empty() {
        let _ = write!(line, " {name}={}", quote(value));
    }
}

/// Quotes a word for the shell.
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
    fn a_shape_is_the_options_that_it_stands_for() {
        let config = Config::default()
            .with("shape", "d-1518")
            .with("cboxes", "2");
        let expected = "cboxes=2,platform=bdx-de,hidden=05.6";
        assert_eq!(config.machine_word(), expected);
        let unknown = Config::default().with("shape", "i486");
        assert_eq!(unknown.machine_word(), "cboxes=3,shape=i486");
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
            "make -s guest KERNEL_SERIES=7.2 KERNEL=debug DRIVER=uncore_rs \
             PARAMS='pmi=0 poll=5' MACHINE=packages=4 X2APIC=1 \
             CMD='echo '\\''a b'\\'' $HOME'"
        );
    }

    #[test]
    fn our_module_can_come_and_go_and_nothing_else() {
        let ours = Config::default();
        let none = Config {
            timeout: Some(Duration::from_secs(7)),
            ..Config::of(Driver::None)
        };
        let polls = Config {
            parameters: vec!["overflow=poll".to_owned()],
            ..Config::default()
        };
        let theirs = Config::of(Driver::IntelUncore);
        assert!(ours.can_become(&none) && none.can_become(&polls) && polls.can_become(&ours));
        assert!(!ours.can_become(&theirs) && !theirs.can_become(&none));
        assert!(!ours.can_become(&polls.with("packages", "4")));
    }
}
