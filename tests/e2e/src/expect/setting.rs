// SPDX-License-Identifier: GPL-2.0

//! Programming of one counter and of the filters of its box.

use crate::catalogue::{Row, FIXED_EVENT};

/// Programming of one counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "bits of a control register")]
pub struct Setting {
    /// Event select, 0xff for the fixed counter.
    pub event: u8,
    /// Extended select.
    pub ext: bool,
    /// Sub-event mask; on the PCU bits 7:6 are `occ_sel`.
    pub umask: u8,
    /// Threshold, 0 for none.
    pub thresh: u8,
    /// Count rising edges.
    pub edge: bool,
    /// Count the cycles below the threshold, on a platform that can.
    pub invert: bool,
    /// PCU occupancies: count the cycles below the threshold.
    pub occ_invert: bool,
    /// PCU occupancies: count rising edges.
    pub occ_edge: bool,
    /// C-Box: compare the thread.
    pub tid_en: bool,
    /// Largest increment of the event on this machine, if it is not that of the catalogue.
    pub max_inc: Option<u32>,
    /// Filters of the box, or its sub-registers, in their places in config1.
    pub config1: u64,
    /// Filters of the box in their places in config2.
    pub config2: u64,
    /// R-Box: MM_CFG of a match set; 0 stands for the usual value.
    pub mm_cfg: u32,
    /// B-, S-, M- and R-Box: a bit of MASK that is 1 compares, where this is not certain.
    pub mask_compares: bool,
}

/// Values of filters, for the events that need these.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filter {
    /// C-Box: FILTER1.nid.
    pub nid: u16,
    /// C-Box: FILTER1.opc.
    pub opc: u16,
    /// HA: system address, of which ADDRMATCH0 and 1 take bits 45:6.
    pub address: u64,
    /// HA: OPCODEMATCH.
    pub home_opcode: u8,
    /// PCU: the four bytes of BOX_FILTER.
    pub bands: [u8; 4],
    /// B-, S-, M- and R-Box: MATCH of the box, or its sub-registers, as in config1.
    pub config1: u64,
    /// B-, S-, M- and R-Box: MASK of the box, or its match of addresses, as in config2.
    pub config2: u64,
}

impl Setting {
    /// An event with nothing else set.
    pub fn event(event: u8, umask: u8) -> Self {
        Self {
            event,
            umask,
            ..Self::default()
        }
    }

    /// An event whose extended select is set.
    pub fn extended(event: u8, umask: u8) -> Self {
        Self {
            ext: true,
            ..Self::event(event, umask)
        }
    }

    /// The event of a row of the catalogue, with what its name sets.
    pub fn row(row: &Row) -> Self {
        let preset = row.needs.preset;
        Self {
            ext: row.ext == Some(true),
            thresh: preset.thresh,
            tid_en: preset.tid_en,
            config1: preset.config1,
            config2: preset.config2,
            ..Self::event(row.code, row.umask)
        }
    }

    /// The fixed counter of a box.
    pub fn fixed() -> Self {
        Self::event(FIXED_EVENT, 0)
    }
}
