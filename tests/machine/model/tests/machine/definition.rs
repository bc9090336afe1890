// SPDX-License-Identifier: GPL-2.0

//! traffic.rst word by word and cycle by cycle: slow, obvious, and independent
//! of the model. It reads the catalogue's file itself.

use std::collections::BTreeMap;
use std::sync::OnceLock;

/// One row of tests/data/ivbep-events.csv.
#[derive(Debug, Clone, serde::Deserialize)]
pub(crate) struct Row {
    #[serde(rename = "box")]
    pub(crate) kind: String,
    pub(crate) event: String,
    pub(crate) code: String,
    pub(crate) ext_sel: String,
    pub(crate) umask: String,
    pub(crate) counters: String,
    pub(crate) max_inc: String,
}

impl Row {
    pub(crate) fn code(&self) -> u8 {
        u8::from_str_radix(&self.code[2..], 16).expect("a code")
    }

    pub(crate) fn umask(&self) -> u8 {
        u8::from_str_radix(&self.umask[2..], 16).expect("an umask")
    }

    /// `?` stands for both.
    pub(crate) fn has_ext(&self, ext: bool) -> bool {
        self.ext_sel == "?" || (self.ext_sel == "1") == ext
    }

    pub(crate) fn allows(&self, counter: usize) -> bool {
        let mut bounds = self
            .counters
            .split('-')
            .map(|n| n.parse::<usize>().expect("a counter"));
        let first = bounds.next().expect("a first counter");
        (first..=bounds.next().unwrap_or(first)).contains(&counter)
    }

    pub(crate) fn is_clock(&self) -> bool {
        self.event == "CLOCKTICKS" || self.event == "DCLOCKTICKS"
    }
}

/// All rows.
pub(crate) fn rows() -> &'static [Row] {
    static ROWS: OnceLock<Vec<Row>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let text = include_str!("../../../../data/ivbep-events.csv");
        let rows = csv::Reader::from_reader(text.as_bytes()).into_deserialize();
        rows.collect::<Result<_, _>>().expect("a well-formed file")
    })
}

/// Everything that decides what a counter counts.
#[derive(Debug, Clone)]
pub(crate) struct Setting {
    pub(crate) kind: &'static str,
    pub(crate) package: u64,
    pub(crate) instance: u64,
    pub(crate) counter: usize,
    pub(crate) ext: bool,
    pub(crate) code: u8,
    pub(crate) umask: u8,
    pub(crate) thresh: u64,
    pub(crate) edge: bool,
    pub(crate) tid_en: bool,
    pub(crate) filter0: u64,
    pub(crate) filter1: u64,
    /// Code, umask and tid_en on counter 0, for COUNTER0_OCCUPANCY.
    pub(crate) counter0: (u8, u8, bool),
}

/// Umask bits that are qualifiers, of C-Box events.
fn qualifiers(kind: &str, code: u8) -> u8 {
    match (kind, code) {
        ("CBO", 0x34) => 1 << 0 | 1 << 6,
        ("CBO", 0x37) => 1 << 6,
        ("CBO", 0x35 | 0x36) => 1 << 1 | 1 << 5 | 1 << 6 | 1 << 7,
        _ => 0,
    }
}

/// An attribute value whose value i owns i + 1 slots.
fn slot_owner(slot: u64) -> u64 {
    let mut owners = (0..=slot).filter(|i| slot < (i + 1) * (i + 2) / 2);
    owners.next().expect("slot itself at the latest")
}

const OPCODES: [u64; 21] = [
    0x180, 0x181, 0x182, 0x187, 0x18C, 0x18D, 0x190, 0x191, 0x192, 0x193, 0x194, 0x195, 0x19C,
    0x19D, 0x19E, 0x1C4, 0x1C5, 0x1C8, 0x1E4, 0x1E5, 0x1E6,
];

/// Whether transaction `m` passes the conditions of an event.
fn passes(s: &Setting, code: u8, umask: u8, tid_en: bool, m: u64) -> bool {
    if s.kind != "CBO" {
        return true;
    }
    let umask_bit = |bit: u8| umask >> bit & 1 == 1;
    let state = match m % 21 {
        0 => 17,
        1..=2 => 18,
        3..=5 => 19,
        6..=9 => 20,
        10..=14 => 21,
        _ => 22,
    };
    let opc = match m % 235 {
        slot @ 0..=230 => OPCODES[slot_owner(slot) as usize],
        _ => 0x1FF,
    };
    let tid = match m % 529 {
        528 => 31,
        slot => slot_owner(slot),
    };
    let tor = matches!(code, 0x35 | 0x36);
    let node_event = tor || matches!(code, 0x34 | 0x37);
    let opcode_passes = opc == s.filter1 >> 20 & 0x1FF
        && (s.filter1 >> 30 & 1 == 0 || m % 13 <= 1)
        && (s.filter1 >> 31 & 1 == 0 || m % 19 <= 2);
    (code != 0x34 || s.filter0 >> state & 1 == 1)
        && (!(node_event && umask_bit(6)) || s.filter1 >> slot_owner(m % 136) & 1 == 1)
        && (!(tor && umask_bit(0)) || opcode_passes)
        && (!(tor && umask_bit(1)) || m % 29 <= 6)
        && (!(tor && umask_bit(5)) || m % 31 <= 10)
        && (!(tor && umask_bit(7)) || m % 31 > 10)
        && (!tid_en || tid == s.filter0 & 0x1F)
}

