// SPDX-License-Identifier: GPL-2.0

//! Loading and unloading: alone, twice, with events open, beside the
//! in-kernel driver.

use crate::lifetime::{loaded, new_log, samples, without_driver, BURST, LOAD};
use uncore_e2e::prelude::*;

#[test]
fn load_count_unload_and_again() {
    platforms!(each);
    on(&without_driver(), |session| {
        for _ in 0..3 {
            session.ok(LOAD);
            session.counts(BURST, Platform::packages(), &Wanted::all(samples()));
            session.ok(UNLOAD);
            assert_eq!(
                session.ok(&format!(
                    "cd {DEVICES} && ls | grep -c {}_ || true",
                    Platform::current().name()
                )),
                "0\n"
            );
        }
    });
}

/// No CPU is online that can reset the registers of package 1.
#[test]
fn a_package_may_be_offline_when_it_is_unloaded() {
    platforms!(; e5);
    let switch = |on| [2, 3].map(|cpu| switch(cpu, on)).join(" && ");
    on(&without_driver(), |session| {
        session.ok(LOAD);
        session.ok(&switch(false));
        session.ok(UNLOAD);
        session.ok(&switch(true));
        session.ok(LOAD);
        session.counts(BURST, Platform::packages(), &Wanted::all(samples()));
        session.ok(UNLOAD);
    });
}

/// After unloading no counter counts, no event is selected, and no filter is set.
#[test]
fn unloading_leaves_the_registers_in_reset_state() {
    platforms!(; each);
    on(&without_driver(), |session| {
        let before = session.state_after_unloading();
        session.ok(LOAD);
        for probes in [with_many_fields(), samples()] {
            session.counts(BURST, Platform::packages(), &Wanted::all(probes));
        }
        session.ok(UNLOAD);
        assert_eq!(session.state(), before);
    });
}

/// Returns events that set many bits of their registers.
fn with_many_fields() -> Vec<Probe> {
    match Platform::current() {
        Platform::Ivbep | Platform::Bdx => with_many_fields_of_xeons(),
        platform => (platform.asked().with_many_fields)(),
    }
}

fn with_many_fields_of_xeons() -> Vec<Probe> {
    let heavy = Probe::cbox(0, "tor_occupancy.nid_opcode")
        .opc(0x1e6)
        .nid(0xffff)
        .tid(31);
    let channel = Probe::imc(3, "power_cke_cycles.rank0").thresh(16).edge();
    let cores = Probe::pcu("power_state_occupancy.cores_c6");
    let line = Probe::ha(1, "addr_opc_match.filt").address(0x3fff_ffff_ffc0);
    vec![
        heavy,
        channel,
        Probe::imc(3, "clockticks"),
        cores.thresh(8).occ_invert().occ_edge(),
        Probe::pcu("freq_band3_cycles").band(3, 0xff),
        line.home_opcode(0x3f),
        Probe::qpi(1, "message.drs.datac_e_frcackcnflt").thresh(2),
        Probe::irp(0, "cache_total_occupancy.source").thresh(128),
    ]
}

#[test]
fn unloading_is_refused_while_an_event_is_open() {
    platforms!(; each);
    loaded(|session| {
        for probe in samples() {
            let each = probe.count(0, BURST);
            let answers = session.perf_open(&[
                probe.open("event", 0),
                format!("burst {BURST}"),
                format!("run ! {UNLOAD} 2>/dev/null"),
                format!("burst {BURST}"),
                "read event".to_owned(),
            ]);
            assert!(
                answers[1].starts_with(&format!("event {} ", 2 * each)),
                "{answers:?}"
            );
        }
    });
}

#[test]
fn loading_twice_is_refused_and_harmless() {
    platforms!(; each);
    loaded(|session| {
        session.fails(LOAD);
        session.counts(BURST, Platform::packages(), &Wanted::all(samples()));
    });
}

