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

#[test]
fn a_channel_hidden_everywhere_has_no_pmu() {
    let hidden = [
        ("hide 7f:10.1", "show 7f:10.1"),
        ("hide ff:10.1", "show ff:10.1"),
    ];
    broken(&hidden, |session, log| {
        says_missing(session, log, "imc_3");
        absent(session, "ivbep_uncore_imc_3");
        session.counts(BURST, Platform::packages(), &Wanted::all(samples()));
    });
}

/// One function of every other kind that PCI has, in package 1.
#[test]
fn a_box_of_each_kind_hidden_in_one_package() {
    let all = ["ff:1c.1", "ff:09.2", "ff:13.1", "ff:13.6", "80:05.6"];
    let faults = all.map(|function| (format!("hide {function}"), format!("show {function}")));
    let faults: Vec<(&str, &str)> = faults.iter().map(|(a, b)| (&**a, &**b)).collect();
    broken(&faults, |session, log| {
        for (unit, probe) in [
            ("ha_1", Probe::ha(1, "requests.reads")),
            ("qpi_1", Probe::qpi(1, "txl_inserts")),
            ("r2pcie", Probe::r2pcie("clockticks")),
            ("r3qpi_1", Probe::r3qpi(1, "clockticks")),
            ("irp", Probe::irp(0, "clockticks")),
        ] {
            says_missing(session, log, unit);
            assert_eq!(session.cpumask(&probe.pmu()), [0], "{unit}");
            session.counts(BURST, &[0], &[probe.clone().into()]);
            refused_as_absent(session, &probe, 2);
        }
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

#[test]
fn a_cbox_that_faults_everywhere_has_no_pmu() {
    // Control, box control, filter and counter registers, one each.
    for msr in ["0xd50", "0xd44", "0xd54", "0xd5a", "0xd56"] {
        let fail = [format!("fail-msr 0 {msr}"), format!("fail-msr 1 {msr}")];
        let heal = [format!("heal-msr 0 {msr}"), format!("heal-msr 1 {msr}")];
        let faulty = [(&fail[0][..], &heal[0][..]), (&fail[1], &heal[1])];
        broken(&faulty, |session, log| {
            says_missing(session, log, "cbox_2");
            absent(session, "ivbep_uncore_cbox_2");
            session.counts(BURST, Platform::packages(), &Wanted::all(samples()));
        });
    }
}

/// These registers belong to the cores and not to the PCU, and the sources disagree on
/// their purpose: a machine may lack them.
#[test]
fn a_residency_that_faults_takes_no_other_event_of_the_pcu_with_it() {
    let faulty = [("fail-msr 1 0x3fc", "heal-msr 1 0x3fc")];
    broken(&faulty, |session, log| {
        let said =
            "package 1: missing the counter core_c3_ctr of pcu: its registers cannot be accessed";
        assert!(log.contains(said), "{log}");
        let config = session.event_config("ivbep_uncore_pcu", "core_c3_ctr");
        let open = |cpu| format!("open it pmu=ivbep_uncore_pcu config={config:#x} cpu={cpu}");
        let answers = session.perf_open(&[open(0), open(2)]);
        assert_eq!(answers, ["it ok", "it ENODEV"]);
        let why = "package 1 has no counter core_c3_ctr: its registers cannot be accessed";
        session.last_rejection_has(&[why]);
        session.counts(BURST, Platform::packages(), &Wanted::all(samples()));
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
