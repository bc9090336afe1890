// SPDX-License-Identifier: GPL-2.0

//! Boxes that firmware hid and registers that do not answer: the driver offers the rest,
//! counts it right, and reports the missing parts and the reason. Registers that
//! fail in one package only are the subject of the campaign `failures`.

use crate::lifetime::{new_log, samples, without_driver, BURST, LOAD};
use uncore_e2e::prelude::*;

/// Breaks the machine, loads the driver, runs the test, mends it all.
fn broken(breaks: &[(&str, &str)], test: impl Fn(&mut Session, &str)) {
    on(&without_driver(), |session| {
        for (fault, _) in breaks {
            session.machine(fault);
        }
        new_log(session);
        session.ok(LOAD);
        let log = new_log(session);
        test(session, &log);
        session.ok(UNLOAD);
        for (_, mend) in breaks {
            session.machine(mend);
        }
        session.ok(LOAD);
        session.counts(BURST, Platform::packages(), &Wanted::all(samples()));
        session.ok(UNLOAD);
    });
}

/// Checks that the log and debugfs' map both name the box as missing.
fn says_missing(session: &mut Session, log: &str, unit: &str) {
    let of_unit = |line: &&str| line.contains("uncore_rs") && line.contains(unit);
    assert!(
        log.lines().any(|line| of_unit(&line)),
        "nothing of {unit} in\n{log}"
    );
    let topology = session.ok("cat /sys/kernel/debug/uncore_rs/topology");
    let missing = |line: &str| line.contains(unit) && line.contains("missing");
    assert!(
        topology.lines().any(missing),
        "{unit} is not missing in\n{topology}"
    );
}

fn refused_as_absent(session: &mut Session, probe: &Probe, cpu: u16) {
    let answers = session.perf_open(&[probe.open("event", cpu)]);
    assert_eq!(answers, ["event ENODEV"], "{probe:?} on CPU {cpu}");
}

fn absent(session: &mut Session, pmu: &str) {
    session.fails(&format!("ls -d {DEVICES}/{pmu}"));
}

/// MC0 channel 0 is function 10.4, channel 3 is 10.1, MC1 channel 0 1e.4.
#[test]
fn a_channel_hidden_in_one_package() {
    let hidden = [
        ("hide 7f:10.4", "show 7f:10.4"),
        ("hide ff:1e.4", "show ff:1e.4"),
    ];
    broken(&hidden, |session, log| {
        says_missing(session, log, "imc_0");
        says_missing(session, log, "imc_4");
        assert_eq!(session.cpumask("ivbep_uncore_imc_0"), [2]);
        assert_eq!(session.cpumask("ivbep_uncore_imc_4"), [0]);
        let (first, fifth) = (Probe::imc(0, "cas_count.rd"), Probe::imc(4, "cas_count.rd"));
        session.counts(BURST, &[1], &[first.clone().into()]);
        session.counts(BURST, &[0], &[fifth.clone().into()]);
        refused_as_absent(session, &first, 0);
        refused_as_absent(session, &fifth, 3);
        session.counts(
            BURST,
            Platform::packages(),
            &[Probe::imc(1, "cas_count.rd").into()],
        );
    });
}

/// The filter of a QPI port is in a function of its own. Without it the port counts
/// events that need no filter, and refuses events that would count unfiltered.
#[test]
fn a_hidden_packet_match() {
    let hidden = [("hide 7f:08.6", "show 7f:08.6")];
    broken(&hidden, |session, log| {
        let said = log
            .lines()
            .any(|line| line.contains("uncore_rs") && line.contains("qpi_0"));
        assert!(said, "{log}");
        for (port, place) in [
            (0, "missing,0000:ff:08.6"),
            (1, "0000:7f:09.6,0000:ff:09.6"),
        ] {
            let shown = session.ok(&format!(
                "cat {DEVICES}/ivbep_uncore_qpi_{port}/caps/filter_location"
            ));
            assert_eq!(shown.trim(), place, "port {port}");
        }
        let plain = Probe::qpi(0, "txl_flits_g1.drs");
        session.counts(BURST, Platform::packages(), &[plain.into()]);
        let message = Probe::qpi(0, "message.snp.anysnp");
        session.counts_on(2, 1, BURST, &message);
        let answers = session.perf_open(&[message.open("event", 0)]);
        assert_eq!(answers, ["event ENODEV"]);
        session.last_rejection_has(&["qpi_0: ", "ENODEV"]);
    });
}

/// Without its UBox function a bus does not show its package. By the rule of the next
/// higher mapped bus, package 0's channels would be taken for package 1's. The driver
/// logs its decision in any case, and its counts are right.
#[test]
fn a_package_without_its_ubox_function() {
    let hidden = [("hide 7f:0b.0", "show 7f:0b.0")];
    broken(&hidden, |session, log| {
        let said = log
            .lines()
            .any(|line| line.contains("uncore_rs") && line.contains("7f"));
        assert!(said, "{log}");
        assert_eq!(session.cpumask("ivbep_uncore_imc_0"), [2]);
        session.counts(BURST, &[1], &[Probe::imc(0, "cas_count.rd").into()]);
        session.counts(
            BURST,
            Platform::packages(),
            &[Probe::cbox(0, "misc.started").into()],
        );
    });
}

/// Firmware hid the functions that stand for the C-Boxes: the driver uses the register
/// with their number instead.
#[test]
fn cboxes_are_found_without_their_functions() {
    on(&without_driver(), |session| {
        session.ok("for bus in 7f ff; do for at in 0c.0 0c.1 0d.0; do \
             echo 1 > /sys/bus/pci/devices/0000:$bus:$at/remove; done; done");
        session.ok(LOAD);
        let boxes = (0..3).map(|instance| Probe::cbox(instance, "misc.started"));
        session.counts(BURST, Platform::packages(), &Wanted::all(boxes));
        absent(session, "ivbep_uncore_cbox_3");
        session.ok(UNLOAD);
        session.ok("echo 1 > /sys/bus/pci/rescan");
    });
}
