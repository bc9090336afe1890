// SPDX-License-Identifier: GPL-2.0

//! PCI functions of the machine's model.

use super::{shared::Shared, topology};
use crate::host::{host, in_nmi, may_sleep};
use kernel::{error::Error, fmt, prelude::*};
use std::sync::{atomic::Ordering::Relaxed, Arc};
use uncore_machine::Machine;

/// Value of a read that no function answers.
const NO_ANSWER: u32 = u32::MAX;

/// A way to read: through ports, or in memory.
type Reader = fn(&mut Machine, uncore_machine::Function, u16, u8) -> Option<u32>;

/// The address of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Address {
    /// PCI segment.
    pub(crate) domain: u32,
    /// Bus number.
    pub(crate) bus: u8,
    /// Device on the bus.
    pub(crate) device: u8,
    /// Function of the device.
    pub(crate) function: u8,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            domain,
            bus,
            device,
            function,
        } = self;
        write!(f, "{domain:04x}:{bus:02x}:{device:02x}.{function}")
    }
}

/// A reference to a PCI function.
#[derive(Clone)]
pub(crate) struct Function(Arc<uncore_machine::Function>);

/// The last reference frees the function, which may sleep.
impl Drop for Function {
    fn drop(&mut self) {
        may_sleep();
    }
}

impl Function {
    fn new(at: uncore_machine::Function) -> Self {
        Self(Arc::new(at))
    }

    /// Returns the address.
    pub(crate) fn address(&self) -> Address {
        let bus = u32::from(self.0.bus);
        let (domain, bus) = match bus.checked_sub(host().second_segment.load(Relaxed)) {
            Some(bus) => (1, bus),
            None => (0, bus),
        };
        Address {
            domain,
            bus: u8::try_from(bus).expect("a part of 256 buses"),
            device: self.0.device,
            function: self.0.function,
        }
    }

    /// Returns the device ID, which the PCI core has read before.
    pub(crate) fn device_id(&self) -> u16 {
        let at = host().reached(*self.0).unwrap_or(*self.0);
        let id = host().machine().config_read(at, 2, 2);
        id.and_then(|id| u16::try_from(id).ok()).unwrap_or(u16::MAX)
    }

    /// Returns the NUMA node that firmware gives for the function: the first of its package.
    pub(crate) fn node(&self) -> Option<u32> {
        let packages = host().machine().topology().packages.clone();
        let mut packages = (0..).zip(packages);
        let (number, _) = packages.find(|(_, package)| {
            let buses = package.buses.map(|buses| [buses.uncore, buses.iio]);
            buses.is_some_and(|buses| buses.contains(&self.0.bus))
        })?;
        Some(topology::first_node(number))
    }

    /// Reads a dword at a multiple of 4.
    pub(crate) fn read(&self, offset: u16) -> Result<u32> {
        self.read_with(Machine::config_read, offset)
    }

    fn read_with(&self, read: Reader, offset: u16) -> Result<u32> {
        match self.read_raw(read, offset)? {
            NO_ANSWER if self.read_raw(read, 0)? == NO_ANSWER => Err(ENODEV),
            value => Ok(value),
        }
    }

    /// Writes a dword at a multiple of 4.
    pub(crate) fn write(&self, offset: u16, value: u32) -> Result {
        let at = host().reached(*self.0).ok_or(EIO)?;
        host()
            .access_function(|machine| machine.config_write(at, offset, 4, value))
            .ok_or(EIO)
    }

    fn read_raw(&self, read: Reader, offset: u16) -> Result<u32> {
        let at = host().reached(*self.0).ok_or(EIO)?;
        host()
            .access_function(|machine| read(machine, at, offset, 4))
            .ok_or(EIO)
    }
}

/// The config space of a function.
#[derive(Clone)]
pub(crate) struct ConfigSpace(Function);

impl ConfigSpace {
    /// Makes the config space of a function.
    pub(crate) fn new(function: Function, _ecam: &Ecam) -> Self {
        Self(function)
    }

    /// Returns the address of the function.
    pub(crate) fn address(&self) -> Address {
        self.0.address()
    }

    /// Reads a dword at a multiple of 4; not in an NMI.
    pub(crate) fn read(&self, offset: u16) -> Result<u32> {
        if in_nmi() {
            return Err(EAGAIN);
        }
        self.0.read_with(Machine::config_read_in_memory, offset)
    }

    /// Reads a dword at a multiple of 4.
    pub(crate) fn read_through_ports(&self, offset: u16) -> Result<u32> {
        self.0.read(offset)
    }

    /// Returns two dwords that follow each other.
    pub(crate) fn two_dwords(&self, offset: u16) -> Option<TwoDwords<'_>> {
        Some(TwoDwords(self, offset))
    }

    /// Writes a dword at a multiple of 4.
    pub(crate) fn write(&self, offset: u16, value: u32) -> Result {
        self.0.write(offset, value)
    }
}

