// SPDX-License-Identifier: GPL-2.0

//! Settings that decide the count of a counter: the words that the model of the machine, the
//! definition of its traffic and the tests have in common.

use super::Platform;

/// All settings that decide the count of a counter.
#[expect(clippy::struct_excessive_bools, reason = "each is a bit of a register")]
#[derive(Debug, Clone)]
pub struct Setting {
    /// Platform.
    pub platform: Platform,
    /// Box type, as the catalogue spells it.
    pub kind: &'static str,
    /// Package of the box.
    pub package: u64,
    /// Package at the other end of its links.
    pub peer: u64,
    /// Number of the box among those of its type.
    pub instance: u64,
    /// Number of the counter in the box; on the IRP 2 and 3 are those of the second
    /// set.
    pub counter: usize,
    /// Extended select.
    pub ext: bool,
    /// Event select.
    pub code: u8,
    /// Sub-event mask.
    pub umask: u8,
    /// Threshold, 0 for none.
    pub thresh: u64,
    /// Edge detector.
    pub edge: bool,
    /// `invert`, where the platform has it.
    pub invert: bool,
    /// C-Box: `tid_en`.
    pub tid_en: bool,
    /// PCU: `occ_invert`.
    pub occ_invert: bool,
    /// PCU: `occ_edge_det`.
    pub occ_edge: bool,
    /// C-Box: FILTER0, FILTER1. QPI: MATCH0, MATCH1, MASK0, MASK1. HA: ADDRMATCH0,
    /// ADDRMATCH1, OPCODEMATCH. PCU: BOX_FILTER. B-Box and S-Box: MATCH, MASK, whose bits of 1
    /// ignore. M-Box: the sub-register of the event but for PLD, PLD, ADDR_MATCH with bit 63 of
    /// MM_CFG, ADDR_MASK. R-Box: a register of a port, or MATCH, MASK and MM_CFG of a set.
    pub filters: [u64; 4],
    /// Code, umask and tid_en on counter 0, for COUNTER0_OCCUPANCY.
    pub counter0: (u8, u8, bool),
    /// Largest increment of the event, if it is not that of its rows.
    pub max_inc: Option<u32>,
}

/// A setting of general counter 0 of instance 0 in package 0, without anything.
pub const PLAIN: Setting = Setting {
    platform: Platform::Ivbep,
    kind: "",
    package: 0,
    peer: 1,
    instance: 0,
    counter: 0,
    ext: false,
    code: 0,
    umask: 0,
    thresh: 0,
    edge: false,
    invert: false,
    tid_en: false,
    occ_invert: false,
    occ_edge: false,
    filters: [0; 4],
    counter0: (0, 0, false),
    max_inc: None,
};
