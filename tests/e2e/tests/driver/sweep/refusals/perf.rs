// SPDX-License-Identifier: GPL-2.0

//! Refusals that need more than one request, or that perf itself makes.

use crate::driver::{one_of_each_type, usual_machine};
use uncore_e2e::prelude::*;

#[test]
fn boxes_do_not_mix_in_a_group() {
    platforms!(each);
    on(&usual_machine(), |session| {
        for (leader, sibling) in apart() {
            let answers = session.perf_open(&[
                leader.open("leader", 0),
                sibling.open_in("sibling", 0, "leader"),
            ]);
            assert_eq!(answers, ["leader ok", "sibling EINVAL"], "{sibling:?}");
        }
    });
}

/// Events of two boxes each.
fn apart() -> Vec<(Probe, Probe)> {
    match Platform::current() {
        Platform::Ivbep | Platform::Bdx => vec![
            (Probe::imc(0, "wrong_mm"), Probe::imc(1, "wrong_mm")),
            (Probe::imc(0, "wrong_mm"), Probe::cbox(0, "clockticks")),
            (Probe::ha(0, "clockticks"), Probe::ha(1, "clockticks")),
            (Probe::qpi(1, "txl_inserts"), Probe::r3qpi(1, "clockticks")),
            (Probe::pcu("clockticks"), Probe::ubox("clockticks")),
            (Probe::irp(1, "clockticks"), Probe::r2pcie("clockticks")),
        ],
        platform => (platform.asked().apart)(),
    }
}

#[test]
fn counter0_occupancy_needs_an_occupancy_that_leads_its_group() {
    platforms!(e5);
    on(&usual_machine(), |session| {
        let pmu = BoxKind::Cbox.pmu(0);
        let view = format!("open view pmu={pmu} config=0x100001f cpu=0 group=leader");
        for (leader, answer) in [
            (Probe::cbox(0, "clockticks"), "view EINVAL"),
            (Probe::cbox(0, "misc.rfo_hit_s"), "view EINVAL"),
            (Probe::cbox(0, "rxr_occupancy.irq"), "view ok"),
            (Probe::cbox(0, "tor_occupancy.all"), "view ok"),
        ] {
            let answers = session.perf_open(&[leader.open("leader", 0), view.clone()]);
            assert_eq!(answers, ["leader ok", answer], "{leader:?}");
        }
        let rejections = session.rejections();
        let last = rejections.last().expect("a refusal");
        assert!(last.contains("occupancy"), "{last}");
    });
}

/// perf finds the missing part of an event in its file under `events/`; with `-v` it
/// names the missing filter.
#[test]
fn perf_itself_asks_for_a_missing_filter() {
    platforms!(e5 e7);
    on(&usual_machine(), |session| {
        let own: &[(&str, &str)] = match Platform::current() {
            Platform::Ivbep => &[("pcu/demotions_core9", "filter_band0")],
            Platform::Bdx => &[("cbox_2/rxr_irq_retry2.target", "filter_nid")],
            platform => platform.asked().missing,
        };
        let of_xeons = [
            ("cbox_0/tor_inserts.miss_opcode", "filter_opc"),
            ("cbox_0/llc_victims.nid", "filter_nid"),
            ("ha_1/addr_opc_match.addr", "filter_addr"),
            ("ha_0/addr_opc_match.opc", "filter_opc"),
            ("ha_0/addr_opc_match.filt,filter_opc=1", "filter_addr"),
            ("pcu/freq_band2_cycles", "filter_band2"),
        ];
        let common: &[(&str, &str)] = match Platform::current() {
            Platform::Ivbep | Platform::Bdx => &of_xeons,
            _ => &[],
        };
        for (event, field) in common.iter().chain(own) {
            let event = format!("{}/", Platform::current().pmu(event));
            session.fails(&format!("perf stat -a -e {event} -- true"));
            let said = session.run(&format!("perf stat -v -a -e {event} -- true 2>&1"));
            assert!(said.stdout.contains(field), "{}", said.stdout);
        }
    });
}

#[test]
fn perf_itself_refuses_what_no_field_can_hold() {
    platforms!(each);
    on(&usual_machine(), |session| {
        let own: &[&str] = match Platform::current() {
            Platform::Ivbep => &[
                "cbox_0/misc.rfo_hit_s,inv=1",
                "cbox_0/llc_lookup.any,filter_state=0x40",
                "cbox_0/misc.rfo_hit_s,tid_en=1,filter_tid=0x20",
                "ha_0/requests.reads,inv=1",
                "pcu/event=0x202",
                "r2pcie/ring_ad_used.cw,inv=1",
            ],
            Platform::Bdx => &[
                "cbox_0/misc.rfo_hit_s,inv=2",
                "cbox_0/llc_lookup.any,filter_state=0x80",
                "cbox_0/misc.rfo_hit_s,tid_en=1,filter_tid=0x40",
                "sbox_0/clockticks,tid_en=1",
                "sbox_0/clockticks,interval=100000000",
                "pcu/event=0x102",
                "irp/clockticks,interval=0x80000000",
            ],
            platform => platform.asked().unheld,
        };
        let of_xeons = [
            "cbox_0/misc.rfo_hit_s,filter_link=1",
            "cbox_0/misc.rfo_hit_s,filter_c6=1",
            "cbox_0/llc_lookup.nid,filter_nid=0x10000",
            "cbox_0/tor_inserts.opcode,filter_opc=0x200",
            "ubox/event_msg.doorbell_rcvd,thresh=32",
            "imc_0/cas_count.rd,filter_nid=1",
            "imc_0/event=0x104",
            "imc_0/cas_count.rd,occ_sel=1",
            "ha_0/addr_opc_match.addr,filter_addr=0x400000000000",
            "ha_0/addr_opc_match.opc,filter_opc=0x40",
            "irp/clockticks,set=2",
            "pcu/freq_band0_cycles,filter_band0=0x100",
            "pcu/clockticks,thresh=32",
            "pcu/clockticks,umask=1",
            "pcu/power_state_occupancy.cores_c0,occ_sel=4",
            "qpi_0/cto_count,match_mc=0x10",
            "qpi_0/cto_count,mask_dnid=0x20",
            "qpi_0/event=0x238",
            "r3qpi_0/clockticks,tid_en=1",
        ];
        let common: &[&str] = match Platform::current() {
            Platform::Ivbep | Platform::Bdx => &of_xeons,
            _ => &[],
        };
        for terms in common.iter().chain(own) {
            let event = Platform::current().pmu(terms);
            let pmu = event.split('/').next().expect("a PMU");
            session.ok(&format!("[ -d {DEVICES}/{pmu} ]"));
            session.fails(&format!("perf stat -a -e {event}/ -- true"));
        }
    });
}

#[test]
fn perf_record_is_refused() {
    platforms!(each);
    on(&usual_machine(), |session| {
        for probe in one_of_each_type() {
            let event = probe.event();
            session.fails(&format!(
                "perf record -o /dev/null -a -c 1000 -e {event} -- true"
            ));
            let unit = probe.kind.box_name(0);
            session.last_rejection_has(&[&format!("{unit}: "), "EOPNOTSUPP"]);
        }
    });
}
