// SPDX-License-Identifier: GPL-2.0

//! Kernels and distributions: which have the module, and what they lack.

use super::*;

#[test]
fn the_kernel_and_the_distribution_come_first() {
    let recording = Recording::bare();
    recording.become_debian();
    for (release, words) in [
        ("5.4.0-1-amd64", "the module needs 5.10 or later"),
        (
            "5.10.0-46-amd64",
            "the module builds for Linux 5.10, but is not tested with it",
        ),
        ("6.1.0-57-amd64", "the module is tested with Linux 6.1"),
        (
            "6.8.12-43-pve",
            "the module builds for Linux 6.8, but is not tested with it",
        ),
        (
            "6.12.118+deb13-amd64",
            "the module is tested with Linux 6.12",
        ),
        ("7.3.4-plain", "the module is tested with Linux 7.3"),
        (
            "7.4.0",
            "Linux 7.4 is newer than what the module is tested with",
        ),
    ] {
        recording.write("proc/sys/kernel/osrelease", release);
        let [name, finding] = ["name", "finding"].map(|key| text(&checks(&recording)[0], key));
        assert_eq!(name, "kernel");
        let begin = format!("Debian GNU/Linux 13 (trixie), Linux {release}, 4 CPUs online");
        assert!(finding.starts_with(&begin), "{finding}");
        assert!(finding.ends_with(words), "{finding}");
    }
    recording.write("proc/sys/kernel/osrelease", "5.4.0-1-amd64");
    assert_cause(
        &recording,
        "kernel",
        "needs 5.10",
        "boot a kernel 5.10 or later",
    );
}

#[test]
fn each_distribution_has_its_words() {
    let recording = Recording::bare();
    for (distribution, release, headers, compilers) in [
        (
            "ID=debian\nVERSION_ID=12",
            "6.1.0-57-amd64",
            "`apt-get install linux-headers-6.1.0-57-amd64`",
            "rustc-web rust-web-src bindgen`",
        ),
        (
            "ID=debian\nVERSION_ID=\"13\"",
            "6.12.118",
            "`apt-get install linux-headers-6.12.118`",
            "rustc rust-src bindgen`",
        ),
        (
            "ID=debian",
            "7.3.4",
            "`apt-get install linux-headers-7.3.4`",
            "rustc rust-src bindgen`",
        ),
        (
            "ID=debian\nVERSION_ID=12",
            "6.8.12-43-pve",
            "`apt-get install proxmox-headers-6.8.12-43-pve`",
            "rustc-web rust-web-src bindgen`",
        ),
        (
            "ID=debian\nVERSION_ID=11",
            "5.10.1",
            "`apt-get",
            "by rustup with",
        ),
        (
            "ID=ubuntu\nVERSION_ID=\"24.04\"",
            "6.8.1",
            "`apt-get install linux-headers-6.8.1`",
            "rustc-1.85 rust-1.85-src bindgen`",
        ),
        (
            "ID=linuxmint\nID_LIKE=\"ubuntu debian\"",
            "6.8.1",
            "`apt-get install linux-headers-6.8.1`",
            "`apt-get install dkms rustc rust-src bindgen`",
        ),
        (
            "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"",
            "5.14.1",
            "`dnf install kernel-devel-5.14.1`",
            "rust rust-src bindgen-cli`",
        ),
        (
            "ID=fedora",
            "7.3.4",
            "`dnf install kernel-devel-7.3.4`",
            "rust rust-src bindgen-cli`",
        ),
        (
            "ID=\"sles\"\nID_LIKE=\"suse\"",
            "6.4.1",
            "`zypper install kernel-default-devel`",
            "`zypper",
        ),
        (
            "ID=arch",
            "7.3.4",
            "`pacman -Syu linux-headers`",
            "`pacman -Syu dkms rust rust-src rust-bindgen`",
        ),
        (
            "",
            "7.3.4",
            "install the headers of this kernel",
            "rustc 1.85 or later",
        ),
    ] {
        recording.write("etc/os-release", distribution);
        recording.write("proc/sys/kernel/osrelease", release);
        let [_, finding, remedy] = check(&recording, "module");
        assert_has(&finding, &["its headers are not installed"]);
        assert!(remedy.starts_with(headers), "{remedy}");
        assert_has(&remedy, &[compilers, "`make dkms-install`"]);
    }
}

