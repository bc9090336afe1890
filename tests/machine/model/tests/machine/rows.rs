// SPDX-License-Identifier: GPL-2.0

//! tests/data/ivbep-events.csv as these tests read it, apart from the model.

use std::sync::OnceLock;

/// One row of tests/data/ivbep-events.csv.
#[derive(Debug, Clone, serde::Deserialize)]
pub(crate) struct Row {
    #[serde(rename = "box")]
    pub(crate) kind: String,
    pub(crate) event: String,
    pub(crate) code: String,
    pub(crate) ext_sel: String,
    pub(crate) subevent: String,
    pub(crate) umask: String,
    pub(crate) counters: String,
    pub(crate) max_inc: String,
    pub(crate) filter: String,
    pub(crate) source: String,
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
