// SPDX-License-Identifier: GPL-2.0

//! Sentences that are not covered by the suites of the parser, errnos, and the log.

use super::RejectReason;
use kernel::{
    fmt,
    prelude::*, //
};

/// A text to print into.
pub(crate) struct Text(KVec<u8>);

impl Text {
    /// An empty text.
    pub(crate) fn new() -> Self {
        Self(KVec::new())
    }

    /// The printed text.
    pub(crate) fn as_str(&self) -> &str {
        core::str::from_utf8(&self.0).unwrap_or("not UTF-8")
    }
}

impl fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let bytes = text.as_bytes();
        self.0
            .extend_from_slice(bytes, GFP_KERNEL)
            .map_err(|_| fmt::Error)
    }
}

pub(crate) fn printed(arguments: fmt::Arguments<'_>) -> Result<Text> {
    let mut text = Text::new();
    fmt::Write::write_fmt(&mut text, arguments).map_err(|_| ENOMEM)?;
    Ok(text)
}

/// The sentence of a rejection.
pub(crate) fn text(rejection: &RejectReason) -> Result<Text> {
    printed(fmt!("{rejection}"))
}

#[kunit_tests(uncore_reject)]
mod suite {
    use super::{
        super::{
            super::{
                filter_units::{
                    Conflict,
                    OtherCriterion, //
                },
                name::{
                    BoxName,
                    SelectTerms, //
                }, //
            }, //
            log::{
                Entry,
                Log,
                CAPACITY, //
            },
            *,
        },
        printed,
        text, //
    };
    use crate::{
        linux::user::User,
        uncore::{
            absence::MissingReason,
            table::{
                field::Words,
                prelude::*, //
            },
            testing::KIND, //
        }, //
    };

    static ADDRESS: Field = field(
        "filter_addr",
        Word::Config1,
        bits::<0, 45>(),
        Role::Filter(0),
    );

    #[test]
    fn reasons_from_elsewhere_have_sentences() -> Result {
        let name = EventName {
            event: KIND.event(0x35).ok_or(EINVAL)?,
            field: "umask",
            umask: 1,
        };
        #[rustfmt::skip]
        let rows = [
            (RejectReason::Sampling,
             "sampling (a period, a frequency, :p or branches) is not possible, the uncore can only \
             count: use perf stat (and the field interval, where there is one, for a tracepoint \
             after each N counts)"),
            (RejectReason::Task,
             "the uncore counts for a whole package and cannot follow a task: use -a or -C (perf \
              tries this by itself, too, to see why an event was refused)"),
            (RejectReason::MayNotCount("exclude_kernel"),
             "this user may not count, as perf_event_paranoid is 2 or more and CAP_PERFMON is \
              missing, or by a security module (exclude_kernel is set, which perf then does by \
              itself)"),
            (RejectReason::Excluded("exclude_user"),
             "exclude_user is set, but the uncore does not know in which mode a core causes traffic"),
            (RejectReason::Excluded("exclude_guest"),
             "exclude_guest is set, but the uncore does not know in which mode a core causes \
              traffic (older perfs try this by themselves, too)"),
            (RejectReason::AbsentCpu(Cpu::new(0).ok_or(EINVAL)?),
             "CPU 0 is not present, so that its package is unknown"),
            (RejectReason::NoBox(1, MissingReason::BeyondCount(8)),
             "package 1 has no such box: the package has 8"),
            (RejectReason::NoBox(0, MissingReason::Removed),
             "package 0 has no such box: its PCI function was removed"),
            (RejectReason::NoFilters(name, 1, MissingReason::Removed),
             "insert.opcode needs the PCI function with the filters of the box, which package 1 \
              lacks: its PCI function was removed"),
            (RejectReason::NoBits(&ADDRESS, 0x8000, 1),
             "filter_addr has bits that the box lacks in package 1 (0x8000): it does not keep \
              them"),
            (RejectReason::NoPreset(&ADDRESS, 1),
             "filter_addr needs counters that can be written, and those of the box in package 1 do not \
              keep what is written"),
            (RejectReason::NoFixed(&KIND.fixed[0], 1),
             "package 1 has no counter ticks: its registers cannot be accessed"),
        ];
        for &(ref rejection, sentence) in &rows {
            assert_eq!(text(rejection)?.as_str(), sentence);
        }
        Ok(())
    }

