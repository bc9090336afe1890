// SPDX-License-Identifier: GPL-2.0

//! Registers the PMUs with perf, and moves or ends their events when a box is added or removed.
//!
//! A PMU is registered when the first of its boxes is added. It stays until unload, even if all its
//! boxes are removed. One mutex serialises registering PMUs, handling errors and moving events. It
//! is taken before any lock of perf's, and not held while PMUs are unregistered, see
//! [`Registry::close`].

use super::{
    sysfs,
    UncorePmu, //
};
use crate::{
    linux::{
        context::IrqsOff,
        perf::Registration,
        smp,
        sysfs::Groups,
        topology::Cpu, //
    },
    uncore::{
        absence::Part,
        counter_box::{
            bus::{
                At,
                FilterLocation,
                Location, //
            },
            modified::{
                Cause,
                ModifiedEvent,
                ModifiedRegister,
                Register, //
            },
            uncore_box::UncoreBox, //
        },
        error_work::{
            self,
            ErrorWork,
            HandleErrors, //
        },
        machine::{
            package::Package,
            Machine,
            PmuOwner, //
        },
        options::Options,
        request::{
            name::{
                BoxName,
                ConfigName, //
            },
            parser::Parser, //
        },
        table::box_type::{
            BoxType,
            Place, //
        }, //
    }, //
};
use core::mem;
use kernel::{
    fmt,
    new_mutex,
    prelude::*,
    sync::{
        Arc,
        Mutex, //
    }, //
};

/// The PMUs that are registered with perf.
#[pin_data]
pub(crate) struct Registry {
    module: &'static ThisModule,
    options: Options,
    #[pin]
    known: Mutex<Registered>,
}

/// The registered PMUs and their files.
struct Registered {
    /// PMUs may be registered: false until all boxes were looked for, and again at unload.
    open: bool,
    pmus: KVec<Pin<KBox<Registration<UncorePmu>>>>,
    /// One for each box type, made when its first PMU is registered.
    shared: KVec<Shared>,
}

/// The data that all PMUs of a box type share.
#[derive(Clone)]
struct Shared {
    parser: Parser,
    files: Arc<Groups<UncorePmu>>,
}

impl Registry {
    /// Makes an empty registry, and the work that handles errors of its boxes.
    pub(crate) fn new(
        module: &'static ThisModule,
        options: Options,
    ) -> Result<(Arc<Self>, Arc<ErrorWork>)> {
        let known = Registered {
            open: false,
            pmus: KVec::new(),
            shared: KVec::new(),
        };
        let registry = Arc::pin_init(
            pin_init!(Self {
                module,
                options,
                known <- new_mutex!(known),
            }),
            GFP_KERNEL,
        )?;
        let errors = Arc::pin_init(
            ErrorWork::new(error_work::Handler(registry.clone())),
            GFP_KERNEL,
        )?;
        Ok((registry, errors))
    }

    /// Registers PMUs for all boxes found so far and from now on.
    pub(crate) fn open(&self, machine: &Arc<Machine>, errors: &Arc<ErrorWork>) -> Result {
        self.known.lock().open = true;
        self.register_new(machine, errors)
    }

    /// Unregisters all PMUs and registers none any more.
    ///
    /// The mutex is released first. Unregistering waits until each running `perf_event_open` has
    /// returned. One that opens a tracepoint waits for CPU hotplug, and the hotplug callbacks wait
    /// for the mutex.
    ///
    /// From then on a callback finds no PMU and moves no event. Events are open only if loading
    /// fails after [`Self::open`]; perf ends those together with their PMU.
    pub(crate) fn close(&self) {
        let pmus = self.known.lock().close();
        // Also breaks the cycle of references between the PMUs and the error work.
        drop(pmus);
    }
}

impl PmuOwner for Registry {
    /// A PMU that cannot be registered is logged, and is tried again when the next box is added.
    fn register_new(&self, machine: &Arc<Machine>, errors: &Arc<ErrorWork>) -> Result {
        let mut known = self.known.lock();
        if !known.open {
            return Ok(());
        }
        let mut result = Ok(());
        for (position, name) in machine.names().enumerate() {
            if machine.has(position) && known.find(&name).is_none() {
                let registered = known
                    .register(self, machine, errors, name, position)
                    .inspect_err(|error| {
                        pr_err!("failed to register a PMU for {name}: {error:?}\n");
                    });
                result = result.and(registered);
            }
        }
        if known.pmus.is_empty() {
            result
        } else {
            Ok(())
        }
    }

