// SPDX-License-Identifier: GPL-2.0

//! Worked examples of the page, and direct consequences of its sentences.

use super::*;
use crate::catalogue::PacketMatch;
use crate::platform::Platform;

const LLC_LOOKUP: u8 = 0x34;
const TOR_INSERTS: u8 = 0x35;
const LLC_VICTIMS: u8 = 0x37;
const MILLION: u64 = 1_000_000;

fn site(kind: BoxKind, instance: u8, package: u8) -> Site {
    Site {
        kind,
        instance,
        package,
        peer: peer(package, 2),
    }
}

const CBOX: Site = Site {
    kind: BoxKind::Cbox,
    instance: 2,
    package: 1,
    peer: 0,
};

fn cbox(setting: Setting) -> u64 {
    count(CBOX, &setting, MILLION)
}

fn filtered(event: u8, umask: u8, filter: Filter) -> Setting {
    Setting::event(event, umask).filtered(filter)
}

#[test]
fn the_example_of_the_cbox() {
    let filter = Filter {
        opc: 0x182,
        ..Filter::default()
    };
    assert_eq!(cbox(filtered(TOR_INSERTS, 0x03, filter)), 222);
}

#[test]
fn the_example_of_qpi() {
    let filter = Filter {
        packet: PacketMatch {
            match0: 0x1c00,
            mask0: 0x1fe0,
            match1: 0x8_0000,
            mask1: 0xf_0000,
        },
        ..Filter::default()
    };
    let setting = Setting::extended(0x38, 0).filtered(filter);
    assert_eq!(count(site(BoxKind::Qpi, 1, 0), &setting, MILLION), 520);
}

#[test]
fn the_example_of_the_home_agent() {
    let filter = Filter {
        address: 1 << 32,
        ..Filter::default()
    };
    let setting = filtered(0x20, 0x01, filter);
    assert_eq!(count(site(BoxKind::Ha, 0, 0), &setting, MILLION), 23_184);
}

#[test]
fn the_examples_of_the_pcu() {
    let filter = Filter {
        bands: [0, 0x1e, 0, 0],
        ..Filter::default()
    };
    let band = filtered(0x0c, 0, filter);
    assert_eq!(count(site(BoxKind::Pcu, 0, 1), &band, MILLION), 5520);

    let cores = |occ_invert, occ_edge| {
        let setting = Setting {
            thresh: 5,
            occ_invert,
            occ_edge,
            ..Setting::event(0x80, 0x40)
        };
        count(site(BoxKind::Pcu, 0, 0), &setting, MILLION)
    };
    assert_eq!(cores(false, false), 10_221);
    assert_eq!(cores(true, false), 323_112);
    assert_eq!(cores(true, true), 10_222);
    assert_eq!(cores(false, true), 10_221);
}

#[test]
fn the_examples_of_a_client() {
    Platform::Snb.on(|| {
        let count = |kind, instance, name| {
            let setting = Setting::row(Catalogue::get().named(kind, name));
            count(site(kind, instance, 0), &setting, MILLION)
        };
        assert_eq!(count(BoxKind::Cbox, 2, "cache_lookup.read_es"), 31_290);
        assert_eq!(count(BoxKind::Arb, 0, "trk_occupancy.all"), 885_484);
        let half_full = count(BoxKind::Arb, 0, "trk_occupancy.cycles_over_half_full");
        assert_eq!(half_full, 57_128);
    });
}

#[test]
fn clock_events_and_fixed_counters_count_cycles() {
    for (kind, code) in [
        (BoxKind::Ubox, 0x00),
        (BoxKind::Cbox, 0x00),
        (BoxKind::Ha, 0x00),
        (BoxKind::Imc, 0x00),
        (BoxKind::Irp, 0x00),
        (BoxKind::Pcu, 0x00),
        (BoxKind::Qpi, 0x14),
        (BoxKind::R2pcie, 0x01),
        (BoxKind::R3qpi, 0x01),
    ] {
        let count = |setting| count(site(kind, 0, 0), &setting, MILLION);
        assert_eq!(count(Setting::event(code, 0)), kind.cycles(MILLION));
        assert_eq!(count(Setting::fixed()), kind.cycles(MILLION));
    }
}

#[test]
fn a_clock_has_one_edge_and_no_second_event_in_a_cycle() {
    let clock = |thresh, edge| Setting {
        thresh,
        edge,
        ..Setting::event(0, 0)
    };
    assert_eq!(cbox(clock(1, false)), MILLION);
    assert_eq!(cbox(clock(1, true)), 1);
    assert_eq!(cbox(clock(2, false)), 0);
    assert_eq!(cbox(clock(2, true)), 0);
}

