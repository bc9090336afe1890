// SPDX-License-Identifier: GPL-2.0

//! Firmware that keeps boxes for itself: it locks them, or uses counters of its own.
//!
//! | condition | effect | command | option |
//! |---|---|---|---|
//! | locked box | writes are ignored | `lock PKG BOX` | `locked=` |
//! | the same with #GP | writes fault | `lock PKG BOX fault` | `locked-fault=` |
//! | counter in use | its control register is written once | `firmware …` | `firmware=` |
//! | the same in time | it is written every so often | `firmware … EVERY` | `firmware=` |
//!
//! Firmware writes when it begins and after each sleep. Every so often is the end of the
//! burst, or the access in free-running time, by which so many cycles of uclk have passed.

use crate::layout::{Access, Register};
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

/// A counter that firmware uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnCounter {
    package: u8,
    pmon: usize,
    counter: usize,
    use_of_it: Use,
}

/// The use that firmware makes of a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Use {
    /// Value of the control register.
    pub(crate) control: u32,
    /// Cycles of uclk after which it is written anew.
    pub(crate) every: Option<u64>,
}

/// The firmware of the machine.
#[derive(Debug, Default)]
pub(crate) struct Firmware {
    /// The counters it uses, each with the cycles of uclk since it was written.
    own: Vec<(OwnCounter, u64)>,
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

    /// The counter of a box as one that firmware uses; `None` if there is no such counter.
    pub(crate) fn own_counter(
        &self,
        pmon: &str,
        counter: &str,
        use_of_it: Use,
    ) -> Option<OwnCounter> {
        let pmon = self.box_named(pmon)?;
        Some(OwnCounter {
            package: self.number,
            pmon,
            counter: self.boxes[pmon].layout.counter_named(counter)?,
            use_of_it,
        })
    }

    fn write_own(&mut self, own: &OwnCounter) {
        self.settle(own.pmon);
        let register = Register::Control(own.counter);
        self.boxes[own.pmon].poke(register, own.use_of_it.control.into());
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

    /// Firmware begins to use a counter.
    pub(crate) fn own(&mut self, own: OwnCounter) {
        self.packages[usize::from(own.package)].write_own(&own);
        self.firmware.own.push((own, 0));
    }

    /// Firmware gives all its counters back, and leaves them as they are.
    pub(crate) fn own_nothing(&mut self) {
        self.firmware.own.clear();
    }

    /// Firmware writes its counters of a package after a sleep.
    pub(crate) fn write_own_of(&mut self, package: u8) {
        let own = self.firmware.own.iter().map(|(own, _)| own);
        for own in own.filter(|own| own.package == package) {
            self.packages[usize::from(package)].write_own(own);
        }
    }

    /// Time has passed in a package.
    pub(crate) fn elapse_for_firmware(&mut self, package: u8, uclk: u64) {
        let here = &mut self.packages[usize::from(package)];
        let own = self.firmware.own.iter_mut();
        for (own, passed) in own.filter(|(own, _)| own.package == package) {
            let Some(every) = own.use_of_it.every else {
                continue;
            };
            *passed = passed.saturating_add(uclk);
            if *passed >= every {
                *passed %= every;
                here.write_own(own);
            }
        }
    }
}
