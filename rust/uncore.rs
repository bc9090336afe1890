// SPDX-License-Identifier: GPL-2.0

//! The engine: makes PMUs out of a platform's tables. Knows no platform.
//!
//! ```text
//! attr ---> parse ---> validate ---> assign ---> program ---> count
//!           event.rs   event/        assign.rs   counter_box  count.rs
//!           field.rs   group.rs      filter.rs   bus.rs       package.rs (timer)
//!                      reject.rs
//! ```
//!
//! Around that: [`box_type`] is what a platform fills in and [`table`] helps it to;
//! `discovery` finds out which package a PCI bus belongs to, `probe` whether a box is really
//! there; `machine`, `package` and `seat` are where boxes are, `functions` and `hotplug` make them
//! come and go; `pmu` and `pmus` are perf's side, `sysfs`, `debugfs`, `inventory` and `options` the
//! user's.

pub(crate) mod box_type;
pub(crate) mod table;

mod absence;
mod assign;
mod bus;
mod count;
mod counter_box;
mod debugfs;
mod discovery;
mod event;
mod field;
mod filter;
mod functions;
mod gate;
mod group;
mod hotplug;
mod inventory;
mod machine;
mod name;
mod options;
mod overflow;
mod package;
mod pmu;
mod pmus;
mod probe;
mod reject;
mod seat;
mod sysfs;
#[cfg(KUNIT_SUITES)]
mod testing;

pub(crate) use self::options::Options;
use self::{
    box_type::Platform,
    functions::Functions,
    hotplug::Watch,
    machine::Machine,
    pmus::Pmus, //
};
use crate::linux::{
    cpuhp,
    nmi,
    pci,
    smp, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// The driver at work. Dropping it leaves the hardware as after a reset.
///
/// The order of the fields is that of the end: first nobody may ask, then nobody may count, then
/// nothing comes or goes any more, then the registers are put back, and last nobody listens to
/// their interrupts any more.
pub(crate) struct Uncore {
    _files: debugfs::Files,
    _pmus: Open,
    functions: Pin<KBox<pci::Registration<Functions>>>,
    _watch: Pin<KBox<cpuhp::Registration<Watch>>>,
    _registers: Borrowed,
    _interrupts: Option<Listening>,
}

/// NMIs are looked at until this is dropped.
type Listening = Pin<KBox<nmi::Registration<overflow::Handler>>>;

/// The PMUs are open to perf until this is dropped.
struct Open(Arc<Pmus>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// The registers reached by MSR are ours until this is dropped.
struct Borrowed(Arc<Machine>);

impl Drop for Borrowed {
    fn drop(&mut self) {
        for package in &self.0.packages {
            if let Some(cpu) = package.designated() {
                package.designate(None);
                package.overflow.move_to(None);
                // Without the CPU the package is off, and so are its boxes.
                let _ = smp::on_cpu(cpu, |_| self.0.take_down(package));
            }
        }
    }
}

impl Uncore {
    /// Finds the boxes of this machine and makes PMUs for them.
    ///
    /// # Errors
    ///
    /// [`ENODEV`] if no platform is this machine's, [`EBUSY`] if another driver is at work,
    /// [`ENOMEM`].
    pub(crate) fn new(
        module: &'static ThisModule,
        platforms: &[&'static Platform],
        options: Options,
    ) -> Result<Self> {
        let platform = gate::choose(platforms, options.allow_virtual)?;
        let (pmus, alarm) = Pmus::new(module, options)?;
        let machine = Machine::new(platform, &options, &alarm)?;
        let interrupts = listen(&machine, &options)?;
        let registers = Borrowed(machine.clone());
        let watch = Watch::new(&machine, &pmus, &alarm);
        let watch = cpuhp::Registration::new(c"perf/uncore:online", watch);
        let watch = KBox::pin_init(watch, GFP_KERNEL)?;
        let functions = Functions::new(&machine, &pmus, &alarm)?;
        let ids = functions::ids(platform);
        let functions = pci::Registration::new(platform.pci_driver, module, ids, functions);
        let functions = KBox::pin_init(functions, GFP_KERNEL)?;
        inventory::report(&machine);
        let open = Open(pmus.clone());
        pmus.open(&machine, &alarm)?;
        functions.talk(true);
        Ok(Self {
            _files: debugfs::Files::new(&machine)?,
            _pmus: open,
            functions,
            _watch: watch,
            _registers: registers,
            _interrupts: interrupts,
        })
    }
}

/// Has overflow interrupts handled, if any are to come.
fn listen(machine: &Machine, options: &Options) -> Result<Option<Listening>> {
    if !options.overflow.may_interrupt() {
        return Ok(None);
    }
    let handler = overflow::Handler::new(&machine.packages)?;
    let handler = nmi::Registration::new(c"perf/uncore", handler);
    Ok(Some(KBox::pin_init(handler, GFP_KERNEL)?))
}

impl Drop for Uncore {
    fn drop(&mut self) {
        self.functions.talk(false);
    }
}