    fn migrate_events(&self, from: Cpu, to: Cpu) {
        let known = self.known.lock();
        for pmu in known.pmus.iter().filter(|pmu| pmu.has_events()) {
            pmu.keep_counting(from, || pmu.migrate(from, to));
        }
    }

    fn reschedule_events(&self, uncore_box: &UncoreBox) {
        self.known.lock().reschedule_events(uncore_box);
    }
}

impl HandleErrors for Registry {
    fn handle_errors(&self) {
        let machine = {
            let known = self.known.lock();
            known.handle_errors();
            known.pmus.first().map(|pmu| pmu.machine.clone())
        };
        for package in machine.iter().flat_map(|machine| &machine.packages) {
            package.overflow.test_if_awaited(package.designated());
        }
    }
}

/// Reads the counters of a box, then verifies their registers. A box whose package has no CPU is not
/// there.
fn look(package: &Package, uncore_box: &UncoreBox) {
    if let Some(cpu) = package.designated() {
        let read = |_: &IrqsOff| uncore_box.with(|counters, bus| counters.read_all(bus));
        let verify = |_: &IrqsOff| uncore_box.with(|counters, bus| counters.verify_all(bus));
        let _ = smp::on_cpu(cpu, read).and_then(|()| smp::on_cpu(cpu, verify));
    }
}

/// Logs a box or filter function that stopped answering.
fn log_failed(package: &Package, uncore_box: &UncoreBox, part: Part) {
    let (number, name) = (package.number, uncore_box.name);
    match part {
        Part::Box => {
            pr_err!("package {number}: {name} no longer answers: its events were stopped\n");
        }
        Part::Filters => pr_err!(
            "package {number}: the filter function of {name} no longer answers: events that need \
             it were stopped\n"
        ),
    }
}

/// Logs a box that groups have frozen for too long, once.
fn log_limit(package: &Package, uncore_box: &UncoreBox) {
    let (number, name) = (package.number, uncore_box.name);
    pr_warn!(
        "package {number}: groups that start and stop have frozen {name} for as long as \
         frozen_limit allows: at times they do so without, event by event\n"
    );
}

/// Logs an event that needs a register which another tool or a sleep modified.
fn log_modified(package: &Package, uncore_box: &UncoreBox, modified: &ModifiedEvent) {
    let ModifiedEvent {
        config,
        register,
        cause,
    } = *modified;
    let (number, name) = (package.number, uncore_box.name);
    let event = ConfigName {
        kind: name.kind,
        config,
    };
    let ModifiedRegister { written, found, .. } = register;
    let register = RegisterName::new(uncore_box, register.register);
    let who = match cause {
        Cause::Tool { .. } => "another tool or firmware",
        Cause::Sleep => "a sleep of the package or another tool",
    };
    log_ended(
        cause == Cause::Tool { ended: true },
        fmt!("package {number}: {event} of {name} (config {config:#x})"),
        fmt!("{who} changed its {register}, from {written:#x} to {found:#x}"),
        !modified.register.is_counter(),
    );
}

/// Logs an event that has `ended`, or may be wrong, for this reason. Its register may be set back.
fn log_ended(
    ended: bool,
    event: fmt::Arguments<'_>,
    reason: fmt::Arguments<'_>,
    is_set_back: bool,
) {
    let then = if is_set_back {
        "it is set back"
    } else {
        "the event counts on from there"
    };
    if ended {
        pr_err!("{event} ended: {reason}\n");
    } else {
        pr_warn!("{event} may be wrong: {reason}; {then}\n");
    }
}

/// The kind and location of a box's register: `control register, MSR 0xd10`.
struct RegisterName {
    kind: &'static str,
    place: Place,
    /// Location of the box or filter function; `None` if it was removed.
    location: Option<Location>,
}

