// SPDX-License-Identifier: GPL-2.0

//! The file `survey`: experiments with registers, and everything as before.

use super::*;
use crate::linux::debugfs::OpenDialog;
use kernel::error::Error;

/// Number of the packages' registers that read as at reset after this.
const SHAPE: &str = "packages=2,cores=2";

/// Opens the file, which must be free.
fn survey() -> OpenDialog {
    OpenDialog::open("survey").expect("no event is open")
}

/// Runs an experiment and returns the results.
fn run(survey: &OpenDialog, steps: &str) -> Vec<String> {
    survey
        .write(steps)
        .unwrap_or_else(|error| panic!("{steps}: {error:?}: {}", survey.read()));
    survey.read().lines().map(str::to_owned).collect()
}

/// Runs an experiment that must be refused, and returns the reason.
fn refused(survey: &OpenDialog, steps: &str) -> String {
    assert_eq!(survey.write(steps), Err(EINVAL), "{steps}");
    survey.read()
}

/// Returns all registers of the machine that are not at their reset values.
fn state(host: &Host) -> String {
    host.command("state")
}

/// The error with which an event of a PMU is refused.
fn refusal(boxes: &str) -> Option<Error> {
    pmu(boxes).open(&attr(0, CLOCK), None).err()
}

#[test]
fn steps_read_and_write_registers_of_their_package() {
    with_driver(SHAPE, "auto", |host| {
        let file = survey();
        let results = run(
            &file,
            "cbox_0 1 ctl0\n\
             cbox_0 1 ctl0 0x400000\n\
             cbox_0 1 ctl0\n\
             cbox_0 0 ctl0\n\
             \n\
             wait 10\n\
             irp 0 ctr2 0xfffffffffff\n\
             irp 0 ctr2\n\
             global 0@1 status\n",
        );
        assert_eq!(
            results,
            [
                "0x0",
                "written",
                "0x400000",
                "0x0",
                "waited",
                "written",
                "0xfffffffffff",
                "0x0"
            ]
        );
        host.traffic(BURST);
        let counted = run(&file, "cbox_0 1 ctr0\ncbox_0 0 ctr0");
        assert_eq!(counted, [format!("{BURST:#x}"), "0x0".to_owned()]);
    });
}

#[test]
fn all_registers_are_as_before_when_the_file_is_closed() {
    with_driver(SHAPE, "auto", |host| {
        // The counters keep what they have counted.
        let event = open("cbox_0", 0, CLOCK);
        host.traffic(BURST);
        assert_eq!(event.read(), BURST);
        drop(event);
        let before = state(host);
        let file = survey();
        for steps in [
            "cbox_0 0 filter0 0x1f\ncbox_0 0 ctl0 0x480000\ncbox_0 0 box_ctl 0x30100",
            "cbox_0 0 ctr0 5\ncbox_0 0 ctr1 7\nha_1 1 filter2 0x3f\nqpi_0 0 filter0 0x1fe0",
            "ubox 0 fixed_ctr 0xffffffffff\nubox 0 fixed_ctl 0x500000\nglobal 1 ctl 0x80000000",
            "imc_3 1 fixed_ctl 0x400000\npcu 1 filter0 0xffffffff\nirp 0 ctl3 0x400000",
        ] {
            run(&file, steps);
            host.traffic(BURST);
        }
        assert_ne!(state(host), before);
        drop(file);
        assert_eq!(state(host), before);
        let event = open("cbox_0", 2, CLOCK);
        host.traffic(BURST);
        assert_eq!(event.read(), BURST);
    });
}

#[test]
fn a_line_that_names_nothing_is_refused_before_any_step() {
    with_driver(SHAPE, "auto", |host| {
        let file = survey();
        host.command("log on");
        for (line, reason) in [
            ("cbox_0 0", "not BOX PACKAGE REGISTER"),
            ("cbox_0 0 ctl0 1 2", "not BOX PACKAGE REGISTER"),
            ("cbox_0 2 ctl0", "no such package"),
            (
                "cbox_0 0@9 ctl0",
                "the CPU is not an online one of the package",
            ),
            (
                "cbox_0 0@2 ctl0",
                "the CPU is not an online one of the package",
            ),
            ("cbox_9 0 ctl0", "the package has no such box"),
            ("core 0 ctl0", "the package has no such box"),
            ("cbox_0 0 ctl4", "the box has no such register"),
            ("ubox 0 box_ctl", "the box has no such register"),
            ("global 0 debugctl", "the box has no such register"),
            (
                "cbox_0 0 ctl0 0x200000",
                "the bits 0x200000 of the register",
            ),
            ("global 0 ctl 0x1", "the bits 0x1 of the register"),
            ("pcu 0 fixed_ctr 0", "the register is only read"),
            ("wait 10001", "a wait is 10000 microseconds at most"),
            ("wait -1", "a wait is"),
        ] {
            let answer = refused(&file, &format!("cbox_0 0 ctr0 1\n{line}\n"));
            let start = format!("line 2, {line}: {reason}");
            assert!(answer.starts_with(&start), "{line}: {answer}");
        }
        let many = "wait 0\n".repeat(65);
        assert!(refused(&file, &many).starts_with("line 65, wait 0: more than 64 steps"));
        assert_eq!(host.command("log take"), "");
        host.command("log off");
    });
}

