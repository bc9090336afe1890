// SPDX-License-Identifier: GPL-2.0

//! Events and the survey keep each other away.

use kernel::prelude::*;

#[kunit_tests(uncore_users)]
mod suite {
    use super::super::*;

    #[test]
    fn the_survey_waits_for_the_last_event() -> Result {
        let users = Users::new()?;
        assert!(users.begin_event());
        assert!(users.begin_event());
        assert!(!users.begin_survey());
        users.end_event();
        assert!(!users.begin_survey());
        users.end_event();
        assert!(users.begin_survey());
        Ok(())
    }

    #[test]
    fn events_and_a_second_survey_wait_for_the_survey() -> Result {
        let users = Users::new()?;
        assert!(users.begin_survey());
        assert!(!users.begin_event());
        assert!(!users.begin_survey());
        users.end_survey();
        assert!(users.begin_event());
        users.end_event();
        assert!(users.begin_survey());
        Ok(())
    }
}
