// SPDX-License-Identifier: GPL-2.0

//! Other tools write to registers of events that count: PCM, LIKWID, firmware, root with `wrmsr` and
//! `setpci`. Which register is found how, and what the log says, is tested on the host
//! (`whole::tamper`); here is what perf makes of it.

use crate::lifetime::{new_log, until_logged, without_driver, BURST, LOAD, UNLOAD};
use uncore_e2e::fixture::{counts_in_part, on};
use uncore_e2e::prelude::*;

/// Number of polls, with at most so many milliseconds between them, of which one verifies registers.
const POLLS: &str = "times 4 poll 61000";

/// Words of the log for an ended event.
const ENDED: &str = "ended: another tool";

/// While an event is taken off its box, an event that its owner has off stays off, and a
/// pinned one, which may not miss its turn, counts on.
#[test]
fn an_event_that_ends_switches_no_other_on_or_off() {
    on(&without_driver().with_jumps(), |session| {
        session.ok(&format!("{LOAD} overflow=poll"));
        new_log(session);
        let poll = POLLS.to_owned();
        for (victim, beside, cause, ended) in [
            (
                Probe::cbox(0, "llc_lookup.any"),
                Probe::cbox(0, "misc.started"),
                "run wrmsr -p 0 0xd14 0x20000".to_owned(),
                ENDED,
            ),
            (
                Probe::qpi(0, "message.drs.anydatac"),
                Probe::qpi(0, "txl_inserts"),
                "run echo 1 > /sys/bus/pci/devices/0000:7f:08.6/remove".to_owned(),
                "filter function of qpi_0 removed",
            ),
        ] {
            let answers = session.perf_open(&[
                victim.open("victim", 0),
                format!("{} disabled", beside.open("off", 0)),
                format!("{} pinned", beside.open("pinned", 0)),
                // Each package polls.
                beside.open("elsewhere", 2),
                format!("burst {BURST}"),
                poll.clone(),
                cause,
                poll.clone(),
                until_logged(ended),
                format!("burst {BURST}"),
                "read victim".to_owned(),
                "read off".to_owned(),
                "read pinned".to_owned(),
            ]);
            let of_victim = answers.iter().rfind(|answer| answer.starts_with("victim "));
            let of_victim = of_victim.unwrap_or_else(|| panic!("{answers:?}"));
            counts_in_part(of_victim, "victim", victim.count(0, BURST));
            assert_eq!(reads(&answers, "off"), [Some(0)], "{answers:?}");
            let both_bursts = Some(2 * beside.count(0, BURST));
            assert_eq!(reads(&answers, "pinned"), [both_bursts], "{answers:?}");
        }
        session.ok("echo 1 > /sys/bus/pci/rescan");
        session.ok(UNLOAD);
    });
}
