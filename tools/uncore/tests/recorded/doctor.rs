// SPDX-License-Identifier: GPL-2.0

//! `doctor` names each cause, and no other.

mod kernels;

use uncore::doctor::Report;
use uncore::system::System;
use uncore_catalogue::Facts;

use crate::recording::{assert_has, Recording};
use serde_json::Value;

/// Name, finding and remedy of the first failure.
fn cause(recording: &Recording) -> Option<[String; 3]> {
    let checks = checks(recording);
    let failed = checks
        .into_iter()
        .find(|check| check["status"] == "failure")?;
    assert!(recording.run(&["doctor"]).trouble);
    Some(["name", "finding", "remedy"].map(|key| text(&failed, key)))
}

fn checks(recording: &Recording) -> Vec<Value> {
    let report = recording.json(&["doctor", "--json"]);
    report["checks"].as_array().expect("a list").clone()
}

fn text(check: &Value, key: &str) -> String {
    check[key].as_str().unwrap_or_default().to_owned()
}

/// The checks with this name, as status, finding and remedy.
pub(crate) fn all(recording: &Recording, name: &str) -> Vec<[String; 3]> {
    let mut checks = checks(recording);
    checks.retain(|check| check["name"] == name);
    let parts = |check| ["status", "finding", "remedy"].map(|key| text(check, key));
    checks.iter().map(parts).collect()
}

/// The first check with this name.
fn check(recording: &Recording, name: &str) -> [String; 3] {
    let first = all(recording, name).into_iter().next();
    first.unwrap_or_else(|| panic!("no check {name} in {:#?}", checks(recording)))
}

/// The findings of the checks with this name.
fn findings(recording: &Recording, name: &str) -> Vec<String> {
    let all = all(recording, name).into_iter();
    all.map(|[_, finding, _]| finding).collect()
}

/// Checks the status of the check with this name, and that it and its remedy have these words.
fn assert_check(recording: &Recording, name: &str, status: &str, words: &[&str]) {
    let [is, finding, remedy] = check(recording, name);
    assert_has(format!("{is}: {finding} > {remedy}"), words);
    assert_eq!(is, status, "{finding}");
}

fn assert_cause(recording: &Recording, name: &str, finding: &str, remedy: &str) {
    let [is, found, to_do] = cause(recording).expect("a failure");
    assert_eq!(is, name, "{found}");
    assert_has(&found, &[finding]);
    assert_has(&to_do, &[remedy]);
}

fn become_plain_user(recording: &Recording, paranoid: &str) {
    recording.replace("proc/self/status", "000001ffffffffff", "0000000000000000");
    recording.write("proc/sys/kernel/perf_event_paranoid", paranoid);
}

#[test]
fn all_is_well_with_the_module_loaded() {
    for recording in [Recording::two_packages(), Recording::compat()] {
        assert_eq!(cause(&recording), None);
        assert!(!recording.run(&["doctor"]).trouble);
        assert_check(&recording, "boxes", "pass", &["42 boxes in 2 packages"]);
    }
}

#[test]
fn all_is_well_with_broadwell() {
    for recording in [Recording::broadwell(), Recording::broadwell_compat()] {
        assert_eq!(cause(&recording), None);
        assert_check(&recording, "processor", "pass", &["family 6 model 79"]);
        assert_check(&recording, "PMUs", "pass", &["44 PMUs of 10 kinds"]);
    }
}

/// The module is not loaded: its files do not tell the platform.
#[test]
fn each_processor_is_known() {
    for processor in Facts::all().iter().flat_map(|facts| &facts.processors) {
        let bare = Recording::bare();
        let model = format!("model\t\t: {}", processor.model);
        bare.replace("proc/cpuinfo", "model\t\t: 62", &model);
        assert_eq!(check(&bare, "processor")[0], "pass", "{}", processor.name);
    }
}

