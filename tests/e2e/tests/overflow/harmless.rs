// SPDX-License-Identifier: GPL-2.0

//! Costs of counting for the machine and for other users: none, unless somebody asks for
//! intervals. What these cost depends on time, and is tested on the host.

use crate::overflow::CPUS;
use uncore_e2e::fixture::switch;
use uncore_e2e::prelude::*;

platforms!(; e5);

const LOAD: &str = "insmod /lib/modules/uncore_rs.ko";

/// MSRs of a core: IA32_DEBUGCTL, and LVTPC of an x2APIC.
const OF_CORES: [u32; 2] = [0x1d9, 0x834];

/// Events of users who count all the time.
const USERS: [&str; 4] = [
    "cbox_0/clockticks/",
    "ubox/clockticks/",
    "imc_0/cas_count.rd/",
    "r2pcie/clockticks/",
];

/// Returns the registers of all cores that interrupts need.
fn registers_of_cores(session: &mut Session) -> String {
    let [debugctl, lvtpc] = OF_CORES;
    session.ok(&format!(
        "rdmsr -a {debugctl:#x} | sort && rdmsr -a {lvtpc:#x} | sort"
    ))
}

/// Returns the accesses to the global control and status registers in the machine's log.
fn to_global_registers(log: &str) -> Vec<&str> {
    let registers = match Platform::current() {
        Platform::Ivbep => [" 0xc00 ", " 0xc01 "],
        _ => [" 0x700 ", " 0x701 "],
    };
    let is_global = |line: &&str| registers.iter().any(|register| line.contains(register));
    log.lines().filter(is_global).collect()
}

#[test]
fn who_only_counts_arms_nothing() {
    let config = Config {
        x2apic: true,
        ..Config::of(Driver::None).with_jumps()
    };
    on(&config.with("free-run", "on"), |session| {
        let before = registers_of_cores(session);
        session.machine("log on");
        session.ok(LOAD);
        let events: String = USERS
            .map(|event| format!(" -e {}", Platform::current().pmu(event)))
            .concat();
        session.ok(&format!("perf stat -a -I 500{events} sleep 3"));
        // An hour, in which perf reads every minute.
        let cbox = Probe::cbox(0, "clockticks").open("cbox", CPUS[0]);
        let answers = session.perf_open(&[
            cbox,
            "times 60 machine skip 60000; pause 20000; read cbox".to_owned(),
        ]);
        assert_eq!(reads(&answers, "cbox").len(), 60);
        session.ok(&format!("{} && {}", switch(2, false), switch(2, true)));
        assert_eq!(registers_of_cores(session), before);
        session.machine("log off");
        let log = session.machine("log take");
        assert!(log.lines().count() > 1000, "{log}");
        let global = to_global_registers(&log);
        assert!(global.is_empty(), "{global:?}");
        session.ok("rmmod uncore_rs");
        assert_eq!(registers_of_cores(session), before);
    });
}
