// SPDX-License-Identifier: GPL-2.0

//! Why what did not run did not.

/// File, function, and why no end-to-end test runs what it does not run of it.
#[rustfmt::skip]
const KNOWN: &[(&str, &str, &str)] = &[
    ("include/helpers.c", "helper_register_nmi_handler", "the module registers one at a time"),
    ("rust/linux/perf/trampoline.rs", "start", SAMPLING),
    ("rust/linux/perf/trampoline.rs", "stop", SAMPLING),
    ("rust/linux/sysfs.rs", "show", "no text is longer than a page"),
    ("rust/uncore/count.rs", "read_halves", "a counter would have to carry again and again while it is read"),
    ("rust/uncore/gate.rs", "choose", PROCESSOR),
    ("rust/uncore/pmu.rs", "UncorePmu::start", SAMPLING),
    ("rust/uncore/pmu.rs", "UncorePmu::stop", SAMPLING),
];

const PROCESSOR: &str = "the machine has no other processors";
const SAMPLING: &str = "perf stops events that count only to remove them";

/// Of code in no function.
const DERIVED: &str = "derived, or of a macro: not all of it is used";

/// Why there is a gap, if it is known.
pub(super) fn explain(file: &str, function: &str) -> Option<&'static str> {
    let mut all = KNOWN.iter();
    let known = all.find(|known| (known.0, known.1) == (file, function));
    let derived = function.is_empty().then_some(DERIVED);
    known.map(|known| known.2).or(derived)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_known_in_their_file() {
        assert_eq!(
            explain("rust/uncore/pmu.rs", "UncorePmu::start"),
            Some(SAMPLING)
        );
        assert_eq!(explain("rust/uncore.rs", "UncorePmu::start"), None);
        assert_eq!(explain("rust/uncore.rs", ""), Some(DERIVED));
    }
}
