// SPDX-License-Identifier: GPL-2.0

//! The PMUs that perf knows, and what is done in process context when a box comes or goes.
//!
//! A PMU is registered when the first package shows one of its boxes, and stays until unload, even
//! if all its boxes go. One mutex keeps registering, repairing and moving events apart; it is taken
//! before any lock of perf's.

use super::{
    box_type::BoxType,
    bus::{
        At,
        FilterRegisters,
        Registers, //
    },
    counter_box::{
        Change,
        Register,
        Tampered, //
    },
    machine::Machine,
    name::{
        BoxName,
        ConfigName, //
    },
    package::Package,
    pmu::UncorePmu,
    seat::{
        Part,
        Seat, //
    },
    sysfs,
    Options, //
};
use crate::linux::{
    perf::Registration,
    sysfs::Groups,
    topology::{
        self,
        Cpu, //
    },
    work::{
        Run,
        Work, //
    },
};
use kernel::{
    fmt, new_mutex,
    prelude::*,
    sync::{
        Arc,
        Mutex, //
    },
};

/// Has boxes seen to in process context that stopped answering, or whose registers somebody has
/// changed. May be raised anywhere.
pub(super) type Alarm = Work<Repair>;

/// What an alarm does.
pub(super) struct Repair(Arc<Pmus>);

impl Run for Repair {
    fn run(&self) {
        self.0.repair();
    }
}

/// The PMUs that perf knows.
#[pin_data]
pub(super) struct Pmus {
    module: &'static ThisModule,
    options: Options,
    #[pin]
    known: Mutex<Known>,
}

/// What is registered.
struct Known {
    /// Whether PMUs may be registered: not before everything was looked at, nor while unloading.
    open: bool,
    pmus: KVec<Pin<KBox<Registration<UncorePmu>>>>,
    /// The sysfs files of each type, made when first needed.
    files: KVec<(&'static BoxType, Arc<Groups<UncorePmu>>)>,
}

impl Pmus {
    /// None yet; and the alarm for their boxes.
    pub(super) fn new(
        module: &'static ThisModule,
        options: Options,
    ) -> Result<(Arc<Self>, Arc<Alarm>)> {
        let known = Known {
            open: false,
            pmus: KVec::new(),
            files: KVec::new(),
        };
        let pmus = pin_init!(Self {
            module,
            options,
            known <- new_mutex!(known),
        });
        let pmus = Arc::pin_init(pmus, GFP_KERNEL)?;
        let alarm = Arc::pin_init(Alarm::new(Repair(pmus.clone())), GFP_KERNEL)?;
        Ok((pmus, alarm))
    }

    /// Everything has been looked at: registers PMUs for all boxes there are, now and later.
    pub(super) fn open(&self, machine: &Arc<Machine>, alarm: &Arc<Alarm>) -> Result {
        self.known.lock().open = true;
        self.update(machine, alarm)
    }

    /// Unregisters all PMUs, for good.
    pub(super) fn close(&self) {
        let mut known = self.known.lock();
        known.open = false;
        // Also ends the circle of references from PMU to alarm and back.
        known.pmus.clear();
    }

