// SPDX-License-Identifier: GPL-2.0

//! Drivers that a boot loads with the file of `enable`, as kmod reads it.

use super::*;
use std::process::Command;

/// The file of `enable`, in the tree of a boot, as kmod reads it.
struct Boot(Machine);

impl Boot {
    /// A kernel with these drivers as modules.
    fn of(drivers: &[&str]) -> Self {
        let machine = Machine::enabled();
        machine.stub("probe", "probe");
        for directory in ["run", "conf"] {
            std::fs::create_dir(machine.0.path(directory)).expect("created");
        }
        for driver in drivers {
            machine.write(&format!("lib/modules/{RELEASE}/{driver}.ko"), "");
        }
        let boot = Self(machine);
        boot.list_modules();
        boot
    }

    fn list_modules(&self) {
        let mut depmod = Command::new("/sbin/depmod");
        let depmod = depmod.arg("-b").arg(self.0 .0.path("")).arg(RELEASE);
        // Empty files have no symbols, of which it complains.
        assert!(depmod.output().expect("depmod").status.success());
    }

    /// Loads what udev would load.
    fn load(&self, what: &str) -> bool {
        let mut probe = Command::new("timeout");
        probe.arg("20").arg(self.0 .0.path("bin/probe")).arg(what);
        let status = probe.status().expect("modprobe of kmod");
        assert_ne!(status.code(), Some(124), "it does not end");
        status.success()
    }

    fn loaded(&self) -> String {
        let loaded = self.0 .0.path("loaded");
        std::fs::read_to_string(loaded).unwrap_or_default()
    }

    /// Loads for the UBox and for each CPU.
    fn coldplug(&self) -> String {
        for what in [UBOX, THEIRS, THEIRS, UBOX] {
            self.load(what);
        }
        self.loaded()
    }
}

/// Modalias of the UBox; that of the processor leads to intel_uncore.
const UBOX: &str = "pci:v00008086d00000E1Esv00008086sd00000000bc08sc80i00";

#[test]
fn either_driver_serves_where_the_other_is_missing() {
    for (drivers, serves) in [
        (&["intel-uncore", OURS][..], "uncore_rs\n"),
        (&["intel-uncore"], "intel_uncore\n"),
        (&[OURS], "uncore_rs\n"),
        (&[], ""),
    ] {
        let boot = Boot::of(drivers);
        assert_eq!(boot.coldplug(), serves, "{drivers:?}");
        // The processor comes first as well.
        let boot = Boot::of(drivers);
        boot.load(THEIRS);
        assert_eq!(boot.loaded(), serves, "{drivers:?}");
    }
}

#[test]
fn a_module_that_refuses_leaves_the_counters_to_the_other() {
    let boot = Boot::of(&["intel-uncore", OURS]);
    boot.0.write("refuses", "uncore_rs\n");
    assert_eq!(boot.coldplug(), "intel_uncore\n");
    let log = "uncore_rs is not loaded: intel_uncore has the uncore counters\n";
    assert_eq!(boot.0.text("kmsg"), log);
}

#[test]
fn an_initramfs_without_the_module_loads_neither() {
    for mark in ["etc/initrd-release", "conf/initramfs.conf"] {
        let boot = Boot::of(&["intel-uncore"]);
        boot.0.write(mark, "");
        assert!(boot.load(THEIRS));
        assert_eq!(boot.coldplug(), "", "{mark}");
        // The root file system has it.
        boot.0 .0.remove(mark);
        boot.0
            .write(&format!("lib/modules/{RELEASE}/{OURS}.ko"), "");
        boot.list_modules();
        assert_eq!(boot.coldplug(), "uncore_rs\n");
    }
    let boot = Boot::of(&["intel-uncore", OURS]);
    boot.0.write("etc/initrd-release", "");
    assert_eq!(boot.coldplug(), "uncore_rs\n");
}

#[test]
fn without_a_ubox_the_processor_is_enough() {
    for (drivers, serves) in [
        (&["intel-uncore"][..], THEIRS),
        (&["intel-uncore", OURS], OURS),
    ] {
        let boot = Boot::of(drivers);
        // As modules-load.d has it, before udev.
        boot.load(OURS);
        boot.load(THEIRS);
        assert_eq!(boot.loaded(), format!("{serves}\n"));
    }
}
