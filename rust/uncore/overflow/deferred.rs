// SPDX-License-Identifier: GPL-2.0

//! Work of an overflow that an NMI leaves to an interrupt.

use super::{
    service::Service,
    throttle::THROTTLE_NS,
    watchdog::Watchdog, //
};
use crate::linux::{
    context::IrqsOff,
    hrtimer::Timer,
    irq_work, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// The interrupt that services the boxes of a package, and the timer that stands in for it.
#[pin_data]
pub(crate) struct Deferred {
    service: Arc<Service>,
    #[pin]
    pub(crate) watchdog: Timer<Watchdog>,
}

impl Deferred {
    /// Creates the interrupt of a package. Its watchdog reads the counters every `poll_ns` if they
    /// do not interrupt.
    pub(crate) fn new(service: &Arc<Service>, poll_ns: u64) -> impl PinInit<Self, Error> {
        let service = service.clone();
        try_pin_init!(Self {
            watchdog <- Timer::new(Watchdog::new(&service, poll_ns)),
            service,
        })
    }
}

impl irq_work::Run for Deferred {
    fn run(&self, here: &IrqsOff) {
        let too_many = self.service.pmi.nmi.take_too_many();
        if too_many {
            self.service.throttle();
        }
        self.service.drain();
        if too_many {
            self.watchdog.unthrottle_after(here, THROTTLE_NS);
        }
    }
}
