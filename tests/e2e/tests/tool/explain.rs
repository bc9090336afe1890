// SPDX-License-Identifier: GPL-2.0

//! `uncore explain` asks the module if it accepts an event.

use uncore_e2e::prelude::*;

/// A request that no one has tried before, and the module's reason to refuse it.
const REFUSED: (&str, &str) = (
    "cbox_0/llc_lookup.any,filter_opc=0x182/",
    "module   refuses it: filter_opc is set, but llc_lookup.any does not use it",
);

#[test]
fn the_module_is_asked() {
    on(&Config::default(), |session| {
        let text = session.ok("uncore explain imc/cas_count.rd/ unc_m_cas_count.wr");
        let accepted = text.matches("module   accepts it on CPU 0,2\n").count();
        assert_eq!(accepted, 2, "{text}");
        let (event, reason) = REFUSED;
        let output = session.run(&format!("uncore explain {event}"));
        assert_eq!(output.status, 1, "{}", output.stdout);
        assert!(output.stdout.contains(reason), "{}", output.stdout);
    });
}

#[test]
fn a_user_who_may_not_count_is_told_that_nothing_was_judged() {
    on(&Config::default(), |session| {
        let (event, _) = REFUSED;
        let explain = session.by_a_user(&format!("uncore explain {event}"));
        let text = session.ok(&explain);
        let why = "module   was not asked: Permission denied";
        assert!(text.contains(why) && text.contains("CAP_PERFMON"), "{text}");
    });
}
