// SPDX-License-Identifier: GPL-2.0

//! Every filter field of every box at every meaningful value. traffic.rst gives the values
//! of each field, and those that occur in the machine's traffic.

mod bbox;
mod cbox;
mod ha;
mod irp;
mod mbox;
mod pcu;
mod qpi;
mod rbox;
mod sbox;
mod ubox;

use crate::catalogue::BoxKind;
use crate::fixture::probe::Probe;
use crate::formats::field;

/// A type of box, a field of its filters, and events with each setting.
type OfKind = (BoxKind, &'static str, fn() -> Vec<Probe>);

const ALL: [OfKind; 11] = [
    (BoxKind::Ubox, "filter_cid", ubox::settings),
    (BoxKind::Cbox, "filter_link", cbox::ignored),
    (BoxKind::Cbox, "filter_nid", cbox::settings),
    (BoxKind::Ha, "filter_addr", ha::settings),
    (BoxKind::Irp, "set", irp::settings),
    (BoxKind::Pcu, "filter_band0", pcu::settings),
    (BoxKind::Qpi, "match_mc", qpi::settings),
    (BoxKind::Bbox, "match_addr", bbox::settings),
    (BoxKind::Rbox, "match_mc", rbox::settings),
    (BoxKind::Sbox, "match_mc", sbox::settings),
    (BoxKind::Mbox, "filter_match", mbox::settings),
];

/// Returns an event with each setting that the platform has.
pub fn settings() -> Vec<Probe> {
    let has = |(kind, name, _): &OfKind| kind.exists() && field(*kind, name).is_some();
    let own = ALL.into_iter().filter(has);
    own.flat_map(|(.., settings)| settings()).collect()
}

/// Returns the settings that depend on what a bit of a mask does, for a machine of
/// `reading=X-3:b`.
pub fn where_masks_compare() -> Vec<Probe> {
    [bbox::where_masks_compare(), mbox::where_masks_compare()].concat()
}
