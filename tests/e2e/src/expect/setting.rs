// SPDX-License-Identifier: GPL-2.0

//! Programming of one counter and of the filters of its box.

use crate::catalogue::{PacketMatch, Row, FIXED_EVENT};

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
    /// Largest increment of the event on this machine, if it is not that of the catalogue.
    pub max_inc: Option<u32>,
    /// Values of the box's filter registers.
    pub filter: Filter,
}

/// The filter registers of a box; those of other types stay 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// C-Box: FILTER0.tid where `tid_en` is set in the control register.
    pub tid: Option<u8>,
    /// C-Box: FILTER0.state, bit 0 for I to the highest for M'.
    pub state: u8,
    /// C-Box: FILTER1.nid.
    pub nid: u16,
    /// C-Box: FILTER1.opc.
    pub opc: u16,
    /// C-Box: FILTER1.nc.
    pub nc: bool,
    /// C-Box: FILTER1.isoc.
    pub isoc: bool,
    /// HA: system address, of which ADDRMATCH0 and 1 take bits 45:6.
    pub address: u64,
    /// HA: OPCODEMATCH.
    pub home_opcode: u8,
    /// PCU: the four bytes of BOX_FILTER.
    pub bands: [u8; 4],
    /// QPI: the port's match and mask registers.
    pub packet: PacketMatch,
    /// UBox: BOX_FILTER. C-Box: FILTER0.link and FILTER1.c6, which nothing looks at. B-, S-, M- and
    /// R-Box: MATCH of the box, or its sub-registers, as in config1.
    pub config1: u64,
    /// B-, S-, M- and R-Box: MASK of the box, or its match of addresses, as in config2.
    pub config2: u64,
    /// R-Box: MM_CFG of a match set; 0 stands for the usual value.
    pub mm_cfg: u32,
    /// B-, S-, M- and R-Box: a bit of MASK that is 1 compares, where this is not certain.
    pub mask_compares: bool,
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

    /// The event of a row of the catalogue.
    pub fn row(row: &Row) -> Self {
        Self {
            ext: row.ext == Some(true),
            thresh: row.needs.preset.thresh,
            ..Self::event(row.code, row.umask)
        }
    }

    /// The fixed counter of a box.
    pub fn fixed() -> Self {
        Self::event(FIXED_EVENT, 0)
    }

    /// With these filters.
    pub fn filtered(self, filter: Filter) -> Self {
        Self { filter, ..self }
    }

    /// Returns the setting of COUNTER0_OCCUPANCY beside this occupancy event on counter
    /// 0: the same signals and filters, a threshold and an edge of its own.
    pub fn seen_from_another_counter(self, thresh: u8, edge: bool) -> Self {
        Self {
            thresh,
            edge,
            invert: false,
            ..self
        }
    }
}
