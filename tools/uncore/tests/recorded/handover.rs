// SPDX-License-Identifier: GPL-2.0

//! `enable`, `disable` and `status`, with a `modprobe` and a `dkms` that change
//! the tree they are in.

mod boot;
mod built_in;
mod failing;

use std::path::Path;

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
        for name in ["modprobe", "rmmod", "dkms"] {
            machine.stub(name, name);
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

    /// Makes a stub the program of this name.
    fn stub(&self, name: &str, stub: &str) {
        let stub = Path::new(STUBS).join(stub);
        self.0.link(&format!("bin/{name}"), stub);
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
            self.stub(name, "loader");
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

    /// Checks which commands were run, and forgets them.
    #[track_caller]
    fn assert_ran(&self, commands: &[&str]) {
        assert_eq!(self.log(), commands);
        self.write("log", "");
    }

    /// Checks that no command was run.
    #[track_caller]
    fn assert_idle(&self) {
        self.assert_ran(&[]);
    }

    /// Checks that `status` has these words.
    #[track_caller]
    fn assert_status(&self, words: &[&str]) {
        assert_has(self.0.run(&["status"]).text, words);
    }

    /// Returns which drivers are loaded, and whether the file exists.
    fn state(&self) -> (bool, bool, bool) {
        let is_loaded = |module: &str| self.has(&format!("sys/module/{module}/initstate"));
        (is_loaded(OURS), is_loaded(THEIRS), self.has(FILE))
    }

    /// Checks that `enable` is refused with these words and changes nothing.
    fn assert_refused(&self, words: &[&str]) {
        let before = self.state();
        assert_has(self.enable().expect_err("it is refused").to_string(), words);
        assert_eq!(self.state(), before, "{:?}", self.log());
        assert!(!self.has(&format!("{FILE}.new")));
    }
}

const GIVEN: (bool, bool, bool) = (false, true, false);
const TAKEN: (bool, bool, bool) = (true, false, true);
/// Lines of the file that load the module for the UBox of each platform.
const IVBEP: &str = "alias pci:v00008086d00000E1Esv*sd*bc*sc*i* uncore_rs";
const BDX: &str = "alias pci:v00008086d00006F1Esv*sd*bc*sc*i* uncore_rs";
const E5_V3: &str = "alias pci:v00008086d00002F1Esv*sd*bc*sc*i* uncore_rs";
const E5_V1: &str = "alias pci:v00008086d00003CE0sv*sd*bc*sc*i* uncore_rs";

#[test]
fn the_counters_are_handed_over_and_back() {
    let machine = Machine::new();
    assert_has(
        &machine.enable().expect("handed over").text,
        &["now, and at each boot"],
    );
    assert_eq!(machine.state(), TAKEN);
    machine.assert_ran(&["modprobe -r intel_uncore", "modprobe uncore_rs"]);
    assert!(machine
        .text(FILE)
        .starts_with("# Written by \"uncore enable\""));
    assert_eq!(machine.settings(), [INSTALL, IVBEP, BDX, E5_V3, E5_V1]);

    let said = machine.disable().expect("given back");
    assert!(said.text.starts_with("intel_uncore has"), "{said:?}");
    assert_eq!(machine.state(), GIVEN);
    machine.assert_ran(&["modprobe -r uncore_rs", "modprobe intel_uncore"]);
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
        [INSTALL, IVBEP, BDX, E5_V3, E5_V1, "options uncore_rs x=y"]
    );
}

#[test]
fn without_any_driver_ours_is_loaded() {
    let machine = Machine::new();
    machine.0.remove("sys/module/intel_uncore");
    machine.enable().expect("loaded");
    machine.assert_ran(&["modprobe uncore_rs"]);
    assert_eq!(machine.state(), TAKEN);
}

#[test]
fn drivers_that_are_both_loaded_begin_anew() {
    let machine = Machine::enabled();
    machine.load(THEIRS);
    machine.enable().expect("handed over");
    machine.assert_ran(&[
        "modprobe -r intel_uncore",
        "modprobe -r uncore_rs",
        "modprobe uncore_rs",
    ]);
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
    machine.assert_ran(&["rmmod ivbep_uncore", "modprobe uncore_rs"]);
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
    machine.assert_ran(&["rmmod ivbep_uncore", "modprobe intel_uncore"]);
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
    machine.assert_status(&[next]);
    assert_has(
        &machine.enable().expect("written again").text,
        &["now, and at each boot"],
    );
    machine.assert_idle();
    assert_eq!(
        machine.settings(),
        [INSTALL, IVBEP, BDX, E5_V3, E5_V1, "options uncore_rs x=y"]
    );
}

#[test]
fn the_file_of_a_version_with_fewer_platforms_is_written_again() {
    let machine = Machine::enabled();
    machine.write(FILE, &format!("{INSTALL}\n{IVBEP}\n"));
    assert_has(&machine.enable().expect("nothing to do").text, &["already"]);
    machine.become_model(79);
    machine.assert_status(&["but not where\n           intel_uncore is part of"]);
    machine.enable().expect("written again");
    assert_eq!(machine.settings(), [INSTALL, IVBEP, BDX, E5_V3, E5_V1]);
}

#[test]
fn a_line_of_the_user_is_told() {
    let machine = Machine::enabled();
    machine.write(FILE, "install intel_uncore modprobe uncore_rs\n");
    machine.assert_status(&["by a line in /etc/modprobe.d/uncore-rs.conf that"]);
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
    machine.assert_status(&[next]);
    assert_has(&machine.enable().expect("nothing to do").text, &["already"]);

    machine.0.remove(LOAD_FILE);
    machine.assert_status(&["but not where\n           intel_uncore is part of"]);
    machine.write(FILE, "blacklist intel_uncore\n");
    machine.assert_status(&["no driver: /etc/modprobe.d"]);
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
        for said in all(&machine) {
            assert_has(said, words);
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
    let words = "intel_uncore, built into the kernel, and not uncore_rs: intel_uncore";
    machine.assert_status(&[words]);
}

#[test]
fn another_processor_is_refused() {
    let machine = Machine::new();
    machine.become_model(85);
    machine.assert_refused(&["family 6 model 85", "E5 v2", "E5 v4"]);
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