#[test]
fn lockdown_wants_a_signature() {
    let recording = Recording::bare();
    recording.write(
        "sys/kernel/security/lockdown",
        "none [integrity] confidentiality\n",
    );
    assert_check(
        &recording,
        "lockdown",
        "warning",
        &["integrity", "sign uncore_rs.ko"],
    );
}

#[test]
fn each_kernel_has_the_module_or_a_reason() {
    let recording = Recording::two_packages();
    assert!(all(&recording, "installed").is_empty());
    recording.become_debian();
    let dkms = "var/lib/dkms/uncore-rs/0.1.0";
    for release in ["5.4.1", "7.3.2", "7.3.3", "7.3.4-plain", "7.3.5"] {
        recording.write(&format!("lib/modules/{release}/modules.builtin"), "");
    }
    recording.write("lib/modules/7.3.5/modules.dep", "updates/uncore_rs.ko:\n");
    let line = "7.3.2: xz is missing > apt-get install xz-utils\n";
    recording.write(&format!("{dkms}/skipped.7.3.2"), line);
    let cases = [
        ("pass", "5.4.1 has no module: it is older than 5.10", ""),
        (
            "warning",
            "7.3.2 has no module: xz is missing",
            "`apt-get install xz-utils`, then `dkms autoinstall -k 7.3.2`",
        ),
        (
            "warning",
            "7.3.3 has no module: its headers are not installed",
            "`apt-get install linux-headers-7.3.3`, then `dkms autoinstall -k 7.3.3`",
        ),
        (
            "pass",
            "7.3.4-plain has the module loaded, but not installed",
            "",
        ),
        ("pass", "7.3.5 has the module", ""),
    ];
    let found = all(&recording, "installed");
    assert_eq!(found.len(), cases.len(), "{found:?}");
    for ([status, finding, remedy], expected) in found.iter().zip(cases) {
        let finding = finding.strip_prefix("Linux ").unwrap_or_default();
        assert_eq!((status.as_str(), finding, remedy.as_str()), expected);
    }
    // None of them keeps anyone from counting here.
    assert!(!recording.run(&["doctor"]).trouble);
}

#[test]
fn the_module_of_another_name_is_not_ours() {
    let recording = Recording::bare();
    let list = "extra/other.ko: updates/uncore_rs.ko\nextra/no_uncore_rs.ko:\n";
    recording.write("lib/modules/7.3.4-plain/modules.dep", list);
    assert_check(&recording, "module", "failure", &["has no module"]);
}

#[test]
fn signatures_may_be_demanded() {
    let enforce = "sys/module/module/parameters/sig_enforce";
    let secure_boot = "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
    let recording = Recording::bare();
    recording.write(enforce, "N\n");
    recording.write(secure_boot, [6, 0, 0, 0, 0]);
    assert_check(
        &recording,
        "signatures",
        "pass",
        &["not required; Secure Boot is off"],
    );
    recording.write(enforce, "Y\n");
    recording.write(secure_boot, [6, 0, 0, 0, 1]);
    let step = "`mokutil --import /var/lib/dkms/mok.pub` and a reboot";
    assert_check(
        &recording,
        "signatures",
        "warning",
        &["Secure Boot is on", step],
    );
    // What can be loaded can be loaded.
    let recording = Recording::two_packages();
    recording.write(enforce, "Y\n");
    assert_eq!(check(&recording, "signatures")[0], "pass");
    recording.remove(enforce);
    recording.write(secure_boot, [6, 0, 0, 0, 1]);
    assert_eq!(check(&recording, "signatures")[0], "pass");
}