#[test]
fn in_two_to_the_26_cycles_a_signal_is_on_k_times() {
    let id = (0x39_u64 * 9 + 2) * 128;
    let k = (1 << 20) + id * 726_541 % (1 << 20);
    let first = site(BoxKind::Cbox, 0, 0);
    assert_eq!(count(first, &Setting::event(0x39, 4), 1 << 26), 3 * k);
}

#[test]
fn the_extended_select_is_another_event() {
    let port = site(BoxKind::Qpi, 0, 0);
    let id = (256_u64 * 9 + 1) * 128;
    let k = (1 << 20) + id * 726_541 % (1 << 20);
    let requests = Signal::new(port, Setting::extended(0x00, 0x02).select(), 1);
    assert_eq!(requests.rate(), k);
    let count = |setting| count(port, &setting, MILLION);
    let (data, requests) = (Setting::event(0, 2), Setting::extended(0, 2));
    assert_ne!(count(data), count(requests));
}

#[test]
fn every_signal_of_every_box_has_its_own_rate() {
    for kind in BoxKind::all() {
        let mut seen = std::collections::HashMap::new();
        let rows = Catalogue::get().of(kind).filter(|row| row.ext.is_some());
        // Without the events that count the traffic of the other end.
        for row in rows.filter(|row| !row.event.starts_with("RxL_FLITS_G")) {
            let setting = Setting::row(row);
            for instance in 0..15 {
                for package in 0..8 {
                    let signal = u8::try_from(row.umask.trailing_zeros()).expect("8 bits");
                    let signal =
                        Signal::new(site(kind, instance, package), setting.select(), signal);
                    let key = (
                        instance,
                        package,
                        setting.ext,
                        row.code,
                        row.umask.trailing_zeros(),
                    );
                    assert_eq!(*seen.entry(signal.rate()).or_insert(key), key, "{kind}");
                }
            }
        }
    }
}

#[test]
fn what_the_catalogue_lacks_counts_nothing() {
    for setting in [
        Setting::event(0x55, 0x01), // no such event
        Setting::event(0x39, 0x10), // no such sub-event
        Setting::event(0x39, 0x00), // needs a sub-event
        Setting::event(0x07, 0x01), // has no sub-event
        Setting::extended(0x39, 0x04),
        Setting::event(LLC_LOOKUP, 0x02),
        Setting::event(LLC_LOOKUP, 0x03), // no state selected
    ] {
        assert_eq!(cbox(setting), 0, "{setting:?}");
    }
}

#[test]
fn ubox_events_behind_the_undocumented_filter_count_nothing() {
    let ubox = site(BoxKind::Ubox, 0, 0);
    let count = |umask| count(ubox, &Setting::event(0x41, umask), MILLION);
    assert_eq!(count(0x01), 0);
    assert_eq!(count(0x04), 0);
    assert_ne!(count(0x02), 0);
    assert_eq!(count(0x0f), count(0x02) + count(0x08));
}

/// traffic.rst, "Without a filter".
#[test]
fn registers_that_nobody_set_have_their_say() {
    let count = |kind, setting| count(site(kind, 0, 0), &setting, MILLION);
    let home = |umask| count(BoxKind::Ha, Setting::event(0x20, umask));
    assert_eq!(home(0x01), 0, "no line is 0");
    let read = filtered(
        0x20,
        0x05,
        Filter {
            address: 0x40,
            ..Filter::default()
        },
    );
    assert!(
        home(0x02) > 0 && home(0x04) > count(BoxKind::Ha, read),
        "RdCur"
    );

    assert_eq!(
        count(BoxKind::Pcu, Setting::event(0x1e, 0)),
        0,
        "no reason is 0"
    );
    let signal = |kind, setting: Setting| Signal::new(site(kind, 0, 0), setting.select(), 8);
    let band = Setting::event(0x0b, 0);
    let rounds = BoxKind::Pcu.cycles(MILLION) / 32 + 1;
    let all = signal(BoxKind::Pcu, band).blocks(rounds) * 3;
    assert_eq!(count(BoxKind::Pcu, band), all, "every block");

    let packets = Setting::extended(0x38, 0);
    let rounds = BoxKind::Qpi.cycles(MILLION) / 32 + 1;
    let all = signal(BoxKind::Qpi, packets).blocks(rounds) * 4;
    assert_eq!(count(BoxKind::Qpi, packets), all, "every packet");
}

