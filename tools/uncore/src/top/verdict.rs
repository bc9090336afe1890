// SPDX-License-Identifier: GPL-2.0

//! One sentence on what is full, and where the load comes from.
//!
//! Says nothing of what is not known. The thresholds are below; the manual page of `top` has
//! them, too.

use uncore_metrics::Digits;

use super::digest::{Amount, Digest, Load, Part, Rate, Socket};
use crate::overview::Impossible;
use crate::table::counted;

/// A channel or a link is full from this share of its peak. The rest is lost: memory is
/// refreshed and turns between reads and writes, links send headers.
pub(super) const FULL: f64 = 0.8;
/// Less of the peak than this is not worth a word on where it comes from.
const IDLE: f64 = 0.05;
/// If nothing uses this share of its peak, the machine is idle.
const UNUSED: f64 = 0.01;
/// Reads from other sockets are told from this share of all reads.
const REMOTE: f64 = 0.3;
/// A link is told as the way of data if this share of what its socket sends is on it.
const OVER: f64 = 0.8;
/// A limit is told if it holds for this share of the time.
const LIMITED: f64 = 0.1;

/// Words for a box of a part, one and many.
const BOXES: [(&str, &str, &str); 2] =
    [("memory", "channel", "channels"), ("link", "link", "links")];

/// Words for what limits the frequency of the cores. A limit by the operating system is what
/// the user chose.
const LIMITS: [(&str, &str, &str); 2] = [
    ("power", "budget", "the power budget"),
    ("power", "heat", "heat"),
];

/// A box that has a peak.
struct Place<'a> {
    socket: u32,
    part: &'a str,
    box_name: &'a str,
    /// Share of the peak, if it is known.
    used: Option<f64>,
    evidence: Evidence,
}

/// Facts to judge by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Evidence {
    Enough,
    /// It was counted for too short a time.
    Little,
    /// What could move was not counted.
    Peakless,
    None,
}

/// Verbs of a sentence: on an interval that is shown, or on a run that is over.
pub(super) struct Tense {
    is: &'static str,
    are: &'static str,
    moves: &'static str,
    move_: &'static str,
    come: &'static str,
    limits: &'static str,
}

/// What happens now.
pub(super) const NOW: Tense = Tense {
    is: "is",
    are: "are",
    moves: "moves",
    move_: "move",
    come: "come",
    limits: "limits",
};

/// What happened in a run.
pub(super) const PAST: Tense = Tense {
    is: "was",
    are: "were",
    moves: "moved",
    move_: "moved",
    come: "came",
    limits: "limited",
};

/// Returns the sentence on an interval. The machine may have gaps: boxes that only some of its
/// sockets lack.
pub(super) fn verdict(digest: &Digest, has_gaps: bool, verbs: &Tense) -> String {
    if digest.sockets.is_empty() {
        return format!("Nothing {} counted.", verbs.is);
    }
    let sockets = digest.sockets.iter();
    let places: Vec<Place> = sockets.flat_map(places).collect();
    let mut said = impossible(&places, verbs);
    let possible = |place: &&Place| place.impossible().is_none();
    let others: Vec<&Place> = places.iter().filter(possible).collect();
    if said.is_empty() || others.iter().any(|place| place.is_full()) {
        said.push(fullness(&others, has_gaps || !said.is_empty(), verbs));
    }
    said.extend(unknown(&places, Evidence::None, "not counted", verbs));
    said.extend(unknown(
        &places,
        Evidence::Peakless,
        "counted without what could move",
        verbs,
    ));
    said.extend(unknown(
        &places,
        Evidence::Little,
        "not counted long enough",
        verbs,
    ));
    let fullest = fullest(&places.iter().collect::<Vec<_>>()).filter(|place| place.is_full());
    said.extend(remote(digest, fullest.map(|place| place.socket), verbs));
    said.extend(limit(digest, verbs));
    let mut sentence = said.join("; ") + ".";
    if let Some(first) = sentence.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    sentence
}

