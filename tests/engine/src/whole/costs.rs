// SPDX-License-Identifier: GPL-2.0

//! Accesses to registers that operations cost, whatever kernel and compilers the module is built
//! with. Each number is the sum of what the operation must touch.

use super::*;

/// The machine of `make bench`.
const MACHINE: &str = "packages=2,cores=2,cboxes=2";

/// A box that is reached by MSRs and one in configuration space, with the accesses that one of its
/// counters takes: there a counter is two dwords.
const BOXES: [(&str, usize); 2] = [("cbox_0", 1), ("imc_0", 2)];

/// A control register, a status register, or a box control.
const REGISTER: usize = 1;

/// Returns the number of accesses of `f` to registers at places that `wanted` takes. The ID of a PCI
/// function is no register of a box.
fn count_at(host: &Host, wanted: impl Fn(&str) -> bool, f: impl FnOnce()) -> usize {
    let log = accesses(host, f);
    let lines = log.lines().filter(|line| !line.contains(" 0x2 2 "));
    lines.filter(|line| wanted(line)).count()
}

fn count(host: &Host, f: impl FnOnce()) -> usize {
    count_at(host, |_| true, f)
}

#[test]
fn an_operation_accesses_its_counter_and_its_control_register() {
    for (boxes, counter) in BOXES {
        with_driver(MACHINE, "auto", |host| {
            // The driver accepts it, and perf does not add it.
            let accept = || drop(pmu(boxes).accept(&attr(0, CLOCK), None));
            assert_eq!(count(host, accept), 0, "{boxes}: open disabled");
            let mut event = None;
            let opened = count(host, || event = Some(open(boxes, 0, CLOCK)));
            let event = event.expect("an event");
            // It is the first of its box: the box control, too.
            let first = REGISTER + REGISTER + counter;
            assert_eq!(opened, first, "{boxes}: first open");
            let read = count(host, || _ = event.read());
            assert_eq!(read, counter, "{boxes}: read");
            let one = REGISTER + counter;
            assert_eq!(count(host, || event.disable()), one, "{boxes}: disable");
            assert_eq!(count(host, || event.enable()), one, "{boxes}: enable");
            assert_eq!(count(host, || drop(event)), one, "{boxes}: close");
            let again = count(host, || drop(open(boxes, 0, CLOCK)));
            assert_eq!(again, 2 * one, "{boxes}: open and enable, and close");
        });
    }
}

#[test]
fn a_group_of_four_is_four_counters() {
    for (boxes, counter) in BOXES {
        with_driver(MACHINE, "auto", |host| {
            let first = open(boxes, 2, CLOCK);
            let members = [(); 3].map(|()| open_beside(&first, boxes, 2, CLOCK));
            let read = || _ = (first.read(), members.each_ref().map(|event| event.read()));
            assert_eq!(count(host, read), 4 * counter, "{boxes}: group read");
            // Each is read on the old CPU. Nothing is written, and the new CPU reads none.
            let offline = count(host, || host.offline(2));
            assert_eq!(offline, 4 * counter, "{boxes}: CPU offline");
            assert_eq!(first.cpu(), Some(3));
        });
    }
}

/// Returns fifty events of a CPU that count at the same time.
fn fifty(cpu: u32) -> Vec<Event> {
    let kinds = [("imc", 8), ("ha", 2), ("cbox", 2)];
    let boxes = kinds.iter().flat_map(|&(unit, count)| {
        let boxes = (0..count).map(move |index| format!("{unit}_{index}"));
        boxes.flat_map(|name| std::iter::repeat_n(name, 4))
    });
    let all = boxes.chain(["pcu", "pcu"].map(str::to_owned));
    all.map(|name| open(&name, cpu, CLOCK)).collect()
}

/// Each counter is read once a minute, and every fourth time the registers of its box are read back.
#[test]
fn idle_minutes_poll_each_counter_once() {
    const SECONDS: u32 = 60 * POLLS_PER_VERIFICATION;
    with_driver(MACHINE, "auto", |host| {
        let _events = [fifty(0), fifty(2)];
        // The first minute is that of the boxes' first poll.
        host.pass(LONGEST_POLL_NS);
        let polled = count(host, || (0..SECONDS).for_each(|_| host.pass(1_000_000_000)));
        // Of each package: 10 boxes in configuration space with 4 events each, 2 C-Boxes with 4
        // each, and 2 events of the PCU.
        let counters = 2 * (10 * 4 * 2 + 2 * 4 + 2);
        let controls = 100;
        let box_controls = 2 * (10 + 2 + 1);
        let polls = usize::try_from(POLLS_PER_VERIFICATION).expect("few");
        assert_eq!(polled, polls * counters + controls + box_controls);
    });
}

#[test]
fn an_overflow_accesses_the_boxes_of_its_status_bit() {
    with_driver(MACHINE, "pmi", |host| {
        host.command("preload-all 25000 imc");
        let _event = free_running(|| open("imc_0", 0, CLOCK));
        let cost = count(host, || host.traffic(100_000));
        // The NMI reads the global status, clears it, and reads it again. The work reads the status of
        // the four channels of the controller, of which one has overflowed: its counter is read, and
        // its status cleared. There is no other overflow by then, and the package is unfrozen.
        let (nmi, channels, counter) = (3 * REGISTER, 4 * REGISTER, 2);
        let work = channels + counter + REGISTER + REGISTER + REGISTER;
        assert_eq!(cost, nmi + work);
    });
}

/// A box is probed, reset and left reset.
#[test]
fn loading_and_unloading_access_each_register_of_a_box() {
    // Reads, or writes of two patterns and of 0 with a read after each of the patterns.
    let probe = |counter: usize| 6 * (REGISTER + counter);
    // Two values are written to each register with bits that may not keep them, and read back.
    const READ_BACK: usize = 4;
    let cbox = |line: &str| line.contains("msr 0 0xd0") || line.contains("msr 0 0xd1");
    let imc = |line: &str| line.contains(" 7f:10.4 ");
    // Four controls and counters, two filters; a box control that is written twice. An iMC has a
    // fixed counter with its control, and a status register, too.
    let resets = [4 * (1 + 1) + 2 + 2, 4 * (1 + 2) + (1 + 2) + 1 + 2];
    // Control registers have fields and an enable bit, each tried alone: a C-Box has one kind, an
    // iMC two. Box controls; the two filters of a C-Box, and the guard of one of them.
    let read_back = [(2 + 1 + 2 + 1) * READ_BACK, (2 + 2 + 1) * READ_BACK];
    // In one of the patterns the first of two dwords has its top bit set: it is read again, as the
    // counter could have carried meanwhile.
    let probes = [probe(1), probe(2) + REGISTER];
    for index in 0..2 {
        on_computer(MACHINE, |host| {
            let mut driver = None;
            let is_wanted = |line: &str| if index == 0 { cbox(line) } else { imc(line) };
            let loaded = count_at(host, is_wanted, || driver = load("auto").ok());
            assert_eq!(loaded, probes[index] + resets[index] + read_back[index]);
            let unloaded = count_at(host, is_wanted, || drop(driver));
            assert_eq!(unloaded, resets[index]);
        });
    }
}
