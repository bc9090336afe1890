// SPDX-License-Identifier: GPL-2.0

//! Fields for which a user needs CAP_PERFMON, whoever else may count.

use super::*;
use crate::{
    computer::{refusals_of, usual_machine},
    linux::{errno::eopnotsupp, perf::Exclude},
};
use kernel::error::{code::EACCES, Error};
use uncore_e2e::prelude::{BoxKind, Platform};

/// `ADDR_OPC_MATCH.ADDR`, `.OPC`, `.FILT` (both) and `CLOCKTICKS` of a home agent.
const BY_ADDRESS: u64 = 0x0120;
const BY_OPCODE: u64 = 0x0220;
const BY_BOTH: u64 = 0x0320;
const HA_CLOCK: u64 = 0x00;

/// `interval` of a second of its clock, and one that is too short.
const SECOND: u64 = 3_000_000_000 << 32;
const SHORT: u64 = 1 << 32;

/// Returns the error with which a home agent refuses an event that matches this address.
fn refusal(config: u64, address: u64) -> Option<Error> {
    let mut attr = attr(0, config);
    attr.words.config1 = address;
    pmu("ha_0").open(&attr, None).err()
}

#[test]
fn a_user_without_the_capability_names_no_address_and_no_interval() {
    with_intervals("packages=1,cores=2", |host| {
        let rows = [
            (BY_ADDRESS, 0x1000, Some("filter_addr")),
            // The line at address 0.
            (BY_ADDRESS, 0, Some("filter_addr")),
            (BY_BOTH, 0x1000, Some("filter_addr")),
            (HA_CLOCK | SECOND, 0, Some("interval")),
            (BY_OPCODE, 0, None),
            (HA_CLOCK, 0, None),
        ];
        for (config, address, field) in rows {
            host.perfmon_capable.store(true, Relaxed);
            assert_eq!(refusal(config, address), None, "{config:#x}");
            host.perfmon_capable.store(false, Relaxed);
            let refused = refusal(config, address);
            assert_eq!(refused, field.map(|_| EACCES), "{config:#x}");
            if let Some(field) = field {
                let (last, words) = (last_refusal(), "needs root or CAP_PERFMON");
                assert!(last.contains(&format!("{field} {words}")), "{last}");
                assert!(last.contains("[EACCES "), "{last}");
            }
        }
    });
}

/// perf excludes the kernel by itself for a user who may not count, and shows the errno of that.
#[test]
fn an_excluded_mode_is_told_as_the_missing_capability_where_that_is_the_cause() {
    with_driver("packages=1,cores=2", "poll", |host| {
        let exclude = Exclude {
            kernel: true,
            hypervisor: true,
            ..Exclude::default()
        };
        let attr = Attr {
            exclude,
            ..attr(0, HA_CLOCK)
        };
        for (capable, error, sentence) in [
            (true, EINVAL, "exclude_kernel is set, but the uncore"),
            (false, EACCES, "this user may not count"),
        ] {
            host.perfmon_capable.store(capable, Relaxed);
            is_refused(pmu("ha_0").open(&attr, None), error, sentence);
        }
    });
}

/// Opens an event that does not exist, as a user.
fn refused(host: &Host, user: u32, config: u64) {
    host.user.store(user, Relaxed);
    assert_eq!(refusal(config, 0), Some(EINVAL));
}

/// Returns the config words of a user's last refusals.
fn configs(user: u32) -> Vec<u64> {
    let text = refusals_of(user);
    let configs = text.lines().map(|line| {
        let (_, config) = line.split_once("config=0x").expect("a word");
        let (config, _) = config.split_once(' ').expect("another word");
        u64::from_str_radix(config, 16).expect("a number")
    });
    configs.collect()
}

#[test]
fn a_user_reads_the_last_of_the_own_refusals_and_no_other() {
    with_driver("packages=1,cores=2", "poll", |host| {
        // No event has these selects.
        let events = || 0xe0..=0xff_u64;
        for config in events() {
            refused(host, 1000, config);
            if config % 8 == 0 {
                refused(host, 0, config);
            }
        }
        refused(host, 1001, 0xe0);
        refused(host, 1001, 0xe0);
        assert!(configs(1000).into_iter().eq(events().skip(16)));
        assert_eq!(configs(0), [0xe0, 0xe8, 0xf0, 0xf8]);
        assert_eq!(configs(1001), [0xe0]);
        assert!(refusals_of(1001).ends_with("] 2 times\n"));
        assert_eq!(refusals_of(1002), "");
        // Root's file in debugfs has all.
        assert_eq!(debugfs("rejections").lines().count(), 32 + 4 + 1);
    });
}

