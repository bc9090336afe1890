// SPDX-License-Identifier: GPL-2.0

//! Tests on the kernel with a data race detector, which watches our module, too. Every
//! test on this kernel fails if the detector reports a race in which our code takes part.

use uncore_e2e::prelude::*;

/// Calls that the compiler puts beside accesses of each kind.
const WATCHED: [&str; 4] = [
    "__tsan_read8",
    "__tsan_write8",
    "__tsan_atomic32_load",
    "__tsan_atomic32_store",
];

#[test]
#[ignore = "needs the kernel with the detector of data races"]
fn the_module_is_watched_on_kcsan() {
    let config = Config::default();
    assert_eq!(config.flavour, Flavour::Kcsan);
    on(&config, |session| {
        for call in WATCHED {
            session.ok(&format!("grep -q {call} {MODULE}"));
        }
        let detector = session.ok("cat /sys/kernel/debug/kcsan");
        assert!(detector.contains("enabled: 1\n"), "{detector}");
    });
}
