// SPDX-License-Identifier: GPL-2.0

//! Every filter field of every box at every meaningful value. traffic.rst gives the values
//! of each field, and those that occur in the machine's traffic.

mod cbox;
mod ha;
mod irp;
mod pcu;
mod qpi;

use crate::fixture::probe::Probe;

/// Returns an event with each setting.
pub fn settings() -> Vec<Probe> {
    [
        cbox::settings(),
        ha::settings(),
        irp::settings(),
        pcu::settings(),
        qpi::settings(),
    ]
    .concat()
}
