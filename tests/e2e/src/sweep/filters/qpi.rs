// SPDX-License-Identifier: GPL-2.0

//! The packet match of a QPI port, field by field; the packets that have a
//! name are rows of the catalogue, see `sweep/events.rs`.

use crate::catalogue::{BoxKind, Catalogue};
use crate::expect::DESTINATIONS;
use crate::fixture::probe::Probe;

pub(super) fn settings() -> Vec<Probe> {
    let packets = || Probe::qpi(0, "cto_count");
    let mut settings = vec![packets(), packets().thresh(2), packets().thresh(1).edge()];
    for (field, width, values) in fields() {
        let all = (1 << width) - 1;
        let whole = values.into_iter().map(|value| (value, all));
        let bits = (0..width).flat_map(|bit| [(0, 1 << bit), (1 << bit, 1 << bit)]);
        let of_field = whole.chain(bits);
        settings.extend(of_field.map(|(value, mask)| packets().packet(field, value, mask)));
    }
    settings.extend(combined());
    settings.extend(whole_registers());
    settings
}

/// Each field with its width and values that occur, or that do not.
fn fields() -> [(&'static str, u32, Vec<u64>); 5] {
    let destinations = DESTINATIONS.map(u64::from).into_iter();
    [
        ("vnw", 2, (0..4).collect()),
        ("opc", 4, (0..16).collect()),
        ("mc", 4, vec![0, 1, 2, 3, 4, 5, 0xc, 0xd, 0xe]),
        ("dnid", 5, destinations.chain([9, 30]).collect()),
        ("rds", 4, vec![0, 1, 2, 4, 8, 0xf]),
    ]
}

/// Several fields at once; the remote node ID is never compared.
fn combined() -> Vec<Probe> {
    let data = || Probe::qpi(0, "cto_count").packet("mc", 0xe, 0xf);
    let lines = data().packet("opc", 0, 0xc);
    vec![
        data().packet("dnid", 31, 0x1f),
        data().packet("vnw", 2, 2),
        lines.clone().packet("rds", 1, 0xf),
        lines.packet("rds", 4, 0xf).thresh(2),
        data().packet("rnid4", 1, 1),
        data().packet("rnid30", 5, 0xf),
        any_response().packet("dnid", 16, 0x1f),
        any_snoop().thresh(1).edge(),
    ]
}

/// DRS messages.
fn any_response() -> Probe {
    of_class("message.drs.anyresp", 0xe)
}

fn any_snoop() -> Probe {
    of_class("message.snp.anysnp", 0x3)
}

/// Messages of a class, by the name that a platform may have for them.
fn of_class(name: &str, class: u64) -> Probe {
    if Catalogue::get().has(BoxKind::Qpi, name) {
        Probe::qpi(0, name)
    } else {
        Probe::qpi(0, "cto_count").packet("mc", class, 0xf)
    }
}

/// Filters by the names of the registers, as in the kernel's own driver: data of the
/// manual's `DRS_DataC_FROM_QPI_TO_NODEx`, and a state.
fn whole_registers() -> Vec<Probe> {
    let of_registers = |match0, mask0| {
        let packets = Probe::qpi(0, "cto_count");
        packets.field("match0", match0).field("mask0", mask0)
    };
    let of_node = |node: u64| of_registers(0x1c00 | node << 13, 0x3_ff80);
    let forward = of_registers(0x1c00, 0x1fe0);
    let forward = forward.field("match1", 0x1_0000).field("mask1", 0xf_0000);
    vec![of_node(0), of_node(1), of_node(16), forward]
}
