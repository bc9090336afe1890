// SPDX-License-Identifier: GPL-2.0

//! The host bridge of a client, and the registers of its memory controller in memory.
//!
//! Section 7 of the client's page in Documentation/hardware. The bridge is the board's; of its
//! configuration space the machine answers the ID and the address of the registers.
//! Firmware has set and locked that address. In the registers' range only the counters
//! are documented.
//! SPEC: the counters lose their value in S3 (S-15, a reading).

use std::ops::Range;

use crate::machine::{is_legal, lanes, Machine};
use crate::readings::Reading;
use crate::violation::{Finding, Rule};
use crate::Function;

/// The host bridge of every board.
const PLACE: Function = Function {
    bus: 0,
    device: 0,
    function: 0,
};

/// The bit of the address register that makes the registers answer.
pub(crate) const ENABLE: u64 = 1;

/// A counter that nothing stops.
#[derive(Debug)]
pub(crate) struct MemoryCounter {
    /// From the start of the registers.
    pub(crate) offset: u64,
    /// Its name in commands.
    pub(crate) name: &'static str,
    /// Its share of 1024 cycles of uclk (traffic.rst).
    pub(crate) share: u16,
}

pub(crate) const fn counter(offset: u64, name: &'static str, share: u16) -> MemoryCounter {
    MemoryCounter {
        offset,
        name,
        share,
    }
}

/// The host bridge of a platform.
#[derive(Debug)]
pub(crate) struct BridgeLayout {
    /// Device and vendor IDs, of which a machine has one.
    pub(crate) ids: &'static [u32],
    /// Offset of the address register in configuration space, two dwords.
    pub(crate) address_register: u16,
    /// The address of the registers that firmware has chosen.
    pub(crate) base: u64,
    /// Bytes of the registers.
    pub(crate) size: u64,
    /// The counters.
    pub(crate) counters: [MemoryCounter; 5],
}

impl BridgeLayout {
    /// The dword of configuration space at an aligned offset, if it is not the board's.
    fn dword(&self, id: u32, offset: u16, address: u64) -> Option<u32> {
        let shift = match offset {
            0 => return Some(id),
            at if at == self.address_register => 0,
            at if at == self.address_register + 4 => 32,
            _ => return None,
        };
        u32::try_from(address >> shift & u64::from(u32::MAX)).ok()
    }
}

impl Machine {
    /// The physical addresses that the memory controller's registers have; `None` if the
    /// host bridge is another one.
    pub fn memory_window(&self) -> Option<Range<u64>> {
        let (bridge, _) = self.bridge()?;
        Some(bridge.base..bridge.base + bridge.size)
    }

    /// Reads physical memory; `None` if there is no register of the machine.
    pub fn memory_read(&mut self, address: u64, size: u8) -> Option<u64> {
        let value = match self.memory_target(address, size)? {
            Ok(index) => {
                let package = &mut self.packages[0];
                let now = package.now;
                let counters = package.memory.as_mut()?;
                counters.settle(now);
                counters.value(index).into()
            }
            Err(finding) => {
                self.complain(address, finding);
                u64::MAX
            }
        };
        self.log
            .add(|| format!("memr {address:#x} {size} {value:#x}"));
        Some(value)
    }

    /// Writes physical memory, which changes no register; `None` if there is none of the
    /// machine.
    pub fn memory_write(&mut self, address: u64, size: u8, value: u64) -> Option<()> {
        let finding = match self.memory_target(address, size)? {
            Ok(_) => Finding::new(Rule::ReadOnly, value),
            Err(finding) => finding,
        };
        self.complain(address, finding);
        self.log
            .add(|| format!("memw {address:#x} {size} {value:#x}"));
        Some(())
    }

    /// Reads configuration space of the host bridge, where it is not the board's.
    pub(crate) fn read_bridge(&mut self, at: Function, offset: u16, size: u8) -> Option<u32> {
        let (bridge, address) = self.bridge().filter(|_| at == PLACE)?;
        let hidden = if self.topology.readings.has(Reading::BridgeWithoutEnable) {
            ENABLE
        } else {
            0
        };
        let value = bridge.dword(self.topology.bridge_id, offset & !3, address & !hidden)?;
        let value = if is_legal(offset, size) {
            value >> (8 * (offset % 4)) & lanes(size)
        } else {
            let finding = Finding::new(Rule::BadAccess, size);
            self.complain_of_bridge(offset, finding);
            lanes(size)
        };
        self.log
            .add(|| format!("cfgr {at} {offset:#x} {size} {value:#x}"));
        Some(value)
    }

    /// Writes configuration space of the host bridge, where it is not the board's: the ID
    /// ignores writes, and so does the address, which is locked.
    pub(crate) fn write_bridge(
        &mut self,
        at: Function,
        offset: u16,
        size: u8,
        value: u32,
    ) -> Option<()> {
        let (bridge, address) = self.bridge().filter(|_| at == PLACE)?;
        bridge.dword(self.topology.bridge_id, offset & !3, address)?;
        self.log
            .add(|| format!("cfgw {at} {offset:#x} {size} {value:#x}"));
        if offset & !3 != 0 {
            self.complain_of_bridge(offset, Finding::new(Rule::ReadOnly, value));
        }
        Some(())
    }

    /// The host bridge, and the value of its address register.
    fn bridge(&self) -> Option<(&'static BridgeLayout, u64)> {
        let bridge = self.topology.platform.description().host_bridge;
        bridge.zip(self.topology.memory_registers)
    }

    /// The index of the counter that an access reaches, or the rule that it breaks.
    fn memory_target(&self, address: u64, size: u8) -> Option<Result<usize, Finding>> {
        let (bridge, shown) = self.bridge()?;
        let window = self.memory_window()?;
        let offset = address - window.contains(&address).then_some(window.start)?;
        let answers = if self.topology.readings.has(Reading::BridgeWithoutEnable) {
            shown != 0
        } else {
            shown & ENABLE != 0
        };
        if !answers {
            return Some(Err(Finding::new(Rule::NotInMemory, 0_u32)));
        }
        let mut counters = bridge.counters.iter();
        let found =
            counters.position(|counter| (counter.offset..counter.offset + 4).contains(&offset));
        Some(match found {
            None => Err(Finding::new(Rule::Undocumented, 0_u32)),
            Some(_) if size != 4 || offset % 4 != 0 => Err(Finding::new(Rule::BadAccess, size)),
            Some(index) => Ok(index),
        })
    }

    fn complain(&mut self, address: u64, finding: Finding) {
        let Some((bridge, _)) = self.bridge() else {
            return;
        };
        let offset = address.wrapping_sub(bridge.base) & !3;
        let counter = bridge
            .counters
            .iter()
            .find(|counter| counter.offset == offset);
        let name = counter.map_or("", |counter| counter.name);
        let name = || format!("imc {name} (memory {address:#x})").replace("  ", " ");
        self.ledger.record(0, &[finding], name);
    }

    fn complain_of_bridge(&mut self, offset: u16, finding: Finding) {
        let name = || format!("host bridge ({PLACE} offset {offset:#x})");
        self.ledger.record(0, &[finding], name);
    }
}
