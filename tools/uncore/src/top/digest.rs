// SPDX-License-Identifier: GPL-2.0

//! An interval by the structure of the machine: boxes, sockets, all.

use std::collections::BTreeSet;

use uncore_metrics::{Digits, Interval, NoValue, Prefixes, Unit};

use crate::overview::{self, Value};

/// Shares of a part that say more than its amounts: of which amounts one is.
pub(crate) const SHARES: [(&str, &str, &[&str]); 3] = [
    ("home", "remote read", &["local read", "remote read"]),
    ("home", "remote write", &["local write", "remote write"]),
    ("llc", "miss", &["lookup"]),
];

/// Part with the clock of the uncore.
const UNCORE: &str = "uncore";
/// Cycles that requests waited, and the requests.
pub(crate) const LATENCY: &str = "latency";
pub(crate) const MISS: &str = "miss";

/// An interval.
pub(crate) struct Digest {
    /// The sockets in the order of their numbers.
    pub(crate) sockets: Vec<Socket>,
    /// The parts of all sockets together, without clocks.
    pub(crate) machine: Vec<Part>,
}

/// A socket.
pub(crate) struct Socket {
    pub(crate) number: u32,
    /// In the order of the metrics.
    pub(crate) parts: Vec<Part>,
}

/// A part of a socket, such as its memory.
pub(crate) struct Part {
    /// `memory`, as in the names of the metrics.
    pub(crate) name: String,
    /// The boxes together.
    pub(crate) sum: Load,
    /// Each box by name.
    pub(crate) boxes: Vec<(String, Load)>,
}

/// Load of a box, or of several together.
#[derive(Clone, Default)]
pub(crate) struct Load {
    /// In the order of the metrics.
    pub(crate) amounts: Vec<Amount>,
    /// The most that could be done; `None` if no metric tells.
    pub(crate) peak: Option<Amount>,
}

/// An amount per second.
#[derive(Clone)]
pub(crate) struct Amount {
    /// `read`.
    pub(crate) what: String,
    pub(crate) unit: Unit,
    pub(crate) rate: Rate,
    /// Share of the time in which it was counted; of several boxes the smallest.
    pub(crate) counted: f64,
}

/// Rate of an amount, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rate {
    /// All of it.
    Exact(f64),
    /// Only that of some boxes.
    AtLeast(f64),
    /// Nothing, for this reason.
    Unknown(NoValue),
}

impl Digest {
    pub(crate) fn of(interval: &Interval) -> Self {
        let outcomes = &interval.outcomes;
        let numbers: BTreeSet<u32> = outcomes.iter().filter_map(|one| one.package).collect();
        let sockets = numbers.into_iter().map(|number| {
            let own = outcomes.iter().filter(|one| one.package == Some(number));
            let values = own.filter_map(Value::new);
            Socket::new(number, &values.collect::<Vec<_>>())
        });
        let sockets: Vec<Socket> = sockets.collect();
        let machine = together(&sockets);
        Self { sockets, machine }
    }
}

/// Adds up the parts of all sockets. Clocks have no sum.
fn together(sockets: &[Socket]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for part in sockets.iter().flat_map(|socket| &socket.parts) {
        let own = (part.name.clone(), part.sum.clone());
        match parts.iter_mut().find(|known| known.name == part.name) {
            Some(known) => known.boxes.push(own),
            None if part.sum.amounts.is_empty() => {}
            None => parts.push(Part {
                name: part.name.clone(),
                sum: Load::default(),
                boxes: vec![own],
            }),
        }
    }
    for part in &mut parts {
        part.sum = Load::sum(part.boxes.iter().map(|(_, load)| load));
        part.boxes.clear();
    }
    parts
}

impl Socket {
    fn new(number: u32, values: &[Value]) -> Self {
        let parts = overview::parts(values).into_iter().map(|name| {
            let own = values.iter().filter(|value| value.part == name);
            Part::new(name, &own.collect::<Vec<_>>())
        });
        let mut parts: Vec<Part> = parts.collect();
        let clock = parts.iter().find(|part| part.name == UNCORE);
        let clock = clock.and_then(|part| part.sum.peak.clone());
        for part in &mut parts {
            let boxes = part.boxes.iter_mut().map(|(_, load)| load);
            boxes
                .chain([&mut part.sum])
                .for_each(|load| load.time(clock.as_ref()));
        }
        Self { number, parts }
    }

    /// Returns a part by name.
    pub(crate) fn part(&self, name: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.name == name)
    }
}

impl Part {
    fn new(name: &str, values: &[&Value]) -> Self {
        // Boxes of different types have different metrics.
        let kind = |value: &Value| values.iter().position(|one| one.box_type == value.box_type);
        let names = values.iter().filter_map(|value| {
            let name = value.box_name?;
            Some((kind(value), name.len(), name))
        });
        let names: BTreeSet<_> = names.collect();
        let boxes = names.into_iter().map(|(_, _, name)| {
            let own = values.iter().filter(|value| value.box_name == Some(name));
            (name.to_owned(), Load::of(own.copied()))
        });
        let boxes: Vec<_> = boxes.collect();
        Self {
            name: name.to_owned(),
            sum: Load::sum(boxes.iter().map(|(_, load)| load)),
            boxes,
        }
    }

    /// Returns an amount as a share of others, if that says more.
    pub(crate) fn share_of(&self, what: &str) -> Option<String> {
        let mut shares = SHARES.iter();
        let (.., of) = shares.find(|(name, known, _)| *name == self.name && *known == what)?;
        let exact = |what: &str| self.sum.amount(what)?.rate.exact();
        let whole: Option<f64> = of.iter().map(|what| exact(what)).sum();
        Some(overview::share(exact(what), whole))
    }