/// Two dwords of config space that follow each other.
pub(crate) struct TwoDwords<'a>(&'a ConfigSpace, u16);

impl TwoDwords<'_> {
    /// Reads the first dword, if the function answers.
    pub(crate) fn low(&self) -> Option<u32> {
        self.0.read(self.1).ok()
    }

    /// Reads the second dword, if the function answers.
    pub(crate) fn high(&self) -> Option<u32> {
        self.0.read(self.1 + 4).ok()
    }
}

/// The registers of a function in memory.
#[derive(Clone)]
pub(crate) struct Memory {
    function: Function,
    /// Config offset of the base register.
    base_at: u16,
    /// Value of the base register when the memory was mapped.
    base: u64,
    size: u16,
}

impl Memory {
    /// The bit of a base register that is 1 while the function decodes the address.
    const ENABLED: u64 = 1;

    /// The bits of a base register with the address.
    const ADDRESS: u64 = !0xfff;

    /// Maps the memory whose base register is at this config offset.
    pub(crate) fn new(function: Function, base_at: u16, size: u16) -> Result<Self> {
        may_sleep();
        let base = read_base(&function, base_at)?;
        match (base & Self::ENABLED, base & Self::ADDRESS) {
            (0, _) => Err(ENXIO),
            (_, 0) => Err(EINVAL),
            _ => Ok(Self {
                function,
                base_at,
                base,
                size,
            }),
        }
    }

    /// Returns the address of the function.
    pub(crate) fn address(&self) -> Address {
        self.function.address()
    }

    /// Reads a dword at a multiple of 4.
    pub(crate) fn read(&self, offset: u16) -> Result<u32> {
        if offset >= self.size {
            return Err(EINVAL);
        }
        let at = (self.base & Self::ADDRESS) + u64::from(offset);
        let value = host().access_function(|machine| machine.memory_read(at, 4));
        match value.and_then(|value| value.try_into().ok()) {
            None | Some(NO_ANSWER) if !self.is_decoded() => Err(ENODEV),
            value => Ok(value.unwrap_or(NO_ANSWER)),
        }
    }

    /// Returns whether the function still decodes the address that is mapped.
    fn is_decoded(&self) -> bool {
        read_base(&self.function, self.base_at) == Ok(self.base)
    }
}

/// Reads a base register.
fn read_base(function: &Function, at: u16) -> Result<u64> {
    let low = u64::from(function.read(at)?);
    let high = u64::from(function.read(at + 4)?);
    Ok(high << 32 | low)
}

/// Memory through which config space can be read: none.
pub(crate) struct Ecam;

impl Ecam {
    /// Finds no such memory.
    pub(crate) fn new() -> Result<Self> {
        Ok(Self)
    }
}

/// Returns the functions with this device ID, bound to a driver or not.
pub(crate) fn functions(device_id: u16) -> impl Iterator<Item = Function> {
    let functions = host().functions().into_iter().map(Function::new);
    functions.filter(move |function| function.device_id() == device_id)
}

/// A driver of PCI functions.
pub(crate) trait Driver: Send + Sync + 'static {
    /// Binds a function.
    fn probe(&self, function: Function) -> Result;

    /// Unbinds a function.
    fn remove(&self, function: &Function);
}

/// A driver, with the device IDs of its functions.
pub(crate) struct Bound {
    driver: Arc<dyn Driver>,
    ids: Vec<u16>,
}

impl Bound {
    /// Binds a function if the driver takes it, and returns whether it does.
    pub(crate) fn probe(&self, at: uncore_machine::Function) -> bool {
        let function = Function::new(at);
        self.ids.contains(&function.device_id()) && self.driver.probe(function).is_ok()
    }

    /// Unbinds a function.
    pub(crate) fn remove(&self, at: uncore_machine::Function) {
        self.driver.remove(&Function::new(at));
    }
}

/// A registered driver.
pub(crate) type Registration<D> = Shared<D, Registered>;

/// The driver of the bus.
pub(crate) struct Registered;

impl<D: Driver> Registration<D> {
    /// Registers a driver of functions with the device IDs that `ids` gives.
    pub(crate) fn new<E>(
        _name: &'static CStr,
        _module: &'static ThisModule,
        ids: impl FnOnce(&mut dyn FnMut(u16) -> Result) -> Result,
        driver: impl PinInit<D, E>,
    ) -> impl PinInit<Self, Error>
    where
        Error: From<E>,
    {
        Self::begin(driver, |driver| {
            let driver = driver.clone();
            let mut all = Vec::new();
            ids(&mut |id| {
                all.push(id);
                Ok(())
            })?;
            host().add_driver(Bound { driver, ids: all });
            Ok(Registered)
        })
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        host().remove_driver();
    }
}
