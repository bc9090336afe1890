// SPDX-License-Identifier: GPL-2.0

//! The registers of the ports of an R-Box, field by field. Values that have a
//! name are rows of the catalogue, see `sweep/events.rs`.

use crate::expect::DESTINATIONS;
use crate::prelude::*;

/// Registers of a port, the first of each pair of equals.
const IPERF: u8 = 0;
const QLX: u8 = 2;
const XBR: u8 = 4;

/// A field and its value.
type Value = (&'static str, u64);

pub(super) fn settings() -> Vec<Probe> {
    [iperf(), qlx(), packets(), flits()].concat()
}

/// Returns an event with these values: each seed has another port or another register of the
/// pair.
fn with(register: u8, seed: usize, values: &[Value]) -> Probe {
    let all: Vec<u8> = (0..4).flat_map(|port| [6 * port, 6 * port + 1]).collect();
    let code = register + all[seed % 8];
    let event = Probe::raw(BoxKind::Rbox, 0, Setting::event(code, 0));
    let values = values.iter();
    values.fold(event, |probe, (field, value)| probe.field(field, *value))
}

/// Each case on a port of its own.
fn on_ports(register: u8, cases: Vec<Vec<Value>>) -> Vec<Probe> {
    let cases = cases.into_iter().enumerate();
    let probes = cases.map(|(seed, values)| with(register, seed, &values));
    probes.collect()
}

/// Classes of packets on each network, and several events at once.
fn iperf() -> Vec<Probe> {
    let networks = [0, 1, 2, 3];
    let classes = [0x01, 0x14, 0x2b, 0x3f];
    let of_class =
        |class| networks.map(move |network| vec![("iperf_class", class), ("iperf_vn", network)]);
    let mut cases: Vec<Vec<Value>> = classes.into_iter().flat_map(of_class).collect();
    cases.extend((0..7).map(|bit| vec![("iperf_alloc", 1 << bit)]));
    cases.extend([
        vec![("iperf_alloc", 0x55)],
        vec![("iperf_eot", 3), ("iperf_inserts", 1)],
        vec![("iperf_eot", 8)],
        vec![("iperf_eot", 5), ("iperf_alloc", 0x7f)],
        vec![("iperf_eot", 1), ("iperf_class", 0x21), ("iperf_vn", 3)],
        vec![("iperf_cfg", 0xff01_0100)],
        vec![("iperf_cfg", 0xff0f_ffff)],
        vec![("iperf_cfg", 0x8000_0000)],
    ]);
    on_ports(IPERF, cases)
}

/// Each type of bid with some class and network, in either half.
fn qlx() -> Vec<Probe> {
    const FIELDS: [[&str; 3]; 2] = [
        ["qlx0_type", "qlx0_class", "qlx0_vn"],
        ["qlx1_type", "qlx1_class", "qlx1_vn"],
    ];
    let values = (0..22_usize).map(|seed| {
        let [kind, class, network] = FIELDS[seed % 2];
        let bid = [
            (kind, seed as u64 / 2),
            (class, seed as u64 * 3 % 8),
            (network, seed as u64 / 2 % 2),
        ];
        with(QLX, seed, &bid)
    });
    values.collect()
}

/// Values of each field of a packet that occur or do not, single bits, and several fields.
fn packets() -> Vec<Probe> {
    let destinations = DESTINATIONS.map(u64::from).into_iter();
    let fields: [([&'static str; 2], u32, Vec<u64>); 5] = [
        (["match_vn", "mask_vn"], 2, (0..4).collect()),
        (["match_opc", "mask_opc"], 4, (0..16).collect()),
        (["match_mc", "mask_mc"], 4, vec![0, 1, 2, 3, 4, 5, 0xc, 0xe]),
        (
            ["match_dnid", "mask_dnid"],
            5,
            destinations.chain([9, 30]).collect(),
        ),
        (["match_rds", "mask_rds"], 4, vec![0, 1, 2, 4, 8, 0xf]),
    ];
    let of_field = |([field, mask_field], width, values): ([&'static str; 2], u32, Vec<u64>)| {
        let whole = values
            .into_iter()
            .map(move |value| (value, (1 << width) - 1));
        let bits = (0..width).flat_map(|bit| [(0, 1 << bit), (1 << bit, 1 << bit)]);
        let settings = whole.chain(bits);
        settings.map(move |(value, mask)| vec![(field, value), (mask_field, mask)])
    };
    let mut cases: Vec<Vec<Value>> = fields.into_iter().flat_map(of_field).collect();
    let data = [("match_mc", 0xe), ("mask_mc", 0xf)];
    let more = [
        vec![("match_dnid", 31), ("mask_dnid", 0x1f)],
        vec![("match_vn", 2), ("mask_vn", 2)],
        vec![
            ("match_opc", 0),
            ("mask_opc", 0xc),
            ("match_rds", 4),
            ("mask_rds", 0xf),
        ],
        // They are never compared.
        vec![("match_rnid", 0x1f), ("mask_rnid", 0x1f)],
        vec![("match_30_18", 0x1), ("mask_30_18", 0x1fff)],
        vec![("match_2_0", 0x5), ("mask_2_0", 0x7)],
    ];
    cases.extend(more.map(|values| [&data[..], &values].concat()));
    cases.extend([
        Vec::new(),
        vec![
            ("xbr_match", 0x0008_0000_0000_1c00),
            ("xbr_mask", 0x000f_0000_0000_1fe0),
        ],
    ]);
    on_ports(XBR, cases)
}

/// Each flit of a packet, any flit, and a match that is off; bits 71:64 are never compared.
fn flits() -> Vec<Probe> {
    let snoops = [("match_mc", 0x3), ("mask_mc", 0xf)];
    let of_flit = |flit| vec![("xbr_en", 1), ("xbr_flit", flit)];
    let mut cases: Vec<Vec<Value>> = (0..16).map(of_flit).collect();
    cases.push([&of_flit(11)[..], &snoops].concat());
    cases.push(vec![("xbr_en", 1), ("xbr_any_flit", 1)]);
    cases.push([&[("xbr_en", 1), ("xbr_any_flit", 1)][..], &snoops].concat());
    cases.push(vec![("xbr_mm_cfg", 0x0021_ff00)]);
    cases.push(vec![("xbr_mm_cfg", 0x0021_00ff)]);
    cases.push(vec![("xbr_flit", 1)]);
    on_ports(XBR, cases)
}
