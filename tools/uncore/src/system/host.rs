// SPDX-License-Identifier: GPL-2.0

//! The machine and the kernel around the module.

use super::{installed, module_state, numbers, running, Program, System, MODULE};
use crate::error::Error;
use crate::platform::Platform;

/// The firmware's variable; its last byte is 1 if Secure Boot is on.
const SECURE_BOOT: &str =
    "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";

/// The first processor of `/proc/cpuinfo`; all are alike.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cpu {
    /// `GenuineIntel`.
    pub vendor: String,
    /// Family and model.
    pub model: Option<(u32, u32)>,
    /// Name that the vendor gives it.
    pub name: String,
    /// True under a hypervisor.
    pub hypervisor: bool,
}

/// Facts about the system that are not the module's.
#[derive(Debug, Clone)]
pub struct Host {
    /// The processor.
    pub cpu: Cpu,
    /// The kernel's release.
    pub release: Option<String>,
    /// The loaded modules.
    pub modules: Vec<String>,
    /// True if the running kernel has a file of the module.
    pub installed: bool,
    /// State of the module, from the kernel.
    pub state: Option<String>,
    /// `perf_event_paranoid`.
    pub paranoid: Option<i64>,
    /// The capabilities of this process.
    pub capabilities: Option<u64>,
    /// Level of the kernel's lockdown.
    pub lockdown: Option<String>,
    /// True if the kernel was told to load signed modules only.
    pub sig_enforce: Option<bool>,
    /// True if Secure Boot is on.
    pub secure_boot: Option<bool>,
    /// Programs that may write registers.
    pub programs: Vec<Program>,
    /// Programs that count.
    pub counting: Vec<Program>,
    /// Number of online CPUs.
    pub online: Option<usize>,
}

impl Host {
    /// Reads the host.
    pub fn read(system: &System) -> Result<Self, Error> {
        let root = &system.root;
        let maybe = |path: &str| root.text(path).ok();
        let release = maybe("proc/sys/kernel/osrelease");
        let modules = root.optional("proc/modules")?.unwrap_or_default();
        let first_word = |line: &str| line.split_whitespace().next().map(str::to_owned);
        let status = maybe("proc/self/status").unwrap_or_default();
        let installed = release
            .as_ref()
            .is_some_and(|release| installed::module_file(root, release, MODULE).is_some());
        Ok(Self {
            cpu: Cpu::parse(&root.text("proc/cpuinfo")?),
            installed,
            modules: modules.lines().filter_map(first_word).collect(),
            state: module_state(root).ok().flatten(),
            paranoid: maybe("proc/sys/kernel/perf_event_paranoid")
                .and_then(|text| text.trim().parse().ok()),
            capabilities: value(&status, "CapEff", ':')
                .and_then(|text| u64::from_str_radix(text, 16).ok()),
            lockdown: maybe("sys/kernel/security/lockdown")
                .as_deref()
                .and_then(chosen),
            sig_enforce: maybe("sys/module/module/parameters/sig_enforce").map(|text| text == "Y"),
            secure_boot: maybe(SECURE_BOOT).map(|bytes| bytes.ends_with('\u{1}')),
            programs: running::programs(root),
            counting: running::counting(root),
            online: maybe("sys/devices/system/cpu/online")
                .and_then(|list| numbers(&list))
                .map(|cpus| cpus.len()),
            release,
        })
    }

    /// Returns whether a module is loaded.
    pub fn has_module(&self, name: &str) -> bool {
        self.modules.iter().any(|module| module == name)
    }

    /// Returns whether the kernel loads signed modules only.
    pub fn demands_signatures(&self) -> bool {
        let is_open = |level: &str| level == "none";
        self.sig_enforce == Some(true) || !self.lockdown.as_deref().is_none_or(is_open)
    }

    /// Returns whether this process has a capability, by its number.
    pub fn is_capable(&self, number: u32) -> bool {
        let bits = self.capabilities.unwrap_or_default();
        bits.checked_shr(number).is_some_and(|bits| bits & 1 == 1)
    }

    /// The first two numbers of the kernel's release.
    pub fn version(&self) -> Option<(u32, u32)> {
        installed::version(self.release.as_ref()?)
    }
}

impl Cpu {
    /// Returns the platform of the processor, if the module supports it.
    pub fn platform(&self) -> Option<&'static Platform> {
        let (family, model) = self.model.filter(|_| self.vendor == "GenuineIntel")?;
        Platform::of_model(family, model)
    }

    fn parse(text: &str) -> Self {
        let get = |name: &str| value(text, name, ':').unwrap_or_default();
        let number = |name: &str| get(name).parse().ok();
        Self {
            vendor: get("vendor_id").to_owned(),
            model: number("cpu family").zip(number("model")),
            name: get("model name").to_owned(),
            hypervisor: get("flags").split(' ').any(|flag| flag == "hypervisor"),
        }
    }
}

/// The value in the first line `NAME SEPARATOR VALUE`.
pub(crate) fn value<'a>(text: &'a str, name: &str, separator: char) -> Option<&'a str> {
    let pairs = text.lines().filter_map(|line| line.split_once(separator));
    let mut named = pairs.filter(|(key, _)| key.trim() == name);
    named.next().map(|(_, value)| value.trim())
}

/// `integrity` of `none [integrity] confidentiality`.
fn chosen(text: &str) -> Option<String> {
    let (_, rest) = text.split_once('[')?;
    Some(rest.split_once(']')?.0.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_processor() {
        let text = "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 62\nmodel name\t: X\n\
                    flags\t\t: fpu hypervisor\n";
        let cpu = Cpu::parse(text);
        assert_eq!(cpu.model, Some((6, 62)));
        assert_eq!((cpu.name.as_str(), cpu.hypervisor), ("X", true));
        assert_eq!(Cpu::parse("model : x\ncpu family : 6"), Cpu::default());
    }

    #[test]
    fn reads_the_choice() {
        let text = "none [integrity] confidentiality";
        assert_eq!(chosen(text).as_deref(), Some("integrity"));
        assert_eq!(chosen("none"), None);
    }
}
