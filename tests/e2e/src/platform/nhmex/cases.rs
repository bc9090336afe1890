// SPDX-License-Identifier: GPL-2.0

//! Questions about Nehalem-EX. Sections are those of Documentation/hardware/nhmex.rst.

use crate::catalogue::BoxKind;
use crate::differences::ask::{right, Asked, BURST};
use crate::differences::cases::common::{
    around_a_loss, first, of_two_bursts, refused, while_loaded, words_of_a_refusal, IN_WORDS,
};
use crate::differences::{Case, Machine};
use crate::expect::LINES;
use crate::fixture::probe::{Probe, Words};
use crate::fixture::DEVICES;

pub(super) const CASES: &[Case] = &[
    // Section 8.
    Case {
        question: "W-Box, TM1_ON.ALL as the first event of a counter, which holds 0",
        machine: Machine::Unloaded,
        right: || right(&throttled()),
        ask: |asked| first(asked, "wbox", throttled().words()),
    },
    Case {
        question: "W-Box, CLOCKTICKS, the same",
        machine: Machine::Unloaded,
        right: || BURST.to_string(),
        ask: |asked| first(asked, "wbox", Words([0xff, 0, 0])),
    },
    Case {
        question: "W-Box, CLOCKTICKS across the end of its 48 bits",
        machine: Machine::Unloaded,
        right: || BURST.to_string(),
        ask: |asked| {
            asked.session.machine("preload 0 wbox fixed 0xfffffffffc00");
            first(asked, "wbox", Words([0xff, 0, 0]))
        },
    },
    // Section 4.
    Case {
        question: "U-Box, CORRECTED_ERR, whose code 0x1e4 has nine bits",
        machine: Machine::Usual,
        right: || right(&Probe::ubox("corrected_err")),
        ask: |asked| asked.count("ubox", Words([0x1e4, 0, 0])),
    },
    Case {
        question: "C-Box, LLC_MISSES.ALL, a burst before and one after the package lost the \
                   enable bit of all counters, as in its sleep",
        machine: Machine::Unloaded,
        right: || of_two_bursts(&misses()),
        ask: |asked| while_loaded(asked, |asked| around_a_loss(asked, "cbox_0", &misses())),
    },
    Case {
        question: "C-Box, LLC_MISSES.ALL opened after that",
        machine: Machine::Unloaded,
        right: || right(&misses()),
        ask: after_a_loss,
    },
    // Section 6.
    Case {
        question: "M-Box, CYCLES on counters that are 1000 below their end",
        machine: Machine::Unloaded,
        right: || BURST.to_string(),
        ask: at_the_end,
    },
    Case {
        question: "M-Box, BBOX_CMDS_ALL with ``count_mode=1``, which counts down",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.count("mbox_0", Words([0x3404, 0, 0])),
    },
    Case {
        question: "C-Box, LLC_MISSES.ALL with the reserved bit 17",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.count("cbox_0", Words([0x2_0714, 0, 0])),
    },
    Case {
        question: "C-Box, LLC_MISSES.ALL with ``inv=1`` and no ``thresh``, so that nothing is \
                   compared",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.count("cbox_0", Words([0x80_0714, 0, 0])),
    },
    // The lists of events.
    Case {
        question: "C-Box, LLC_MISSES without an umask, which counts nothing",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.count("cbox_0", Words([0x14, 0, 0])),
    },
    Case {
        question: "B-Box, code 0x1e of counter 0, which no list has",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.count("bbox_0", Words([0x3c, 0, 0])),
    },
    Case {
        question: "M-Box, ``inc_sel=0x1f``, which no list has",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.count("mbox_0", Words([0x3e40, 0, 0])),
    },
    Case {
        question: "S-Box, TO_R_B_HOM_MSGQ_CYCLES_FULL with two boxes at once (umask 0x6), which \
                   has no meaning",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.count("sbox_0", Words([0x603, 0, 0])),
    },
    // Section 12.
    Case {
        question:
            "B-Box, a group of ADDR_IN_MATCH of a line and MSG_IN_MATCH of DRS, which look at \
                   different fields",
        machine: Machine::Usual,
        right: || matches().map(|probe| right(&probe)).join(", "),
        ask: |asked| asked.counts("bbox_0", &matches().map(|probe| probe.words()), true),
    },
    Case {
        question:
            "S-Box, TO_R_PROG_EV of an address, by a user without ``CAP_PERFMON``, if others \
                   may count (``perf_event_paranoid`` 0)",
        machine: Machine::Usual,
        right: || "EACCES".to_owned(),
        ask: as_a_user,
    },
    Case {
        question: "B-Box, IMT_INSERTS_RD with a match, which it does not take",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.count("bbox_0", Words([0x7a, 1 << 44, 0])),
    },
    // Section 14.
    Case {
        question: "R-Box, IPERF0 of port 0 with nothing selected",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.count("rbox_0", Words([0, 0, 0])),
    },
    Case {
        question: "R-Box, QLX1 of port 0 with the value of QLX0 (``event=0x3,qlx_cfg=0x45``)",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.count("rbox_0", Words([0x6, 0x45, 0])),
    },
    Case {
        question: "CPUs that count for C-Box 1, where the second package has one core",
        machine: Machine::FewerCores,
        right: || "0".to_owned(),
        ask: |asked| {
            let pmu = asked.pmu("cbox_1");
            let cpus = asked.session.ok(&format!("cat {DEVICES}/{pmu}/cpumask"));
            asked.session.faults();
            cpus.trim().to_owned()
        },
    },
    Case {
        question: "What is said of a refusal, that of LLC_MISSES.ALL with a period, as for \
                   sampling",
        machine: Machine::Usual,
        right: || IN_WORDS.to_owned(),
        ask: |asked| words_of_a_refusal(asked, "cbox_0", 0x714),
    },
];

fn throttled() -> Probe {
    Probe::wbox("tm1_on.all")
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

/// Returns the count of an event that is opened after the enable bit is lost.
fn after_a_loss(asked: &mut Asked) -> String {
    while_loaded(asked, |asked| {
        asked.session.machine("lose-enable 0");
        asked.count("cbox_0", misses().words())
    })
}

/// Returns the clocks that an M-Box counts beyond the end of its counters.
fn at_the_end(asked: &mut Asked) -> String {
    asked.session.machine("preload-all 1000 mbox");
    first(asked, "mbox_0", Words([0x3600, 0, 0]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::Platform;

    #[test]
    fn the_wrong_answers_that_are_expected_are_not_the_right_ones() {
        Platform::Nhmex.on(|| {
            assert_ne!(right(&misses()), of_two_bursts(&misses()));
            assert_ne!(right(&throttled()), BURST.to_string());
            assert_ne!(right(&Probe::ubox("corrected_err")), "0");
        });
    }
}
