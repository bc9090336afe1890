// SPDX-License-Identifier: GPL-2.0

//! The closed form of `expect.rs` agrees with the cycle-by-cycle reading of the same page
//! (`uncore-definition`) everywhere.

use super::{all_states, count, Filter, Setting, Site, LINES, OPCODES};
use crate::catalogue::{BoxKind, Catalogue, PacketMatch};
use crate::formats::value;
use crate::platform::{Platform, Processor};
use crate::sweep::filters::{settings, where_masks_compare};
use uncore_definition as definition;

/// Returns the setting in the form of the definition, on a counter that can count the
/// event.
fn defined(site: Site, setting: &Setting) -> definition::Setting {
    let facts = Catalogue::get().facts(site.kind, setting.ext, setting.event);
    let counter = facts.expect("an event").counters.trailing_zeros() as usize;
    let is_irp = site.kind == BoxKind::Irp;
    let filter = &setting.filter;
    let bit = |set: bool, place: u32| u64::from(set) << place;
    let packet = filter.packet;
    let filters = match site.kind {
        BoxKind::Cbox => [
            u64::from(filter.tid.unwrap_or(0)) | u64::from(filter.state) << 17,
            u64::from(filter.nid)
                | u64::from(filter.opc) << 20
                | bit(filter.nc, 30)
                | bit(filter.isoc, 31),
            0,
            0,
        ],
        BoxKind::Ha => [
            filter.address & 0xffff_ffff,
            filter.address >> 32,
            filter.home_opcode.into(),
            0,
        ],
        // The definition's mask ignores.
        BoxKind::Bbox if filter.mask_compares => [filter.config1, !filter.config2, 0, 0],
        BoxKind::Bbox => [filter.config1, filter.config2, 0, 0],
        BoxKind::Mbox => {
            let words = [0, filter.config1, filter.config2];
            let value = |name| value(BoxKind::Mbox, name, &words);
            let address = value("filter_match") | value("filter_cfg_en") << 63;
            let mask = value("filter_mask");
            let mask = if filter.mask_compares { !mask } else { mask };
            [value("iss"), value("pld"), address, mask]
        }
        // The driver's 0 stands for the usual value.
        BoxKind::Rbox => {
            let mm_cfg = if filter.mm_cfg == 0 {
                0x21_0000
            } else {
                filter.mm_cfg
            };
            [filter.config1, filter.config2, mm_cfg.into(), 0]
        }
        BoxKind::Qpi => [packet.match0, packet.match1, packet.mask0, packet.mask1].map(u64::from),
        _ => [u32::from_le_bytes(filter.bands).into(), 0, 0, 0],
    };
    definition::Setting {
        kind: site.kind.column(),
        package: site.package.into(),
        peer: site.peer.into(),
        instance: if is_irp { 0 } else { site.instance.into() },
        counter: counter
            + if is_irp {
                2 * usize::from(site.instance)
            } else {
                0
            },
        ext: setting.ext,
        code: match site.kind {
            // The counter is above.
            BoxKind::Bbox => setting.event & 0x1f,
            _ => setting.event,
        },
        umask: setting.umask,
        platform: match Processor::current() {
            Processor::Ivbep => definition::Platform::Ivbep,
            Processor::Bdx | Processor::BdxDe => definition::Platform::Bdx,
            Processor::Snb => definition::Platform::Snb,
            Processor::Nhmex => definition::Platform::Nhmex,
            Processor::Wsmex => definition::Platform::Wsmex,
        },
        thresh: setting.thresh.into(),
        edge: setting.edge,
        invert: setting.invert,
        tid_en: filter.tid.is_some(),
        occ_invert: setting.occ_invert,
        occ_edge: setting.occ_edge,
        filters,
        ..definition::PLAIN
    }
}

fn small(number: usize) -> u8 {
    u8::try_from(number).expect("8 bits")
}

/// Bursts that end at every place of a round, and one of some length.
const BURSTS: [u64; 8] = [0, 1, 2, 35, 64, 1001, 2047, 6_000];

