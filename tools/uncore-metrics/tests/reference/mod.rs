// SPDX-License-Identifier: GPL-2.0

//! What the reference data has of each platform: the manual's metrics, and a machine of box types
//! with the events of the data, their counters, filters and fields.

#![allow(
    dead_code,
    clippy::allow_attributes,
    reason = "each test file uses a part"
)]

use std::collections::BTreeMap;
use uncore_catalogue::rows_of;
use uncore_catalogue::Facts;
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
    /// Its PMUs have the names of messages that Ivy Bridge has: table 2-137 of its manual is table
    /// 2-175 of Broadwell's, of which the data has no rows.
    names_messages: bool,
}

const IVBEP: Platform = Platform {
    name: "ivbep",
    left_out: &["llc_mpi", "pct_link_crc_retry_cycles"],
    departs: &[],
    names_messages: true,
};

const BDX: Platform = Platform {
    name: "bdx",
    left_out: &[
        "llc_mpi",
        "pct_rd_requests",
        "pct_wr_requests",
        "pct_cyc_freq_current_ltd",
        "data_from_qpi",
        "data_from_qpi_to_ha_or_iio",
        "drs_data_msgs_from_qpi",
        "ncb_data_msgs_from_qpi",
    ],
    ..IVBEP
};

/// All platforms.
pub(crate) const ALL: [Platform; 4] = [
    IVBEP,
    BDX,
    Platform {
        name: "hsx",
        departs: &["fast_str_llc_miss", "fast_str_llc_req", "llc_rfo_miss_pct"],
        ..BDX
    },
    Platform {
        name: "jkt",
        departs: &["pct_freq_thermal_ltd"],
        names_messages: false,
        ..IVBEP
    },
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
        let all = Facts::of(self.name).metrics.iter();
        all.map(|printed| (ours(printed), printed)).collect()
    }

    /// Fields: box type, name, largest value.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (String, &'static str, u64)> {
        let fields = Facts::of(self.name).fields.iter();
        fields.map(|field| (box_type(&field.kind), &*field.name, largest(&field.bits)))
    }

    /// Umasks by box type and event.
    pub(crate) fn umasks(&self) -> BTreeMap<(String, String), u64> {
        let rows = rows_of(self.name).iter();
        rows.map(|row| ((box_type(&row.kind), name(row)), row.umask.into()))
            .collect()
    }

    /// A machine of this platform.
    pub(crate) fn machine(&self) -> BTreeMap<String, BoxType> {
        let mut boxes: BTreeMap<String, BoxType> = BTreeMap::new();
        let is_named = |row: &&Row| self.names_messages && row.event == "MESSAGE";
        let messages = rows_of("ivbep").iter().filter(is_named);
        for row in rows_of(self.name).iter().chain(messages) {
            let entry = boxes.entry(box_type(&row.kind)).or_default();
            entry.events.insert(name(row), described(row));
        }
        for (box_type, name, _) in self.fields() {
            let entry = boxes.entry(box_type).or_default();
            entry.fields.insert(name.to_owned(), filter(name));
        }
        let fixed = Event {
            counters: 1 << 4,
            ..Event::default()
        };
        let imc = boxes.entry("imc".to_owned()).or_default();
        imc.events.insert("clockticks".to_owned(), fixed);
        boxes
    }
}

/// The largest value of a field with such bits, `config:0-7,21`.
fn largest(bits: &str) -> u64 {
    let (_, ranges) = bits.split_once(':').expect("a word");
    let number = |text: &str| text.parse::<u32>().expect("a bit");
    let widths = ranges.split(',').map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        1 + number(last) - number(first)
    });
    u64::MAX >> (u64::BITS - widths.sum::<u32>())
}

/// The filter that a field sets, if it sets one: `opc`, `match` or `mask`.
fn filter(field: &str) -> Option<String> {
    let packets = ["match", "mask"].into_iter();
    let mut packets = packets.filter(|start| field.starts_with(start));
    let filter = field.strip_prefix("filter_").or_else(|| packets.next());
    filter.map(str::to_owned)
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
    let cbox_filters = needs().filter_map(|need| need.strip_prefix('F')?.split(['.', '=']).nth(1));
    let mut filters: Vec<_> = cbox_filters.map(str::to_owned).collect();
    if row.event == "CTO_COUNT" || row.filter.contains("PKT_MATCH") {
        filters = ["match", "mask"].map(str::to_owned).into();
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
