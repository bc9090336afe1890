// SPDX-License-Identifier: GPL-2.0

//! Work of an overflow that an NMI leaves to an interrupt.

use super::{
    service::{
        Service,
        Stepped, //
    },
    timer::OverflowTimer, //
};
use crate::linux::{
    context::IrqsOff,
    hrtimer::Timer,
    irq_work::{
        self,
        Left, //
    }, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// The interrupt that services the boxes of a package, one after the other, and the timer that stands
/// in for it.
#[pin_data]
pub(crate) struct Deferred {
    pub(super) service: Arc<Service>,
    #[pin]
    pub(crate) timer: Timer<OverflowTimer>,
}

impl Deferred {
    /// Creates the interrupt and the timer of a package.
    pub(crate) fn new(service: &Arc<Service>) -> impl PinInit<Self, Error> {
        let service = service.clone();
        try_pin_init!(Self {
            timer <- Timer::new(OverflowTimer::new(&service)),
            service,
        })
    }
}

impl irq_work::Run for Deferred {
    fn run(&self, _here: &IrqsOff) -> Left {
        match self.service.step() {
            Stepped::More => Left::Some,
            Stepped::Idle | Stepped::Last => Left::Nothing,
        }
    }
}