#[test]
fn a_parameter_that_means_nothing_fails_the_load() {
    platforms!(; e5);
    on(&without_driver(), |session| {
        for parameter in [
            "alias=some",
            "alias=",
            "names=pretty",
            "names=plain",
            "overflow=never",
            "tamper=ignore",
            "filters=two",
            "frozen_limit=many",
        ] {
            session.fails(&format!("{LOAD} {parameter}"));
        }
        session.ok(&format!("{LOAD} alias=none names=native"));
        session.ok(UNLOAD);
    });
}

/// The sentence in the log names the other driver and the way out.
#[test]
fn beside_the_in_kernel_driver_it_does_not_load() {
    platforms!(; e5 client);
    on(&without_driver(), |session| {
        session.tolerate_missing_ones();
        session.ok("insmod /lib/modules/intel-uncore.ko");
        new_log(session);
        session.fails(LOAD);
        let log = new_log(session);
        let names_both = |line: &str| {
            ["uncore_rs", "intel_uncore"]
                .iter()
                .all(|name| line.contains(name))
        };
        assert!(log.lines().any(names_both), "{log}");
        let way_out = ["modprobe -r intel_uncore", "rmmod intel_uncore"];
        assert!(way_out.iter().any(|command| log.contains(command)), "{log}");
        session.ok(&format!("perf stat -a -e {} -- true", theirs()));

        session.ok("rmmod intel_uncore");
        session.faults();
        session.ok(LOAD);
        session.counts(BURST, Platform::packages(), &Wanted::all(samples()));
        session.ok(UNLOAD);
        assert_eq!(session.faults().violations, Vec::<String>::new());
    });
}

/// Returns an event of the other driver.
fn theirs() -> &'static str {
    match Platform::current() {
        Platform::Ivbep | Platform::Bdx => "uncore_imc_0/clockticks/",
        platform => platform.asked().theirs,
    }
}

/// The other driver gives up before it writes a register.
#[test]
fn the_in_kernel_driver_does_not_load_beside_it() {
    platforms!(; each);
    on(&without_driver(), |session| {
        session.ok(LOAD);
        let before = session.state();
        session.machine("log on");
        let said = session.fails("insmod /lib/modules/intel-uncore.ko");
        assert!(said.contains("resource busy"), "{said}");
        session.machine("log off");
        let log = session.machine("log take");
        let is_write = |line: &&str| line.starts_with("wrmsr") || line.starts_with("cfgw");
        let written: Vec<_> = log.lines().filter(is_write).collect();
        assert!(written.is_empty(), "{written:?}");
        assert_eq!(session.state(), before);
        session.counts(BURST, Platform::packages(), &Wanted::all(samples()));
        session.ok(UNLOAD);
    });
}

