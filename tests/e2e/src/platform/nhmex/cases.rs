// SPDX-License-Identifier: GPL-2.0

//! Questions about Nehalem-EX. Sections are those of Documentation/hardware/nhmex.rst.

use crate::catalogue::BoxKind;
use crate::differences::ask::{right, Asked};
use crate::differences::cases::common::{
    around_a_loss, of_two_bursts, words_of_a_refusal, IN_WORDS,
};
use crate::differences::{Case, Machine};
use crate::expect::LINES;
use crate::fixture::probe::{Probe, Words};
use crate::fixture::DEVICES;

pub(super) const CASES: &[Case] = &[
    // Section 8.
    Case::count(
        "W-Box, TM1_ON.ALL as the first event of a counter, which holds 0",
        || Probe::wbox("tm1_on.all"),
    )
    .on(Machine::Unloaded),
    Case::count("W-Box, CLOCKTICKS, the same", clocks).on(Machine::Unloaded),
    Case::other(
        "W-Box, CLOCKTICKS across the end of its 48 bits",
        || right(&clocks()),
        |asked| {
            asked.session.machine("preload 0 wbox fixed 0xfffffffffc00");
            asked.first(&clocks())
        },
    )
    .on(Machine::Unloaded),
    // Section 4.
    Case::count(
        "U-Box, CORRECTED_ERR, whose code 0x1e4 has nine bits",
        || Probe::ubox("corrected_err"),
    ),
    Case::other(
        "C-Box, LLC_MISSES.ALL, a burst before and one after the package lost the \
         enable bit of all counters, as in its sleep",
        || of_two_bursts(&misses()),
        |asked| asked.while_loaded(|asked| around_a_loss(asked, &misses())),
    )
    .on(Machine::Unloaded),
    Case::other(
        "C-Box, LLC_MISSES.ALL opened after that",
        || right(&misses()),
        |asked| {
            asked.while_loaded(|asked| {
                asked.session.machine("lose-enable 0");
                asked.count(&misses())
            })
        },
    )
    .on(Machine::Unloaded),
    // Section 6.
    Case::other(
        "M-Box, CYCLES on counters that are 1000 below their end",
        || right(&Probe::mbox(0, "cycles")),
        |asked| {
            asked.session.machine("preload-all 1000 mbox");
            asked.first(&Probe::mbox(0, "cycles"))
        },
    )
    .on(Machine::Unloaded),
    Case::refuse(
        "M-Box, BBOX_CMDS_ALL with ``count_mode=1``, which counts down",
        |asked| asked.raw("mbox_0", [0x3404, 0, 0]),
    ),
    Case::refuse("C-Box, LLC_MISSES.ALL with the reserved bit 17", |asked| {
        asked.raw("cbox_0", [0x2_0714, 0, 0])
    }),
    Case::refuse(
        "C-Box, LLC_MISSES.ALL with ``inv=1`` and no ``thresh``, so that nothing is \
         compared",
        |asked| asked.raw("cbox_0", [0x80_0714, 0, 0]),
    ),
    // The lists of events.
    Case::refuse(
        "C-Box, LLC_MISSES without an umask, which counts nothing",
        |asked| asked.raw("cbox_0", [0x14, 0, 0]),
    ),
    Case::refuse(
        "B-Box, code 0x1e of counter 0, which no list has",
        |asked| asked.raw("bbox_0", [0x3c, 0, 0]),
    ),
    Case::refuse("M-Box, ``inc_sel=0x1f``, which no list has", |asked| {
        asked.raw("mbox_0", [0x3e40, 0, 0])
    }),
    Case::refuse(
        "S-Box, TO_R_B_HOM_MSGQ_CYCLES_FULL with two boxes at once (umask 0x6), which \
         has no meaning",
        |asked| asked.raw("sbox_0", [0x603, 0, 0]),
    ),
    // Section 12.
    Case::other(
        "B-Box, a group of ADDR_IN_MATCH of a line and MSG_IN_MATCH of DRS, which look at \
         different fields",
        || matches().map(|probe| right(&probe)).join(", "),
        |asked| asked.counts(&matches(), true),
    ),
    Case::other(
        "S-Box, TO_R_PROG_EV of an address, by a user without ``CAP_PERFMON``, if others \
         may count (``perf_event_paranoid`` 0)",
        || "EACCES".to_owned(),
        as_a_user,
    ),
    Case::refuse(
        "B-Box, IMT_INSERTS_RD with a match, which it does not take",
        |asked| asked.raw("bbox_0", [0x7a, 1 << 44, 0]),
    ),
    // Section 14.
    Case::refuse("R-Box, IPERF0 of port 0 with nothing selected", |asked| {
        asked.raw("rbox_0", [0, 0, 0])
    }),
    Case::refuse(
        "R-Box, QLX1 of port 0 with the value of QLX0 (``event=0x3,qlx_cfg=0x45``)",
        |asked| asked.raw("rbox_0", [0x6, 0x45, 0]),
    ),
    Case::other(
        "CPUs that count for C-Box 1, where the second package has one core",
        || "0".to_owned(),
        |asked| {
            let pmu = asked.pmu("cbox_1");
            let cpus = asked.session.ok(&format!("cat {DEVICES}/{pmu}/cpumask"));
            asked.session.faults();
            cpus.trim().to_owned()
        },
    )
    .on(Machine::FewerCores),
    Case::other(
        "What is said of a refusal, that of LLC_MISSES.ALL with a period, as for \
         sampling",
        || IN_WORDS.to_owned(),
        |asked| words_of_a_refusal(asked, "cbox_0", 0x714),
    ),
];

fn clocks() -> Probe {
    Probe::wbox("clockticks")
}

fn misses() -> Probe {
    Probe::cbox(0, "llc_misses.all")
}

/// Events of a B-Box, each with all other fields of match and mask at zero.
fn matches() -> [Probe; 2] {
    let packets = |name, value| Probe::new(BoxKind::Bbox, 0, name).home(value, 0);
    [
        packets("addr_in_match", LINES[3] >> 6),
        packets("msg_in_match", 0xe << 44),
    ]
}

/// Returns what a plain user is told who opens an event of one address.
fn as_a_user(asked: &mut Asked) -> String {
    const PARANOID: &str = "/proc/sys/kernel/perf_event_paranoid";
    let open = format!(
        "open asked pmu={} {} cpu=0",
        asked.pmu("sbox_0"),
        Words([0, 1 << 5, 1])
    );
    let session = &mut *asked.session;
    let before = session.ok(&format!("cat {PARANOID}"));
    session.ok(&format!("echo 0 > {PARANOID}"));
    let opened = session.by_a_user(&format!("perf-open '{open}'"));
    let answer = session.ok(&opened);
    session.ok(&format!("echo {} > {PARANOID}", before.trim()));
    answer.trim().trim_start_matches("asked ").to_owned()
}