/// The signals an umask selects.
fn selected(kind: &str, code: u8, umask: u8, signals: &[u8]) -> Vec<u8> {
    let mut chosen: Vec<u8> = match umask {
        0 => vec![8],
        _ => (0..8).filter(|bit| umask >> bit & 1 == 1).collect(),
    };
    if (kind, code) == ("CBO", 0x34) {
        if umask & 1 == 0 {
            return Vec::new();
        }
        if umask & 0b1_1110 == 0 {
            chosen = vec![1, 2, 3, 4];
        }
    }
    if (kind, code) == ("CBO", 0x37) && umask & 0b100_1111 == 0b100_0000 {
        chosen = vec![0, 1, 2, 3];
    }
    if (kind, code) == ("UBOX", 0x41) {
        chosen.retain(|signal| *signal != 0 && *signal != 2);
    }
    chosen.retain(|signal| signals.contains(signal));
    chosen
}

/// What the rows of one event select say together.
struct Event {
    clock: bool,
    peak: u64,
    signals: Vec<u8>,
}

fn event(rows: &[Row], kind: &str, ext: bool, code: u8, counter: Option<usize>) -> Option<Event> {
    let here = |row: &&Row| row.kind == kind && row.code() == code && row.has_ext(ext);
    let here: Vec<&Row> = rows.iter().filter(here).collect();
    let allowed = here
        .iter()
        .any(|row| counter.is_none_or(|counter| row.allows(counter)));
    if !allowed {
        return None;
    }
    let peaks = here.iter().map(|row| row.max_inc.parse().unwrap_or(1));
    let mut signals = Vec::new();
    for row in &here {
        match row.umask() {
            0 => signals.push(8),
            umask => {
                let bits = umask & !qualifiers(kind, code);
                signals.extend((0..8).filter(|bit| bits >> bit & 1 == 1));
            }
        }
    }
    Some(Event {
        clock: here.iter().any(|row| row.is_clock()),
        peak: peaks.max().unwrap_or(1).clamp(1, 255),
        signals,
    })
}

/// One signal in the making: its rate, and how many on-blocks it has had.
struct Wave {
    rate: u64,
    block: u64,
    transactions: u64,
    on: bool,
    lets_through: bool,
}

/// What the counter adds in the first `cycles` cycles of an axis.
pub(crate) fn count(rows: &[Row], s: &Setting, cycles: u64) -> u64 {
    *counts(rows, s, &[cycles]).last().expect("one moment")
}

/// The same at several moments, in ascending order.
pub(crate) fn counts(rows: &[Row], s: &Setting, moments: &[u64]) -> Vec<u64> {
    let numbered = if s.kind == "IRP" {
        s.counter % 2
    } else {
        s.counter
    };
    let (mut code, mut umask, mut tid_en) = (s.code, s.umask, s.tid_en);
    let Some(mut chosen) = event(rows, s.kind, s.ext, code, Some(numbered)) else {
        return vec![0; moments.len()];
    };
    if (s.kind, s.code) == ("CBO", 0x1F) {
        (code, umask, tid_en) = s.counter0;
        if !matches!(code, 0x11 | 0x36) {
            return vec![0; moments.len()];
        }
        chosen = event(rows, "CBO", false, code, None).expect("an occupancy event");
    }
    let mut waves: Vec<Wave> = selected(s.kind, code, umask, &chosen.signals)
        .into_iter()
        .map(|signal| Wave {
            rate: rate(s, u64::from(s.ext), code, signal),
            block: if signal == 8 { 0 } else { signal.into() },
            transactions: 0,
            on: false,
            lets_through: false,
        })
        .collect();
    let mut totals = BTreeMap::new();
    let (mut total, mut before) = (0, 0);
    for cycle in 0..*moments.last().expect("a moment") {
        if moments.contains(&cycle) {
            totals.insert(cycle, total);
        }
        let value = if chosen.clock {
            1
        } else {
            let parts = waves
                .iter_mut()
                .map(|wave| wave.value(cycle, chosen.peak, |m| passes(s, code, umask, tid_en, m)));
            parts.sum()
        };
        let thresh = if s.edge { s.thresh.max(1) } else { s.thresh };
        let value = match thresh {
            0 => value,
            thresh => u64::from(value >= thresh),
        };
        total += if s.edge {
            u64::from(value != 0 && before == 0)
        } else {
            value
        };
        before = value;
    }
    moments
        .iter()
        .map(|moment| totals.get(moment).copied().unwrap_or(total))
        .collect()
}

fn rate(s: &Setting, ext: u64, code: u8, signal: u8) -> u64 {
    let event = ext * 256 + u64::from(code);
    let id = (event * 9 + u64::from(signal)) * 128 + s.instance * 8 + s.package;
    (1 << 20) + id * 726_541 % (1 << 20)
}

impl Wave {
    fn value(&mut self, cycle: u64, peak: u64, passes: impl Fn(u64) -> bool) -> u64 {
        let (round, cycle) = (cycle / 32, cycle % 32);
        if cycle == 0 {
            self.transactions += u64::from(self.on);
            let after = (round + 1) * self.rate / (1 << 21);
            self.on = after > round * self.rate / (1 << 21);
            self.lets_through = passes(self.transactions);
        }
        if cycle / 4 != self.block || !self.on || !self.lets_through {
            return 0;
        }
        let values = match peak {
            1 => [1, 1, 1, 0],
            peak => [peak, peak.div_ceil(2), 1, 0],
        };
        values[(cycle % 4) as usize]
    }
}

#[test]
fn the_worked_example() {
    let setting = Setting {
        kind: "CBO",
        package: 1,
        instance: 2,
        counter: 0,
        ext: false,
        code: 0x35,
        umask: 0x03,
        thresh: 0,
        edge: false,
        tid_en: false,
        filter0: 0,
        filter1: 0x182 << 20,
        counter0: (0, 0, false),
    };
    assert_eq!(count(rows(), &setting, 1_000_000), 222);
}
