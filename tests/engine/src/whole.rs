// SPDX-License-Identifier: GPL-2.0

//! The whole driver, loaded on a modelled computer, in one thread.
//!
//! It shows that the stand-ins fit together; the end-to-end tests have the rest, in a guest.

use crate::{
    computer::{
        attr, debugfs, free_running, function, has_pmu, is_refused, known, last_refusal,
        let_disarm, load, load_with, load_without_traffic, on_computer, open, open_beside,
        open_probe, pass_slowly, pmu, statistic, test_interrupts, try_probe, with_driver,
        with_intervals, with_parameters, Event, Parameters, LONGEST_LEVEL_NS, LONGEST_LOOK_NS,
    },
    host::{plain, Host},
    linux::{
        cpuhp::Hotplug,
        perf::{Attr, ConfigWords},
        topology::Cpu,
    },
};
use kernel::error::code::{EAGAIN, EBUSY, EEXIST, EINVAL, ENODEV};
use std::sync::{atomic::Ordering::Relaxed, Arc};
use uncore_machine::Function;

mod absence;
mod boxes;
mod costs;
mod counts;
mod failures;
mod files;
mod level;
mod memory;
mod names;
mod overflow;
mod overview;
mod platform;
mod power;
mod privileges;
mod sections;
mod shapes;
mod soak;
mod tamper;

/// Cycles of uclk.
const BURST: u64 = 1_000_000;

/// Cycles of half an hour, a quarter of the time in which a counter of 44 bits wraps.
const HALF_HOUR: u64 = 1 << 42;

/// A second, in ns.
const SECOND: u64 = 1_000_000_000;

/// The longest time, in ns, between two polls.
const LONGEST_POLL_NS: u64 = 60_000_000_000;

/// Number of polls of a box of which one verifies its registers.
const POLLS_PER_VERIFICATION: u32 = 4;

/// `clockticks` of a C-Box and an iMC, and of an R2PCIe.
const CLOCK: u64 = 0x00;
const R2PCIE_CLOCK: u64 = 0x01;

/// `CTO_COUNT` of a QPI port with the match of a message, for which it needs its filters, and
/// `clockticks`.
const MESSAGE: ConfigWords = ConfigWords {
    config: 0x20_0038,
    config1: 0x1c00,
    config2: 0x1fe0,
    config3: 0,
    config4: 0,
};
const QPI_CLOCK: u64 = 0x14;

/// IDs of R2PCIe, and of the first QPI port and its filter function.
const R2PCIE_ID: u32 = 0x0e34;
const QPI_ID: u32 = 0x0e32;
const QPI_FILTER_ID: u32 = 0x0e86;

/// An interval of an event, and its place in `config`.
const INTERVAL: u64 = 400_000;
const EVERY: u64 = INTERVAL << 32;

/// Lets so many polls pass that one of them verifies the registers of each box.
fn verify(host: &Host) {
    for _ in 0..POLLS_PER_VERIFICATION {
        host.pass(LONGEST_POLL_NS);
        host.settle();
    }
}

/// Returns the attributes of an event that counts messages.
fn message() -> Attr {
    Attr {
        words: MESSAGE,
        ..attr(0, 0)
    }
}

/// Calls a function when a CPU has come online, or goes offline and the driver has let it go.
struct WhenChanged<F>(F);

impl<F: Fn(bool) + Send + Sync + 'static> Hotplug for WhenChanged<F> {
    fn online(&self, _cpu: Cpu) {
        (self.0)(true);
    }

    fn offline(&self, _cpu: Cpu) {
        (self.0)(false);
    }

    fn release(&self, _cpu: Cpu) {}
}

/// Runs `f`, and calls `changed` for each CPU that has come online meanwhile, or goes offline.
fn with_callback(host: &Host, changed: impl Fn(bool) + Send + Sync + 'static, f: impl FnOnce()) {
    let callbacks: Arc<dyn Hotplug> = Arc::new(WhenChanged(changed));
    host.add_callbacks(callbacks.clone());
    f();
    host.remove_callbacks(&callbacks);
}

/// Returns the counts of events.
fn counts(events: &[Event]) -> Vec<u64> {
    events.iter().map(Event::read).collect()
}

/// Returns the accesses of `f` to hardware, one on a line.
fn accesses(host: &Host, f: impl FnOnce()) -> String {
    host.command("log on");
    f();
    let log = host.command("log take");
    host.command("log off");
    log
}

/// Lets the counter of an event, which has counted nothing yet, overflow once.
fn overflow_once(host: &Host, event: &Event) {
    (0..5).for_each(|_| host.traffic(HALF_HOUR));
    assert_eq!(event.read(), 5 * HALF_HOUR);
}

/// Returns the first CPU's LVTPC and bit 13 of its IA32_DEBUGCTL.
fn pmi_state(host: &Host) -> (u32, bool) {
    pmi_state_of(host, 0)
}

/// Returns LVTPC of a CPU and bit 13 of its IA32_DEBUGCTL.
fn pmi_state_of(host: &Host, cpu: u32) -> (u32, bool) {
    let enabled = host.set_uncore_pmi(cpu, false);
    host.set_uncore_pmi(cpu, enabled);
    (host.lvtpc(cpu), enabled)
}