    /// Registers PMUs for boxes that have come, or says why one cannot be registered.
    pub(super) fn update(&self, machine: &Arc<Machine>, alarm: &Arc<Alarm>) -> Result {
        let mut known = self.known.lock();
        if !known.open {
            return Ok(());
        }
        for &kind in machine.platform.box_types {
            for index in 0..kind.max_boxes {
                let name = BoxName { kind, index };
                if !known.has(&name) && machine.has(&name) {
                    let pmu = UncorePmu::new(name, machine, alarm)?;
                    known.register(self, pmu).inspect_err(|error| {
                        pr_err!("no PMU can be registered for {name}: {error:?}\n");
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Moves all events from a CPU to another of its package.
    pub(super) fn migrate(&self, from: Cpu, to: Cpu) {
        for pmu in &self.known.lock().pmus {
            pmu.migrate(from, to);
        }
    }

    /// Ends the events of a box that has gone or takes no more, or those that need filters of which
    /// that is true: perf schedules them out, and cannot schedule them in again, so that their
    /// running time stops.
    pub(super) fn evict(&self, package: &Package, seat: &Seat) {
        self.known.lock().evict(package, seat);
    }

    /// Ends the events of what has stopped answering, and those whose registers were changed.
    fn repair(&self) {
        let known = self.known.lock();
        for pmu in &known.pmus {
            for (package, seat) in pmu.places() {
                if let Some(part) = seat.take_broken() {
                    known.evict(package, seat);
                    say_broken(package, seat, part);
                } else if seat.holds_tampered() && package.has_refuge() {
                    known.evict(package, seat);
                }
                while let Some(tampered) = seat.take_tampered() {
                    package.overflow.tampered();
                    say_tampered(package, seat, &tampered);
                }
            }
        }
    }
}

/// Says what has stopped answering.
fn say_broken(package: &Package, seat: &Seat, part: Part) {
    let (number, name) = (package.number, seat.name);
    match part {
        Part::Box => {
            pr_err!("{name} of package {number} no longer answers: its events have stopped\n");
        }
        Part::Filters => pr_err!(
            "the filter function of {name} of package {number} no longer answers: the events that \
             need it have stopped\n"
        ),
    }
}

/// Says which event has ended, and because of which register.
fn say_tampered(package: &Package, seat: &Seat, tampered: &Tampered) {
    let Change {
        register,
        written,
        found,
    } = tampered.change;
    let own = seat.registers();
    let (what, offset, registers) = match (register, seat.filters()) {
        (Register::Control(offset), _) => ("control", offset, own),
        (Register::BoxControl(offset), _) => ("box control", offset, own),
        (Register::Filter(offset), FilterRegisters::Pci(function)) => {
            ("filter", offset, Some(Registers::Pci(function)))
        }
        (Register::Filter(offset), _) => ("filter", offset, own),
    };
    let place = Place(registers.as_ref(), offset);
    let (number, name) = (package.number, seat.name);
    let config = tampered.config;
    let event = ConfigName {
        kind: name.kind,
        config,
    };
    pr_err!(
        "{name} of package {number}: {event} (config {config:#x}) has ended: somebody else has \
         changed its {what} register, {place}, from {written:#x} to {found:#x}\n"
    );
}

/// A register of a box that may be gone.
struct Place<'a>(Option<&'a Registers>, u16);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place(Some(registers), offset) => fmt::Display::fmt(&At(registers, *offset), f),
            Place(None, offset) => write!(f, "offset {offset:#x}"),
        }
    }
}

impl Known {
    fn has(&self, name: &BoxName) -> bool {
        self.pmus.iter().any(|pmu| pmu.name.is(name))
    }

    fn register(&mut self, pmus: &Pmus, pmu: UncorePmu) -> Result {
        let name = pmus.options.pmu_name(pmu.machine.platform, &pmu.name)?;
        let files = self.files(pmu.name.kind, &pmus.options)?;
        let registration = Registration::new(name, pmus.module, files, pmu);
        let registration = KBox::pin_init(registration, GFP_KERNEL)?;
        Ok(self.pmus.push(registration, GFP_KERNEL)?)
    }

    /// The sysfs files of a type.
    fn files(
        &mut self,
        kind: &'static BoxType,
        options: &Options,
    ) -> Result<Arc<Groups<UncorePmu>>> {
        let mut made = self.files.iter();
        if let Some((_, files)) = made.find(|(of, _)| core::ptr::eq(*of, kind)) {
            return Ok(files.clone());
        }
        let files = sysfs::files(kind, options)?;
        self.files.push((kind, files.clone()), GFP_KERNEL)?;
        Ok(files)
    }

    fn evict(&self, package: &Package, seat: &Seat) {
        let mut pmus = self.pmus.iter();
        let Some(pmu) = pmus.find(|pmu| pmu.name.is(&seat.name)) else {
            return;
        };
        let Some(cpu) = package.designated() else {
            return;
        };
        if let Some(other) = package.another(cpu) {
            pmu.migrate(cpu, other);
            pmu.migrate(other, cpu);
        } else if let Some(stranger) = topology::online_cpus().find(|&other| other != cpu) {
            // There they stay, as nothing can be added on a CPU of another package.
            pmu.migrate(cpu, stranger);
        }
    }
}
