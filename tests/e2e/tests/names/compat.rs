// SPDX-License-Identifier: GPL-2.0

//! `names=compat`: the PMUs have the names that the kernel's own driver gives
//! them, for tools that have these built in.

use crate::names::{machine, Perf, BURST, PACKAGES};
use ivbep_e2e::fixture::probe::Probe;
use ivbep_e2e::fixture::{on, Shape, Wanted, DEVICES};
use ivbep_e2e::perf::{Event, Place, Stat};

#[test]
fn every_pmu_has_its_plain_name_and_no_other() {
    let config = machine(&["names=compat"]);
    on(&config, |session| {
        let listed = session.ok(&format!("cd {DEVICES} && ls -d *uncore* | sort"));
        let pmus = Shape::of(&config).pmus().into_iter();
        let mut expected: Vec<String> = pmus.map(|(kind, i)| kind.plain_pmu(i)).collect();
        expected.sort();
        assert_eq!(listed.lines().collect::<Vec<_>>(), expected);
        let ours = session.ok(&format!(
            "cd {DEVICES} && cat uncore_*/identifier | sort -u"
        ));
        assert_eq!(ours, "ivbep-6-3e-4\n");
        session.fails(&format!("ls {DEVICES}/uncore_*/alias"));
    });
}

/// By names, by fields, and by config words as other tools compute them.
#[test]
fn boxes_count_under_their_plain_names() {
    let probes = [
        Probe::ubox("event_msg.msi_rcvd"),
        Probe::cbox(2, "tor_inserts.miss_opcode").opc(0x1e5),
        Probe::ha(1, "addr_opc_match.opc").home_opcode(0x3f),
        Probe::imc(7, "cas_count.wr"),
        Probe::irp(1, "transactions.reads"),
        Probe::pcu("freq_band3_cycles").band(3, 25),
        Probe::qpi(1, "message.drs.anydatac"),
        Probe::r2pcie("ring_iv_used.any"),
        Probe::r3qpi(0, "rxr_occupancy.snp"),
    ];
    on(&machine(&["names=compat"]), |session| {
        let by_name = probes.iter().map(Wanted::by_plain_name);
        session.counts(BURST, &PACKAGES, &by_name.collect::<Vec<_>>());
        let by_words = probes.iter().map(Wanted::in_kernel);
        session.counts(BURST, &PACKAGES, &by_words.collect::<Vec<_>>());
    });
}

/// Command lines written for the kernel's own driver, as they are.
#[test]
fn command_lines_for_the_kernels_own_driver_work() {
    on(&machine(&["names=compat"]), |session| {
        for (pmu, terms, probe) in [
            (
                "uncore_imc_0",
                "cas_count_read",
                Probe::imc(0, "cas_count.rd"),
            ),
            ("uncore_imc_0", "clockticks", Probe::imc(0, "clockticks")),
            (
                "uncore_cbox_1",
                "event=0x34,umask=0x11,filter_state=0x1",
                Probe::cbox(1, "llc_lookup.any").state(1),
            ),
            (
                "uncore_pcu",
                "event=0xb,filter_band0=20",
                Probe::pcu("freq_band0_cycles").band(0, 20),
            ),
            (
                "uncore_qpi_0",
                "event=0x138,match0=0x1c00,mask0=0x1f80",
                Probe::qpi(0, "message.drs.anydatac"),
            ),
        ] {
            let event = Event::new(pmu, terms).named("theirs");
            for perf in Perf::BOTH {
                let stat = Stat::burst(BURST).option("--per-socket").event(&event);
                let table = session.stat(&stat.asking(perf.program()));
                for package in PACKAGES {
                    let line = table.at("theirs", Place::Socket(package)).expect("a line");
                    let count = probe.count(package, BURST);
                    assert_eq!(probe.exact(line), Some(count), "{terms} {perf:?}");
                }
            }
        }
    });
}

/// Only one of the two can drive the hardware, whatever the names.
#[test]
fn beside_the_kernels_own_driver_it_does_not_load() {
    let config = ivbep_e2e::Config {
        driver: ivbep_e2e::Driver::None,
        ..ivbep_e2e::Config::default()
    };
    on(&config, |session| {
        session.tolerate_violations(); // those of the kernel's own driver
        session.ok("insmod /lib/modules/intel-uncore.ko");
        session.fails("insmod /lib/modules/ivbep_uncore.ko names=compat");
        session.ok("rmmod intel_uncore");
        session.ok("insmod /lib/modules/ivbep_uncore.ko names=compat");
        session.ok("rmmod ivbep_uncore");
    });
}
