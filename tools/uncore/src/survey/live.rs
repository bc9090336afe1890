// SPDX-License-Identifier: GPL-2.0

//! The running machine: MSRs by `/dev/cpu`, configuration space and places by sysfs.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use uncore_survey::{Address, Function, Hardware, Place, EIO_NUMBER};

use crate::error::Error;
use crate::root::Root;
use crate::system::{numbers, System};

/// Directory of the PCI functions.
const DEVICES: &str = "sys/bus/pci/devices";

/// Directory of the CPUs.
const CPUS: &str = "sys/devices/system/cpu";

/// The running machine.
pub(super) struct Live {
    root: Root,
    processor: (u8, u8),
    places: Vec<Place>,
    nodes: u32,
    begin: Instant,
    /// Open devices of MSRs and files of PCI functions.
    files: RefCell<BTreeMap<PathBuf, File>>,
}

impl Live {
    /// Looks at the CPUs.
    pub(super) fn new(system: &System, processor: (u8, u8)) -> Result<Self, Error> {
        let possible = system.root.optional("sys/devices/system/node/possible")?;
        let nodes = possible.and_then(|list| Some(*numbers(&list)?.last()?));
        Ok(Self {
            root: system.root.clone(),
            processor,
            places: places(system)?,
            nodes: nodes.map_or(1, |last| last + 1),
            begin: Instant::now(),
            files: RefCell::default(),
        })
    }

    /// Calls `access` with a file, which stays open.
    fn with<R>(&self, path: &Path, access: impl FnOnce(&File) -> io::Result<R>) -> io::Result<R> {
        let mut files = self.files.borrow_mut();
        if !files.contains_key(path) {
            let file = OpenOptions::new().read(true).write(true).open(path)?;
            files.insert(path.to_owned(), file);
        }
        let file = files.get(path).ok_or(io::ErrorKind::NotFound)?;
        access(file).map_err(|error| {
            // The file ends before the register: it has 256 bytes, unless the function has a
            // capability of PCI Express.
            let ends = [io::ErrorKind::UnexpectedEof, io::ErrorKind::WriteZero];
            if ends.contains(&error.kind()) || error.raw_os_error() == Some(libc::EFBIG) {
                return io::Error::from_raw_os_error(EIO_NUMBER);
            }
            error
        })
    }

    fn msrs(&self, cpu: u32) -> PathBuf {
        self.root.path(&format!("dev/cpu/{cpu}/msr"))
    }

    fn config(&self, at: Address) -> PathBuf {
        self.root.path(&format!("{DEVICES}/{at}/config"))
    }
}

impl Hardware for Live {
    fn processor(&self) -> (u8, u8) {
        self.processor
    }

    fn cpus(&self) -> Vec<Place> {
        self.places.clone()
    }

    fn nodes(&self) -> u32 {
        self.nodes
    }

    fn functions(&self) -> Vec<Function> {
        let names = self.root.names(DEVICES).unwrap_or_default();
        let functions = names.iter().filter_map(|name| {
            let file = |file: &str| self.root.text(&format!("{DEVICES}/{name}/{file}")).ok();
            let id =
                |name: &str| u16::from_str_radix(file(name)?.trim_start_matches("0x"), 16).ok();
            let address = address(name)?;
            (id("vendor")? == 0x8086).then_some(Function {
                address,
                device_id: id("device")?,
                node: file("numa_node").and_then(|node| node.parse().ok()),
            })
        });
        functions.collect()
    }

    fn read_msr(&self, cpu: u32, register: u32) -> io::Result<u64> {
        let mut value = [0; 8];
        self.with(&self.msrs(cpu), |file| {
            file.read_exact_at(&mut value, register.into())
        })?;
        Ok(u64::from_le_bytes(value))
    }

    fn write_msr(&self, cpu: u32, register: u32, value: u64) -> io::Result<()> {
        self.with(&self.msrs(cpu), |file| {
            file.write_all_at(&value.to_le_bytes(), register.into())
        })
    }

    fn read_config(&self, at: Address, offset: u16) -> io::Result<u32> {
        let mut value = [0; 4];
        self.with(&self.config(at), |file| {
            file.read_exact_at(&mut value, offset.into())
        })?;
        Ok(u32::from_le_bytes(value))
    }

    fn write_config(&self, at: Address, offset: u16, value: u32) -> io::Result<()> {
        self.with(&self.config(at), |file| {
            file.write_all_at(&value.to_le_bytes(), offset.into())
        })
    }

    fn wait(&self, microseconds: u64) {
        thread::sleep(Duration::from_micros(microseconds));
    }

    fn time(&self) -> u64 {
        let passed = self.begin.elapsed().as_micros();
        passed.try_into().unwrap_or(u64::MAX)
    }
}

/// Parses the address of a PCI function: `0000:7f:10.4`.
fn address(name: &str) -> Option<Address> {
    let (rest, function) = name.split_once('.')?;
    let mut parts = rest.split(':');
    let mut part = || u32::from_str_radix(parts.next()?, 16).ok();
    Some(Address {
        domain: part()?,
        bus: part()?.try_into().ok()?,
        device: part()?.try_into().ok()?,
        function: function.parse().ok()?,
    })
}

/// Returns the places of the CPUs that are online.
pub(super) fn places(system: &System) -> Result<Vec<Place>, Error> {
    let root = &system.root;
    let online = root.optional(&format!("{CPUS}/online"))?;
    let online = online.and_then(|list| numbers(&list)).unwrap_or_default();
    let mut nodes = BTreeMap::new();
    for (node, cpus) in system.cpus_of_nodes()? {
        nodes.extend(cpus.into_iter().map(|cpu| (cpu, node)));
    }
    let mut places = Vec::new();
    for cpu in online {
        let package = system.package_of(cpu)?.and_then(|text| text.parse().ok());
        let core = root.optional(&format!("{CPUS}/cpu{cpu}/topology/core_id"))?;
        if let (Some(package), Some(core)) = (package, core.and_then(|text| text.parse().ok())) {
            places.push(Place {
                cpu,
                package,
                core,
                node: nodes.get(&cpu).copied(),
            });
        }
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_those_of_sysfs() {
        let parsed = address("0001:7f:10.4").expect("an address");
        assert_eq!(parsed.to_string(), "0001:7f:10.4");
        assert_eq!(address("pci0000:00"), None);
    }
}
