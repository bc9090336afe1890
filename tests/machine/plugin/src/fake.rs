// SPDX-License-Identifier: GPL-2.0

//! A vCPU for unit tests: registers, a page table, and a record of the writes.

use std::collections::HashMap;

use crate::cost::Instructions;
use crate::guest::{Guest, Register};

/// Page size of [`Fake::map`].
const PAGE: u64 = 0x1000;

/// The vCPU.
#[derive(Default)]
pub(crate) struct Fake {
    registers: HashMap<Register, u64>,
    pages: HashMap<u64, u64>,
    /// Virtual memory.
    pub(crate) memory: HashMap<u64, u8>,
    apic_id: u32,
    /// Executed instructions by vCPU.
    pub(crate) instructions: HashMap<usize, Instructions>,
    /// Writes to physical memory, in order.
    pub(crate) writes: Vec<(u64, u32)>,
}

impl Fake {
    /// A vCPU with this APIC identifier.
    pub(crate) fn new(apic_id: u32) -> Self {
        Self {
            apic_id,
            ..Self::default()
        }
    }

    pub(crate) fn set(&mut self, register: Register, value: u64) {
        self.registers.insert(register, value);
    }

    /// Maps one page.
    pub(crate) fn map(&mut self, address: u64, physical: u64) {
        self.pages.insert(address / PAGE, physical / PAGE);
    }

    /// Puts bytes into virtual memory.
    pub(crate) fn put(&mut self, address: u64, bytes: &[u8]) {
        self.memory.extend((address..).zip(bytes.iter().copied()));
    }

    /// The string at a virtual address, up to its NUL.
    pub(crate) fn string(&self, address: u64) -> String {
        let bytes = (address..).map_while(|at| self.memory.get(&at).filter(|byte| **byte != 0));
        bytes.map(|byte| char::from(*byte)).collect()
    }
}

impl Guest for Fake {
    fn register(&self, register: Register) -> u64 {
        self.registers.get(&register).copied().unwrap_or(0)
    }

    fn set_register(&mut self, register: Register, value: u64) {
        self.set(register, value);
    }

    fn instructions(&self, vcpu: usize) -> Instructions {
        self.instructions.get(&vcpu).copied().unwrap_or_default()
    }

    fn translate(&self, address: u64) -> Option<u64> {
        let page = self.pages.get(&(address / PAGE))?;
        Some(page * PAGE + address % PAGE)
    }

    fn read_virtual(&self, address: u64, buffer: &mut [u8]) -> bool {
        (address..).zip(buffer).all(|(at, byte)| {
            let known = self.memory.get(&at);
            *byte = known.copied().unwrap_or(0);
            known.is_some()
        })
    }

    fn write_virtual(&mut self, address: u64, bytes: &[u8]) -> bool {
        let known = self.memory.contains_key(&address);
        self.put(address, bytes);
        known
    }

    fn read_physical(&self, address: u64) -> Option<u32> {
        match address {
            0xfee0_0020 => Some(self.apic_id << 24),
            0xfed0_00f0 => Some(u32::MAX),
            _ => None,
        }
    }

    fn send(&mut self, address: u32, message: u32) {
        self.writes.push((address.into(), message));
    }
}
