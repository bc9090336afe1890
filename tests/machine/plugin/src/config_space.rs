// SPDX-License-Identifier: GPL-2.0

//! The two ways to a PCI configuration register, as a function and an offset.

use std::fmt;

use uncore_machine::Function;

/// Address range of memory-mapped configuration space in q35 firmware.
const ECAM: std::ops::Range<u64> = 0xb000_0000..0xc000_0000;
/// The address port of configuration mechanism #1.
pub(crate) const ADDRESS_PORT: u16 = 0xcf8;
/// The data port of mechanism #1, four bytes wide.
pub(crate) const DATA_PORT: u16 = 0xcfc;
/// The bit of the address port that makes the data port configuration space.
const ENABLE: u32 = 1 << 31;

/// One configuration access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) function: Function,
    pub(crate) offset: u16,
}

impl Target {
    /// The register behind `port`, with `address` in the address port.
    ///
    /// Nothing where the access is no configuration access, or leaves the dword.
    pub(crate) fn by_port(address: u32, port: u16, size: u8) -> Option<Self> {
        let byte = port.checked_sub(DATA_PORT).filter(|byte| *byte < 4)?;
        if address & ENABLE == 0 || byte + u16::from(size) > 4 {
            return None;
        }
        let [register, device_function, bus, _] = address.to_le_bytes();
        Some(Self {
            function: function(bus, device_function),
            offset: u16::from(register & !3) | byte,
        })
    }

    /// The register at a physical address.
    pub(crate) fn by_memory(physical: u64) -> Option<Self> {
        if !ECAM.contains(&physical) {
            return None;
        }
        let [low, high, device_bus, bus, ..] = (physical - ECAM.start).to_le_bytes();
        let device_function = (device_bus << 4) | (high >> 4);
        let bus = (bus << 4) | (device_bus >> 4);
        Some(Self {
            function: function(bus, device_function),
            offset: u16::from_le_bytes([low, high & 0xf]),
        })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:#x}", self.function, self.offset)
    }
}

fn function(bus: u8, device_function: u8) -> Function {
    Function {
        bus,
        device: device_function >> 3,
        function: device_function & 7,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IMC: Function = Function {
        bus: 0x7f,
        device: 16,
        function: 4,
    };

    fn target(offset: u16) -> Target {
        Target {
            function: IMC,
            offset,
        }
    }

    #[test]
    fn ports_ignore_what_is_no_access() {
        assert_eq!(Target::by_port(0x007f_84f4, 0xcfc, 4), None, "not enabled");
        assert_eq!(Target::by_port(0x807f_84f4, 0xcf8, 4), None, "address port");
        assert_eq!(Target::by_port(0x807f_84f4, 0xd00, 1), None, "beyond");
        assert_eq!(
            Target::by_port(0x807f_84f4, 0xcfd, 4),
            None,
            "leaves the dword"
        );
    }

    #[test]
    fn memory_addresses_4096_bytes_per_function() {
        assert_eq!(Target::by_memory(0xb7f8_40f4), Some(target(0xf4)));
        assert_eq!(Target::by_memory(0xb7f8_4fff), Some(target(0xfff)));
        assert_eq!(Target::by_memory(0xaff8_40f4), None);
        assert_eq!(Target::by_memory(0xc000_0000), None);
    }
}