#[test]
fn a_part_without_interrupts_says_so() {
    let lack = "no counter of this part interrupts: the module finds overflows by polling, and \
                there is no interval=";
    let mut told = [0, 0];
    for recording in Recording::of_all_processors() {
        let devices = "sys/bus/event_source/devices";
        let pmus = recording.names(devices).into_iter();
        let mut fields =
            pmus.map(|pmu| recording.path(&format!("{devices}/{pmu}/format/interval")));
        let interrupts = fields.any(|field| field.exists());
        let told_lack = findings(&recording, "overflow").contains(&lack.to_owned());
        assert_eq!(!told_lack, interrupts);
        told[usize::from(interrupts)] += 1;
        if !interrupts {
            // Who may not read debugfs is told, too.
            recording.remove("sys/kernel/debug/uncore_rs");
            let mode = "poll: the box has no overflow interrupt";
            assert_eq!(findings(&recording, "overflow"), [mode, lack]);
        }
    }
    assert!(!told.contains(&0), "{told:?}");
}

#[test]
fn a_processor_without_events_in_perf_says_so() {
    for recording in Recording::of_all_processors() {
        let system = System::read(&recording.path("")).expect("a system");
        let report = Report::new(&system, Some("perf version 7.3.4")).expect("a report");
        let mut checks = report.checks.into_iter();
        let check = checks
            .find(|check| check.name == "perf")
            .expect("the check");
        let lack = if system.platform().expect("a platform").has_events_in_perf {
            ""
        } else {
            " has no events of this processor built in: those of the module are the only list"
        };
        assert_eq!(check.finding, format!("perf version 7.3.4{lack}"));
    }
}

#[test]
fn the_host_bridge_may_have_another_driver() {
    let bridge = "sys/bus/pci/devices/0000:00:00.0/driver";
    let driver = "../../../bus/pci/drivers/agpgart-intel";
    for recording in Recording::of_all_processors() {
        if recording.path("sys/bus/pci/devices/0000:00:00.0").exists() {
            recording.link(bridge, driver);
            assert_eq!(cause(&recording), None);
        }
    }
    // Where the module is bound to the functions of boxes, another driver is a failure.
    let recording = Recording::two_packages();
    recording.link(bridge, driver);
    let topology = "sys/kernel/debug/uncore_rs/topology";
    recording.replace(topology, "irp 0000:00:05.6", "irp 0000:00:00.0");
    assert_cause(&recording, "PCI drivers", "agpgart-intel", "unload");
}

#[test]
fn counters_that_stood_still_are_told() {
    let file = "sys/kernel/debug/uncore_rs/overflow";
    let all = Recording::of_all_processors();
    let all = all.filter(|it| String::from_utf8_lossy(&it.read(file)).contains("level_lost 0"));
    let told = all.map(|recording| {
        recording.replace(file, "level_lost 0", "level_lost 3");
        let words = ["stood still 3 times", "keep the package awake"];
        assert_check(&recording, "enable bit", "warning", &words);
    });
    assert_ne!(told.count(), 0);
}

#[test]
fn channels_without_a_clock_are_told_but_not_what_is_fused_off() {
    let recording = Recording::broadwell();
    assert_eq!(
        findings(&recording, "boxes"),
        [
            "package 0 lacks imc_1: its clock stands still, so the part does not use it",
            "package 1 lacks imc_4, imc_5, imc_6, imc_7: its clock stands still, so the part does \
             not use it",
        ]
    );
    for [status, _, remedy] in all(&recording, "boxes") {
        assert_eq!(status, "warning");
        assert_has(remedy, &["if the channel has no memory"]);
    }
}

#[test]
fn cluster_on_die_is_told_by_its_nodes() {
    let recording = Recording::broadwell();
    assert_check(
        &recording,
        "snoop mode",
        "pass",
        &[
            "not cluster-on-die: ",
            "it is not known if home agents use a directory",
        ],
    );
    for (node, cpus) in ["0", "1", "2", "3"].iter().enumerate() {
        recording.write(&format!("sys/devices/system/node/node{node}/cpulist"), cpus);
    }
    let split = "cluster-on-die: a package is 2 NUMA nodes with a home agent each; ";
    assert_check(&recording, "snoop mode", "pass", &[split]);
    // With numa=off, all CPUs are on one node.
    recording.remove("sys/devices/system/node");
    recording.write("sys/devices/system/node/node0/cpulist", "0-3");
    assert_check(
        &recording,
        "snoop mode",
        "pass",
        &["cluster-on-die is not known"],
    );
    // A single package has nobody to snoop, and Ivy Bridge no choice of modes.
    recording.write("sys/devices/system/node/node0/cpulist", "0-1");
    for recording in [recording, Recording::two_packages()] {
        assert_eq!(findings(&recording, "snoop mode"), [""; 0]);
    }
}

