// SPDX-License-Identifier: GPL-2.0

//! Checks of what the module needs to load: processor, hypervisor, kernel, and no
//! other driver.

use super::{Check, Target};
use crate::boot::why_not;
use crate::platform::all_processors;
use crate::system::{Distribution, DEVICES, FORMER, FORMER_FILE, IN_TREE, MODULE, OLDEST, TESTED};
use crate::table::counted;

/// Remedy where modules need a signature.
pub(crate) const SIGNING: &str =
    "sign uncore_rs.ko with a key that the firmware knows: DKMS signs with its own key, which \
     `mokutil --import /var/lib/dkms/mok.pub` and a reboot enrol (the firmware asks for the \
     password); or switch Secure Boot off";

/// Events of intel_uncore for an example, by platform.
const PREFERRED: [&str; 3] = ["cas_count_read", "data_reads", "qmc_normal_reads_any"];

pub(super) fn processor(target: &Target<'_>) -> Check {
    const NAME: &str = "processor";
    let cpu = &target.host.cpu;
    let Some((family, model)) = cpu.model else {
        let remedy = format!("compare the processor with these: {}", all_processors());
        return Check::warning(NAME, "proc/cpuinfo does not name the processor", remedy);
    };
    let name = if cpu.name.is_empty() {
        &cpu.vendor
    } else {
        &cpu.name
    };
    let finding = format!("{name}: family {family} model {model}");
    if cpu.platform().is_some() || !target.system.pmus.is_empty() {
        Check::pass(NAME, finding)
    } else {
        Check::failure(
            NAME,
            format!("{finding} is not a processor that the module supports"),
            format!(
                "{}; the module supports {}",
                instead(target),
                all_processors()
            ),
        )
    }
}

/// Says how to count on a processor that the module does not support.
fn instead(target: &Target<'_>) -> String {
    let system = target.system;
    let event = |pmu: &String| {
        let names = system.root.names(&format!("{DEVICES}/{pmu}/events")).ok()?;
        let is_preferred = |name: &&String| PREFERRED.contains(&name.as_str());
        let event = names.iter().find(is_preferred).or(names.first())?;
        Some(format!("{pmu}/{event}/"))
    };
    let mut pmus: Vec<&String> = system.foreign.iter().collect();
    pmus.sort_by_key(|pmu| !pmu.starts_with("uncore_imc"));
    match pmus.into_iter().find_map(event) {
        Some(event) => format!(
            "count with {IN_TREE}, which has {} here: `perf stat -a -e {event} sleep 1`",
            counted(system.foreign.len(), "PMU", "PMUs")
        ),
        None if target.host.cpu.vendor == "GenuineIntel" => format!(
            "`modprobe {IN_TREE}`, and if that succeeds `perf list uncore_`, show what the \
             kernel's own driver counts here"
        ),
        None => "`perf list` shows what the kernel's own drivers count here".to_owned(),
    }
}

pub(super) fn hypervisor(target: &Target<'_>) -> Check {
    const NAME: &str = "hypervisor";
    match (target.host.cpu.hypervisor, target.system.pmus.is_empty()) {
        (false, _) => Check::pass(NAME, "none"),
        (true, true) => Check::failure(
            NAME,
            "a hypervisor runs this machine and shows no uncore",
            "count on the host; if the hypervisor passes the uncore through to this guest, \
             `modprobe uncore_rs allow_virtual=1`",
        ),
        (true, false) => Check::warning(
            NAME,
            "a hypervisor runs this machine: counts are those of the uncore it shows",
            "compare them with counts on the host",
        ),
    }
}

pub(super) fn version(target: &Target<'_>) -> Check {
    const NAME: &str = "kernel";
    let host = &target.host;
    let Some(release) = &host.release else {
        let remedy = "mount proc: `mount -t proc proc /proc`";
        return Check::warning(
            NAME,
            "proc/sys/kernel/osrelease does not name the kernel",
            remedy,
        );
    };
    let online = host
        .online
        .map(|cpus| format!(", {} online", counted(cpus, "CPU", "CPUs")));
    let name = Distribution::read(&target.system.root, release).name;
    let name = name.map(|name| format!("{name}, ")).unwrap_or_default();
    let finding = format!("{name}Linux {release}{}", online.unwrap_or_default());
    let Some(version) = host.version().filter(|_| !target.is_module_loaded()) else {
        return Check::pass(NAME, finding);
    };
    let (major, minor) = version;
    if version < OLDEST {
        let (major, minor) = OLDEST;
        return Check::failure(
            NAME,
            format!("{finding}: the module needs {major}.{minor} or later"),
            format!("boot a kernel {major}.{minor} or later"),
        );
    }
    let known = if TESTED.contains(&version) {
        format!("the module is tested with Linux {major}.{minor}")
    } else if TESTED.iter().all(|tested| version > *tested) {
        format!("Linux {major}.{minor} is newer than what the module is tested with")
    } else {
        format!("the module builds for Linux {major}.{minor}, but is not tested with it")
    };
    Check::pass(NAME, format!("{finding}; {known}"))
}

