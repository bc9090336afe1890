// SPDX-License-Identifier: GPL-2.0

//! What the reference data has of each platform: the manual's metrics, and a machine of box types
//! with the events of the data, their counters and filters. The fields are those of the manual's
//! control and filter registers.

#![allow(
    dead_code,
    clippy::allow_attributes,
    reason = "each test file uses a part"
)]

mod bdx;
mod hsx;
mod ivbep;
mod jkt;

use std::collections::BTreeMap;
use uncore_catalogue::Metric;
use uncore_catalogue::Row;
use uncore_metrics::BoxType;
use uncore_metrics::Catalogue;
use uncore_metrics::Event;
use uncore_metrics::Value;

/// A platform.
pub(crate) struct Platform {
    /// Name, as in the names of its PMUs.
    pub(crate) name: &'static str,
    /// Metrics that cannot be computed.
    pub(crate) left_out: &'static [&'static str],
    /// Metrics that are not computed as printed.
    pub(crate) departs: &'static [&'static str],
    /// The manual's metrics.
    pub(crate) metrics: fn() -> &'static [Metric],
    /// The events.
    rows: fn() -> &'static [Row],
    /// Packets by name that the data has no rows for.
    packets: &'static [Packets],
    /// Fields besides those of all platforms.
    fields: &'static [Field],
}