#[test]
fn the_module_is_absent() {
    let recording = Recording::bare();
    assert_cause(
        &recording,
        "module",
        "has no module: its headers are not installed",
        "`make dkms-install`",
    );
    recording.write(
        "lib/modules/7.3.4-plain/modules.dep",
        "updates/uncore_rs.ko:\n",
    );
    assert_cause(
        &recording,
        "module",
        "though it is installed",
        "modprobe uncore_rs",
    );
}

#[test]
fn intel_uncore_is_loaded() {
    let recording = Recording::intel_uncore();
    let remedy = "modprobe -r intel_uncore";
    assert_cause(&recording, "other driver", "intel_uncore is loaded", remedy);
    assert_check(
        &recording,
        "module",
        "failure",
        &["fix the check \"other driver\" above first"],
    );
}

#[test]
fn intel_uncore_is_built_in() {
    let recording = Recording::intel_uncore();
    recording.replace("proc/modules", "intel_uncore", "other");
    let remedy = "initcall_blacklist=intel_uncore_init";
    assert_cause(&recording, "other driver", "is part of the kernel", remedy);
}

#[test]
fn a_plain_user_may_not_count() {
    let recording = Recording::two_packages();
    become_plain_user(&recording, "2\n");
    let remedy = "sysctl kernel.perf_event_paranoid=0";
    assert_cause(
        &recording,
        "permissions",
        "kernel.perf_event_paranoid is 2, and above 0",
        remedy,
    );
}

#[test]
fn a_plain_user_may_count() {
    let recording = Recording::two_packages();
    become_plain_user(&recording, "0\n");
    recording.remove("sys/kernel/debug/uncore_rs");
    assert_eq!(cause(&recording), None);
    assert_check(&recording, "files", "warning", &["as root"]);
    assert_check(
        &recording,
        "boxes",
        "pass",
        &["missing boxes are not known"],
    );
}

/// Debian's kernels have level 3, at which it is not.
#[test]
fn cap_perfmon_is_enough_up_to_level_2() {
    let recording = Recording::two_packages();
    recording.replace("proc/self/status", "000001ffffffffff", "0000004000000000");
    let has = "this process has CAP_PERFMON";
    assert_eq!(check(&recording, "permissions")[1], has);
    for level in ["3", "4"] {
        recording.write("proc/sys/kernel/perf_event_paranoid", level);
        let finding = format!("kernel.perf_event_paranoid is {level}");
        assert_cause(&recording, "permissions", &finding, "with CAP_SYS_ADMIN");
    }
    recording.replace("proc/self/status", "0000004000000000", "0000000000200000");
    assert_eq!(cause(&recording), None);
}

#[test]
fn filters_of_qpi_are_hidden() {
    let recording = Recording::hidden();
    assert_eq!(cause(&recording), None);
    let lacks = "packages 0, 1 lack the filters of qpi_0: no PCI function of it";
    assert_check(
        &recording,
        "filters",
        "warning",
        &[lacks, "all others count", "firmware"],
    );
    // One fact is one warning.
    let reason = "missing: no PCI function of it, so firmware hides it or the part lacks it";
    for function in ["0000:7f:09.6", "0000:ff:09.6"] {
        recording.replace("sys/kernel/debug/uncore_rs/topology", function, reason);
    }
    let lacks = "packages 0, 1 lack the filters of qpi_0, qpi_1: no PCI function of it";
    assert_check(&recording, "filters", "warning", &[lacks]);
}

#[test]
fn hidden_filters_are_seen_without_debugfs() {
    let recording = Recording::hidden();
    recording.remove("sys/kernel/debug/uncore_rs");
    assert_check(&recording, "filters", "warning", &["filters of qpi_0"]);
}

