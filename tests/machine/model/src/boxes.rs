// SPDX-License-Identifier: GPL-2.0

//! The box types, one file each, and the code that they share.
//!
//! Documentation/hardware/ivbep.rst sections 6.1, 6.2 and 7. A box type that BDX has,
//! too, has a second layout in its file; Documentation/hardware/bdx.rst. The third platform
//! is that of Documentation/hardware/snb.rst, the fourth that of nhmex.rst, in a folder.

mod arb;
mod cbox;
mod ha;
mod imc;
mod irp;
mod nhmex;
mod pcu;
mod qpi;
mod r2pcie;
mod r3qpi;
mod sbox;
mod ubox;

use crate::platform::PciSide;
use crate::topology::{PackageShape, Topology};
use prelude::*;

pub(crate) use cbox::{caching_agent, caching_agent_bdx};

/// What the file of a box is made of.
mod prelude {
    pub(super) use crate::catalogue::{BoxType, Catalogue, Event};
    pub(super) use crate::clock::Clock;
    pub(super) use crate::filter::Condition;
    pub(super) use crate::layout::{
        list_by_bits, select_by_umask, Access, BoxLayout, Bus, Coding, Companion, Fields, Fixed,
        Place, Present, Quirks, Register, Request, Selection, COMMON_FIELDS, EN, EV_SEL_EXT,
        FILTERS, FIXED, OV_EN,
    };
    pub(super) use crate::readings::Reading;
    pub(super) use crate::register::Word;
    pub(super) use crate::traffic::EventSelect;
}

/// The box types of IVB-EP.
pub(crate) const IVBEP: [&BoxLayout; 9] = [
    &ubox::IVBEP,
    &pcu::IVBEP,
    &cbox::IVBEP,
    &ha::IVBEP,
    &imc::IVBEP,
    &irp::IVBEP,
    &qpi::IVBEP,
    &r2pcie::IVBEP,
    &r3qpi::IVBEP,
];

