// SPDX-License-Identifier: GPL-2.0

//! IRP (IIO coherency agent): one per package, two sets of two counters;
//! Documentation/hardware/ivbep.rst section 7.5.
//!
//! PCI D5:F6 on the IIO bus. Counters are 48 bits wide (U-33) at irregular
//! offsets; the catalogue's "counters 0-1" are those of each set, and each set
//! sees traffic of its own. No `ov_en`: overflows show in `BOX_STATUS` only.
//! SPEC: the source filter has no known address; it selects queue 0 (U-30).
//!
//! BDX: the same place, with `ov_en` and a bit in GLOBAL_STATUS. The manual and the
//! kernel's driver have the counters at different offsets; a reading chooses (B-2).

use super::prelude::*;
use super::{control, status, FOUR_COUNTERS, USUAL, USUAL_BDX};

pub(super) const IVBEP: BoxLayout = BoxLayout {
    name: "irp",
    numbered: false,
    kind: BoxType::Irp,
    access: Access::Pci(&[Place {
        bus: Bus::Iio,
        ..Place::uncore(5, 6, 0x0e39)
    }]),
    counters_per_set: 2,
    control: control(0xff44_ffff, 0x00b1_0000),
    fields: Fields {
        overflow_enable: 0,
        ..COMMON_FIELDS
    },
    status: Some(status(0xf, 0)),
    registers: &[
        (0xf8, Register::Status),
        (0xf4, Register::BoxControl),
        (0xd8, Register::Control(0)),
        (0xdc, Register::Control(1)),
        (0xe0, Register::Control(2)),
        (0xe4, Register::Control(3)),
        (0xa0, Register::CounterLow(0)),
        (0xa4, Register::CounterHigh(0)),
        (0xb0, Register::CounterLow(1)),
        (0xb4, Register::CounterHigh(1)),
        (0xb8, Register::CounterLow(2)),
        (0xbc, Register::CounterHigh(2)),
        (0xc0, Register::CounterLow(3)),
        (0xc4, Register::CounterHigh(3)),
    ],
    select,
    ..USUAL
};

pub(super) const BDX: BoxLayout = BoxLayout {
    other: Some((
        Reading::IrpOfKernel,
        &BoxLayout {
            registers: &FOUR_COUNTERS,
            of_other: &[0xc0, 0xc4],
            ..BY_MANUAL
        },
    )),
    ..BY_MANUAL
};

/// The IRP of BDX with the counters where the manual has them. The kernel's driver has
/// them where other boxes have theirs.
const BY_MANUAL: BoxLayout = BoxLayout {
    name: "irp",
    numbered: false,
    kind: BoxType::Irp,
    access: Access::Pci(&[Place {
        bus: Bus::Iio,
        ..Place::uncore(5, 6, 0x6f39)
    }]),
    counters_per_set: 2,
    status: IVBEP.status,
    global_bits: |_, _| 1 << 34,
    registers: IVBEP.registers,
    of_other: &[0xa8, 0xac],
    select: select_bdx,
    lists: list_bdx,
    ..USUAL_BDX
};

const TRANSACTIONS: u8 = 0x15;

/// The qualifier of TRANSACTIONS for the source.
const ORDERINGQ: u8 = 0x08;

/// READS, WRITES and RD_PREFETCHES.
const TYPES: u8 = 0x07;

fn select(request: &Request) -> Selection {
    let mut selection = select_by_umask(request);
    if request.select.code == TRANSACTIONS && request.umask & ORDERINGQ != 0 {
        selection.conditions.push(Condition::queue_0());
        if request.umask & TYPES == 0 {
            selection.signals = u16::from(TYPES) & request.event.signals;
        }
    }
    selection
}

const MISC0_BDX: u8 = 0x14;
const MISC1_BDX: u8 = 0x15;
const TRANSACTIONS_BDX: u8 = 0x16;
const SNOOP_RESP_BDX: u8 = 0x17;

/// The qualifier of TRANSACTIONS for the source.
const ORDERINGQ_BDX: u8 = 0x40;

/// The results of SNOOP_RESP, and the snoops that they answer.
const RESULTS: u8 = 0x0f;
const SNOOPS: u8 = 0x70;

fn select_bdx(request: &Request) -> Selection {
    let mut selection = select_by_umask(request);
    match request.select.code {
        TRANSACTIONS_BDX if request.umask & ORDERINGQ_BDX != 0 => {
            selection.conditions.push(Condition::queue_0());
        }
        SNOOP_RESP_BDX => {
            let snoops = u32::from(request.umask & SNOOPS) >> 4;
            selection.conditions.push(Condition::snoop(snoops));
        }
        _ => {}
    }
    selection
}

/// The umasks that mean something: of MISC0 and MISC1 bits of one group, of SNOOP_RESP a
/// result and a snoop, of TRANSACTIONS a type.
fn list_bdx(event: &Event, select: EventSelect, umask: u8) -> bool {
    let within = |groups: &[u8]| groups.iter().any(|group| umask & !group == 0);
    event.lists(umask)
        && match select.code {
            MISC0_BDX => within(&[0x03, 0x1c, 0xe0]),
            MISC1_BDX => within(&[0x1f, 0xe0]),
            TRANSACTIONS_BDX => umask != ORDERINGQ_BDX,
            SNOOP_RESP_BDX => umask & RESULTS != 0 && umask & SNOOPS != 0,
            _ => true,
        }
}