/// Name of packets, `PKT_MATCH0` and `PKT_MASK0`, and the state of the data.
type Packets = (&'static str, u64, u64, Option<u64>);

/// Box type, name, largest value, filter.
type Field = (&'static str, &'static str, u64, &'static str);

/// All platforms.
pub(crate) const ALL: [Platform; 4] = [ivbep::IVBEP, bdx::BDX, hsx::HSX, jkt::JKT];

/// Fields of all platforms.
const FIELDS: [Field; 22] = [
    ("cbox", "edge", 1, ""),
    ("cbox", "thresh", 0xff, ""),
    ("cbox", "filter_nid", 0xffff, "F1.nid"),
    ("cbox", "filter_opc", 0x1ff, "F1.opc"),
    ("ha", "edge", 1, ""),
    ("ha", "thresh", 0xff, ""),
    ("imc", "umask", 0xff, ""),
    ("imc", "edge", 1, ""),
    ("imc", "thresh", 0xff, ""),
    ("pcu", "edge", 1, ""),
    ("pcu", "thresh", 0x1f, ""),
    ("qpi", "edge", 1, ""),
    ("qpi", "thresh", 0xff, ""),
    ("qpi", "match0", 0xffff_ffff, "PKT_MATCH"),
    ("qpi", "match_dnid", 0x1f, "PKT_MATCH"),
    ("qpi", "match_rds", 0xf, "PKT_MATCH"),
    ("qpi", "mask0", 0xffff_ffff, "PKT_MASK"),
    ("qpi", "mask_dnid", 0x1f, "PKT_MASK"),
    ("qpi", "mask_rds", 0xf, "PKT_MASK"),
    ("r2pcie", "edge", 1, ""),
    ("r2pcie", "thresh", 0xff, ""),
    ("r3qpi", "edge", 1, ""),
];

impl Platform {
    /// The data file under test.
    pub(crate) fn catalogue(&self) -> Catalogue {
        Catalogue::of(self.name).expect("the data file")
    }

    /// The metrics of the platform that it is like, if it is like one.
    pub(crate) fn others(&self) -> Option<Catalogue> {
        let mut all = uncore_metrics::Platform::ALL.into_iter();
        let like = all.find(|known| known.name == self.name)?.like?;
        Some(Catalogue::of(like).expect("the data file"))
    }

    /// The manual's metrics, with what the data file makes of each.
    pub(crate) fn printed(&self) -> Vec<(uncore_metrics::Row, &'static Metric)> {
        let catalogue = self.catalogue();
        let ours = |printed: &Metric| {
            let mut rows = catalogue.rows().iter();
            let is_it = |row: &&uncore_metrics::Row| {
                row.box_type == box_type(&printed.kind)
                    && row.metric.replace("<x>", "x") == printed.name.to_lowercase()
            };
            rows.find(is_it).expect(&printed.name).clone()
        };
        let all = (self.metrics)().iter();
        all.map(|printed| (ours(printed), printed)).collect()
    }

    /// Fields: box type, name, largest value, filter.
    pub(crate) fn fields(&self) -> impl Iterator<Item = Field> {
        FIELDS.into_iter().chain(self.fields.iter().copied())
    }

    /// Umasks by box type and event.
    pub(crate) fn umasks(&self) -> BTreeMap<(String, String), u64> {
        let rows = (self.rows)().iter();
        rows.map(|row| ((box_type(&row.kind), name(row)), row.umask.into()))
            .collect()
    }

    /// A machine of this platform.
    pub(crate) fn machine(&self) -> BTreeMap<String, BoxType> {
        let mut boxes: BTreeMap<String, BoxType> = BTreeMap::new();
        for row in (self.rows)() {
            let entry = boxes.entry(box_type(&row.kind)).or_default();
            entry.events.insert(name(row), described(row));
        }
        for (box_type, name, _, filter) in self.fields() {
            let filter = (!filter.is_empty()).then(|| filter.to_owned());
            let entry = boxes.entry(box_type.to_owned()).or_default();
            entry.fields.insert(name.to_owned(), filter);
        }
        let fixed = Event {
            counters: 1 << 4,
            ..Event::default()
        };
        let imc = boxes.entry("imc".to_owned()).or_default();
        imc.events.insert("clockticks".to_owned(), fixed);
        let qpi = boxes.entry("qpi".to_owned()).or_default();
        for packets in self.packets {
            let event = packets_of(&qpi.events["cto_count"], packets);
            qpi.events.insert(packets.0.to_owned(), event);
        }
        boxes
    }
}

/// A box type as its PMUs are called.
pub(crate) fn box_type(box_name: &str) -> String {
    match box_name {
        "CBO" => "cbox".to_owned(),
        "SBO" => "sbox".to_owned(),
        other => other.to_lowercase(),
    }
}

fn name(row: &Row) -> String {
    match (row.event.as_str(), row.subevent.as_str()) {
        (event, "") => event.to_lowercase(),
        (event, subevent) => format!("{event}.{subevent}").to_lowercase(),
    }
}

fn described(row: &Row) -> Event {
    let needs = || row.filter.split('+').filter(|need| !need.is_empty());
    let cbox_filters = needs().filter(|need| need.starts_with('F'));
    let mut filters: Vec<_> = cbox_filters
        .map(|need| need.split('=').next().unwrap_or(need).to_owned())
        .collect();
    if row.event == "CTO_COUNT" || row.filter.contains("PKT_MATCH") {
        filters = vec!["PKT_MATCH".to_owned(), "PKT_MASK".to_owned()];
    }
    let presets = needs().filter_map(|need| need.split_once('='));
    let presets = presets.filter(|(register, _)| register.starts_with("PKT_"));
    Event {
        counters: row.counters.into(),
        settings: presets.map(|(r, v)| (field(r), number(v))).collect(),
        filters,
        is_source: row.kind == "CBO" && row.event.ends_with("R_OCCUPANCY"),
        needs_source: row.event == "COUNTER0_OCCUPANCY",
    }
}

/// The event of all packets, for some by name.
fn packets_of(all: &Event, (_, match0, mask0, rds): &Packets) -> Event {
    let mut settings = vec![("match0", *match0), ("mask0", *mask0)];
    settings.extend(
        rds.iter()
            .flat_map(|rds| [("match_rds", *rds), ("mask_rds", 0xf)]),
    );
    let settings = settings.into_iter();
    Event {
        settings: settings
            .map(|(field, value)| (field.to_owned(), Value::Number(value)))
            .collect(),
        ..all.clone()
    }
}

/// The field that is a register's part.
pub(crate) fn field(register: &str) -> String {
    let field = match register {
        "PKT_MATCH0[12:0]" => "match0",
        "PKT_MATCH0.dnid" => "match_dnid",
        "PKT_MATCH1[19:16]" => "match_rds",
        "PKT_MASK0[12:0]" | "PKT_MASK0[17:0]" => "mask0",
        "PKT_MASK1[19:16]" => "mask_rds",
        other => panic!("unknown register {other}"),
    };
    field.to_owned()
}

/// `0x1C00` as a value.
pub(crate) fn number(text: &str) -> Value {
    let digits = text.trim_start_matches("0x");
    Value::Number(u64::from_str_radix(digits, 16).expect("a number"))
}
