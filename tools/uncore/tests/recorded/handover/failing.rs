// SPDX-License-Identifier: GPL-2.0

//! Steps that fail: what was done is undone, or the user is told.

use super::*;

#[test]
fn what_cannot_be_unloaded_stays() {
    let machine = Machine::new();
    machine.write("fails", "-r intel_uncore\n");
    let said = [
        "`modprobe -r intel_uncore` failed",
        "not want to; `dmesg` may say why",
    ];
    machine.assert_refused(&said);
    machine.assert_ran(&["modprobe -r intel_uncore"]);
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
    let failed = "`modprobe uncore_rs` failed";
    assert_has(
        &said,
        &[failed, "`modprobe intel_uncore` failed, too", "reboot"],
    );
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
    machine.assert_ran(&["modprobe -r uncore_rs", "modprobe uncore_rs"]);
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
