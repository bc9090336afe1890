// SPDX-License-Identifier: GPL-2.0

//! Sandy Bridge client: Documentation/hardware/snb.rst. The clients after it differ in the events
//! that they have and in the ID of the host bridge (ivb.rst, hsw.rst and bdw.rst).
//!
//! C-Box: up to 4, MSRs 0x700 + 0x10 * n, two counters, no filters, no `BOX_CTL`.
//! ARB: two counters of 44 bits, and the fixed counter of the uncore clock, which belongs to no
//! box (section 2). MSRs 0x3B0 to 0x3B3, 0x394 and 0x395. No `BOX_CTL`, no status: the global
//! registers have a bit for both general counters and one for the fixed counter.
//! Oddity: the fixed counter is behind its control; on the Xeon 7500 it is before it.

use super::Description;
use crate::boxes::prelude::*;
use crate::boxes::{described, kept, Types, USUAL};
use crate::global::{Cores, Freeze, GlobalLayout, GlobalRegister, Run};
use crate::host_bridge::{counter, BridgeLayout};
use std::sync::LazyLock;

/// One package, which has neither PCI functions of its own nor memory channels that can be
/// programmed.
pub(super) const DESCRIPTION: Description = Description {
    layouts: &LAYOUTS,
    host_bridge: Some(&BRIDGE),
    global: &GLOBAL,
    most_packages: 1,
    most_cores: 4,
    options: &["imc", "bridge"],
    ..super::WITHOUT_PCI
};

pub(super) const IVB: Description = Description {
    layouts: &IVB_LAYOUTS,
    host_bridge: Some(&IVB_BRIDGE),
    ..DESCRIPTION
};

pub(super) const HSW: Description = Description {
    layouts: &HSW_LAYOUTS,
    host_bridge: Some(&HSW_BRIDGE),
    ..DESCRIPTION
};

pub(super) const BDW: Description = Description {
    layouts: &BDW_LAYOUTS,
    host_bridge: Some(&BDW_BRIDGE),
    ..DESCRIPTION
};

static LAYOUTS: Types = LazyLock::new(|| layouts(&CATALOGUES[0]));
static IVB_LAYOUTS: Types = LazyLock::new(|| layouts(&CATALOGUES[1]));
static HSW_LAYOUTS: Types = LazyLock::new(|| layouts(&CATALOGUES[2]));
static BDW_LAYOUTS: Types = LazyLock::new(|| layouts(&CATALOGUES[3]));

static CATALOGUES: [LazyLock<Catalogue>; 4] = [
    LazyLock::new(|| Catalogue::of_processor("snb", qualifiers)),
    LazyLock::new(|| Catalogue::of_processor("ivb", qualifiers)),
    LazyLock::new(|| Catalogue::of_processor("hsw", qualifiers)),
    LazyLock::new(|| Catalogue::of_processor("bdw", qualifiers)),
];

/// Returns the box types of a processor, which have its events.
fn layouts(catalogue: &'static LazyLock<Catalogue>) -> Vec<&'static BoxLayout> {
    let usual = BoxLayout {
        catalogue,
        fields: FIELDS,
        ..USUAL
    };
    [cbox(&usual), arb(&usual)].map(kept).to_vec()
}

fn qualifiers(kind: BoxType, code: u8) -> u8 {
    match (kind, code) {
        (BoxType::Cbox, XSNP_RESPONSE | CACHE_LOOKUP) => found(code),
        _ => 0,
    }
}

const XSNP_RESPONSE: u8 = 0x22;
const CACHE_LOOKUP: u8 = 0x34;

/// SPEC: counters 2 and 3 and the status of [MSRLIST] answer and do nothing (S-4, a reading).
fn cbox(usual: &BoxLayout) -> BoxLayout {
    let usual = BoxLayout {
        global_bits: |_, _| 1 << 3,
        select,
        lists: |event, select, umask| {
            let found = found(select.code);
            event.lists(umask) && umask & found != 0 && umask & !found != 0
        },
        ..*usual
    };
    let four_counters = BoxLayout {
        counters: 4,
        ..usual
    };
    let four_counters = described("snb", "CBO", "CBO/S-4", &four_counters);
    BoxLayout {
        other: Some((Reading::FourCounters, kept(four_counters))),
        ..described("snb", "CBO", "CBO", &usual)
    }
}

fn arb(usual: &BoxLayout) -> BoxLayout {
    let usual = BoxLayout {
        global_bits: |_, counter| if counter == FIXED { 1 } else { 2 },
        ..*usual
    };
    described("snb", "ARB", "ARB", &usual)
}

/// The fields of `CTLn` of C-Box and ARB.
const FIELDS: Fields = Fields {
    thresh: 0x1f,
    has_invert: true,
    need_thresh: false,
    ..COMMON_FIELDS
};

/// The bits of the umask that say what is found; the others say who asks.
fn found(code: u8) -> u8 {
    match code {
        XSNP_RESPONSE => 0x1f,
        _ => 0x0f,
    }
}

/// The bits of the umask for who asks select signals, those for what is found are a condition.
fn select(request: &Request) -> Selection {
    let mut selection = select_by_umask(request);
    let wanted = u32::from(request.umask & found(request.select.code));
    selection.conditions.extend(match request.select.code {
        XSNP_RESPONSE => Some(Condition::response(wanted)),
        CACHE_LOOKUP => Some(Condition::state_of_mesi(wanted)),
        _ => None,
    });
    selection
}

/// The global registers: a level.
/// SPEC: another register clears the status (S-1). The configuration counts the slice of the
/// graphics, too (S-2). Bits 3:0 of the control select cores (S-3).
const GLOBAL: GlobalLayout = GlobalLayout {
    all: &[
        (0x391, GlobalRegister::Control),
        (0x392, GlobalRegister::Status),
        (0x393, GlobalRegister::Clear),
        (0x396, GlobalRegister::Config),
    ],
    control: Word {
        rw: 0xe000_000f,
        reserved: 0x1fff_fff0,
        ..Word::named("PERF_GLOBAL_CTRL")
    },
    run: Run::Level {
        enable: 1 << 29,
        hold: 0,
        freeze: Freeze::If(1 << 31),
    },
    cores: Cores::Mask(0xf),
    reset: 0,
    own_counters: 0,
    summarises: false,
    status: 0b1011,
    open: 0,
    status_width: 64,
    clears: Some(GlobalRegister::Clear),
    config: Word {
        ro: 0xf,
        reserved: !0xf,
        ..Word::named("CBO_CONFIG")
    },
    num_c: |cboxes| u8::try_from(cboxes + 1).unwrap_or(0xf),
};

const BRIDGE: BridgeLayout = BridgeLayout {
    ids: &[0x0100_8086],
    address_register: 0x48,
    base: 0xfed1_0000,
    size: 0x6000,
    counters: [
        counter(0x5040, "gt_requests", 27),
        counter(0x5044, "ia_requests", 103),
        counter(0x5048, "io_requests", 12),
        counter(0x5050, "data_reads", 95),
        counter(0x5054, "data_writes", 47),
    ],
};

const IVB_BRIDGE: BridgeLayout = BridgeLayout {
    ids: &[0x0154_8086, 0x0150_8086],
    ..BRIDGE
};

const HSW_BRIDGE: BridgeLayout = BridgeLayout {
    ids: &[0x0c00_8086, 0x0a04_8086],
    ..BRIDGE
};

const BDW_BRIDGE: BridgeLayout = BridgeLayout {
    ids: &[0x1604_8086],
    ..BRIDGE
};
