// SPDX-License-Identifier: GPL-2.0

//! Pictures of traffic that flows have the figures of its definition.

use super::*;
use uncore_metrics::recording::{Machine, Package, Writer};
use uncore_metrics::Unit;

platforms!(; e5);

/// Tolerance for figures of one box: they have four digits, and were counted together.
const TOGETHER: f64 = 0.01;
const FIVE_INTERVALS: &str = "-I 200 --interval-count 5";

/// Amount that a box is defined to move in `LONG` clocks.
struct Moved {
    /// Name of the metric without its part and unit.
    what: String,
    bytes: f64,
}

/// Returns all amounts of a box.
fn moved(kind: BoxKind, instance: u8, package: u8) -> Vec<Moved> {
    let all = overview(PACKAGES);
    let own = all.iter().filter(|metric| {
        let is_amount = metric.unit == Unit::Bytes && !metric.name.ends_with("capacity_bytes");
        is_amount && metric.box_type == kind.unit()
    });
    let moved = own.map(|metric| {
        let nodes = Nodes {
            own: package,
            all: (1 << PACKAGES) - 1,
        };
        let defined = Defined {
            metric,
            kind,
            instance,
            nodes,
            traffic: Traffic::of(LONG),
        };
        let words: Vec<_> = metric.name.split('_').collect();
        Moved {
            what: words[1..words.len() - 1].join(" "),
            bytes: metric.formula.value(&defined).expect("a value"),
        }
    });
    moved.collect()
}

/// Returns the rate after a word, as in `read 1.5 GB/s`, in bytes per second.
fn rate(text: &str, what: &str) -> f64 {
    let (_, rest) = text
        .split_once(&format!(" {what} "))
        .unwrap_or_else(|| panic!("no {what} in {text}"));
    let mut words = rest.split([' ', ',', '<']);
    let number: f64 = words.next().and_then(|n| n.parse().ok()).expect("a number");
    let factor = match words.next() {
        Some("B/s") => 1.0,
        Some("kB/s") => 1e3,
        Some("MB/s") => 1e6,
        Some("GB/s") => 1e9,
        other => panic!("{other:?} in {text}"),
    };
    number * factor
}

/// Compares the titles of boxes in a picture with the definition. Returns how many there are.
fn compare(titles: &str, kinds: &[BoxKind], name: impl Fn(u8, &str) -> String) -> usize {
    let shape = Shape::of(&Config::default());
    let mut found = 0;
    for &package in Platform::packages() {
        for &kind in kinds {
            for instance in 0..shape.boxes(kind, package) {
                let own = [
                    kind.unit().to_owned(),
                    format!("{}_{instance}", kind.unit()),
                ];
                let own = own.map(|own| name(package, &own));
                let mut lines = titles.lines();
                let line = lines.find(|line| own.iter().any(|own| line.starts_with(own)));
                let line = line.unwrap_or_else(|| panic!("no {own:?} in {titles}"));
                let moved = moved(kind, instance, package);
                let first = moved.first().expect("it moves bytes");
                for one in &moved {
                    let (seen, all) = (rate(line, &one.what), rate(line, &first.what));
                    let (bytes, of_first) = (one.bytes, first.bytes);
                    let expected = bytes / (estimate(LONG) / UCLK_HZ);
                    let is_near = |seen: f64, expected: f64, tolerance: f64| {
                        (seen - expected).abs() <= tolerance * expected
                    };
                    assert!(is_near(seen, expected, CLOCK), "{line}: not {expected}");
                    let part = bytes / of_first;
                    assert!(is_near(seen / all, part, TOGETHER), "{line}: not {part}");
                }
                found += 1;
            }
        }
    }
    found
}

/// The machine of the definition, as the first line of a recording.
fn head(kinds: &[BoxKind]) -> String {
    let shape = Shape::of(&Config::default());
    let package = |package: u8| {
        let names = kinds.iter().flat_map(|&kind| {
            let boxes = shape.boxes(kind, package);
            (0..boxes).map(move |instance| match boxes {
                1 => kind.unit().to_owned(),
                _ => format!("{}_{instance}", kind.unit()),
            })
        });
        Package {
            number: package.into(),
            boxes: names.collect(),
            missing: Vec::new(),
        }
    };
    let machine = Machine {
        platform: Platform::current().name().to_owned(),
        packages: Platform::packages().iter().copied().map(package).collect(),
        ..Machine::default()
    };
    let writer = Writer::new(Vec::new(), &machine).expect("memory can be written");
    String::from_utf8(writer.into_inner()).expect("text")
}

#[test]
fn pictures_have_the_figures_of_the_traffic() {
    let overview = overview(PACKAGES);
    let kinds: Vec<_> = BoxKind::all()
        .filter(|kind| {
            let mut own = overview.iter().filter(|one| one.box_type == kind.unit());
            own.any(|metric| metric.unit == Unit::Bytes)
        })
        .collect();
    on(&free_running(), |session| {
        let titles = |session: &mut Session, file: &str| {
            let titles = session.ok(&format!("grep -o '<title>.*</title>' {file}"));
            titles.replace("<title>", "")
        };
        let of_socket = |package: u8, name: &str| format!("socket {package}, {name}: ");
        session.ok(&format!("uncore stat {FIVE_INTERVALS} --svg /tmp/live.svg"));
        let live = compare(&titles(session, "/tmp/live.svg"), &kinds, of_socket);
        // A recording, with what stat writes.
        let head = head(&kinds);
        session.ok(&format!(
            "printf '%s' '{head}' > /tmp/rec; uncore stat -A -j {FIVE_INTERVALS} >> /tmp/rec"
        ));
        session.ok("uncore stat --replay /tmp/rec --svg /tmp/again.svg");
        let again = compare(&titles(session, "/tmp/again.svg"), &kinds, of_socket);
        assert!(live > 0 && live == again, "{live}, {again}");
        session.ok("uncore topology --replay /tmp/rec --svg /tmp/boxes.svg");
        let boxes = titles(session, "/tmp/boxes.svg");
        // Boxes of the same name are in the order of their packages.
        let mut seen: BTreeMap<String, u8> = BTreeMap::new();
        let numbered = boxes.lines().map(|line| {
            let name = line.split([' ', '<']).next().unwrap_or_default();
            let package = seen.entry(name.to_owned()).or_default();
            *package += 1;
            format!("{}:{line}\n", *package - 1)
        });
        let numbered: String = numbered.collect();
        let drawn = compare(&numbered, &kinds, |package, name| {
            format!("{package}:{name} ")
        });
        assert_eq!(live, drawn);
        println!("{drawn} boxes");
    });
}