/// Parts with two memory controllers may have two channels on each.
#[test]
fn a_controller_may_have_fewer_channels() {
    let lacking = |channels: &[&str]| {
        let recording = Recording::two_packages();
        let map = "sys/kernel/debug/uncore_rs/topology";
        let text = String::from_utf8(recording.read(map)).expect("text");
        let lines = text.lines().map(|line| {
            let name = line.split_whitespace().next().unwrap_or_default();
            if channels.contains(&name) {
                format!("  {name} missing: no PCI function of it, so firmware hides it\n")
            } else {
                format!("{line}\n")
            }
        });
        recording.write(map, lines.collect::<String>());
        check(&recording, "boxes")
    };
    let [status, finding, _] = lacking(&["imc_2", "imc_3", "imc_6", "imc_7"]);
    assert_eq!(status, "pass", "{finding}");
    assert_has(&finding, &["not on this part: "]);
    // One fact is one warning.
    let [status, finding, _] = lacking(&["imc_0", "imc_5", "irp"]);
    assert_eq!(status, "warning");
    let lack = "packages 0, 1 lack imc_0, imc_5, irp: ";
    assert!(finding.starts_with(lack), "{finding}");
}

#[test]
fn boxes_are_hidden_in_one_package() {
    let findings = findings(&Recording::hidden(), "boxes");
    assert!(findings[0].starts_with("package 0 lacks imc_0, imc_1, imc_2, imc_3, r3qpi_1: "));
    assert_eq!(findings.len(), 1, "{findings:?}");
}

#[test]
fn a_hypervisor_shows_no_uncore() {
    let recording = Recording::bare();
    recording.replace("proc/cpuinfo", " fpu de", " fpu hypervisor de");
    assert_cause(&recording, "hypervisor", "shows no uncore", "on the host");
}

#[test]
fn a_hypervisor_shows_an_uncore() {
    let recording = Recording::two_packages();
    recording.replace("proc/cpuinfo", " fpu de", " fpu hypervisor de");
    assert_eq!(cause(&recording), None);
    assert_eq!(check(&recording, "hypervisor")[0], "warning");
}

#[test]
fn another_processor_has_another_driver() {
    let recording = Recording::intel_uncore();
    recording.replace("proc/cpuinfo", "model\t\t: 62", "model\t\t: 85");
    recording.write("lib/modules/7.3.5/modules.builtin", "");
    let example = "20 PMUs here: `perf stat -a -e uncore_imc_0/cas_count_read/ sleep 1`";
    assert_cause(&recording, "processor", "family 6 model 85", example);
    for of_module in ["other driver", "module", "lockdown", "installed"] {
        assert_eq!(findings(&recording, of_module), [""; 0]);
    }
    // Its driver may not be loaded, and other vendors have other drivers.
    let recording = Recording::bare();
    recording.replace("proc/cpuinfo", "model\t\t: 62", "model\t\t: 85");
    let remedy = "`modprobe intel_uncore`, and if that succeeds `perf list uncore_`";
    assert_cause(&recording, "processor", "family 6 model 85", remedy);
    recording.replace("proc/cpuinfo", "GenuineIntel", "AuthenticAMD");
    assert!(!check(&recording, "processor")[2].contains("intel_uncore"));
}

#[test]
fn other_programs_are_named() {
    let recording = Recording::two_packages();
    recording.write("proc/77/comm", "pcm-memory\n");
    recording.write("proc/78/comm", "pcmanfm\n");
    recording.write("proc/79/comm", "wrmsr\n");
    recording.write("proc/79/fdinfo/3", "pos:\t0\nflags:\t0100002\n");
    recording.link("proc/79/fd/3", "/dev/cpu/0/msr");
    let names = "pcm-memory (process 77), wrmsr (process 79) has MSRs open for writing";
    assert_check(&recording, "other programs", "warning", &[names]);
}

