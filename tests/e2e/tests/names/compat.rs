// SPDX-License-Identifier: GPL-2.0

//! `names=compat`: the PMUs have the names that the kernel's own driver gives
//! them, for tools that have these built in.

use crate::names::{machine, Perf, BURST};
use uncore_e2e::catalogue::PacketMatch;
use uncore_e2e::perf::Event;
use uncore_e2e::prelude::*;

#[test]
fn every_pmu_has_its_plain_name_and_no_other() {
    platforms!(; e5 client);
    let config = machine(&["names=compat"]);
    on(&config, |session| {
        let listed = session.ok(&format!("cd {DEVICES} && ls -d *uncore* | sort"));
        let pmus = Shape::of(&config).pmus().into_iter();
        let mut expected: Vec<String> = pmus.map(|(kind, i)| kind.plain_pmu(i)).collect();
        expected.extend(Platform::current().other_plain_pmus());
        expected.sort();
        assert_eq!(listed.lines().collect::<Vec<_>>(), expected);
        let ours = session.ok(&format!(
            "cd {DEVICES} && cat uncore_*/identifier | sort -u"
        ));
        assert_eq!(ours.trim_end(), Platform::current().identifier());
        session.fails(&format!("ls {DEVICES}/uncore_*/alias"));
    });
}

/// Requests by names, by fields, and by config words as other tools compute them.
#[test]
fn boxes_count_under_their_plain_names() {
    platforms!(; e5 client);
    let probes = match Platform::current() {
        Platform::Ivbep => of_a_xeon(&[
            Probe::ubox("event_msg.msi_rcvd"),
            Probe::r3qpi(0, "rxr_occupancy.snp"),
        ]),
        Platform::Bdx => of_a_xeon(&[
            Probe::ubox("event_msg.doorbell_rcvd"),
            Probe::sbox(3, "rxr_occupancy.ad_crd"),
        ]),
        platform => (platform.asked().plain)(),
    };
    on(&machine(&["names=compat"]), |session| {
        let by_name = probes.iter().map(Wanted::by_plain_name);
        session.counts(BURST, Platform::packages(), &by_name.collect::<Vec<_>>());
        let by_words = probes.iter().map(Wanted::in_kernel);
        session.counts(BURST, Platform::packages(), &by_words.collect::<Vec<_>>());
    });
}

fn of_a_xeon(own: &[Probe]) -> Vec<Probe> {
    let common = [
        Probe::cbox(2, "tor_inserts.miss_opcode").opc(0x1e5),
        Probe::ha(1, "addr_opc_match.opc").home_opcode(0x3f),
        Probe::imc(7, "cas_count.wr"),
        Probe::irp(1, "transactions.reads"),
        Probe::pcu("freq_band3_cycles").band(3, 25),
        Probe::qpi(1, "cto_count").packet(PacketField::Mc, 0xe, 0xf),
        Probe::r2pcie("ring_iv_used.any"),
    ];
    common.into_iter().chain(own.iter().cloned()).collect()
}

/// The match of packets with data, as the manual gives it (DRS.AnyDataC).
fn data_packets() -> PacketMatch {
    PacketMatch {
        match0: 0x1c00,
        mask0: 0x1f80,
        ..PacketMatch::default()
    }
}

/// Command lines written for the kernel's own driver work unchanged.
#[test]
fn command_lines_for_the_kernels_own_driver_work() {
    platforms!(; e5);
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
                Probe::qpi(0, "cto_count").packet_words(data_packets()),
            ),
        ] {
            let event = Event::new(pmu, terms).named("theirs");
            for perf in Perf::BOTH {
                let stat = Stat::burst(BURST).option("--per-socket").event(&event);
                let table = session.stat(&stat.asking(perf.program()));
                for &package in Platform::packages() {
                    let line = table.at("theirs", Place::Socket(package)).expect("a line");
                    let count = probe.count(package, BURST);
                    assert_eq!(probe.exact(line), Some(count), "{terms} {perf:?}");
                }
            }
        }
    });
}

