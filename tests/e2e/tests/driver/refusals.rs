// SPDX-License-Identifier: GPL-2.0

//! Each kind of bad request is refused with its errno and a sentence that
//! names the PMU and the offending part, and leaves the hardware untouched.
//!
//! Most requests bypass perf, which would complain (or correct them) itself.

use crate::{usual_machine, BURST, PACKAGES};
use ivbep_e2e::fixture::probe::Probe;
use ivbep_e2e::fixture::{assert_none, on, Session};

/// A request, what the kernel must say, and words of the driver's reason.
struct Refusal {
    unit: &'static str,
    request: &'static str,
    errno: &'static str,
    reason: &'static [&'static str],
}

const fn bad(
    unit: &'static str,
    request: &'static str,
    reason: &'static [&'static str],
) -> Refusal {
    Refusal {
        unit,
        request,
        errno: "EINVAL",
        reason,
    }
}

const fn unsupported(request: &'static str, reason: &'static [&'static str]) -> Refusal {
    Refusal {
        unit: "cbox_0",
        request,
        errno: "EOPNOTSUPP",
        reason,
    }
}

/// misc.started, an event that takes no filter, is 0x0439.
const REFUSALS: &[Refusal] = &[
    // What an uncore PMU cannot do.
    unsupported("config=0x439 period=100000", &["sampl"]),
    unsupported("config=0x439 period=100 freq", &["sampl"]),
    bad("cbox_0", "config=0x439 exclude_user", &["exclude_user"]),
    bad("cbox_0", "config=0x439 exclude_kernel", &["exclude_kernel"]),
    bad("cbox_0", "config=0x439 exclude_hv", &["exclude_hv"]),
    bad("cbox_0", "config=0x439 exclude_idle", &["exclude_idle"]),
    bad("cbox_0", "config=0x439 exclude_host", &["exclude_host"]),
    bad("cbox_0", "config=0x439 exclude_guest", &["exclude_guest"]),
    bad("cbox_0", "config=0x439 pid=0 cpu=-1", &["task"]),
    bad("cbox_0", "config=0x439 pid=0 cpu=0", &["task"]),
    // Bits that no field owns.
    bad("cbox_0", "config=0x10439", &["config", "0x10000"]),
    bad("cbox_0", "config=0x20439", &["config", "0x20000"]),
    bad("cbox_0", "config=0x100439", &["config", "0x100000"]),
    bad("cbox_0", "config=0x200439", &["config", "0x200000"]),
    bad("cbox_0", "config=0x400439", &["config", "0x400000"]),
    bad("cbox_0", "config=0x800439", &["config", "0x800000"]),
    bad("cbox_0", "config=0x100000439", &["config", "0x100000000"]),
    bad("cbox_0", "config=0x439 config1=0x20", &["config1", "0x20"]),
    bad(
        "cbox_0",
        "config=0x439 config1=0x800000",
        &["config1", "0x800000"],
    ),
    bad(
        "cbox_0",
        "config=0x439 config1=0x2000000000000000",
        &["config1"],
    ),
    bad("cbox_0", "config=0x439 config2=0x1", &["config2", "0x1"]),
    bad("imc_0", "config=0x304 config1=0x1", &["config1", "0x1"]),
    bad("imc_0", "config=0x80304", &["config", "0x80000"]),
    bad(
        "imc_0",
        "config=0x304 config2=0x8000000000000000",
        &["config2"],
    ),
    bad("ubox", "config=0x20000144", &["config", "0x20000000"]),
    bad("ubox", "config=0x44 config1=0x1", &["config1", "0x1"]),
    // The fixed counters count one thing.
    bad("imc_0", "config=0x1ff", &["fixed"]),
    bad("imc_0", "config=0x10000ff", &["fixed"]),
    bad("ubox", "config=0x10400ff", &["fixed"]),
    bad("cbox_0", "config=0xff", &["0xff"]),
    // Events and sub-events that do not exist.
    bad("cbox_0", "config=0x1", &["event", "0x01"]),
    bad("cbox_0", "config=0x138", &["event", "0x38"]),
    bad("imc_0", "config=0x103", &["event", "0x03"]),
    bad("ubox", "config=0x147", &["event", "0x47"]),
    bad("cbox_0", "config=0x39", &["umask"]),
    bad("cbox_0", "config=0x1039", &["umask", "0x10"]),
    bad("cbox_0", "config=0x107", &["umask", "0x01"]),
    bad("imc_0", "config=0x8004", &["umask", "0x80"]),
    bad("ubox", "config=0x2042", &["umask", "0x20"]),
    // LLC_LOOKUP needs bit 0; the TOR takes the listed combinations only.
    bad("cbox_0", "config=0x234", &["umask", "0x02"]),
    bad("cbox_0", "config=0x235", &["umask", "0x02"]),
    bad(
        "cbox_0",
        "config=0xa136 config1=0x1820000000000000",
        &["umask", "0xa1"],
    ),
    // They need a register that nobody has described.
    bad("ubox", "config=0x141", &["filter"]),
    bad("ubox", "config=0x441", &["filter"]),
    bad("ubox", "config=0x341", &["filter"]),
    // Edges and thresholds.
    bad("cbox_0", "config=0x40439", &["edge", "thresh"]),
    bad("imc_0", "config=0x40304", &["edge", "thresh"]),
    bad("ubox", "config=0x40044", &["edge", "thresh"]),
    bad("cbox_0", "config=0x2000439", &["thresh", "2"]),
    bad("cbox_0", "config=0x15000111", &["thresh", "21"]),
    bad("imc_0", "config=0x11000183", &["thresh", "17"]),
    bad("ubox", "config=0x2000044", &["thresh", "2"]),
    // Filters: without effect, missing, or such that nothing can match.
    bad("cbox_0", "config=0x439 config1=0x3", &["tid"]),
    bad("cbox_0", "config=0x439 config1=0x20000", &["filter_state"]),
    bad(
        "cbox_0",
        "config=0x439 config1=0x100000000",
        &["filter_nid"],
    ),
    bad(
        "cbox_0",
        "config=0x439 config1=0x1820000000000000",
        &["filter_opc"],
    ),
    bad(
        "cbox_0",
        "config=0x439 config1=0x4000000000000000",
        &["filter_nc"],
    ),
    bad(
        "cbox_0",
        "config=0x439 config1=0x8000000000000000",
        &["filter_isoc"],
    ),
    bad(
        "cbox_0",
        "config=0x1134 config1=0x100000000",
        &["filter_nid"],
    ),
    bad(
        "cbox_0",
        "config=0x435 config1=0x1820000000000000",
        &["filter_opc"],
    ),
    bad("cbox_0", "config=0x4134", &["filter_nid"]),
    bad("cbox_0", "config=0x4037", &["filter_nid"]),
    bad("cbox_0", "config=0x135", &["filter_opc"]),
    bad(
        "cbox_0",
        "config=0x4135 config1=0x1820000000000000",
        &["filter_nid"],
    ),
    bad(
        "cbox_0",
        "config=0x4135 config1=0x100000000",
        &["filter_opc"],
    ),
    bad(
        "cbox_0",
        "config=0x135 config1=0x0820000000000000",
        &["filter_opc", "0x82"],
    ),
    // It looks at counter 0, on which nothing counts an occupancy.
    bad("cbox_0", "config=0x1f", &["occupancy"]),
];

/// What is wrong about the answer to one request, if anything.
fn verdict(session: &mut Session, refusal: &Refusal) -> Option<String> {
    let Refusal {
        unit,
        request,
        errno,
        reason,
    } = refusal;
    let before = session.rejections();
    let answers = session.perf_open(&[format!("open bad pmu=ivbep_uncore_{unit} {request}")]);
    if answers != [format!("bad {errno}")] {
        return Some(format!("{unit} {request}: {answers:?}, not {errno}"));
    }
    let rejections = session.rejections();
    let last = rejections.last().map_or("", String::as_str);
    let says = |words: &[&str]| words.iter().all(|word| last.contains(word));
    let explained = last.contains(&format!("{unit}: ")) && last.contains(errno) && says(reason);
    let new = rejections != before;
    (!new || !explained).then(|| format!("{unit} {request}: {reason:?} not in `{last}`"))
}

#[test]
fn each_bad_request_is_refused_in_words() {
    on(&usual_machine(), |session| {
        let verdicts = REFUSALS
            .iter()
            .filter_map(|refusal| verdict(session, refusal));
        let verdicts: Vec<String> = verdicts.collect();
        assert_none(&verdicts);
    });
}

#[test]
fn a_refusal_touches_no_register() {
    on(&usual_machine(), |session| {
        let state = session.machine("state");
        session.machine("log take");
        session.machine("log on");
        for refusal in REFUSALS {
            let (unit, request) = (refusal.unit, refusal.request);
            session.perf_open(&[format!("open bad pmu=ivbep_uncore_{unit} {request}")]);
        }
        session.machine("log off");
        let log = session.machine("log take");
        let is_write = |line: &&str| line.starts_with("wrmsr") || line.starts_with("cfgw");
        let writes = log.lines().filter(is_write);
        assert_none(&writes.map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(session.machine("state"), state);
    });
}

#[test]
fn after_all_refusals_a_good_request_counts() {
    on(&usual_machine(), |session| {
        for refusal in REFUSALS {
            let (unit, request) = (refusal.unit, refusal.request);
            session.perf_open(&[format!("open bad pmu=ivbep_uncore_{unit} {request}")]);
        }
        let good = Probe::cbox(0, "misc.started");
        session.counts(BURST, &PACKAGES, &[good.into()]);
    });
}

#[test]
fn boxes_do_not_mix_in_a_group() {
    on(&usual_machine(), |session| {
        let leader = Probe::imc(0, "cas_count.rd").open("leader", 0);
        for sibling in [
            Probe::imc(1, "cas_count.rd"),
            Probe::cbox(0, "misc.started"),
        ] {
            let sibling = format!("{} group=leader", sibling.open("sibling", 0));
            let answers = session.perf_open(&[leader.as_str(), &sibling]);
            assert_eq!(answers, ["leader ok", "sibling EINVAL"]);
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

/// perf knows what an event lacks from its file under `events/`; which filter
/// that is it says with `-v`.
#[test]
fn perf_itself_asks_for_a_missing_filter() {
    on(&usual_machine(), |session| {
        for (event, field) in [
            ("tor_inserts.miss_opcode", "filter_opc"),
            ("llc_victims.nid", "filter_nid"),
        ] {
            let event = format!("ivbep_uncore_cbox_0/{event}/");
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
        let last = session.rejections().pop().unwrap_or_default();
        assert!(
            last.contains("imc_0: ") && last.contains("EOPNOTSUPP"),
            "{last}"
        );
    });
}
