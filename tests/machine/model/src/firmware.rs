// SPDX-License-Identifier: GPL-2.0

//! Firmware that keeps boxes for itself: it locks them.
//!
//! | condition | effect | command | option |
//! |---|---|---|---|
//! | locked box | writes are ignored | `lock PKG BOX` | `locked=` |
//! | the same with #GP | writes fault | `lock PKG BOX fault` | `locked-fault=` |

use crate::layout::Access;
use crate::machine::Machine;
use crate::package::Package;

/// The effect of writes to a locked box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lock {
    /// They are ignored.
    Ignores,
    /// They raise #GP.
    Faults,
}

/// A locked box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LockedBox {
    package: u8,
    pmon: usize,
    lock: Lock,
}

impl Package {
    /// The box of a name as one that is locked; `None` if there is none that can be.
    pub(crate) fn locked_box(&self, name: &str, lock: Lock) -> Option<LockedBox> {
        let pmon = self.box_named(name)?;
        let in_msrs = !matches!(self.boxes[pmon].layout.access, Access::Pci(_));
        (in_msrs || lock == Lock::Ignores).then_some(LockedBox {
            package: self.number,
            pmon,
            lock,
        })
    }
}

impl Machine {
    /// Firmware locks a box.
    pub(crate) fn lock(&mut self, at: LockedBox) {
        let LockedBox {
            package,
            pmon,
            lock,
        } = at;
        self.packages[usize::from(package)].boxes[pmon].lock = Some(lock);
    }
}
