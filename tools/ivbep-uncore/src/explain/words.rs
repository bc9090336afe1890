// SPDX-License-Identifier: GPL-2.0

//! What fields mean that perf users know by these names from other PMUs, too.
//! Of all others, only the value is shown.

/// A field with this value, as part of a sentence.
pub(super) fn meaning(field: &str, value: u64) -> Option<String> {
    Some(match field {
        "event" => "selects the event".to_owned(),
        "umask" => "selects its sub-events, a bit for each or a code".to_owned(),
        "edge" => "counts how often it begins, not how long it lasts".to_owned(),
        "thresh" => format!("counts the clocks with at least {value} at once"),
        "interval" => format!("tells the tracepoint interval after each {value} counts"),
        "occ_edge" => "counts how often the occupancy gets there".to_owned(),
        "occ_invert" => "counts the clocks with less than thresh".to_owned(),
        "tid_en" => "switches the thread filter on".to_owned(),
        name if name.starts_with("mask") => {
            format!(
                "the bits of {} that are compared",
                name.replacen("mask", "match", 1)
            )
        }
        name if name.starts_with("match") => "what packets are compared with".to_owned(),
        name if name.starts_with("filter_") => "counts only what has this".to_owned(),
        _ => return None,
    })
}
