// SPDX-License-Identifier: GPL-2.0

//! The packet match of a QPI port, field by field; the packets that have a
//! name are rows of the catalogue, see `sweep/events.rs`.

use crate::catalogue::{BoxKind, Catalogue, PacketMatch};
use crate::expect::DESTINATIONS;
use crate::fixture::probe::{PacketField, Probe};

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
fn fields() -> [(PacketField, u32, Vec<u32>); 5] {
    let destinations = DESTINATIONS.map(u32::from).into_iter();
    [
        (PacketField::Vnw, 2, (0..4).collect()),
        (PacketField::Opc, 4, (0..16).collect()),
        (PacketField::Mc, 4, vec![0, 1, 2, 3, 4, 5, 0xc, 0xd, 0xe]),
        (PacketField::Dnid, 5, destinations.chain([9, 30]).collect()),
        (PacketField::Rds, 4, vec![0, 1, 2, 4, 8, 0xf]),
    ]
}

/// Several fields at once; the remote node ID is never compared.
fn combined() -> Vec<Probe> {
    let data = || Probe::qpi(0, "cto_count").packet(PacketField::Mc, 0xe, 0xf);
    let lines = data().packet(PacketField::Opc, 0, 0xc);
    vec![
        data().packet(PacketField::Dnid, 31, 0x1f),
        data().packet(PacketField::Vnw, 2, 2),
        lines.clone().packet(PacketField::Rds, 1, 0xf),
        lines.packet(PacketField::Rds, 4, 0xf).thresh(2),
        data().packet(PacketField::Rnid4, 1, 1),
        data().packet(PacketField::Rnid30, 5, 0xf),
        any_response().packet(PacketField::Dnid, 16, 0x1f),
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
fn of_class(name: &str, class: u32) -> Probe {
    if Catalogue::get().has(BoxKind::Qpi, name) {
        Probe::qpi(0, name)
    } else {
        Probe::qpi(0, "cto_count").packet(PacketField::Mc, class, 0xf)
    }
}

/// Filters by the names of the registers, as in the kernel's own driver: data of the
/// manual's `DRS_DataC_FROM_QPI_TO_NODEx`, and a state.
fn whole_registers() -> Vec<Probe> {
    let of_node = |node: u32| PacketMatch {
        match0: 0x1c00 | node << 13,
        mask0: 0x3_ff80,
        ..PacketMatch::default()
    };
    let forward = PacketMatch {
        match0: 0x1c00,
        mask0: 0x1fe0,
        match1: 0x1_0000,
        mask1: 0xf_0000,
    };
    let all = [of_node(0), of_node(1), of_node(16), forward];
    all.map(|packet| Probe::qpi(0, "cto_count").packet_words(packet))
        .into()
}
