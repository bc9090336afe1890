// SPDX-License-Identifier: GPL-2.0

//! The requests of complete sweeps. The end-to-end tests make them in the guest, the tests
//! of the engine on the host.

pub mod events;
pub mod filters;
pub mod refusals;
