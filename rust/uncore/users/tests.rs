// SPDX-License-Identifier: GPL-2.0

//! Events and the survey keep each other away.

use kernel::prelude::*;

#[kunit_tests(uncore_users)]
mod suite {
    use super::super::*;

    #[test]
    fn the_survey_waits_for_the_last_event() -> Result {
        let users = Users::new()?;
        let first = EventUse::begin(&users);
        let second = EventUse::begin(&users);
        assert!(first.is_some() && second.is_some());
        assert!(!users.begin_survey());
        drop(first);
        assert!(!users.begin_survey());
        drop(second);
        assert!(users.begin_survey());
        Ok(())
    }

    #[test]
    fn events_and_a_second_survey_wait_for_the_survey() -> Result {
        let users = Users::new()?;
        assert!(users.begin_survey());
        assert!(EventUse::begin(&users).is_none());
        assert!(!users.begin_survey());
        users.end_survey();
        assert!(EventUse::begin(&users).is_some());
        assert!(users.begin_survey());
        Ok(())
    }
}