    /// Returns whether each box is shown.
    pub(crate) fn is_by_box(&self) -> bool {
        overview::BY_BOX.iter().any(|(name, _)| *name == self.name)
    }

    /// Returns whether the sum of the boxes is shown as that of the socket.
    pub(crate) fn is_of_socket(&self) -> bool {
        let mut known = overview::BY_BOX.iter();
        known.any(|(name, has_sum)| *name == self.name && *has_sum)
    }
}

impl Load {
    fn of<'a>(values: impl Iterator<Item = &'a Value<'a>>) -> Self {
        let mut load = Self::default();
        for value in values {
            let amount = Amount {
                what: value.what.clone(),
                unit: value.unit,
                rate: match value.rate {
                    Some(rate) => Rate::Exact(rate),
                    None => Rate::Unknown(value.reason.unwrap_or(NoValue::NotCounted)),
                },
                counted: value.counted,
            };
            if value.is_peak() {
                load.peak = Some(amount);
            } else {
                load.amounts.push(amount);
            }
        }
        load
    }

    fn sum<'a>(loads: impl Iterator<Item = &'a Load>) -> Self {
        let mut sum = Self::default();
        for load in loads {
            for amount in &load.amounts {
                let known = sum.amounts.iter_mut();
                match known.into_iter().find(|known| known.what == amount.what) {
                    Some(known) => known.add(amount),
                    None => sum.amounts.push(amount.clone()),
                }
            }
            match (&mut sum.peak, &load.peak) {
                (Some(known), Some(peak)) => known.add(peak),
                (None, peak) => sum.peak.clone_from(peak),
                (_, None) => {}
            }
        }
        sum
    }

    /// Makes the time of one request of the cycles that all have waited.
    fn time(&mut self, clock: Option<&Amount>) {
        let rate = |amount: Option<&Amount>| amount.and_then(|amount| amount.rate.exact());
        let (misses, clock) = (rate(self.amount(MISS)), rate(clock));
        let mut amounts = self.amounts.iter_mut();
        let wait = amounts.find(|one| one.what == LATENCY && one.unit == Unit::Cycles);
        let Some(wait) = wait else {
            return;
        };
        wait.unit = Unit::Nanoseconds;
        let time = wait.rate.exact().zip(misses.zip(clock));
        let time = time.map(|(wait, (misses, clock))| 1e9 * wait / misses / clock);
        if !matches!(wait.rate, Rate::Unknown(_)) {
            let time = time.filter(|time| time.is_finite());
            wait.rate = time.map_or(Rate::Unknown(NoValue::ZeroDenominator), Rate::Exact);
        }
    }

    /// Returns an amount by name.
    pub(crate) fn amount(&self, what: &str) -> Option<&Amount> {
        self.amounts.iter().find(|amount| amount.what == what)
    }

    /// All amounts together; `None` if there are none.
    pub(crate) fn total(&self) -> Option<Rate> {
        let rates = self.amounts.iter().map(|amount| amount.rate);
        rates.reduce(Rate::plus)
    }

    /// All amounts together as one, if they have one unit.
    pub(crate) fn total_amount(&self) -> Option<Amount> {
        let mut amounts = self.amounts.iter();
        let mut all = amounts.next()?.clone();
        amounts
            .clone()
            .all(|one| one.unit == all.unit)
            .then_some(())?;
        amounts.for_each(|one| all.add(one));
        Some(all)
    }

    /// Returns the share of the peak that is used, if both are known.
    pub(crate) fn used(&self) -> Option<f64> {
        self.share(self.total()?)
    }

    /// Returns whether all is known but the peak.
    pub(crate) fn lacks_peak(&self) -> bool {
        let is_known = |rate: Rate| rate.exact().is_some();
        self.total().is_some_and(is_known)
            && self.peak.as_ref().is_some_and(|peak| !is_known(peak.rate))
    }

    /// Returns the share of the peak that a rate is, if both are known.
    pub(crate) fn share(&self, rate: Rate) -> Option<f64> {
        let peak = self.peak.as_ref()?.rate.exact()?;
        Some(rate.exact()? / peak).filter(|share| share.is_finite())
    }

    /// Returns the level over time: the share of the peak, or the total where there is no peak.
    pub(crate) fn level(&self) -> Option<f64> {
        match self.peak {
            Some(_) => self.used(),
            None => self.total()?.exact(),
        }
    }

    /// All amounts and the peak.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Amount> {
        self.amounts.iter().chain(&self.peak)
    }
}

impl Amount {
    /// The rate with its unit; `-` if not all of it is known.
    pub(crate) fn text(&self, prefixes: Prefixes, most: Digits) -> String {
        let digits = most.min(Digits::of_share(self.counted));
        let text = |rate| overview::per_second_in(prefixes, rate, self.unit, digits);
        self.rate.exact().map_or_else(|| "-".to_owned(), text)
    }

    fn add(&mut self, other: &Self) {
        self.rate = self.rate.plus(other.rate);
        self.counted = self.counted.min(other.counted);
    }
}

impl Rate {
    fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Exact(a), Self::Exact(b)) => Self::Exact(a + b),
            (Self::Unknown(reason), Self::Unknown(_)) => Self::Unknown(reason),
            _ => Self::AtLeast(self.known().unwrap_or(0.0) + other.known().unwrap_or(0.0)),
        }
    }

    /// The rate, if all of it is known.
    pub(crate) const fn exact(self) -> Option<f64> {
        match self {
            Self::Exact(rate) => Some(rate),
            _ => None,
        }
    }

    /// The rate as far as it is known.
    pub(crate) const fn known(self) -> Option<f64> {
        match self {
            Self::Exact(rate) | Self::AtLeast(rate) => Some(rate),
            Self::Unknown(_) => None,
        }
    }
}
