// SPDX-License-Identifier: GPL-2.0

//! On the kernel of a distribution, whose own driver is there first: the hardware is
//! handed over and given back. `make test-distro` runs these, too.

use ivbep_e2e::fixture::probe::Probe;
use ivbep_e2e::fixture::{on_new, Session, DEVICES};
use ivbep_e2e::{Config, Driver};

const PACKAGES: [u8; 2] = [0, 1];
const BURST: u64 = 100_000;
/// What is written for the next boot.
const HANDED_OVER: &str = "/etc/modprobe.d/ivbep-uncore.conf";

/// A new machine, for one of them is locked down for good, as its owner finds it: udev,
/// which the guest has not, would have loaded the kernel's own driver.
fn with_intel_uncore(append: &str, test: impl FnOnce(&mut Session)) {
    let config = Config {
        driver: Driver::None,
        append: append.to_owned(),
        ..Config::default()
    };
    on_new(&config, |session| {
        // It does not write bits that have to be 1.
        session.tolerate_violations();
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
        let status = session.ok("ivbep-uncore status");
        assert!(status.contains("intel_uncore"), "{status}");

        session.ok("ivbep-uncore enable");
        assert!(!has_pmu(session, "uncore_imc_0"));
        session.ok(&format!("grep -w intel_uncore {HANDED_OVER}"));
        let probes = [
            Probe::cbox(0, "llc_lookup.any"),
            Probe::imc(0, "cas_count.rd"),
            Probe::qpi(0, "txl_flits_g1.drs"),
        ];
        for probe in probes {
            session.counts(BURST, &PACKAGES, &[probe.into()]);
        }
        session.ok("ivbep-uncore enable");

        session.ok("ivbep-uncore disable");
        assert!(has_pmu(session, "uncore_imc_0"));
        assert!(!has_pmu(session, "ivbep_uncore_imc_0"));
        session.fails(&format!("ls {HANDED_OVER}"));
    });
}

#[test]
#[ignore = "needs a distribution's kernel"]
fn events_that_are_open_are_not_lost() {
    with_intel_uncore("", |session| {
        let said = session.fails(
            "perf stat -a -e uncore_imc_0/cas_count_read/ sleep 30 2>/dev/null & pid=$!; \
             sleep 3; ivbep-uncore enable; status=$?; kill -INT $pid; wait $pid; \
             exit $status",
        );
        assert!(said.contains("intel_uncore"), "{said}");
        assert!(has_pmu(session, "uncore_imc_0"));
        session.fails(&format!("ls {HANDED_OVER}"));
    });
}

/// As Secure Boot does, where the key that DKMS signs with was not enrolled.
#[test]
#[ignore = "needs a distribution's kernel"]
fn a_kernel_that_is_locked_down_says_what_to_do() {
    with_intel_uncore("lockdown=integrity", |session| {
        let said = session.fails("ivbep-uncore enable");
        assert!(said.contains("mokutil"), "{said}");
        assert!(has_pmu(session, "uncore_imc_0"));
        session.fails(&format!("ls {HANDED_OVER}"));
        let doctor = session.run("ivbep-uncore doctor");
        assert!(doctor.stdout.contains("lock"), "{}", doctor.stdout);
    });
}

/// Nothing that it does is forbidden then.
#[test]
#[ignore = "needs a distribution's kernel"]
fn a_kernel_may_be_locked_down_later() {
    with_intel_uncore("", |session| {
        session.ok("ivbep-uncore enable");
        session.ok("echo confidentiality > /sys/kernel/security/lockdown");
        let probe = Probe::cbox(0, "llc_lookup.any");
        session.counts(BURST, &PACKAGES, &[probe.into()]);
        session.ok("cat /sys/kernel/debug/ivbep_uncore/topology");
        session.ok("ivbep-uncore disable");
    });
}
