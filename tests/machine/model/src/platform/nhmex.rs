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

use super::Description;
use crate::boxes::prelude::*;
use crate::boxes::{described, kept, Types, USUAL};
use crate::global::{Cores, Freeze, GlobalLayout, GlobalRegister, Run};
use std::sync::LazyLock;

/// Packages without PCI functions of the uncore.
pub(super) const DESCRIPTION: Description = Description {
    layouts: &LAYOUTS,
    global: &GLOBAL,
    most_packages: 8,
    most_cores: 8,
    ..super::WITHOUT_PCI
};

pub(super) const WESTMERE: Description = Description {
    layouts: &WESTMERE_LAYOUTS,
    most_cores: 10,
    ..DESCRIPTION
};

static LAYOUTS: Types = LazyLock::new(|| types(false).map(kept).to_vec());

static WESTMERE_LAYOUTS: Types = LazyLock::new(|| types(true).map(kept).to_vec());

static CATALOGUE: LazyLock<Catalogue> =
    LazyLock::new(|| Catalogue::of_processor("nhmex", |_, _| 0));
static WESTMERE_CATALOGUE: LazyLock<Catalogue> =
    LazyLock::new(|| Catalogue::of_processor("wsmex", |_, _| 0));

/// Returns the box types of Nehalem-EX, or of Westmere-EX.
fn types(westmere: bool) -> [BoxLayout; 7] {
    let catalogue = if westmere {
        &WESTMERE_CATALOGUE
    } else {
        &CATALOGUE
    };
    let usual = &BoxLayout {
        catalogue,
        ..USUAL_EX
    };
    [
        ubox(usual),
        cbox(westmere, usual),
        bbox::layout(usual),
        sbox::layout(usual),
        mbox::layout(westmere, usual),
        rbox::layout(usual),
        wbox(westmere, usual),
    ]
}

/// The global registers: a level, which each overflow with a PMI clears.
/// SPEC: pmi_core_sel is a number; an overflow clears en_all; rst_all and frz_all stop all
/// counters while they are 1; the order of the bits of the status (nhmex 4).
const GLOBAL: GlobalLayout = GlobalLayout {
    all: &[
        (0xc00, GlobalRegister::Control),
        (0xc01, GlobalRegister::Status),
        (0xc02, GlobalRegister::Clear),
    ],
    control: Word {
        rw: 0xb000_001f,
        reserved: !0xb000_001f,
        ..Word::named("GLOBAL_CTL")
    },
    run: Run::Level {
        enable: 1 << 28,
        hold: 1 << 29 | 1 << 31,
        freeze: Freeze::Always,
    },
    cores: Cores::Number(0x1e),
    reset: 1 << 29,
    own_counters: 1,
    summarises: true,
    status: 0xf,
    open: 0,
    status_width: 64,
    clears: Some(GlobalRegister::Clear),
    config: Word::named(""),
    num_c: |_| 0,
};

/// What a box has unless the data about it or its file says otherwise.
const USUAL_EX: BoxLayout = BoxLayout {
    fields: FIELDS,
    quirks: Quirks {
        counter_enables: true,
        ..USUAL.quirks
    },
    ..USUAL
};

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

/// Returns a box with this for what the data does not say.
fn of_page(kind: &str, usual: &BoxLayout) -> BoxLayout {
    described("nhmex", kind, kind, usual)
}

/// The bit of GLOBAL_STATUS of the S-Box behind which half of the other boxes are.
const fn half(second: bool) -> u64 {
    if second {
        1 << 2
    } else {
        1 << 3
    }
}

/// The event select has nine bits, or eight by a reading. The addresses between the boxes are its.
fn ubox(usual: &BoxLayout) -> BoxLayout {
    let with = |coding| {
        let usual = BoxLayout {
            fields: Fields {
                coding,
                ..PLAIN_FIELDS
            },
            global_bits: |_, _| 1,
            ..*usual
        };
        of_page("UBOX", &usual)
    };
    let long = with(Coding::Usual { ext: 1 << 8 });
    let mut short = with(Coding::Cut);
    short.control.rw &= !(1 << 8);
    BoxLayout {
        other: Some((Reading::ShortCodes, kept(short))),
        ..long
    }
}

/// Nehalem-EX has the first eight.
fn cbox(westmere: bool, usual: &BoxLayout) -> BoxLayout {
    let mut layout = BoxLayout {
        global_bits: if westmere {
            |instance, _| half(instance > 4)
        } else {
            |instance, _| half(instance > 3)
        },
        ..of_page("CBO", usual)
    };
    if let (false, Access::Lists { lists, .. }) = (westmere, &mut layout.access) {
        *lists = lists.split_at(8).0;
    }
    layout
}

fn wbox(westmere: bool, usual: &BoxLayout) -> BoxLayout {
    BoxLayout {
        global_bits: |_, _| 1 << 1,
        quirks: Quirks {
            reads_high: true,
            ..USUAL_EX.quirks
        },
        select: if westmere {
            select_cores
        } else {
            select_by_umask
        },
        ..of_page("WBOX", usual)
    }
}

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
