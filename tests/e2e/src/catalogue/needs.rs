// SPDX-License-Identifier: GPL-2.0

//! Settings that a row's filter column requires besides the event.

use super::kind::BoxKind;
use super::packet::PacketMatch;
use crate::expect::SubRegister;
use crate::formats::{deposit, named, place};

/// Settings without which an event cannot count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent needs, any of which a row may have"
)]
pub struct Needs {
    /// C-Box FILTER0.state: cache line states.
    pub state: bool,
    /// C-Box FILTER1.nid: target nodes.
    pub nid: bool,
    /// C-Box FILTER1.opc: an opcode.
    pub opc: bool,
    /// An occupancy event on counter 0 of the same C-Box.
    pub occupancy: bool,
    /// HA ADDRMATCH0 and 1: the address of a line.
    pub address: bool,
    /// HA OPCODEMATCH: an opcode.
    pub home_opcode: bool,
    /// This byte of the PCU's filter.
    pub band: Option<u8>,
    /// These values of fields, which the name sets.
    pub preset: Preset,
    /// These values in a QPI port's match and mask registers.
    pub packet: Option<PacketMatch>,
    /// An S-Box' match and mask registers.
    pub system: bool,
    /// These fields of a B-Box' match and mask registers, as bits of each.
    pub compared: u64,
    /// Fields that the user gives.
    pub asked: [Option<&'static str>; 2],
    /// A register that no public document describes: such an event has no name.
    pub undocumented: bool,
}

/// Values of a threshold, of filters and of sub-registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Preset {
    /// FILTER1.opc.
    pub opc: Option<u16>,
    /// FILTER1.nc.
    pub nc: bool,
    /// FILTER0.tid, with `tid_en` in the control register.
    pub tid: Option<u8>,
    /// Threshold, 0 for none.
    pub thresh: u8,
    /// MATCH of a set of an R-Box.
    pub matched: u64,
    /// MASK of an S-Box, or of a set of an R-Box.
    pub mask: u64,
    /// Sub-registers: the fields of config1 with their values.
    pub sub_registers: [Option<(&'static str, u32)>; 2],
}

impl Preset {
    /// Parses one value of the catalogue's filter column; returns `false` if the text is
    /// none.
    fn take(&mut self, text: &str) -> bool {
        if let Some(mask) = text.strip_prefix("MASK=0x") {
            let mask = u64::from_str_radix(mask, 16);
            self.mask = mask.unwrap_or(0);
            return self.mask != 0;
        }
        if let Some(matched) = text.strip_prefix("MATCH=0x") {
            let matched = u64::from_str_radix(matched, 16);
            self.matched = matched.unwrap_or(0);
            return self.matched != 0;
        }
        if self.take_register(text) {
            return true;
        }
        let value = |name: &str| {
            let digits = text.strip_prefix(name)?.strip_prefix("=0x")?;
            u16::from_str_radix(digits, 16).ok()
        };
        if text == "F1.nc=1" {
            self.nc = true;
        } else if let Some(opc) = value("F1.opc") {
            self.opc = Some(opc);
        } else if let Some(tid) = value("F0.tid").and_then(|tid| u8::try_from(tid).ok()) {
            self.tid = Some(tid);
        } else if let Some(thresh) = text.strip_prefix("cmask=") {
            let Ok(thresh) = thresh.parse() else {
                return false;
            };
            self.thresh = thresh;
        } else {
            return false;
        }
        true
    }

    /// Returns the values of sub-registers, or the match, in their places in config1.
    pub(crate) fn config1(&self, kind: BoxKind) -> u64 {
        let values = self.sub_registers.iter().flatten();
        let placed = values.map(|&(field, value)| {
            let (_, bits) = place(kind, field).expect("a sub-register");
            deposit(bits, value.into())
        });
        placed.fold(self.matched, |all, value| all | value)
    }

    /// Parses the value of a sub-register; returns `false` if the text is none.
    fn take_register(&mut self, text: &str) -> bool {
        let Some((column, value)) = text.split_once("=0x") else {
            return false;
        };
        let value = u32::from_str_radix(value, 16).ok();
        let free = self.sub_registers.iter_mut().find(|it| it.is_none());
        match (SubRegister::of_column(column), value, free) {
            (Some(register), Some(value), Some(free)) => {
                *free = Some((register.field, value));
                true
            }
            _ => false,
        }
    }
}

/// Entries of the column that an event does not need.
const NO_NEED: [&str; 10] = [
    // The sub-event itself, as in the umask column.
    "CTL.occ_sel=1",
    "CTL.occ_sel=2",
    "CTL.occ_sel=3",
    // No public address; the register stays 0 and selects queue 0.
    "IRPFilter.OrderingQ",
    "IRPFilter[4:0].OrderingQ",
    // Without any match, every packet counts.
    "PKT_MATCH0[17:0]",
    "PKT_MASK0[17:0]",
    "PKT_MATCH1[19:16]",
    "PKT_MASK1[19:16]",
    // The usual value.
    "MM_CFG=0x210000",
];

/// Fields of MATCH of the B-Box.
const HOME_FIELDS: [(&str, u64); 5] = [
    ("MATCH.addr", (1 << 44) - 1),
    ("MATCH.msg_in", 0xf << 44),
    ("MATCH.msg_out", 0xf << 48),
    ("MATCH.opc_in", 0xf << 52),
    ("MATCH.opc_out", 0xf << 56),
];

impl Needs {
    pub(super) fn parse(column: &str, subevent: &str) -> Result<Self, String> {
        let mut needs = Self::default();
        for need in column.split('+').filter(|need| !need.is_empty()) {
            if !needs.take(need, subevent) {
                return Err(format!("unknown filter `{need}`"));
            }
        }
        Ok(needs)
    }

    /// Parses the name of a field; returns `false` if the text is none.
    fn ask(&mut self, text: &str) -> bool {
        let free = self.asked.iter_mut().find(|it| it.is_none());
        match (named(text), free) {
            (Some(name), Some(free)) => {
                *free = Some(name);
                true
            }
            _ => false,
        }
    }

    /// Parses one need; returns `false` if it is unknown.
    fn take(&mut self, need: &str, subevent: &str) -> bool {
        if let Some((_, bits)) = HOME_FIELDS.iter().find(|(name, _)| *name == need) {
            self.compared |= bits;
            return true;
        }
        match need {
            "F0.state" => self.state = true,
            "F1.nid" => self.nid = true,
            "F1.opc" => self.opc = true,
            "occupancy event on counter 0" => self.occupancy = true,
            "AddrMatch0[31:6]" | "AddrMatch1[13:0]" => self.address = true,
            "OpcodeMatch[5:0]" => self.home_opcode = true,
            "PCUFilter[7:0]" => self.band = Some(0),
            "PCUFilter[15:8]" => self.band = Some(1),
            "PCUFilter[23:16]" => self.band = Some(2),
            "PCUFilter[31:24]" => self.band = Some(3),
            "MM_CFG" | "MATCH" | "MASK" => self.system = true,
            "UBoxFilter[3:0]" => self.undocumented = true,
            need if NO_NEED.contains(&need) => {}
            "PKT_MATCH/PKT_MASK (values not in the manual)" => {
                self.packet = PacketMatch::derived(subevent);
                self.undocumented = self.packet.is_none() && !subevent.is_empty();
            }
            preset if self.preset.take(preset) => {}
            field if self.ask(field) => {}
            packet => return self.packet.get_or_insert_default().take(packet),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(column: &str, subevent: &str) -> Needs {
        Needs::parse(column, subevent).expect("known needs")
    }

    #[test]
    fn needs_are_joined() {
        let both = parse("F1.opc+F1.nid", "NID_OPCODE");
        assert!(both.opc && both.nid && !both.state);
        let line = parse("AddrMatch0[31:6]+AddrMatch1[13:0]+OpcodeMatch[5:0]", "FILT");
        assert!(line.address && line.home_opcode);
        assert_eq!(parse("PCUFilter[23:16]", "").band, Some(2));
    }

    #[test]
    fn a_name_may_set_values() {
        let write = parse("F1.opc=0x1c8+F0.tid=0x3e", "PCIE_WRITE");
        let preset = Preset {
            opc: Some(0x1c8),
            tid: Some(0x3e),
            ..Preset::default()
        };
        assert_eq!((write.preset, write.opc), (preset, false));
        assert!(parse("F1.opc=0x187+F1.nc=1", "MMIO_READ").preset.nc);
        let half_full = parse("cmask=10", "CYCLES_OVER_HALF_FULL");
        assert_eq!(half_full.preset.thresh, 10);
    }

    #[test]
    fn packets_without_known_values_are_undocumented() {
        let missing = "PKT_MATCH/PKT_MASK (values not in the manual)";
        assert!(parse(missing, "NDR.AnyCmp").undocumented);
        assert!(!parse(missing, "").undocumented, "MATCH_MASK takes any");
        let request = parse(missing, "HOM.AnyReq");
        assert_eq!(request.packet.map(|packet| packet.mask0), Some(0x1e00));
    }

    #[test]
    fn an_unknown_need_is_an_error() {
        let error = Needs::parse("F0.state+F7.xyz", "").expect_err("unknown");
        assert_eq!(error, "unknown filter `F7.xyz`");
    }
}
