// SPDX-License-Identifier: GPL-2.0

//! The filter of the UBox: a thread and a core.

use crate::fixture::probe::Probe;

pub(super) fn settings() -> Vec<Probe> {
    let names = ["event_msg.doorbell_rcvd", "filter_match.u2c_enable"];
    let of_name = |name| {
        let threads = (0..64).step_by(3).map(|thread| (thread & 1, thread >> 1));
        threads.map(move |(thread, core)| {
            let probe = Probe::ubox(name).field("filter_tid", thread);
            probe.field("filter_cid", core)
        })
    };
    names.into_iter().flat_map(of_name).collect()
}
