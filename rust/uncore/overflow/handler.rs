// SPDX-License-Identifier: GPL-2.0

//! The NMI handler, which finds the package of the CPU and asks it whether the NMI is a PMI, and the
//! interrupt to which it leaves the work.

use super::{
    nmi::NmiOutcome,
    pmi::PackagePmi,
    service::{
        Service,
        Stepped,
        OVERFLOW, //
    },
    timer::OverflowTimer, //
};
use crate::linux::{
    context::{
        IrqsOff,
        Nmi, //
    },
    hrtimer::Timer,
    irq_work::{
        self,
        IrqWork,
        Left, //
    },
    nmi::{
        Claimed,
        Handle, //
    }, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// PMI of a package, and the interrupt that services its boxes.
pub(crate) type PmiWork = (Arc<PackagePmi>, Arc<IrqWork<Deferred>>);

/// The NMI handler of all packages, which are indexed by the kernel's package number.
pub(crate) struct Handler(KVec<PmiWork>);

impl Handler {
    /// Creates the handler of these packages, all of the machine in the order of their numbers.
    pub(crate) fn new(packages: impl ExactSizeIterator<Item = PmiWork>) -> Result<Self> {
        let mut all = KVec::with_capacity(packages.len(), GFP_KERNEL)?;
        for package in packages {
            all.push_within_capacity(package)?;
        }
        Ok(Self(all))
    }

    fn package_of(&self, here: &Nmi) -> Option<&PmiWork> {
        let package = here.cpu().logical_package()?;
        self.0.get(usize::try_from(package).ok()?)
    }
}

impl Handle for Handler {
    fn handle(&self, here: &Nmi) -> Claimed {
        let Some((pmi, work)) = self.package_of(here) else {
            return Claimed::No;
        };
        match pmi.nmi.handle(here) {
            NmiOutcome::Foreign => Claimed::No,
            NmiOutcome::Nothing => Claimed::Yes,
            NmiOutcome::Work => {
                work.service.request(OVERFLOW);
                work.queue(here);
                Claimed::Yes
            }
        }
    }
}

/// The interrupt that services the boxes of a package, one after the other, and the timer that stands
/// in for it.
#[pin_data]
pub(crate) struct Deferred {
    pub(super) service: Arc<Service>,
    #[pin]
    pub(crate) timer: Timer<OverflowTimer>,
}

impl Deferred {
    /// Creates the interrupt and the timer of a package.
    pub(crate) fn new(service: &Arc<Service>) -> impl PinInit<Self, Error> {
        let service = service.clone();
        try_pin_init!(Self {
            timer <- Timer::new(OverflowTimer::new(&service)),
            service,
        })
    }
}

impl irq_work::Run for Deferred {
    fn run(&self, _here: &IrqsOff) -> Left {
        match self.service.step() {
            Stepped::More => Left::Some,
            Stepped::Idle | Stepped::Last => Left::Nothing,
        }
    }
}
