// SPDX-License-Identifier: GPL-2.0

//! Tests on the kernel of a distribution, whose own driver is loaded first: our driver
//! takes over the hardware and gives it back. `make test-distro` runs these, too.

use uncore_e2e::fixture::counting_beside;
use uncore_e2e::prelude::*;

const PACKAGES: [u8; 2] = [0, 1];
const BURST: u64 = 100_000;
/// Settings for the next boot.
const HANDED_OVER: &str = "/etc/modprobe.d/uncore-rs.conf";

/// Runs a test on a new machine, in the state in which its owner finds it: udev, which
/// the guest lacks, would have loaded the kernel's own driver. The machine is new since
/// one test locks it down for good.
fn with_intel_uncore(append: &str, test: impl FnOnce(&mut Session)) {
    let config = Config {
        append: append.to_owned(),
        ..Config::of(Driver::None)
    };
    on_new(&config, |session| {
        session.tolerate_missing_ones();
        session.ok("modprobe intel_uncore");
        test(session);
        session.ok("modprobe -r intel_uncore");
    });
}

fn has_pmu(session: &mut Session, name: &str) -> bool {
    session.run(&format!("[ -e {DEVICES}/{name} ]")).status == 0
}

#[test]
#[ignore = "needs a distribution's kernel"]
fn the_hardware_is_handed_over_and_given_back() {
    with_intel_uncore("", |session| {
        assert!(has_pmu(session, "uncore_imc_0"));
        let status = session.ok("uncore status");
        assert!(status.contains("intel_uncore"), "{status}");

        session.ok("uncore enable");
        assert!(!has_pmu(session, "uncore_imc_0"));
        session.ok(&format!("grep -w intel_uncore {HANDED_OVER}"));
        let probes = [
            Probe::cbox(0, "llc_lookup.any"),
            Probe::imc(0, "cas_count.rd"),
            Probe::qpi(0, "txl_flits_g1.drs"),
        ];
        // The log of make test-distro has what perf shows.
        let stat = Stat::burst(BURST).option("--per-socket");
        let stat = stat.event_list(&probes.each_ref().map(Probe::event));
        println!("{}", session.ok(&format!("{} 2>&1", stat.plain())));
        for probe in probes {
            session.counts(BURST, &PACKAGES, &[probe.into()]);
        }
        session.ok("uncore enable");

        session.ok("uncore disable");
        assert!(has_pmu(session, "uncore_imc_0"));
        assert!(!has_pmu(session, "ivbep_uncore_imc_0"));
        session.fails(&format!("ls {HANDED_OVER}"));
    });
}

/// Does what udev does at a boot, on a kernel that has our module and on one that lacks it.
#[test]
#[ignore = "needs a distribution's kernel"]
fn each_boot_has_a_driver() {
    const BOOT: &str = "/sbin/modprobe intel_uncore";
    const OURS: &str = "/lib/modules/$(uname -r)/*/uncore_rs.ko";
    const SAID: &str = "dmesg | grep -c 'uncore_rs is not loaded: intel_uncore has'";
    with_intel_uncore("", |session| {
        session.ok("uncore enable");
        session.ok("rmmod uncore_rs");
        session.ok(BOOT);
        assert!(has_pmu(session, "ivbep_uncore_imc_0"));
        assert!(!has_pmu(session, "uncore_imc_0"));
        session.ok("rmmod uncore_rs");

        session.ok(&format!("for file in {OURS}; do mv $file $file.away; done"));
        session.ok(BOOT);
        assert!(has_pmu(session, "uncore_imc_0"));
        // udev asks once for each CPU.
        session.ok(BOOT);
        assert_eq!(session.ok(SAID), "1\n");
        session.ok("rmmod intel_uncore");

        session.ok(&format!(
            "for file in {OURS}.away; do mv $file ${{file%.away}}; done"
        ));
        session.ok(BOOT);
        assert!(has_pmu(session, "ivbep_uncore_imc_0"));
        session.ok("uncore disable");
        assert!(has_pmu(session, "uncore_imc_0"));
    });
}

/// A stranger has no module of ours.
#[test]
#[ignore = "needs a distribution's kernel"]
fn a_stranger_surveys_the_hardware() {
    with_intel_uncore("", |session| {
        session.ok("modprobe msr");
        let before = session.state();
        let report = session.ok("uncore survey --point U-3 --point U-5 --point U-20");
        assert!(
            report.contains("\n3 points as the driver takes them"),
            "{report}"
        );
        assert_eq!(session.state(), before);
        assert_none(&session.complaints_but_of_experiments());
    });
}

/// A user who is root of an own namespace is no other user.
#[test]
#[ignore = "needs a distribution's kernel"]
fn root_of_a_namespace_reads_no_refusals_of_root() {
    const READ: &str = "cat /sys/module/uncore_rs/rejections";
    on(&Config::default(), |session| {
        session.perf_open(&["open bad pmu=ivbep_uncore_cbox_0 config=0xe2"]);
        assert_ne!(session.ok(READ), "");
        // Debian's kernels let no user open an event.
        let inside = session.by_a_user(&format!("unshare -Ur sh -c 'id -u; {READ}'"));
        assert_eq!(session.ok(&inside), "0\n");
    });
}

#[test]
#[ignore = "needs a distribution's kernel"]
fn events_that_are_open_are_not_lost() {
    with_intel_uncore("", |session| {
        let said = session.fails(&format!(
            "{}; uncore enable; status=$?; kill $held; wait $held; exit $status",
            counting_beside("-a -e uncore_imc_0/cas_count_read/")
        ));
        assert!(said.contains("intel_uncore"), "{said}");
        assert!(has_pmu(session, "uncore_imc_0"));
        session.fails(&format!("ls {HANDED_OVER}"));
    });
}

/// Lockdown as by Secure Boot, if the key that DKMS signs with was not enrolled.
#[test]
#[ignore = "needs a distribution's kernel"]
fn a_kernel_that_is_locked_down_says_what_to_do() {
    with_intel_uncore("lockdown=integrity", |session| {
        let said = session.fails("uncore enable");
        assert!(said.contains("mokutil"), "{said}");
        assert!(has_pmu(session, "uncore_imc_0"));
        session.fails(&format!("ls {HANDED_OVER}"));
        let doctor = session.run("uncore doctor");
        assert!(doctor.stdout.contains("lock"), "{}", doctor.stdout);
    });
}

/// A lockdown after loading forbids nothing that the driver does, but the survey, which begins nothing
/// then.
#[test]
#[ignore = "needs a distribution's kernel"]
fn a_kernel_may_be_locked_down_later() {
    with_intel_uncore("", |session| {
        session.ok("uncore enable");
        session.ok("echo confidentiality > /sys/kernel/security/lockdown");
        session.ok("modprobe msr");
        let said = session.fails("uncore survey");
        assert!(said.contains("locked down"), "{said}");
        let probe = Probe::cbox(0, "llc_lookup.any");
        session.counts(BURST, &PACKAGES, &[probe.into()]);
        session.ok("cat /sys/kernel/debug/uncore_rs/topology");
        session.ok("uncore disable");
    });
}

/// Of the kernels of the tests only this one has the option.
#[test]
#[ignore = "needs a distribution's kernel"]
fn a_cpu_without_ticks_is_kept_for_programs() {
    crate::machines::is_kept_for_programs("nohz_full=2");
}