fn agrees(site: Site, setting: Setting) {
    let platform = Platform::current();
    let cycles = BURSTS.map(|uclk| match (site.kind, platform) {
        (BoxKind::Imc, _) => uclk * 7 / 18,
        (BoxKind::Qpi, Platform::Ivbep) => uclk * 5 / 12,
        (BoxKind::Qpi, _) => uclk * 5 / 6,
        (BoxKind::Pcu, _) => uclk / 3,
        _ => uclk,
    });
    let rows = match Processor::current() {
        Processor::Ivbep => uncore_catalogue::rows(),
        Processor::Bdx | Processor::BdxDe => uncore_catalogue::bdx_rows(),
        Processor::Snb => uncore_catalogue::snb_rows(),
        Processor::Nhmex => uncore_catalogue::nhmex_rows(),
        Processor::Wsmex => uncore_catalogue::wsmex_rows(),
    };
    let expected = definition::counts(rows, &defined(site, &setting), &cycles);
    let closed = BURSTS.map(|uclk| count(site, &setting, uclk));
    assert_eq!(closed[..], expected, "{site:?} {setting:?}");
}

/// Returns a box of the type, another for each seed.
fn site(kind: BoxKind, seed: usize) -> Site {
    let instances = match kind {
        BoxKind::Ubox | BoxKind::Pcu | BoxKind::R2pcie | BoxKind::Arb | BoxKind::Wbox => 1,
        BoxKind::Ha | BoxKind::Irp | BoxKind::Bbox | BoxKind::Mbox | BoxKind::Rbox => 2,
        BoxKind::Qpi | BoxKind::R3qpi => 3,
        BoxKind::Sbox => 4,
        BoxKind::Imc => 8,
        BoxKind::Cbox => match Processor::current() {
            Processor::Ivbep => 15,
            Processor::Bdx | Processor::BdxDe => 24,
            Processor::Snb => 4,
            Processor::Nhmex => 8,
            Processor::Wsmex => 10,
        },
    };
    let package = small(seed / instances % 8);
    Site {
        kind,
        instance: small(seed % instances),
        package,
        peer: package ^ 1,
    }
}

/// Makes a comparison on every processor.
fn on_each(compare: impl Fn()) {
    for processor in Processor::ALL {
        processor.on(&compare);
    }
}

/// Makes a comparison on both Xeons.
fn on_xeons(compare: impl Fn()) {
    for platform in [Platform::Ivbep, Platform::Bdx] {
        platform.on(&compare);
    }
}

#[test]
fn every_row_of_the_catalogue_agrees() {
    on_each(every_row);
}

fn every_row() {
    for kind in BoxKind::all() {
        let rows = Catalogue::get().of(kind);
        // COUNTER0_OCCUPANCY counts what another counter selects.
        let rows = rows.filter(|row| !row.is_clock() && row.name().is_some());
        let rows = rows.filter(|row| !row.needs.occupancy);
        for (seed, row) in rows.enumerate() {
            let preset = row.needs.preset;
            let filter = Filter {
                state: all_states(),
                nid: 0x00f0,
                opc: preset.opc.unwrap_or(OPCODES[seed % 21]),
                nc: preset.nc,
                tid: preset.tid,
                address: LINES[seed % 8],
                home_opcode: 0x38,
                bands: [0x10, 20, 30, 34],
                packet: row.needs.packet.unwrap_or_default(),
                config1: preset.config1(kind),
                config2: match kind {
                    BoxKind::Mbox => 0,
                    BoxKind::Rbox => preset.mask,
                    // The definition has no such filters: all packets.
                    _ => 0x7f_ffff_ffff,
                },
                ..Filter::default()
            };
            agrees(site(kind, seed), Setting::row(row).filtered(filter));
        }
    }
}

