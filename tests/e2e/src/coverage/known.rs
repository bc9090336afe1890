// SPDX-License-Identifier: GPL-2.0

//! Why what did not run did not.

/// File, function, and why no end-to-end test runs what it does not run of it.
#[rustfmt::skip]
const KNOWN: &[(&str, &str, &str)] = &[
    ("include/helpers.c", "helper_register_nmi_handler", "the module registers one at a time"),
    ("rust/linux/perf/trampoline.rs", "start", SAMPLING),
    ("rust/linux/perf/trampoline.rs", "stop", SAMPLING),
    ("rust/linux/sysfs.rs", "show", "no text is longer than a page"),
    ("rust/uncore/absence.rs", "Absence::fmt", TEXT),
    ("rust/uncore/bus.rs", "Access::read_counter", "a counter is not read while its box is away"),
    ("rust/uncore/count.rs", "read_halves", "a counter would have to carry again and again while it is read"),
    ("rust/uncore/counter_box.rs", "CounterBox::add", SHOWN),
    ("rust/uncore/counter_box.rs", "CounterBox::launch", SHOWN),
    ("rust/uncore/counter_box/filters.rs", "CounterBox::program_filters", "an event would have to start between a function's end and its being noticed"),
    ("rust/uncore/counter_box/look.rs", "CounterBox::end_tampered", SHOWN),
    ("rust/uncore/counter_box/slot.rs", "Slot::begin", SHOWN),
    ("rust/uncore/debugfs.rs", "Topology::print", TEXT),
    ("rust/uncore/debugfs.rs", "print_package", TEXT),
    ("rust/uncore/discovery.rs", "Misplaced::fmt", TEXT),
    ("rust/uncore/event/umask.rs", "check_listed_with", ADDED),
    ("rust/uncore/event/umask.rs", "usable", ADDED),
    ("rust/uncore/functions.rs", "Functions::check_place", PLACES),
    ("rust/uncore/functions.rs", "Unused::fmt", TEXT),
    ("rust/uncore/functions/rows.rs", "Row::part_name", PLACES),
    ("rust/uncore/gate.rs", "choose", PROCESSOR),
    ("rust/uncore/gate.rs", "find", PROCESSOR),
    ("rust/uncore/inventory.rs", "Present::fmt", TEXT),
    ("rust/uncore/machine.rs", "Machine::prepare", "the global registers always answer"),
    ("rust/uncore/machine.rs", "release", "no overflow is left from before the driver"),
    ("rust/uncore/name.rs", "ConfigName::fmt", TEXT),
    ("rust/uncore/name.rs", "EventName::fmt", TEXT),
    ("rust/uncore/options.rs", "Options::new", TEXT),
    ("rust/uncore/overflow.rs", "Overflow::attend", "an overflow would have to come between an event's start and this look"),
    ("rust/uncore/overflow/bench.rs", "Stand::listen_everywhere", MEMORY),
    ("rust/uncore/overflow/bench.rs", "Stand::look", TRIAL),
    ("rust/uncore/overflow/claim.rs", "Claims::new", COMPILING),
    ("rust/uncore/overflow/mode.rs", "Why::fmt", TEXT),
    ("rust/uncore/overflow/text.rs", "Text::add", CUT),
    ("rust/uncore/overflow/text.rs", "Text::truncate", CUT),
    ("rust/uncore/overflow/trial.rs", "hears", TRIAL),
    ("rust/uncore/pmu.rs", "UncorePmu::add", "a register would have to fail just as an event starts"),
    ("rust/uncore/pmu.rs", "UncorePmu::start", SAMPLING),
    ("rust/uncore/pmu.rs", "UncorePmu::stop", SAMPLING),
    ("rust/uncore/pmus.rs", "Place::fmt", "a box would have to go between a change of its register and its being named"),
    ("rust/uncore/pmus.rs", "Pmus::update", MEMORY),
    ("rust/uncore/reject.rs", "Rejection::fmt", TEXT),
    ("rust/uncore/reject/faults.rs", "GroupFault::print", TEXT),
    ("rust/uncore/reject/faults.rs", "UmaskFault::print", TEXT),
    ("rust/uncore/table/check/overflow.rs", "can_interrupt", COMPILING),
];

const ADDED: &str = "bits added to a sub-event that is not listed with them: KUnit's";
const COMPILING: &str = "computed while compiling";
const CUT: &str = "KUnit has more boxes overflow at once than the trace event has room for";
const MEMORY: &str = "only without memory: the debug kernel's tests";
const PLACES: &str = "the machine has each function where the specification has it";
const PROCESSOR: &str = "the machine has no other processors";
const SAMPLING: &str = "perf stops events that count only to remove them";
const SHOWN: &str = "an occupancy that others show after its own event has ended: KUnit's";
const TEXT: &str = "a text for something else than the tests have it say";
const TRIAL: &str = "a register would have to fail in the middle of the trial";

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
