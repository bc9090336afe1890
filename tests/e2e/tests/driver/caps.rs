// SPDX-License-Identifier: GPL-2.0

//! Properties of the box that each PMU shows: the folder `caps` and the file `identifier`
//! (Documentation/ABI/testing/sysfs-bus-event_source-devices-uncore_rs).

use crate::driver::usual_machine;
use std::collections::BTreeMap;
use uncore_e2e::formats::{bits, fields};
use uncore_e2e::platform::Msrs;
use uncore_e2e::prelude::*;

platforms!(; e5 client);

/// Returns every file of `caps` with its content.
fn caps(session: &mut Session, pmu: &str) -> BTreeMap<String, String> {
    let lines = session.ok(&format!("cd {DEVICES}/{pmu}/caps && grep -sH '' *"));
    let split = |line: &str| {
        let (name, content) = line.split_once(':').expect("a file and a line");
        (name.to_owned(), content.to_owned())
    };
    lines.lines().map(split).collect()
}

/// General counters of a PMU; that of the IRP has both sets.
fn counters(kind: BoxKind) -> u8 {
    match kind {
        BoxKind::Irp => 4,
        _ => kind.counters(),
    }
}

fn fixed_counters(kind: BoxKind) -> u8 {
    match kind {
        BoxKind::Pcu => 2, // the residencies
        BoxKind::Qpi => u8::try_from(Link::all().len()).expect("few"),
        _ => kind.has_fixed().into(),
    }
}

fn has_filters(kind: BoxKind) -> bool {
    fields(kind).into_iter().any(|field| bits(field).0 > 0)
}

/// Returns the places of a function in both packages.
fn places(kind: BoxKind, function: &str) -> String {
    let buses = match kind {
        BoxKind::Irp => ["00", "80"],
        _ => ["7f", "ff"],
    };
    buses.map(|bus| format!("0000:{bus}:{function}")).join(",")
}

fn msrs(kind: BoxKind) -> Msrs {
    match (Platform::current(), kind) {
        (Platform::Ivbep, BoxKind::Cbox) => Msrs::Stride(0xd00, 0x20),
        (Platform::Bdx, BoxKind::Cbox) => Msrs::Stride(0xe00, 0x10),
        (Platform::Bdx, BoxKind::Sbox) => Msrs::Stride(0x720, 0x0a),
        (Platform::Bdx, _) => Msrs::Among("msr:0x7"),
        (Platform::Ivbep, _) => Msrs::Among("msr:0xc"),
        (platform, kind) => (platform.asked().msrs)(kind),
    }
}

#[test]
fn counters_and_widths_are_those_of_the_box() {
    on(&usual_machine(), |session| {
        for (kind, instance) in Shape::of(&usual_machine()).pmus() {
            let pmu = kind.pmu(instance);
            let caps = caps(session, &pmu);
            for (name, value) in [
                ("counters", counters(kind).to_string()),
                ("width", kind.width().to_string()),
                ("fixed_counters", fixed_counters(kind).to_string()),
            ] {
                assert_eq!(caps.get(name), Some(&value), "{pmu}/caps/{name}");
            }
        }
    });
}

#[test]
fn locations_are_those_of_the_registers() {
    on(&usual_machine(), |session| {
        for (kind, instance) in Shape::of(&usual_machine()).pmus() {
            let pmu = kind.pmu(instance);
            let location = caps(session, &pmu).remove("location").unwrap_or_default();
            match (kind, kind.function(instance)) {
                (_, Some(function)) => assert_eq!(location, places(kind, function), "{pmu}"),
                (_, None) => match msrs(kind) {
                    Msrs::Stride(base, stride) => {
                        let base = base + stride * u32::from(instance);
                        let each = Platform::packages().iter();
                        let each: Vec<String> = each.map(|_| format!("msr:{base:#x}")).collect();
                        assert_eq!(location, each.join(","), "{pmu}");
                    }
                    Msrs::Among(start) => assert!(location.starts_with(start), "{pmu}: {location}"),
                },
            }
        }
    });
}

#[test]
fn boxes_with_filters_say_which_and_where() {
    on(&usual_machine(), |session| {
        for (kind, instance) in Shape::of(&usual_machine()).pmus() {
            let pmu = kind.pmu(instance);
            let caps = caps(session, &pmu);
            let filters = caps.get("filters").is_some_and(|names| !names.is_empty());
            assert_eq!(filters, has_filters(kind), "{pmu}");
            let is_uncertain = kind == BoxKind::Cbox && has_filters(kind);
            let criteria =
                has_filters(kind).then_some(if is_uncertain { "one" } else { "several" });
            let said = caps.get("filter_criteria").map(String::as_str);
            assert_eq!(said, criteria, "{pmu}");
            let place = caps.get("filter_location");
            match (kind, kind.function(instance)) {
                (BoxKind::Qpi, _) => {
                    let function = packet_functions()[usize::from(instance)];
                    assert_eq!(place, Some(&places(kind, function)), "{pmu}");
                }
                (BoxKind::Ha, Some(function)) => {
                    assert_eq!(place, Some(&places(kind, function)), "{pmu}");
                }
                _ => assert_eq!(place.is_some(), has_filters(kind), "{pmu}: {place:?}"),
            }
        }
    });
}

#[test]
fn every_pmu_says_whose_it_is() {
    on(&usual_machine(), |session| {
        for (kind, instance) in Shape::of(&usual_machine()).pmus() {
            let pmu = kind.pmu(instance);
            let identifier = session.ok(&format!("cat {DEVICES}/{pmu}/identifier"));
            assert_eq!(
                identifier.trim_end(),
                Platform::current().identifier(),
                "{pmu}"
            );
        }
    });
}