#[test]
fn sub_events_add_up() {
    let victims = |umask| cbox(Setting::event(LLC_VICTIMS, umask));
    let sum: u64 = [1, 2, 4, 8].into_iter().map(victims).sum();
    assert_eq!(victims(0x0f), sum);
    let any_node = Filter {
        nid: 0xffff,
        ..Filter::default()
    };
    assert_eq!(cbox(filtered(LLC_VICTIMS, 0x40, any_node)), sum);

    let cores = |umask| {
        count(
            site(BoxKind::Pcu, 0, 0),
            &Setting::event(0x80, umask),
            MILLION,
        )
    };
    assert_eq!(cores(0xc0), cores(0x40) + cores(0x80));
}

#[test]
fn home_agent_umasks_say_the_same_in_several_ways() {
    let filter = Filter {
        address: 0x1_0000_0040,
        home_opcode: 0x1d,
        ..Filter::default()
    };
    let agent = site(BoxKind::Ha, 1, 0);
    let count = |umask| count(agent, &filtered(0x20, umask, filter), 1 << 26);
    assert_eq!(count(0x06), count(0x04));
    assert_eq!(count(0x0c), count(0x04) + count(0x08));
    assert_eq!(count(0x02), count(0x04) + count(0x08) + count(0x10));
    assert_eq!(count(0x03), count(0x05) + count(0x09) + count(0x11));
    assert_eq!(count(0x00), 0);
}

#[test]
fn an_ordering_queue_alone_stands_for_all_requests() {
    let count = |umask| {
        count(
            site(BoxKind::Irp, 1, 0),
            &Setting::event(0x15, umask),
            MILLION,
        )
    };
    assert_eq!(count(0x08), count(0x09) + count(0x0a) + count(0x0c));
    assert!(count(0x09) < count(0x01));
}

#[test]
fn filters_split_the_traffic_without_remainder() {
    let lookup = |state| {
        let filter = Filter {
            state,
            ..Filter::default()
        };
        cbox(filtered(LLC_LOOKUP, 0x11, filter))
    };
    let states: u64 = (0..6).map(|bit| lookup(1 << bit)).sum();
    assert_eq!(states, lookup(0x3f));

    let opcode = |&opc| {
        let filter = Filter {
            opc,
            ..Filter::default()
        };
        cbox(filtered(TOR_INSERTS, 0x01, filter))
    };
    let sum: u64 = OPCODES.iter().chain(&[0x1ff]).map(opcode).sum();
    let requests = Signal::new(CBOX, Setting::event(TOR_INSERTS, 0x01).select(), 0);
    assert_eq!(sum, requests.blocks(MILLION / 32) * 3);

    let side = |umask| cbox(Setting::event(TOR_INSERTS, umask));
    assert_eq!(side(0x28) + side(0x88), side(0x08));
}

#[test]
fn packets_split_by_destination_without_remainder() {
    let port = site(BoxKind::Qpi, 2, 3);
    let to = |match0, mask0| {
        let packet = PacketMatch {
            match0,
            mask0,
            ..PacketMatch::default()
        };
        let filter = Filter {
            packet,
            ..Filter::default()
        };
        count(port, &Setting::extended(0x38, 0).filtered(filter), MILLION)
    };
    let nodes = DESTINATIONS.map(|node| to(u32::from(node) << 13, 0x3_e000));
    assert_eq!(nodes.iter().sum::<u64>(), to(0, 0));
    assert_eq!((0..4).map(|vn| to(vn << 3, 0x18)).sum::<u64>(), to(0, 0));
}

#[test]
fn threads_of_all_requests_add_up() {
    let thread = |tid| {
        let filter = Filter {
            tid,
            ..Filter::default()
        };
        cbox(filtered(0x13, 0x01, filter))
    };
    let sum: u64 = (0..32).map(|tid| thread(Some(tid))).sum();
    assert_eq!(sum, thread(None));
}

#[test]
fn a_port_receives_what_the_other_end_sends() {
    // The example of the page: DRS_DATA of port 1, umask 0x08.
    let drs_data = |event, site| {
        let setting = Setting::extended(event, 0x08);
        wave::Signal::new(site, setting.select(), 3)
    };
    let received = drs_data(0x02, site(BoxKind::Qpi, 1, 0));
    let sent = drs_data(0x00, site(BoxKind::Qpi, 1, 1));
    assert_eq!(received.rate(), sent.rate());
    let rate = |id: u64| (1 << 20) + id * 726_541 % (1 << 20);
    assert_eq!(received.rate(), rate(295_305));
    let alone = Site {
        peer: peer(0, 1),
        ..site(BoxKind::Qpi, 1, 0)
    };
    assert_eq!(drs_data(0x02, alone).rate(), rate(295_304));
}
