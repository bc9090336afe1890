// SPDX-License-Identifier: GPL-2.0

//! The box types, one file each, and the code that they share.
//!
//! `tests/data` has the places and registers of the boxes of each platform; here is what data cannot
//! say. A box type that BDX has, too, has a second layout in its file. Platforms without a box in common
//! with these have theirs in their folder of `platform`. Documentation/hardware has a page for each.

mod cbox;
mod described;
mod ha;
mod imc;
mod irp;
mod pcu;
mod qpi;
mod r2pcie;
mod r3qpi;
mod sbox;
mod ubox;

use crate::catalogue;
use prelude::*;
use std::sync::LazyLock;

pub(crate) use cbox::{caching_agent, caching_agent_bdx};
pub(crate) use described::described;
pub(crate) use qpi::packet;

/// What the file of a box is made of.
pub(crate) mod prelude {
    pub(crate) use crate::catalogue::{BoxType, Catalogue, Event};
    pub(crate) use crate::clock::Clock;
    pub(crate) use crate::filter::Condition;
    pub(crate) use crate::layout::{
        list_by_bits, select_by_umask, Access, BoxLayout, Bus, Coding, Companion, Fields, Fixed,
        Place, Present, Quirks, Register, Request, Selection, COMMON_FIELDS, EN, EV_SEL_EXT,
        FILTERS, FIXED, OV_EN,
    };
    pub(crate) use crate::readings::Reading;
    pub(crate) use crate::register::Word;
    pub(crate) use crate::traffic::EventSelect;
}

/// A function without counters: its place and its registers.
pub(crate) type PlainFunction = (Place, &'static [(u16, Word)]);

/// The box types of a platform.
pub(crate) type Types = LazyLock<Vec<&'static BoxLayout>>;

/// Returns a layout that stays.
#[expect(clippy::large_types_passed_by_value, reason = "it is moved")]
pub(crate) fn kept(layout: BoxLayout) -> &'static BoxLayout {
    Box::leak(Box::new(layout))
}

/// The box types of IVB-EP.
pub(crate) static IVBEP: Types = LazyLock::new(|| {
    [
        ubox::ivbep(),
        pcu::ivbep(),
        cbox::ivbep(),
        ha::ivbep(),
        imc::ivbep(),
        irp::ivbep(),
        qpi::ivbep(),
        r2pcie::ivbep(),
        r3qpi::ivbep(),
    ]
    .map(kept)
    .to_vec()
});

/// The box types of BDX.
pub(crate) static BDX: Types = LazyLock::new(|| LIKE_BDX.types().map(kept).to_vec());

const LIKE_BDX: LikeBdx = LikeBdx {
    folder: "bdx",
    catalogue: &catalogue::BDX,
};

/// A platform whose boxes are those of BDX, but for what its folder in `tests/data` says.
#[derive(Clone, Copy)]
pub(crate) struct LikeBdx {
    pub(crate) folder: &'static str,
    pub(crate) catalogue: &'static LazyLock<Catalogue>,
}

impl LikeBdx {
    /// Returns its box types.
    pub(crate) fn types(self) -> [BoxLayout; 10] {
        [
            ubox::bdx(self),
            pcu::bdx(self),
            cbox::bdx(self),
            sbox::bdx(self),
            ha::bdx(self),
            imc::bdx(self),
            irp::bdx(self),
            qpi::bdx(self),
            r2pcie::bdx(self),
            r3qpi::bdx(self),
        ]
    }

    /// A box, as it is unless its file says otherwise.
    fn usual(self, kind: &str) -> BoxLayout {
        let usual = BoxLayout {
            catalogue: self.catalogue,
            ..USUAL_BDX
        };
        described(self.folder, kind, kind, &usual)
    }
}

/// The box types of Broadwell-DE. It has no S-Boxes, but their MSRs are known.
pub(crate) static BDX_DE: Types = LazyLock::new(|| {
    let lacks = [BoxType::Qpi, BoxType::R3qpi];
    let types = BDX.iter().copied();
    types
        .filter(|layout| !lacks.contains(&layout.kind))
        .collect()
});

/// Returns the box type that Broadwell-DE has by another reading (B-21).
pub(crate) fn of_other_parts() -> Option<&'static BoxLayout> {
    let mut types = BDX.iter().copied();
    types.find(|layout| layout.kind == BoxType::R3qpi)
}