/// An MSR and its value.
type Msr = (u32, u64);
/// A PCI function, an offset and the value there.
type Config = (&'static str, u32, u32);

/// Returns registers of counters and filters as another user could leave them.
fn left_running() -> (&'static [Msr], &'static [Config]) {
    match Platform::current() {
        Platform::Ivbep => (
            &[
                (0xd10, 0x0040_0439), // C-Box 0, counter 0: misc.started, enabled
                (0xd14, 0x007e_0000),
                (0xd16, 0x0fff_ffff_fff0),
                (0xd1a, 0x1e60_ffff),
                (0xc10, 0x0040_0044), // UBox, counter 0: lock_cycles, enabled
                (0xc08, 0x0040_0000), // UBox, fixed counter, enabled
                (0xc09, 0x0fff_ffff_fff0),
                (0xc30, 0x0040_000b), // PCU, counter 0: freq_band0_cycles
                (0xc34, 0xffff_ffff), // and its filter
            ],
            &[
                ("10.4", 0xd8, 0x0040_0304),  // channel 0, counter 0: cas_count.rd
                ("10.4", 0xf0, 0x0040_0000),  // its fixed counter
                ("0e.1", 0xd8, 0x0040_0220),  // HA 0: addr_opc_match.opc
                ("0e.1", 0x48, 0x0000_001e),  // its opcode
                ("08.2", 0xdc, 0x0060_0038),  // QPI port 0: cto_count
                ("08.6", 0x228, 0x0000_0600), // its match
                ("08.6", 0x238, 0x0000_1e00), // its mask
            ],
        ),
        Platform::Bdx => (
            &[
                (0xe01, 0x0040_0239), // C-Box 0, counter 0: misc, enabled
                (0xe05, 0x00fe_003f),
                (0xe08, 0xffff_ffff_fff0),
                (0xe06, 0x1e60_ffff),
                // S-Box 0, counter 0: ring_ad_used.up, enabled; its event needs two writes
                (0x721, 0x0000_031b),
                (0x721, 0x0040_031b),
                (0x726, 0xffff_ffff_fff0),
                (0x705, 0x0040_0046), // UBox, counter 0: racu_requests, enabled
                (0x703, 0x0040_0000), // UBox, fixed counter, enabled
                (0x704, 0xffff_ffff_fff0),
                (0x711, 0x0040_000b), // PCU, counter 0: freq_band0_cycles
                (0x715, 0xffff_ffff), // and its filter
            ],
            &[
                ("14.0", 0xd8, 0x0040_0304),  // channel 0, counter 0: cas_count.rd
                ("14.0", 0xf0, 0x0040_0000),  // its fixed counter
                ("12.1", 0xd8, 0x0040_0220),  // HA 0: addr_opc_match.opc
                ("12.1", 0x48, 0x0000_001e),  // its opcode
                ("08.2", 0xdc, 0x0060_0038),  // QPI port 0: cto_count
                ("08.6", 0x228, 0x0000_0600), // its match
                ("08.6", 0x238, 0x0000_1e00), // its mask
                ("08.6", 0x210, 0x0000_1e00), // the mask of sent packets
                ("10.1", 0xd8, 0x0000_0001),  // R2PCIe: clockticks, in two writes
                ("10.1", 0xd8, 0x0040_0001),
                ("0b.1", 0xd8, 0x0000_0307), // R3QPI link 0: ring_ad_used.cw, likewise
                ("0b.1", 0xd8, 0x0040_0307),
            ],
        ),
        platform => platform.asked().left_running,
    }
}

/// Register values that another user of the hardware left have no effect.
#[test]
fn counters_that_somebody_left_running_do_not_show() {
    platforms!(; each);
    on(&without_driver(), |session| {
        let before = session.state_after_unloading();
        let (msrs, functions) = left_running();
        for &package in Platform::packages() {
            for (msr, value) in msrs {
                session.machine(&format!("poke-msr {package} {msr:#x} {value:#x}"));
            }
        }
        for bus in ["7f", "ff"] {
            for (function, offset, value) in functions {
                session.machine(&format!(
                    "poke-config {bus}:{function} {offset:#x} {value:#x}"
                ));
            }
        }
        session.ok(LOAD);
        session.counts(BURST, Platform::packages(), &Wanted::all(samples()));
        session.ok(UNLOAD);
        assert_eq!(session.state(), before);
    });
}

/// A program counts all the time while the module is unloaded.
#[test]
fn unloading_and_counting_at_the_same_time_is_safe() {
    platforms!(; each);
    loaded(|session| {
        let event = samples()[0].event_of_all_boxes();
        let pmu = samples()[0].pmu();
        session.ok(&format!(
            "(for i in $(seq 20); do \
                perf stat -a -e {event} -- true >/dev/null 2>&1; done) & \
             for i in $(seq 10); do {UNLOAD} 2>/dev/null && {LOAD}; done; wait; \
             [ -d {DEVICES}/{pmu} ] || {LOAD}"
        ));
        session.counts(BURST, Platform::packages(), &Wanted::all(samples()));
    });
}
