// SPDX-License-Identifier: GPL-2.0

//! The PCI bus of the computer.

use super::*;

/// The PCI bus.
impl Host {
    /// Functions that are present, in order.
    pub(crate) fn functions(&self) -> Vec<Function> {
        plain(&self.functions)
            .keys()
            .map(|&at| function(at))
            .collect()
    }

    /// Lets the accesses to a function reach another one, or none, so that they fail.
    pub(crate) fn redirect(&self, at: Function, target: Option<Function>) {
        plain(&self.redirected).insert(key(at), target);
    }

    /// Returns the function that the accesses to a function reach.
    pub(crate) fn reached(&self, at: Function) -> Option<Function> {
        let redirected = plain(&self.redirected).get(&key(at)).copied();
        redirected.unwrap_or(Some(at))
    }

    /// Registers the driver of the functions, and binds those that it takes.
    pub(crate) fn add_driver(&self, driver: Bound) {
        may_sleep();
        let mut bus = self.bus.lock().expect("no driver panicked");
        for at in self.functions() {
            let is_bound = driver.probe(at);
            plain(&self.functions).insert(key(at), is_bound);
        }
        *bus = Some(driver);
    }

    /// Unbinds all functions of the driver and forgets it.
    pub(crate) fn remove_driver(&self) {
        may_sleep();
        let mut bus = self.bus.lock().expect("no driver panicked");
        if let Some(driver) = bus.take() {
            for at in self.functions() {
                if plain(&self.functions).insert(key(at), false) == Some(true) {
                    driver.remove(at);
                }
            }
        }
    }

    /// Removes a function, as a write to `remove` in its directory does.
    pub(crate) fn remove_function(&self, at: Function) {
        may_sleep();
        let bus = self.bus.lock().expect("no driver panicked");
        let is_bound = plain(&self.functions).get(&key(at)).copied();
        if let (Some(driver), Some(true)) = (&*bus, is_bound) {
            driver.remove(at);
        }
        plain(&self.functions).remove(&key(at));
    }

    /// Finds a function again, as a write to `rescan` does.
    pub(crate) fn rescan(&self, at: Function) {
        may_sleep();
        let bus = self.bus.lock().expect("no driver panicked");
        if plain(&self.functions).contains_key(&key(at)) {
            return;
        }
        plain(&self.functions).insert(key(at), false);
        let is_bound = bus.as_ref().is_some_and(|driver| driver.probe(at));
        plain(&self.functions).insert(key(at), is_bound);
    }
}

/// Functions of a machine that answer.
pub(super) fn functions_of(machine: &mut Machine) -> BTreeMap<(u8, u8, u8), bool> {
    let packages = machine.topology().packages.clone();
    let buses = packages.iter().filter_map(|package| package.buses);
    let buses = buses.flat_map(|buses| [buses.uncore, buses.iio]);
    let all = buses.flat_map(|bus| {
        (0..32).flat_map(move |device| (0..8).map(move |function| (bus, device, function)))
    });
    // The host bridge, on a machine whose packages have no buses too.
    let all = all.chain([(0, 0, 0)]);
    all.filter(|&at| {
        let id = machine.config_read(function(at), 0, 4);
        id.is_some_and(|id| id != u32::MAX)
    })
    .map(|at| (at, false))
    .collect()
}

/// The key of a function.
pub(super) fn key(at: Function) -> (u8, u8, u8) {
    (at.bus, at.device, at.function)
}

pub(super) fn function((bus, device, function): (u8, u8, u8)) -> Function {
    Function {
        bus,
        device,
        function,
    }
}
