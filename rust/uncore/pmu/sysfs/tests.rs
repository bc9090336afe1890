// SPDX-License-Identifier: GPL-2.0

//! The content of files, against strings written by hand and against the parser.

use super::{
    event::Terms,
    show_fact,
    Fact, //
};
use crate::uncore::{
    request::reject::tests::Text,
    table::{
        box_type::{
            BoxType,
            Word, //
        },
        field::{
            scatter,
            Words, //
        }, //
    }, //
};
use kernel::prelude::*;

/// Returns the content of a file, without its newline.
pub(crate) fn content(kind: &'static BoxType, fact: Fact) -> Result<Text> {
    let mut text = Text::new();
    show_fact(kind, fact, &mut text).map_err(|_| ENOMEM)?;
    Ok(text)
}

/// Returns the terms of an event.
pub(crate) fn printed_terms(kind: &'static BoxType, terms: Terms) -> Result<Text> {
    let mut text = Text::new();
    terms.show(kind, &mut text).map_err(|_| ENOMEM)?;
    Ok(text)
}

/// Parses the terms of an event as perf does, with a value for each parameter.
pub(crate) fn words(kind: &BoxType, text: &str) -> Result<Words> {
    let mut words = Words::default();
    for term in text.split(',') {
        let (name, value) = term.split_once('=').ok_or(EINVAL)?;
        let value = match value.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).map_err(|_| EINVAL)?,
            None => 0x80,
        };
        let field = kind.fields.iter().find(|field| field.name == name);
        let field = field.ok_or(EINVAL)?;
        let bits = scatter(field.bits, value);
        match field.word {
            Word::Config => words.config |= bits,
            Word::Config1 => words.config1 |= bits,
            Word::Config2 => words.config2 |= bits,
        }
    }
    Ok(words)
}

#[kunit_tests(uncore_sysfs)]
mod suite {
    use super::{
        super::{
            event::{
                Named,
                Resources,
                Terms, //
            },
            *,
        },
        content,
        printed_terms,
        words, //
    };
    use crate::uncore::{
        request::{
            parser::parse,
            reject::tests::{
                printed,
                Text, //
            }, //
        },
        table::{
            self,
            box_type::{
                Event,
                SubEvent, //
            }, //
        },
        testing::*, //
    };

    fn event(name: &str, row: Option<&str>) -> Result<Text> {
        let event = KIND.events.iter().find(|event| event.name == name);
        let event = event.ok_or(EINVAL)?;
        let row = event.subevents.iter().find(|sub| Some(sub.name) == row);
        printed_terms(&KIND, Terms::Event(event, row))
    }

    #[test]
    fn events_carry_what_they_need() -> Result {
        #[rustfmt::skip]
        let rows = [
            ("clock",  None,           "event=0x00"),
            ("queue",  Some("writes"), "event=0x11,umask=0x04"),
            ("ring",   Some("noded"),  "event=0x1b,umask=0x40,filter_node=?"),
            ("lookup", Some("read"),   "event=0x34,umask=0x03"),
            ("lookup", Some("noded"),  "event=0x34,umask=0x41,filter_node=?"),
            ("insert", Some("all"),    "event=0x35,umask=0x08"),
            ("insert", Some("both"),   "event=0x35,umask=0x41,filter_node=?,filter_opcode=?"),
        ];
        for (name, row, expected) in rows {
            assert_eq!(event(name, row)?.as_str(), expected);
        }
        Ok(())
    }

    #[test]
    fn a_filter_that_an_event_and_its_sub_event_need_is_named() -> Result {
        const ROW: SubEvent = table::sub("here", 0x01).filter(NODE);
        static TWICE: Event = table::event("twice", 0x50, 0b1010, 1)
            .filter(NODE)
            .listed("made up", &[ROW]);
        let terms = Terms::Event(&TWICE, TWICE.subevents.first());
        let text = printed_terms(&KIND, terms)?;
        assert_eq!(text.as_str(), "event=0x50,umask=0x01,filter_node=?");
        let resources = Resources { kind: &KIND, terms };
        let text = printed(fmt!("{resources}"))?;
        assert_eq!(text.as_str(), " counters=1,3 filters=node");
        Ok(())
    }

