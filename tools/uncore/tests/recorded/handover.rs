// SPDX-License-Identifier: GPL-2.0

//! `enable`, `disable` and `status`, with a `modprobe` and a `dkms` that change
//! the tree they are in.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use uncore::handover::{self, Programs, FILE, GRUB_FILE, INSTALL, LOAD_FILE, PARAMETER};
use uncore::system::{System, FORMER_FILE};
use uncore::{Error, Outcome};

use crate::recording::{assert_has, Recording};

const RELEASE: &str = "7.3.4-plain";
const STUBS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/stubs");
const OURS: &str = "uncore_rs";
const FORMER: &str = "ivbep_uncore";
const THEIRS: &str = "intel_uncore";

/// Machine whose kernel has both drivers, with intel_uncore loaded.
struct Machine(Recording);

impl Machine {
    fn new() -> Self {
        let machine = Self::without_the_module();
        let list = "kernel/arch/x86/events/intel/intel-uncore.ko.xz:\n\
                    updates/dkms/uncore_rs.ko.xz:\n";
        machine.write(&format!("lib/modules/{RELEASE}/modules.dep"), list);
        machine
    }

    fn without_the_module() -> Self {
        let machine = Self(Recording::bare());
        std::fs::create_dir(machine.0.path("bin")).expect("created");
        for name in ["modprobe", "rmmod", "dkms"] {
            let stub = symlink(
                Path::new(STUBS).join(name),
                machine.0.path("bin").join(name),
            );
            stub.expect("linked");
        }
        machine.write("log", "");
        machine.write("why", "modprobe: ERROR: it does not want to\n");
        let list = "kernel/arch/x86/events/intel/intel-uncore.ko.xz:\n";
        machine.write(&format!("lib/modules/{RELEASE}/modules.dep"), list);
        machine.write(&format!("lib/modules/{RELEASE}/modules.builtin"), "");
        machine.load(THEIRS);
        machine
    }

    /// Makes a machine after `enable`.
    fn enabled() -> Self {
        let machine = Self::new();
        machine.enable().expect("handed over");
        machine.write("log", "");
        machine
    }

    /// Makes a machine with the module of a version before 0.2.0, and its file.
    fn former() -> Self {
        let machine = Self::new();
        machine.0.remove("sys/module/intel_uncore");
        machine.load(FORMER);
        machine.write(FORMER_FILE, "blacklist intel_uncore\n");
        machine
    }

    fn write(&self, name: &str, text: &str) {
        self.0.write(name, text);
    }

    fn load(&self, module: &str) {
        self.write(&format!("sys/module/{module}/initstate"), "live\n");
        self.open(module, 0);
    }

    fn open(&self, module: &str, events: u32) {
        let file = format!("sys/module/{module}/refcnt");
        self.write(&file, &format!("{events}\n"));
    }

    fn has(&self, name: &str) -> bool {
        self.0.path(name).exists()
    }

    fn text(&self, name: &str) -> String {
        String::from_utf8(self.0.read(name)).expect("text")
    }

    /// Returns the lines of the file that are no comments.
    fn settings(&self) -> Vec<String> {
        let text = self.text(FILE);
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(str::to_owned).collect()
    }

    /// Makes the processor one of another model.
    fn become_model(&self, model: u32) {
        let model = format!("model\t\t: {model}");
        self.0.replace("proc/cpuinfo", "model\t\t: 62", &model);
    }

    fn enable(&self) -> Result<Outcome, Error> {
        self.enable_if(&|plan| panic!("nobody is to be asked: {plan}"))
    }

    fn enable_if(&self, agrees: &dyn Fn(&str) -> bool) -> Result<Outcome, Error> {
        handover::enable(&self.system(), &self.programs(), agrees)
    }

    /// Makes intel_uncore a part of the kernel, with the program of a boot loader.
    fn build_in(&self, program: &str) {
        self.0.remove("sys/module/intel_uncore");
        let list = format!("lib/modules/{RELEASE}/modules.builtin");
        self.write(&list, "kernel/arch/x86/events/intel/intel-uncore.ko\n");
        let list = format!("lib/modules/{RELEASE}/modules.dep");
        self.write(&list, "updates/dkms/uncore_rs.ko.xz:\n");
        self.write(&format!("usr/sbin/{program}"), "");
        for name in [program, "proxmox-boot-tool"] {
            let stub = symlink(
                Path::new(STUBS).join("loader"),
                self.0.path("bin").join(name),
            );
            stub.expect("linked");
        }
    }