/// Requests of PCM to a box. `config` is the value for the control register, enable bit
/// included; for an unused counter it is otherwise 0. `config1` is one value of the
/// filters for all events.
fn control_words() -> [Vec<(u64, u64, Probe)>; 3] {
    const ENABLE: u64 = 1 << 22;
    let opcode = 0x1e5 << 52;
    let another = 0x19e << 52;
    let bands = 0x1e19_140a;
    let band = |band: u8, value| {
        let probe = Probe::pcu(&format!("freq_band{band}_cycles")).band(band, value);
        (ENABLE | (0x0b + u64::from(band)), bands, probe)
    };
    [
        vec![
            (ENABLE | 0x0304, 0, Probe::imc(0, "cas_count.rd")),
            (ENABLE | 0x0c04, 0, Probe::imc(0, "cas_count.wr")),
            (ENABLE | 0x0204, 0, Probe::imc(0, "cas_count.rd_underfill")),
            (ENABLE, 0, Probe::imc(0, "dclockticks")),
            (0xff, 0, Probe::imc(0, "clockticks")),
        ],
        vec![
            (
                ENABLE | 0x0135,
                opcode,
                Probe::cbox(1, "tor_inserts.opcode").opc(0x1e5),
            ),
            (ENABLE, opcode, Probe::cbox(1, "clockticks")),
            (0, opcode, Probe::cbox(1, "clockticks")),
            // A filter that is left out conflicts with no other.
            (ENABLE, another, Probe::cbox(1, "clockticks")),
        ],
        vec![band(0, 10), band(1, 20), band(2, 25), band(3, 30)],
    ]
}

#[test]
fn control_words_and_filters_of_other_events_are_accepted() {
    platforms!(; e5);
    on(&machine(&["names=compat"]), |session| {
        for events in control_words() {
            for &package in Platform::packages() {
                let cpu = 2 * package;
                let opens = events
                    .iter()
                    .enumerate()
                    .map(|(n, (config, config1, probe))| {
                        let pmu = probe.kind.plain_pmu(probe.instance);
                        format!(
                            "open e{n} pmu={pmu} config={config:#x} config1={config1:#x} cpu={cpu}"
                        )
                    });
                let mut steps: Vec<String> = opens.collect();
                steps.push(format!("burst {BURST}"));
                steps.extend((0..events.len()).map(|n| format!("read e{n}")));
                let answers = session.perf_open(&steps);
                for (n, (.., probe)) in events.iter().enumerate() {
                    let expected = Some(probe.count(package, BURST));
                    let read = reads(&answers, &format!("e{n}"));
                    assert_eq!(read, [expected], "{probe:?}: {answers:?}");
                }
            }
        }
        // A request that would count something else is still refused.
        let invert = "open inverted pmu=uncore_imc_0 config=0xc00304";
        assert_eq!(session.perf_open(&[invert]), ["inverted EINVAL"]);
    });
}

/// Only tools that use the plain names can give control words.
#[test]
fn control_words_are_refused_under_names_of_our_own() {
    platforms!(; e5);
    on(&machine(&[]), |session| {
        for (config, config1, probe) in control_words().concat() {
            let pmu = probe.pmu();
            let strict = probe.words() == Words([config, config1, 0]);
            let open = format!("open e pmu={pmu} config={config:#x} config1={config1:#x}");
            let answer = if strict { "e ok" } else { "e EINVAL" };
            assert_eq!(session.perf_open(&[open]), [answer], "{probe:?}");
        }
    });
}

/// Only one of the two drivers can use the hardware, whatever the names.
#[test]
fn beside_the_kernels_own_driver_it_does_not_load() {
    platforms!(; e5);
    let config = uncore_runner::Config::of(uncore_runner::Driver::None);
    on(&config, |session| {
        session.tolerate_missing_ones();
        session.ok("insmod /lib/modules/intel-uncore.ko");
        session.fails("insmod /lib/modules/uncore_rs.ko names=compat");
        session.ok("rmmod intel_uncore");
        session.ok("insmod /lib/modules/uncore_rs.ko names=compat");
        session.ok("rmmod uncore_rs");
    });
}