    #[test]
    fn presets_can_have_a_sub_event_and_switch_filters_on() -> Result {
        #[rustfmt::skip]
        let rows = [
            ("event=0x35,umask=0x1,filter_opcode=0x85",
             " counters=0,1 filters=opcode"),
            ("event=0x35,umask=0x1,who_en=0x1,filter_who=0x3,filter_opcode=0x85",
             " counters=0,1 filters=who,opcode"),
            ("event=0x35,umask=0x41,filter_node=0x2,filter_opcode=0x85",
             " counters=0,1 filters=node,opcode"),
        ];
        let insert = KIND.events.iter().find(|event| event.name == "insert");
        let insert = insert.ok_or(EINVAL)?;
        assert_eq!(insert.presets.len(), rows.len());
        for (preset, (terms, resources)) in insert.presets.iter().zip(rows) {
            let kind = &KIND;
            let preset = Terms::Preset(insert, preset);
            assert_eq!(printed_terms(kind, preset)?.as_str(), terms);
            let shown = Resources {
                kind,
                terms: preset,
            };
            assert_eq!(printed(fmt!("{shown}"))?.as_str(), resources);
        }
        Ok(())
    }

    /// Returns whether the files of `events/` are these, in this order.
    fn has_files(kind: &'static BoxType, expected: &[(&str, &str, &str)]) -> Result<bool> {
        let mut expected = expected.iter();
        let mut all = true;
        each_named(kind, &mut |file: &Named| {
            let name = printed(fmt!("{}", file.name))?;
            let terms = content(kind, Fact::Event(file.index))?;
            let unit = content(kind, Fact::Unit(file.index))?;
            let file = (name.as_str(), terms.as_str(), unit.as_str());
            all &= expected.next() == Some(&file);
            Ok(())
        })?;
        Ok(all && expected.next().is_none())
    }

    #[test]
    fn files_have_the_names_of_the_tables() -> Result {
        #[rustfmt::skip]
        let link = [
            ("flits",            "event=0x00",                            ""),
            ("flits.data",       "event=0x00,umask=0x02",                 "MiB"),
            ("payload",          "event=0x00,umask=0x02",                 "MiB"),
            ("flits.other",      "event=0x00,umask=0x04",                 ""),
            ("queue",            "event=0x0b",                            ""),
            ("clock",            "event=0x14",                            ""),
            ("clockticks",       "event=0x14",                            ""),
            ("far.data",         "event=0x100,umask=0x01",                ""),
            ("far_off",          "event=0x100,umask=0x02",                ""),
            ("message",          "event=0x138,match_class=?",             ""),
            ("message.data",     "event=0x138,match_class=0xe,mask_opcode=0xc,mask_class=0xf", ""),
            ("message.data.any", "event=0x138,match_class=0xe,mask_class=0xf", ""),
            ("message.request",  "event=0x138,mask_class=0xf",            ""),
        ];
        assert!(has_files(&LINK, &link)?);
        #[rustfmt::skip]
        let power = [
            ("clock",            "event=0x00",                            ""),
            ("banded",           "event=0x0b,band=?",                     ""),
            ("occupancy.awake",  "event=0x80,state=0x01",                 ""),
            ("occupancy.asleep", "event=0x80,state=0x02",                 ""),
            ("sleep",            "event=0xfc",                            ""),
            ("deep",             "event=0xfd",                            ""),
            ("ticks",            "event=0xff",                            ""),
        ];
        assert!(has_files(&POWER, &power)?);
        Ok(())
    }