    fn disable(&self) -> Result<Outcome, Error> {
        handover::disable(&self.system(), &self.programs())
    }

    fn system(&self) -> System {
        System::read(&self.0.path("")).expect("a system")
    }

    fn programs(&self) -> Programs {
        Programs::in_directory(&self.0.path("bin"))
    }

    /// Returns the commands that were run.
    fn log(&self) -> Vec<String> {
        self.text("log").lines().map(str::to_owned).collect()
    }

    /// Checks that no command was run.
    fn assert_idle(&self) {
        assert_eq!(self.log(), [""; 0]);
    }

    /// Returns which drivers are loaded, and whether the file exists.
    fn state(&self) -> (bool, bool, bool) {
        let is_loaded = |module: &str| self.has(&format!("sys/module/{module}/initstate"));
        (is_loaded(OURS), is_loaded(THEIRS), self.has(FILE))
    }

    /// Checks that `enable` is refused with these words and changes nothing.
    fn assert_refused(&self, words: &[&str]) {
        let before = self.state();
        let said = self.enable().expect_err("it is refused").to_string();
        for word in words {
            assert!(said.contains(word), "{word}: {said}");
        }
        assert_eq!(self.state(), before, "{:?}", self.log());
        assert!(!self.has(&format!("{FILE}.new")));
    }
}

const GIVEN: (bool, bool, bool) = (false, true, false);
const TAKEN: (bool, bool, bool) = (true, false, true);
/// Lines of the file that load the module for the UBox of each platform.
const IVBEP: &str = "alias pci:v00008086d00000E1Esv*sd*bc*sc*i* uncore_rs";
const BDX: &str = "alias pci:v00008086d00006F1Esv*sd*bc*sc*i* uncore_rs";

#[test]
fn the_counters_are_handed_over_and_back() {
    let machine = Machine::new();
    assert_has(
        &machine.enable().expect("handed over").text,
        &["now, and at each boot"],
    );
    assert_eq!(machine.state(), TAKEN);
    assert_eq!(
        machine.log(),
        ["modprobe -r intel_uncore", "modprobe uncore_rs"]
    );
    assert!(machine
        .text(FILE)
        .starts_with("# Written by \"uncore enable\""));
    assert_eq!(machine.settings(), [INSTALL, IVBEP, BDX]);

    machine.write("log", "");
    let said = machine.disable().expect("given back");
    assert!(said.text.starts_with("intel_uncore has"), "{said:?}");
    assert_eq!(machine.state(), GIVEN);
    assert_eq!(
        machine.log(),
        ["modprobe -r uncore_rs", "modprobe intel_uncore"]
    );
}

#[test]
fn what_is_so_stays_so() {
    let (given, taken) = (Machine::new(), Machine::enabled());
    // Even while events are open.
    taken.open(OURS, 3);
    let cases = [
        (&taken, taken.enable(), "already", TAKEN),
        (&given, given.disable(), "does not have", GIVEN),
    ];
    for (machine, said, words, state) in cases {
        assert_has(&said.expect("nothing to do").text, &[words]);
        machine.assert_idle();
        assert_eq!(machine.state(), state);
    }
}

#[test]
fn a_module_that_is_loaded_is_kept_for_the_next_boot() {
    let machine = Machine::enabled();
    machine.0.remove(FILE);
    machine.open(OURS, 3);
    machine.enable().expect("written");
    assert_eq!(machine.state(), TAKEN);
    machine.assert_idle();
    // A file that someone has changed is written again, with what else is in it.
    machine.write(
        FILE,
        "install intel_uncore /bin/true\noptions uncore_rs x=y\n",
    );
    machine.enable().expect("written");
    assert_eq!(
        machine.settings(),
        [INSTALL, IVBEP, BDX, "options uncore_rs x=y"]
    );
}

#[test]
fn without_any_driver_ours_is_loaded() {
    let machine = Machine::new();
    machine.0.remove("sys/module/intel_uncore");
    machine.enable().expect("loaded");
    assert_eq!(machine.log(), ["modprobe uncore_rs"]);
    assert_eq!(machine.state(), TAKEN);
}

