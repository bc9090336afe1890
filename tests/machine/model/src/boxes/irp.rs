// SPDX-License-Identifier: GPL-2.0

//! IRP (IIO coherency agent): one per package, two sets of two counters;
//! Documentation/hardware/ivbep.rst section 7.5.
//!
//! PCI D5:F6 on the IIO bus. Counters are 48 bits wide (U-33) at irregular
//! offsets; the catalogue's "counters 0-1" are those of each set, and each set
//! sees traffic of its own. No `ov_en`: overflows show in `BOX_STATUS` only.
//! SPEC: the source filter has no known address; it selects queue 0 (U-30).

use super::prelude::*;
use super::{control, status, USUAL};

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
        has_ov_en: false,
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
