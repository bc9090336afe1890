// SPDX-License-Identifier: GPL-2.0

//! The NMI handler: finds the package, has its line look, and leaves the boxes to an interrupt.

use super::{
    super::package::Package,
    line::{
        Heard,
        Line, //
    },
    service::Deferred, //
};
use crate::linux::{
    context::Nmi,
    irq_work::IrqWork,
    nmi::{
        Claimed,
        Handle, //
    },
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// The lines of all packages, by the kernel's number, and what is done when one has heard.
pub(in super::super) struct Handler(KVec<(Arc<Line>, Arc<IrqWork<Deferred>>)>);

impl Handler {
    /// The handler for these packages, which are all there are.
    pub(in super::super) fn new(packages: &[Package]) -> Result<Self> {
        let mut lines = KVec::with_capacity(packages.len(), GFP_KERNEL)?;
        for package in packages {
            lines.push(package.overflow.line(), GFP_KERNEL)?;
        }
        Ok(Self(lines))
    }

    fn of(&self, here: &Nmi) -> Option<&(Arc<Line>, Arc<IrqWork<Deferred>>)> {
        let package = here.cpu().logical_package()?;
        self.0.get(usize::try_from(package).ok()?)
    }
}

impl Handle for Handler {
    fn handle(&self, here: &Nmi) -> Claimed {
        let Some((line, work)) = self.of(here) else {
            return Claimed::No;
        };
        match line.nmi(here) {
            Heard::Foreign => Claimed::No,
            Heard::Nothing => Claimed::Yes,
            Heard::Work => {
                work.queue(here);
                Claimed::Yes
            }
        }
    }
}
