// SPDX-License-Identifier: GPL-2.0

//! What files say, against strings written by hand and against the parser.

use kernel::prelude::*;

#[kunit_tests(uncore_sysfs)]
mod suite {
    use super::super::super::{
        event::parse,
        field::{
            scatter,
            Words, //
        },
        reject::tests::Text,
        testing::KIND, //
    };
    use super::super::*;

    fn fact(attribute: Attribute) -> Result<Text> {
        let mut text = Text::new();
        show_fact(&KIND, &attribute, &mut text).map_err(|_| ENOMEM)?;
        Ok(text)
    }

    fn event(name: &str, row: Option<&str>) -> Result<Text> {
        let event = KIND.events.iter().find(|event| event.name == name);
        let event = event.ok_or(EINVAL)?;
        let row = event.subevents.iter().find(|sub| Some(sub.name) == row);
        fact(Attribute::Event(event, row))
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
        for (fixed, expected) in KIND.fixed.iter().zip(["event=0xff", "event=0xfe"]) {
            assert_eq!(fact(Attribute::Fixed(fixed))?.as_str(), expected);
        }
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
        for (index, expected) in expected.iter().enumerate() {
            assert_eq!(fact(Attribute::Format(index))?.as_str(), *expected);
        }
        assert_eq!(KIND.fields.len(), expected.len());
        Ok(())
    }

    #[test]
    fn capabilities_are_numbers() -> Result {
        assert_eq!(fact(Attribute::Counters)?.as_str(), "4");
        assert_eq!(fact(Attribute::Width)?.as_str(), "44");
        assert_eq!(fact(Attribute::FixedCounters)?.as_str(), "2");
        Ok(())
    }

    /// Reads an event's string as perf does, with a value for each parameter.
    fn words(text: &str) -> Result<Words> {
        let mut words = Words::default();
        for term in text.split(',') {
            let (name, value) = term.split_once('=').ok_or(EINVAL)?;
            let value = match value.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16).map_err(|_| EINVAL)?,
                None => 0x80,
            };
            let mut fields = KIND.fields.iter();
            let field = fields.find(|field| field.name == name).ok_or(EINVAL)?;
            let bits = scatter(field.bits, value);
            match field.word.name() {
                "config" => words.config |= bits,
                "config1" => words.config1 |= bits,
                _ => return Err(EINVAL),
            }
        }
        Ok(words)
    }

    #[test]
    fn every_named_event_is_accepted_by_the_parser() -> Result {
        let mut named = 0;
        for event in KIND.events {
            let rows = event.subevents.iter().filter(|row| row.unusable.is_none());
            let whole = event.subevents.is_empty().then_some(None);
            for row in Iterator::chain(whole.into_iter(), rows.map(Some)) {
                let text = fact(Attribute::Event(event, row))?;
                assert!(parse(&KIND, &words(text.as_str())?).is_ok());
                named += 1;
            }
        }
        assert_eq!(named, 15);
        Ok(())
    }
}
