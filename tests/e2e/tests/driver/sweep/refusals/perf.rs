// SPDX-License-Identifier: GPL-2.0

//! Refusals that need more than one request, or that perf itself makes.

use crate::driver::usual_machine;
use uncore_e2e::prelude::*;

#[test]
fn boxes_do_not_mix_in_a_group() {
    on(&usual_machine(), |session| {
        for (leader, sibling) in [
            (Probe::imc(0, "wrong_mm"), Probe::imc(1, "wrong_mm")),
            (Probe::imc(0, "wrong_mm"), Probe::cbox(0, "misc.started")),
            (Probe::ha(0, "bt_bypass"), Probe::ha(1, "bt_bypass")),
            (Probe::qpi(1, "txl_inserts"), Probe::r3qpi(1, "clockticks")),
            (Probe::pcu("clockticks"), Probe::ubox("clockticks")),
            (Probe::irp(1, "clockticks"), Probe::r2pcie("clockticks")),
        ] {
            let answers = session.perf_open(&[
                leader.open("leader", 0),
                sibling.open_in("sibling", 0, "leader"),
            ]);
            assert_eq!(answers, ["leader ok", "sibling EINVAL"], "{sibling:?}");
        }
    });
}

#[test]
fn counter0_occupancy_needs_an_occupancy_that_leads_its_group() {
    on(&usual_machine(), |session| {
        let view = "open view pmu=ivbep_uncore_cbox_0 config=0x100001f cpu=0 group=leader";
        for (leader, answer) in [
            (Probe::cbox(0, "clockticks"), "view EINVAL"),
            (Probe::cbox(0, "misc.started"), "view EINVAL"),
            (Probe::cbox(0, "rxr_occupancy.irq"), "view ok"),
            (Probe::cbox(0, "tor_occupancy.all"), "view ok"),
        ] {
            let answers = session.perf_open(&[leader.open("leader", 0), view.to_owned()]);
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
    on(&usual_machine(), |session| {
        for (event, field) in [
            ("cbox_0/tor_inserts.miss_opcode", "filter_opc"),
            ("cbox_0/llc_victims.nid", "filter_nid"),
            ("ha_1/addr_opc_match.addr", "filter_addr"),
            ("ha_0/addr_opc_match.opc", "filter_opc"),
            ("ha_0/addr_opc_match.filt,filter_opc=1", "filter_addr"),
            ("pcu/freq_band2_cycles", "filter_band2"),
            ("pcu/demotions_core9", "filter_band0"),
        ] {
            let event = format!("ivbep_uncore_{event}/");
            session.fails(&format!("perf stat -a -e {event} -- true"));
            let said = session.run(&format!("perf stat -v -a -e {event} -- true 2>&1"));
            assert!(said.stdout.contains(field), "{}", said.stdout);
        }
    });
}

#[test]
fn perf_itself_refuses_what_no_field_can_hold() {
    on(&usual_machine(), |session| {
        for terms in [
            "cbox_0/misc.started,inv=1",
            "cbox_0/misc.started,filter_link=1",
            "cbox_0/misc.started,filter_c6=1",
            "cbox_0/llc_lookup.any,filter_state=0x40",
            "cbox_0/llc_lookup.nid,filter_nid=0x10000",
            "cbox_0/tor_inserts.opcode,filter_opc=0x200",
            "ubox/lock_cycles,thresh=32",
            "imc_0/cas_count.rd,filter_nid=1",
            "imc_0/event=0x104",
            "imc_0/cas_count.rd,occ_sel=1",
            "ha_0/requests.reads,inv=1",
            "ha_0/addr_opc_match.addr,filter_addr=0x400000000000",
            "ha_0/addr_opc_match.opc,filter_opc=0x40",
            "irp/clockticks,set=2",
            "pcu/freq_band0_cycles,filter_band0=0x100",
            "pcu/clockticks,thresh=32",
            "pcu/clockticks,umask=1",
            "pcu/event=0x202",
            "pcu/power_state_occupancy.cores_c0,occ_sel=4",
            "qpi_0/cto_count,match_mc=0x10",
            "qpi_0/cto_count,mask_dnid=0x20",
            "qpi_0/event=0x238",
            "r2pcie/ring_ad_used.cw,inv=1",
            "r3qpi_0/clockticks,tid_en=1",
        ] {
            session.fails(&format!("perf stat -a -e ivbep_uncore_{terms}/ -- true"));
        }
    });
}

#[test]
fn perf_record_is_refused() {
    on(&usual_machine(), |session| {
        let event = "ivbep_uncore_imc_0/cas_count.rd/";
        session.fails(&format!(
            "perf record -o /dev/null -a -c 1000 -e {event} -- true"
        ));
        session.last_rejection_has(&["imc_0: ", "EOPNOTSUPP"]);
    });
}