/// The boxes of a socket that have a peak.
fn places(socket: &Socket) -> Vec<Place<'_>> {
    let parts = socket.parts.iter().filter(|part| part.is_by_box());
    let with_peak = parts.filter(|part| part.sum.peak.is_some());
    let places = with_peak.flat_map(|part| {
        part.boxes.iter().map(|(name, load)| {
            let evidence = evidence(load);
            Place {
                socket: socket.number,
                part: &part.name,
                box_name: name,
                used: load.used().filter(|_| evidence == Evidence::Enough),
                evidence,
            }
        })
    });
    places.collect()
}

fn evidence(load: &Load) -> Evidence {
    if load.lacks_peak() {
        Evidence::Peakless
    } else if load.all().any(|amount| amount.rate.exact().is_none()) {
        Evidence::None
    } else if load.all().any(|amount| sure(amount).is_none()) {
        Evidence::Little
    } else {
        Evidence::Enough
    }
}

/// Returns an amount that is known, and was counted long enough.
fn sure(amount: &Amount) -> Option<f64> {
    let is_short = Digits::of_share(amount.counted) == Digits::One;
    amount.rate.exact().filter(|_| !is_short)
}

/// The place that is closest to its peak.
fn fullest<'a>(places: &[&'a Place<'a>]) -> Option<&'a Place<'a>> {
    let known = places.iter().copied();
    let known = known.filter(|place| place.used.is_some());
    known.reduce(|one, other| if other.used > one.used { other } else { one })
}

impl Place<'_> {
    fn is_full(&self) -> bool {
        self.used.is_some_and(|used| used >= FULL)
    }

    fn impossible(&self) -> Option<Impossible> {
        self.used.and_then(Impossible::of)
    }

    fn name(&self) -> String {
        let (one, _) = words(self.part);
        format!("socket {}, {one} {}", self.socket, self.box_name)
    }
}

