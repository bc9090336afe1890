// SPDX-License-Identifier: GPL-2.0

//! The boxes of Nehalem-EX and Westmere-EX; Documentation/hardware/nhmex.rst.
//!
//! `BOX_CTL` of each box has a bit for each counter, status bits are cleared in a register of
//! their own, and control registers and counters alternate (nhmex 3, 5).
//! Here are the boxes with the usual event selects: U-Box, C-Box and W-Box.
//! SPEC: bit 8 of the U-Box's event select is an event bit, or ignored: a reading.
//! SPEC: the fixed counter of the W-Box sends no message; it reads wrong as the other ones do
//! (nhmex 6, 8).

mod bbox;
mod mbox;
mod rbox;
mod sbox;

use super::prelude::*;
use super::USUAL;

pub(in super::super) use bbox::{NEHALEM as BBOX, WESTMERE as BBOX_WESTMERE};
pub(in super::super) use mbox::{NEHALEM as MBOX, WESTMERE as MBOX_WESTMERE};
pub(in super::super) use rbox::{NEHALEM as RBOX, WESTMERE as RBOX_WESTMERE};
pub(in super::super) use sbox::{NEHALEM as SBOX, WESTMERE as SBOX_WESTMERE};

/// What a box has unless it says otherwise.
const USUAL_EX: BoxLayout = BoxLayout {
    catalogue: Catalogue::nhmex,
    fields: FIELDS,
    control: CONTROL,
    registers: &[],
    blocks: &[],
    quirks: Quirks {
        counter_enables: true,
        ..USUAL.quirks
    },
    ..USUAL
};

/// thresh, invert, en, pmi_en, edge_detect, umask, event.
const CONTROL: Word = stored("CTL", 0xffd4_ffff);

const FIELDS: Fields = Fields {
    has_invert: true,
    need_thresh: false,
    ..COMMON_FIELDS
};

/// The fields of boxes whose event select is all that they have.
const PLAIN_FIELDS: Fields = Fields {
    thresh: 0,
    umask: 0,
    has_invert: false,
    ..FIELDS
};

/// A register that stores these bits and ignores the other ones.
const fn stored(name: &'static str, rw: u32) -> Word {
    Word {
        rw,
        ..Word::named(name)
    }
}

/// `BOX_CTL` of so many counters.
const fn box_control(counters: u32) -> Word {
    stored("BOX_CTL", (1 << counters) - 1)
}

/// `BOX_STATUS` of so many counters.
const fn status(counters: u32) -> Word {
    Word {
        ro: (1 << counters) - 1,
        ..Word::named("BOX_STATUS")
    }
}

/// `BOX_CTL` at an address, and behind it the status and its clear register, then control
/// registers and counters in turns; `N` is three and two for each counter. `more` follow.
const fn registers<const N: usize>(
    base: u32,
    counters: usize,
    more: &[(u32, Register)],
) -> [(u32, Register); N] {
    let mut all = [(base, Register::BoxControl); N];
    all[1] = (base + 1, Register::Status);
    all[2] = (base + 2, Register::StatusClear);
    let (mut at, mut counter) = (3, 0);
    let mut address = base + 0x10;
    while counter < counters {
        all[at] = (address, Register::Control(counter));
        all[at + 1] = (address + 1, Register::Counter(counter));
        (at, counter, address) = (at + 2, counter + 1, address + 2);
    }
    let mut i = 0;
    while i < more.len() {
        all[at + i] = more[i];
        i += 1;
    }
    all
}

/// The bit of GLOBAL_STATUS of the S-Box behind which half of the other boxes are.
const fn half(second: bool) -> u64 {
    if second {
        1 << 2
    } else {
        1 << 3
    }
}

pub(in super::super) const UBOX: BoxLayout = BoxLayout {
    other: Some((
        Reading::ShortCodes,
        &BoxLayout {
            control: stored("CTL", 0x0054_00ff),
            fields: SHORT_CODES,
            ..LONG_CODES
        },
    )),
    ..LONG_CODES
};