#[test]
fn thresholds_and_edges_agree() {
    for (seed, (kind, setting)) in [
        (BoxKind::Cbox, Setting::event(0x11, 1)),
        (BoxKind::Cbox, Setting::event(0x36, 8)),
        (BoxKind::Cbox, Setting::event(0x36, 0x1c)),
        (BoxKind::Cbox, Setting::event(0x34, 0x11)),
        (BoxKind::Cbox, Setting::event(0x02, 0x7f)),
        (BoxKind::Ha, Setting::event(0x43, 0x3f)),
        (BoxKind::Irp, Setting::event(0x10, 0x03)),
        (BoxKind::Qpi, Setting::extended(0x22, 0x01)),
        (BoxKind::R3qpi, Setting::event(0x13, 0x3f)),
    ]
    .into_iter()
    .enumerate()
    {
        for thresh in [0, 1, 2, 9, 10, 11, 19, 20, 21, 28, 128, 255] {
            for edge in [false, true] {
                let filter = Filter {
                    state: 0x2a,
                    ..Filter::default()
                };
                let setting = Setting {
                    thresh,
                    edge,
                    ..setting.filtered(filter)
                };
                agrees(site(kind, seed), setting);
            }
        }
    }
}

#[test]
fn occupancies_of_the_pcu_agree_inverted_and_at_edges() {
    for umask in [0x40, 0x80, 0xc0] {
        for thresh in [1, 2, 4, 5, 8, 9, 31] {
            for (edge, occ_edge, occ_invert) in [
                (false, false, true),
                (false, true, false),
                (false, true, true),
                (true, false, true),
                (true, true, true),
            ] {
                let setting = Setting {
                    thresh,
                    edge,
                    occ_invert,
                    occ_edge,
                    ..Setting::event(0x80, umask)
                };
                agrees(site(BoxKind::Pcu, usize::from(thresh)), setting);
            }
        }
    }
}

#[test]
fn cbox_filters_agree_in_all_combinations() {
    on_xeons(cbox_filters);
}

fn cbox_filters() {
    let (threads, states, retries): (_, _, &[u8]) = match Platform::current() {
        Platform::Bdx => (64, 7, &[0x28, 0x29, 0x2a, 0x32, 0x33]),
        _ => (32, 6, &[]),
    };
    let mut seed = 0;
    for umask in 0..=255_u8 {
        for &event in [0x34, 0x35, 0x37].iter().chain(retries) {
            seed += 1;
            let filter = Filter {
                tid: (seed % 3 == 0).then_some(small(seed % threads)),
                state: 1 << (seed % states),
                nid: 1 << (seed % 16) | 0x8000,
                opc: OPCODES[(seed * 5) % 21],
                nc: seed % 5 == 0,
                isoc: seed % 7 == 0,
                ..Filter::default()
            };
            let setting = Setting::event(event, umask).filtered(filter);
            agrees(site(BoxKind::Cbox, seed), setting);
        }
    }
}

#[test]
fn home_agent_and_irp_agree_under_any_umask() {
    on_xeons(any_umask);
}

fn any_umask() {
    for umask in 0..128_u8 {
        let seed = usize::from(umask);
        let filter = Filter {
            address: LINES[7 - seed % 3] | 0x15,
            home_opcode: [0x3f, 0x1e, 0x3a][seed % 3],
            ..Filter::default()
        };
        let home = Setting::event(0x20, umask).filtered(filter);
        agrees(site(BoxKind::Ha, seed), home);
        // TRANSACTIONS of one platform, then SNOOP_RESP and TRANSACTIONS of the other.
        let codes: &[u8] = match Platform::current() {
            Platform::Bdx => &[0x16, 0x17],
            _ => &[0x15],
        };
        for &code in codes {
            agrees(site(BoxKind::Irp, seed), Setting::event(code, umask));
        }
    }
}

#[test]
fn packets_agree_under_any_mask() {
    on_xeons(any_mask);
}

fn any_mask() {
    for seed in 0..300_usize {
        let random = (u32::try_from(seed).expect("small") + 1).wrapping_mul(0x9e37_79b9);
        let packet = PacketMatch {
            match0: [0x1c00, 0x3_f318, 0x0600, 0xffff_ffff][seed % 4],
            mask0: random >> 14 & [0x3_ffff, 0x1fe0, 0x3_e018][seed % 3],
            match1: [0x4_0000, 0x0000, 0xf_000f][seed % 3],
            mask1: random << 8 & [0, 0xf_000f][seed % 2],
        };
        let filter = Filter {
            packet,
            ..Filter::default()
        };
        let setting = Setting::extended(0x38, 0).filtered(filter);
        agrees(site(BoxKind::Qpi, seed), setting);
    }
}

