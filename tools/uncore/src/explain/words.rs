// SPDX-License-Identifier: GPL-2.0

//! Meanings of fields that have these names in other PMUs of perf, too. Of all other
//! fields, only the value is shown.

/// Describes a field with this value, as the predicate of a sentence.
pub(super) fn meaning(field: &str, value: u64) -> Option<String> {
    Some(match field {
        "event" => "selects the event".to_owned(),
        "umask" => "selects its sub-events, a bit for each or a code".to_owned(),
        "edge" => "counts how often the condition begins, not how long it lasts".to_owned(),
        "thresh" => format!("counts clocks with at least {value} at a time"),
        "interval" => format!("triggers the tracepoint interval after every {value} counts"),
        "occ_edge" => "counts how often the occupancy reaches thresh".to_owned(),
        "occ_invert" => "counts clocks with less than thresh".to_owned(),
        "tid_en" => "switches the thread filter on".to_owned(),
        name if name.starts_with("mask") => {
            format!(
                "selects the bits of {} that are compared",
                name.replacen("mask", "match", 1)
            )
        }
        name if name.starts_with("match") => {
            "is the value that packets are compared with".to_owned()
        }
        name if name.starts_with("filter_") => "counts only what has this value".to_owned(),
        _ => return None,
    })
}
