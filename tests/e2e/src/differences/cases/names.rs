// SPDX-License-Identifier: GPL-2.0

//! Event names that perf itself has for more than one platform. They belong to perf and not to
//! the driver; but a driver can refuse an event whose name leaves out a part that it
//! needs.

use super::super::{Case, Machine};
use super::common::refused;

pub(crate) const HOM_REQ: Case = Case {
    question: "perf's own event unc_q_txl_flits_g1.hom_req, from which perf leaves out the \
               extended select",
    machine: Machine::Usual,
    right: refused,
    ask: |asked| asked.perf_event("unc_q_txl_flits_g1.hom_req", "unc_q_txl_flits_g1.hom_req"),
};

pub(crate) const TOR_OPCODE: Case = Case {
    question: "perf's own event unc_c_tor_inserts.opcode, which names no opcode",
    machine: Machine::Usual,
    right: refused,
    ask: |asked| asked.perf_event("unc_c_tor_inserts.opcode", "unc_c_tor_inserts.opcode"),
};