#[test]
fn bands_and_demotions_agree_for_any_value() {
    for value in 0..=255_u8 {
        let filter = Filter {
            bands: [value, value.rotate_left(3), value / 7, 255 - value],
            ..Filter::default()
        };
        for (seed, event) in [0x0b, 0x0c, 0x0d, 0x0e, 0x1e, 0x25, 0x40, 0x46]
            .into_iter()
            .enumerate()
        {
            let setting = Setting::event(event, 0).filtered(filter);
            agrees(site(BoxKind::Pcu, seed), setting);
        }
    }
}

#[test]
fn registers_of_b_m_and_r_boxes_agree() {
    let compare = || {
        for (kind, least) in [
            (BoxKind::Bbox, 100),
            (BoxKind::Mbox, 120),
            (BoxKind::Rbox, 120),
        ] {
            let settings = settings().into_iter();
            let other_sense = where_masks_compare();
            let of_kind = settings.chain(other_sense);
            let of_kind = of_kind.filter(|probe| probe.kind == kind);
            let count = of_kind.enumerate().map(|(seed, probe)| {
                agrees(site(probe.kind, seed), probe.setting);
            });
            assert!(count.count() > least, "{kind}");
        }
    };
    for processor in [Processor::Nhmex, Processor::Wsmex] {
        processor.on(compare);
    }
}

#[test]
fn thresholds_of_broadwell_agree_inverted_and_at_edges() {
    Platform::Bdx.on(inverted);
}

fn inverted() {
    let mut seed = 0;
    for (kind, setting) in [
        (BoxKind::Cbox, Setting::event(0x00, 0)),
        (BoxKind::Cbox, Setting::event(0x11, 1)),
        (BoxKind::Cbox, Setting::event(0x34, 0x11)),
        (BoxKind::Cbox, Setting::event(0x36, 0x0a)),
        (BoxKind::Sbox, Setting::event(0x11, 0x03)),
        (BoxKind::Ha, Setting::event(0x43, 0)),
        (BoxKind::Imc, Setting::event(0xb0, 0)),
        (BoxKind::Imc, Setting::event(0xb0, 0x0d)),
        (BoxKind::Irp, Setting::event(0x12, 0x03)),
        (BoxKind::Pcu, Setting::event(0x80, 0xc0)),
        (BoxKind::Qpi, Setting::extended(0x38, 0)),
        (BoxKind::R3qpi, Setting::event(0x07, 0x0f)),
        (BoxKind::Ubox, Setting::event(0x41, 0x05)),
    ] {
        for thresh in [1, 2, 3, 11, 20, 24, 64, 255] {
            for edge in [false, true] {
                seed += 1;
                let filter = Filter {
                    state: 0x58,
                    ..Filter::default()
                };
                let setting = Setting {
                    thresh,
                    edge,
                    invert: true,
                    ..setting.filtered(filter)
                };
                agrees(site(kind, seed), setting);
            }
        }
    }
}

#[test]
fn a_client_agrees_under_any_umask_and_threshold() {
    Platform::Snb.on(client);
}

fn client() {
    for umask in 0..=255_u8 {
        for event in [0x22, 0x34] {
            agrees(
                site(BoxKind::Cbox, umask.into()),
                Setting::event(event, umask),
            );
        }
    }
    let settings = [
        (BoxKind::Cbox, Setting::event(0x34, 0x96)),
        (BoxKind::Cbox, Setting::event(0x22, 0x6c)),
        (BoxKind::Arb, Setting::event(0x80, 0x01)),
        (BoxKind::Arb, Setting::event(0x83, 0x01)),
        (BoxKind::Arb, Setting::event(0x81, 0xa1)),
    ];
    for (kind, setting) in settings {
        for thresh in [0, 1, 2, 9, 10, 11, 20, 21, 31] {
            for (edge, invert) in [(false, false), (false, true), (true, false), (true, true)] {
                let setting = Setting {
                    thresh,
                    edge,
                    invert,
                    ..setting
                };
                agrees(site(kind, thresh.into()), setting);
            }
        }
    }
}