#[test]
fn drivers_that_are_both_loaded_begin_anew() {
    let machine = Machine::enabled();
    machine.load(THEIRS);
    machine.enable().expect("handed over");
    assert_eq!(
        machine.log(),
        [
            "modprobe -r intel_uncore",
            "modprobe -r uncore_rs",
            "modprobe uncore_rs"
        ]
    );
    assert_eq!(machine.state(), TAKEN);
}

#[test]
fn the_former_module_is_replaced() {
    let machine = Machine::former();
    let said = machine.0.run(&["status"]).text;
    let now = "now        ivbep_uncore (before version 0.2.0), no event open\n";
    assert!(said.starts_with(now), "{said}");
    let next = "ivbep_uncore, by /etc/modprobe.d/ivbep-uncore.conf;";
    assert_has(&said, &[next]);
    assert_has(
        &machine.0.run(&["doctor"]).text,
        &["ivbep_uncore is loaded"],
    );

    machine.enable().expect("handed over");
    assert_eq!(machine.log(), ["rmmod ivbep_uncore", "modprobe uncore_rs"]);
    assert_eq!(machine.state(), TAKEN);
    assert!(!machine.has(FORMER_FILE));
}

#[test]
fn the_former_file_alone_is_replaced() {
    let machine = Machine::enabled();
    machine.write(FORMER_FILE, "blacklist intel_uncore\n");
    assert_has(
        &machine.0.run(&["doctor"]).text,
        &["warning  former driver"],
    );
    let said = machine.enable().expect("replaced");
    assert!(!said.text.contains("already"), "{said:?}");
    assert!(!machine.has(FORMER_FILE));
    machine.assert_idle();
}

#[test]
fn the_former_module_gives_the_counters_back() {
    let machine = Machine::former();
    // As the packages leave it until they are configured.
    machine.write(&format!("{FILE}.new"), "blacklist intel_uncore\n");
    machine.disable().expect("given back");
    assert_eq!(
        machine.log(),
        ["rmmod ivbep_uncore", "modprobe intel_uncore"]
    );
    assert_eq!(machine.state(), GIVEN);
    assert!(!machine.has(FORMER_FILE) && !machine.has(&format!("{FILE}.new")));
}

#[test]
fn the_former_module_comes_back_if_a_step_fails() {
    let machine = Machine::former();
    machine.write("fails", "rmmod ivbep_uncore\n");
    machine.assert_refused(&["`rmmod ivbep_uncore` failed", "does not want"]);
    machine.write("fails", "uncore_rs\n");
    machine.assert_refused(&["`modprobe uncore_rs` failed"]);
    assert_eq!(machine.log().last().expect("some"), "modprobe ivbep_uncore");
    assert!(machine.has(FORMER_FILE));
    machine.open(FORMER, 1);
    machine.assert_refused(&["ivbep_uncore cannot be unloaded while 1"]);
}

#[test]
fn lines_of_the_user_stay_in_the_file() {
    let machine = Machine::enabled();
    let text = machine.text(FILE) + "options uncore_rs overflow=pmi\n";
    machine.write(FILE, &text);
    assert_has(&machine.enable().expect("nothing to do").text, &["already"]);
    assert_eq!(machine.text(FILE), text);
}

#[test]
fn the_file_of_an_older_version_is_written_again() {
    let machine = Machine::enabled();
    let old = format!("# Written by x\nblacklist intel_uncore\n{IVBEP}\noptions uncore_rs x=y\n");
    machine.write(FILE, &old);
    let next = "next boot  uncore_rs, by /etc/modprobe.d/uncore-rs.conf of an older version,\n";
    assert_has(&machine.0.run(&["status"]).text, &[next]);
    assert_has(
        &machine.enable().expect("written again").text,
        &["now, and at each boot"],
    );
    machine.assert_idle();
    assert_eq!(
        machine.settings(),
        [INSTALL, IVBEP, BDX, "options uncore_rs x=y"]
    );
}

#[test]
fn the_file_of_a_version_with_fewer_platforms_is_written_again() {
    let machine = Machine::enabled();
    machine.write(FILE, &format!("{INSTALL}\n{IVBEP}\n"));
    assert_has(&machine.enable().expect("nothing to do").text, &["already"]);
    machine.become_model(79);
    let said = machine.0.run(&["status"]).text;
    assert_has(
        &said,
        &["but not where\n           intel_uncore is part of"],
    );
    machine.enable().expect("written again");
    assert_eq!(machine.settings(), [INSTALL, IVBEP, BDX]);
}

