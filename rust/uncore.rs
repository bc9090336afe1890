// SPDX-License-Identifier: GPL-2.0

//! The engine: makes PMUs from the tables of a platform. It names no platform.
//!
//! Six folders, each named after its part of the work. A folder imports only from the folders above
//! it in this drawing and from the leaves:
//!
//! ```text
//! leaves        absence, cpu_cell, error_work, options, overflow_mode: words that several
//!               folders share
//!
//! table         what a platform fills in: boxes, registers, fields, events; checked by the compiler
//!   ^
//! request       perf_event_attr -> event, filters and possible counters, or why it is refused
//!   ^
//! counter_box   one box: probe its registers, program, count, verify, stop
//!   ^
//! overflow      one package: PMIs, or a poll, so that no counter wraps unseen
//!   ^
//! machine       all packages: platform, buses, PCI functions, CPU hotplug
//!   ^
//! pmu           the user: perf's callbacks, sysfs, debugfs
//! ```
//!
//! An event takes this way through them:
//!
//! ```text
//! attr ---> parse ---> validate ---> assign ---> program ---> count
//!           request    request/      request/    counter_box  counter_box/count
//!                      group         assign
//! ```
//!
//! `Documentation/development/architecture.rst` explains all of it.

pub(crate) mod absence;
pub(crate) mod cpu_cell;
pub(crate) mod error_work;
pub(crate) mod frozen;
pub(crate) mod options;
pub(crate) mod overflow_mode;

pub(crate) mod table;

pub(crate) mod request;

pub(crate) mod counter_box;

pub(crate) mod overflow;

pub(crate) mod machine;

pub(crate) mod pmu;

#[cfg(KUNIT_SUITES)]
pub(crate) mod testing;

use self::{
    error_work::ErrorWork,
    machine::{
        detect,
        hotplug::CpuHotplug,
        inventory,
        pci_boxes::BoxDriver,
        pci_table,
        power::PowerHandler,
        Machine,
        PmuOwner, //
    },
    options::Options,
    overflow::handler::Handler,
    overflow_mode::Interrupts,
    pmu::{
        debugfs,
        registry::Registry,
        sysfs::Rejections, //
    },
    table::box_type::Platform, //
};
use crate::linux::{
    cpuhp,
    module_file::ModuleFile,
    nmi,
    pci,
    power, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// The running driver. Dropping it leaves the hardware as after a reset.
///
/// Fields drop in this order: files for people, PMUs (no new events), callbacks of sleep and shutdown, PCI
/// driver and hotplug callbacks (no box appears; each box goes, with its registers reset), NMI
/// handler last.
pub(crate) struct Uncore {
    _debugfs: debugfs::Files,
    _rejections: ModuleFile<Rejections>,
    _pmus: PmuGuard,
    _power: Pin<KBox<power::Registration<PowerHandler>>>,
    box_driver: Pin<KBox<pci::Registration<BoxDriver>>>,
    _hotplug: Pin<KBox<cpuhp::Registration<CpuHotplug>>>,
    _nmi: Option<NmiHandler>,
}

/// Name of the driver of the boxes' PCI functions, in `/sys/bus/pci/drivers`.
const PCI_DRIVER: &CStr = c"uncore_rs";

/// The registered NMI handler.
type NmiHandler = Pin<KBox<nmi::Registration<Handler>>>;

/// Unregisters all PMUs on drop, and ends the work that their events have left.
struct PmuGuard {
    registry: Arc<Registry>,
    errors: Arc<ErrorWork>,
}

impl Drop for PmuGuard {
    fn drop(&mut self) {
        self.registry.close();
        // Its references must not be the last ones: what it refers to has a reference to it.
        self.errors.stop();
    }
}

/// Registers the NMI handler, unless the platform or the options rule out overflow interrupts.
fn register_nmi_handler(machine: &Machine, options: &Options) -> Result<Option<NmiHandler>> {
    let interrupts = options.overflow.interrupts();
    if machine.platform.interrupt().is_none() || interrupts == Interrupts::Off {
        return Ok(None);
    }
    let packages = machine.packages.iter();
    let handler = Handler::new(packages.map(|package| package.overflow.pmi_work()))?;
    let handler = nmi::Registration::new(c"perf/uncore", handler);
    Ok(Some(KBox::pin_init(handler, GFP_KERNEL)?))
}

impl Uncore {
    /// Finds the boxes of this machine and registers a PMU for each.
    ///
    /// # Errors
    ///
    /// [`ENODEV`] if the machine is of no platform, [`EINVAL`] for options that the platform does not
    /// take, [`EBUSY`] while the in-tree driver is loaded, [`ENOMEM`].
    #[link_section = ".init.text"]
    pub(crate) fn new(
        module: &'static ThisModule,
        platforms: &[&'static Platform],
        options: Options,
    ) -> Result<Self> {
        let platform = detect::detect(platforms, options.allow_virtual)?;
        detect::check_interrupts(platform, options.overflow)?;
        let state = detect::take_counters()?;
        let (registry, errors) = Registry::new(module, options)?;
        let machine = Machine::new(platform, &options, &errors)?;
        let nmi = register_nmi_handler(&machine, &options)?;
        let owner: Arc<dyn PmuOwner> = registry.clone();
        let hotplug = KBox::pin_init(
            cpuhp::Registration::new(state, CpuHotplug::new(&machine, &owner, &errors)),
            GFP_KERNEL,
        )?;
        let box_driver = KBox::pin_init(
            pci::Registration::new(
                PCI_DRIVER,
                module,
                |then| pci_table::each_id(platform, then),
                BoxDriver::new(&machine, &owner, &errors)?,
            ),
            GFP_KERNEL,
        )?;
        let power = KBox::pin_init(
            power::Registration::new(PowerHandler::new(&machine)),
            GFP_KERNEL,
        )?;
        inventory::report(&machine)?;
        let pmus = PmuGuard {
            registry: registry.clone(),
            errors: errors.clone(),
        };
        registry.open(&machine, &errors)?;
        box_driver.set_verbose(true);
        let rejections = ModuleFile::new(c"rejections", Rejections(machine.clone()))?;
        Ok(Self {
            // Last: nothing may fail after it.
            _debugfs: debugfs::Files::new(&machine)?,
            _rejections: rejections,
            _pmus: pmus,
            _power: power,
            box_driver,
            _hotplug: hotplug,
            _nmi: nmi,
        })
    }
}

impl Drop for Uncore {
    fn drop(&mut self) {
        self.box_driver.set_verbose(false);
    }
}