pub(super) fn lockdown(target: &Target<'_>) -> Check {
    const NAME: &str = "lockdown";
    match target.host.lockdown.as_deref() {
        None | Some("none") => Check::pass(NAME, "none"),
        Some(level) if target.is_module_loaded() => {
            Check::pass(NAME, format!("{level}, and the module is loaded"))
        }
        Some(level) => Check::warning(
            NAME,
            format!("the kernel is locked down ({level}): it loads signed modules only"),
            SIGNING,
        ),
    }
}

/// Checks whether modules need a signature although nothing is locked down. Returns
/// `None` if neither the kernel nor the firmware shows it.
pub(super) fn signatures(target: &Target<'_>) -> Option<Check> {
    const NAME: &str = "signatures";
    let host = &target.host;
    let secure_boot = match host.secure_boot {
        Some(true) => "Secure Boot is on",
        Some(false) => "Secure Boot is off",
        None => "the state of Secure Boot is not known",
    };
    if host.sig_enforce.is_none() && host.secure_boot.is_none() {
        return None;
    }
    if target.is_module_loaded() {
        let finding = format!("the module is loaded; {secure_boot}");
        return Some(Check::pass(NAME, finding));
    }
    let what = match (host.sig_enforce, host.lockdown.as_deref()) {
        (Some(true), _) => "the kernel loads signed modules only (module.sig_enforce)",
        (_, Some("none")) => {
            return Some(Check::pass(NAME, format!("not required; {secure_boot}")))
        }
        (_, Some(_)) => return Some(Check::pass(NAME, format!("see lockdown; {secure_boot}"))),
        (_, None) if host.secure_boot == Some(true) => "the kernel may load signed modules only",
        (_, None) => return Some(Check::pass(NAME, format!("not required; {secure_boot}"))),
    };
    let finding = format!("{what}; {secure_boot}");
    Some(Check::warning(NAME, finding, SIGNING))
}

pub(super) fn other_driver(target: &Target<'_>) -> Check {
    const NAME: &str = "other driver";
    let (modular, foreign) = (target.host.has_module(IN_TREE), &target.system.foreign);
    if !modular && foreign.is_empty() {
        return Check::pass(NAME, format!("{IN_TREE} is not loaded"));
    }
    let how = if modular {
        "is loaded"
    } else {
        "is part of the kernel"
    };
    let pmus = match foreign.as_slice() {
        [] => String::new(),
        [first, ..] => {
            format!(
                " and has {} such as {first}",
                counted(foreign.len(), "PMU", "PMUs")
            )
        }
    };
    let finding = format!("{IN_TREE} {how}{pmus}, and only one can drive the counters");
    if let Some(why) = why_not(&target.system.root, &target.host) {
        let finding = format!("{finding}: {}", why.reason);
        return Check::failure(NAME, finding, why.remedy.unwrap_or_default());
    }
    let remedy = if modular {
        "`uncore enable` hands the counters over, now and at each boot; for now only: \
         `modprobe -r intel_uncore`, then `modprobe uncore_rs`"
    } else {
        "`uncore enable` sets the boot parameter `initcall_blacklist=intel_uncore_init`, if you \
         agree, and uncore_rs has the counters after a reboot"
    };
    Check::failure(NAME, finding, remedy)
}

/// Looks for the module in a version before 0.2.0, and for what it left.
pub(super) fn former_driver(target: &Target<'_>) -> Option<Check> {
    const NAME: &str = "former driver";
    if target.is_former_loaded() {
        return Some(Check::failure(
            NAME,
            format!("{FORMER} is loaded, which is {MODULE} before version 0.2.0"),
            format!("`uncore enable` replaces it by {MODULE}, now and at each boot"),
        ));
    }
    target.system.root.has(FORMER_FILE).then(|| {
        Check::warning(
            NAME,
            format!("/{FORMER_FILE} is left from {FORMER}, which is {MODULE} before version 0.2.0"),
            "`uncore enable` replaces the file, `uncore disable` removes it",
        )
    })
}
