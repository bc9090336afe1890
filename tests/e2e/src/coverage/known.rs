// SPDX-License-Identifier: GPL-2.0

//! Why what did not run did not.

/// File, function, and why.
type Known = (&'static str, &'static str, &'static str);

/// Why no end-to-end test runs the lines that it does not run.
#[rustfmt::skip]
const LINES: &[Known] = &[
    ("include/helpers.c", "helper_register_nmi_handler", "the kernel refuses a handler only if it has it already"),
    ("rust/linux/msr.rs", "read", "a counter would have to fail just as it starts or stops"),
    ("rust/linux/perf/trampoline.rs", "start", SAMPLING),
    ("rust/linux/perf/trampoline.rs", "stop", SAMPLING),
    ("rust/linux/sysfs.rs", "show", "no text is longer than a page"),
    ("rust/uncore/absence.rs", "Absence::fmt", TEXT),
    ("rust/uncore/bus.rs", "Access::read_counter", "a counter is not read while its box is away"),
    ("rust/uncore/count.rs", "read_halves", "a counter would have to carry again and again while it is read"),
    ("rust/uncore/counter_box.rs", "CounterBox::add", SHOWN),
    ("rust/uncore/counter_box.rs", "CounterBox::launch", SHOWN),
    ("rust/uncore/counter_box.rs", "CounterBox::read", "a counter is not read while its box is away"),
    ("rust/uncore/counter_box.rs", "CounterBox::remove", STARTING),
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
    ("rust/uncore/pmu.rs", "UncorePmu::add", STARTING),
    ("rust/uncore/pmu.rs", "UncorePmu::start", SAMPLING),
    ("rust/uncore/pmu.rs", "UncorePmu::stop", SAMPLING),
    ("rust/uncore/pmus.rs", "Place::fmt", "a box would have to go between a change of its register and its being named"),
    ("rust/uncore/pmus.rs", "Pmus::update", MEMORY),
    ("rust/uncore/reject.rs", "Rejection::fmt", TEXT),
    ("rust/uncore/reject/faults.rs", "GroupFault::print", TEXT),
    ("rust/uncore/reject/faults.rs", "UmaskFault::print", TEXT),
    ("rust/uncore/table/check/overflow.rs", "can_interrupt", COMPILING),
];

/// Why none takes the branches that it does not take, from lines that it runs.
#[rustfmt::skip]
const BRANCHES: &[Known] = &[
    ("include/helpers.c", "helper_acpi_get_mcfg", MCFG),
    ("include/helpers.c", "helper_is_device_memory", "the firmware has config space where the processor can address it"),
    ("include/helpers.c", "helper_pci_read_mapped", "no function is read that the kernel has given up"),
    ("include/helpers.c", "helper_register_nmi_handler", "the module registers one at a time; KUnit a second"),
    ("rust/linux/debugctl.rs", "set", "the bit is set once and put back once: KUnit's is set twice"),
    ("rust/linux/lock.rs", "RawSpinLock::with_unless_held", NESTED),
    ("rust/linux/pci/ecam.rs", "Ecam::new", MCFG),
    ("rust/linux/pci/ecam.rs", "Region::address", "the firmware's only region has all buses: KUnit's has not"),
    ("rust/linux/pci/ecam.rs", "Window::new", "the firmware never says that config space is in RAM"),
    ("rust/linux/pci/ecam.rs", "Window::read", "what is read are dwords of the 4 KiB that a function has"),
    ("rust/linux/pci/ecam.rs", "entries", "the firmware's table is one and whole: KUnit's are not"),
    ("rust/linux/perf/trampoline.rs", "read", "nobody reads an event in an NMI"),
    ("rust/linux/sysfs.rs", "Builder::file", "a group is opened before its files"),
    ("rust/uncore.rs", "Borrowed::drop", "a CPU that counts exists"),
    ("rust/uncore/assign.rs", "Path::push", BOUNDED),
    ("rust/uncore/assign.rs", "set", BOUNDED),
    ("rust/uncore/counter_box.rs", "CounterBox::add", "a counter that cannot be read is refused as the event is opened: KUnit adds it"),
    ("rust/uncore/counter_box.rs", "CounterBox::attempt", "what fails has failed at an earlier access: KUnit's fails at each"),
    ("rust/uncore/counter_box.rs", "CounterBox::launch", "what perf starts is new, and nothing that can be shown has ended: KUnit's is not, and has"),
    ("rust/uncore/counter_box.rs", "CounterBox::make_way", "what is to move is on its counter"),
    ("rust/uncore/counter_box.rs", "CounterBox::read", REFUGE),
    ("rust/uncore/counter_box/filters.rs", "CounterBox::halt_filtered", "the type whose filters can be lost has no event that shows another"),
    ("rust/uncore/counter_box/filters.rs", "uses", BOUNDED),
    ("rust/uncore/counter_box/kept.rs", "Kept::find", "a box that answers answers there, too"),
    ("rust/uncore/counter_box/look.rs", "CounterBox::end_tampered", SHOWN),
    ("rust/uncore/counter_box/look.rs", "CounterBox::look_at_controls", "what is programmed has a control register"),
    ("rust/uncore/counter_box/overflow.rs", "CounterBox::collect", RUNNING),
    ("rust/uncore/counter_box/overflow.rs", "CounterBox::poll", RUNNING),
    ("rust/uncore/counter_box/overflow.rs", "CounterBox::service", "each box with a bit of the global status has one of its own: KUnit's has not"),
    ("rust/uncore/counter_box/site.rs", "measure", "the machine's counters are as wide as they may be: KUnit's are not"),
    ("rust/uncore/counter_box/slot.rs", "Slot::note", "perf starts what it adds, and nobody changes a second register"),
    ("rust/uncore/counter_box/slot.rs", "Slot::relocate", "what moves counts, as perf starts what it adds"),
    ("rust/uncore/counter_box/slot.rs", "Slot::switch", "perf starts what it adds, and nothing counts when a package begins to interrupt"),
    ("rust/uncore/debugfs.rs", "Numa::fmt", "the firmware says the NUMA node of each CPU"),
    ("rust/uncore/debugfs.rs", "print_package", "each locator of a package can be read"),
    ("rust/uncore/event/threshold.rs", "check_occupancy", "a shorter copy for a type without fields, which none is"),
    ("rust/uncore/filter.rs", "FilterUse::set", BOUNDED),
    ("rust/uncore/filter.rs", "Filters::change", BOUNDED),
    ("rust/uncore/functions.rs", "Functions::check_place", "nobody gives the driver the ID of another device (new_id)"),
    ("rust/uncore/functions.rs", "Functions::remove", "what is removed was placed by the same tables"),
    ("rust/uncore/hotplug.rs", "Watch::offline", PACKAGE),
    ("rust/uncore/hotplug.rs", "Watch::online", "a CPU that comes is of a package that is known; one that counts exists"),
    ("rust/uncore/machine.rs", "Machine::count_by_register", GLOBAL),
    ("rust/uncore/machine.rs", "Machine::prepare", GLOBAL),
    ("rust/uncore/machine.rs", "seat_msr_box", "only boxes that are reached by MSR are seated there"),
    ("rust/uncore/overflow/bench.rs", "Specimen::find", "the counter that is tried is of a type before those on PCI"),
    ("rust/uncore/overflow/bench.rs", "Stand::listen_everywhere", "online CPUs are of a package, and none goes offline during the trial"),
    ("rust/uncore/overflow/handler.rs", "Handler::handle", PACKAGE),
    ("rust/uncore/overflow/line/nmi.rs", "Line::nmi", "an NMI of somebody else would have to come during the trial"),
    ("rust/uncore/overflow/service.rs", "Service::look", "where nothing interrupts nothing sets the global status"),
    ("rust/uncore/overflow/target.rs", "Before::put_back", "the processor has the bit of the debug control"),
    ("rust/uncore/overflow/text.rs", "Text::add", CUT),
    ("rust/uncore/overflow/text.rs", "Text::write_str", CUT),
    ("rust/uncore/overflow/trial.rs", "await_interrupt", "a counter that moves overflows: KUnit's does not"),
    ("rust/uncore/overflow/trial.rs", "run", "each core has a bit, mostly the one with its number: KUnit's have not"),
    ("rust/uncore/overflow/watchdog.rs", "Watchdog::expire", "it would have to fire on another package as the last CPU of its own goes; no delay is 0"),
    ("rust/uncore/package.rs", "Poll::expire", "it would have to fire on another package as the last CPU of its own goes"),
    ("rust/uncore/pmu.rs", "UncorePmu::add", "perf starts what it adds, and on a CPU of a package"),
    ("rust/uncore/pmu.rs", "UncorePmu::attend", PACKAGE),
    ("rust/uncore/pmu.rs", "UncorePmu::check_counter", "a fixed counter is one of the table's"),
    ("rust/uncore/pmu.rs", "UncorePmu::read", NESTED),
    ("rust/uncore/pmu.rs", "UncorePmu::with_local", PACKAGE),
    ("rust/uncore/pmus.rs", "Known::evict", "a CPU that counts exists, and the machine has another one"),
    ("rust/uncore/pmus.rs", "Pmus::repair", REFUGE),
    ("rust/uncore/probe.rs", "probe", "a box that answers keeps what is written: KUnit's does not"),
    ("rust/uncore/reject/log.rs", "Entry::is_like", "no two refusals in a row differ in config4 alone"),
    ("rust/uncore/reject/log.rs", "Ring::append", BOUNDED),
    ("rust/uncore/reject/log.rs", "Ring::push", BOUNDED),
    ("rust/uncore/sysfs.rs", "show_fact", BOUNDED),
    ("rust/uncore/sysfs.rs", "show_overflow", "a type without overflow interrupts has no fixed counters"),
    ("rust/uncore/sysfs/event.rs", "show", BOUNDED),
];

const ADDED: &str = "bits added to a sub-event that is not listed with them: KUnit's";
const BOUNDED: &str = "in bounds always: the other way is in place of a panic";
const COMPILING: &str = "computed while compiling";
const CUT: &str = "KUnit has more boxes overflow at once than the trace event has room for";
const GLOBAL: &str = "the platform has global registers";
const MCFG: &str = "the firmware has the table MCFG";
const MEMORY: &str = "only without memory: the debug kernel's tests";
const NESTED: &str =
    "nobody reads an event while its CPU holds the box's lock: KUnit tries the lock";
const PACKAGE: &str = "a CPU that is online is of a package that is known";
const PLACES: &str = "the machine has each function where the specification has it";
const PROCESSOR: &str = "the machine has no other processors";
const REFUGE: &str = "what has ended is off its box at once, as its package has another CPU";
const RUNNING: &str = "perf starts what it adds";
const SAMPLING: &str = "perf stops events that count only to remove them";
const SHOWN: &str = "an occupancy that others show after its own event has ended: KUnit's";
const STARTING: &str = "a register would have to fail just as an event starts";
const TEXT: &str = "a text for something else than the tests have it say";
const TRIAL: &str = "a register would have to fail in the middle of the trial";

/// Of code in no function.
const DERIVED: &str = "derived, or of a macro: not all of it is used";

/// Why lines of a function never ran, if it is known.
pub(super) fn lines(file: &str, function: &str) -> Option<&'static str> {
    explain(LINES, file, function)
}

/// Why branches of a function were never taken, if it is known.
pub(super) fn branches(file: &str, function: &str) -> Option<&'static str> {
    explain(BRANCHES, file, function)
}

fn explain(known: &[Known], file: &str, function: &str) -> Option<&'static str> {
    let mut all = known.iter();
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
            lines("rust/uncore/pmu.rs", "UncorePmu::start"),
            Some(SAMPLING)
        );
        assert_eq!(lines("rust/uncore.rs", "UncorePmu::start"), None);
        assert_eq!(lines("rust/uncore.rs", ""), Some(DERIVED));
        assert_eq!(
            branches("rust/uncore/pmu.rs", "UncorePmu::attend"),
            Some(PACKAGE)
        );
    }
}
