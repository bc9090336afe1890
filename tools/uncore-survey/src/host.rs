// SPDX-License-Identifier: GPL-2.0

//! The hardware as the survey reaches it: MSRs of CPUs, configuration space of PCI functions, time.

use std::cell::RefCell;
use std::fmt;
use std::io;
use std::rc::Rc;

use kernel::error::code::{EIO, EPERM};
use kernel::error::Result;

/// A CPU that is online.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Number.
    pub cpu: u32,
    /// Physical package.
    pub package: u32,
    /// The hardware's number of the core in the package.
    pub core: u32,
    /// NUMA node, if the kernel has any.
    pub node: Option<u32>,
}

/// Address of a PCI function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    /// PCI segment.
    pub domain: u32,
    /// Bus number.
    pub bus: u8,
    /// Device on the bus.
    pub device: u8,
    /// Function of the device.
    pub function: u8,
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

/// A PCI function of Intel's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Function {
    /// Address.
    pub address: Address,
    /// Device ID.
    pub device_id: u16,
    /// NUMA node, if firmware gives it.
    pub node: Option<u32>,
}

/// The hardware. An access that the hardware refuses is [`io::ErrorKind::Other`] with EIO; all other
/// errors are those of the kernel, which forbids it.
pub trait Hardware {
    /// Returns family and model of the processors.
    fn processor(&self) -> (u8, u8);

    /// Returns the CPUs that are online.
    fn cpus(&self) -> Vec<Place>;

    /// Returns the number of NUMA nodes that the machine can have.
    fn nodes(&self) -> u32;

    /// Returns the PCI functions of Intel's.
    fn functions(&self) -> Vec<Function>;

    /// Reads an MSR of a CPU.
    fn read_msr(&self, cpu: u32, register: u32) -> io::Result<u64>;

    /// Writes an MSR of a CPU.
    fn write_msr(&self, cpu: u32, register: u32, value: u64) -> io::Result<()>;

    /// Reads a dword of configuration space.
    fn read_config(&self, at: Address, offset: u16) -> io::Result<u32>;

    /// Writes a dword of configuration space.
    fn write_config(&self, at: Address, offset: u16, value: u32) -> io::Result<()>;

    /// Waits for so many microseconds.
    fn wait(&self, microseconds: u64);

    /// Returns the time, in microseconds since any moment.
    fn time(&self) -> u64;
}

/// The hardware of a machine, with its CPUs and functions, which do not change while it is surveyed.
pub(crate) struct Host {
    hardware: Box<dyn Hardware>,
    cpus: Vec<Place>,
    functions: Vec<Function>,
    /// The first access that the kernel has forbidden.
    forbidden: RefCell<Option<io::Error>>,
}

impl Host {
    /// Looks at the hardware.
    pub(crate) fn new(hardware: Box<dyn Hardware>) -> Self {
        Self {
            cpus: hardware.cpus(),
            functions: hardware.functions(),
            hardware,
            forbidden: RefCell::new(None),
        }
    }

    pub(crate) fn hardware(&self) -> &dyn Hardware {
        &*self.hardware
    }

    pub(crate) fn cpus(&self) -> Vec<Place> {
        self.cpus.clone()
    }

    pub(crate) fn nodes(&self) -> u32 {
        self.hardware.nodes()
    }

    pub(crate) fn functions(&self) -> Vec<Function> {
        self.functions.clone()
    }

    pub(crate) fn read_msr(&self, cpu: u32, register: u32) -> Result<u64> {
        self.told(self.hardware.read_msr(cpu, register))
    }

    pub(crate) fn write_msr(&self, cpu: u32, register: u32, value: u64) -> Result {
        self.told(self.hardware.write_msr(cpu, register, value))
    }

    pub(crate) fn read_config(&self, at: Address, offset: u16) -> Result<u32> {
        self.told(self.hardware.read_config(at, offset))
    }

    pub(crate) fn write_config(&self, at: Address, offset: u16, value: u32) -> Result {
        self.told(self.hardware.write_config(at, offset, value))
    }

    /// Returns the result of an access to the driver's code, and keeps an error of the kernel.
    fn told<T>(&self, result: io::Result<T>) -> Result<T> {
        result.map_err(|error| {
            if error.raw_os_error() == Some(EIO_NUMBER) {
                return EIO;
            }
            self.forbidden.borrow_mut().get_or_insert(error);
            EPERM
        })
    }

    /// Takes the error of the first access since the last call that the kernel has forbidden.
    pub(crate) fn take_forbidden(&self) -> Option<io::Error> {
        self.forbidden.borrow_mut().take()
    }
}

/// The number of EIO, with which the kernel tells that a processor refuses an access.
pub const EIO_NUMBER: i32 = 5;

thread_local! {
    static HOST: RefCell<Option<Rc<Host>>> = const { RefCell::new(None) };
}

/// Returns the host of this thread, which the driver's code accesses.
pub(crate) fn host() -> Rc<Host> {
    let host = HOST.with_borrow(Clone::clone);
    host.expect("a machine is made first")
}

/// Sets the host of this thread.
pub(crate) fn set(host: Rc<Host>) {
    HOST.set(Some(host));
}
