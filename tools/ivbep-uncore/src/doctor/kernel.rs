// SPDX-License-Identifier: GPL-2.0

//! Processor, hypervisor, kernel and the other driver: what the module needs to
//! be loaded.

use super::{Check, Patient};
use crate::system::{IN_TREE, OLDEST};
use crate::table::counted;

/// Family and model of Ivy Bridge-EP and -EX.
const MODEL: (u32, u32) = (6, 62);

/// What helps where modules need a signature.
pub(crate) const SIGNING: &str =
    "sign ivbep_uncore.ko with a key that the firmware knows: DKMS signs with its own, of which \
     it is told once by `mokutil --import /var/lib/dkms/mok.pub` and a reboot, which asks for the \
     password; or switch Secure Boot off";

pub(super) fn processor(patient: &Patient<'_>) -> Check {
    const NAME: &str = "processor";
    let cpu = &patient.host.cpu;
    let Some((family, model)) = cpu.model else {
        let remedy = "compare it with Xeon E5 v2 or E7 v2: family 6 model 62";
        return Check::warning(NAME, "proc/cpuinfo does not say which it is", remedy);
    };
    let name = if cpu.name.is_empty() {
        &cpu.vendor
    } else {
        &cpu.name
    };
    let finding = format!("{name}: family {family} model {model}");
    let is_known = cpu.vendor == "GenuineIntel" && (family, model) == MODEL;
    if is_known || !patient.system.pmus.is_empty() {
        Check::pass(NAME, finding)
    } else {
        Check::failure(
        NAME,
        format!("{finding} is not one whose uncore the module knows"),
        "use a Xeon E5 v2 or E7 v2, which is family 6 model 62; for others there is intel_uncore",
    )
    }
}

pub(super) fn hypervisor(patient: &Patient<'_>) -> Check {
    const NAME: &str = "hypervisor";
    match (patient.host.cpu.hypervisor, patient.system.pmus.is_empty()) {
        (false, _) => Check::pass(NAME, "none"),
        (true, true) => Check::failure(
            NAME,
            "a hypervisor runs this machine, and it shows no uncore",
            "count on the host; if the hypervisor does give the uncore to this guest, \
             `modprobe ivbep_uncore allow_virtual=1`",
        ),
        (true, false) => Check::warning(
            NAME,
            "a hypervisor runs this machine: counts are of what it shows as the uncore",
            "compare with counts on the host",
        ),
    }
}

pub(super) fn version(patient: &Patient<'_>) -> Check {
    const NAME: &str = "kernel";
    let host = &patient.host;
    let Some(release) = &host.release else {
        let remedy = "mount it: `mount -t proc proc /proc`";
        return Check::warning(
            NAME,
            "proc/sys/kernel/osrelease does not say which it is",
            remedy,
        );
    };
    let online = host
        .online
        .map(|cpus| format!(", {} online", counted(cpus, "CPU", "CPUs")));
    let finding = format!("Linux {release}{}", online.unwrap_or_default());
    if patient.is_module_loaded() {
        return Check::pass(NAME, finding);
    }
    let (major, minor) = OLDEST;
    match (host.version(), host.rust) {
        (Some(version), _) if version < OLDEST => Check::failure(
            NAME,
            format!("{finding}: the module needs {major}.{minor} or later"),
            format!("boot a kernel {major}.{minor} or later that has CONFIG_RUST=y"),
        ),
        (_, Some(false)) => Check::failure(
            NAME,
            format!("{finding} has no CONFIG_RUST=y, which the module needs"),
            "boot a kernel that has it",
        ),
        _ => Check::pass(NAME, finding),
    }
}

pub(super) fn lockdown(patient: &Patient<'_>) -> Check {
    const NAME: &str = "lockdown";
    match patient.host.lockdown.as_deref() {
        None | Some("none") => Check::pass(NAME, "none"),
        Some(level) if patient.is_module_loaded() => {
            Check::pass(NAME, format!("{level}, and the module is loaded"))
        }
        Some(level) => Check::warning(
            NAME,
            format!("the kernel is locked down ({level}): it loads signed modules only"),
            SIGNING,
        ),
    }
}

/// Whether a module needs a signature, too, where nothing is locked down;
/// nothing, if neither the kernel nor the firmware tells.
pub(super) fn signatures(patient: &Patient<'_>) -> Option<Check> {
    const NAME: &str = "signatures";
    let host = &patient.host;
    let secure_boot = match host.secure_boot {
        Some(true) => "Secure Boot is on",
        Some(false) => "Secure Boot is off",
        None => "whether Secure Boot is on is not known",
    };
    if host.sig_enforce.is_none() && host.secure_boot.is_none() {
        return None;
    }
    if patient.is_module_loaded() {
        let finding = format!("the module is loaded; {secure_boot}");
        return Some(Check::pass(NAME, finding));
    }
    let what = match (host.sig_enforce, host.lockdown.as_deref()) {
        (Some(true), _) => "the kernel loads signed modules only (module.sig_enforce)",
        (_, Some("none")) => {
            return Some(Check::pass(NAME, format!("not demanded; {secure_boot}")))
        }
        (_, Some(_)) => return Some(Check::pass(NAME, format!("see lockdown; {secure_boot}"))),
        (_, None) if host.secure_boot == Some(true) => "the kernel may load signed modules only",
        (_, None) => return Some(Check::pass(NAME, format!("not demanded; {secure_boot}"))),
    };
    let finding = format!("{what}; {secure_boot}");
    Some(Check::warning(NAME, finding, SIGNING))
}

pub(super) fn other_driver(patient: &Patient<'_>) -> Check {
    const NAME: &str = "other driver";
    let (modular, foreign) = (patient.host.has_module(IN_TREE), &patient.system.foreign);
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
    let both = if patient.is_module_loaded() {
        " beside ivbep_uncore: both write the same registers"
    } else {
        ", and only one can drive the counters"
    };
    let finding = format!("{IN_TREE} {how}{pmus}{both}");
    let remedy = match (modular, patient.is_module_loaded()) {
        (true, false) => {
            "`ivbep-uncore enable` hands them over, now and at each boot; for now only: \
             `modprobe -r intel_uncore`, then `modprobe ivbep_uncore`"
        }
        (true, true) => {
            "`modprobe -r intel_uncore ivbep_uncore`, then `modprobe ivbep_uncore`; \
                         `blacklist intel_uncore` in /etc/modprobe.d keeps it away"
        }
        (false, _) => "boot with `initcall_blacklist=intel_uncore_init`",
    };
    Check::failure(NAME, finding, remedy)
}