fn words(part: &str) -> (&str, &str) {
    let found = BOXES.iter().find(|(known, _, _)| *known == part);
    found.map_or((part, part), |(_, one, many)| (one, many))
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// Says what moves amounts that it cannot.
fn impossible(places: &[Place], verbs: &Tense) -> Vec<String> {
    let Tense { moves, move_, .. } = verbs;
    let kind = |how: Impossible| {
        let those = places
            .iter()
            .filter(|place| place.impossible() == Some(how));
        let those: Vec<&Place> = those.collect();
        let far = |place: &Place| place.used.map_or(0.0, f64::abs);
        let farthest = those
            .iter()
            .reduce(|a, b| if far(b) > far(a) { b } else { a })?;
        let (name, share) = (farthest.name(), percent(farthest.used.unwrap_or_default()));
        let amount = how.words();
        Some(if those.len() == 1 {
            format!("impossible: {name} {moves} {amount} ({share})")
        } else {
            let kinds = kinds(&those);
            format!("impossible: {kinds} {move_} {amount}, most of all {name} ({share})")
        })
    };
    Impossible::ALL.into_iter().filter_map(kind).collect()
}

/// Says what is full.
fn fullness(places: &[&Place], has_gaps: bool, verbs: &Tense) -> String {
    let Tense { is, are, .. } = verbs;
    let Some(fullest) = fullest(places) else {
        return match places {
            [] => "what is full cannot be told: this machine does not count how much could move"
                .into(),
            _ => "what is full cannot be told".into(),
        };
    };
    let most = percent(fullest.used.unwrap_or_default());
    let full = places.iter().copied().filter(|place| place.is_full());
    let full: Vec<&Place> = full.collect();
    let alike = |one: &Place, other: &Place| (one.socket, one.part) == (other.socket, other.part);
    let all = places.iter().filter(|place| alike(place, fullest)).count();
    match full.as_slice() {
        [] => {
            let has_evidence = |place: &&Place| place.evidence == Evidence::Enough;
            let what = if !has_gaps && places.iter().all(has_evidence) {
                format!("nothing {is} full")
            } else {
                format!("nothing that {is} counted {is} full")
            };
            if fullest.used < Some(UNUSED) {
                return format!("{what}, all {is} idle");
            }
            format!("{what}, most used {is} {} ({most})", fullest.name())
        }
        [one] => format!("{} {is} full ({most})", one.name()),
        many if many.len() == all && many.iter().all(|one| alike(one, fullest)) => {
            let (_, boxes) = words(fullest.part);
            let socket = fullest.socket;
            format!("all {all} {boxes} of socket {socket} {are} full (up to {most})")
        }
        many => {
            let (kinds, name) = (kinds(many), fullest.name());
            format!("{kinds} {are} full, most of all {name} ({most})")
        }
    }
}

/// Formats `4 channels and 1 link`.
fn kinds(places: &[&Place]) -> String {
    let kinds = BOXES.iter().filter_map(|(part, one, more)| {
        let count = places.iter().filter(|place| place.part == *part).count();
        (count > 0).then(|| counted(count, one, more))
    });
    kinds.collect::<Vec<_>>().join(" and ")
}

/// Says what has a peak, but too little evidence.
fn unknown(places: &[Place], lack: Evidence, words: &str, verbs: &Tense) -> Option<String> {
    let unknown: Vec<&Place> = places
        .iter()
        .filter(|place| place.evidence == lack)
        .collect();
    match unknown.as_slice() {
        [] => None,
        [one] => Some(format!("{} {} {words}", one.name(), verbs.is)),
        many => Some(format!("{} {} {words}", kinds(many), verbs.are)),
    }
}

/// Says which share of a socket's reads comes from others: of this socket, if it is a large one
/// there, or of that with the largest share.
fn remote(digest: &Digest, socket: Option<u32>, verbs: &Tense) -> Option<String> {
    let shares = digest.sockets.iter().filter_map(|socket| {
        let memory = socket.parts.iter().find(|part| part.is_of_socket());
        let used = memory.and_then(|part| part.sum.used());
        let is_idle = used.is_some_and(|used| used < IDLE);
        let home = &socket.part("home")?.sum;
        let local = sure(home.amount("local read")?)?;
        let remote = sure(home.amount("remote read")?)?;
        let share = remote / (local + remote);
        (!is_idle && share >= REMOTE).then_some((socket, share))
    });
    let shares: Vec<_> = shares.collect();
    let wanted = shares.iter().find(|(one, _)| Some(one.number) == socket);
    let largest = || shares.iter().reduce(|a, b| if b.1 > a.1 { b } else { a });
    let (socket, share) = wanted.or_else(largest)?;
    let way = socket.part("link").and_then(way);
    let way = way.map_or(String::new(), |link| format!(", over link {link}"));
    let (share, number, come) = (percent(*share), socket.number, verbs.come);
    Some(format!(
        "{share} of the reads of socket {number} {come} from other sockets{way}"
    ))
}

/// The link on which nearly all data leave a socket, if it is one of several.
fn way(links: &Part) -> Option<&str> {
    let sent = sure(links.sum.amount("data")?)?;
    let mut links = links.boxes.iter();
    let (name, _) = links.find(|(_, load)| {
        let data = load.amount("data").and_then(sure);
        data.is_some_and(|data| sent > 0.0 && data / sent >= OVER)
    })?;
    Some(name)
}

/// Says what limits the frequency of the cores for the longest time.
fn limit(digest: &Digest, verbs: &Tense) -> Option<String> {
    let mut longest: Option<(f64, u32, &str)> = None;
    for socket in &digest.sockets {
        for (part, what, words) in LIMITS {
            let load = socket.part(part).map(|part| &part.sum);
            let share = load.and_then(|load| {
                sure(load.peak.as_ref()?)?;
                load.share(Rate::Exact(sure(load.amount(what)?)?))
            });
            let longer = share.filter(|share| longest.is_none_or(|(most, ..)| *share > most));
            if let Some(share) = longer {
                longest = Some((share, socket.number, words));
            }
        }
    }
    let (share, socket, what) = longest.filter(|(share, ..)| *share >= LIMITED)?;
    let (share, limits) = (percent(share), verbs.limits);
    Some(format!(
        "{what} {limits} the cores of socket {socket} {share} of the time"
    ))
}

#[cfg(test)]
mod tests;