    #[test]
    fn a_umask_of_0_needs_no_term() -> Result {
        #[rustfmt::skip]
        let slice = [
            ("clock",            "event=0x00",                            ""),
            ("bank.0",           "event=0x10",                            ""),
            ("bank.1",           "event=0x10,umask=0x01",                 ""),
            ("bank.all",         "event=0x10,umask=0x10",                 ""),
            ("bank.busy",        "event=0x10,umask=0x10,thresh=0x3",      ""),
            ("answer.miss_code", "event=0x17,umask=0x11",                 ""),
            ("answer.hit_code",  "event=0x17,umask=0x12",                 ""),
            ("answer.miss_data", "event=0x17,umask=0x21",                 ""),
            ("answer.hit_data",  "event=0x17,umask=0x22",                 ""),
            ("detour.short",     "event=0x18,umask=0x01",                 ""),
            ("detour.shorter",   "event=0x18,umask=0x02",                 ""),
            ("detour.long",      "event=0x18,umask=0x04",                 ""),
            ("detour.longer",    "event=0x18,umask=0x08",                 ""),
        ];
        assert!(has_files(&SLICE, &slice)?);
        Ok(())
    }

    #[test]
    fn each_field_of_an_event_select_is_a_term() -> Result {
        #[rustfmt::skip]
        let gate = [
            ("opened",      "event=0x00",              ""),
            ("passed",      "event=0x01",              ""),
            ("passed_late", "event=0x01,late=0x01",    ""),
            ("closed",      "event=0x01,counter=0x01", ""),
            ("forced",      "event=0x1f,counter=0x01", ""),
            ("ticks",       "event=0x1f,late=0x01,counter=0x03", ""),
        ];
        assert!(has_files(&GATE, &gate)?);
        Ok(())
    }

    #[test]
    fn scales_are_those_of_the_units() -> Result {
        let mut scales = 0;
        each_named(&LINK, &mut |file: &Named| {
            let scale = content(&LINK, Fact::Scale(file.index))?;
            scales += usize::from(scale.as_str() == "7.62939453125e-6");
            Ok(())
        })?;
        assert_eq!(scales, 2);
        Ok(())
    }

    #[test]
    fn formats_are_the_fields() -> Result {
        let expected = [
            "config:0-7",
            "config:8-15",
            "config:18",
            "config:19",
            "config:24-31",
            "config1:0-4",
            "config1:8-13",
            "config1:32-39",
            "config1:48-55",
            "config1:56",
        ];
        for (expected, index) in expected.iter().zip(0..) {
            assert_eq!(content(&KIND, Fact::Format(index))?.as_str(), *expected);
        }
        assert_eq!(KIND.fields.len(), expected.len());
        // An extended event select, the choice of a set, a view of other fields.
        for (index, expected) in [(0, "config:0-7,21"), (4, "config:32"), (5, "config1:0-31")] {
            assert_eq!(content(&LINK, Fact::Format(index))?.as_str(), expected);
        }
        Ok(())
    }

    #[test]
    fn capabilities_are_told() -> Result {
        let rows = [
            (Fact::Counters, "4", "2"),
            (Fact::Width, "44", "48"),
            (Fact::FixedCounters, "2", "3"),
            (Fact::Filters, "who,state,node,opcode", "band"),
        ];
        for (fact, first, second) in rows {
            assert_eq!(content(&KIND, fact)?.as_str(), first);
            assert_eq!(content(&POWER, fact)?.as_str(), second);
        }
        Ok(())
    }

    #[test]
    fn every_named_event_is_accepted_by_the_parser() -> Result {
        let mut count = 0;
        each_named(&KIND, &mut |file: &Named| {
            let text = content(&KIND, Fact::Event(file.index))?;
            assert!(parse(&KIND, &words(&KIND, text.as_str())?).is_ok());
            count += 1;
            Ok(())
        })?;
        assert_eq!(count, 21);
        Ok(())
    }
}
