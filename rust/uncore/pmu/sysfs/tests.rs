// SPDX-License-Identifier: GPL-2.0

//! Terms of an event. Tests of the whole driver compare all files with the catalogue of events.

use kernel::prelude::*;

#[kunit_tests(uncore_sysfs)]
mod suite {
    use super::super::{
        event::{
            Resources,
            Terms, //
        },
        *,
    };
    use crate::uncore::{
        request::reject::tests::{
            printed,
            Text, //
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

    #[test]
    fn a_filter_that_an_event_and_its_sub_event_need_is_named() -> Result {
        const ROW: SubEvent = table::sub("here", 0x01).filter(NODE);
        static TWICE: Event = table::event("twice", 0x50, 0b1010, 1)
            .filter(NODE)
            .listed("made up", &[ROW]);
        let terms = Terms::Event(&TWICE, TWICE.subevents.first());
        let mut text = Text::new();
        terms.show(&KIND, &mut text).map_err(|_| ENOMEM)?;
        assert_eq!(text.as_str(), "event=0x50,umask=0x01,filter_node=?");
        let resources = Resources { kind: &KIND, terms };
        let text = printed(fmt!("{resources}"))?;
        assert_eq!(text.as_str(), " counters=1,3 filters=node");
        Ok(())
    }
}
