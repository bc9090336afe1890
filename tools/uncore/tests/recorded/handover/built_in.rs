// SPDX-License-Identifier: GPL-2.0

//! A kernel that has the other driver built in, and the programs of boot loaders.

use super::*;

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
    machine.assert_ran(&["modprobe uncore_rs"]);
}

/// Reboots with the parameter or without it.
fn reboot(machine: &Machine, has_parameter: bool) {
    let word = if has_parameter { PARAMETER } else { "" };
    machine.write("proc/cmdline", &format!("quiet {word}\n"));
    if has_parameter {
        machine.load(OURS);
    }
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
    machine.assert_ran(&["update-grub"]);
    let line = format!("\nGRUB_CMDLINE_LINUX=\"$GRUB_CMDLINE_LINUX {PARAMETER}\"\n");
    assert!(machine.text(GRUB_FILE).ends_with(&line));
    assert_eq!(machine.settings(), [INSTALL, IVBEP, BDX, E5_V3, E5_V1]);
    machine.assert_status(&["reboot: the parameter is set for the next boot"]);
    // It is not asked twice.
    assert_has(machine.enable().expect("set").text, &["after a reboot"]);
    machine.assert_idle();

    reboot(&machine, true);
    assert_has(machine.enable().expect("done").text, &["already"]);
    let said = machine.disable().expect("taken back").text;
    assert_has(&said, &["after a reboot, intel_uncore has"]);
    machine.assert_ran(&["modprobe -r uncore_rs", "update-grub"]);
    assert!(!machine.has(GRUB_FILE) && !machine.has(FILE));
    reboot(&machine, false);
    let said = machine.disable().expect("nothing to do").text;
    assert_has(said, &["does not have"]);
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
    machine.assert_ran(&["modprobe -r uncore_rs"]);
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
    let add = format!("grubby --update-kernel=ALL --args={PARAMETER}");
    machine.assert_ran(&[&add]);
    reboot(&machine, true);
    machine.disable().expect("taken back");
    let remove = format!("grubby --update-kernel=ALL --remove-args={PARAMETER}");
    machine.assert_ran(&["modprobe -r uncore_rs", &remove]);
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
    machine.assert_ran(&["update-grub", "proxmox-boot-tool refresh"]);
    machine.disable().expect("taken back");
    machine.assert_ran(&["update-grub", "proxmox-boot-tool refresh"]);

    machine.write(
        loader,
        "\u{6}\0\0\0s\0y\0s\0t\0e\0m\0d\0-\0b\0o\0o\0t\0 \x002\x005\x007\0",
    );
    machine.enable_if(&|_| true).expect("set");
    machine.assert_ran(&["proxmox-boot-tool refresh"]);
    let line = format!("root=ZFS=rpool/ROOT/pve-1 boot=zfs {PARAMETER}\n");
    assert_eq!(machine.text(CMDLINE), line);
    assert_eq!(machine.text(COPY), "root=ZFS=rpool/ROOT/pve-1 boot=zfs\n");
    assert!(!machine.has(GRUB_FILE));
    // What the administrator added since stays.
    machine.write(CMDLINE, &line.replace("boot=zfs", "boot=zfs quiet"));
    reboot(&machine, true);
    machine.disable().expect("taken back");
    machine.assert_ran(&["modprobe -r uncore_rs", "proxmox-boot-tool refresh"]);
    let line = "root=ZFS=rpool/ROOT/pve-1 boot=zfs quiet\n";
    assert_eq!(machine.text(CMDLINE), line);
    assert!(!machine.has(COPY));
}
