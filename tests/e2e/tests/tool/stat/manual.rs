// SPDX-License-Identifier: GPL-2.0

//! Values of the manual's metrics, from the formulas of `tests/data` as they are printed and from
//! the definition of traffic. The tool has its own formulas and its own reader of formulas; no
//! code of it is used here.

use super::Traffic;
use uncore_catalogue::Metric;
use uncore_e2e::catalogue::PacketMatch;
use uncore_e2e::perf::estimate;
use uncore_e2e::prelude::*;

/// A box, and what it counts.
#[derive(Clone, Copy)]
pub(super) struct Site {
    pub(super) kind: BoxKind,
    pub(super) instance: u8,
    pub(super) package: u8,
    pub(super) traffic: Traffic,
}

/// Returns the names of all metrics that have a value somewhere, as the tool writes them.
pub(super) fn names(traffic: Traffic) -> Vec<String> {
    let mut names = Vec::new();
    for metric in Platform::metrics() {
        let kind = BoxKind::all().find(|kind| kind.column() == metric.kind);
        let kind = kind.expect("a type of box");
        let numbers = match &*metric.name {
            name if name.contains("RANKx") => 0..8,
            name if name.contains("NODEx") => 0..traffic.packages,
            _ => 0..1,
        };
        let site = Site {
            kind,
            instance: 0,
            package: 0,
            traffic,
        };
        for number in numbers {
            if site.metric(metric, number).is_some() {
                names.push(format!("{}.{}", kind.unit(), spelled(&metric.name, number)));
            }
        }
    }
    names
}

/// Returns a name of the manual as a user writes it, with this number for its `x`.
fn spelled(name: &str, number: u8) -> String {
    let name = name
        .replace("RANKx", &format!("RANK{number}"))
        .replace("NODEx", &format!("NODE{number}"));
    name.to_lowercase()
}

impl Site {
    /// Returns the value of a metric by its name: infinite or no number if its formula divides
    /// by zero.
    pub(super) fn value(self, name: &str) -> f64 {
        let digit = name.find(|c: char| c.is_ascii_digit());
        let digits = digit.and_then(|at| name.get(at..=at)?.parse().ok());
        let numbers = digits.into_iter().chain([0]);
        let mut all = numbers.flat_map(|number| self.metrics().map(move |metric| (metric, number)));
        let found = all.find(|(metric, number)| spelled(&metric.name, *number) == name);
        let (metric, number) = found.unwrap_or_else(|| panic!("no metric {name}"));
        let value = self.metric(metric, number);
        value.unwrap_or_else(|| panic!("{name} has no value"))
    }

    /// The metrics of the box.
    fn metrics(self) -> impl Iterator<Item = &'static Metric> {
        let all = Platform::metrics().iter();
        all.filter(move |metric| metric.kind == self.kind.column())
    }

    /// Returns the value of a metric with a number for its `x`, `None` if it names an event
    /// that the reference data has not.
    fn metric(self, metric: &'static Metric, number: u8) -> Option<f64> {
        let mut reader = Reader {
            rest: &metric.formula,
            metric,
            number,
            site: self,
        };
        let value = reader.sum()?;
        assert!(reader.rest.is_empty(), "{}: {}", metric.name, reader.rest);
        Some(value)
    }

    fn count(self, probe: &Probe) -> f64 {
        estimate(probe.count(self.package, self.traffic.uclk))
    }
}

/// Rest of a formula that is being computed.
struct Reader {
    rest: &'static str,
    metric: &'static Metric,
    number: u8,
    site: Site,
}

impl Reader {
    /// Takes a character if it comes next.
    fn take(&mut self, next: char) -> bool {
        let rest = self.rest.trim_start();
        let taken = rest.strip_prefix(next);
        self.rest = taken.unwrap_or(rest);
        taken.is_some()
    }

