// SPDX-License-Identifier: GPL-2.0

//! Events, their sub-events and presets.

/// An event select and its sub-events. Made with `event`.
///
/// `SOURCE` is `true` if its row names a source: a table or section of the manual, or [`LISTS`].
#[derive(Clone, Copy)]
pub(crate) struct Event<const SOURCE: bool = true> {
    /// Lower-case name of the manual.
    pub(crate) name: &'static str,
    /// Event select, extension included, the bits of `Control::select` in place.
    pub(crate) select: u32,
    /// Bit mask of the general counters that can count it.
    pub(crate) counters: u8,
    /// Largest number that it can add in a clock.
    pub(crate) max_increment: u16,
    /// Filter units it needs whatever the umask, as a bit mask of unit indexes.
    pub(crate) filters: u16,
    /// The copy that it uses of each of its units that has several.
    pub(crate) copy: u8,
    /// Umasks that it takes.
    pub(crate) umasks: Umasks,
    /// The other event that it depends on, if any.
    pub(crate) needs: Needs,
    /// Its class.
    pub(crate) class: Class,
    /// Sub-events; empty for an event without them. A row with the umask 0 and no name stands for
    /// the event without a sub-event, if that is an event, too.
    pub(crate) subevents: &'static [SubEvent],
    /// Other names, most with values of its threshold and filters. Few events have any, so this is
    /// one pointer.
    pub(crate) presets: &'static &'static [Preset],
    /// Natural unit of the event itself, for events without sub-events.
    pub(crate) unit: Option<Unit>,
}

const _: () = assert!(size_of::<Event>() == 56);

/// Source of an event that the manual leaves out and only public event lists give.
pub(crate) const LISTS: &str = "lists";

/// Umasks that an event takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Umasks {
    /// No sub-events: zero.
    Zero,
    /// One sub-event, or several of them ORed that do not exclude each other. The umask needs the
    /// filters of every sub-event whose bits it contains. If the event needs a bit of each of two
    /// parts of the umask, its sub-events are the pairs.
    Combined,
    /// One of the sub-events, of which 0 can be one; the umask needs the filters of that one.
    Listed,
    /// One of the sub-events, with or without these bits. The bits add the filters of the
    /// sub-events that contain them.
    ListedWith(u8),
}

/// Class of an event that some fields and registers treat apart.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// None of the others.
    Plain,
    /// It adds up the entries of a queue, or the cores in a state. Set only in boxes that treat such
    /// events apart: `Control::queue_reset`, `Role::OccupancyEdge`, `Role::OccupancyInvert`.
    Occupancy,
}

/// Dependence of an event on another event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Needs {
    /// No dependence.
    Nothing,
    /// The event shows what an event that is [`Needs::Source`] selects on counter 0 of the box.
    SourceOnCounter0,
    /// No dependence; the event can be the one that [`Needs::SourceOnCounter0`] needs.
    Source,
}

/// Values of an event's threshold and filters with a name. Made with `preset`. Without
/// values it is a second name of an event without sub-events.
///
/// `SOURCE` is `true` if its row names a source, as in [`Event`].
#[derive(Clone, Copy)]
pub(crate) struct Preset<const SOURCE: bool = true> {
    /// The whole name in `events/`.
    pub(crate) name: &'static str,
    /// Umask, threshold and enable fields of filters, in place.
    pub(crate) config: u64,
    pub(crate) config1: u64,
    pub(crate) config2: u64,
}

/// A value of the umask with a name. Made with `sub`.
///
/// Two sub-events may have one umask, one with the manual's name and one with that of the lists or
/// of the in-tree driver.
#[derive(Clone, Copy)]
pub(crate) struct SubEvent {
    /// Lower-case name of the manual.
    pub(crate) name: &'static str,
    /// Whose name that is.
    pub(crate) naming: Naming,
    pub(crate) umask: u8,
    /// Filter units this umask needs, as a bit mask of unit indexes.
    pub(crate) filters: u16,
    /// Bits that must be 0 in a umask with it; all that are not its own if it counts only alone.
    pub(crate) excludes: u8,
    /// Natural unit, if any.
    pub(crate) unit: Option<Unit>,
}

const _: () = assert!(size_of::<SubEvent>() == 24);

/// Whose name a sub-event has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    /// The manual's.
    Manual,
    /// That of public event lists or of the in-tree driver, though the manual has the event.
    Lists,
    /// That of the lists, and the whole name in `events/`, without the event's name before it. They
    /// give some umasks of an event under another event's name.
    Whole,
}

/// A natural unit for perf's `.unit` and `.scale` files: what one count stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// A cache line of 64 bytes.
    Line,
    /// 8 bytes.
    EightBytes,
    /// A clock of 800 MHz.
    Clock800,
}
