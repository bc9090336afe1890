// SPDX-License-Identifier: GPL-2.0

//! Match and mask registers of a QPI port, and the kinds of packet that have a name.
//!
//! The catalogue gives the values of the manual's own examples. Other names are only in
//! public event lists; their values follow from the tables of message classes and opcodes
//! (Documentation/hardware/ivbep.rst, section 7.7).

/// Match and mask registers of one port; a mask bit of 1 compares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PacketMatch {
    /// PKT_MATCH0.
    pub match0: u32,
    /// PKT_MASK0.
    pub mask0: u32,
    /// PKT_MATCH1.
    pub match1: u32,
    /// PKT_MASK1.
    pub mask1: u32,
}

/// Prefixes of the catalogue's register values, each with its register and lowest bit.
const COLUMNS: [(&str, Register, u32); 4] = [
    ("PKT_MATCH0[12:0]=0x", |packet| &mut packet.match0, 0),
    ("PKT_MASK0[12:0]=0x", |packet| &mut packet.mask0, 0),
    ("PKT_MATCH1[19:16]=0x", |packet| &mut packet.match1, 16),
    ("PKT_MASK1[19:16]=0x", |packet| &mut packet.mask1, 16),
];

type Register = fn(&mut PacketMatch) -> &mut u32;

/// Names whose values the catalogue does not give, with MATCH0 and MASK0. NDR.AnyCmp is
/// not among them: its opcodes are not known for sure.
const DERIVED: [(&str, u32, u32); 14] = [
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

impl PacketMatch {
    /// Parses one value of the catalogue's filter column; returns `false` if the text is
    /// none.
    pub(super) fn take(&mut self, text: &str) -> bool {
        for (column, register, shift) in COLUMNS {
            let digits = text.strip_prefix(column);
            let value = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
            if let Some(value) = value {
                *register(self) |= value << shift;
                return true;
            }
        }
        false
    }

    /// Returns the values of a name for which the catalogue gives none.
    pub(super) fn derived(subevent: &str) -> Option<Self> {
        let found = DERIVED.iter().find(|(name, ..)| *name == subevent);
        found.map(|&(_, match0, mask0)| Self {
            match0,
            mask0,
            ..Self::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_values_go_to_their_bits() {
        let mut packet = PacketMatch::default();
        for text in [
            "PKT_MATCH0[12:0]=0x1C40",
            "PKT_MASK0[12:0]=0x1FE0",
            "PKT_MATCH1[19:16]=0x4",
            "PKT_MASK1[19:16]=0xF",
        ] {
            assert!(packet.take(text), "{text}");
        }
        let expected = PacketMatch {
            match0: 0x1c40,
            mask0: 0x1fe0,
            match1: 0x4_0000,
            mask1: 0xf_0000,
        };
        assert_eq!(packet, expected);
        assert!(!packet.take("PKT_MATCH0[17:0]"));
        assert!(!packet.take("PCUFilter[7:0]"));
    }

    #[test]
    fn derived_values_ask_for_no_bit_that_they_do_not_compare() {
        for (name, match0, mask0) in DERIVED {
            assert_eq!(match0 & !mask0, 0, "{name}");
        }
        assert_eq!(PacketMatch::derived("NDR.AnyCmp"), None);
    }
}
