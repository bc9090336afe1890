// SPDX-License-Identifier: GPL-2.0

//! The points of an order (see `order`).

use std::fmt::Display;

use crate::adapter::{Adapter, Device};
use crate::apic;
use crate::config_space::Target;
use crate::decode::{Action, Port, MODULES};
use crate::guest::{Guest, Register};
use crate::options::Options;
use crate::order::Order;
use crate::site::Site;

use super::low;

impl Adapter {
    /// Tells if calls of modules are points.
    pub(crate) fn has_order(&self) -> bool {
        self.order.is_some()
    }

    /// Returns the number of the vCPU that runs. If vCPUs share a thread, the emulator passes
    /// the number of the one for which it translated the code.
    pub(super) fn number(&self, passed: usize, guest: &impl Guest) -> usize {
        let id = self
            .order
            .as_ref()
            .and_then(|_| guest.read_physical(apic::ID));
        let number = id.map(|id| usize::from(id.to_be_bytes()[0]));
        number
            .filter(|number| *number < self.vcpus.len())
            .unwrap_or(passed)
    }

    /// Tells if a vCPU may go on with an instruction; it may if that is no point.
    pub(super) fn passes(
        &self,
        cpu: usize,
        action: Action,
        site: &Site,
        guest: &impl Guest,
    ) -> bool {
        let Some(order) = self.order.as_ref().filter(|order| order.is_on()) else {
            return true;
        };
        let place = (site.address, guest.register(Register::Rsp));
        let passes = |point: &dyn Display| order.passes(cpu, place, point);
        let msr = || low(guest.register(Register::Rcx));
        let by_port = |port: Port, size| {
            let address = self
                .config_address
                .load(std::sync::atomic::Ordering::SeqCst);
            Target::by_port(address, port.number(guest), size)
        };
        let in_module = site.address >= MODULES;
        match action {
            Action::ReadMsr if in_module => passes(&format_args!("rdmsr {:#x}", msr())),
            Action::WriteMsr if in_module => passes(&format_args!("wrmsr {:#x}", msr())),
            Action::Call { target } => passes(&format_args!("call {target:#x}")),
            Action::PortIn { port, size } => match by_port(port, size) {
                Some(target) => passes(&format_args!("cfgr {target}")),
                None => true,
            },
            Action::PortOut { port, size } => match by_port(port, size) {
                Some(target) => passes(&format_args!("cfgw {target}")),
                None => true,
            },
            Action::Load { memory, .. } => match self.device(memory.address(guest), guest) {
                Some(Device::Config(target)) => passes(&format_args!("cfgr {target}")),
                _ => true,
            },
            Action::Store { memory, .. } => match self.device(memory.address(guest), guest) {
                Some(Device::Config(target)) => passes(&format_args!("cfgw {target}")),
                _ => true,
            },
            _ => true,
        }
    }
}

/// Returns the order, if one is asked for and the machine can have one.
pub(super) fn order(options: &Options, vcpus: usize) -> Result<Option<Order>, String> {
    let Some(directory) = &options.orders else {
        return Ok(None);
    };
    if !vcpus.is_power_of_two() {
        return Err("an order needs processors whose APIC identifiers have no gaps".to_owned());
    }
    if options.free_run || options.count {
        return Err("an order needs free-run=off and count=off".to_owned());
    }
    let order = Order::open(directory).map_err(|error| format!("cannot write {error}"))?;
    Ok(Some(order))
}