/// The U-Box whose event select has nine bits. The addresses between the boxes are its.
const LONG_CODES: BoxLayout = BoxLayout {
    name: "ubox",
    numbered: false,
    kind: BoxType::Ubox,
    access: Access::Lists {
        lists: &[&[(0xc10, Register::Control(0)), (0xc11, Register::Counter(0))]],
        present: Present::One,
    },
    counters: 1,
    counters_per_set: 1,
    control: stored("CTL", 0x0054_01ff),
    fields: Fields {
        coding: Coding::Usual { ext: 1 << 8 },
        ..PLAIN_FIELDS
    },
    box_control: None,
    status_first: 0,
    global_bits: |_, _| 1,
    blocks: &[(0xc00, 0xfff)],
    ..USUAL_EX
};

const SHORT_CODES: Fields = Fields {
    coding: Coding::Cut,
    ..LONG_CODES.fields
};

pub(in super::super) const UBOX_WESTMERE: BoxLayout = BoxLayout {
    catalogue: Catalogue::wsmex,
    other: Some((
        Reading::ShortCodes,
        &BoxLayout {
            catalogue: Catalogue::wsmex,
            control: stored("CTL", 0x0054_00ff),
            fields: SHORT_CODES,
            ..LONG_CODES
        },
    )),
    ..LONG_CODES
};

/// The registers of each C-Box; Nehalem-EX has the first eight.
const CBOXES: [&[(u32, Register)]; 10] = [
    &cbox(0xd00),
    &cbox(0xd80),
    &cbox(0xd40),
    &cbox(0xdc0),
    &cbox(0xd20),
    &cbox(0xda0),
    &cbox(0xd60),
    &cbox(0xde0),
    &cbox(0xf40),
    &cbox(0xfc0),
];

pub(in super::super) const CBOX: BoxLayout = BoxLayout {
    name: "cbox",
    kind: BoxType::Cbox,
    access: Access::Lists {
        lists: CBOXES.split_at(8).0,
        present: Present::Cboxes,
    },
    counters: 6,
    counters_per_set: 6,
    box_control: Some(box_control(6)),
    status: Some(status(6)),
    global_bits: |instance, _| half(instance > 3),
    ..USUAL_EX
};

pub(in super::super) const CBOX_WESTMERE: BoxLayout = BoxLayout {
    catalogue: Catalogue::wsmex,
    access: Access::Lists {
        lists: &CBOXES,
        present: Present::Cboxes,
    },
    global_bits: |instance, _| half(instance > 4),
    ..CBOX
};

const fn cbox(base: u32) -> [(u32, Register); 15] {
    registers(base, 6, &[])
}

pub(in super::super) const WBOX: BoxLayout = BoxLayout {
    name: "wbox",
    numbered: false,
    kind: BoxType::Wbox,
    access: Access::Lists {
        lists: &[&registers::<13>(
            0xc80,
            4,
            &[
                (0x394, Register::Counter(FIXED)),
                (0x395, Register::Control(FIXED)),
            ],
        )],
        present: Present::One,
    },
    fixed: Some(Fixed {
        control: stored("FIXED_CTL", 1),
        enable: 1,
        overflow_enable: 0,
        status: Some(1 << 31),
        rst: 0,
    }),
    box_control: Some(stored("BOX_CTL", 0x8000_000f)),
    status: Some(Word {
        ro: 0x8000_000f,
        ..Word::named("BOX_STATUS")
    }),
    global_bits: |_, _| 1 << 1,
    quirks: Quirks {
        reads_high: true,
        ..USUAL_EX.quirks
    },
    ..USUAL_EX
};

pub(in super::super) const WBOX_WESTMERE: BoxLayout = BoxLayout {
    catalogue: Catalogue::wsmex,
    select: select_cores,
    ..WBOX
};

/// The W-Box with ten cores: a bit of the umask is a core, or a pair of cores by a reading.
fn select_cores(request: &Request) -> Selection {
    /// Codes of the signals of cores 8 and 9 are that much higher.
    const MORE: u8 = 0x40;
    let mut selection = select_by_umask(request);
    if request.umask == 0 || !request.readings.has(Reading::PairsOfCores) {
        return selection;
    }
    let pairs = request.umask & 0x1f;
    selection.signals = u16::from(pairs | (pairs & 0b111) << 5) & request.event.signals;
    let code = request.select.code | MORE;
    let more = (3..5_u8).filter(|bit| pairs >> bit & 1 == 1);
    let ext = request.select.ext;
    let more = more.map(|bit| (EventSelect { ext, code }, bit - 3));
    selection.others = more.collect();
    selection
}
