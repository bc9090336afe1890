// SPDX-License-Identifier: GPL-2.0

//! The NMI handler: finds the package of the CPU and asks it whether the NMI is a PMI.

use super::{
    deferred::Deferred,
    nmi::NmiOutcome,
    pmi::PackagePmi,
    service::OVERFLOW, //
};
use crate::linux::{
    context::Nmi,
    irq_work::IrqWork,
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
