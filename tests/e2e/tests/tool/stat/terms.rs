// SPDX-License-Identifier: GPL-2.0

//! Translation of a metric's term to a probe of the machine.

use uncore_e2e::prelude::*;
use uncore_metrics::{Metric, Nodes, Term, Value};

const PACKETS: [PacketField; 7] = [
    PacketField::Vnw,
    PacketField::Opc,
    PacketField::Mc,
    PacketField::Dnid,
    PacketField::Rds,
    PacketField::Rnid4,
    PacketField::Rnid30,
];

/// Returns the probe that counts a term on a box of a package with these nodes.
pub(super) fn probe(
    metric: &Metric,
    term: &Term,
    kind: BoxKind,
    instance: u8,
    nodes: Nodes,
) -> Probe {
    let value = |field: &str| {
        let value: Option<&Value> = term.settings.get(field);
        value.map(|value| value.number(nodes).expect("a node"))
    };
    let number = |field: &str| value(field).unwrap_or(0);
    if term.event == "counter0_occupancy" {
        let all = metric.formula.terms();
        let source = all.into_iter().find(|other| other.event != term.event);
        let source = source.expect("an occupancy to look at");
        let source = probe(metric, source, kind, instance, nodes);
        return source
            .beside(small(number("thresh")), number("edge") == 1)
            .shows;
    }
    let mut probe = Probe::new(kind, instance, &term.event);
    for field in term.settings.keys() {
        let number = number(field);
        probe = match field.as_str() {
            "filter_opc" => probe.opc(small(number)),
            "filter_nid" => probe.nid(small(number)),
            "filter_state" => probe.state(small(number)),
            "filter_tid" if value("tid_en") == Some(1) => probe.tid(small(number)),
            "tid_en" if value("filter_tid").is_some() => probe,
            "thresh" => probe.thresh(small(number)),
            "edge" if number == 1 => probe.edge(),
            "umask" => {
                probe.setting.umask |= small::<u8>(number);
                probe
            }
            field => packet(probe, field, small(number)),
        };
    }
    probe
}

/// Adds a field of the packet match: its value, or the mask of the bits to compare.
fn packet(probe: Probe, field: &str, number: u32) -> Probe {
    let (part, name) = field.split_once('_').expect("a field known to the test");
    let known = PACKETS.into_iter().find(|packet| packet.place().0 == name);
    let known = known.expect("a field of the packet match");
    match part {
        "match" => probe.packet(known, number, 0),
        "mask" => probe.packet(known, 0, number),
        other => panic!("{other}"),
    }
}

fn small<T: TryFrom<u64>>(number: u64) -> T {
    T::try_from(number).ok().expect("a small number")
}