    /// Takes text up to the end of these brackets, if they come next.
    fn bracketed(&mut self, [open, close]: [char; 2]) -> &'static str {
        if !self.take(open) {
            return "";
        }
        let (inside, rest) = self.rest.split_once(close).expect("a closing bracket");
        self.rest = rest;
        inside
    }

    fn sum(&mut self) -> Option<f64> {
        let mut value = self.product()?;
        loop {
            if self.take('+') {
                value += self.product()?;
            } else if self.take('-') {
                value -= self.product()?;
            } else {
                return Some(value);
            }
        }
    }

    fn product(&mut self) -> Option<f64> {
        let mut value = self.factor()?;
        loop {
            if self.take('*') {
                value *= self.factor()?;
            } else if self.take('/') {
                value /= self.factor()?;
            } else {
                return Some(value);
            }
        }
    }

    fn factor(&mut self) -> Option<f64> {
        if self.take('(') {
            let value = self.sum()?;
            assert!(self.take(')'), "{}: {}", self.metric.formula, self.rest);
            return Some(value);
        }
        let word = self.word();
        if word == "ROUND" {
            // To whole numbers: its second argument is 0.
            assert!(self.take('('), "{}", self.metric.formula);
            let value = self.sum()?;
            assert!(self.take(',') && self.word() == "0" && self.take(')'));
            return Some(value.round());
        }
        word.parse().ok().or_else(|| self.named(word))
    }

    fn word(&mut self) -> &'static str {
        let rest = self.rest.trim_start();
        let ends = |c: char| !(c.is_ascii_alphanumeric() || "_.".contains(c));
        let (word, rest) = rest.split_at(rest.find(ends).unwrap_or(rest.len()));
        self.rest = rest;
        word
    }

    /// Returns the value of a name: a clock, another metric of the box, an event.
    fn named(&mut self, word: &str) -> Option<f64> {
        let label = self.bracketed(['[', ']']);
        let fields = self.bracketed(['{', '}']);
        let name = spelled(word, self.number);
        let (kind, instance) = (self.site.kind, self.site.instance);
        if let Some(metric) = self.site.metrics().find(|metric| metric.name == word) {
            return self.site.metric(metric, self.number);
        }
        let is_clock = ["sample_interval", "total_core_cycles", "clockticks"].contains(&&*name)
            || name.starts_with("mc_chy_pci_pmon_");
        if is_clock {
            return Some(self.site.count(&Probe::new(kind, instance, "clockticks")));
        }
        match &*name {
            // The ticks of a clock whose speed is in MHz, in a time.
            "tsc" => return Some(self.site.traffic.seconds.unwrap_or(f64::NAN) * 1e6),
            "tsc_speed" => return Some(1.0),
            "counter0_occupancy" => {
                assert_eq!(fields, "edge_det,thresh=0x1");
                let source = self.metric.formula.split(' ').next()?;
                let source = self.event(source, "")?.beside(1, true);
                return Some(self.site.count(&source.shows));
            }
            _ => {}
        }
        let event = self.event(word, label)?;
        Some(self.site.count(&event))
    }

    /// Returns the probe of an event with the filter settings of a label.
    fn event(&self, word: &str, label: &str) -> Option<Probe> {
        let name = spelled(word, self.number);
        if !Catalogue::get().has(self.site.kind, &name) {
            return None;
        }
        let mut probe = Probe::new(self.site.kind, self.site.instance, &name);
        let mut packet = PacketMatch::default();
        for (register, value) in settings(&self.metric.filters, label) {
            let word = || self.value(value);
            match register {
                "FILTER0.state" => probe = probe.state(small(word())),
                "FILTER0.tid" => probe = probe.tid(small(word())),
                "FILTER1.opc" => probe = probe.opc(small(word())),
                "FILTER1.nid" => probe = probe.nid(small(word())),
                "PKT_MATCH0[12:0]" => packet.match0 |= word(),
                "PKT_MATCH0.dnid" => packet.match0 |= word() << 13,
                "PKT_MATCH1[19:16]" => packet.match1 |= word() << 16,
                "PKT_MASK0[12:0]" | "PKT_MASK0[17:0]" => packet.mask0 |= word(),
                "PKT_MASK1[19:16]" => packet.mask1 |= word() << 16,
                other => panic!("{}: {other}", self.metric.name),
            }
        }
        if packet != PacketMatch::default() {
            probe = probe.packet_words(packet);
        }
        Some(probe)
    }

    /// Returns a number, or the nodes that a word stands for, a bit each.
    fn value(&self, text: &str) -> u32 {
        let own = 1 << self.site.package;
        let all = (1 << self.site.traffic.packages) - 1;
        match text {
            "x" => self.number.into(),
            "my_node" => own,
            "other_nodes" => all & !own,
            "all_nodes" => all,
            _ => {
                let digits = text.strip_prefix("0x").expect("a number");
                u32::from_str_radix(digits, 16).expect("a number")
            }
        }
    }
}

/// Returns the filter settings of a label as registers and values.
fn settings<'a>(filters: &'a str, label: &str) -> Vec<(&'a str, &'a str)> {
    const BOTH: &str = "FILTER1.{opc,nid}=";
    let mut parts = filters
        .split("; ")
        .map(|part| part.split_once(": ").unwrap_or(("", part)));
    let of_label = parts.find(|(own, _)| *own == label).map(|(_, text)| text);
    let text = of_label.unwrap_or_default();
    // Labels after the first do not repeat the names of the two fields. The manual's machine has
    // four nodes.
    if let Some(values) = text.trim_start_matches(BOTH).strip_prefix('{') {
        let values = values.trim_end_matches('}').split(',');
        let values = values.map(|value| if value == "0xF" { "all_nodes" } else { value });
        return ["FILTER1.opc", "FILTER1.nid"]
            .into_iter()
            .zip(values)
            .collect();
    }
    let settings = text.split(',').filter_map(|one| one.split_once('='));
    settings.filter(|(register, _)| *register != "x").collect()
}

fn small<T: TryFrom<u32>>(number: u32) -> T {
    T::try_from(number).ok().expect("a small number")
}