#[test]
fn no_user_makes_the_log_lose_the_refusals_of_another() {
    with_driver("packages=1,cores=2", "poll", |host| {
        for config in 0xe0..0xe8 {
            refused(host, 0, config);
        }
        refused(host, 1000, 0xf0);
        for round in 0..100_u64 {
            refused(host, 1001, 0xff | round << 8);
        }
        assert!(configs(0).into_iter().eq(0xe0..0xe8));
        assert_eq!(configs(1000), [0xf0]);
        let last = (84..100_u64).map(|round| 0xff | round << 8);
        assert!(configs(1001).into_iter().eq(last));
        assert_eq!(debugfs("rejections").lines().count(), 64);
    });
}

/// perf tries each event of many in a way that is refused, before and after a refusal.
#[test]
fn what_perf_tries_by_itself_hides_no_refusal() {
    with_driver("packages=1,cores=2", "poll", |host| {
        refused(host, 0, 0xff);
        for config in 0..20 {
            let mut attr = attr(0, config);
            attr.exclude.guest = true;
            assert_eq!(pmu("ha_0").open(&attr, None).err(), Some(EINVAL));
            attr.task = true;
            assert_eq!(pmu("ha_0").open(&attr, None).err(), Some(EINVAL));
        }
        assert_eq!(configs(0), [0xff, 19, 19]);
        assert_eq!(debugfs("rejections").lines().count(), 41);
    });
}

/// A file in sysfs has 4096 bytes.
#[test]
fn of_long_reasons_as_many_are_read_as_a_page_holds() {
    with_driver("packages=1,cores=2", "poll", |_| {
        for config in 0..16 {
            let mut attr = attr(0, u64::MAX - config);
            attr.sampling = true;
            assert_eq!(pmu("ha_0").open(&attr, None).err(), Some(eopnotsupp()));
        }
        let text = refusals_of(0);
        let longest = text.lines().map(|line| line.len() + 1).max();
        let longest = longest.expect("a refusal");
        assert!(text.len() <= 4096 && text.len() + longest > 4096);
        let newest = u64::MAX - 15;
        let shown = configs(0).into_iter().rev();
        assert!(shown.eq((newest..).take(text.lines().count())));
    });
}

/// Boxes S, B and M have a match of an address.
#[test]
fn a_user_without_the_capability_names_no_address_of_an_m_box() {
    let test = |host: &Arc<Host>| {
        let open = |config2| {
            // RETRIES.
            let mut attr = attr(0, 0x0b << 9);
            attr.words.config2 = config2;
            pmu("mbox_0").open(&attr, None).err()
        };
        let enabled = 1 << 63;
        assert_eq!(open(enabled | 0x40), None);
        host.perfmon_capable.store(false, Relaxed);
        assert_eq!(open(enabled | 0x40), Some(EACCES));
        // The line at address 0, and every other one whose bits are not compared.
        assert_eq!(open(enabled), Some(EACCES));
        assert_eq!(open(enabled | 0x2aaa << 34), Some(EACCES));
        assert_eq!(open(0), None);
    };
    Platform::with(BoxKind::Mbox).on(|| with_driver(&usual_machine(), "auto", test));
}

/// What is wrong with the request itself is told first, what the package lacks afterwards.
#[test]
fn a_wrong_request_is_told_before_the_missing_capability() {
    for capable in [true, false] {
        with_driver("packages=1,cores=2", "poll", |host| {
            host.perfmon_capable.store(capable, Relaxed);
            assert_eq!(refusal(HA_CLOCK | SHORT, 0), Some(EINVAL));
            assert_eq!(refusal(HA_CLOCK, 0x1000), Some(EINVAL));
            let polled = if capable { EINVAL } else { EACCES };
            assert_eq!(refusal(HA_CLOCK | SECOND, 0), Some(polled));
        });
    }
}

/// Such tools give each event of a box all filters.
#[test]
fn an_address_that_an_event_does_not_take_needs_no_capability() {
    let parameters = Parameters {
        names: "compat",
        overflow: "poll",
        ..Parameters::default()
    };
    with_parameters("packages=1,cores=2", &parameters, |host| {
        host.perfmon_capable.store(false, Relaxed);
        let open = |config| {
            let mut attr = attr(0, config);
            attr.words.config1 = 0x1000;
            known("uncore_ha_0").open(&attr, None).err()
        };
        assert_eq!(open(HA_CLOCK), None);
        assert_eq!(open(BY_ADDRESS), Some(EACCES));
    });
}
