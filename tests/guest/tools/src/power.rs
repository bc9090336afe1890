// SPDX-License-Identifier: GPL-2.0

//! Sleep of the machine, and hibernation.

use std::fs::{self, OpenOptions};
use std::io::Error;
use std::os::unix::fs::FileExt;

/// The channel to the host does not survive a suspension: its PCI function is
/// unbound from its driver before, and bound again afterwards.
const CHANNEL: (&str, &str) = ("/sys/bus/pci/drivers/virtio-pci", "0000:00:0f.0");
/// File that begins a suspension.
const STATE: &str = "/sys/power/state";

/// Configuration space of the bridge in which the ports of ACPI are, and the place of the
/// registers that put them there. The firmware does not set these again when it wakes the
/// machine, and without the ports the machine cannot be switched off.
const BRIDGE: &str = "/sys/bus/pci/devices/0000:00:1f.0/config";
const PORTS: (u64, usize) = (0x40, 8);

/// Suspends the machine to a state as the kernel names it; returns when it has woken up.
pub fn suspend(state: &str) -> Result<(), Error> {
    let bridge = OpenOptions::new().read(true).write(true).open(BRIDGE)?;
    let mut ports = [0; PORTS.1];
    bridge.read_exact_at(&mut ports, PORTS.0)?;
    let (driver, function) = CHANNEL;
    fs::write(format!("{driver}/unbind"), function)?;
    let suspended = fs::write(STATE, state);
    bridge.write_all_at(&ports, PORTS.0)?;
    fs::write(format!("{driver}/bind"), function)?;
    suspended
}
