// SPDX-License-Identifier: GPL-2.0

//! Sleep of the machine, and hibernation.

use std::fs;
use std::io::Error;

/// The channel to the host does not survive a suspension: its PCI function is
/// unbound from its driver before, and bound again afterwards.
const CHANNEL: (&str, &str) = ("/sys/bus/pci/drivers/virtio-pci", "0000:00:0f.0");
/// File that begins a suspension.
const STATE: &str = "/sys/power/state";

/// Suspends the machine to a state as the kernel names it; returns when it has woken up.
pub fn suspend(state: &str) -> Result<(), Error> {
    let (driver, function) = CHANNEL;
    fs::write(format!("{driver}/unbind"), function)?;
    let suspended = fs::write(STATE, state);
    fs::write(format!("{driver}/bind"), function)?;
    suspended
}
