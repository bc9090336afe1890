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
//! BDX: up to 24, MSRs 0xE00 + 0x10 * n, counters of 48 bits, a status register. It is
//! fused which ones exist. Seven states and six bits of thread in FILTER0; `invert`.
//! SPEC: WB_CREDITS of RxR_ISMQ_RETRY does not look at FILTER1.nid (B-10, a reading).
//!
//! The signals and conditions of each event: traffic.rst, "Transactions and
//! filters".

use super::prelude::*;
use super::{usual, LikeBdx, BDX_FIELDS, USUAL, USUAL_BDX};

/// `tid_en` of `CTLn`.
const TID_EN: u32 = 1 << 19;

pub(super) fn ivbep() -> BoxLayout {
    BoxLayout {
        fields: Fields {
            overflow_enable: 0,
            ..COMMON_FIELDS
        },
        global_bits: |instance, _| 1 << (3 + instance),
        select: |request| select(request, &FILTERS_IVBEP),
        lists,
        quirks: Quirks {
            shows_counter_0: true,
            ..USUAL.quirks
        },
        ..usual("CBO")
    }
}

pub(super) fn bdx(of: LikeBdx) -> BoxLayout {
    BoxLayout {
        fields: Fields {
            overflow_enable: 0,
            ..BDX_FIELDS
        },
        select: |request| select(request, &FILTERS_BDX),
        lists,
        quirks: Quirks {
            shows_counter_0: true,
            ..USUAL_BDX.quirks
        },
        ..of.usual("CBO")
    }
}

/// The filters of a platform.
struct Filters {
    /// The state of a line in a mask.
    state: fn(u32) -> Condition,
    /// The thread.
    thread: fn(&Request) -> Condition,
    /// The events beside LLC_LOOKUP, LLC_VICTIMS and TOR with [`NID`] for FILTER1.nid.
    by_node: &'static [u8],
}

const FILTERS_IVBEP: Filters = Filters {
    state: |filter0| Condition::state(filter0 >> 17 & 0x3f),
    thread: |request| Condition::thread(request.filters[0] & 0x1f),
    by_node: &[],
};

/// The events by node are the RxR_IPQ_RETRY2 to RxR_ISMQ_RETRY2, RxR_IRQ_RETRY and
/// RxR_ISMQ_RETRY.
const FILTERS_BDX: Filters = Filters {
    state: |filter0| Condition::state_of_seven(filter0 >> 17 & 0x7f),
    thread: thread_of_64,
    by_node: &[0x28, 0x29, 0x2a, 0x32, 0x33],
};

/// The caching agent function of C-Box n: 0ee0 + n at D12 for even, D13 for odd ones.
pub(crate) fn caching_agent(n: u8) -> Place {
    Place::uncore(12 + n % 2, n / 2, 0x0ee0 + u16::from(n))
}

/// BDX: 6fe0 + n at D12 to D14, eight on a device.
pub(crate) fn caching_agent_bdx(n: u8) -> Place {
    Place::uncore(12 + n / 8, n % 8, 0x6fe0 + u16::from(n))
}

const RXR_OCCUPANCY: u8 = 0x11;
const RXR_INSERTS: u8 = 0x13;
const RXR_ISMQ_RETRY: u8 = 0x33;
const LLC_LOOKUP: u8 = 0x34;
const TOR_INSERTS: u8 = 0x35;
const TOR_OCCUPANCY: u8 = 0x36;
const LLC_VICTIMS: u8 = 0x37;

/// The bits of M' in FILTER0 by another reading (U-6).
const MODIFIED: u32 = 1 << 22 | 1 << 20;

/// The sub-event IRQ_REJECTED of RxR_OCCUPANCY and RxR_INSERTS.
const REJECTED: u8 = 0x02;

/// The sub-event WB_CREDITS of RxR_ISMQ_RETRY.
const WB_CREDITS: u8 = 0x80;

/// The qualifier of LLC_LOOKUP, LLC_VICTIMS and the TOR events for FILTER1.nid.
const NID: u8 = 0x40;

fn select(request: &Request, filters: &Filters) -> Selection {
    if request.event.is_clock {
        return Selection::default();
    }
    let mut selection = select_by_umask(request);
    match request.select.code {
        LLC_LOOKUP => look_up(request, filters, &mut selection),
        LLC_VICTIMS => victims(request, &mut selection),
        TOR_INSERTS | TOR_OCCUPANCY => requests(request, &mut selection),
        code if filters.by_node.contains(&code) => retries(request, &mut selection),
        _ => {}
    }
    if request.control & TID_EN != 0 {
        let thread = (filters.thread)(request);
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
fn look_up(request: &Request, filters: &Filters, selection: &mut Selection) {
    if request.umask & 0x01 == 0 {
        selection.signals = 0;
    } else if selection.signals == 0 {
        selection.signals = request.event.signals;
    }
    let two_bits = request.readings.has(Reading::ModifiedIsTwoBits);
    let states = match request.filters[0] {
        value if two_bits && value & MODIFIED != MODIFIED => value & !(1 << 22),
        value => value,
    };
    selection.conditions.push((filters.state)(states));
    by_node(request, selection);
}

/// LLC_VICTIMS: the node bit alone means all states.
fn victims(request: &Request, selection: &mut Selection) {
    if request.umask & NID != 0 && selection.signals == 0 {
        selection.signals = 0x0f & request.event.signals;
    }
    by_node(request, selection);
}

/// Tells if FILTER0 has a link or FILTER1 `c6` (H-13); no request of this traffic has one.
fn has_link_or_c6(request: &Request) -> bool {
    request.filters[0] & 0x3c0 != 0 || request.filters[1] & 1 << 29 != 0
}

/// TOR_INSERTS and TOR_OCCUPANCY.
fn requests(request: &Request, selection: &mut Selection) {
    let filter1 = request.filters[1];
    let conditions = &mut selection.conditions;
    if request.umask & 0x01 != 0 {
        conditions.push(Condition::opcode(filter1 >> 20 & 0x1ff));
        if request.readings.has(Reading::OpcodesOfIrq) {
            conditions.push(Condition::of_irq());
        }
        if filter1 & 1 << 30 != 0 {
            conditions.push(Condition::non_coherent());
        }
        if request.readings.has(Reading::LinkFilters) && has_link_or_c6(request) {
            conditions.push(Condition::never());
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

/// The events RxR_*_RETRY and RxR_*_RETRY2 of BDX.
fn retries(request: &Request, selection: &mut Selection) {
    let has = |reading| request.readings.has(reading);
    let credits = request.select.code == RXR_ISMQ_RETRY
        && request.umask & WB_CREDITS != 0
        && has(Reading::CreditsOfNode);
    if credits {
        let nodes = request.filters[1] & 0xffff;
        selection.conditions.push(Condition::node(nodes));
    } else if !has(Reading::RetriesOfAll) {
        by_node(request, selection);
    }
}

/// BDX: requests of PCIe have thread 0x3E, or another one by a reading (B-11).
fn thread_of_64(request: &Request) -> Condition {
    let io = if request.readings.has(Reading::ThreadOfIo63) {
        0x3f
    } else if request.readings.has(Reading::ThreadOfIo30) {
        0x1e
    } else {
        0x3e
    };
    Condition::thread_of_64(request.filters[0] & 0x3f, io)
}

fn by_node(request: &Request, selection: &mut Selection) {
    if request.umask & NID != 0 {
        let nodes = request.filters[1] & 0xffff;
        selection.conditions.push(Condition::node(nodes));
    }
}
