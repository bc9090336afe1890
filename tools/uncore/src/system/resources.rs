// SPDX-License-Identifier: GPL-2.0

//! Counters and filters that events can use: the file `events` in debugfs.

use std::collections::BTreeMap;

/// Counters and filters of an event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resources {
    /// The counters that can count it: `0,1`, or `fixed`.
    pub counters: String,
    /// The filters that have an effect on it.
    pub filters: Vec<String>,
}

/// By kind of box and event.
pub type AllResources = BTreeMap<(String, String), Resources>;

/// Reads `cbox tor_inserts.opcode counters=0,1 filters=opc`, a line each.
pub(super) fn parse(text: &str) -> AllResources {
    text.lines().filter_map(line).collect()
}

fn line(line: &str) -> Option<((String, String), Resources)> {
    let mut words = line.split_whitespace();
    let key = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut resources = Resources::default();
    for word in words {
        match word.split_once('=')? {
            ("counters", counters) => counters.clone_into(&mut resources.counters),
            ("filters", filters) => {
                resources.filters = filters.split(',').map(str::to_owned).collect();
            }
            // A later module may add words.
            _ => {}
        }
    }
    Some((key, resources))
}
