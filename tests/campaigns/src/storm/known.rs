// SPDX-License-Identifier: GPL-2.0

//! Allowed outcomes of a step, each with its reason.

/// An allowed outcome: its name and its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Known(pub(super) &'static str, pub(super) &'static str);

/// Actor (empty: any actor), step, outcome and its reason. The outcome of perf is a part
/// of its message.
#[rustfmt::skip]
const KNOWN: &[(&str, &str, Known)] = &[
    ("", "burst", Known("done", "")),
    ("", "skip", Known("done", "")),
    ("", "machine", Known("done", "")),
    ("", "look", Known("done", "")),
    ("", "look", Known("gone", "the driver or the PMU is not there")),
    ("", "write", Known("done", "")),
    ("CPUs", "write", Known("EBUSY", "the machine is being suspended")),
    ("functions", "write", Known("ENOENT", "the function or the driver is not there")),
    ("functions", "write", Known("ENODEV", "the function is not there, or not bound")),
    ("functions", "write", Known("EBUSY", "the function is bound already")),
    ("power", "suspend", Known("EBUSY", "a program could not be frozen in time")),
    ("", "suspend", Known("done", "")),
    ("", "load", Known("done", "")),
    ("", "load", Known("EEXIST", "it is loaded")),
    ("", "unload", Known("done", "")),
    ("", "unload", Known("EAGAIN", "an event is open")),
    ("", "unload", Known("ENOENT", "it is not loaded")),
    ("", "open", Known("done", "")),
    ("", "open", Known("ENODEV", "the box, its package or the CPU is away")),
    ("", "open", Known("no PMU", "the driver is not loaded, or no package has the box")),
    ("", "open", Known("ENOENT", "perf has the PMU's files, but the PMU not yet, or not any more")),
    ("", "open", Known("ENOENT, the PMU has gone", "the driver has just been unloaded")),
    ("", "open", Known("ENODEV, the PMU has gone", "the driver was just being unloaded")),
    ("", "count", Known("whole bursts, all the time", "")),
    ("", "count", Known("whole bursts, part of the time", "the box was away, or others had the counters or filters")),
    ("", "count", Known("nothing", "no burst passed, or none while it counted")),
    ("", "count", Known("of a broken box", "nobody knows what it counts")),
    ("", "perf stat", Known("done", "")),
    ("", "perf stat", Known("No such device", "the box or its package is away")),
    ("", "perf stat", Known("Unable to find PMU", "the driver is not loaded, or no package has the box")),
    ("", "perf stat", Known("is not supported", "the boxes are away, or the driver is unloaded")),
    ("", "perf stat", Known("flex scanner failed", "a PMU went while perf read its files")),
    ("", "perf's count", Known("whole bursts", "")),
    ("", "perf's count", Known("nothing", "no burst passed, or none while it counted")),
    ("", "perf's count", Known("<not counted>", "it never had its turn")),
    ("", "perf's count", Known("<not supported>", "the box is away, or the driver is unloaded")),
];

/// Returns the entry of an outcome, if it is allowed.
pub(super) fn explain(actor: &str, what: &str, outcome: &str) -> Option<Known> {
    let mut all = KNOWN.iter();
    let (.., known) = all.find(|(who, step, known)| {
        let says = || outcome.strip_prefix("failed: ")?.find(known.0);
        let is = outcome == known.0 || says().is_some();
        ["", actor].contains(who) && *step == what && is
    })?;
    Some(*known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_explained_is_known() {
        let name = |who, what, outcome| explain(who, what, outcome).map(|known| known.0);
        assert_eq!(name("loader", "unload", "EAGAIN"), Some("EAGAIN"));
        assert_eq!(name("loader", "unload", "EIO"), None);
        assert_eq!(name("CPUs", "write", "EBUSY"), Some("EBUSY"));
        assert_eq!(name("functions", "write", "EIO"), None);
    }
}