/// A function without counters: its place and its registers.
pub(crate) type PlainFunction = (Place, &'static [(u16, Word)]);

/// The box types of BDX.
pub(crate) const BDX: [&BoxLayout; 10] = [
    &ubox::BDX,
    &pcu::BDX,
    &cbox::BDX,
    &sbox::BDX,
    &ha::BDX,
    &imc::BDX,
    &irp::BDX,
    &qpi::BDX,
    &r2pcie::BDX,
    &r3qpi::BDX,
];

/// The box types of Broadwell-DE. It has no S-Boxes, but their MSRs are known.
pub(crate) const BDX_DE: [&BoxLayout; 8] = [
    &ubox::BDX,
    &pcu::BDX,
    &cbox::BDX,
    &sbox::BDX,
    &ha::BDX,
    &imc::BDX,
    &irp::BDX,
    &r2pcie::BDX,
];

/// The box types that Broadwell-DE has by another reading (B-21).
pub(crate) const OF_OTHER_PARTS: [&BoxLayout; 1] = [&r3qpi::BDX];

/// The box types of Sandy Bridge client.
pub(crate) const SNB: [&BoxLayout; 2] = [&cbox::SNB, &arb::SNB];

/// The box types of Nehalem-EX.
pub(crate) const NHMEX: [&BoxLayout; 7] = [
    &nhmex::UBOX,
    &nhmex::CBOX,
    &nhmex::BBOX,
    &nhmex::SBOX,
    &nhmex::MBOX,
    &nhmex::RBOX,
    &nhmex::WBOX,
];

/// The box types of Westmere-EX.
pub(crate) const WSMEX: [&BoxLayout; 7] = [
    &nhmex::UBOX_WESTMERE,
    &nhmex::CBOX_WESTMERE,
    &nhmex::BBOX_WESTMERE,
    &nhmex::SBOX_WESTMERE,
    &nhmex::MBOX_WESTMERE,
    &nhmex::RBOX_WESTMERE,
    &nhmex::WBOX_WESTMERE,
];

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

/// The acting bits of every `BOX_CTL`.
const BOX_CTL_ACTS: u32 = FRZ | RST_CTRS | RST_CTRL;

/// `BOX_CTL` whose other bits are reserved: C-Box, S-Box and PCU.
const BOX_CTL_RESERVED: Word = Word {
    rw: 0x0003_0000,
    one: 0x0003_0000,
    wo: BOX_CTL_ACTS,
    reserved: !(0x0003_0000 | BOX_CTL_ACTS),
    ..Word::named("BOX_CTL")
};

/// `BOX_CTL` whose other bits are ignored: HA, iMC, IRP and QPI.
const BOX_CTL_IGNORED: Word = Word {
    reserved: 0,
    ..BOX_CTL_RESERVED
};

/// `BOX_CTL` of R2PCIe and R3QPI: without the rule for bits 17:16.
const BOX_CTL_RING: Word = Word {
    wo: BOX_CTL_ACTS,
    ..Word::named("BOX_CTL")
};

/// `CTLn` of iMC, R2PCIe and R3QPI.
const COMMON_CONTROL: Word = control(0xff54_ffff, 0x00a1_0000);

/// `CTLn` of HA, iMC, IRP, R2PCIe and R3QPI of BDX: `invert` is bit 23.
const COMMON_CONTROL_BDX: Word = control(0xffd4_ffff, 0x0021_0000);

/// `CTLn` with `rst` and these bits, the other ones ignored.
const fn control(rw: u32, zero: u32) -> Word {
    Word {
        wo: RST,
        ..filter("CTL", rw, zero)
    }
}

/// `BOX_STATUS` with the bits of these counters, the other ones ignored.
const fn status(w1c: u32, zero: u32) -> Word {
    Word {
        w1c,
        ..filter("BOX_STATUS", 0, zero)
    }
}

/// A register that stores bits, with the ones that must be 0.
const fn filter(name: &'static str, rw: u32, zero: u32) -> Word {
    Word {
        rw,
        zero,
        ..Word::named(name)
    }
}

/// First and last offset of the counters, controls and status of a PCI box.
const PCI_BLOCK: (u16, u16) = (0xa0, 0xfb);

/// What a box has unless its file says otherwise: four counters in a PCI function, without a
/// fixed counter, filters and a second function.
const USUAL: BoxLayout = BoxLayout {
    name: "",
    numbered: true,
    kind: BoxType::Ha,
    catalogue: Catalogue::ivbep,
    clock: Clock::Uclk,
    access: Access::Pci(&[]),
    counters: 4,
    counters_per_set: 4,
    width: 48,
    control: COMMON_CONTROL,
    fields: COMMON_FIELDS,
    fixed: None,
    box_control: Some(BOX_CTL_IGNORED),
    status: None,
    status_first: 1,
    global_bits: |_, _| 0,
    filters: &[],
    registers: &FOUR_COUNTERS,
    companion: None,
    blocks: &[PCI_BLOCK],
    silent: &[],
    select: select_by_umask,
    lists: list_by_bits,
    quirks: Quirks {
        control_twice: false,
        sticky_reset: false,
        reset_in_steps: false,
        box_enables: false,
        counter_enables: false,
        shows_counter_0: false,
        reads_high: false,
    },
    guard: None,
    free_running: &[],
    other: None,
    of_other: &[],
};

/// What a box of BDX has unless its file says otherwise.
const USUAL_BDX: BoxLayout = BoxLayout {
    catalogue: Catalogue::bdx,
    control: COMMON_CONTROL_BDX,
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

/// The registers of a PCI box with four regular counters.
const FOUR_COUNTERS: [(u16, Register); 14] = [
    (0xf8, Register::Status),
    (0xf4, Register::BoxControl),
    (0xd8, Register::Control(0)),
    (0xdc, Register::Control(1)),
    (0xe0, Register::Control(2)),
    (0xe4, Register::Control(3)),
    (0xa0, Register::CounterLow(0)),
    (0xa4, Register::CounterHigh(0)),
    (0xa8, Register::CounterLow(1)),
    (0xac, Register::CounterHigh(1)),
    (0xb0, Register::CounterLow(2)),
    (0xb4, Register::CounterHigh(2)),
    (0xb8, Register::CounterLow(3)),
    (0xbc, Register::CounterHigh(3)),
];

/// Every function of a package that the spec names; those that only fill in a
/// function 0 are not among them.
pub(crate) fn documented_places(
    pci: &'static PciSide,
    topology: &Topology,
    shape: PackageShape,
) -> impl Iterator<Item = Place> {
    let part = topology.part;
    let layouts = topology.platform.description().layouts.iter();
    let boxes = layouts.flat_map(|layout| layout.places());
    let plain = pci.plain_functions.iter().copied().flatten();
    let fixed = boxes.chain(plain.map(|(place, _)| place)).copied();
    let here = fixed.filter(move |place| place.is_in(shape, part));
    here.chain(cbox_places(pci, shape))
}

/// The functions of the C-Boxes of a package.
pub(crate) fn cbox_places(
    pci: &'static PciSide,
    shape: PackageShape,
) -> impl Iterator<Item = Place> {
    let functions = pci.cbox_function.into_iter();
    functions.flat_map(move |place| shape.cboxes().map(place))
}