/// They hold counters, and write no register by themselves.
#[test]
fn programs_that_count_are_named() {
    let recording = Recording::two_packages();
    recording.write("sys/module/uncore_rs/refcnt", "3\n");
    recording.write("proc/77/cmdline", "uncore\0export\0");
    recording.write("proc/78/cmdline", "uncore\0export\0--answer\0");
    recording.write("proc/78/comm", "uncore\n");
    recording.write("proc/79/comm", "perf\n");
    recording.link("proc/79/fd/3", "anon_inode:[perf_event]");
    let names = "uncore export (process 77), perf (process 79)";
    assert_check(&recording, "other programs", "pass", &[names]);
    recording.write("sys/module/uncore_rs/refcnt", "0\n");
    assert_check(&recording, "other programs", "pass", &["no program"]);
}

#[test]
fn a_removed_function_can_come_back() {
    let recording = Recording::two_packages();
    let file = "sys/kernel/debug/uncore_rs/topology";
    let removed = "  ha_1 missing: its PCI function was removed\n";
    recording.replace(file, "  ha_1 0000:ff:1c.1\n", removed);
    let lacks = "package 1 lacks ha_1: its PCI function was removed";
    let words = [lacks, "/sys/bus/pci/rescan"];
    assert_check(&recording, "boxes", "warning", &words);
}

#[test]
fn another_driver_has_a_function() {
    let recording = Recording::two_packages();
    let link = "sys/bus/pci/devices/0000:7f:0e.1/driver";
    recording.remove(link);
    recording.link(link, "../../drivers/vfio-pci");
    assert_cause(
        &recording,
        "PCI drivers",
        "ha_0 (0000:7f:0e.1) by vfio-pci",
        "unload",
    );
}

#[test]
fn the_module_found_nothing() {
    let recording = Recording::bare();
    recording.write("sys/module/uncore_rs/initstate", "live\n");
    assert_cause(&recording, "PMUs", "found no box", "dmesg");
}

#[test]
fn a_file_that_makes_no_sense_is_named() {
    let recording = Recording::two_packages();
    recording.write(
        "sys/bus/event_source/devices/ivbep_uncore_ubox/format/umask",
        "config:8-99",
    );
    assert_cause(
        &recording,
        "files",
        "ivbep_uncore_ubox/format/umask",
        "report",
    );
}

#[test]
fn overflow_is_as_the_module_says() {
    let recording = Recording::two_packages();
    let file = "sys/kernel/debug/uncore_rs/overflow";
    recording.write(
        file,
        "package 0: pmi: core select bit 0 interrupts CPU 0 (tested)\n  paused 2\n",
    );
    let checks = all(&recording, "overflow").into_iter();
    let statuses: Vec<String> = checks.map(|[status, ..]| status).collect();
    assert_eq!(statuses, ["pass", "warning"]);
    recording.write(
        file,
        "package 0: pmi: bit 0\n  paused 0\n  frozen_permille 12\n",
    );
    let share = "package 0: interrupts froze all counters for 1.2 % of the last second";
    assert!(findings(&recording, "overflow").contains(&share.to_owned()));
    recording.write(file, "package 0: poll: no running event needs interrupts\n");
    assert_eq!(check(&recording, "overflow")[0], "pass");
    recording.write(file, "package 0: poll: chosen with overflow=poll\n");
    assert_eq!(check(&recording, "overflow")[0], "pass");
    recording.write(file, "package 0: poll: an overflow interrupted no CPU\n");
    assert_eq!(check(&recording, "overflow")[0], "warning");
}

#[test]
fn registers_that_others_write_are_told() {
    let recording = Recording::two_packages();
    recording.write(
        "sys/kernel/debug/uncore_rs/overflow",
        "package 0: poll: chosen with overflow=poll\n  tampered 0\n\
         package 1: poll: chosen with overflow=poll\n  tampered 2\n",
    );
    assert_eq!(
        findings(&recording, "registers"),
        [
            "package 1: another program wrote registers of 2 events, which ended, or may be wrong \
          with tamper=warn"
        ]
    );
    assert_eq!(check(&recording, "registers")[0], "warning");
    assert!(!recording.run(&["doctor"]).trouble);
}

#[test]
fn without_proc_nothing_can_be_said() {
    let recording = Recording::two_packages();
    recording.remove("proc/cpuinfo");
    assert_has(
        recording.error(&["doctor"]),
        &["proc/cpuinfo cannot be read"],
    );
}