/// The functions of BDX that hold registers but no counters.
pub(crate) const BDX_FUNCTIONS: [&[PlainFunction]; 3] = [
    &ubox::BDX_FUNCTIONS,
    &pcu::BDX_FUNCTIONS,
    &qpi::BDX_FUNCTIONS,
];

/// The functions of Broadwell-DE without counters.
pub(crate) const BDX_DE_FUNCTIONS: [&[PlainFunction]; 3] = [
    &ubox::BDX_FUNCTIONS,
    &pcu::BDX_FUNCTIONS,
    &r3qpi::BDX_DE_FUNCTIONS,
];

/// The functions of IVB-EP that hold registers but no counters.
pub(crate) const IVBEP_FUNCTIONS: [&[PlainFunction]; 2] =
    [&ubox::IVBEP_FUNCTIONS, &qpi::IVBEP_FUNCTIONS];

/// Offset of CPUNODEID in the discovery function.
pub(crate) const CPUNODEID: u16 = 0x40;

/// Offset of GIDNIDMAP in the discovery function.
pub(crate) const GIDNIDMAP: u16 = 0x54;

/// Offset of CAPID4 in the function of the PCU.
pub(crate) const CAPID4: u16 = 0x94;

/// Offset of CAPID5 in the function of the PCU.
pub(crate) const CAPID5: u16 = 0x98;

/// The bit of `BOX_CTL` without which a box of BDX ignores a freeze.
pub(crate) const FREEZE_ENABLE: u32 = 1 << 16;

/// The bit of `BOX_CTL` without which a box of BDX sends no message.
pub(crate) const OVERFLOW_ENABLE: u32 = 1 << 17;

/// Both.
pub(crate) const BOX_ENABLES: u32 = FREEZE_ENABLE | OVERFLOW_ENABLE;

/// `frz` of `BOX_CTL`.
pub(crate) const FRZ: u32 = 1 << 8;

/// `rst_ctrs` of `BOX_CTL`.
pub(crate) const RST_CTRS: u32 = 1 << 1;

/// `rst_ctrl` of `BOX_CTL`.
pub(crate) const RST_CTRL: u32 = 1;

/// `rst` of a general counter's control register.
pub(crate) const RST: u32 = 1 << 17;

/// First and last offset of the counters, controls and status of a PCI box.
const PCI_BLOCK: (u16, u16) = (0xa0, 0xfb);

/// What a box has unless the data about it or its file says otherwise.
pub(crate) const USUAL: BoxLayout = BoxLayout {
    name: "",
    numbered: true,
    kind: BoxType::Ha,
    catalogue: &catalogue::IVBEP,
    clock: Clock::Uclk,
    access: Access::Pci(&[]),
    counters: 0,
    counters_per_set: 0,
    width: 0,
    control: Word::named(""),
    fields: COMMON_FIELDS,
    fixed: None,
    box_control: None,
    status: None,
    status_first: 0,
    global_bits: |_, _| 0,
    filters: &[],
    registers: &[],
    companion: None,
    blocks: &[],
    silent: &[],
    filters_as: None,
    select: select_by_umask,
    lists: list_by_bits,
    quirks: Quirks {
        control_twice: false,
        sticky_reset: false,
        reset_in_steps: false,
        box_enables: false,
        counter_enables: false,
        joins_occupancy: false,
        shows_counter_0: false,
        reads_high: false,
    },
    guard: None,
    free_running: &[],
    other: None,
    of_other: &[],
};

/// A box of IVB-EP, as it is unless its file says otherwise.
fn usual(kind: &str) -> BoxLayout {
    described("ivbep", kind, kind, &USUAL)
}

/// What a box of BDX has unless the data about it or its file says otherwise.
const USUAL_BDX: BoxLayout = BoxLayout {
    fields: BDX_FIELDS,
    quirks: Quirks {
        box_enables: true,
        ..USUAL.quirks
    },
    ..USUAL
};

/// The fields of most boxes of BDX.
const BDX_FIELDS: Fields = Fields {
    has_invert: true,
    ..COMMON_FIELDS
};

/// The effects of writes to R2PCIe and R3QPI of BDX.
const RING_QUIRKS: Quirks = Quirks {
    control_twice: true,
    ..USUAL.quirks
};

/// A read-only register, which firmware or the factory has set.
const fn read_only(name: &'static str) -> Word {
    Word {
        ro: u32::MAX,
        ..Word::named(name)
    }
}
