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
use super::{described, kept, usual, LikeBdx, USUAL_BDX};
use uncore_catalogue::Facts;

pub(super) fn ivbep() -> BoxLayout {
    BoxLayout {
        fields: Fields {
            overflow_enable: 0,
            ..COMMON_FIELDS
        },
        select,
        ..usual("IRP")
    }
}

/// The manual has the counters at offsets of their own. The kernel's driver has them where other
/// boxes have theirs; the data has those registers with the point behind the name of the box.
pub(super) fn bdx(of: LikeBdx) -> BoxLayout {
    let usual = BoxLayout {
        catalogue: of.catalogue,
        global_bits: |_, _| 1 << 34,
        select: select_bdx,
        lists: list_bdx,
        ..USUAL_BDX
    };
    let mut rows = Facts::of(of.folder).registers.iter();
    let other = rows.find(|row| row.kind.starts_with("IRP/"));
    let other = &other.expect("registers by the other reading").kind;
    let of_kernel = described(of.folder, "IRP", other, &usual);
    BoxLayout {
        other: Some((Reading::IrpOfKernel, kept(of_kernel))),
        ..described(of.folder, "IRP", "IRP", &usual)
    }
}

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