#[test]
fn a_line_of_the_user_is_told() {
    let machine = Machine::enabled();
    machine.write(FILE, "install intel_uncore modprobe uncore_rs\n");
    let said = machine.0.run(&["status"]).text;
    assert_has(&said, &["by a line in /etc/modprobe.d/uncore-rs.conf that"]);
}

/// The file of `enable`, in the tree of a boot, as kmod reads it.
struct Boot(Machine);

impl Boot {
    /// A kernel with these drivers as modules.
    fn of(drivers: &[&str]) -> Self {
        let machine = Machine::enabled();
        let probe = symlink(Path::new(STUBS).join("probe"), machine.0.path("bin/probe"));
        probe.expect("linked");
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

/// The packages write the line for files of version 0.2.0.
#[test]
fn the_packages_know_the_line() {
    let script = include_str!("../../../deb/postinst");
    assert!(script.lines().any(|line| line == INSTALL), "{script}");
}

#[test]
fn without_a_ubox_the_module_is_loaded_by_name() {
    let machine = Machine::new();
    machine.become_model(42);
    machine.enable().expect("handed over");
    assert_eq!(machine.state(), TAKEN);
    let text = machine.text(LOAD_FILE);
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines, ["uncore_rs"]);
    let next = "uncore_rs, by /etc/modprobe.d/uncore-rs.conf and\n           \
                /etc/modules-load.d/uncore-rs.conf; intel_uncore where";
    assert_has(&machine.0.run(&["status"]).text, &[next]);
    assert_has(&machine.enable().expect("nothing to do").text, &["already"]);

    machine.0.remove(LOAD_FILE);
    let said = machine.0.run(&["status"]).text;
    assert_has(
        &said,
        &["but not where\n           intel_uncore is part of"],
    );
    machine.write(FILE, "blacklist intel_uncore\n");
    assert_has(
        &machine.0.run(&["status"]).text,
        &["no driver: /etc/modprobe.d"],
    );
    machine.enable().expect("written again");
    machine.disable().expect("given back");
    assert_eq!(machine.state(), GIVEN);
    assert!(!machine.has(LOAD_FILE));
}

#[test]
fn with_a_ubox_one_file_is_enough() {
    let machine = Machine::enabled();
    assert!(!machine.has("etc/modules-load.d"));
}

#[test]
fn both_files_are_there_or_none() {
    for file in [FILE, LOAD_FILE] {
        let machine = Machine::new();
        machine.become_model(42);
        machine.write(&format!("{file}/in-the-way"), "");
        machine.assert_refused(&[file, "cannot be written"]);
        let log = machine.log();
        assert_eq!(log[2..], ["modprobe -r uncore_rs", "modprobe intel_uncore"]);
        let other = if file == FILE { LOAD_FILE } else { FILE };
        assert!(!machine.has(other) && !machine.has(&format!("{LOAD_FILE}.new")));
    }
}

#[test]
fn open_events_are_not_disturbed() {
    let machine = Machine::new();
    machine.open(THEIRS, 2);
    machine.assert_refused(&["intel_uncore", "2 of its events are open", "end perf"]);
    machine.assert_idle();

    let machine = Machine::enabled();
    machine.open(OURS, 1);
    let said = machine.disable().expect_err("it is refused").to_string();
    assert_has(&said, &["uncore_rs cannot be unloaded"]);
    machine.assert_idle();
    assert_eq!(machine.state(), TAKEN);
}

#[test]
fn a_driver_in_the_kernel_takes_a_boot_parameter() {
    let machine = Machine::new();
    machine.0.remove("sys/module/intel_uncore/initstate");
    machine.assert_refused(&["is part of this kernel", "initcall_blacklist="]);
    machine.assert_idle();
    machine.write("proc/cmdline", "quiet initcall_blacklist=a\n");
    machine.assert_refused(&["is part of this kernel"]);
    let line = "quiet initcall_blacklist=a,intel_uncore_init\n";
    machine.write("proc/cmdline", line);
    machine.enable().expect("handed over");
    assert_eq!(machine.log(), ["modprobe uncore_rs"]);
}

/// Reboots with the parameter or without it.
fn reboot(machine: &Machine, has_parameter: bool) {
    let word = if has_parameter { PARAMETER } else { "" };
    machine.write("proc/cmdline", &format!("quiet {word}\n"));
    if has_parameter {
        machine.load(OURS);
    }
    machine.write("log", "");
}

#[test]
fn a_drop_in_of_grub_keeps_out_a_driver_in_the_kernel() {
    let machine = Machine::new();
    machine.build_in("update-grub");
    let said = machine.enable_if(&|plan| {
        assert_has(
            plan,
            &[
                "/etc/default/grub.d/uncore-rs.cfg, and `update-grub`",
                PARAMETER,
            ],
        );
        false
    });
    let said = said.expect_err("refused").to_string();
    assert_has(&said, &["nothing was changed; `uncore enable --yes`"]);
    machine.assert_idle();
    assert!(!machine.has(GRUB_FILE) && !machine.has(FILE));

    let said = machine.enable_if(&|_| true).expect("set").text;
    assert_has(&said, &["after a reboot, uncore_rs has"]);
    assert_eq!(machine.log(), ["update-grub"]);
    let line = format!("\nGRUB_CMDLINE_LINUX=\"$GRUB_CMDLINE_LINUX {PARAMETER}\"\n");
    assert!(machine.text(GRUB_FILE).ends_with(&line));
    assert_eq!(machine.settings(), [INSTALL, IVBEP, BDX]);
    let said = machine.0.run(&["status"]).text;
    assert_has(&said, &["reboot: the parameter is set for the next boot"]);
    // It is not asked twice.
    assert!(machine
        .enable()
        .expect("set")
        .text
        .contains("after a reboot"));
    assert_eq!(machine.log(), ["update-grub"]);

    reboot(&machine, true);
    assert!(machine.enable().expect("done").text.contains("already"));
    let said = machine.disable().expect("taken back").text;
    assert_has(&said, &["after a reboot, intel_uncore has"]);
    assert_eq!(machine.log(), ["modprobe -r uncore_rs", "update-grub"]);
    assert!(!machine.has(GRUB_FILE) && !machine.has(FILE));
    reboot(&machine, false);
    assert!(machine
        .disable()
        .expect("nothing to do")
        .text
        .contains("does not have"));
    machine.assert_idle();
}

#[test]
fn a_parameter_of_the_administrator_stays() {
    let machine = Machine::new();
    machine.build_in("update-grub");
    reboot(&machine, true);
    machine.enable().expect("written");
    let said = machine.disable().expect("given back").text;
    assert_has(&said, &["boot without initcall_blacklist="]);
    assert_eq!(machine.log(), ["modprobe -r uncore_rs"]);
}

#[test]
fn a_boot_loader_that_fails_leaves_nothing() {
    let machine = Machine::new();
    machine.build_in("update-grub");
    machine.write("fails", "update-grub\n");
    let said = machine
        .enable_if(&|_| true)
        .expect_err("it fails")
        .to_string();
    assert_has(&said, &["`update-grub` failed: modprobe: ERROR"]);
    assert!(!machine.has(GRUB_FILE) && !machine.has(FILE) && !machine.has(&format!("{FILE}.new")));
}

#[test]
fn grubby_edits_the_entries_of_fedora() {
    let machine = Machine::new();
    machine.build_in("grubby");
    machine.enable_if(&|_| true).expect("set");
    assert_eq!(
        machine.log(),
        [format!("grubby --update-kernel=ALL --args={PARAMETER}")]
    );
    reboot(&machine, true);
    machine.disable().expect("taken back");
    let remove = format!("grubby --update-kernel=ALL --remove-args={PARAMETER}");
    assert_eq!(machine.log(), ["modprobe -r uncore_rs", &remove]);
}

#[test]
fn proxmox_without_grub_has_one_line_for_all_kernels() {
    const CMDLINE: &str = "etc/kernel/cmdline";
    const COPY: &str = "etc/kernel/cmdline.uncore-rs";
    let loader = "sys/firmware/efi/efivars/LoaderInfo-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f";
    let machine = Machine::new();
    machine.build_in("update-grub");
    machine.write("etc/kernel/proxmox-boot-uuids", "1234-ABCD\n");
    machine.write(CMDLINE, "root=ZFS=rpool/ROOT/pve-1 boot=zfs\n");
    // With GRUB, its drop-in serves there, too.
    machine.enable_if(&|_| true).expect("set");
    assert_eq!(machine.log(), ["update-grub", "proxmox-boot-tool refresh"]);
    machine.disable().expect("taken back");
    machine.write("log", "");

    machine.write(
        loader,
        "\u{6}\0\0\0s\0y\0s\0t\0e\0m\0d\0-\0b\0o\0o\0t\0 \x002\x005\x007\0",
    );
    machine.enable_if(&|_| true).expect("set");
    assert_eq!(machine.log(), ["proxmox-boot-tool refresh"]);
    let line = format!("root=ZFS=rpool/ROOT/pve-1 boot=zfs {PARAMETER}\n");
    assert_eq!(machine.text(CMDLINE), line);
    assert_eq!(machine.text(COPY), "root=ZFS=rpool/ROOT/pve-1 boot=zfs\n");
    assert!(!machine.has(GRUB_FILE));
    // What the administrator added since stays.
    machine.write(CMDLINE, &line.replace("boot=zfs", "boot=zfs quiet"));
    reboot(&machine, true);
    machine.disable().expect("taken back");
    assert_eq!(
        machine.log(),
        ["modprobe -r uncore_rs", "proxmox-boot-tool refresh"]
    );
    assert_eq!(
        machine.text(CMDLINE),
        "root=ZFS=rpool/ROOT/pve-1 boot=zfs quiet\n"
    );
    assert!(!machine.has(COPY));
}

#[test]
fn what_cannot_be_unloaded_stays() {
    let machine = Machine::new();
    machine.write("fails", "-r intel_uncore\n");
    let said = [
        "`modprobe -r intel_uncore` failed",
        "not want to; `dmesg` may say why",
    ];
    machine.assert_refused(&said);
    assert_eq!(machine.log(), ["modprobe -r intel_uncore"]);
    // Meanwhile a program has opened an event.
    machine.write("opens", "1\n");
    machine.assert_refused(&["1 of its events are open", "end perf"]);
}

#[test]
fn a_module_that_does_not_load_is_undone() {
    let machine = Machine::new();
    machine.write("fails", "uncore_rs\n");
    machine.assert_refused(&["`modprobe uncore_rs` failed", "does not want", "dmesg"]);
    assert_eq!(machine.state(), GIVEN);
    assert_eq!(machine.log().last().expect("some"), "modprobe intel_uncore");
}

/// The file of an earlier `enable` would have the module loaded in place of the other.
#[test]
fn the_file_does_not_hinder_undoing() {
    let machine = Machine::enabled();
    machine.0.remove("sys/module/uncore_rs");
    machine.load(THEIRS);
    machine.write("fails", "uncore_rs\n");
    machine.assert_refused(&["`modprobe uncore_rs` failed"]);
    let log = machine.log();
    assert_eq!(
        log.last().expect("some"),
        "modprobe --ignore-install intel_uncore"
    );
}

#[test]
fn a_module_that_is_not_signed_wants_a_key() {
    let machine = Machine::new();
    machine.write("fails", "uncore_rs\n");
    machine.write("why", "could not insert: Key was rejected by service\n");
    machine.assert_refused(&["Key was rejected", "mokutil --import /var/lib/dkms/mok.pub"]);
    // Or what it says does not tell, but the kernel does.
    machine.write("why", "could not insert: Invalid argument\n");
    machine.write("sys/kernel/security/lockdown", "none [integrity] x\n");
    machine.assert_refused(&["mokutil --import"]);
}

#[test]
fn what_cannot_be_undone_is_said() {
    let machine = Machine::new();
    machine.write("fails", "uncore_rs\nintel_uncore\n");
    let said = machine.enable().expect_err("it fails").to_string();
    for words in [
        "`modprobe uncore_rs` failed",
        "`modprobe intel_uncore` failed, too",
        "reboot",
    ] {
        assert_has(&said, &[words]);
    }
    assert!(!machine.has(FILE));
}

#[test]
fn a_file_that_cannot_be_written_stops_all() {
    let machine = Machine::new();
    // Not even root writes below a file.
    machine.write("etc/modprobe.d", "");
    machine.assert_refused(&["etc/modprobe.d/uncore-rs.conf cannot be written"]);
    machine.assert_idle();
}

#[test]
fn a_file_that_cannot_be_removed_is_undone() {
    let machine = Machine::enabled();
    machine.0.remove(FILE);
    machine.write(&format!("{FILE}/in-the-way"), "");
    assert_has(
        machine.disable().expect_err("it stays").to_string(),
        &["cannot be written"],
    );
    assert_eq!(machine.state(), TAKEN);
    assert_eq!(
        machine.log(),
        ["modprobe -r uncore_rs", "modprobe uncore_rs"]
    );
}

#[test]
fn a_module_that_is_missing_is_built() {
    let machine = Machine::without_the_module();
    machine.write("var/lib/dkms/uncore-rs/0.1.0/source", "");
    machine.enable().expect("built and handed over");
    assert_eq!(machine.log()[0], format!("dkms autoinstall -k {RELEASE}"));
    assert_eq!(machine.state(), TAKEN);
}

#[test]
fn a_module_that_cannot_be_built_says_why() {
    let machine = Machine::without_the_module();
    machine.write("var/lib/dkms/uncore-rs/0.1.0/source", "");
    let line = format!("{RELEASE}: bindgen is missing > apt-get install bindgen\n");
    machine.write("skips", &line);
    machine.assert_refused(&[RELEASE, "bindgen is missing", "`apt-get install bindgen`"]);
    assert_eq!(machine.log().len(), 1, "{:?}", machine.log());
}

#[test]
fn a_module_that_is_nowhere_is_to_be_installed() {
    let machine = Machine::without_the_module();
    machine.0.become_debian();
    machine.assert_refused(&["its headers are not installed", "linux-headers-7.3.4-plain"]);
    machine.write(&format!("lib/modules/{RELEASE}/build/Makefile"), "");
    machine.assert_refused(&["not installed for this kernel", "make dkms-install"]);
    machine.assert_idle();
}

/// What `status` and `doctor` say of a machine after `enable`.
#[test]
fn both_tell_why_the_other_driver_has_the_counters() {
    let dkms = "var/lib/dkms/uncore-rs/0.3.0";
    let note = format!("{RELEASE}: bindgen is missing > apt-get install bindgen\n");
    let list = format!("lib/modules/{RELEASE}/modules.dep");
    let theirs = "kernel/arch/x86/events/intel/intel-uncore.ko.xz:\n";
    let all = |machine: &Machine| {
        let said = ["status", "doctor"].map(|command| machine.0.run(&[command]).text);
        said.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let machine = Machine::enabled();
    machine.0.become_debian();
    machine.0.remove("sys/module/uncore_rs");
    machine.load(THEIRS);
    machine.write("proc/modules", "intel_uncore 1 0 - Live 0x0\n");
    let assert_said = |words: &[&str]| {
        for (said, word) in all(&machine)
            .iter()
            .flat_map(|said| words.iter().map(move |word| (said, word)))
        {
            assert!(said.contains(word), "{word}: {said}");
        }
    };
    assert_said(&[
        "uncore_rs did not load, or was not there when",
        "update-initramfs -u",
    ]);
    // The kernel was updated.
    machine.write(&list, theirs);
    machine.write(&format!("{dkms}/source"), "");
    assert_said(&[
        "Linux 7.3.4-plain has no uncore_rs: its headers are not installed",
        "`apt-get install linux-headers-7.3.4-plain`, then `dkms autoinstall -k 7.3.4-plain`; \
         uncore_rs is used from the next boot, or by `uncore enable` now",
    ]);
    machine.write(&format!("{dkms}/skipped.{RELEASE}"), &note);
    assert_said(&[
        "no uncore_rs: bindgen is missing",
        "`apt-get install bindgen`",
    ]);
    // Neither is loaded, by the file of an older version.
    machine.0.remove("sys/module/intel_uncore");
    machine.write("proc/modules", "");
    machine.write(FILE, &format!("blacklist intel_uncore\n{IVBEP}\n"));
    assert_said(&[
        "of an older version keeps intel_uncore out",
        "bindgen is missing",
    ]);
    // Without "enable" nothing is amiss.
    machine.0.remove(FILE);
    assert!(!all(&machine)[0].contains("not uncore_rs"));
}

#[test]
fn both_tell_that_the_other_driver_is_in_the_kernel() {
    let machine = Machine::enabled();
    machine.0.remove("sys/module/uncore_rs");
    machine.write("sys/module/intel_uncore/uevent", "");
    let said = machine.0.run(&["status"]).text;
    let words = "intel_uncore, built into the kernel, and not uncore_rs: intel_uncore";
    assert_has(&said, &[words]);
}

#[test]
fn another_processor_is_refused() {
    let machine = Machine::new();
    machine.become_model(63);
    machine.assert_refused(&["family 6 model 63", "E5 v2", "E5 v4"]);
    machine.assert_idle();
}

#[test]
fn a_hypervisor_is_refused() {
    let machine = Machine::new();
    machine
        .0
        .replace("proc/cpuinfo", " fpu de", " fpu hypervisor de");
    machine.assert_refused(&["hypervisor"]);
}

#[test]
fn an_ordinary_user_is_told_so() {
    let (given, taken) = (Machine::new(), Machine::enabled());
    for machine in [&given, &taken] {
        let status = "proc/self/status";
        machine
            .0
            .replace(status, "000001ffffffffff", "0000000000000000");
    }
    given.assert_refused(&["sudo uncore enable"]);
    assert_has(
        taken.disable().expect_err("it is refused").to_string(),
        &["sudo uncore disable"],
    );
    taken.assert_idle();
    given.assert_idle();
}

#[test]
fn a_kernel_may_have_nothing_to_give_back_to() {
    let machine = Machine::enabled();
    let list = format!("lib/modules/{RELEASE}/modules.dep");
    machine.write(&list, "updates/dkms/uncore_rs.ko.xz:\n");
    let said = machine.disable().expect("given back");
    assert_has(&said.text, &["has no intel_uncore"]);
    assert!(!said.trouble);
    assert_eq!(machine.state(), (false, false, false));
}

#[test]
fn giving_back_may_fail_halfway() {
    let machine = Machine::enabled();
    machine.write("fails", "intel_uncore\n");
    let said = machine.disable().expect("given up");
    assert!(
        said.trouble && said.notes[0].contains("does not want"),
        "{said:?}"
    );
    assert_eq!(machine.state(), (false, false, false));
}

#[test]
fn drivers_of_a_recorded_system_are_left_alone() {
    let machine = Machine::new();
    for command in ["enable", "disable"] {
        assert_has(machine.0.error(&[command]), &["leave --root out"]);
    }
    machine.assert_idle();
}

#[test]
fn status_tells_who_has_the_counters() {
    let machine = Machine::new();
    machine.open(THEIRS, 1);
    machine.0.become_debian();
    machine.write("lib/modules/5.4.1-amd64/modules.builtin", "");
    machine.write("lib/modules/7.3.5/modules.builtin", "");
    machine.write("lib/modules/leftover/updates/x.ko", "");
    let said = machine.0.run(&["status"]);
    assert!(!said.trouble && said.notes.is_empty(), "{said:?}");
    assert_eq!(
        said.text,
        "\
now        intel_uncore, 1 event open
next boot  intel_uncore; `uncore enable` changes that
kernel     Linux 5.4.1-amd64: no module: it is older than 5.10
kernel     Linux 7.3.4-plain (running): has
           /lib/modules/7.3.4-plain/updates/dkms/uncore_rs.ko.xz
kernel     Linux 7.3.5: no module: its headers are not installed
           > `apt-get install linux-headers-7.3.5`, then
             `apt-get install dkms rustc rust-src bindgen`, then
             `make dkms-install` in the module's source
"
    );
}

#[test]
fn status_tells_that_the_module_has_them() {
    let machine = Machine::enabled();
    machine.open(OURS, 4);
    let built = format!("var/lib/dkms/uncore-rs/0.1.0/{RELEASE}/x86_64/log");
    machine.write(&built, "");
    let said = machine.0.run(&["status"]).text;
    assert_eq!(
        said,
        "\
now        uncore_rs 0.1.0 of
           /lib/modules/7.3.4-plain/updates/dkms/uncore_rs.ko.xz, 4 events open
next boot  uncore_rs, by /etc/modprobe.d/uncore-rs.conf; intel_uncore where
           uncore_rs does not load
kernel     Linux 7.3.4-plain (running): has
           /lib/modules/7.3.4-plain/updates/dkms/uncore_rs.ko.xz
"
    );
}

#[test]
fn status_works_on_any_recording() {
    let cases = [
        (Recording::two_packages(), "now        uncore_rs"),
        (Recording::intel_uncore(), "now        intel_uncore"),
        (Recording::bare(), "now        no driver"),
    ];
    for (recording, words) in cases {
        let said = recording.run(&["status"]).text;
        assert!(said.starts_with(words), "{said}");
    }
}