    #[test]
    fn reasons_of_groups_have_sentences() -> Result {
        let event = KIND.event(0x1f).ok_or(EINVAL)?;
        let conflict = Conflict {
            unit: 3,
            copy: 3,
            has: 0x180 << 48,
            wanted: 0x80 << 48,
        };
        let other = OtherCriterion {
            has: 0b0010,
            wanted: 0b1100,
        };
        #[rustfmt::skip]
        let rows = [
            (RejectReason::Group(GroupFault::Foreign),
             "the group has a hardware event of another PMU, and only events of one box can be \
              counted together"),
            (RejectReason::Group(GroupFault::OtherPackage(1)),
             "the group counts in package 1, and this CPU is in another"),
            (RejectReason::Group(GroupFault::SourceMissing(event)),
             "shown shows the occupancy that is selected on counter 0: put an occupancy event \
              before it in its group"),
            (RejectReason::Group(GroupFault::NoCounter("shown", 0b1110)),
             "the group needs more counters than there are: shown can only use 1-3"),
            (RejectReason::Group(GroupFault::FixedTaken("ticks")),
             "the group needs more counters than there are: the box has one fixed counter ticks"),
            (RejectReason::Group(GroupFault::Filters(&KIND, conflict, None)),
             "the group needs two values of filter_special (0x1 and 0x0), which all counters of a \
              box share"),
            (RejectReason::Group(GroupFault::Filters(&KIND, conflict, Some(event))),
             "the group needs two values of filter_special (0x1 and 0x0), which all counters of a \
              box share: shown has the first"),
            (RejectReason::Group(GroupFault::Criteria(&KIND, other, Some(event))),
             "the group filters by state and by node+opcode, and the box may compare only one of \
              these at a time: count them apart, or load the module with filters=several; shown \
              has the first"),
        ];
        for &(ref rejection, sentence) in &rows {
            assert_eq!(text(rejection)?.as_str(), sentence);
        }
        Ok(())
    }

    #[test]
    fn a_missing_privilege_is_told_with_the_field() -> Result {
        assert_eq!(
            text(&RejectReason::NotPermitted(&INTERVAL))?.as_str(),
            "interval needs root or CAP_PERFMON, whatever perf_event_paranoid is: each interval \
             freezes the counters of all users"
        );
        assert_eq!(
            text(&RejectReason::NotPermitted(&ADDRESS))?.as_str(),
            "filter_addr needs root or CAP_PERFMON, whatever perf_event_paranoid is: it shows \
             when other users access an address"
        );
        Ok(())
    }

    #[test]
    fn errnos_are_those_perf_explains() -> Result {
        let name = EventName {
            event: KIND.event(0x35).ok_or(EINVAL)?,
            field: "umask",
            umask: 1,
        };
        let rows = [
            (RejectReason::Sampling, eopnotsupp()),
            (RejectReason::Task, EINVAL),
            (RejectReason::NoBox(0, MissingReason::Unseen), ENODEV),
            (unknown_event(1), EINVAL),
            (RejectReason::MayNotCount("exclude_kernel"), EACCES),
            (RejectReason::NotPermitted(&INTERVAL), EACCES),
            (
                RejectReason::NoFilters(name, 0, MissingReason::Unseen),
                ENODEV,
            ),
            (RejectReason::NoBits(&ADDRESS, 0x8000, 0), ENODEV),
            (RejectReason::NoFixed(&KIND.fixed[0], 0), ENODEV),
            (RejectReason::Group(GroupFault::FixedTaken("ticks")), EINVAL),
        ];
        for (rejection, errno) in rows {
            assert_eq!(rejection.errno().0, errno);
        }
        Ok(())
    }

    fn unknown_event(select: u64) -> RejectReason {
        let fields = KIND.fields;
        RejectReason::UnknownEvent(SelectName(SelectTerms { fields, select }))
    }

    fn entry(ns: u64) -> Entry {
        Entry {
            ns,
            user: User::current(),
            name: BoxName {
                kind: &KIND,
                index: 3,
            },
            words: Words {
                config: 0x77,
                config4: 1,
                ..Words::default()
            },
            rejection: unknown_event(0x77),
            times: 1,
        }
    }

    #[test]
    fn a_line_says_when_what_and_why() -> Result {
        let line = printed(fmt!("{}", entry(12_345_678_999)))?;
        let expected = "[   12.345678] test_3: there is no event 0x77 \
                        [EINVAL config=0x77 config1=0x0 config2=0x0 config4=0x1]";
        assert_eq!(line.as_str(), expected);
        Ok(())
    }

    #[test]
    fn the_log_keeps_the_last_ones_in_order() -> Result {
        let capacity = CAPACITY as u64;
        for pushed in [0, 1, capacity - 1, capacity, capacity + 1, 3 * capacity + 5] {
            let mut log = Log::new()?;
            for ns in 0..pushed {
                let words = Words {
                    config: ns,
                    ..Words::default()
                };
                log.push(Entry { words, ..entry(ns) });
            }
            let oldest = pushed.saturating_sub(capacity);
            assert!(log.iter().map(|entry| entry.ns).eq(oldest..pushed));
        }
        Ok(())
    }

    #[test]
    fn repetitions_in_a_row_share_a_line() -> Result {
        let task = |ns| Entry {
            rejection: RejectReason::Task,
            ..entry(ns)
        };
        let other = |ns| Entry {
            words: Words::default(),
            ..task(ns)
        };
        let mut log = Log::new()?;
        for entry in [
            entry(1),
            entry(2),
            task(3),
            task(4),
            task(5),
            other(6),
            task(7),
        ] {
            log.push(entry);
        }
        let lines = log.iter().map(|entry| (entry.ns, entry.times));
        assert!(lines.eq([(2, 2), (5, 3), (6, 1), (7, 1)]));
        let first = log.iter().next().ok_or(EINVAL)?;
        assert!(printed(fmt!("{first}"))?.as_str().ends_with("] 2 times"));
        Ok(())
    }
}
