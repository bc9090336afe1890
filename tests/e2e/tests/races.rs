// SPDX-License-Identifier: GPL-2.0

//! The kernel that looks for data races watches our module, too. Whatever test runs on it
//! fails if it finds one that we have a part in.

use ivbep_e2e::fixture::on;
use ivbep_e2e::{Config, Flavour, MODULE};

/// Calls that the compiler puts beside accesses of each kind.
const WATCHED: [&str; 4] = [
    "__tsan_read8",
    "__tsan_write8",
    "__tsan_atomic32_load",
    "__tsan_atomic32_store",
];

#[test]
fn the_module_is_watched() {
    let config = Config::default();
    if config.flavour != Flavour::Kcsan {
        return;
    }
    on(&config, |session| {
        for call in WATCHED {
            session.ok(&format!("grep -q {call} {MODULE}"));
        }
        let detector = session.ok("cat /sys/kernel/debug/kcsan");
        assert!(detector.contains("enabled: 1\n"), "{detector}");
    });
}
