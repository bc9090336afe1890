// SPDX-License-Identifier: GPL-2.0

//! Settings that a row's filter column requires besides the event.

use super::kind::BoxKind;
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
    /// Threshold, 0 for none.
    pub thresh: u8,
    /// The thread in FILTER0 is compared.
    pub tid_en: bool,
    /// Filters and sub-registers, as in config1.
    pub config1: u64,
    /// Filters, as in config2.
    pub config2: u64,
}

/// Columns with a value of a field.
const FIELDS: [(&str, &str); 7] = [
    ("F0.tid", "filter_tid"),
    ("F1.opc", "filter_opc"),
    ("F1.nc", "filter_nc"),
    ("PKT_MATCH0[12:0]", "match0"),
    ("PKT_MASK0[12:0]", "mask0"),
    ("PKT_MATCH1[19:16]", "match_rds"),
    ("PKT_MASK1[19:16]", "mask_rds"),
];

impl Preset {
    /// Parses one value of the catalogue's filter column; returns `None` if the text is none.
    fn take(&mut self, kind: BoxKind, text: &str) -> Option<()> {
        let (column, value) = text.split_once('=')?;
        let value = match value.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok()?,
            None => value.parse().ok()?,
        };
        let (word, bits) = match column {
            "cmask" => {
                self.thresh = u8::try_from(value).ok()?;
                return Some(());
            }
            "MATCH" => (1, u64::MAX),
            "MASK" => (2, u64::MAX),
            _ => {
                let named = FIELDS.iter().find(|(known, _)| *known == column);
                let register = || Some(SubRegister::of_column(column)?.field);
                let field = named.map(|(_, field)| *field).or_else(register)?;
                place(kind, field)?
            }
        };
        self.tid_en |= column == "F0.tid";
        let word = [&mut self.config1, &mut self.config2]
            .into_iter()
            .nth(word - 1)?;
        *word |= deposit(bits, value);
        Some(())
    }
}

/// Names of packets for which the catalogue gives no values, with match and mask. Its values are those
/// of the manual's own examples. Other names are only in public event lists; their values follow from
/// the tables of message classes and opcodes (Documentation/hardware/ivbep.rst, section 7.7).
/// NDR.AnyCmp is not among them: its opcodes are not known for sure.
const PACKETS: [(&str, u64, u64); 14] = [
    ("HOM.AnyReq", 0x0000, 0x1e00),
    ("HOM.AnyResp", 0x0200, 0x1e00),
    ("HOM.RespFwd", 0x0300, 0x1fe0),
    ("HOM.RespFwdI", 0x0320, 0x1fe0),
    ("HOM.RespFwdS", 0x0340, 0x1fe0),
    ("HOM.RespFwdIWb", 0x0360, 0x1fe0),
    ("HOM.RespFwdSWb", 0x0380, 0x1fe0),
    ("HOM.RespIWb", 0x03a0, 0x1fe0),
    ("HOM.RespSWb", 0x03c0, 0x1fe0),
    ("SNP.AnySnp", 0x0600, 0x1e00),
    ("NCS.NcRd", 0x0800, 0x1fe0),
    ("NCS.AnyMsg1or2flits", 0x0800, 0x1f00),
    ("NCS.AnyMsg3flits", 0x0900, 0x1f00),
    ("NCB.AnyMsg", 0x1800, 0x1e00),
];

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
    pub(super) fn parse(kind: BoxKind, column: &str, subevent: &str) -> Result<Self, String> {
        let mut needs = Self::default();
        for need in column.split('+').filter(|need| !need.is_empty()) {
            if !needs.take(kind, need, subevent) {
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
    fn take(&mut self, kind: BoxKind, need: &str, subevent: &str) -> bool {
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
                match PACKETS.iter().find(|(name, ..)| *name == subevent) {
                    Some((_, matched, mask)) => {
                        (self.preset.config1, self.preset.config2) = (*matched, *mask);
                    }
                    None => self.undocumented = !subevent.is_empty(),
                }
            }
            field if self.ask(field) => {}
            preset => return self.preset.take(kind, preset).is_some(),
        }
        true
    }
}
