// SPDX-License-Identifier: GPL-2.0

//! All boxes of both packages overflow in the same burst, while CPUs go offline and beside the cores'
//! own monitors. `matrix` has busy and idle CPUs.

use crate::overflow::clocks::all_boxes;
use crate::overflow::traffic::Traffic;
use crate::overflow::{by_interrupt, without_unknown_nmis, CPUS};
use uncore_e2e::fixture::switch;

platforms!(; e5);

/// Overflows of each box on uclk.
const OVERFLOWS: u64 = 30;

/// Overflows of the cores' own monitors in each package.
const SAMPLES: u64 = 30;

/// Package 1 loses the CPU that takes its interrupts, gets another one, and loses that
/// one, too.
#[test]
fn on_cpus_that_go_offline() {
    without_unknown_nmis(&by_interrupt(), |session| {
        let online = |cpu, on| format!("run {}", switch(cpu, on));
        Traffic::new(&all_boxes(), 10 * OVERFLOWS)
            .meanwhile(online(2, false))
            .meanwhile(online(2, true))
            .meanwhile(online(3, false))
            .meanwhile(online(3, true))
            .flow(session);
    });
}

/// The core's own monitors share the local APIC's entry with the uncore's.
#[test]
fn beside_sampling_of_the_cores() {
    without_unknown_nmis(&by_interrupt(), |session| {
        let mut traffic = Traffic::new(&all_boxes(), 10 * OVERFLOWS);
        for cpu in CPUS {
            // The period in cycles is so long that only the machine makes the counter
            // overflow.
            traffic = traffic.meanwhile(format!(
                "open core{cpu} type=0 config=0 cpu={cpu} period=1000000000000 sample_type=1"
            ));
        }
        let [first, second] = CPUS;
        traffic
            .meanwhile(format!(
                // The machine refuses while the counter is being handled.
                "run for i in $(seq {SAMPLES}); do machine core-pmi {first}; \
                 machine core-pmi {second}; done 2>/dev/null || true"
            ))
            .flow(session);
        let interrupts = session.interrupts();
        assert!(interrupts.of_cpus("core") >= SAMPLES, "{interrupts:?}");
    });
}
