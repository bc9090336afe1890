// SPDX-License-Identifier: GPL-2.0

//! C-Box: up to 15 per package, four counters of 44 bits;
//! Documentation/hardware/ivbep.rst section 7.2.
//!
//! MSRs 0xD00 + 0x20 * n. No `ov_en` (U-1) and no documented status register
//! (U-2); FILTER0 and FILTER1 serve all four counters.
//! Glossary: LLC last-level cache, TOR table of outstanding requests, NID node ID,
//! TID thread ID, opc opcode of a core's request, nc non-coherent, isoc isochronous.
//!
//! Oddities: 0x11 and 0x36 (occupancies) on counter 0 only, other counters see
//! them through 0x1F; umask bits of 0x34 to 0x37 that only set a condition.
//! The signals and conditions of each event: traffic.rst, "Transactions and
//! filters".

use super::prelude::*;
use super::{control, filter, BOX_CTL_RESERVED, USUAL};

/// `tid_en` of `CTLn`.
const TID_EN: u32 = 1 << 19;

/// SPEC: U-7, the access type of tid is misprinted; taken as RW.
const FILTER0: Word = filter("BOX_FILTER", 0x007e_001f, 0xff81_ffe0);

/// SPEC: bit 15 belongs to nid (U-5).
const FILTER1: Word = Word {
    reserved: 0x000f_0000,
    ..filter("BOX_FILTER1", 0xdff0_ffff, 0x2000_0000)
};

pub(super) const IVBEP: BoxLayout = BoxLayout {
    name: "cbox",
    kind: BoxType::Cbox,
    access: Access::Msr {
        base: 0xd00,
        stride: 0x20,
        present: Present::Cboxes,
    },
    width: 44,
    control: control(0xff4c_ffff, 0x00b1_0000),
    fields: Fields {
        has_ov_en: false,
        ..COMMON_FIELDS
    },
    box_control: Some(BOX_CTL_RESERVED),
    status_first: 0,
    global_bits: |instance, _| 1 << (3 + instance),
    filters: &[FILTER0, FILTER1],
    registers: &[
        (0x16, Register::Counter(0)),
        (0x17, Register::Counter(1)),
        (0x18, Register::Counter(2)),
        (0x19, Register::Counter(3)),
        (0x10, Register::Control(0)),
        (0x11, Register::Control(1)),
        (0x12, Register::Control(2)),
        (0x13, Register::Control(3)),
        (0x04, Register::BoxControl),
        (0x14, Register::Filter(0)),
        (0x1a, Register::Filter(1)),
    ],
    blocks: &[(0x00, 0x1f)],
    silent: &[0x15],
    select,
    lists,
    ..USUAL
};

/// The caching agent function of C-Box n: 0ee0 + n at D12 for even, D13 for odd ones.
pub(crate) fn caching_agent(n: u8) -> Place {
    Place::uncore(12 + n % 2, n / 2, 0x0ee0 + u16::from(n))
}

const RXR_OCCUPANCY: u8 = 0x11;
const RXR_INSERTS: u8 = 0x13;
const LLC_LOOKUP: u8 = 0x34;
const TOR_INSERTS: u8 = 0x35;
const TOR_OCCUPANCY: u8 = 0x36;
const LLC_VICTIMS: u8 = 0x37;

/// The sub-event IRQ_REJECTED of RxR_OCCUPANCY and RxR_INSERTS.
const REJECTED: u8 = 0x02;

/// The qualifier of LLC_LOOKUP, LLC_VICTIMS and the TOR events for FILTER1.nid.
const NID: u8 = 0x40;

fn select(request: &Request) -> Selection {
    if request.event.is_clock {
        return Selection::default();
    }
    let mut selection = select_by_umask(request);
    match request.select.code {
        LLC_LOOKUP => look_up(request, &mut selection),
        LLC_VICTIMS => victims(request, &mut selection),
        TOR_INSERTS | TOR_OCCUPANCY => requests(request, &mut selection),
        _ => {}
    }
    if request.control & TID_EN != 0 {
        let thread = Condition::thread(request.filters[0] & 0x1f);
        selection.conditions.push(thread);
    }
    selection
}

/// The sub-events that must not be combined (Documentation/hardware/ivbep.rst
/// section 7.2): TOR as printed only, rejected requests alone, LLC_LOOKUP
/// always with bit 0 and one bit more.
fn lists(event: &Event, select: EventSelect, umask: u8) -> bool {
    match (select.code, umask) {
        (TOR_INSERTS | TOR_OCCUPANCY, _) => event.prints(umask),
        (RXR_OCCUPANCY | RXR_INSERTS, umask) if umask & REJECTED != 0 => umask == REJECTED,
        (LLC_LOOKUP, umask) => event.lists(umask) && umask & 1 == 1 && umask != 1,
        _ => event.lists(umask),
    }
}

/// LLC_LOOKUP: bit 0 must be set, no request type means all.
fn look_up(request: &Request, selection: &mut Selection) {
    if request.umask & 0x01 == 0 {
        selection.signals = 0;
    } else if request.umask & 0x1e == 0 {
        selection.signals = 0x1e & request.event.signals;
    }
    let states = request.filters[0] >> 17 & 0x3f;
    selection.conditions.push(Condition::state(states));
    by_node(request, selection);
}

/// LLC_VICTIMS: the node bit alone means all states.
fn victims(request: &Request, selection: &mut Selection) {
    if request.umask & 0x4f == NID {
        selection.signals = 0x0f & request.event.signals;
    }
    by_node(request, selection);
}

/// TOR_INSERTS and TOR_OCCUPANCY.
fn requests(request: &Request, selection: &mut Selection) {
    let filter1 = request.filters[1];
    let conditions = &mut selection.conditions;
    if request.umask & 0x01 != 0 {
        conditions.push(Condition::opcode(filter1 >> 20 & 0x1ff));
        if filter1 & 1 << 30 != 0 {
            conditions.push(Condition::non_coherent());
        }
        if filter1 & 1 << 31 != 0 {
            conditions.push(Condition::isochronous());
        }
    }
    if request.umask & 0x02 != 0 {
        conditions.push(Condition::miss());
    }
    if request.umask & 0x20 != 0 {
        conditions.push(Condition::local(true));
    }
    if request.umask & 0x80 != 0 {
        conditions.push(Condition::local(false));
    }
    by_node(request, selection);
}

fn by_node(request: &Request, selection: &mut Selection) {
    if request.umask & NID != 0 {
        let nodes = request.filters[1] & 0xffff;
        selection.conditions.push(Condition::node(nodes));
    }
}
