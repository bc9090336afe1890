// SPDX-License-Identifier: GPL-2.0

//! A real Prometheus in the guest, which scrapes over loopback. The guest's clock jumps, so
//! that twenty minutes of scrapes take one.

mod rates;
mod server;

use uncore_e2e::prelude::*;

platforms!(; first);

/// A machine with Prometheus whose clock may jump. A distribution's kernel takes a jump for
/// a processor that hangs.
fn machine() -> Config {
    let mut config = Config {
        memory: Some(2048),
        ..Config::default().with_jumps()
    };
    config.append.push_str(" nosoftlockup");
    Layer::Prometheus.on(config)
}