impl RegisterName {
    fn new(uncore_box: &UncoreBox, register: Register) -> Self {
        let own = uncore_box.location();
        let (kind, place, location) = match (register, uncore_box.filters()) {
            (Register::Control(offset), _) => ("control", Place::Offset(offset), own),
            (Register::BoxControl(offset), _) => ("box control", Place::Offset(offset), own),
            (Register::Counter(offset), _) => ("counter", Place::Offset(offset), own),
            (
                Register::Filter(place),
                FilterLocation::Function(address) | FilterLocation::Failed(address),
            ) => ("filter", place, Some(Location::Config(address))),
            (Register::Filter(place), _) => ("filter", place, own),
        };
        Self {
            kind,
            place,
            location,
        }
    }
}

impl fmt::Display for RegisterName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} register, ", self.kind)?;
        match self.location {
            Some(location) => fmt::Display::fmt(&At(location, self.place), f),
            None => write!(f, "offset {:#x}", self.place.offset().unwrap_or(0)),
        }
    }
}

impl Registered {
    /// Returns the registered PMU of the boxes with a name.
    fn find(&self, name: &BoxName) -> Option<&Registration<UncorePmu>> {
        self.pmus
            .iter()
            .find(|pmu| pmu.name.is(name))
            .map(|pmu| &**pmu)
    }

    /// Takes all PMUs out, so that the caller can unregister them, and admits no other.
    fn close(&mut self) -> KVec<Pin<KBox<Registration<UncorePmu>>>> {
        self.open = false;
        mem::take(&mut self.pmus)
    }

    /// Registers the PMU of the boxes with a name, which are at this position in each package.
    fn register(
        &mut self,
        registry: &Registry,
        machine: &Arc<Machine>,
        errors: &Arc<ErrorWork>,
        name: BoxName,
        position: usize,
    ) -> Result {
        // Memory first: a PMU cannot be unregistered here, see `Registry::close`.
        self.pmus.reserve(1, GFP_KERNEL)?;
        let Shared { parser, files } = self.shared(name.kind, &registry.options)?;
        let pmu = UncorePmu::new(name, position, parser, machine, errors)?;
        let name = registry.options.pmu_name(machine.platform, &name)?;
        let registration = KBox::pin_init(
            Registration::new(name, registry.module, files, pmu),
            GFP_KERNEL,
        )?;
        Ok(self.pmus.push(registration, GFP_KERNEL)?)
    }

    /// Returns the data that all PMUs of a box type share, made on first use.
    fn shared(&mut self, kind: &'static BoxType, options: &Options) -> Result<Shared> {
        if let Some(made) = self.shared.iter().find(|made| made.parser.is_of(kind)) {
            return Ok(made.clone());
        }
        let made = Shared {
            parser: Parser::new(kind),
            files: sysfs::files(kind, options)?,
        };
        self.shared.push(made.clone(), GFP_KERNEL)?;
        Ok(made)
    }

    /// Ends events of boxes that failed, and events whose registers were modified, and logs both.
    fn handle_errors(&self) {
        for pmu in &self.pmus {
            for (package, uncore_box) in pmu.boxes() {
                if !uncore_box.reach().take_news() {
                    continue;
                }
                if uncore_box.reach().take_look() {
                    look(package, uncore_box);
                }
                let failed = uncore_box.take_failed_part();
                if failed.is_some() || uncore_box.look(|of| of.holds_modified_event()) {
                    self.reschedule_events(uncore_box);
                }
                if let Some(part) = failed {
                    log_failed(package, uncore_box, part);
                }
                if uncore_box.look(|of| of.take_reached_limit()) {
                    log_limit(package, uncore_box);
                }
                while let Some(modified) = uncore_box.look(|of| of.take_modified_event()) {
                    package.overflow.count_modified(modified.cause);
                    log_modified(package, uncore_box, &modified);
                }
            }
        }
    }

    /// Has perf take those events off a box that cannot stay there. They are not added again while
    /// the box refuses them.
    fn reschedule_events(&self, uncore_box: &UncoreBox) {
        let Some(pmu) = self.find(&uncore_box.name) else {
            return;
        };
        let leaving = uncore_box.look(|of| of.leaving());
        for event in leaving.iter().flatten().flatten() {
            pmu.reschedule(event);
        }
    }
}