/// The bit may let the counter interrupt a core, and the module takes no interrupts on Nehalem-EX.
#[test]
fn no_counter_runs_with_a_bit_that_may_interrupt() {
    with_driver("platform=nhmex,packages=1,cores=2", "auto", |_| {
        let file = survey();
        let taken =
            ["0x1", "0x100000"].map(|value| run(&file, &format!("wbox 0 fixed_ctl {value}")));
        assert_eq!(taken, [["written"]; 2]);
        let answer = refused(&file, "wbox 0 fixed_ctl 0x100001");
        assert!(answer.contains("the bits 0x1 of the register"), "{answer}");
    });
}

#[test]
fn an_access_that_faults_is_no_value() {
    with_driver(SHAPE, "auto", |host| {
        host.command("reading U-2:c");
        let file = survey();
        assert_eq!(run(&file, "cbox_1 0 box_status"), ["fault"]);
        drop(file);
        host.command("reading a");
    });
}

#[test]
fn events_and_the_survey_exclude_each_other() {
    with_driver(SHAPE, "auto", |_| {
        let event = open("cbox_0", 0, CLOCK);
        assert_eq!(OpenDialog::open("survey").err(), Some(EBUSY));
        drop(event);
        let file = survey();
        assert_eq!(OpenDialog::open("survey").err(), Some(EBUSY));
        assert_eq!(refusal("ha_0"), Some(EBUSY));
        let rejections = debugfs("rejections");
        let last = rejections.lines().last().unwrap_or_default();
        assert!(
            last.contains("uncore survey") && last.contains("[EBUSY "),
            "{last}"
        );
        drop(file);
        assert_eq!(refusal("ha_0"), None);
    });
}

/// An overflow that the survey causes must interrupt nobody.
#[test]
fn no_counter_interrupts_while_the_file_is_open() {
    with_intervals(SHAPE, |host| {
        let before = pmi_state(host);
        let event = open("cbox_0", 0, CLOCK);
        drop(event);
        let armed = open("ha_0", 0, CLOCK | EVERY);
        assert_ne!(pmi_state(host), before);
        drop(armed);
        let file = survey();
        assert_eq!(pmi_state(host), before);
        let taken = statistic("taken");
        run(
            &file,
            "ha_0 0 ctr0 0xfffffffffff0\nha_0 0 ctl0 0x500000\nubox 0 fixed_ctr 0xfffffffff00\n\
             ubox 0 fixed_ctl 0x500000",
        );
        host.traffic(BURST);
        assert_eq!((statistic("taken"), pmi_state(host)), (taken, before));
        drop(file);
        let event = open("ha_0", 0, CLOCK | EVERY);
        host.traffic(2 * INTERVAL);
        assert_eq!(event.read(), 2 * INTERVAL);
        assert_ne!(statistic("taken"), taken);
    });
}

/// An overflow of the package's first core, or its second, and nothing else.
#[test]
fn an_overflow_interrupts_the_cores_of_the_mask_and_leaves_no_trace() {
    with_driver(SHAPE, "auto", |host| {
        host.command("free-run on");
        let states = |host: &Host| [0, 1].map(|cpu| pmi_state_of(host, cpu));
        let before = states(host);
        let file = survey();
        let results = run(
            &file,
            "interrupt 0 0x1 usual\ninterrupt 0 0x2 usual\ninterrupt 0 0 usual\n\
             interrupt 0 0x2 masked\ninterrupt 1 0x1 usual",
        );
        let one = |core: u64| format!("{:#x}", 1_u64 << 48 | 1 << 32 | core << 16 | core);
        let none = format!("{:#x}", 1_u64 << 48);
        assert_eq!(results, [one(1), one(2), none.clone(), none, one(1)]);
        assert_eq!(states(host), before);
        let answer = refused(&file, "interrupt 0 0x8000 usual");
        assert!(answer.contains("the bits 0x8000"), "{answer}");
        let answer = refused(&file, "interrupt 0 0x1 twice");
        assert!(answer.contains("not BOX PACKAGE REGISTER"), "{answer}");
        host.command("free-run off");
        assert_eq!(host.unknown_nmis.load(Relaxed), 0);
    });
}

/// A core PMU whose PMI was lost while LVTPC was masked gets no other one.
#[test]
fn a_core_pmu_is_served_that_has_overflowed_meanwhile() {
    with_driver(SHAPE, "auto", |host| {
        host.command("free-run on");
        for conditions in ["0x2 masked", "0 masked"] {
            let cpus = [0, 1];
            cpus.iter().for_each(|&cpu| host.miss_core_pmi(cpu));
            run(&survey(), &format!("interrupt 0 {conditions}"));
            assert_eq!(cpus.map(|cpu| host.has_core_overflow(cpu)), [false; 2]);
        }
        host.command("free-run off");
        assert_eq!(host.unknown_nmis.load(Relaxed), 0);
    });
}

#[test]
fn nothing_interrupts_without_a_handler_of_nmis() {
    with_driver(SHAPE, "poll", |host| {
        host.command("free-run on");
        assert_eq!(run(&survey(), "interrupt 0 0x1 usual"), ["fault"]);
        host.command("free-run off");
        assert_eq!(host.unknown_nmis.load(Relaxed), 0);
    });
}
